package org.pgas4j.space.sync;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.os.Failpoint;
import org.pgas4j.space.memory.ControlArea;
import org.pgas4j.space.memory.Peers;

/**
 * The split-phase barrier of one rank: notify never waits, and wait returns when every rank has notified, whether or not
 * the others have come to wait.
 *
 * <p>Up to {@link ControlArea#FLAT_MAX} ranks write a flag to each other. More ranks arrive at a tree of counters with
 * compare-and-set: the last to arrive at a node goes on to the next (as in the combining tree of Yew, Tzeng and Lawrie, IEEE
 * Transactions on Computers 1987), and whoever completes the root writes the release word, which goes down a tree of the nodes
 * ({@link ReleaseTree}). Both take O(log n) steps.
 *
 * <p>A flag holds epoch and label, so that ranks which give different labels find out, and whether it is the last barrier, which
 * a rank enters when its program has ended: that one meets no other. Two sets of flags alternate: a rank can be one barrier ahead
 * of one that still reads, never two.
 */
public final class Barrier {

    private static final long HAS_LABEL = 1L << 32;
    private static final long MISMATCH = 1L << 33;
    private static final long END = 1L << 34;
    private static final int MAX_LISTED = 16;
    private static final int EPOCH_SHIFT = 35;
    private static final long EPOCH_MASK = (1L << 64 - EPOCH_SHIFT) - 1;

    private final int rank;
    private final int ranks;
    private final Peers peers;
    private final Waiter waiter;
    private final Arrivals arrivals;
    private final Endpoint own;
    private final boolean flat;
    private final ReleaseTree releases;
    private final Supplier<String> reason = this::describe;
    private final Runnable whenLong = this::writeCall;
    private final LateRanks late = new LateRanks();
    private long epoch;
    private boolean notified;
    private long labelBits;
    private long written;

    /** Between all ranks, which are of one node. */
    public Barrier(int rank, int ranks, Peers peers, Waiter waiter, Arrivals arrivals) {
        this(rank, ranks, peers, waiter, arrivals, new ReleaseTree(rank, peers, new int[1], 0));
    }

    /** Between all ranks. */
    public Barrier(int rank, int ranks, Peers peers, Waiter waiter, Arrivals arrivals, ReleaseTree releases) {
        this.releases = releases;
        this.arrivals = arrivals;
        this.rank = rank;
        this.ranks = ranks;
        this.peers = peers;
        this.waiter = waiter;
        this.own = peers.get(rank).endpoint();
        this.flat = ranks <= ControlArea.FLAT_MAX;
    }

    /** A label as the barrier keeps it. */
    public static long label(int label) {
        return HAS_LABEL | label & 0xffffffffL;
    }

    /** First half, for a rank that makes other calls before the second: no collective ones. See {@link #arrive}. */
    public void begin(long bits) {
        arrive(bits);
        arrivals.beginBarrier();
    }

    /** First half; completes the rank's transfers. {@code bits} is {@link #label} or 0 for none. */
    public void arrive(long bits) {
        arrivals.requireOwnThread("a barrier");
        if (notified) {
            throw new IllegalStateException(arrivals.begun() + (bits == END ? " and ends its program"
                    : " and calls " + text(bits) + " at " + CallSite.find()) + ": endBarrier() comes first");
        }
        arrivals.arrive(HappensBefore.BARRIER, null, epoch + 1);
        notified = true;
        labelBits = bits;
        epoch++;
        own.putWordRelease(ControlArea.GIVEN, bits);
        own.putWordRelease(ControlArea.ENTERED, epoch);
        if (flat) {
            long flag = (epoch & EPOCH_MASK) << EPOCH_SHIFT | bits;
            long offset = ControlArea.flat((int) epoch & 1, rank);
            for (int other = 0; other < ranks; other++) {
                if (other != rank) {
                    // release: pairs with the acquire in awaitFlat
                    peers.get(other).endpoint().putWordRelease(offset, flag);
                    peers.wake(other);
                }
            }
        } else {
            climb(bits);
        }
    }

    private void climb(long bits) {
        int groupRanks = 1;
        for (int level = 0; ; level++) {
            // Ranks below this node: home, home + groupRanks, ... FAN_IN of them at most.
            int span = groupRanks * ControlArea.FAN_IN;
            int home = rank - Math.floorMod(rank, span);
            int children = Math.min(ControlArea.FAN_IN, Math.ceilDiv(ranks - home, groupRanks));
            Endpoint node = peers.get(home).endpoint();
            long offset = ControlArea.node(level);
            long combined;
            while (true) {
                // The word counts children in its top bits; it is compared and set, so arrivals are ordered both ways.
                long seen = node.getWordAcquire(offset);
                long count = (seen >>> EPOCH_SHIFT) + 1;
                combined = count == 1 ? bits : combine(seen & ~(EPOCH_MASK << EPOCH_SHIFT), bits);
                long next = count == children ? 0 : count << EPOCH_SHIFT | combined;
                if (node.compareAndSetWord(offset, seen, next)) {
                    if (count < children) {
                        return;
                    }
                    break;
                }
            }
            bits = combined;
            if (home == 0 && span >= ranks) {
                releases.write((epoch & EPOCH_MASK) << EPOCH_SHIFT | bits, rank);
                peers.wakeFirst();
                return;
            }
            groupRanks = span;
        }
    }

    private static long combine(long a, long b) {
        if (((a | b) & MISMATCH) != 0 || ((a ^ b) & END) != 0) {
            return a | b | MISMATCH;
        }
        if ((a & HAS_LABEL) == 0) {
            return b;
        }
        return (b & HAS_LABEL) == 0 || a == b ? a : a | b | MISMATCH;
    }

