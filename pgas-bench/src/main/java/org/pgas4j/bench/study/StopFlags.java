package org.pgas4j.bench.study;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;

/**
 * Words in the owner's host segment, one for each requester, by which requesters end a part of a point. Both sides count the parts,
 * so that no word is ever reset. Used by the rank's thread.
 */
final class StopFlags {

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final long LINE = 128;

    private final Rank rank;
    private final int requesters;
    private final SharedPointer flags;
    private final SharedPointer there;
    private final MemorySegment here;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment word = arena.allocate(ValueLayout.JAVA_LONG);
    private long stops;

    /**
     * Collective.
     *
     * @param owner of the words
     * @param slot  number of the calling rank among the requesters; of no meaning on the owner
     */
    StopFlags(Rank rank, int owner, int requesters, int slot) {
        this.rank = rank;
        this.requesters = requesters;
        try (Scope _ = rank.offDevice()) {
            flags = rank.allAlloc(rank.ranks(), LINE * requesters);
        }
        here = rank.local(flags.onRank(rank.rank()));
        here.asSlice(0, LINE * requesters).fill((byte) 0);
        there = flags.onRank(owner).cast(0, 1).plus(LINE * slot);
        rank.barrier();
    }

    /** Ends a part, on a requester; complete at the owner when it returns. */
    void stop() {
        word.set(ValueLayout.JAVA_LONG, 0, ++stops);
        rank.memput(there, word, Long.BYTES);
        rank.fence();
    }

    /** Begins a part, on the owner. */
    void begin() {
        stops++;
    }

    /** True if all requesters have ended the part that the owner began last. */
    boolean haveAllStopped() {
        for (int i = 0; i < requesters; i++) {
            if ((long) WORD.getAcquire(here, LINE * i) < stops) { // pairs with the put of stop
                return false;
            }
        }
        return true;
    }

    /** Collective: gives the words back. */
    void free() {
        arena.close();
        rank.allFree(flags);
    }
}
