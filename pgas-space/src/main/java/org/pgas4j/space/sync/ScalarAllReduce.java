package org.pgas4j.space.sync;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.ElementType;
import org.pgas4j.PgasException;
import org.pgas4j.ReduceOp;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.os.Failpoint;
import org.pgas4j.space.memory.ControlArea;
import org.pgas4j.space.memory.Peers;

/**
 * Combines a few words of every rank and gives all ranks the result: up a binomial tree to rank 0 and down again,
 * 2 log2(n) steps. A barrier as well: no rank leaves before all have arrived with their transfers complete. Everybody must call
 * it in the same order; nobody can be ahead by more than one call, which is what lets a slot be used again. Two ranks send to
 * each other at once, in two sets of lines that alternate, and both combine.
 *
 * <p>An exchange is {@linkplain #start started} and then {@linkplain #poll polled} or {@linkplain #await awaited}; one is on at a
 * time. A {@link Payload} travels with the words.
 */
public final class ScalarAllReduce {

    /** Words in one exchange at most. */
    public static final int MAX_WORDS = 12;

    /** Combines {@code other} into {@code into}; false if the two contradict each other, which ends the call on all ranks. */
    @FunctionalInterface
    public interface Combiner {
        boolean combine(long[] into, long[] other);
    }

    /**
     * Bytes that travel with the words, up to {@link ControlArea#SLOT_BYTES} or, between some ranks,
     * {@link ControlArea#TEAM_SLOT_BYTES}. A subtree is a run of members; the sender and the
     * receiver of a message are given the same run. Nothing is received if the calls of the two differ. Of two ranks both send
     * up, and nothing is sent down.
     */
    public interface Payload {

        /** Puts what the members {@code first} to {@code end - 1} have together into a slot of the next member up. */
        void sendUp(Endpoint to, long slot, int first, int end);

        /** Adds what these members, which may be before this one, have put into a slot of this one. */
        void receiveUp(Endpoint own, long slot, int first, int end);

        /** Puts the result for these members into a slot of the first of them. */
        void sendDown(Endpoint to, long slot, int first, int end);

        /** Takes the result for these members, of which this one is the first. */
        void receiveDown(Endpoint own, long slot, int first, int end);
    }

    private static final Combiner SAME = (into, from) -> Arrays.equals(into, 0, into.length, from, 0, into.length);

    private enum Stage { SWAP, UP, AWAIT_DOWN, DOWN, DONE }

    private final int rank;
    private final int ranks;
    private final Peers peers;
    private final Waiter waiter;
    private final Arrivals arrivals;
    private final int[] members;
    private final long base;
    private final long slots;
    private final int levels;
    private final Endpoint own;
    private final long[] other = new long[MAX_WORDS];
    private final long[] swapped = new long[MAX_WORDS];
    private final Supplier<String> reason = this::describe;
    private final Runnable whenLong = this::lookForABarrier;
    private Call call;
    private Supplier<String> details;
    private long sequence;
    private long awaited;
    private int waitsFor;
    private long[] words;
    private Combiner combiner;
    private Payload payload;
    private boolean isStep;
    private Stage stage = Stage.DONE;
    private int level;
    private long all;
    private Runnable before = () -> { };
    private String closed;
    private RuntimeException givenUp; // why an exchange of this rank was

    /** Between all ranks. */
    public ScalarAllReduce(int rank, int ranks, Peers peers, Waiter waiter, ControlArea area, Arrivals arrivals) {
        this(rank, ranks, null, peers, waiter, area.levels(), area.wordsIn(0), area.slot(0), arrivals);
    }

    /**
     * Between some ranks.
     *
     * @param index   this rank's place in {@code members}
     * @param members ranks of the job
     * @param base    offset in every member's host segment of {@link ControlArea#exchangeBytes()} bytes, zero at first
     * @param slots   offset of {@link ControlArea#teamSlotsBytes()} bytes there
     */
    public ScalarAllReduce(int index, int[] members, Peers peers, Waiter waiter, ControlArea area, long base, long slots,
                           Arrivals arrivals) {
        this(index, members.length, members, peers, waiter, area.levels(), base, slots, arrivals);
    }

