package org.pgas4j.space.sync;

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.pgas4j.JobAbortedException;
import org.pgas4j.PeerLostException;
import org.pgas4j.PgasException;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.bootstrap.Abort;
import org.pgas4j.bootstrap.Bootstrap;
import org.pgas4j.bootstrap.watch.Activity;
import org.pgas4j.bootstrap.watch.StatusQuery;

/**
 * How a rank waits: it looks a few times, spins, yields, then parks ever longer up to a millisecond, because ranks may
 * outnumber processors. Where there is a processor to spare, it yields for milliseconds before it parks: a park ends a tenth of a
 * millisecond late, which is a tenth of a kernel that is waited for. From the first yield on it also looks at the deadline and at
 * the state of the job. One per rank, used by its thread: {@code waiter.begin(); while (!condition) waiter.pause(what);}
 *
 * <p>Where ranks are packed, many dozens to a processor, those that look around would leave it no time. Each parks soon and
 * long, and ranks of one JVM {@link #wake} each other when they write. What other JVMs write is looked for often by one rank
 * of each JVM only, the attentive one.
 */
public final class Waiter {

    private static final int LOOKS = 256;
    private static final int SPINS = 4096;
    private static final int YIELDS = 256;
    private static final int SPINS_BETWEEN_CHECKS = 256;
    private static final long MAX_PARK_NS = 1_000_000;
    private static final long SPARE_YIELDS_NS = 4_000_000;
    private static final long LONG_NS = 100_000_000;
    private static final Runnable NOTHING = () -> { };
    private static final int PACKED = 64;
    private static final int PACKED_YIELDS = 8;
    private static final long PACKED_PARK_NS = 250_000; // for each rank of a processor: a look takes about a tenth of it

    private final Bootstrap bootstrap;
    private final KnownLosses losses;
    private final long timeoutNs;
    private final int looks;
    private final int spins;
    private final Activity activity;
    private final StatusQuery witness;
    private final int yields;
    private final boolean spare;
    private final boolean packed;
    private final long packedParkNs;
    private final Parker parker = new Parker();
    private BooleanSupplier progress = () -> false;
    private int step;
    private int moves;
    private boolean told;
    private boolean deadlineSet;
    private Runnable whenLong = NOTHING;
    private long longNs;
    private long deadlineNs;
    private long startNs;
    private long checkedNs;
    private boolean unlimited;
    private Supplier<? extends PgasTimeoutException> late;

    /**
     * @param timeoutNs  deadline of one wait
     * @param ranks      that share the processors; where they are more, spinning takes time from whom is waited for
     * @param processors of the machine
     * @param attentive  true for the rank of a JVM that looks often even where ranks are packed
     * @param activity   of the rank
     * @param witness    tells what given ranks do
     */
    public Waiter(Bootstrap bootstrap, long timeoutNs, int ranks, int processors, boolean attentive,
                  Activity activity, StatusQuery witness) {
        this.activity = activity;
        this.witness = witness;
        boolean crowded = ranks > processors;
        this.bootstrap = bootstrap;
        this.losses = new KnownLosses(bootstrap.losses());
        this.timeoutNs = timeoutNs;
        this.looks = crowded ? 32 : LOOKS;
        this.spins = crowded ? 0 : SPINS;
        this.spare = ranks < processors;
        this.packed = isPacked(ranks, processors);
        this.yields = packed ? PACKED_YIELDS : YIELDS;
        this.packedParkNs = attentive ? MAX_PARK_NS : Math.max(MAX_PARK_NS, ranks / processors * PACKED_PARK_NS);
    }

    /** True if so many ranks share so few processors that they are to {@link #wake} each other. */
    public static boolean isPacked(int ranks, int processors) {
        return ranks / processors > PACKED;
    }

    /**
     * Ends a park, so that the rank looks again; any thread, after what it wrote and a full fence.
     *
     * @return true if the rank is parked or about to be
     */
    public boolean wake() {
        return parker.wake();
    }

    /** Sets the work that is done while the rank waits: true if something was done. Set once, before the first wait. */
    public void progress(BooleanSupplier look) {
        progress = look;
    }

    /** Starts a wait. */
    public void begin() {
        parker.clear();
        step = 0;
        moves = 0;
        told = false;
        deadlineSet = false;
        unlimited = false;
        late = null;
        whenLong = NOTHING;
    }

    /**
     * Starts a wait that looks around when it has become long.
     *
     * @param whenLong runs every tenth of a second, and before the wait ends by its deadline; what it throws ends the wait
     */
    void begin(Runnable whenLong) {
        begin();
        this.whenLong = whenLong;
    }

    /**
     * Starts a wait with a deadline of its own.
     *
     * @param deadlineNs a {@link System#nanoTime()} value
     * @param failure    makes the exception of the wait when the deadline has passed
     */
    public void begin(long deadlineNs, Supplier<? extends PgasTimeoutException> failure) {
        begin();
        deadlineSet = true;
        this.deadlineNs = deadlineNs;
        late = failure;
    }

    /** A wait that was begun, while the rank does work in it that may wait as well. */
    public static final class Outer {
        private int moves;
        private boolean told;
        private boolean deadlineSet;
        private Runnable whenLong;
        private long longNs;
        private long startNs;
        private long deadlineNs;
        private boolean unlimited;
        private Supplier<? extends PgasTimeoutException> late;
    }

