package org.pgas4j.runtime.sync;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.PgasException;
import org.pgas4j.ReduceOp;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.runtime.memory.Peers;
import org.pgas4j.runtime.watch.Failpoint;

/**
 * Combines a few words of every rank and gives all ranks the result: up a binomial tree to rank 0 and down again,
 * 2 log2(n) steps. A barrier as well: no rank leaves before all have arrived with their transfers complete. Everybody must call it in the same order; nobody can be ahead by more than one call, which is what lets
 * a slot be used again.
 */
public final class WordExchange {

    /** Words in one exchange at most. */
    public static final int MAX_WORDS = 12;

    /** Combines {@code other} into {@code into}. */
    @FunctionalInterface
    public interface Combiner {
        void combine(long[] into, long[] other);
    }

    private final int rank;
    private final int ranks;
    private final Peers peers;
    private final Waiter waiter;
    private final Arrivals arrivals;
    private final int[] members;
    private final long base;
    private final int levels;
    private final Endpoint own;
    private final long[] other = new long[MAX_WORDS];
    private final Supplier<String> reason = this::describe;
    private long sequence;
    private int waitsFor;

    /** Between all ranks. */
    public WordExchange(int rank, int ranks, Peers peers, Waiter waiter, ControlArea area, Arrivals arrivals) {
        this(rank, ranks, null, peers, waiter, area.levels(), area.wordsIn(0), arrivals);
    }

    /**
     * Between some ranks.
     *
     * @param index   this rank's place in {@code members}
     * @param members ranks of the job
     * @param base    offset in every member's host segment of {@link ControlArea#exchangeBytes()} bytes, zero at first
     */
    public WordExchange(int index, int[] members, Peers peers, Waiter waiter, ControlArea area, long base, Arrivals arrivals) {
        this(index, members.length, members, peers, waiter, area.levels(), base, arrivals);
    }

    private WordExchange(int rank, int ranks, int[] members, Peers peers, Waiter waiter, int levels, long base,
                         Arrivals arrivals) {
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

    /** Exchanges; {@code words} holds the result afterwards. */
    public void run(long[] words, Combiner combiner) {
        Failpoint.hit(Failpoint.COLLECTIVE);
        arrivals.arrive(base, members, sequence + 1);
        sequence++;
        int level = 0;
        for (; 1 << level < ranks; level++) {
            int distance = 1 << level;
            if ((rank & distance) != 0) {
                write(job(rank - distance), wordsIn(level), words);
                break;
            }
            if (rank + distance < ranks) {
                waitsFor = job(rank + distance);
                read(wordsIn(level), words.length, other);
                combiner.combine(words, other);
            }
        }
        if (rank != 0) {
            waitsFor = job(rank - (1 << level));
            read(wordsOut(), words.length, words);
        }
        for (int below = level - 1; below >= 0; below--) {
            if (rank + (1 << below) < ranks) {
                write(job(rank + (1 << below)), wordsOut(), words);
            }
        }
        arrivals.leave(base, members, sequence);
    }

    private void write(int target, long line, long[] words) {
        Endpoint to = peers.get(target).endpoint();
        for (int i = 0; i < words.length; i++) {
            to.putWordRelease(line + (i + 1L) * Long.BYTES, words[i]);
        }
        // release: pairs with the acquire in read
        to.putWordRelease(line, sequence);
        peers.wake(target);
    }

    private void read(long line, int count, long[] into) {
        waiter.begin();
        while (own.getWordAcquire(line) != sequence) {
            waiter.pause(reason);
        }
        for (int i = 0; i < count; i++) {
            into[i] = own.getWordAcquire(line + (i + 1L) * Long.BYTES);
        }
    }

    private String describe() {
        String what = waiter.activity().operation() + " of rank " + job(rank);
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
        long[] words = {Double.doubleToRawLongBits(value)};
        run(words, (into, from) -> into[0] = Double.doubleToRawLongBits(
                op.apply(Double.longBitsToDouble(into[0]), Double.longBitsToDouble(from[0]))));
        return Double.longBitsToDouble(words[0]);
    }

    /** All ranks' values combined. */
    public long allReduce(long value, ReduceOp op) {
        long[] words = {value};
        run(words, (into, from) -> into[0] = op.apply(into[0], from[0]));
        return words[0];
    }

    /** True on every rank if all gave the same words. */
    public boolean allEqual(long... mine) {
        long[] words = new long[mine.length + 1];
        System.arraycopy(mine, 0, words, 1, mine.length);
        run(words, (into, from) -> {
            into[0] |= from[0];
            for (int i = 1; i < words.length; i++) {
                if (into[i] != from[i]) {
                    into[0] = 1;
                }
            }
        });
        return words[0] == 0;
    }

    /**
     * Ends on every rank with an exception that names two calls which differ, and where they are, if the ranks do not all give
     * the same words.
     *
     * @param call    name of the operation
     * @param details what this rank gave
     */
    public void requireSame(String call, Supplier<String> details, long... mine) {
        if (allEqual(mine)) {
            return;
        }
        // Everybody knows that they differ and comes here; only now is it worth while to look at the stack.
        String here = CallSite.find() + " " + call;
        CollectiveMismatchException mismatch;
        try {
            long[] first = told(0, Arrays.hashCode(mine), here);
            long odd = allReduce(first[0] == Arrays.hashCode(mine) ? Long.MAX_VALUE : rank, ReduceOp.MIN);
            String both = "rank " + job(0) + " at " + text(first);
            if (odd < ranks) {
                both += ", rank " + job((int) odd) + " at " + text(told((int) odd, 0, here));
            }
            mismatch = new CollectiveMismatchException(call + " was called differently by the ranks: " + both + "; rank "
                    + job(rank) + " at " + here + " gave " + details.get());
        } catch (PgasException e) {
            mismatch = new CollectiveMismatchException(call + " was called differently by the ranks: rank " + job(rank) + " at "
                    + here + " gave " + details.get() + "; the others could not be asked", e);
        }
        throw mismatch;
    }

    /** A hash and a text of {@code root}, cut to what fits. */
    private long[] told(int root, long hash, String text) {
        byte[] bytes = Arrays.copyOf(text.getBytes(StandardCharsets.UTF_8), (MAX_WORDS - 2) * Long.BYTES);
        long[] words = new long[MAX_WORDS - 1];
        words[0] = hash;
        ByteBuffer.wrap(bytes).asLongBuffer().get(words, 1, words.length - 1);
        broadcast(root, words);
        return words;
    }

    private static String text(long[] words) {
        ByteBuffer bytes = ByteBuffer.allocate((words.length - 1) * Long.BYTES);
        bytes.asLongBuffer().put(words, 1, words.length - 1);
        return new String(bytes.array(), StandardCharsets.UTF_8).replace("\0", "");
    }

    /** The words of rank {@code root}, on every rank. */
    public void broadcast(int root, long[] words) {
        long[] marked = new long[words.length + 1];
        if (rank == root) {
            marked[0] = 1;
            System.arraycopy(words, 0, marked, 1, words.length);
        }
        run(marked, (into, from) -> {
            if (from[0] == 1) {
                System.arraycopy(from, 0, into, 0, marked.length);
            }
        });
        System.arraycopy(marked, 1, words, 0, words.length);
    }
}