    private ScalarAllReduce(int rank, int ranks, int[] members, Peers peers, Waiter waiter, int levels, long base, long slots,
                         Arrivals arrivals) {
        this.slots = slots;
        this.arrivals = arrivals;
        this.rank = rank;
        this.ranks = ranks;
        this.members = members;
        this.peers = peers;
        this.waiter = waiter;
        this.levels = levels;
        this.base = base;
        this.own = peers.get(job(rank)).endpoint();
    }

    /** The job's number of a member. */
    private int job(int member) {
        return members == null ? member : members[member];
    }

    private long wordsIn(int level) {
        return base + level * ControlArea.LINE;
    }

    private long wordsOut() {
        return wordsIn(levels);
    }

    /**
     * Exchanges; {@code words} holds the result afterwards.
     *
     * @param call must be the same on all ranks; so must the number of words
     * @throws CollectiveMismatchException on every rank, if the calls or what they give contradict each other
     */
    public void run(Call call, long[] words, Combiner combiner) {
        arrivals.requireCollective(call.text());
        if (!agree(call, null, words, combiner)) {
            throw differ(call.word(), call.text());
        }
    }

    /** Sets what completes everything in flight that came before an exchange; runs at the begin of each other one. */
    public void completeBefore(Runnable inFlight) {
        before = inFlight;
    }

    /** Exchanges; false on every rank if the calls or the words contradict each other. */
    private boolean agree(Call mine, Supplier<String> given, long[] values, Combiner combining) {
        arrivals.requireOwnThread(mine.name());
        before.run();
        start(mine, given, values, combining, null);
        await();
        return all != Call.DIFFERENT;
    }

    /**
     * Starts an exchange that all ranks are to come to; never blocks. The one before is complete.
     *
     * @param given   as of {@link #requireSame}, or null
     * @param values  hold the result in the end
     * @param carried travels with the words; null for nothing
     */
    public void start(Call mine, Supplier<String> given, long[] values, Combiner combining, Payload carried) {
        Failpoint.hit(Failpoint.COLLECTIVE);
        arrivals.arrive(base, members, sequence + 1);
        begin(mine, given, values, combining, carried);
    }

    /** Starts a further exchange of an operation that all ranks are known to be in: a barrier of what they have done in it. */
    public void startStep(long[] values, Combiner combining) {
        peers.flush();
        begin(Call.STEP, null, values, combining, null);
        isStep = true;
    }

    /** Refuses further exchanges: those of {@code team}, which is closed. */
    public void close(String team) {
        closed = team;
    }

    /**
     * True if this rank has left an exchange before its end, by a deadline or another exception. Others may have ended it and may
     * be one ahead, so that the next would combine what does not belong together.
     */
    public boolean isGivenUp() {
        return givenUp != null;
    }

    /**
     * Refuses a call after {@link #close}, and after an exchange that this rank {@linkplain #isGivenUp() has left}.
     *
     * @throws IllegalStateException with the name of the team, or the exception by which the exchange was left
     */
    public void requireOpen(String what) {
        if (closed != null) {
            throw new IllegalStateException(what + " of rank " + job(rank) + ": " + closed + " is closed");
        }
        if (givenUp != null) {
            waiter.throwIfAborted();
            throw new IllegalStateException(what + " of rank " + job(rank) + ": an operation of "
                    + (members == null ? "all ranks" : "the team") + " was given up before: " + givenUp.getMessage(), givenUp);
        }
    }

