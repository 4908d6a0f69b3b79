package org.pgas4j.collective;

import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.Sync;
import org.pgas4j.space.sync.Call;
import org.pgas4j.space.sync.ScalarAllReduce;

/**
 * One rank's part in a collective operation: steps of work, which never wait for other members' steps, and an exchange of
 * words before each, in which all members meet. The first exchange compares the calls and combines what members say about
 * their memory. Used by the rank's thread.
 */
public abstract class CollectiveOperation {

    /** A member's source is private. */
    static final long SOURCE_PRIVATE = 1;
    /** A member's destination is private. */
    static final long DESTINATION_PRIVATE = 1 << 1;
    /** A member's source and destination have bytes in common. */
    static final long IN_PLACE = 1 << 2;
    /** A member's device cannot do the work. */
    static final long NOT_BY_DEVICE = 1 << 3;

    private static final int COMBINED = 2; // words behind those that must be the same
    private static final long[] NO_WORDS = {};

    private enum State { QUEUED, MEETING, STAGE_SHOWN, WORKING, DONE }

    final Group group;
    final MemberAccess access;
    private final String name;
    private final Supplier<String> details;
    private final long[] same;
    private final Sync sync;
    private List<Runnable> checks = List.of();
    private State state = State.QUEUED;
    private boolean isStarted;
    private long[] words;
    private int step;
    private boolean last;
    private RuntimeException failure;
    long flags;
    long largest;
    int set;

    /**
     * @param details what {@code same} stands for, as messages show it
     * @param same    must be the same on all members, 9 words at most
     */
    CollectiveOperation(Group group, MemberAccess access, Sync sync, String name, Supplier<String> details, long... same) {
        this.group = group;
        this.access = access;
        this.name = name;
        this.details = details;
        this.same = same;
        this.sync = sync;
    }

    /**
     * Prepares the exchange at the begin: sets {@link #flags} and {@link #largest}, and returns what travels with it or
     * null.
     */
    abstract ScalarAllReduce.Payload begin();

    /** Kind of the shared heap through which private memory has to be copied, with the flags of all members; null for none. */
    MemoryKind stageKind() {
        return null;
    }

    /**
     * Does a step of the work; what it starts on devices and by transfers is completed before the next exchange.
     *
     * @param number of the step, from 0; as many exchanges have been
     * @return true if no step follows
     */
    abstract boolean work(int number);

    /** Looks at what a step has done when it is complete at this member; throws if that has failed. */
    void settled() {
    }

    /**
     * Words that travel with the exchange after a step, in which they are {@linkplain #combineWords combined}.
     *
     * @param number of the step
     */
    long[] wordsAfter(int number) {
        return NO_WORDS;
    }

    /** Combines words of later members into those of earlier ones. */
    boolean combineWords(long[] into, long[] from) {
        return true;
    }

    /** Sets what is to be checked when the calls of all members are known to be the same. */
    CollectiveOperation checks(List<Runnable> all) {
        checks = all;
        return this;
    }

    /** True if nothing speaks against using the memory. */
    final boolean isAllowed() {
        try {
            checks.forEach(Runnable::run);
            return true;
        } catch (RuntimeException e) {
            return false; // thrown after the first exchange
        }
    }

    /** True if the last step needs no exchange after it. */
    boolean endsItself() {
        return sync.out() == Sync.Mode.NO;
    }

    /** True if a member may return when its own destination is complete and its source was read. */
    final boolean endsAlone() {
        return sync.out() != Sync.Mode.ALL;
    }

    /** Marks the operation as one that is not waited for where it is called. */
    void started() {
        isStarted = true;
    }

    String name() {
        return name;
    }

    // ---- steps and exchanges

    boolean isDone() {
        return state == State.DONE;
    }

    RuntimeException failure() {
        return failure;
    }

    void fail(RuntimeException cause) {
        failure = cause;
        state = State.DONE;
    }

