package org.pgas4j.testkit.program;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedBytes;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedPointer;
import org.pgas4j.Team;
import org.pgas4j.Window;

/**
 * Every operation that all ranks do together and that is a barrier as well: what any of them has put before is there after it.
 */
public enum CollectiveForm {

    BARRIER,
    LABELLED_BARRIER,
    SPLIT_BARRIER,
    TEAM_BARRIER,
    ALL_REDUCE_LONG,
    ALL_REDUCE_DOUBLE,
    BROADCAST_VALUE,
    ALLOCATION,
    ARRAY_ON_A_RANK,
    WINDOW,
    BROADCAST,
    GATHER,
    REDUCE,
    SCATTER,
    ALL_GATHER,
    EXCHANGE,
    ALL_REDUCE_VECTOR,
    STARTED_SCAN,
    TEAM_ALL_REDUCE,
    PREFIX_REDUCE;

    /** Elements of a private vector that does not travel with the words of an exchange. */
    private static final int LONG_VECTOR = 1000;

    /** Memory and team that these operations need; making and closing it is collective. */
    public static final class Workspace implements AutoCloseable {

        private final Rank rank;
        private final Team team;
        private final SharedPointer source;
        private final SharedPointer target;
        private final SharedLongs array;

        public Workspace(Rank rank) {
            this.rank = rank;
            this.team = rank.collectives().split(0);
            try (Scope _ = rank.offDevice()) {
                this.source = rank.allAlloc(rank.ranks(), Long.BYTES);
                this.target = rank.allAlloc(rank.ranks(), (long) Long.BYTES * rank.ranks());
                this.array = rank.allAllocLongs(Layout.cyclic(), rank.ranks() + 1L);
            }
        }

        @Override
        public void close() {
            rank.allFree(array);
            rank.allFree(target);
            rank.allFree(source);
            team.close();
        }
    }

    /**
     * Collective.
     *
     * @param number the same on all ranks: root, label
     * @return what gives back what was made; collective as well
     */
    public Runnable run(Workspace workspace, long number) {
        Rank rank = workspace.rank;
        int root = (int) Long.remainderUnsigned(number, rank.ranks());
        Runnable nothing = () -> { };
        switch (this) {
            case BARRIER -> rank.barrier();
            case LABELLED_BARRIER -> rank.barrier((int) number);
            case SPLIT_BARRIER -> {
                rank.collectives().beginBarrier();
                rank.progress();
                rank.collectives().endBarrier();
            }
            case TEAM_BARRIER -> workspace.team.barrier();
            case ALL_REDUCE_LONG -> rank.allReduce(number, ReduceOp.SUM);
            case ALL_REDUCE_DOUBLE -> rank.allReduce(1.0, ReduceOp.MAX);
            case BROADCAST_VALUE -> rank.collectives().broadcast(number, root);
            case ALLOCATION -> {
                SharedPointer made = rank.allAlloc(rank.ranks(), 8);
                return () -> rank.allFree(made);
            }
            case ARRAY_ON_A_RANK -> {
                SharedBytes made = rank.allAllocBytes(Layout.onRank(root), 8);
                return () -> rank.allFree(made);
            }
            case WINDOW -> {
                Window made = rank.createWindow(workspace.team, workspace.source.onRank(rank.rank()), Long.BYTES);
                return made::close;
            }
            case BROADCAST -> rank.collectives().broadcast(workspace.target, workspace.source.onRank(root), Long.BYTES);
            case GATHER -> rank.collectives().gather(workspace.target.onRank(root), workspace.source, Long.BYTES);
            case SCATTER -> rank.collectives().scatter(workspace.source, workspace.target.onRank(root), Long.BYTES);
            case ALL_GATHER -> rank.collectives().allGather(workspace.target, workspace.source, Long.BYTES);
            case EXCHANGE -> workspace.team.collectives().exchange(vector(rank.ranks()), vector(rank.ranks()));
            case ALL_REDUCE_VECTOR -> rank.collectives().allReduce(vector(10), vector(10), ReduceOp.SUM);
            case STARTED_SCAN -> workspace.team.collectives().nonBlocking().scan(vector(LONG_VECTOR), vector(LONG_VECTOR),
                    ReduceOp.MAX).sync();
            case TEAM_ALL_REDUCE -> workspace.team.collectives().allReduce(number, ReduceOp.XOR);
            case PREFIX_REDUCE -> rank.collectives().prefixReduce(workspace.array, workspace.array, ReduceOp.SUM);
            case REDUCE -> rank.collectives().reduce(workspace.target.onRank(root), workspace.source, ElementType.LONG, 1, ReduceOp.SUM);
        }
        return nothing;
    }

    private static Buffer vector(int length) {
        return Buffer.ofHost(MemorySegment.ofArray(new long[length]), ElementType.LONG);
    }
}
