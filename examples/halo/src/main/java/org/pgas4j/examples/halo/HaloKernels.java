package org.pgas4j.examples.halo;

import org.pgas4j.Buffer;
import org.pgas4j.kernel.ThreadKernel;

/** The stencil of {@link SevenPoint} as kernels of any shape and for blocks; faces are the first's n * n floats, then the last's. */
final class HaloKernels {

    private HaloKernels() {
    }

    /** Copies the first and the last float of every row to {@code faces}. */
    static ThreadKernel pack(Buffer u, Buffer faces, int n) {
        long rows = (long) n * n;
        return self -> pack(u, faces, n, self.global(), rows, self.globals());
    }

    /** The same for rows {@code from}, {@code from + step} ... before {@code to}. */
    static void pack(Buffer u, Buffer faces, int n, long from, long to, long step) {
        long rows = (long) n * n;
        for (long row = from; row < to; row += step) {
            faces.putFloat(row, u.getFloat(row * n));
            faces.putFloat(rows + row, u.getFloat(row * n + n - 1));
        }
    }

    /** Computes the points that need no face, n - 2 of each row. */
    static ThreadKernel interior(Buffer u, Buffer next, int n) {
        long points = (long) n * n * (n - 2);
        return self -> interior(u, next, n, self.global(), points, self.globals());
    }

    /** The same for points {@code from}, {@code from + step} ... before {@code to}. */
    static void interior(Buffer u, Buffer next, int n, long from, long to, long step) {
        int width = n - 2;
        for (long point = from; point < to; point += step) {
            long at = point / width * n + 1 + point % width;
            value(u, next, n, at, u.getFloat(at - 1), u.getFloat(at + 1));
        }
    }

    /** Computes the two points of each row that need a face. */
    static ThreadKernel unpack(Buffer u, Buffer next, Buffer faces, int n) {
        long rows = (long) n * n;
        return self -> unpack(u, next, faces, n, self.global(), rows, self.globals());
    }

    /** The same for rows {@code from}, {@code from + step} ... before {@code to}. */
    static void unpack(Buffer u, Buffer next, Buffer faces, int n, long from, long to, long step) {
        long rows = (long) n * n;
        for (long row = from; row < to; row += step) {
            long first = row * n;
            long last = first + n - 1;
            value(u, next, n, first, faces.getFloat(row), u.getFloat(first + 1));
            value(u, next, n, last, u.getFloat(last - 1), faces.getFloat(rows + row));
        }
    }

    private static void value(Buffer u, Buffer next, int n, long at, float left, float right) {
        long plane = (long) n * n;
        int y = (int) (at / n % n);
        int z = (int) (at / plane);
        next.putFloat(at, SevenPoint.value(u.getFloat(at), left, right, y > 0 ? u.getFloat(at - n) : 0,
                y < n - 1 ? u.getFloat(at + n) : 0, z > 0 ? u.getFloat(at - plane) : 0, z < n - 1 ? u.getFloat(at + plane) : 0));
    }
}