    /** Keeps the wait that is on; {@link #restore} goes on with it. */
    public void save(Outer wait) {
        wait.moves = moves;
        wait.told = told;
        wait.deadlineSet = deadlineSet;
        wait.whenLong = whenLong;
        wait.longNs = longNs;
        wait.startNs = startNs;
        wait.deadlineNs = deadlineNs;
        wait.unlimited = unlimited;
        wait.late = late;
    }

    /** Goes on with a wait after others; it looks again soon, and its deadline is the one it had. */
    public void restore(Outer wait) {
        begin();
        moves = wait.moves;
        told = wait.told;
        deadlineSet = wait.deadlineSet;
        whenLong = wait.whenLong;
        longNs = wait.longNs;
        startNs = wait.startNs;
        deadlineNs = wait.deadlineNs;
        unlimited = wait.unlimited;
        late = wait.late;
    }

    /** True if the machine has more processors than ranks. */
    public boolean hasSpareProcessors() {
        return spare;
    }

    /** How often a wait may look before it pauses for the first time. */
    int looks() {
        return looks;
    }

    /** Starts a wait that ends with the job's supervision alone: for ranks that have ended and wait for the others. */
    public void beginUnlimited() {
        begin();
        unlimited = true;
    }

    /**
     * Passes a little time.
     *
     * @param what describes the wait and whom it is for, asked when the deadline passes
     * @throws PgasTimeoutException if the deadline has passed
     * @throws PgasException        if the job has failed: {@link PeerLostException} if a process was lost, else
     *                              {@link JobAbortedException}
     */
    public void pause(Supplier<String> what) {
        if (progress.getAsBoolean()) {
            // What was done may be what is waited for, and more may follow: look again soon. But see the deadline now and then.
            step = Math.min(step, looks);
            if ((++moves & 0xff) == 0) {
                check(what);
            }
            return;
        }
        pauseQuietly(what);
    }

    /** As {@link #pause}, looking after nothing. */
    public void pauseQuietly(Supplier<String> what) {
        if (step++ < looks) {
            return;
        }
        pauseSlowPath(what);
    }

    private void pauseSlowPath(Supplier<String> what) {
        int slow = step - looks - 1;
        if (slow < spins) {
            if (slow % SPINS_BETWEEN_CHECKS == 0) {
                check(what);
            }
            Thread.onSpinWait();
        } else if (slow < spins + yields) {
            check(what);
            Thread.yield();
        } else if (packed) {
            check(what);
            parker.showOrPark(packedParkNs);
            step--;
        } else if (yieldsOn(checkedNs - startNs)) {
            check(what);
            Thread.yield();
            step--;
        } else {
            check(what);
            int parks = slow - spins - yields;
            LockSupport.parkNanos(Math.min(MAX_PARK_NS, 1_000L << Math.min(parks / 16, 10)));
            if (step == Integer.MAX_VALUE) {
                step--;
            }
        }
    }

    /** True if a rank yields where it would park, having waited for a time. */
    boolean yieldsOn(long waitedNs) {
        return spare && waitedNs < SPARE_YIELDS_NS;
    }

    private void check(Supplier<String> what) {
        throwIfAborted();
        long now = System.nanoTime(); // once: reading the clock costs a fifth of a barrier of two ranks
        checkedNs = now;
        if (!deadlineSet) {
            deadlineSet = true;
            deadlineNs = deadline(now);
        }
        if (!told) {
            told = true;
            longNs = now + LONG_NS;
            startNs = now;
            activity.waits(deadlineNs, now);
        } else {
            activity.stillWaits(now);
        }
        boolean isOver = !unlimited && now - deadlineNs > 0;
        if (isOver || now - longNs > 0) {
            longNs = now + LONG_NS;
            whenLong.run();
        }
        if (isOver) {
            throw activity.failed(late != null ? late.get() : timeout(what.get()));
        }
    }

    /** Time since the wait that is on became longer than some looks, in nanoseconds; 0 if it did not. */
    long waitedNs() {
        return told ? System.nanoTime() - startNs : 0;
    }

    /** The exception of a wait that passed its deadline. */
    public PgasTimeoutException timeout(String what) {
        return new PgasTimeoutException(what + " timed out after " + timeoutNs / 1_000_000
                + " ms; raise pgas.timeout if that is too short");
    }

    /** Status of the rank. */
    public Activity activity() {
        return activity;
    }

    /** Status of these ranks, for the message of a wait for them. */
    public String describe(List<Integer> ranks) {
        return ranks.isEmpty() ? "" : "; " + witness.describe(ranks);
    }

    /** Those of these ranks that have not begun the collective operation that this one is in. */
    List<Integer> late(List<Integer> ranks) {
        return witness.late(ranks, activity.sequence());
    }

    /** Ends this rank's work if the job has failed elsewhere, or its wait if a rank was lost that it does not know of yet. */
    public void throwIfAborted() {
        Abort abort = bootstrap.aborted();
        if (abort != null) {
            throw abort.exception();
        }
        losses.check();
    }

    /** Losses that this rank knows. */
    public KnownLosses losses() {
        return losses;
    }

    /** Deadline of one wait, ns. */
    public long timeoutNs() {
        return timeoutNs;
    }

    /** {@link System#nanoTime()} value at which a wait that starts now ends. */
    public long deadline() {
        return deadline(System.nanoTime());
    }

    /** As {@link #deadline()}, of a wait that starts at {@code startNs}. */
    public long deadline(long startNs) {
        return startNs + timeoutNs;
    }
}