    /**
     * Goes on as far as it can.
     *
     * @param wait to the end
     * @param stage allocates memory in the heap of every rank, on member 0
     * @return true when the operation is complete
     */
    boolean advance(boolean wait, StageMemory stage) {
        while (state != State.DONE) {
            if (state == State.QUEUED) {
                meetFirst();
            }
            if (state == State.WORKING) {
                if (wait) {
                    access.settle();
                } else if (!access.trySettle()) {
                    return false;
                }
                settled();
                if (last && endsItself()) {
                    break;
                }
                meet(wordsAfter(step - 1));
            }
            if (!hasMet(wait)) {
                return false;
            }
            if (last) {
                break;
            }
            workOn(stage);
        }
        state = State.DONE;
        return true;
    }

    private void meetFirst() {
        ScalarAllReduce.Payload payload = begin();
        words = Arrays.copyOf(same, same.length + COMBINED);
        words[same.length] = flags;
        words[same.length + 1] = largest;
        group.words().start(new Call(name, 0), details, words, this::combine, payload);
        state = State.MEETING;
    }

    private boolean combine(long[] into, long[] from) {
        int n = same.length;
        into[n] |= from[n];
        into[n + 1] = Math.max(into[n + 1], from[n + 1]);
        return Arrays.equals(into, 0, n, from, 0, n);
    }

    private void meet(long[] with) {
        access.fence();
        group.words().startStep(with, this::combineWords);
        state = State.MEETING;
    }

    private boolean hasMet(boolean wait) {
        if (!wait) {
            return group.words().poll();
        }
        if (isStarted) {
            group.words().awaitAmongBarriers();
        } else {
            group.words().await();
        }
        return true;
    }

    private void workOn(StageMemory stage) {
        if (step == 0 && state == State.MEETING) {
            requireAgreed();
            checks.forEach(Runnable::run);
            flags = words[same.length];
            largest = words[same.length + 1];
        }
        if (step == 0 && !hasStage(stage)) {
            return;
        }
        access.working(true);
        try {
            last = work(step++);
        } finally {
            access.working(false);
        }
        state = State.WORKING;
    }

    /** False if a further exchange has to come first, behind which the members know the memory that member 0 has allocated. */
    private boolean hasStage(StageMemory memory) {
        if (state == State.STAGE_SHOWN && !group.learnStage(stageKind())) {
            if (stageKind() == MemoryKind.HOST) {
                throw new SegmentMemoryException(name + " of rank " + group.world(group.index()) + ": no room for "
                        + group.stageBytes(MemoryKind.HOST) + " bytes in the host heap of every rank, through which private memory "
                        + "is copied; raise pgas.heap.host");
            }
            flags |= NOT_BY_DEVICE; // by the host, which needs less
        }
        MemoryKind kind = stageKind();
        if (kind == null || group.hasStage(kind)) {
            return true;
        }
        if (group.index() == 0) {
            group.showStage(kind, memory.allocate(kind, group.stageBytes(kind)));
        }
        meet(NO_WORDS);
        state = State.STAGE_SHOWN;
        return false;
    }

    private void requireAgreed() {
        if (!group.words().isAgreed()) {
            throw group.words().differ(name, details, Arrays.hashCode(same));
        }
    }

    // ---- for the work

    /** Index at which part {@code part} of {@code count} elements starts, if the members have equal parts of them. */
    static long partStart(long count, int elementBytes, int part, int parts) {
        long alignment = CollectiveLimits.PART_ALIGNMENT / elementBytes;
        long each = Math.ceilDiv(Math.ceilDiv(count, (long) parts), alignment) * alignment;
        return Math.min(count, each * part);
    }

    /** As {@link #partStart}, in bytes of a vector of {@code bytes} bytes. */
    static long partStart(ElementType type, long bytes, int part, int parts) {
        return type.bytes(partStart(bytes / type.bytes(), type.bytes(), part, parts));
    }
}
