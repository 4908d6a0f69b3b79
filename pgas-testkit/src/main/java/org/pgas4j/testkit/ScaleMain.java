package org.pgas4j.testkit;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Backend;
import org.pgas4j.Layout;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedPointer;

/** Many ranks: a barrier, a broadcast and a ring of puts. {@code ScaleMain [ranks]}. */
public final class ScaleMain {

    private static final int BYTES = 1024;

    private ScaleMain() {
    }

    public static void main(String[] args) {
        int ranks = args.length == 0 ? 1024 : Integer.parseInt(args[0]);
        Pgas.run(new PgasConfig().ranks(ranks).hostHeap(1 << 16).deviceHeap(1 << 16).device(Backend.HOST), ScaleMain::run);
    }

    /** Collective. */
    public static void run(Rank rank) {
        Check check = new Check(rank);
        long start = System.nanoTime();
        for (int round = 0; round < 3; round++) {
            rank.barrier();
        }
        SharedPointer shared = rank.allAlloc(rank.ranks(), BYTES);
        MemorySegment memory = Arena.ofAuto().allocate(BYTES);
        int root = rank.ranks() / 3;
        for (int i = 0; i < BYTES; i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, Memory.pattern(rank.rank(), i));
        }
        SharedPointer source = rank.allAlloc(rank.ranks(), BYTES);
        rank.memput(source.onRank(rank.rank()), memory, BYTES);
        rank.collectives().broadcast(shared, source.onRank(root), BYTES);
        rank.memget(memory, shared.onRank(rank.rank()), BYTES);
        check.same(-1L, Memory.mismatch(memory, root, 0, BYTES), "broadcast from rank " + root);

        SharedLongs ring = rank.allAllocLongs(Layout.cyclic(), rank.ranks());
        int next = (rank.rank() + 1) % rank.ranks();
        ring.put(next, rank.rank());
        rank.barrier();
        check.same((long) (rank.rank() + rank.ranks() - 1) % rank.ranks(), ring.get(rank.rank()), "ring");
        check.same(rank.ranks() * (rank.ranks() - 1L) / 2, rank.allReduce((long) rank.rank(), ReduceOp.SUM), "sum");
        long checks = check.finish("scale");
        if (rank.rank() == 0) {
            System.out.printf("scale: %d checks passed, ranks=%d, %.1f s%n", checks, rank.ranks(),
                    (System.nanoTime() - start) / 1e9);
        }
    }
}
