package org.pgas4j.examples.irregular;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.pgas4j.Completion;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedLongs;
import org.pgas4j.examples.common.Answer;
import org.pgas4j.examples.common.CheckedExample;
import picocli.CommandLine.Command;

/**
 * bale's index gather: {@code target[i] = table[index[i]]}, where the table is dealt to the ranks element by element and the
 * indexes are random. The gets are implicit: many are under way at once, and one call completes all. The value of an element
 * follows from its index, so every one of them is checked.
 */
@Command(name = "index-gather", header = "bale index-gather: random elements of a global array are read.")
public final class IndexGather extends CheckedExample {

    IndexGather() {
    }

    public static void main(String[] args) {
        new IndexGather().start(args);
    }

    private long tableSize() {
        return problem().of(1 << 16, 1 << 20, 1 << 24);
    }

    private long requests() {
        return 4 * tableSize();
    }

    @Override
    protected long hostBytes(int ranks) {
        return Long.BYTES * Math.ceilDiv(tableSize(), ranks);
    }

    @Override
    protected Answer solve(Rank rank) {
        SharedLongs table = rank.allAllocLongs(Layout.cyclic(), tableSize());
        table.forAllLocal(i -> table.put(i, value(i)));
        int count = Math.toIntExact(requests() * (rank.rank() + 1) / rank.ranks() - requests() * rank.rank() / rank.ranks());
        long[] indexes = new SplittableRandom(rank.rank()).longs(count, 0, tableSize()).toArray();
        rank.barrier();
        if (spoils(rank)) {
            table.put(indexes[0], -1);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment target = arena.allocate(ElementType.LONG.bytes(count), Long.BYTES);

            long start = start(rank);
            for (int i = 0; i < count; i++) {
                rank.rma().get(target.asSlice((long) Long.BYTES * i, Long.BYTES), table.pointer(indexes[i]), Long.BYTES,
                        Completion.IMPLICIT);
            }
            rank.rma().syncAll();
            long ns = since(rank, start);

            long wrong = 0;
            for (int i = 0; i < count; i++) {
                wrong += target.get(ElementType.LAYOUT_LONG, (long) Long.BYTES * i) == value(indexes[i]) ? 0 : 1;
            }
            long all = rank.allReduce(wrong, ReduceOp.SUM);
            rank.allFree(table);
            return new Answer("0 wrong", all + " wrong", all == 0, ns);
        }
    }

    private static long value(long index) {
        return 3 * index + 1;
    }
}
