/**
 * The resident block: one block of a GPU that polls a ring in page-locked memory and carries out small transfers of host code
 * (docs/protocol.md). Used by the rank's thread.
 */
package org.pgas4j.helper.resident;
