package org.pgas4j.collective;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/** Bounded waits of Java forms of a team's kernels, on a stream's own thread. Used by one thread. */
final class HostTeamWait {

    private static final VarHandle FLAG = ValueLayout.JAVA_INT.varHandle();
    private static final int SPINS = 200;
    private static final int YIELDS = 2_000;
    private static final long PARK_NS = 50_000;

    private final MemorySegment own;
    private final int me;
    private final long limitNs;
    private int idle;
    private long endNs;

    /** @param own area of the member {@code me} */
    HostTeamWait(MemorySegment own, int me, long limitNs) {
        this.own = own;
        this.me = me;
        this.limitNs = limitNs;
    }

    /** Begins a wait. */
    void begin() {
        idle = 0;
    }

    /**
     * Lets some time pass in a wait for {@code member}.
     *
     * @throws IllegalStateException if the wait is late or was stopped
     */
    void again(int member) {
        idle++;
        if (idle < SPINS) {
            Thread.onSpinWait();
            return;
        }
        if (idle == SPINS) {
            endNs = System.nanoTime() + limitNs;
        }
        if ((int) FLAG.getAcquire(own, (long) DeviceArea.STOP) != 0) {
            throw new IllegalStateException("a collective operation was stopped while member " + me + " waited for " + member);
        }
        if (System.nanoTime() - endNs > 0) {
            throw new IllegalStateException("member " + me + " of a collective operation on a stream heard nothing of member "
                    + member + " for " + limitNs / 1_000_000 + " ms; its device has not begun the operation (pgas.timeout)");
        }
        if (idle < YIELDS) {
            Thread.yield();
        } else {
            LockSupport.parkNanos(this, PARK_NS);
        }
    }

    /** Sets a flag of a member. */
    void set(MemorySegment area, long flag, int epoch) {
        FLAG.setRelease(area, flag, epoch); // release: pairs with the acquire in await
    }

    /** Waits until the own flag that {@code member} sets is the epoch or later. */
    void await(long flag, int epoch, int member) {
        for (begin(); (int) FLAG.getAcquire(own, flag) - epoch < 0;) {
            again(member);
        }
    }
}
