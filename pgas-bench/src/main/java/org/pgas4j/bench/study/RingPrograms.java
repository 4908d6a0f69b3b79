package org.pgas4j.bench.study;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.GridKernel;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Kernel;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedLongs;
import org.pgas4j.bench.result.Row;

/**
 * A token round a ring of all blocks of all ranks, to which each adds one: a block program written in Java beside the same in CUDA C++
 * by hand, or on the host device beside a body over memory segments. A time is that of one hop, of the slowest rank.
 */
final class RingPrograms {

    private static final int THREADS = 256;
    private static final int TAG = 0;
    private static final int WARM_UPS = 3;
    private static final double NS_PER_US = 1e3;

    private static final GridProgram RAW = new GridProgram("ring", """
            #include <pgas_device.cuh>

            extern "C" __global__ void __launch_bounds__(256, 1) ring(pgas_world world, long long *tokens, long long bytes, int rounds) {
                pgas_context *c = pgas_init(world);
                const int rank = pgas_rank(c, PGAS_WORLD);
                const int next = (rank + 1) % pgas_size(c, PGAS_WORLD);
                long long *token = tokens + bytes / 8 * pgas_rank(c, PGAS_DEVICE);
                const int window = pgas_win_create(c, PGAS_WORLD, token, bytes);
                for (int round = 0; round < rounds; round++) {
                    if (rank != 0 || round != 0) {
                        pgas_wait_notifications(c, 0, 1);
                    }
                    if (threadIdx.x == 0) {
                        ++*token;
                    }
                    pgas_put_notify(c, window, next, 0, token, bytes, 0);
                }
                if (rank == 0) {
                    pgas_wait_notifications(c, 0, 1);
                }
                pgas_win_free(c, window);
                pgas_finish(c);
            }
            """, RingPrograms::body).withOptions("--fmad=false");

    private final Rank rank;
    private final boolean gpu;
    private final int blocks;
    private final int laps;
    private final int rounds;

    RingPrograms(Rank rank, int rounds) {
        this.rank = rank;
        this.gpu = rank.device().backend() == Backend.CUDA;
        this.blocks = gpu ? 16 : 2;
        this.laps = gpu ? 100 : 4;
        this.rounds = rounds;
    }

    /** Collective. */
    void run(Consumer<Row> out) {
        try (DeviceGrid grid = rank.createGrid(DeviceGrid.Options.of(blocks, THREADS))) {
            measure("block ring", Long.BYTES, grid, out);
            measure("block ring, 16 KiB", 16384, grid, out);
        }
    }

    private void measure(String op, long bytes, DeviceGrid grid, Consumer<Row> out) {
        SharedLongs tokens;
        long each = blocks * bytes / Long.BYTES;
        try (Scope _ = rank.onDevice()) {
            tokens = rank.allAllocLongs(Layout.blocked(each), each * rank.ranks());
        }
        rank.stream().fill(tokens.local(), 0);
        rank.stream().sync();
        GridKernel java = program(tokens.local(), bytes, laps);
        int hops = laps * grid.ranks();
        double[] ours = new double[rounds];
        double[] others = new double[rounds];
        for (int round = -WARM_UPS; round < rounds; round++) {
            double us = us(grid, () -> grid.launch(java)) / hops;
            double other = us(grid, () -> grid.launch(RAW, tokens.local(), bytes, laps)) / hops;
            if (round >= 0) {
                ours[round] = us;
                others[round] = other;
            }
        }
        long wrong = tokens.get(0) == 2L * hops * (rounds + WARM_UPS) ? 0 : 1;
        rank.barrier();
        rank.allFree(tokens);
        if (rank.rank() == 0) {
            out.accept(KernelsStudy.row(rank, op, grid.ranks(), ours, others, hops, wrong)
                    .with(Row.BASELINE, gpu ? "CUDA C++" : "body"));
        }
    }

    /** Time of a launch, of the slowest rank. */
    private double us(DeviceGrid grid, Runnable launch) {
        rank.barrier();
        long begin = System.nanoTime();
        launch.run();
        grid.sync();
        return rank.allReduce(System.nanoTime() - begin, ReduceOp.MAX) / NS_PER_US;
    }

    private static GridKernel program(Buffer tokens, long bytes, int rounds) {
        return self -> ring(tokens, bytes, rounds, self);
    }

    private static void ring(Buffer tokens, long bytes, int rounds, GridRank self) {
        int rank = self.rank(Comm.WORLD);
        int next = (rank + 1) % self.ranks(Comm.WORLD);
        Buffer token = tokens.slice(bytes / Long.BYTES * self.rank(Comm.DEVICE), bytes / Long.BYTES);
        int window = self.createWindow(Comm.WORLD, token);
        for (int round = 0; round < rounds; round++) {
            if (rank != 0 || round != 0) {
                self.awaitNotifications(TAG, 1);
            }
            if (self.thread() == 0) {
                token.putLong(0, token.getLong(0) + 1);
            }
            self.putNotify(window, next, 0, token, bytes, TAG);
        }
        if (rank == 0) {
            self.awaitNotifications(TAG, 1);
        }
        self.freeWindow(window);
    }

    /** The same over memory segments. */
    private static void body(GridRank self, Kernel.Args args) {
        long bytes = args.longAt(1);
        int rank = self.rank(Comm.WORLD);
        int next = (rank + 1) % self.ranks(Comm.WORLD);
        MemorySegment token = args.segment(0).asSlice(bytes * self.rank(Comm.DEVICE), bytes);
        int window = self.createWindow(Comm.WORLD, token);
        for (int round = 0; round < args.intAt(2); round++) {
            if (rank != 0 || round != 0) {
                self.awaitNotifications(TAG, 1);
            }
            token.set(ValueLayout.JAVA_LONG, 0, token.get(ValueLayout.JAVA_LONG, 0) + 1);
            self.putNotify(window, next, 0, token, bytes, TAG);
        }
        if (rank == 0) {
            self.awaitNotifications(TAG, 1);
        }
        self.freeWindow(window);
    }
}
