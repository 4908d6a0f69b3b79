/** The paired chunk rings of two ranks: where a chunk lies, what its header says, and how it is published. */
package org.pgas4j.fastpath.ring;
