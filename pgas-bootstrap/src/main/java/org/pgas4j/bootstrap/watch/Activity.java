package org.pgas4j.bootstrap.watch;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.bootstrap.event.BarrierEvent;
import org.pgas4j.bootstrap.event.CollectiveEvent;
import org.pgas4j.bootstrap.event.Events;
import org.pgas4j.bootstrap.event.OperationEvent;
import org.pgas4j.bootstrap.event.WaitEvent;
import org.pgas4j.os.trace.Trace;

/**
 * Status of one rank: a line of memory that other JVMs may map. Written by the rank's thread alone, one plain store
 * when an operation begins and one when it ends; the time is written by waits that have become long.
 *
 * <pre>
 *   0   phase (8 bits), inside (1), failed (1), operations (14), collective operations among them (40)
 *   8   System.nanoTime() at the start of a long wait; 0 if none
 *   16  its deadline; 0 if none
 *   24  process id
 *   32  1 if it ends its process, on any thread
 * </pre>
 */
public final class Activity {

    static final int LINE = 128;
    static final long INSIDE = 1L << 8;
    static final long FAILED = 1L << 9;
    static final int OPERATIONS_SHIFT = 10;
    static final int SEQUENCE_SHIFT = 24;
    private static final long OPERATIONS_MASK = (1L << SEQUENCE_SHIFT - OPERATIONS_SHIFT) - 1;
    private static final long SINCE = 8;
    private static final long DEADLINE = 16;
    private static final long PID = 24;
    private static final long EXITS = 32;
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    /** Longest park of a wait: of the time between its last look and its end no more is counted. */
    private static final long MAX_TAIL_NS = 1_000_000;

    private final MemorySegment line;
    private final WaitCounts counts = new WaitCounts();
    private long operations;
    private long sequence;
    private long word;
    private int depth;
    private long transfers; // a bit for each operation that the rank is in, the innermost in bit 0: set if it is a transfer
    private boolean timed;
    private Phase phase = Phase.STARTING; // of the outermost operation
    private OperationEvent event; // of the outermost operation; null unless it is recorded
    private long tracedNs; // begin of the outermost operation; 0 unless it is on the timeline
    private int rank = -1;
    private Phase waitsIn;
    private long waitSeenNs;

    Activity(MemorySegment line) {
        this.line = line;
    }

    /** Status without readers. */
    public static Activity unseen() {
        return new Activity(Arena.ofAuto().allocate(LINE, Long.BYTES));
    }

    /** Records the begin of an operation; inside of another one this has no effect. */
    public void enter(Phase phase) {
        transfers = transfers << 1 | (phase == Phase.TRANSFER ? 1 : 0);
        if (depth++ > 0) {
            return;
        }
        this.phase = phase;
        counts.call(phase);
        if (isRecorded(phase)) {
            beginEvent(phase);
        }
        if (phase.isCollective()) {
            sequence++;
        }
        if (Trace.isOn()) {
            tracedNs = System.nanoTime();
        }
        word = sequence << SEQUENCE_SHIFT | (++operations & OPERATIONS_MASK) << OPERATIONS_SHIFT | phase.code()
                | INSIDE;
        forgetWait();
        LONG.setRelease(line, 0L, word);
    }

    /** Records its end. */
    public void leave() {
        if (depth > 1) {
            depth--;
            transfers >>>= 1;
            return;
        }
        depth = 0;
        transfers = 0;
        if (event != null) {
            endEvent();
        }
        if (tracedNs != 0) {
            endTraced();
        }
        word &= ~INSIDE;
        forgetWait();
        LONG.setRelease(line, 0L, word);
    }

    private static boolean isRecorded(Phase phase) {
        Events.look();
        return phase == Phase.BARRIER ? BarrierEvent.isOn() : phase.isCollective() ? CollectiveEvent.isOn() : WaitEvent.isOn();
    }

    private void beginEvent(Phase phase) {
        event = phase == Phase.BARRIER ? new BarrierEvent() : phase.isCollective() ? new CollectiveEvent() : new WaitEvent();
        event.begin();
    }

    private void endEvent() {
        event.commit(rank, phase.text());
        event = null;
    }

    private void endTraced() {
        Trace.operation(rank, phase.text(), sequence, tracedNs);
        tracedNs = 0;
    }

    /** Names the rank in events. */
    public void rank(int number) {
        rank = number;
    }

    private void forgetWait() {
        if (timed) {
            timed = false;
            counts.time(waitsIn, Math.clamp(System.nanoTime() - waitSeenNs, 0, MAX_TAIL_NS));
            LONG.setRelease(line, SINCE, 0L);
        }
    }

    /** Records its end by {@code failure}, which is returned; its phase stays visible until the next one begins. */
    public <E extends Throwable> E failed(E failure) {
        event = null;
        if (tracedNs != 0) {
            endTraced();
        }
        depth = 0;
        transfers = 0;
        word |= FAILED;
        LONG.setRelease(line, 0L, word);
        return failure;
    }

    /** Records at {@code nowNs} that a wait has become long. */
    public void waits(long deadlineNs, long nowNs) {
        timed = true;
        waitsIn = depth > 0 ? phase : Phase.PROGRAM;
        counts.wait(waitsIn);
        waitSeenNs = nowNs;
        LONG.setRelease(line, DEADLINE, deadlineNs == 0 ? 1 : deadlineNs);
        LONG.setRelease(line, SINCE, waitSeenNs | 1);
    }

    /** Records that the long wait goes on. */
    public void stillWaits(long nowNs) {
        if (timed) {
            counts.time(waitsIn, nowNs - waitSeenNs);
            waitSeenNs = nowNs;
        }
    }

    /** Records that the rank has waited for its device. */
    public void waitedForDevice(long ns) {
        counts.device(ns);
    }

    /** Operations and waits of the rank. */
    public WaitCounts counts() {
        return counts;
    }

    /** Sets the phase of a rank that has no thread yet, or none any more. */
    void set(Phase phase) {
        depth = 0;
        transfers = 0;
        sequence = 0;
        word = phase.code();
        LONG.setRelease(line, PID, ProcessHandle.current().pid());
        LONG.setRelease(line, 0L, word);
    }

    /** Records that the rank has called {@link System#exit}; any thread. */
    public void exits() {
        LONG.setRelease(line, EXITS, 1L);
    }

    boolean hasExited() {
        return (long) LONG.getAcquire(line, EXITS) != 0;
    }

    /** True if an operation that the rank is in is a transfer: memory of its program is in use then; the rank's thread. */
    public boolean isTransferring() {
        return transfers != 0;
    }

    /** Number of collective operations begun; the rank's thread. */
    public long sequence() {
        return sequence;
    }

    /** The operation that the rank is in, or was in when it failed; the rank's thread. */
    public Phase operation() {
        return Phase.of((int) word & 0xff).orElseThrow();
    }

    /** Reads the status; any thread. */
    public RankStatus look() {
        long seen = (long) LONG.getAcquire(line, 0L);
        long since = (long) LONG.getAcquire(line, SINCE);
        long deadline = (long) LONG.getAcquire(line, DEADLINE);
        long pid = (long) LONG.getAcquire(line, PID);
        return new RankStatus(seen, since == 0 ? -1 : Math.max(0, System.nanoTime() - since),
                since == 0 ? 0 : deadline, ProcessState.isStopped(pid));
    }
}
