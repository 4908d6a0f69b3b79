package org.pgas4j.examples.prk;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedDoubles;
import org.pgas4j.Stream;
import org.pgas4j.Window;

/**
 * One rank's part of {@link Transpose} in the memory of its device. A kernel transposes all columns and adds 1 to them; the rows
 * of the result that belong to one rank are contiguous. The stream puts them, waits for the others' and adds those; the host
 * waits once, at the end.
 */
final class DeviceTranspose {

    private static final int TILE = 32;
    private static final int THREADS = 256;

    private static final Kernel PACK = new Kernel("prk_transpose_pack", """
            extern "C" __global__ void prk_transpose_pack(double *a, double *out, int n, int columns) {
                __shared__ double tile[32][33];
                const int across = (n + 31) / 32;
                const int i0 = blockIdx.x % across * 32, j0 = blockIdx.x / across * 32;
                const int x = threadIdx.x % 32, y = threadIdx.x / 32;
                for (int j = y; j < 32; j += blockDim.x / 32) {
                    if (i0 + x < n && j0 + j < columns) {
                        const long long at = (long long) (j0 + j) * n + i0 + x;
                        tile[j][x] = a[at];
                        a[at] += 1;
                    }
                }
                __syncthreads();
                for (int i = y; i < 32; i += blockDim.x / 32) {
                    if (i0 + i < n && j0 + x < columns) {
                        out[(long long) (i0 + i) * columns + j0 + x] = tile[x][i];
                    }
                }
            }
            """, (at, args) -> pack(args.segment(0), args.segment(1), args.intAt(2), args.intAt(3), at.block()));

    private static final Kernel ADD = new Kernel("prk_transpose_add", """
            extern "C" __global__ void prk_transpose_add(double *b, const double *in, int n, int columns, int first, int rows) {
                const long long count = (long long) columns * rows, step = (long long) gridDim.x * blockDim.x;
                for (long long at = (long long) blockIdx.x * blockDim.x + threadIdx.x; at < count; at += step) {
                    b[at / rows * n + first + at % rows] += in[at];
                }
            }
            """, (at, args) -> add(args.segment(0), args.segment(1), args.intAt(2), args.intAt(3), args.intAt(4), args.intAt(5),
                    at));

    private final Rank rank;
    private final int n;
    private final int columns;
    private final long part;
    private final SharedDoubles parts;
    private final Window window;
    private final Buffer in;
    private final Buffer a;
    private final Buffer b;
    private final Buffer out;

    /** Collective; {@code part} is the largest number of values that a rank sends to another. */
    DeviceTranspose(Rank rank, int n, long part, double[][] start) {
        this.rank = rank;
        this.n = n;
        this.columns = start.length;
        this.part = part;
        long mine = 2 * part * rank.ranks();   // two places of each rank
        try (Scope _ = rank.onDevice()) {
            this.parts = rank.allAllocDoubles(Layout.even(), mine * rank.ranks());
        }
        this.window = rank.createWindow(rank.world(), parts.pointer(mine * rank.rank()), mine * Double.BYTES);
        this.in = parts.local();
        this.a = rank.device().allocDoubles((long) n * columns);
        this.b = rank.device().allocDoubles((long) n * columns);
        this.out = rank.device().allocDoubles((long) n * columns);
        copy(start, true, a);
        rank.stream().fill(b, 0);
        rank.stream().sync();
    }

    /** All iterations; returns when this rank's device is done. */
    void run(int iterations) {
        Stream stream = rank.stream();
        int me = rank.rank();
        int ranks = rank.ranks();
        Kernel.Shape tiles = shape(Math.ceilDiv(n, TILE) * Math.ceilDiv(columns, TILE));
        for (int k = 0; k <= iterations; k++) {
            int parity = k % 2;
            stream.launch(PACK, tiles, a, out, n, columns);
            for (int step = 0; step < ranks; step++) {   // first to itself, then each to another
                int to = (me + step) % ranks;
                long first = PrkExample.first(n, to, ranks);
                long rows = PrkExample.first(n, to + 1, ranks) - first;
                stream.putNotify(window, to, Double.BYTES * part * (parity * ranks + me),
                        out.slice(first * columns, rows * columns), parity);
            }
            stream.awaitNotifications(parity, ranks);
            for (int from = 0; from < ranks; from++) {
                int first = PrkExample.first(n, from, ranks);
                int rows = PrkExample.first(n, from + 1, ranks) - first;
                stream.launch(ADD, shape(Kernel.Shape.covering((long) rows * columns, THREADS).blocks()), b,
                        in.slice(part * (parity * ranks + from), (long) rows * columns), n, columns, first, rows);
            }
        }
        stream.sync();
    }

    /** On the host device a block is one thread. */
    private Kernel.Shape shape(int blocks) {
        return rank.device().blockShape(blocks, THREADS);
    }

    /** Columns of the result. */
    double[][] result() {
        double[][] result = new double[columns][n];
        copy(result, false, b);
        return result;
    }

    private void copy(double[][] host, boolean toDevice, Buffer device) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment column = arena.allocate(ValueLayout.JAVA_DOUBLE, n);
            Buffer buffer = Buffer.ofHost(column, ElementType.DOUBLE);
            for (int j = 0; j < columns; j++) {
                Buffer there = device.slice((long) n * j, n);
                if (toDevice) {
                    MemorySegment.copy(host[j], 0, column, ValueLayout.JAVA_DOUBLE, 0, n);
                    rank.stream().copy(there, buffer);
                    rank.stream().sync();
                } else {
                    rank.stream().copy(buffer, there);
                    rank.stream().sync();
                    MemorySegment.copy(column, ValueLayout.JAVA_DOUBLE, 0, host[j], 0, n);
                }
            }
        }
    }

    /** Collective; not after a failure, which ends the job. */
    void free() {
        out.close();
        b.close();
        a.close();
        window.close();
        rank.allFree(parts);
    }

    /** One tile. */
    private static void pack(MemorySegment a, MemorySegment out, int n, int columns, int tile) {
        int across = Math.ceilDiv(n, TILE);
        int i0 = tile % across * TILE;
        int j0 = tile / across * TILE;
        for (int j = j0; j < Math.min(columns, j0 + TILE); j++) {
            for (int i = i0; i < Math.min(n, i0 + TILE); i++) {
                double value = a.getAtIndex(ValueLayout.JAVA_DOUBLE, (long) j * n + i);
                out.setAtIndex(ValueLayout.JAVA_DOUBLE, (long) i * columns + j, value);
                a.setAtIndex(ValueLayout.JAVA_DOUBLE, (long) j * n + i, value + 1);
            }
        }
    }

    /** One block's share. */
    private static void add(MemorySegment b, MemorySegment in, int n, int columns, int first, int rows, Kernel.At at) {
        long count = (long) columns * rows;
        long end = count * (at.block() + 1) / at.shape().blocks();
        for (long i = count * at.block() / at.shape().blocks(); i < end; i++) {
            long to = i / rows * n + first + i % rows;
            double sum = b.getAtIndex(ValueLayout.JAVA_DOUBLE, to) + in.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
            b.setAtIndex(ValueLayout.JAVA_DOUBLE, to, sum);
        }
    }
}
