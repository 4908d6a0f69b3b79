package org.pgas4j.runtime.blocks;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.pgas4j.os.trace.Trace;

/**
 * Waits of one block of the host device, with its failures, which end all waits of the device. Used by the block's
 * thread.
 */
final class HostBlockWaits {

    private static final VarHandle LONG = HostPage.LONG;
    private static final int SPINS = 200;
    private static final int YIELDS = 100;
    private static final long PARK_NS = 50_000;

    private final HostBlock.World world;
    private final BlockLayout layout;
    private final int block;
    private final MemorySegment own;
    private final MailboxReader mailbox; // null if nothing comes by the host
    private int window = -1;
    private BlockFailure.Barrier barrier = BlockFailure.Barrier.UNKNOWN;
    private volatile String ended; // the call after which the block has no operations; null before it
    private long awaited; // arrivals of host ranks that the barrier waits for; 0 while it waits for blocks of this one

    HostBlockWaits(HostBlock.World world, int block) {
        this.world = world;
        this.layout = world.layout();
        this.block = block;
        this.own = world.ownSegment();
        this.mailbox = world.usesMailbox() ? new MailboxReader(world, block) : null;
    }

    /** Names the window of the next failure; -1 if it has none. */
    void window(int number) {
        window = number;
    }

    /** Names the barrier of the next waits. */
    void barrier(BlockFailure.Barrier purpose) {
        barrier = purpose;
    }

    /** Sets the arrivals of host ranks that the barrier waits for; 0 if it waits for blocks of this one. */
    void awaited(long epoch) {
        awaited = epoch;
    }

    boolean hasEnded() {
        return word(world.area() + BlockLayout.ABORT) != 0;
    }

    private long word(long offset) {
        return (long) LONG.getAcquire(own, offset);
    }

    /** The block has no operations from now on. */
    void end(String call) {
        ended = call;
    }

    /** Throws if the block has no operations any more. */
    void requireOperations() {
        if (ended != null) {
            throw new IllegalStateException("rank " + world.hostRank() + " block " + (world.hostRank() * layout.perRank() + block)
                    + ": an operation after " + ended);
        }
    }

    // ---- failures

    BlockEnded fail(int kind, int tag, long expected, long seen) {
        return fail(kind, tag, expected, seen, 0, 0);
    }

    BlockEnded fail(int kind, int tag, long expected, long seen, long detail, long missing) {
        if (claims()) {
            report(kind, tag, expected, seen, detail, missing);
        }
        abort();
        return new BlockEnded();
    }

    /** Lets all other blocks end: the program of this one threw. */
    void threw(Throwable cause) {
        if (claims()) {
            world.thrown().set(cause);
            report(BlockFailure.THREW, -1, 0, 0, 0, 0);
        }
        abort();
    }

    private void abort() {
        LONG.setRelease(own, world.area() + BlockLayout.ABORT, 1L);
    }

    /** True for the first block of the device that fails. */
    private boolean claims() {
        return (long) LONG.getAndAdd(own, world.area() + BlockLayout.ERROR_CLAIM, 1L) == 0;
    }

    private void report(int kind, int tag, long expected, long seen, long detail, long missing) {
        HostPage page = world.page();
        page.set(HostPage.ERROR_BLOCK, block);
        page.set(HostPage.ERROR_WINDOW, window);
        page.set(HostPage.ERROR_TAG, tag);
        page.set(HostPage.ERROR_EXPECTED, expected);
        page.set(HostPage.ERROR_SEEN, seen);
        page.set(HostPage.ERROR_DETAIL, detail);
        page.set(HostPage.ERROR_MISSING, missing);
        page.set(HostPage.ERROR, kind);
    }

    // ---- waits

    /** Takes what the host has for this device's blocks; for a test that found nothing. */
    void pollMailbox() {
        if (mailbox != null) {
            mailbox.look();
        }
    }

    /**
     * Takes what the host has, and ends the block if another has failed. For whatever may return without a wait and be called
     * again until it has found more: nobody else would take it.
     */
    void looked() {
        if (hasEnded()) {
            throw new BlockEnded();
        }
        pollMailbox();
    }

    /** Waits until {@code seen} is at least {@code expected}, counting cyclically. */
    void await(int kind, int tag, long expected, LongSupplier seen) {
        await(kind, tag, expected, 0, seen);
    }

    /** As before, with a detail of the failure. */
    void await(int kind, int tag, long expected, long detail, LongSupplier seen) {
        if (!Trace.isOn()) {
            awaitSeen(kind, tag, expected, detail, seen);
            return;
        }
        long beginNs = System.nanoTime();
        awaitSeen(kind, tag, expected, detail, seen);
        Trace.blockWait(kind == BlockFailure.LATE_BARRIER || kind == BlockFailure.LATE_SPLIT ? "barrier" : "wait", beginNs);
    }

    private void awaitSeen(int kind, int tag, long expected, long detail, LongSupplier seen) {
        boolean isBarrier = kind == BlockFailure.LATE_BARRIER || kind == BlockFailure.LATE_SPLIT;
        long maxNs = world.timeoutNs() + (isBarrier ? world.timeoutNs() / BlockFailure.BARRIER_GRACE : 0);
        long startNs = 0;
        for (int i = 0; seen.getAsLong() - expected < 0; i++) {
            pollMailbox();
            if (i < SPINS && world.spins()) {
                Thread.onSpinWait();
                continue;
            }
            long nowNs = System.nanoTime();
            if (startNs == 0) {
                startNs = nowNs;
            }
            if (hasEnded()) {
                throw new BlockEnded();
            }
            if (nowNs - startNs > maxNs) {
                throw kind == BlockFailure.LATE_BARRIER
                        ? fail(kind, tag, expected, seen.getAsLong(), barrier.ordinal(), missing())
                        : fail(kind, tag, expected, seen.getAsLong(), detail, 0);
            }
            if (i < SPINS + YIELDS) {
                Thread.yield();
            } else {
                LockSupport.parkNanos(this, PARK_NS);
            }
        }
    }

    /** Those of the first 64 host ranks whose blocks have not come to the barrier, bit by bit. */
    private long missing() {
        long bits = 0;
        for (int r = 0; awaited != 0 && r < Math.min(layout.hostRanks(), Long.SIZE); r++) {
            bits |= word(world.area() + layout.checkedIn(r)) - awaited < 0 ? 1L << r : 0;
        }
        return bits;
    }
}
