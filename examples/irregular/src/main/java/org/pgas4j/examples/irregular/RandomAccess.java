package org.pgas4j.examples.irregular;

import java.util.function.LongConsumer;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedLongs;
import org.pgas4j.examples.common.Answer;
import org.pgas4j.examples.common.CheckedExample;
import org.pgas4j.examples.common.JsonLine;
import picocli.CommandLine.Command;

/**
 * HPCC RandomAccess: {@code table[x & (size-1)] ^= x} for the benchmark's 4 size pseudorandom words x. All updates a second time
 * must restore the table. They are atomic, so no element may differ; the benchmark would allow one in a hundred. Beside the rate of
 * all ranks on the table it shows that of the same words, all ranks at the same time, each on a table of its own by plain code.
 */
@Command(name = "random-access", header = "HPCC RandomAccess: atomic exclusive ors at random places of a global array.")
public final class RandomAccess extends CheckedExample {

    private static final int DIGITS = 6; // of 10^9 updates per second

    RandomAccess() {
    }

    public static void main(String[] args) {
        new RandomAccess().start(args);
    }

    private long tableSize() {
        return 1L << problem().of(15, 20, 24);
    }

    @Override
    protected long hostBytes(int ranks) {
        return Long.BYTES * Math.ceilDiv(tableSize(), ranks);
    }

    @Override
    protected Answer solve(Rank rank) {
        SharedLongs table = rank.allAllocLongs(Layout.even(), tableSize());
        long updates = 4 * tableSize();
        long first = updates * rank.rank() / rank.ranks();
        long count = updates * (rank.rank() + 1) / rank.ranks() - first;

        long[] own = new long[(int) Long.highestOneBit(Math.ceilDiv(tableSize(), rank.ranks()))];
        long start = start(rank);
        forEachWord(first, count, x -> own[(int) x & (own.length - 1)] ^= x);
        long ownNs = since(rank, start);

        table.forAllLocal(i -> table.put(i, i));
        start = start(rank);
        update(rank, table, first, count);
        long ns = since(rank, start);

        if (spoils(rank)) {
            rank.atomics().xor(table.pointer(0), 1);
        }
        update(rank, table, first, count);
        rank.barrier();
        long[] wrong = new long[1];
        table.forAllLocal(i -> wrong[0] += table.get(i) == i ? 0 : 1);
        long all = rank.allReduce(wrong[0], ReduceOp.SUM);
        rank.allFree(table);
        JsonLine rates = new JsonLine().add("gup_s", (double) updates / ns, DIGITS)
                .add("own_gup_s", (double) updates / ownNs, DIGITS);
        return new Answer("0 wrong", all + " wrong", all == 0, ns, rates);
    }

    private static void update(Rank rank, SharedLongs table, long first, long count) {
        forEachWord(first, count, x -> rank.atomics().xor(table.pointer(x & (table.length() - 1)), x));
    }

    /** The words from the {@code first} on. */
    private static void forEachWord(long first, long count, LongConsumer update) {
        long x = power(first);
        for (long i = 0; i < count; i++) {
            x = timesX(x);
            update.accept(x);
        }
    }

    /**
     * The benchmark's next word: words are polynomials over GF(2) modulo {@code X^64 + X^2 + X + 1}, and the n-th is {@code X^n}.
     */
    static long timesX(long word) {
        return word << 1 ^ (word < 0 ? 7 : 0);
    }

    /** {@code X^n}, by repeated squaring. */
    static long power(long n) {
        long power = 1;
        long square = 2;
        for (long left = n; left > 0; left >>= 1) {
            if ((left & 1) == 1) {
                power = product(power, square);
            }
            square = product(square, square);
        }
        return power;
    }

    private static long product(long a, long b) {
        long product = 0;
        long shifted = a;
        for (long left = b; left != 0; left >>>= 1) {
            product ^= (left & 1) == 1 ? shifted : 0;
            shifted = timesX(shifted);
        }
        return product;
    }
}