    /** Second half. {@code bits} must be what {@link #arrive} was given. */
    public void await(long bits) {
        arrivals.requireOwnThread("a barrier");
        if (!notified) {
            throw new IllegalStateException("rank " + rank + " ends a barrier that it has not begun: beginBarrier() comes first");
        }
        if (bits != labelBits) {
            throw new CollectiveMismatchException("rank " + rank + " began " + text(labelBits) + " and ends "
                    + text(bits));
        }
        arrivals.endBarrier();
        peers.requireLiving(null); // lost since this rank has arrived
        waiter.begin(whenLong);
        waiter.activity().enter(Phase.BARRIER);
        Failpoint.hit(Failpoint.BARRIER);
        complete();
        arrivals.leave(HappensBefore.BARRIER, null, epoch);
        waiter.activity().leave();
    }

    private void complete() {
        try {
            if (flat) {
                awaitFlat();
            } else {
                awaitTree();
            }
        } catch (RuntimeException e) {
            throw waiter.activity().failed(e);
        }
        notified = false;
    }

    /**
     * Both halves, for a rank whose program has ended: waits as long as the job lives, for a rank may compute longer than others.
     * Nothing is ordered after it.
     */
    public void finish() {
        arrive(END);
        waiter.beginUnlimited();
        waiter.activity().enter(Phase.END);
        complete();
        waiter.activity().leave();
    }

    private void awaitFlat() {
        long wanted = epoch & EPOCH_MASK;
        int last = rank;
        int parity = (int) epoch & 1;
        for (int other = 0; other < ranks; other++) {
            if (other == rank) {
                continue;
            }
            long offset = ControlArea.flat(parity, other);
            long flag = own.getWordAcquire(offset);
            // The first looks touch nothing but the flag: a barrier of ranks on cores of their own ends among them.
            for (int look = waiter.looks(); look > 0 && flag >>> EPOCH_SHIFT != wanted; look--) {
                flag = own.getWordAcquire(offset);
            }
            while (flag >>> EPOCH_SHIFT != wanted) {
                last = other; // of those that were not there when looked for, the last one in order came last
                waiter.pause(reason);
                flag = own.getWordAcquire(offset);
            }
            long theirs = flag & ~(EPOCH_MASK << EPOCH_SHIFT);
            if (theirs != labelBits && contradict(theirs, labelBits)) {
                throw differ(rank, other);
            }
        }
        if (last != rank) {
            countLate(last);
        }
    }

    private void countLate(int last) {
        long waitedNs = waiter.waitedNs();
        if (waitedNs > 0 && last >= 0 && last != rank) {
            late.count(last, waitedNs);
        }
    }

    /** Waits for ranks that came last. */
    public LateRanks late() {
        return late;
    }

    private void awaitTree() {
        long wanted = epoch & EPOCH_MASK;
        releases.begin();
        boolean waits = false;
        while (!releases.poll(EPOCH_SHIFT, wanted)) {
            waits = true;
            waiter.pause(reason);
        }
        peers.wakeNext();
        if (waits) {
            countLate(releases.last());
        }
        if ((releases.word() & MISMATCH) != 0) {
            throw differ();
        }
    }

    private static boolean contradict(long a, long b) {
        return (combine(a, b) & MISMATCH) != 0;
    }

    /** The exception of a tree, which says that ranks differ and not which. All have arrived, and none can have left. */
    private CollectiveMismatchException differ() {
        int one = 0;
        long first = given(0);
        for (int other = 1; other < ranks; other++) {
            long second = given(other);
            if (contradict(first, second)) {
                return differ(one, other);
            }
            if (first == 0) { // fits any label: the next has to be compared
                one = other;
                first = second;
            }
        }
        return new CollectiveMismatchException("the labels of barrier " + epoch + " differ between the ranks; rank " + rank + ": "
                + text(labelBits)); // a rank has caught its exception and come to the next
    }

    private CollectiveMismatchException differ(int one, int other) {
        writeCall();
        CallTexts texts = arrivals.texts();
        return CallTexts.mismatch(one, call(one, epoch, peers, texts), other, call(other, epoch, peers, texts));
    }

    private long given(int other) {
        return peers.get(other).endpoint().getWordAcquire(ControlArea.GIVEN);
    }

    /** Text of the barrier that a rank has come to; without its line if the rank has only notified. */
    static String call(int rank, long epoch, Peers peers, CallTexts texts) {
        long bits = peers.get(rank).endpoint().getWordAcquire(ControlArea.GIVEN);
        return (bits & END) != 0 ? text(bits) : texts.read(rank, epoch, text(bits));
    }

    /** For ranks that find that they are in something else. */
    private void writeCall() {
        if (written != epoch) {
            written = epoch;
            arrivals.texts().write(epoch, text(labelBits));
        }
    }

    private static String text(long bits) {
        return (bits & END) != 0 ? "the end of its program"
                : (bits & HAS_LABEL) == 0 ? "barrier()" : "barrier(" + (int) bits + ")";
    }

    private String describe() {
        List<Integer> late = missing();
        return "barrier " + epoch + " of rank " + rank + ", missing ranks " + listed(late) + waiter.describe(late);
    }

    /** 16 at most. */
    static String listed(List<Integer> late) {
        return late.size() <= MAX_LISTED ? late.toString()
                : late.subList(0, MAX_LISTED).toString().replace("]", ", ...]");
    }

    /** Ranks that have not notified this barrier yet, by their own words. */
    private List<Integer> missing() {
        List<Integer> late = new ArrayList<>();
        for (int other = 0; other < ranks; other++) {
            if (peers.get(other).endpoint().getWordAcquire(ControlArea.ENTERED) < epoch) {
                late.add(other);
            }
        }
        return late;
    }
}
