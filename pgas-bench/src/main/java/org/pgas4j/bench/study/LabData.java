package org.pgas4j.bench.study;

import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.bench.lab.LabPoint;
import org.pgas4j.bench.lab.RequestParts;
import org.pgas4j.bench.result.ClockCost;

/**
 * Memory that a point of the laboratory is about: the owner's, on its device, with a part for each requester or one word for all of
 * them, and the requester's own, on its device or page-locked on the host. It has known bytes, so that what arrives can be checked. Used by the rank's thread.
 */
final class LabData {

    private static final long SEED = 29;
    private static final int CLEARED = 0x44;

    private final Rank rank;
    private final boolean owns;
    private final String operation;
    private final int slot;
    private final int requesters;
    private final long bytes;
    private final SharedPointer memory;
    private final SharedPointer there;
    private final Buffer shared; // of the calling rank
    private final Buffer buffer;

    /**
     * Collective.
     *
     * @param owner rank whose memory is read and written
     * @param slot  number of the calling rank among the requesters; of no meaning on the owner
     */
    LabData(Rank rank, LabPoint point, int owner, int slot) {
        this.rank = rank;
        this.owns = rank.rank() == owner;
        this.operation = point.text(LabPoint.OPERATION);
        this.slot = slot;
        this.requesters = point.requesters();
        this.bytes = (long) point.number(LabPoint.BYTES);
        try (Scope _ = rank.onDevice()) {
            memory = rank.allAlloc(rank.ranks(), bytes * requesters);
        }
        there = memory.onRank(owner).cast(0, 1).plus(isAtomic() ? 0 : slot * bytes);
        buffer = point.text(LabPoint.LOCAL).equals(LabPoint.HOST) ? rank.device().allocPinned(ElementType.BYTE, bytes)
                : rank.device().alloc(ElementType.BYTE, bytes);
        shared = rank.memory().local(memory.onRank(rank.rank()), ElementType.BYTE, bytes * requesters);
        PatternBytes.clear(rank, shared, isAtomic() ? 0 : CLEARED);
        if (isGet()) {
            for (int i = 0; i < requesters; i++) {
                PatternBytes.write(rank, shared.slice(i * bytes, bytes), SEED + i);
            }
        } else {
            PatternBytes.write(rank, buffer, SEED + slot);
        }
    }

    private boolean isGet() {
        return operation.equals("get");
    }

    private boolean isAtomic() {
        return operation.equals("atomic");
    }

    /** Place of the calling requester in the owner's memory. */
    SharedPointer there() {
        return there;
    }

    /** The requester's own memory. */
    Buffer buffer() {
        return buffer;
    }

    /** The thread of the program that serves this point, begun on the owner; null if none does. Collective. */
    OwnThreadGets ownThread(LabPoint point, boolean gpu) {
        OwnThreadGets gets = point.text(LabPoint.HELPER).equals(LabPoint.OWN) ? new OwnThreadGets(rank, bytes) : null;
        rank.barrier();
        if (gets != null && owns) {
            gets.serve(gpu ? OwnThreadCopies.onCuda(bytes, SEED) : OwnThreadCopies.onHost(bytes, SEED), point.text(LabPoint.INJECT));
        }
        return gets;
    }

    /**
     * Collective: wrong bytes, of gets in one operation more, beside an owner that looks after its requests.
     *
     * @param added atomic additions of the calling rank
     * @param gets  serves this point; null for none
     */
    long wrong(long added, OwnThreadGets gets) {
        long wrong = 0;
        long sum = rank.allReduce(added, ReduceOp.SUM);
        if (!owns && isGet()) {
            PatternBytes.clear(rank, buffer, CLEARED);
            if (gets != null) {
                gets.get(buffer, new RequestParts(System::nanoTime, ClockCost.ns(), "none"));
            } else {
                rank.memget(buffer, there);
            }
            wrong = PatternBytes.wrong(rank, buffer, SEED + slot);
        } else if (rank.rank() == 0 && isAtomic()) {
            wrong = rank.atomics().get(there) == sum ? 0 : Long.BYTES;
        }
        rank.barrier();
        for (int i = 0; owns && !isGet() && !isAtomic() && i < requesters; i++) {
            wrong += PatternBytes.wrong(rank, shared.slice(i * bytes, bytes), SEED + i);
        }
        return rank.allReduce(wrong, ReduceOp.SUM);
    }

    /** Collective: gives the memory back. */
    void free() {
        buffer.close();
        rank.allFree(memory);
    }
}
