package org.pgas4j.bench.study;

import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.Rank;
import org.pgas4j.Scope;

/** Keeps the owner of a laboratory's memory from its requests, in turns of a given length. Used by the owner's thread. */
final class OwnerLoad implements AutoCloseable {

    private static final Kernel.Shape ALL_OF_A_GPU = new Kernel.Shape(264, 256);
    private static final long GPU_BYTES = 64L << 20;
    private static final long HOST_BYTES = 1L << 20;
    private static final int GPU_ORDER = 2048;
    private static final int HOST_ORDER = 128;
    private static final int GARBAGE = 64 << 10;

    private final Rank rank;
    private final String kind;
    private final long ns;
    private final SpinKernel kernel;
    private final int order;
    private final Buffer[] buffers = new Buffer[3];
    private long works;
    private double sink;

    /**
     * Load of one kind.
     *
     * @param kind idle, spin, fill, memory, gemm, java or collect
     * @param ns   length of a turn
     */
    OwnerLoad(Rank rank, String kind, long ns, boolean gpu) {
        this.rank = rank;
        this.kind = kind;
        this.ns = ns;
        this.order = gpu ? GPU_ORDER : HOST_ORDER;
        this.kernel = new SpinKernel(rank, ns, !kind.equals("fill") ? new Kernel.Shape(1, 1) : gpu ? ALL_OF_A_GPU
                : new Kernel.Shape(Runtime.getRuntime().availableProcessors(), 1));
        int needed = kind.equals("memory") ? 2 : kind.equals("gemm") ? 3 : 0;
        for (int i = 0; i < needed; i++) {
            buffers[i] = kind.equals("memory") ? rank.device().alloc(ElementType.BYTE, gpu ? GPU_BYTES : HOST_BYTES)
                    : rank.device().allocFloats((long) order * order);
            rank.stream().fill(buffers[i], 0);
        }
        rank.stream().sync();
    }

    /** One turn: nanoseconds it took. */
    long turn() {
        long begin = System.nanoTime();
        switch (kind) {
            case "spin", "fill" -> {
                kernel.run();
                works++;
            }
            case "memory" -> until(begin, () -> rank.stream().copy(buffers[1], buffers[0]));
            case "gemm" -> until(begin, () -> rank.stream().gemm(order, order, order, buffers[0], buffers[1], buffers[2]));
            case "java" -> busy(begin, () -> sink = Math.sin(sink + 1));
            case "collect" -> busy(begin, () -> sink += new byte[GARBAGE].length);
            default -> Thread.onSpinWait();
        }
        return System.nanoTime() - begin;
    }

    /** Number of kernels, copies, products or rounds of Java in all turns. */
    long works() {
        return works;
    }

    private void until(long begin, Runnable work) {
        do {
            work.run();
            rank.stream().sync();
            works++;
        } while (System.nanoTime() - begin < ns);
    }

    private void busy(long begin, Runnable work) {
        try (Scope _ = rank.busy()) {
            do {
                work.run();
                works++;
            } while (System.nanoTime() - begin < ns);
        }
    }

    @Override
    public void close() {
        for (Buffer buffer : buffers) {
            if (buffer != null) {
                buffer.close();
            }
        }
    }
}
