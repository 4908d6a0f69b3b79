package org.pgas4j.examples.matmul;

import java.io.IOException;

/**
 * The whole product by the plain library, cuBLAS or OpenBLAS, on one device, without communication. Measured in turn
 * with the ranks' own products, so that both meet the same machine. Rank 0's thread.
 */
interface Baseline extends AutoCloseable {

    /** Multiplies once; milliseconds. */
    double multiplyMs() throws IOException, InterruptedException;

    @Override
    void close();
}
