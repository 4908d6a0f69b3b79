/**
 * A service that multiplies batches of small vectors by a matrix on another device, run by the blocks of both devices and, beside
 * it, by the hosts. {@link org.pgas4j.examples.matvec.BlockMatvec} is the part to copy.
 */
package org.pgas4j.examples.matvec;
