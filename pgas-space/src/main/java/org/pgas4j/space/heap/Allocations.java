package org.pgas4j.space.heap;

import java.security.SecureRandom;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.pgas4j.Lease;
import org.pgas4j.MemoryKind;

/**
 * The living allocations whose owner is this JVM: those of its ranks, and on process 0 the global ones. Knows which JVMs hold
 * a lease of each, so that a free can end them all. Thread-safe.
 */
final class Allocations {

    private static final long GLOBAL = 1L << 62;
    private static final int PROCESS_SHIFT = 42;
    private static final long COUNTER_MASK = (1L << PROCESS_SHIFT) - 1;
    private static final long[] NONE = {0};

    private record Allocation(Places.Place place, long bytes, long generation, boolean everywhere, BitSet holders) {
    }

    private final int process;
    private final int processes;
    private final Map<Long, Allocation> living = new HashMap<>();
    private final Places<Allocation> places = new Places<>(Allocation::bytes);
    // Where it begins differs from job to job, so that pointers of another job are refused.
    private long counter = new SecureRandom().nextLong() & COUNTER_MASK >>> 1;

    Allocations(int process, int processes) {
        this.process = process;
        this.processes = processes;
    }

    /** True if process 0 owns the allocation, false if the process of its rank does. */
    static boolean isGlobal(long generation) {
        return (generation & GLOBAL) != 0;
    }

    /**
     * The low bits of a generation, as many as {@code bits}, below a bit that is 1: what words hold of it.
     *
     * @param bits 0..62
     */
    static long tag(long generation, int bits) {
        long end = 1L << bits;
        return end | generation & end - 1;
    }

    /** True if a generation has the low bits of a tag. */
    static boolean hasTag(long generation, long tag) {
        return ((generation ^ tag) & Long.highestOneBit(tag) - 1) == 0;
    }

    /**
     * A new allocation; returns its generation.
     *
     * @param rank       or {@link Lease#EVERY_RANK}
     * @param holder     the process that gets its pointer
     * @param everywhere all processes get it
     */
    synchronized long add(MemoryKind kind, int rank, long start, long bytes, int holder, boolean everywhere) {
        long generation = (rank == Lease.EVERY_RANK ? GLOBAL : 0) | (long) process << PROCESS_SHIFT
                | ++counter & COUNTER_MASK;
        BitSet holders = new BitSet();
        holders.set(holder);
        Allocation made = new Allocation(new Places.Place(kind, rank, start), bytes, generation, everywhere, holders);
        living.put(generation, made);
        places.put(made.place, made);
        return generation;
    }

    /** Start and bytes of a living allocation, for process {@code holder}, which keeps them; one word if there is none. */
    synchronized long[] find(MemoryKind kind, int rank, long generation, int holder) {
        Allocation found = living.get(generation);
        if (found == null || found.place.kind() != kind || found.place.rank() != rank) {
            return NONE;
        }
        found.holders.set(holder);
        return new long[] {found.place.start(), found.bytes};
    }

    /**
     * Start, bytes and generation of the living allocation that an address is in or the end of, for process {@code holder}, which
     * keeps them; one word if there is none with that tag.
     */
    synchronized long[] at(MemoryKind kind, int rank, long address, long tag, int holder) {
        Allocation found = places.at(kind, rank, address, each -> hasTag(each.generation, tag));
        if (found == null) {
            return NONE;
        }
        found.holders.set(holder);
        return new long[] {found.place.start(), found.bytes, found.generation};
    }

    /**
     * First half of a free: nobody finds the allocation from now on.
     *
     * @param generation or 0 for whatever lives at {@code start}
     * @return its generation and the processes that hold a lease; one word if there is no such allocation
     */
    synchronized long[] end(MemoryKind kind, int rank, long start, long generation) {
        Allocation found = places.get(new Places.Place(kind, rank, start));
        if (found == null || generation != 0 && found.generation != generation) {
            return NONE;
        }
        places.remove(found.place, found);
        living.remove(found.generation);
        if (found.everywhere) {
            found.holders.set(0, processes);
        }
        long[] answer = new long[1 + found.holders.cardinality()];
        answer[0] = found.generation;
        int at = 1;
        for (int holder = found.holders.nextSetBit(0); holder >= 0; holder = found.holders.nextSetBit(holder + 1)) {
            answer[at++] = holder;
        }
        return answer;
    }
}
