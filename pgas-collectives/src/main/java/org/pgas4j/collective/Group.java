package org.pgas4j.collective;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.pgas4j.MemoryKind;
import org.pgas4j.SharedPointer;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.space.memory.ControlArea;
import org.pgas4j.space.memory.Peers;
import org.pgas4j.space.sync.ScalarAllReduce;

/**
 * A team as one of its members takes part in its collective operations, which are done one after the other. Each member
 * writes into a line of its segment which shared memory it gives to an operation:
 *
 * <pre>
 *   0, 8     source and destination, even operations
 *   16, 24   the same, odd operations
 *   32, 40   addresses of the memory of the host and of the device through which private memory is copied, + 1; those of
 *            member 0 count
 *   48, 56   words that the member gives to the others in a step of an operation
 * </pre>
 *
 * A place is -1 for private memory, else twice the offset in the shared heap, + 1 for device memory. Two sets alternate: a
 * member can be one operation ahead of one that still reads, never two. Used by the rank's thread.
 */
public final class Group {

    static final long PRIVATE = -1;
    private static final int SET_BYTES = 2 * Long.BYTES;
    private static final int STAGE = 2 * SET_BYTES;
    private static final int STEP = STAGE + 2 * Long.BYTES;

    private final int index;
    private final int size;
    private final int[] members;
    private final Peers peers;
    private final ScalarAllReduce words;
    private final long exposed;
    private final ArrayDeque<CollectiveOperation> pending = new ArrayDeque<>();
    private final MemorySegment data = Arena.ofAuto().allocate(ControlArea.SLOT_BYTES, Long.BYTES);
    private final MemorySegment arrived = Arena.ofAuto().allocate(ControlArea.SLOT_BYTES, Long.BYTES);
    private long operations;
    private final long[] stages = {PRIVATE, PRIVATE}; // of each kind of memory
    private final List<SharedPointer> madeStages = new ArrayList<>(); // by this member
    private Boolean devicesReach;
    private boolean advancing;

    Group(int index, int size, int[] members, Peers peers, ScalarAllReduce words, long exposed) {
        this.index = index;
        this.size = size;
        this.members = members;
        this.peers = peers;
        this.words = words;
        this.exposed = exposed;
    }

    /** This rank's number in the team. */
    public int index() {
        return index;
    }

    /** Number of members. */
    public int size() {
        return size;
    }

    /** True if the team was made by a split: it has not all ranks in their order. */
    public boolean isPart() {
        return members != null;
    }

    /** Up to this total, data travels with the words of an exchange. */
    long smallBytes() {
        return isPart() ? ControlArea.TEAM_SLOT_BYTES : ControlArea.SLOT_BYTES;
    }

    /** Memory for small data of the operation that is on, {@link #smallBytes()} at least. */
    MemorySegment data() {
        return data;
    }

    /** The same for what has arrived of it. */
    MemorySegment arrived() {
        return arrived;
    }

    /** The member {@code distance} places after this one, around the team: members serve different ones at a time. */
    int after(int distance) {
        return (index + distance) % size;
    }

    /** Number of a member in the job. */
    public int world(int member) {
        return members == null ? member : members[member];
    }

    /**
     * Number of a rank in the team.
     *
     * @throws IllegalArgumentException if it is no member
     */
    int member(String call, int rank) {
        int member = members == null ? rank : size - 1;
        while (members != null && member >= 0 && members[member] != rank) {
            member--;
        }
        if (member < 0 || member >= size) {
            throw new IllegalArgumentException(call + " of rank " + world(index) + ": rank " + rank + " is not in the team of "
                    + size);
        }
        return member;
    }

    /** Numbers of the members in the job; null for all ranks. */
    int[] members() {
        return members;
    }

    /** Exchange of words between the members. */
    public ScalarAllReduce words() {
        return words;
    }

    ArrayDeque<CollectiveOperation> pending() {
        return pending;
    }

    /** Marks the group as being worked on; false if it is already. */
    boolean tryAdvance() {
        boolean mine = !advancing;
        advancing = true;
        return mine;
    }

    void endAdvance() {
        advancing = false;
    }

    // ---- places

    static long place(MemoryKind kind, long offset) {
        return offset << 1 | (kind == MemoryKind.DEVICE ? 1 : 0);
    }

    static MemoryKind kind(long place) {
        return (place & 1) != 0 ? MemoryKind.DEVICE : MemoryKind.HOST;
    }

    static long offset(long place) {
        return place >> 1;
    }