    private void begin(Call mine, Supplier<String> given, long[] values, Combiner combining, Payload carried) {
        requireOpen(mine.name());
        if (stage != Stage.DONE) {
            throw new IllegalStateException(mine.name() + " of rank " + job(rank) + " within " + call.name());
        }
        sequence++;
        call = mine;
        details = given;
        words = values;
        combiner = combining;
        payload = carried;
        isStep = false;
        level = 0;
        all = mine.word();
        stage = Stage.UP;
        if (ranks == 2) {
            sendToTheOther();
            stage = Stage.SWAP;
        }
    }

    // ---- two ranks

    private int set() {
        return (int) sequence & 1;
    }

    private void sendToTheOther() {
        int target = job(1 - rank);
        if (payload != null) {
            payload.sendUp(peers.get(target).endpoint(), slot(set()), rank, rank + 1);
        }
        write(target, wordsIn(set()), all, words);
    }

    /** Both combine the same in the same order: what rank 0 has with what rank 1 has. */
    private void combineBoth() {
        waitsFor = job(1 - rank);
        if (!hasArrived(wordsIn(set()))) {
            return;
        }
        int count = words.length;
        long theirs = read(wordsIn(set()), count, other);
        if (rank == 1) {
            System.arraycopy(words, 0, swapped, 0, count);
            System.arraycopy(other, 0, words, 0, count);
            System.arraycopy(swapped, 0, other, 0, count);
        }
        if (all != theirs || all == Call.DIFFERENT || !combiner.combine(words, other)) {
            all = Call.DIFFERENT;
        } else if (payload != null) {
            payload.receiveUp(own, slot(set()), 1 - rank, 2 - rank);
        }
        end();
    }

    /** Goes on with the exchange as far as it can; true when it is complete. Never blocks. */
    public boolean poll() {
        if (stage == Stage.SWAP) {
            combineBoth();
        }
        if (stage == Stage.UP) {
            climb();
        }
        if (stage == Stage.AWAIT_DOWN) {
            takeResult();
        }
        if (stage == Stage.DOWN) {
            descend();
        }
        return stage == Stage.DONE;
    }

    /** True on every rank if the calls were the same and the words did not contradict each other. */
    public boolean isAgreed() {
        return all != Call.DIFFERENT;
    }

    /** Completes the exchange. */
    public void await() {
        awaitUnless(whenLong);
    }

    /** As {@link #await}, where others may be in a barrier and go on with this operation there. */
    public void awaitAmongBarriers() {
        awaitUnless(null);
    }

    private void awaitUnless(Runnable looks) {
        try {
            pollUntilDone(looks);
        } catch (RuntimeException e) {
            stage = Stage.DONE;
            givenUp = e;
            throw e;
        }
    }

    private void pollUntilDone(Runnable looks) {
        beginWait(looks);
        while (true) {
            Stage last = stage;
            int from = level;
            if (poll()) {
                return;
            }
            if (stage != last || level != from) {
                beginWait(looks);
            }
            waiter.pause(reason);
        }
    }

    private void beginWait(Runnable looks) {
        if (looks == null) {
            waiter.begin();
        } else {
            waiter.begin(looks);
        }
    }

    private void climb() {
        for (; 1 << level < ranks; level++) {
            int distance = 1 << level;
            if ((rank & distance) != 0) {
                int parent = rank - distance;
                if (payload != null) {
                    payload.sendUp(peers.get(job(parent)).endpoint(), slot(level), rank, end(rank, level));
                }
                write(job(parent), wordsIn(level), all, words);
                stage = Stage.AWAIT_DOWN;
                return;
            }
            if (rank + distance < ranks && !combineChild(rank + distance)) {
                return;
            }
        }
        stage = Stage.DOWN;
    }

    private boolean combineChild(int child) {
        waitsFor = job(child);
        if (!hasArrived(wordsIn(level))) {
            return false;
        }
        long theirs = read(wordsIn(level), words.length, other);
        // Words of another call are not combined: nobody knows what they mean.
        if (all != theirs || all == Call.DIFFERENT || !combiner.combine(words, other)) {
            all = Call.DIFFERENT;
        } else if (payload != null) {
            payload.receiveUp(own, slot(level), child, end(child, level));
        }
        return true;
    }

