package org.pgas4j.collective;

import java.util.Arrays;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceMemory;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.ReduceOp;
import org.pgas4j.device.AcceleratorStream;

/**
 * Queues a team's collective operations on streams. Memory is at the same place on all members, so that nothing has to be
 * told: each step is work that reads the others' memory, or writes this rank's, and between steps the streams meet by words
 * of host segments. A meeting sets one word at each other member and takes one of each. There are {@value #SETS} sets of
 * words, so that neighbouring meetings have different ones; a member passes a meeting after all have come to it, which they
 * do after they have taken the words of the one before. Nothing depends on how often it was done: a graph may hold it.
 * Used by the rank's thread.
 */
public final class QueuedCollectives {

    /** Operations that a stream does by itself. */
    public interface Queue {

        /** The stream. */
        AcceleratorStream stream();

        /** Sets the word at {@code offset} of the host segment of rank {@code target}. */
        void setWord(int target, long offset);

        /** Makes later work wait until the word at {@code offset} of the own host segment is set, and takes it. */
        void takeWord(long offset);
    }

    static final int SETS = 3;

    private final CollectiveForms forms;
    private final Group group;
    private final MemberAccess access;
    private final DeviceScratch scratch;
    private final long words;

    QueuedCollectives(CollectiveForms forms, Group group, MemberAccess access, long words) {
        this.forms = forms;
        this.group = group;
        this.access = access;
        this.words = words;
        this.scratch = new DeviceScratch(access.accelerator());
        long start = access.self().heapStart() + words;
        access.self().endpoint().mapped().asSlice(start, wordBytes(group)).fill((byte) 0);
    }

    /** Bytes of every member's host heap for the words. */
    static long wordBytes(Group group) {
        return (long) SETS * group.size() * Long.BYTES;
    }

    private void meet(Queue queue, int set) {
        for (int i = 1; i < group.size(); i++) {
            int member = group.after(i);
            queue.setWord(group.world(member), word(group.world(member), set, group.index()));
        }
        for (int i = 1; i < group.size(); i++) {
            queue.takeWord(word(group.world(group.index()), set, group.after(i)));
        }
    }

    private long word(int rank, int set, int from) {
        return access.start(rank, Group.place(MemoryKind.HOST, words)) + ((long) set * group.size() + from) * Long.BYTES;
    }

    private GivenMemory shared(String call, Buffer buffer) {
        GivenMemory memory = forms.given(call, buffer);
        if (!memory.isShared() || buffer.bytes() > 0 && memory.device() == null) {
            throw new IllegalArgumentException(call + " on a stream of rank " + group.world(group.index()) + ": " + buffer
                    + " (expected: shared memory of the device, at the same place on all members)");
        }
        return memory;
    }

    /** Meets twice: with one meeting neighbouring barriers would have the same words. */
    public void barrier(Queue queue) {
        meet(queue, 0);
        meet(queue, 1);
    }

    /** See {@link org.pgas4j.StreamCollectives#broadcast}. */
    public void broadcast(Queue queue, Buffer buffer, int root) {
        forms.root("broadcast", root);
        GivenMemory memory = shared("broadcast", buffer);
        meet(queue, 0);
        if (group.index() != root) {
            pull(queue, memory, 0, root, memory, 0, memory.bytes());
        }
        meet(queue, 1);
    }

    /** See {@link org.pgas4j.StreamCollectives#allGather}. */
    public void allGather(Queue queue, Buffer dst, Buffer src) {
        forms.requireParts("allGather", dst, src);
        GivenMemory to = shared("allGather", dst);
        GivenMemory from = shared("allGather", src);
        long part = from.bytes();
        forms.requireApart("allGather", from, to, group.index() * part);
        boolean inPlace = from.overlaps(to);
        meet(queue, 0);
        for (int i = inPlace ? 1 : 0; i < group.size(); i++) {
            int member = group.after(i);
            pull(queue, to, member * part, member, inPlace ? to : from, inPlace ? member * part : 0, part);
        }
        meet(queue, 1);
    }

    /** See {@link org.pgas4j.StreamCollectives#exchange}. */
    public void exchange(Queue queue, Buffer dst, Buffer src) {
        forms.requireAlike("exchange", dst, src);
        forms.requireEqualParts("exchange", src);
        GivenMemory to = shared("exchange", dst);
        GivenMemory from = shared("exchange", src);
        forms.requireDisjoint("exchange", to, from);
        long part = from.bytes() / group.size();
        meet(queue, 0);
        for (int i = 0; i < group.size(); i++) {
            int member = group.after(i);
            pull(queue, to, member * part, member, from, group.index() * part, part);
        }
        meet(queue, 1);
    }

    /** Copies from a member; its memory is where that of this rank is. */
    private void pull(Queue queue, GivenMemory to, long at, int member, GivenMemory from, long offset, long bytes) {
        if (bytes > 0) {
            int world = group.world(member);
            queue.stream().copy(to.device(), to.start() + at, access.device(world),
                    access.deviceStart(world, from.place()) + offset, bytes);
        }
    }

    /** See {@link org.pgas4j.StreamCollectives#allReduce}. */
    public void allReduce(Queue queue, Buffer dst, Buffer src, ReduceOp op) {
        forms.requireAlike("allReduce", dst, src);
        forms.require("allReduce", op, src.type());
        GivenMemory to = shared("allReduce", dst);
        GivenMemory from = shared("allReduce", src);
        forms.requireApart("allReduce", to, from, 0);
        meet(queue, 0);
        if (group.size() <= 2 && !to.overlaps(from)) {
            combine(queue, src.type(), op, from, 0, from.bytes(), to, 0);
            meet(queue, 1);
            return;
        }
        long begin = start(src, group.index());
        combine(queue, src.type(), op, from, begin, start(src, group.index() + 1) - begin, to, begin);
        meet(queue, 1);
        for (int i = 1; i < group.size(); i++) {
            int member = group.after(i);
            long at = start(src, member);
            pull(queue, to, at, member, to, at, start(src, member + 1) - at);
        }
        meet(queue, 2);
    }

    private long start(Buffer vector, int part) {
        return CollectiveOperation.partStart(vector.type(), vector.bytes(), part, group.size());
    }

    /** See {@link org.pgas4j.StreamCollectives#reduceScatter}. */
    public void reduceScatter(Queue queue, Buffer dst, Buffer src, ReduceOp op) {
        forms.requireParts("reduceScatter", src, dst);
        forms.require("reduceScatter", op, src.type());
        GivenMemory to = shared("reduceScatter", dst);
        GivenMemory from = shared("reduceScatter", src);
        forms.requireApart("reduceScatter", to, from, group.index() * to.bytes());
        meet(queue, 0);
        combine(queue, src.type(), op, from, group.index() * to.bytes(), to.bytes(), to, 0);
        meet(queue, 1);
    }

    private void combine(Queue queue, ElementType type, ReduceOp op, GivenMemory from, long begin, long bytes, GivenMemory to,
                         long at) {
        if (bytes > 0) {
            long[] places = new long[group.size()];
            Arrays.fill(places, from.place());
            DeviceMemory memory = to.device();
            new DeviceCombiner(access, queue.stream(), scratch, group, type, op, places)
                    .combine(begin, bytes, memory, to.start() + at);
        }
    }

    /** Frees memory for combining; all that was queued is complete. */
    public void close() {
        scratch.close();
    }
}
