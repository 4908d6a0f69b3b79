package org.pgas4j.kernels;

/**
 * Two captured values whose memory a kernel expects not to overlap.
 *
 * @param read    number of one that the kernel only reads
 * @param written number of one that it writes
 */
public record ApartPair(int read, int written) {
}
