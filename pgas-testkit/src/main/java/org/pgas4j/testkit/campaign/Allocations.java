package org.pgas4j.testkit.campaign;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.UsageException;
import org.pgas4j.testkit.program.InRange;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.SharedOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Objects that operations make. Rank 0 repeats each in rounds until one makes none; the first rounds make some, as long as they run
 * in the interpreter or in code of the first compiler, which does not remove objects that never leave a method.
 */
@Command(name = "allocations", description = "Rank 0 repeats transfers of 8 bytes, barriers and progress until a thousand of each"
        + " allocate nothing in the Java heap.")
public final class Allocations implements Program {

    private static final int OPERATIONS = 1_000;
    private static final long BYTES = Long.BYTES;
    private static final long[] ROUTED_SIZES = {BYTES};
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @InRange(min = 1)
    @Option(names = "--seconds", paramLabel = "S", description = "Time for each operation at most; default: ${DEFAULT-VALUE}.")
    private long seconds = 60;

    @Mixin
    private SharedOptions shared;

    private final List<String> failures = new ArrayList<>();

    @Override
    public PgasConfig config() {
        return Program.heaps(1 << 20).ranks(2);
    }

    @Override
    public void run(Rank rank) {
        if (rank.ranks() != 2) {
            throw new UsageException("allocations needs 2 ranks, the job has " + rank.ranks());
        }
        shared.checkRoutes(rank, ROUTED_SIZES);
        SharedPointer host = rank.allAlloc(rank.ranks(), BYTES);
        SharedPointer stop = rank.allAlloc(rank.ranks(), BYTES);
        SharedPointer device;
        try (Scope _ = rank.onDevice()) {
            device = rank.allAlloc(rank.ranks(), BYTES);
        }
        MemorySegment stopped = rank.local(stop.onRank(rank.rank()));
        WORD.setRelease(stopped, 0L, 0L);
        rank.barrier();
        try (Arena arena = Arena.ofConfined()) {
            if (rank.rank() == 0) {
                MemorySegment word = arena.allocate(ValueLayout.JAVA_LONG);
                transfers(rank, host.onRank(1), device.onRank(1), word).forEach(this::repeat);
                word.set(ValueLayout.JAVA_LONG, 0, 1);
                rank.memput(stop.onRank(1), word, BYTES);
                rank.fence();
            } else {
                while ((long) WORD.getAcquire(stopped, 0L) == 0) {
                    if (!rank.progress()) {
                        Thread.onSpinWait();
                    }
                }
            }
        }
        rank.barrier();
        barriers(rank);
        if (!failures.isEmpty()) {
            throw new PgasException("allocations: " + String.join("; ", failures));
        }
        rank.allFree(host);
        rank.allFree(stop);
        rank.allFree(device);
    }

    private static Map<String, Runnable> transfers(Rank rank, SharedPointer host, SharedPointer device, MemorySegment word) {
        Buffer local = rank.device().alloc(ElementType.LONG, 1);
        Map<String, Runnable> all = new LinkedHashMap<>();
        all.put("put to host memory", () -> rank.memput(host, word, BYTES));
        all.put("get from host memory", () -> rank.memget(word, host, BYTES));
        all.put("put, implicit", () -> rank.rma().put(host, word, BYTES, Completion.IMPLICIT));
        all.put("get, implicit", () -> rank.rma().get(word, host, BYTES, Completion.IMPLICIT));
        all.put("put, remote", () -> rank.rma().put(host, word, BYTES, Completion.REMOTE));
        all.put("put of a value", () -> rank.rma().putLong(host, 1));
        all.put("get of a value", () -> rank.rma().getLong(host));
        all.put("put to device memory", () -> rank.memput(device, word, BYTES));
        all.put("get from device memory", () -> rank.memget(word, device, BYTES));
        all.put("put from a device buffer", () -> rank.memput(device, local));
        all.put("get to a device buffer", () -> rank.memget(local, device));
        all.put("fetch and add", () -> rank.atomics().fetchAdd(host, 1));
        all.put("fence", rank::fence);
        all.put("progress", rank::progress);
        return all;
    }

    private void repeat(String name, Runnable operation) {
        long end = end();
        long bytes;
        int rounds = 0;
        do {
            bytes = round(operation);
            rounds++;
        } while (bytes > 0 && System.nanoTime() - end < 0);
        report(name, bytes, rounds);
    }

    private long round(Runnable operation) {
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < OPERATIONS; i++) {
            operation.run();
        }
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    /** Collective. Both ranks make the same number of rounds. */
    private void barriers(Rank rank) {
        long end = end();
        long bytes;
        int rounds = 0;
        do {
            bytes = rank.allReduce(round(rank::barrier), ReduceOp.MAX);
            rounds++;
        } while (bytes > 0 && rank.collectives().broadcast(System.nanoTime() - end, 0) < 0);
        if (rank.rank() == 0) {
            report("barrier", bytes, rounds);
        }
    }

    private long end() {
        return System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    }

    private void report(String name, long bytes, int rounds) {
        String found = String.format(Locale.ROOT, "%s: %.3f bytes each", name, (double) bytes / OPERATIONS);
        System.out.println("allocations: " + found + ", " + rounds + " rounds of " + OPERATIONS);
        if (bytes > 0) {
            failures.add(found);
        }
    }
}
