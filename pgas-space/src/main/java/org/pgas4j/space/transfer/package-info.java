/** The way of a byte: routes, copies in both directions, staging, handles. */
package org.pgas4j.space.transfer;