    private void takeResult() {
        waitsFor = job(rank - (1 << level));
        if (!hasArrived(wordsOut())) {
            return;
        }
        all = read(wordsOut(), words.length, words);
        if (payload != null && all != Call.DIFFERENT) {
            payload.receiveDown(own, slot(levels), rank, end(rank, level));
        }
        stage = Stage.DOWN;
    }

    private void descend() {
        for (int below = level - 1; below >= 0; below--) {
            int child = rank + (1 << below);
            if (child < ranks) {
                if (payload != null && all != Call.DIFFERENT) {
                    payload.sendDown(peers.get(job(child)).endpoint(), slot(levels), child, end(child, below));
                }
                write(job(child), wordsOut(), all, words);
            }
        }
        end();
    }

    private void end() {
        stage = Stage.DONE;
        payload = null;
        if (!isStep) {
            arrivals.leave(base, members, sequence);
        }
    }

    /** End of the run of members below {@code first}, a child of level {@code of}. */
    private int end(int first, int of) {
        return Math.min(ranks, first + (1 << of));
    }

    private long slot(int at) {
        return slots + (long) at * (members == null ? ControlArea.SLOT_BYTES : ControlArea.TEAM_SLOT_BYTES);
    }

    private void write(int target, long line, long identity, long[] values) {
        Endpoint to = peers.get(target).endpoint();
        to.putWordRelease(line + Long.BYTES, identity);
        for (int i = 0; i < values.length; i++) {
            to.putWordRelease(line + (i + 2L) * Long.BYTES, values[i]);
        }
        // release: pairs with the acquire in hasArrived
        to.putWordRelease(line, sequence);
        peers.wake(target);
    }

    private boolean hasArrived(long line) {
        awaited = line;
        return own.getWordAcquire(line) == sequence;
    }

    /** Takes the words of this exchange; the word of the calls behind them. */
    private long read(long line, int count, long[] into) {
        for (int i = 0; i < count; i++) {
            into[i] = own.getWordAcquire(line + (i + 2L) * Long.BYTES);
        }
        return own.getWordAcquire(line + Long.BYTES);
    }

    /**
     * Ends a wait for a rank that has come to a barrier which this one has not: it will not send the words. If it had, they would
     * be here, for a barrier completes what was sent before it.
     */
    private void lookForABarrier() {
        long barrier = arrivals.barriers().entered(waitsFor);
        if (barrier > own.getWordAcquire(ControlArea.ENTERED) && own.getWordAcquire(awaited) != sequence) {
            throw waiter.activity().failed(CallTexts.mismatch(job(rank), text(call, details) + " at " + CallSite.find(), waitsFor,
                    Barrier.call(waitsFor, barrier, peers, arrivals.texts())));
        }
    }

    private String describe() {
        String operation = call == Call.STEP ? waiter.activity().operation().text() : call.text();
        String what = operation + " of rank " + job(rank);
        List<Integer> late = members == null ? waiter.late(others()) : List.of();
        return late.isEmpty()
                ? what + (members == null ? "" : " in a team") + ", waiting for rank " + waitsFor + " and those behind it"
                        + waiter.describe(List.of(waitsFor))
                : what + ", missing ranks " + Barrier.listed(late) + waiter.describe(late);
    }

    private List<Integer> others() {
        List<Integer> others = new ArrayList<>();
        for (int other = 0; other < ranks; other++) {
            if (other != rank) {
                others.add(other);
            }
        }
        return others;
    }

    /** All ranks' values combined. */
    public double allReduce(double value, ReduceOp op) {
        if (!op.isDefinedFor(ElementType.DOUBLE)) {
            throw new IllegalArgumentException("allReduce of rank " + job(rank) + ": " + op + " is not defined for double");
        }
        long[] words = {Double.doubleToRawLongBits(value)};
        run(Call.allReduceDouble(op), words, (into, from) -> {
            into[0] = Double.doubleToRawLongBits(op.apply(Double.longBitsToDouble(into[0]), Double.longBitsToDouble(from[0])));
            return true;
        });
        return Double.longBitsToDouble(words[0]);
    }

