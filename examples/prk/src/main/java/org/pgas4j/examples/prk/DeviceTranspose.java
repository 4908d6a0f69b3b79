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
import org.pgas4j.kernel.KernelThread;
import org.pgas4j.kernel.ThreadKernel;

/**
 * One rank's part of {@link Transpose} in the memory of its device. A kernel transposes all columns and adds 1 to them; the rows
 * of the result that belong to one rank are contiguous. The stream puts them, waits for the others' and adds those; the host
 * waits once, at the end.
 */
final class DeviceTranspose {

    private static final int TILE = 32;
    private static final int PITCH = TILE + 1; // of rows of a tile in a block's memory, so that columns lie in all of its banks
    private static final int THREADS = 256;

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
        ThreadKernel pack = pack(a, out, n, columns);
        for (int k = 0; k <= iterations; k++) {
            int parity = k % 2;
            stream.launch(tiles, pack);
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
                stream.launch(shape(Kernel.Shape.covering((long) rows * columns, THREADS).blocks()),
                        add(b, in.slice(part * (parity * ranks + from), (long) rows * columns), n, columns, first, rows));
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

    /** Writes the transposed columns to {@code out} and adds 1 to them, a tile for each block. */
    private static ThreadKernel pack(Buffer a, Buffer out, int n, int columns) {
        return self -> packTile(self, a, out, n, columns);
    }

    private static void packTile(KernelThread self, Buffer a, Buffer out, int n, int columns) {
        double[] tile = self.sharedDoubles(TILE * PITCH);
        int across = (n + TILE - 1) / TILE;
        int block = (int) self.block();
        int i0 = block % across * TILE;
        int j0 = block / across * TILE;
        for (int k = self.thread(); k < TILE * TILE; k += self.threads()) {
            int x = k % TILE;
            int y = k / TILE;
            if (i0 + x < n && j0 + y < columns) {
                long at = (long) (j0 + y) * n + i0 + x;
                double value = a.getDouble(at);
                tile[y * PITCH + x] = value;
                a.putDouble(at, value + 1);
            }
        }
        self.sync();
        for (int k = self.thread(); k < TILE * TILE; k += self.threads()) {
            int x = k % TILE;
            int y = k / TILE;
            if (i0 + y < n && j0 + x < columns) {
                out.putDouble((long) (i0 + y) * columns + j0 + x, tile[x * PITCH + y]);
            }
        }
    }

    /** Adds what came from one rank to its rows. */
    private static ThreadKernel add(Buffer b, Buffer in, int n, int columns, int first, int rows) {
        long count = (long) columns * rows;
        return self -> {
            for (long at = self.global(); at < count; at += self.globals()) {
                long to = at / rows * n + first + at % rows;
                b.putDouble(to, b.getDouble(to) + in.getDouble(at));
            }
        };
    }
}
