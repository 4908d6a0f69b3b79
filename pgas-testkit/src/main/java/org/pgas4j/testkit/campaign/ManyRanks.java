package org.pgas4j.testkit.campaign;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import org.pgas4j.Backend;
import org.pgas4j.Layout;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedPointer;
import org.pgas4j.testkit.program.InRange;
import org.pgas4j.testkit.program.PatternMemory;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.Tally;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Barriers, a broadcast and a ring of puts of many ranks in one JVM. */
@Command(name = "scale", description = "Barriers, a broadcast and a ring of puts of many ranks in one JVM.")
public final class ManyRanks implements Program {

    private static final int BYTES = 1024;

    @InRange(min = 1)
    @Parameters(arity = "0..1", paramLabel = "RANKS", description = "Default: ${DEFAULT-VALUE}.")
    private int ranks = 1024;

    @Override
    public PgasConfig config() {
        return Program.heaps(1 << 16).ranks(ranks).device(Backend.HOST);
    }

    @Override
    public void run(Rank rank) {
        Tally check = new Tally(rank);
        long start = System.nanoTime();
        for (int round = 0; round < 3; round++) {
            rank.barrier();
        }
        SharedPointer shared = rank.allAlloc(rank.ranks(), BYTES);
        MemorySegment memory = PatternMemory.patterned(Arena.ofAuto(), rank.rank(), BYTES);
        int root = rank.ranks() / 3;
        SharedPointer source = rank.allAlloc(rank.ranks(), BYTES);
        rank.memput(source.onRank(rank.rank()), memory, BYTES);
        rank.collectives().broadcast(shared, source.onRank(root), BYTES);
        rank.memget(memory, shared.onRank(rank.rank()), BYTES);
        check.same(-1L, PatternMemory.mismatch(memory, root, 0, BYTES), "broadcast from rank " + root);

        SharedLongs ring = rank.allAllocLongs(Layout.cyclic(), rank.ranks());
        int next = (rank.rank() + 1) % rank.ranks();
        ring.put(next, rank.rank());
        rank.barrier();
        check.same((long) (rank.rank() + rank.ranks() - 1) % rank.ranks(), ring.get(rank.rank()), "ring");
        check.same(rank.ranks() * (rank.ranks() - 1L) / 2, rank.allReduce((long) rank.rank(), ReduceOp.SUM), "sum");
        check.finish("scale", String.format(Locale.ROOT, ", %.1f s", (System.nanoTime() - start) / 1e9));
    }
}