    /** All ranks' values combined. */
    public long allReduce(long value, ReduceOp op) {
        long[] words = {value};
        run(Call.allReduceLong(op), words, (into, from) -> {
            into[0] = op.apply(into[0], from[0]);
            return true;
        });
        return words[0];
    }

    /** The value of rank {@code root}, on every rank. */
    public long broadcast(long value, int root) {
        long[] words = {value};
        broadcast(Call.broadcast(root), root, words);
        return words[0];
    }

    /** The words of rank {@code root}, on every rank: a step of an operation that all ranks are known to be in. */
    public void broadcast(int root, long[] words) {
        broadcast(Call.STEP, root, words);
    }

    private void broadcast(Call what, int root, long[] words) {
        long[] marked = new long[words.length + 1];
        if (rank == root) {
            marked[0] = 1;
            System.arraycopy(words, 0, marked, 1, words.length);
        }
        run(what, marked, (into, from) -> {
            if (from[0] == 1) {
                System.arraycopy(from, 0, into, 0, marked.length);
            }
            return true;
        });
        System.arraycopy(marked, 1, words, 0, words.length);
    }

    // ---- calls that differ

    /**
     * Ends on every rank with an exception that names two calls which differ, and where they are, if the ranks do not all give
     * the same words.
     *
     * @param name  of the operation
     * @param given what this rank gave, with everything that {@code mine} stands for
     */
    public void requireSame(String name, Supplier<String> given, long... mine) {
        arrivals.requireCollective(name);
        Call same = new Call(name, 0);
        long identity = same.word() * 31 + Arrays.hashCode(mine);
        if (!agree(same, given, mine, SAME)) {
            throw differ(identity, text(same, given));
        }
    }

    /**
     * The exception after an exchange that was not {@linkplain #isAgreed agreed}; every rank comes here.
     *
     * @param hash of what all ranks were to give alike
     */
    public CollectiveMismatchException differ(String name, Supplier<String> given, long hash) {
        Call same = new Call(name, 0);
        return differ(same.word() * 31 + hash, text(same, given));
    }

    /**
     * The exception of calls that differ. Every rank knows that they do and comes here; only now is it worth while to look at the
     * stack.
     *
     * @param identity differs if the calls do
     */
    private CollectiveMismatchException differ(long identity, String mine) {
        long mark = -sequence; // barriers write positive ones
        CallTexts texts = arrivals.texts();
        try {
            texts.write(mark, mine);
            long[] words = {identity, rank, Long.MAX_VALUE};
            agree(Call.EXPLANATION, null, words, ScalarAllReduce::findOther);
            int other = (int) Math.min(words[2], ranks - 1);
            CollectiveMismatchException mismatch = CallTexts.mismatch(job(0), texts.read(job(0), mark, "an unknown call"),
                    job(other), texts.read(job(other), mark, "an unknown call"));
            // No rank ends, and takes its text along, before all have read.
            agree(Call.EXPLANATION, null, words, (into, from) -> true);
            return mismatch;
        } catch (PgasException e) {
            return new CollectiveMismatchException("the collective calls of the ranks differ; rank " + job(rank) + ": "
                    + mine + " at " + CallSite.find() + "; the others could not be asked", e);
        }
    }

    private static String text(Call call, Supplier<String> given) {
        return given == null ? call.text() : call.text() + "(" + given.get() + ")";
    }

    /** Words: what the lowest rank calls, its number, and the lowest rank that calls something else. */
    private static boolean findOther(long[] into, long[] from) {
        into[2] = Math.min(into[2], into[0] == from[0] ? from[2] : from[1]);
        return true;
    }
}
