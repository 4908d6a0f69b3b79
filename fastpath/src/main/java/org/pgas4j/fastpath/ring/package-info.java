/** The paired chunk rings of two ranks: layout of a ring, header of a message, publication of a chunk. */
package org.pgas4j.fastpath.ring;
