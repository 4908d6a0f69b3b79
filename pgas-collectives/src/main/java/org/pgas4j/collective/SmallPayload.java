package org.pgas4j.collective;

import java.lang.foreign.MemorySegment;
import org.pgas4j.ElementType;
import org.pgas4j.Reduction;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.space.sync.ScalarAllReduce;

/**
 * Data of a small operation that travels with the words of its first exchange: up the tree, where it is combined or laid side
 * by side, and down again. It is in memory of the group, which the operation has from its begin to its end. Used by the rank's
 * thread.
 */
final class SmallPayload implements ScalarAllReduce.Payload {

    /** Start of the bytes of a member in the whole; those of a run of members are contiguous. */
    @FunctionalInterface
    interface Start {
        long of(int member);
    }

    private static final int EVERYBODY = -1;

    private final MemorySegment data;
    private final long bytes;
    private final Start start;
    private final int only;
    private final int index;
    private final ElementType type;
    private final Reduction op;
    private final Accumulators accumulators;
    private final MemorySegment arrived;

    private SmallPayload(Group group, long bytes, Start start, int only, ElementType type, Reduction op,
                         Accumulators accumulators) {
        this.index = group.index();
        this.data = group.data();
        this.bytes = bytes;
        this.start = start;
        this.only = only;
        this.type = type;
        this.op = op;
        this.accumulators = accumulators;
        this.arrived = group.arrived();
    }

    /** Elements of all members combined, for all of them or one. */
    static SmallPayload combined(Group group, long bytes, ElementType type, Reduction op, Integer only,
                                 Accumulators accumulators) {
        return new SmallPayload(group, bytes, null, only == null ? EVERYBODY : only, type, op, accumulators);
    }

    /** Data of all members side by side, for all of them or one. */
    static SmallPayload sideBySide(Group group, long bytes, Start start, Integer only) {
        return new SmallPayload(group, bytes, start, only == null ? EVERYBODY : only, null, null, null);
    }

    /** The data: what this member has at first, the result for it in the end. */
    MemorySegment data() {
        return data;
    }

    /** Start of the bytes of a member in the data. */
    long startOf(int member) {
        return op != null ? 0 : start.of(member);
    }

    private long length(int first, int end) {
        return op != null ? bytes : start.of(end) - start.of(first);
    }

    private boolean wants(int first, int end) {
        return only == EVERYBODY || only >= first && only < end;
    }

    @Override
    public void sendUp(Endpoint to, long slot, int first, int end) {
        to.put(slot, data, startOf(first), length(first, end));
    }

    @Override
    public void receiveUp(Endpoint own, long slot, int first, int end) {
        if (op == null) {
            own.get(data, startOf(first), slot, length(first, end));
            return;
        }
        own.get(arrived, 0, slot, bytes);
        int count = (int) (bytes / type.bytes());
        boolean isBefore = first < index;
        accumulators.load(0, isBefore ? arrived : data, 0, count);
        accumulators.load(1, isBefore ? data : arrived, 0, count);
        accumulators.combine(0, 1, count, op);
        accumulators.store(0, data, 0, count);
    }

    @Override
    public void sendDown(Endpoint to, long slot, int first, int end) {
        if (wants(first, end)) {
            to.put(slot, data, 0, bytes);
        }
    }

    @Override
    public void receiveDown(Endpoint own, long slot, int first, int end) {
        if (wants(first, end)) {
            own.get(data, 0, slot, bytes);
        }
    }
}
