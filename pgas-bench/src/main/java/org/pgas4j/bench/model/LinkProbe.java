package org.pgas4j.bench.model;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.pgas4j.PgasException;

/** LogGP parameters within a node: words and copies between two threads, as the shared-memory conduit does them. */
public final class LinkProbe {

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final long LINE = 128;
    private static final int ROUNDS = 10_000;
    private static final int REPEATS = 11;
    private static final long COPY = 1 << 20;
    private static final int TURN_ROUNDS = 200;
    private static final int TURN_THREADS = 4;
    private static final int TURN_LOOKS = 32;
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(60);

    private LinkProbe() {
    }

    /** Medians of some runs; takes seconds, and needs two processors that have nothing else to do. */
    public static CollectiveModel.Link measure() {
        double[] half = new double[REPEATS];
        double[] store = new double[REPEATS];
        double[] update = new double[REPEATS];
        double[] copy = new double[REPEATS];
        try (Arena arena = Arena.ofShared()) {
            MemorySegment words = arena.allocate(4 * LINE, LINE);
            MemorySegment source = arena.allocate(COPY, LINE).fill((byte) 1);
            MemorySegment target = arena.allocate(COPY, LINE).fill((byte) 2);
            for (int i = 0; i < REPEATS; i++) {
                half[i] = pingPong(words, i * (long) ROUNDS) / 2;
                long start = System.nanoTime();
                for (long round = 0; round < ROUNDS; round++) {
                    WORD.setRelease(words, 2 * LINE, round);
                }
                store[i] = (System.nanoTime() - start) / 1e3 / ROUNDS;
                start = System.nanoTime();
                for (long round = 0; round < ROUNDS; round++) {
                    WORD.getAndAdd(words, 3 * LINE, 1L);
                }
                update[i] = (System.nanoTime() - start) / 1e3 / ROUNDS;
                start = System.nanoTime();
                for (int round = 0; round < 20; round++) {
                    MemorySegment.copy(source, 0, target, 0, COPY);
                }
                copy[i] = (System.nanoTime() - start) / 1e3 / 20 / COPY;
            }
        }
        double o = median(store);
        return new CollectiveModel.Link(Math.max(0, median(half) - o), o, median(update), median(copy));
    }

    /**
     * Microseconds of a processor until the next of several threads that share it has had its turn: a word goes round more
     * threads than there are processors, which look for it and yield as waiting ranks do.
     */
    public static double turn(int processors) {
        int threads = TURN_THREADS * processors;
        double[] times = new double[REPEATS];
        try (Arena arena = Arena.ofShared()) {
            MemorySegment word = arena.allocate(LINE, LINE);
            for (int i = 0; i < REPEATS; i++) {
                times[i] = round(word, threads) * processors / threads;
            }
        }
        return median(times);
    }

    /** Microseconds until a word has gone round once. */
    private static double round(MemorySegment word, int threads) {
        WORD.setRelease(word, 0L, 0L);
        long deadline = System.nanoTime() + LIMIT_NS;
        Thread[] others = new Thread[threads - 1];
        for (int i = 0; i < others.length; i++) {
            int number = i + 1;
            others[i] = Thread.ofPlatform().daemon().name("link-probe-" + number).start(() ->
                    pass(word, number, threads, deadline));
        }
        long start = System.nanoTime();
        pass(word, 0, threads, deadline);
        double time = (System.nanoTime() - start) / 1e3 / TURN_ROUNDS;
        for (Thread other : others) {
            join(other);
        }
        return time;
    }

    private static void pass(MemorySegment word, int number, int threads, long deadline) {
        for (long round = 0; round < TURN_ROUNDS; round++) {
            long wanted = round * threads + number;
            for (int looks = 1; (long) WORD.getAcquire(word, 0L) < wanted; looks++) {
                if (looks > TURN_LOOKS) {
                    Thread.yield();
                    late(deadline);
                }
            }
            WORD.setRelease(word, 0L, wanted + 1);
        }
    }

    private static void late(long deadline) {
        if (System.nanoTime() - deadline > 0) {
            throw new PgasException("threads exchanged too few words in " + LIMIT_NS / 1_000_000_000
                    + " s: the machine is too busy to measure");
        }
    }

    private static void join(Thread other) {
        try {
            other.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PgasException("interrupted while measuring", e);
        }
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    /** Microseconds of a round trip. */
    private static double pingPong(MemorySegment words, long first) {
        long deadline = System.nanoTime() + LIMIT_NS;
        Thread other = Thread.ofPlatform().daemon().name("link-probe").start(() -> {
            for (long round = first + 1; round <= first + ROUNDS; round++) {
                await(words, 0, round, deadline);
                WORD.setRelease(words, LINE, round);
            }
        });
        long start = System.nanoTime();
        for (long round = first + 1; round <= first + ROUNDS; round++) {
            WORD.setRelease(words, 0, round);
            await(words, LINE, round, deadline);
        }
        double time = (System.nanoTime() - start) / 1e3 / ROUNDS;
        join(other);
        return time;
    }

    private static void await(MemorySegment words, long offset, long wanted, long deadline) {
        for (int looks = 1; (long) WORD.getAcquire(words, offset) != wanted; looks++) {
            if ((looks & 0xfff) == 0) {
                late(deadline);
                Thread.yield();
            }
            Thread.onSpinWait();
        }
    }
}
