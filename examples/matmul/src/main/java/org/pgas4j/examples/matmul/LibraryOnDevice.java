package org.pgas4j.examples.matmul;

import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Event;
import org.pgas4j.Rank;
import org.pgas4j.Stream;
import org.pgas4j.examples.matmul.io.MatrixSource;

/** The library on this rank's device. */
final class LibraryOnDevice implements Baseline {

    private final Stream stream;
    private final long n;
    private final Buffer a;
    private final Buffer b;
    private final Buffer c;

    /**
     * Takes device memory for all of B.
     *
     * @param a n x n on the device
     * @param c n x n on the device, overwritten
     */
    LibraryOnDevice(Rank rank, Buffer a, MatrixSource b, Buffer c) {
        ElementType type = a.type();
        this.n = b.columns();
        this.stream = rank.stream();
        this.a = a;
        this.b = DeviceArrays.alloc(rank, type, n * n, "--baseline");
        this.c = c;
        DeviceArrays.upload(rank, b, new Columns(0, n), this.b);
    }

    @Override
    public double multiplyMs() {
        try (Event start = stream.record()) {
            stream.gemm(n, n, n, 1, a, n, b, n, 0, c, n);
            try (Event end = stream.record()) {
                stream.sync();
                return end.millisSince(start);
            }
        }
    }

    @Override
    public void close() {
        b.close();
    }
}
