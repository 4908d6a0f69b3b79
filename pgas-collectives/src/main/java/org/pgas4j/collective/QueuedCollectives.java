package org.pgas4j.collective;

import java.util.Arrays;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceMemory;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.ReduceOp;
import org.pgas4j.StreamForm;
import org.pgas4j.collective.forms.StreamCall;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.space.sync.HappensBefore;
import org.pgas4j.space.sync.StreamMeeting;

/**
 * Queues a team's collective operations on streams. Memory is at the same place on all members, so that nothing has to be
 * told. Small and middle sizes are one kernel that meets those of the other members ({@link TeamKernels}). Else each step is work
 * that reads or writes the others' memory, and between steps the streams meet by a kernel, or by words of host segments: a meeting
 * sets one word at each other member and takes one of each. There are {@value #SETS} sets of words, so that neighbouring meetings
 * have different ones; a member passes a meeting after all have come to it, which they do after they have taken the words of the
 * one before. Nothing depends on how often it was done: a graph may hold it.
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

        /** Has kernels on the stream that wait for other members; {@code stop} ends their waits. */
        void waitsUntil(Runnable stop);

        /** Has an operation that orders the members, for the checks. */
        void meets(Meetings meetings);

        /** Has a call, which it writes down when it queues it; see {@link CallJournal#add}. */
        void calls(CallJournal journal, long word, long count);
    }

    /** Operations of a team as the checks count them: each is a meeting of the members. Used by the rank's thread. */
    public static final class Meetings {

        private final long place;
        private final int[] members;
        private long number;

        private Meetings(long place, int[] members) {
            this.place = place;
            this.members = members;
        }

        /** The rank comes to the next one. */
        public StreamMeeting next(HappensBefore ordering) {
            return StreamMeeting.arrive(ordering, place, members, ++number);
        }
    }

    static final int SETS = 2;

    private final CollectiveForms forms;
    private final Group group;
    private final MemberAccess access;
    private final DeviceScratch scratch;
    private final long words;
    private final StreamForms choice;
    private final DeviceArea area; // null if members meet by words
    private final TeamKernels kernels;
    private final Meetings meetings;
    private final CallJournal journal;
    private final Runnable stop = this::stop;
    private boolean stopped;

    /**
     * @param area         null if members meet by words
     * @param directBlocks most blocks of a kernel that reads the members' memory
     * @param limitNs      of one wait of a kernel
     */
    QueuedCollectives(CollectiveForms forms, Group group, MemberAccess access, long words, StreamForms choice, DeviceArea area,
                      int directBlocks, long limitNs) {
        this.forms = forms;
        this.group = group;
        this.access = access;
        this.words = words;
        this.choice = choice;
        this.area = area;
        this.kernels = area == null ? null : new TeamKernels(access, group, area, directBlocks, limitNs);
        this.scratch = new DeviceScratch(access.accelerator());
        long start = access.self().heapStart() + words;
        this.meetings = new Meetings(start, group.members());
        access.self().endpoint().mapped().asSlice(start, wordBytes(group)).fill((byte) 0);
        this.journal = new CallJournal(group, member -> access.endpoint(group.world(member)),
                member -> access.start(group.world(member), Group.place(MemoryKind.HOST, words)) + wordBytes(group));
        if (area != null) {
            area.clear();
        }
    }

    /** Bytes of every member's host heap for the words and the journal. */
    static long hostBytes(Group group) {
        return wordBytes(group) + CallJournal.BYTES;
    }

    private static long wordBytes(Group group) {
        return (long) SETS * group.size() * Long.BYTES;
    }

    private void stop() {
        stopped = true;
        area.stop();
    }

    /** The stream, for kernels that wait for other members. */
    private AcceleratorStream waiting(Queue queue) {
        if (stopped) {
            throw new IllegalStateException("collective operations of rank " + group.world(group.index())
                    + " on streams were stopped: a stream was closed before they had ended");
        }
        queue.waitsUntil(stop);
        return queue.stream();
    }

    private void begin(Queue queue, QueuedCall call, Buffer buffer, ReduceOp op, int root) {
        queue.calls(journal, call.word(buffer.type(), op, root), buffer.length());
        queue.meets(meetings);
    }

    private StreamForm form(StreamCall call, long bytes) {
        return area == null || bytes == 0 ? StreamForm.COPIES : choice.form(call, bytes);
    }

    private void meet(Queue queue, int set) {
        if (area != null) {
            kernels.meet(waiting(queue));
            return;
        }
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

    /** Meets twice if by words: with one meeting neighbouring barriers would have the same words. */
    public void barrier(Queue queue) {
        queue.calls(journal, QueuedCall.BARRIER.word(null, null, -1), 0);
        queue.meets(meetings);
        meet(queue, 0);
        if (area == null) {
            meet(queue, 1);
        }
    }

    /** See {@link org.pgas4j.StreamCollectives#broadcast}. */
    public void broadcast(Queue queue, Buffer buffer, int root) {
        forms.root("broadcast", root);
        GivenMemory memory = shared("broadcast", buffer);
        begin(queue, QueuedCall.BROADCAST, buffer, null, root);
        switch (form(StreamCall.BROADCAST, memory.bytes())) {
            case PACKETS -> kernels.broadcastPackets(waiting(queue), buffer, root);
            case PACKETS_TWO_SHOT -> kernels.broadcastPacketsInParts(waiting(queue), buffer, root);
            case DIRECT -> kernels.broadcastDirect(waiting(queue), buffer.type(), memory.place(), memory.bytes(), root);
            default -> broadcastByCopies(queue, memory, root);
        }
    }

    private void broadcastByCopies(Queue queue, GivenMemory memory, int root) {
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
        begin(queue, QueuedCall.ALL_GATHER, src, null, -1);
        switch (form(StreamCall.ALL_GATHER, part)) {
            case PACKETS, PACKETS_TWO_SHOT -> kernels.movePackets(waiting(queue), dst, src, src.length(), 0);
            case DIRECT -> kernels.moveDirect(waiting(queue), dst, inPlace ? to.place() : from.place(), 0, inPlace ? part : 0,
                    part);
            default -> gatherByCopies(queue, to, from, part, inPlace);
        }
    }

    private void gatherByCopies(Queue queue, GivenMemory to, GivenMemory from, long part, boolean inPlace) {
        meet(queue, 0);
        for (int i = inPlace ? 1 : 0; i < group.size(); i++) {
            push(queue, to, group.index() * part, group.after(i), from, 0, part);
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
        begin(queue, QueuedCall.EXCHANGE, src, null, -1);
        long part = from.bytes() / group.size();
        switch (form(StreamCall.EXCHANGE, part)) {
            case PACKETS, PACKETS_TWO_SHOT -> {
                long count = src.length() / group.size();
                kernels.movePackets(waiting(queue), dst, src, count, count);
            }
            case DIRECT -> kernels.moveDirect(waiting(queue), dst, from.place(), group.index() * part, 0, part);
            default -> exchangeByCopies(queue, to, from, part);
        }
    }

    private void exchangeByCopies(Queue queue, GivenMemory to, GivenMemory from, long part) {
        meet(queue, 0);
        for (int i = 0; i < group.size(); i++) {
            int member = group.after(i);
            push(queue, to, group.index() * part, member, from, member * part, part);
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

    /** Copies to a member, whose memory is where that of this rank is: a link carries more of writes than of reads. */
    private void push(Queue queue, GivenMemory to, long at, int member, GivenMemory from, long offset, long bytes) {
        if (bytes > 0) {
            int world = group.world(member);
            queue.stream().copy(access.device(world), access.deviceStart(world, to.place()) + at, from.device(),
                    from.start() + offset, bytes);
        }
    }

    /** See {@link org.pgas4j.StreamCollectives#allReduce}. */
    public void allReduce(Queue queue, Buffer dst, Buffer src, ReduceOp op) {
        forms.requireAlike("allReduce", dst, src);
        forms.require("allReduce", op, src.type());
        GivenMemory to = shared("allReduce", dst);
        GivenMemory from = shared("allReduce", src);
        forms.requireApart("allReduce", to, from, 0);
        begin(queue, QueuedCall.ALL_REDUCE, src, op, -1);
        switch (form(StreamCall.ALL_REDUCE, from.bytes())) {
            case PACKETS -> kernels.combinePackets(waiting(queue), op, dst, src, 0);
            case PACKETS_TWO_SHOT -> kernels.combinePacketsInParts(waiting(queue), op, dst, src);
            case DIRECT -> reduceDirectly(queue, src, op, from, to);
            default -> reduceByCopies(queue, src, op, from, to);
        }
    }

    private void reduceDirectly(Queue queue, Buffer src, ReduceOp op, GivenMemory from, GivenMemory to) {
        if (group.size() == 2 && !to.overlaps(from) && from.bytes() <= CollectiveLimits.EACH_ALL_BYTES) {
            kernels.combineDirect(waiting(queue), src.type(), op, from.place(), 0, from.bytes(), from.bytes(), to.place(), false);
            return;
        }
        if (kernels.pushes(from.place(), to.place(), from.bytes())) {
            kernels.combinePushed(waiting(queue), src.type(), op, from.place(), from.bytes(), start(src, 1), to.place());
            return;
        }
        long begin = start(src, group.index());
        kernels.combineDirect(waiting(queue), src.type(), op, from.place(), begin, start(src, group.index() + 1) - begin,
                from.bytes(), to.place(), true);
    }

    private void reduceByCopies(Queue queue, Buffer src, ReduceOp op, GivenMemory from, GivenMemory to) {
        meet(queue, 0);
        if (group.size() <= 2 && !to.overlaps(from)) {
            combine(queue, src.type(), op, from, 0, from.bytes(), to, 0);
            meet(queue, 1);
            return;
        }
        long begin = start(src, group.index());
        combine(queue, src.type(), op, from, begin, start(src, group.index() + 1) - begin, to, begin);
        for (int i = 1; i < group.size(); i++) { // in place, too: nobody else reads the others' vectors there
            push(queue, to, begin, group.after(i), to, begin, start(src, group.index() + 1) - begin);
        }
        meet(queue, 1);
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
        begin(queue, QueuedCall.REDUCE_SCATTER, dst, op, -1);
        switch (form(StreamCall.REDUCE_SCATTER, to.bytes())) {
            case PACKETS, PACKETS_TWO_SHOT -> kernels.combinePackets(waiting(queue), op, dst, src, dst.length());
            case DIRECT -> kernels.combineDirect(waiting(queue), src.type(), op, from.place(), group.index() * to.bytes(),
                    to.bytes(), to.bytes(), to.place(), false);
            default -> {
                meet(queue, 0);
                combine(queue, src.type(), op, from, group.index() * to.bytes(), to.bytes(), to, 0);
                meet(queue, 1);
            }
        }
    }

    /** See {@link org.pgas4j.StreamCollectives#scatter}. */
    public void scatter(Queue queue, Buffer dst, Buffer src, int root) {
        forms.root("scatter", root);
        forms.requireParts("scatter", src, dst);
        GivenMemory to = shared("scatter", dst);
        GivenMemory from = shared("scatter", src);
        long part = to.bytes();
        forms.requireApart("scatter", to, from, root * part);
        begin(queue, QueuedCall.SCATTER, dst, null, root);
        meet(queue, 0);
        if (group.index() != root || !to.overlaps(from)) {
            pull(queue, to, 0, root, from, group.index() * part, part);
        }
        meet(queue, 1);
    }

    /** See {@link org.pgas4j.StreamCollectives#gather}; all members write to the root at once. */
    public void gather(Queue queue, Buffer dst, Buffer src, int root) {
        forms.root("gather", root);
        forms.requireParts("gather", dst, src);
        GivenMemory to = shared("gather", dst);
        GivenMemory from = shared("gather", src);
        long part = from.bytes();
        forms.requireApart("gather", from, to, group.index() * part);
        begin(queue, QueuedCall.GATHER, src, null, root);
        meet(queue, 0);
        if (group.index() != root || !from.overlaps(to)) {
            push(queue, to, group.index() * part, root, from, 0, part);
        }
        meet(queue, 1);
    }

    /** See {@link org.pgas4j.StreamCollectives#reduce}; each member combines a part and writes it to the root. */
    public void reduce(Queue queue, Buffer dst, Buffer src, ReduceOp op, int root) {
        forms.root("reduce", root);
        forms.requireAlike("reduce", dst, src);
        forms.require("reduce", op, src.type());
        GivenMemory to = shared("reduce", dst);
        GivenMemory from = shared("reduce", src);
        forms.requireApart("reduce", to, from, 0);
        begin(queue, QueuedCall.REDUCE, src, op, root);
        int world = group.world(root);
        long begin = start(src, group.index());
        meet(queue, 0);
        combine(queue, src.type(), op, from, begin, start(src, group.index() + 1) - begin, access.device(world),
                access.deviceStart(world, to.place()) + begin);
        meet(queue, 1);
    }

    /** See {@link org.pgas4j.StreamCollectives#scan}; each member combines a part and writes the results to all. */
    public void scan(Queue queue, Buffer dst, Buffer src, ReduceOp op) {
        forms.requireAlike("scan", dst, src);
        forms.require("scan", op, src.type());
        GivenMemory to = shared("scan", dst);
        GivenMemory from = shared("scan", src);
        forms.requireApart("scan", to, from, 0);
        begin(queue, QueuedCall.SCAN, src, op, -1);
        long begin = start(src, group.index());
        long bytes = start(src, group.index() + 1) - begin;
        meet(queue, 0);
        if (bytes > 0) {
            combiner(queue, src.type(), op, from).scan(begin, bytes, places(to));
        }
        meet(queue, 1);
    }

    private void combine(Queue queue, ElementType type, ReduceOp op, GivenMemory from, long begin, long bytes, GivenMemory to,
                         long at) {
        combine(queue, type, op, from, begin, bytes, to.device(), to.start() + at);
    }

    /** @param to memory of this member or of another */
    private void combine(Queue queue, ElementType type, ReduceOp op, GivenMemory from, long begin, long bytes, DeviceMemory to,
                         long at) {
        if (bytes > 0) {
            combiner(queue, type, op, from).combine(begin, bytes, to, at);
        }
    }

    private DeviceCombiner combiner(Queue queue, ElementType type, ReduceOp op, GivenMemory from) {
        return new DeviceCombiner(access, queue.stream(), scratch, group, Combination.of(type, op), places(from));
    }

    /** The same place on each member. */
    private long[] places(GivenMemory memory) {
        long[] places = new long[group.size()];
        Arrays.fill(places, memory.place());
        return places;
    }

    /** The forms that operations take, as text. */
    public String explain() {
        return choice.describe();
    }

    /** See {@link CallJournal#compare}. */
    public void compare() {
        journal.compare();
    }

    /** Frees memory for combining; all that was queued is complete. */
    public void close() {
        journal.close();
        scratch.close();
    }
}
