package org.pgas4j.bench.study;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedLock;
import org.pgas4j.SharedPointer;
import org.pgas4j.SharedSemaphore;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;

/**
 * Locks without contention against two compare-and-swaps of the processor on memory that both ranks map, and among both ranks;
 * semaphores without a wait against an addition and a compare-and-swap, and from rank to rank and back. Rank 0 measures.
 */
public final class LocksStudy extends Study {

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();
    private static final long LOCKED_AT = 128;
    private static final long COUNT_AT = 256;

    public LocksStudy(Rank rank, StudyOptions options, Consumer<Row> out) {
        super(rank, options, out);
    }

    /** Collective: all of it. */
    public void run() {
        SharedPointer words;
        try (Scope _ = rank.offDevice()) {
            words = rank.allAlloc(rank.ranks(), Long.BYTES);
        }
        rank.memset(words.onRank(rank.rank()), 0, Long.BYTES);
        rank.barrier();
        String route = rank.diagnostics().route(MemoryKind.HOST, words.onRank(other), Long.BYTES);
        try (RawHost raw = new RawHost(rank, 4096)) {
            locks(raw.memory(), route);
            semaphores(raw.memory(), route);
        }
        contended(words.onRank(0), route);
        handovers(route);
        rank.allFree(words);
    }

    private void add(String op, String route, SampleTimes times, Histogram baseline, long wrong) {
        add(new Row("locks", op, "host", "host", route, rank.processes(), Long.BYTES, times, baseline, wrong)
                .with(Row.SETTING, options.setting()));
    }

    private void add(String op, String route, Sampler sampler, long wrong) {
        if (first) {
            add(op, route, sampler.times(), sampler.baseline(), wrong);
        }
        rank.barrier();
    }

    /** Lock and unlock without contention; its raw version is two compare-and-swaps. */
    private void locks(MemorySegment raw, String route) {
        SharedLock lock = rank.locks().allAlloc();
        Sampler sampler = new Sampler(options);
        if (first) {
            sampler.measure(count -> {
                for (int i = 0; i < count; i++) {
                    lock.lock();
                    lock.unlock();
                }
            }, count -> {
                for (int i = 0; i < count; i++) {
                    WORD.compareAndSet(raw, LOCKED_AT, 0L, 1L);
                    WORD.compareAndSet(raw, LOCKED_AT, 1L, 0L);
                }
            });
        }
        add("lock_unlock", route, sampler, 0);
        lock.allFree();
    }

    /** Post to a semaphore of the other rank and a wait that finds what was posted; raw, an addition and a compare-and-swap. */
    private void semaphores(MemorySegment raw, String route) {
        SharedSemaphore semaphore = rank.locks().allSemaphore(rank.ranks() - 1, 0);
        Sampler sampler = new Sampler(options);
        long wrong = 0;
        if (first) {
            sampler.measure(count -> {
                for (int i = 0; i < count; i++) {
                    semaphore.post(1);
                    semaphore.await(1);
                }
            }, count -> {
                for (int i = 0; i < count; i++) {
                    long before = (long) WORD.getAndAdd(raw, COUNT_AT, 1L);
                    WORD.compareAndSet(raw, COUNT_AT, before + 1, before);
                }
            });
            wrong = semaphore.tryAwait(1) ? Long.BYTES : 0;
        }
        add("semaphore_post_await", route, sampler, wrong);
        semaphore.allFree();
    }

    /** Both ranks take the lock in turns and count under it. */
    private void contended(SharedPointer counter, String route) {
        SharedLock lock = rank.locks().allAlloc();
        long[] taken = new long[1];
        Histogram[] times;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment word = arena.allocate(8, 8);
            times = turns().measure(() -> {
                long begin = System.nanoTime();
                lock.lock();
                rank.memget(word, counter, 8);
                word.set(ValueLayout.JAVA_LONG, 0, word.get(ValueLayout.JAVA_LONG, 0) + 1);
                rank.memput(counter, word, 8);
                lock.unlock();
                taken[0]++;
                return System.nanoTime() - begin;
            });
        }
        rank.barrier();
        long all = rank.allReduce(taken[0], ReduceOp.SUM);
        long wrong = first && rank.atomics().get(counter) != all ? Long.BYTES : 0;
        add("lock_contended", route, SampleTimes.of(times[0], 1), null, wrong);
        rank.barrier();
        lock.allFree();
    }

    /** From rank 0 to the other and back: each posts to the semaphore at which the other waits, in its memory. */
    private void handovers(String route) {
        SharedSemaphore there = rank.locks().allSemaphore(1, 0);
        SharedSemaphore here = rank.locks().allSemaphore(0, 0);
        Histogram[] times = turns().measure(() -> {
            long begin = System.nanoTime();
            if (first) {
                there.post(1);
                here.await(1);
            } else {
                there.await(1);
                here.post(1);
            }
            return System.nanoTime() - begin;
        });
        long left = rank.allReduce(first && here.tryAwait(1) || !first && there.tryAwait(1) ? 1L : 0L, ReduceOp.SUM);
        add("semaphore_round_trip", route, SampleTimes.of(times[0], 1), null, left * Long.BYTES);
        rank.barrier();
        here.allFree();
        there.allFree();
    }
}
