package org.pgas4j.kernel.runtime;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.pgas4j.kernel.KernelThread;
import org.pgas4j.kernels.LineFormat;
import org.pgas4j.space.sync.CallSite;

/** A thread of a kernel's grid on the host device. */
class HostThread implements KernelThread {

    private static final int WARP = 32;
    private static final String RULE = "all threads of a block come to each sync and call operations of the block,"
            + " all of a warp those of the warp";

    static {
        CallSite.addLibrary(HostThread.class);
    }

    /** State that the threads of a block share. */
    static final class Block {

        private final int rank;
        private final ParkedThreads parked;
        private final BlockBarrier barrier;
        private final BlockBarrier[] warps;
        private final long[] passed; // between threads
        private final List<Object> memory = new ArrayList<>(); // in the order of the calls

        /** @param rank of the launch */
        Block(int rank, int threads) {
            this.rank = rank;
            this.parked = new ParkedThreads(threads);
            this.barrier = new BlockBarrier(threads, parked);
            this.warps = new BlockBarrier[Math.ceilDiv(threads, WARP)];
            this.passed = new long[threads];
            for (int i = 0; i < warps.length; i++) {
                warps[i] = new BlockBarrier(Math.min(WARP, threads - i * WARP), parked);
            }
        }

        private synchronized Object memory(int call, Class<?> type, int length) {
            if (call == memory.size()) {
                memory.add(Array.newInstance(type, length));
            }
            return memory.get(call);
        }

        /** Ends the waits of the other threads, because one has failed. */
        void fail() {
            barrier.fail();
            for (BlockBarrier warp : warps) {
                warp.fail();
            }
        }

        /** A thread has ended: waits of others for it fail. */
        void leave(int thread) {
            warps[thread / WARP].leave(thread);
            barrier.leave(thread);
        }
    }

    private long block;
    private final long blocks;
    private int thread;
    private final int threads;
    private final Block shared;
    private int calls;

    HostThread(long block, long blocks, int thread, int threads, Block shared) {
        this.block = block;
        this.blocks = blocks;
        this.thread = thread;
        this.threads = threads;
        this.shared = shared;
    }

    /** A thread that is alone in its block: loops in steps of its threads then have a constant step to the JIT compiler. */
    static final class Lone extends HostThread {

        Lone(int rank, long blocks) {
            super(0, blocks, 0, 1, new Block(rank, 1));
        }

        @Override
        public int thread() {
            return 0;
        }

        @Override
        public int threads() {
            return 1;
        }
    }

    /** Goes on as another thread, of the same block or of one behind it. */
    void enter(long nextBlock, int nextThread) {
        block = nextBlock;
        thread = nextThread;
        calls = 0;
    }

    @Override
    public long block() {
        return block;
    }

    @Override
    public long blocks() {
        return blocks;
    }

    @Override
    public int thread() {
        return thread;
    }

    @Override
    public int threads() {
        return threads;
    }

    @Override
    public void sync() {
        if (threads > 1) {
            await(shared.barrier);
        }
    }

    @Override
    public void printf(String format, Object... values) {
        Object[] numbers = Arrays.stream(values).map(LineFormat::number).toArray();
        System.out.println(KernelLines.text(shared.rank, block(), thread(), LineFormat.format(format, numbers)));
    }

    private void await(BlockBarrier barrier) {
        switch (barrier.await(thread)) {
            case MET -> {
            }
            case FAILED -> throw new IllegalStateException("another thread of block " + block + " has failed");
            case GONE -> throw new IllegalStateException(waits() + " for thread " + barrier.gone()
                    + ", which has ended and was in fewer waits; " + RULE);
            case STUCK -> throw new IllegalStateException(waits() + ", and " + shared.parked.elsewhere(thread) + "; " + RULE);
        }
    }

    private String waits() {
        return "thread " + thread + " of block " + block + " waits at " + CallSite.find();
    }

    @Override
    public long fromLane(long value, int lane) {
        return threads == 1 ? value : passed(value, thread / WARP * WARP + lane, shared.warps[thread / WARP]);
    }

    @Override
    public long fromThread(long value, int from) {
        return threads == 1 ? value : passed(value, from, shared.barrier);
    }

    private long passed(long value, int from, BlockBarrier barrier) {
        shared.passed[thread] = value;
        await(barrier);
        long result = shared.passed[from];
        await(barrier); // before anybody passes the next
        return result;
    }

    @Override
    public float[] sharedFloats(int length) {
        return (float[]) shared.memory(calls++, float.class, length);
    }

    @Override
    public double[] sharedDoubles(int length) {
        return (double[]) shared.memory(calls++, double.class, length);
    }

    @Override
    public int[] sharedInts(int length) {
        return (int[]) shared.memory(calls++, int.class, length);
    }

    @Override
    public long[] sharedLongs(int length) {
        return (long[]) shared.memory(calls++, long.class, length);
    }
}
