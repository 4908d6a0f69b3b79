/** A clock of all ranks, written with the API alone. */
package org.pgas4j.clock;
