package org.pgas4j.testkit;

import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedBytes;
import org.pgas4j.SharedPointer;
import org.pgas4j.Team;
import org.pgas4j.Window;

/**
 * Every operation that all ranks do together and that is a barrier as well: what any of them has put before is there after it.
 */
enum Meeting {

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
    REDUCE;

    /** Bytes of each rank that {@link Place} needs in the shared host heap, beside a team of all ranks. */
    static long heapBytes(int ranks) {
        return Long.BYTES * (ranks + 1L);
    }

    /** The memory and the team that meetings need; its making and closing are collective. */
    static final class Place implements AutoCloseable {

        private final Rank rank;
        private final Team team;
        private final SharedPointer source;
        private final SharedPointer target;

        Place(Rank rank) {
            this.rank = rank;
            this.team = rank.collectives().split(0);
            try (Scope _ = rank.offDevice()) {
                this.source = rank.allAlloc(rank.ranks(), Long.BYTES);
                this.target = rank.allAlloc(rank.ranks(), (long) Long.BYTES * rank.ranks());
            }
        }

        @Override
        public void close() {
            rank.allFree(target);
            rank.allFree(source);
        }
    }

    /**
     * Collective.
     *
     * @param number the same on all ranks: root, label
     * @return what gives back what was made; collective as well
     */
    Runnable hold(Place place, long number) {
        Rank rank = place.rank;
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
            case TEAM_BARRIER -> place.team.barrier();
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
                Window made = rank.createWindow(place.team, place.source.onRank(rank.rank()), Long.BYTES);
                return made::close;
            }
            case BROADCAST -> rank.collectives().broadcast(place.target, place.source.onRank(root), Long.BYTES);
            case GATHER -> rank.collectives().gather(place.target.onRank(root), place.source, Long.BYTES);
            case REDUCE -> rank.collectives().reduce(place.target.onRank(root), place.source, ElementType.LONG, 1, ReduceOp.SUM);
        }
        return nothing;
    }
}
