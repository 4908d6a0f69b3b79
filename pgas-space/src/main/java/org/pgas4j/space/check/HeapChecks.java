package org.pgas4j.space.check;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Lease;
import org.pgas4j.MemoryKind;
import org.pgas4j.SharedPointer;
import org.pgas4j.space.heap.SharedHeap;

/**
 * Checks of one rank beside allocating and freeing. This class does the little that happens without {@code pgas.check=full}:
 * memory that was freed is given out again, and nothing else. Used by the rank's thread.
 */
public class HeapChecks {

    private final SharedHeap heap;

    public HeapChecks(SharedHeap heap) {
        this.heap = heap;
    }

    SharedHeap heap() {
        return heap;
    }

    /**
     * After an allocation.
     *
     * @param together all ranks made it and each calls this
     */
    public void allocated(Lease lease, boolean together) {
        // nothing to guard
    }

    /**
     * After an allocation that did not fit. Collective, if the allocation was.
     *
     * @param meet lets all ranks meet; null if the allocation was this rank's alone
     * @return true if there is more room now
     */
    public boolean makeRoom(MemoryKind kind, long bytes, Runnable meet) {
        return false;
    }

    /** Before this rank frees. */
    public void freeing(SharedPointer pointer) {
        // nothing to look at
    }

    /** Before all ranks free; all have come to do so before {@link #freedTogether}. */
    public void freeingTogether(SharedPointer pointer) {
        // nothing to look at
    }

    /** After this rank has ended an allocation, between two meetings of all ranks if {@code together}. */
    public void ended(SharedHeap.Freed freed, boolean together) {
        heap.release(freed);
    }

    /** After all ranks have ended an allocation: on each rank. */
    public void freedTogether() {
        // nothing to keep
    }

    /** Before this rank ends. */
    public void atEnd() {
        // nothing to look at
    }

    /**
     * Memory of this rank as its program gets it.
     *
     * @param lease  of its allocation
     * @param memory from a place in it to its end
     */
    public MemorySegment view(Lease lease, MemorySegment memory) {
        return memory;
    }
}