    /** Shows the memory of the next operation; returns the set it is in. */
    int expose(long source, long destination) {
        int set = (int) operations++ & 1;
        Endpoint own = peers.get(world(index)).endpoint();
        own.putWordRelease(exposed + (long) set * SET_BYTES, source);
        own.putWordRelease(exposed + (long) set * SET_BYTES + Long.BYTES, destination);
        return set;
    }

    long source(int member, int set) {
        return peers.get(world(member)).endpoint().getWordAcquire(exposed + (long) set * SET_BYTES);
    }

    long destination(int member, int set) {
        return peers.get(world(member)).endpoint().getWordAcquire(exposed + (long) set * SET_BYTES + Long.BYTES);
    }

    /** Shows two words, for a step of which the next operation has none before all have ended this one. */
    void showWords(long first, long second) {
        Endpoint own = peers.get(world(index)).endpoint();
        own.putWordRelease(exposed + STEP, first);
        own.putWordRelease(exposed + STEP + Long.BYTES, second);
    }

    /** The word of a member, 0 or 1, after an exchange. */
    long shownWord(int member, int number) {
        return peers.get(world(member)).endpoint().getWordAcquire(exposed + STEP + (long) number * Long.BYTES);
    }

    // ---- memory through which private memory is copied

    boolean hasStage(MemoryKind kind) {
        return stages[kind.ordinal()] != PRIVATE;
    }

    /** Offset in the shared heap of every member's host segment. */
    long stage() {
        return stages[MemoryKind.HOST.ordinal()];
    }

    /**
     * Bytes of it. Of the host: what is combined or sent, what was combined, and a table of an offset and a count for each
     * member. Of the device: two windows of what is combined, and two of what was.
     */
    long stageBytes(MemoryKind kind) {
        return kind == MemoryKind.DEVICE ? 4 * deviceWindow() : 2L * CollectiveLimits.STAGE_BYTES + tableBytes();
    }

    /** Bytes of a window of device memory: the four take a 16th of the shared heap at most, if that has room for one line each. */
    long deviceWindow() {
        long most = peers.get(world(index)).deviceBytes() / 64 / CollectiveLimits.PART_ALIGNMENT * CollectiveLimits.PART_ALIGNMENT;
        return Math.clamp(most, CollectiveLimits.PART_ALIGNMENT, CollectiveLimits.DEVICE_STAGE_BYTES);
    }

    private long tableBytes() {
        return 2L * Long.BYTES * size;
    }

    long stagedSource() {
        return place(MemoryKind.HOST, stage());
    }

    long stagedResult() {
        return place(MemoryKind.HOST, stage() + CollectiveLimits.STAGE_BYTES);
    }

    /** Place of a window of a source; those of even and odd numbers differ. */
    long deviceSource(int window) {
        return place(MemoryKind.DEVICE, stages[MemoryKind.DEVICE.ordinal()] + (window & 1) * deviceWindow());
    }

    /** The same for what was combined. */
    long deviceResult(int window) {
        return place(MemoryKind.DEVICE, stages[MemoryKind.DEVICE.ordinal()] + (2 + (window & 1)) * deviceWindow());
    }

    long table(int member) {
        return stage() + 2L * CollectiveLimits.STAGE_BYTES + 2L * Long.BYTES * member;
    }

    /** Member 0 shows what it has allocated; null if there is none. */
    void showStage(MemoryKind kind, SharedPointer made) {
        if (made != null) {
            madeStages.add(made);
        }
        peers.get(world(index)).endpoint().putWordRelease(shownStage(kind), made == null ? 0 : made.addrField() + 1);
    }

    private long shownStage(MemoryKind kind) {
        return exposed + STAGE + (long) kind.ordinal() * Long.BYTES;
    }

    /** Takes what this member has allocated, which is no longer the team's. */
    List<SharedPointer> takeStages() {
        List<SharedPointer> made = List.copyOf(madeStages);
        madeStages.clear();
        Arrays.fill(stages, PRIVATE);
        return made;
    }

    /** Takes it from member 0, after an exchange; false if there is none. */
    boolean learnStage(MemoryKind kind) {
        stages[kind.ordinal()] = peers.get(world(0)).endpoint().getWordAcquire(shownStage(kind)) - 1;
        return hasStage(kind);
    }

    // ---- devices

    Boolean devicesReach() {
        return devicesReach;
    }

    void devicesReach(boolean all) {
        devicesReach = all;
    }
}
