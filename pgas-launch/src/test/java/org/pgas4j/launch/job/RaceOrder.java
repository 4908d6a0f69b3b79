package org.pgas4j.launch.job;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedPointer;
import org.pgas4j.Team;
import org.pgas4j.Window;

/** Ways to order two ranks' uses of the same memory. */
enum RaceOrder {
    BARRIER, SPLIT_BARRIER, LABELLED_BARRIER, ALL_REDUCE, BROADCAST, TEAM, NOTIFICATION, TEST, AVAILABLE, ANY, VALUE, FUTURE,
    PUT_NOTIFY, FLAG, LOCAL_FLAG, CHAIN, ALLOCATION;

    private static final int TAG = 7;
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    /** Rank 0 gives. */
    void give(Rank rank, SharedPointer shared, Window window, Team team, MemorySegment buffer) {
        switch (this) {
            case NOTIFICATION, TEST, AVAILABLE, ANY, FUTURE -> rank.notifications().signal(1, TAG);
            case VALUE -> rank.notifications().signalSet(1, TAG, 5);
            case PUT_NOTIFY -> window.putNotify(1, 512, buffer, 8, TAG);
            case CHAIN -> rank.notifications().signal(2, TAG);
            case FLAG, LOCAL_FLAG -> {
                buffer.set(ValueLayout.JAVA_LONG, 0, 1);
                rank.fence();
                rank.memput(shared.onRank(1).plus(512), buffer, 8);
            }
            default -> meet(rank, shared, team);
        }
    }

    /** Rank 1 takes. */
    void take(Rank rank, SharedPointer shared, Team team) throws Exception {
        switch (this) {
            case NOTIFICATION, PUT_NOTIFY, CHAIN -> rank.notifications().await(TAG, 1);
            case AVAILABLE -> {
                while (rank.notifications().available(TAG) < 1) {
                    rank.progress();
                }
            }
            case TEST -> {
                while (!rank.notifications().test(TAG, 1)) {
                    rank.progress();
                }
            }
            case ANY -> rank.notifications().awaitAny(new int[] {TAG, TAG + 1}, rank.timeout());
            case VALUE -> assertEquals(TAG, rank.notifications().awaitSome(TAG, 2, rank.timeout()));
            case FUTURE -> {
                var future = rank.notifications().future(TAG, 1);
                while (!future.isDone()) {
                    rank.progress();
                }
                future.get();
            }
            case FLAG -> {
                MemorySegment word = Arena.ofAuto().allocate(8, 8);
                do {
                    rank.memget(word, shared.onRank(1).plus(512), 8);
                } while (word.get(ValueLayout.JAVA_LONG, 0) != 1);
            }
            case LOCAL_FLAG -> {
                MemorySegment word = rank.local(shared.onRank(1).plus(512));
                while ((long) WORD.getAcquire(word, 0L) != 1) {
                    rank.progress();
                }
            }
            default -> meet(rank, shared, team);
        }
    }

    /** The other ranks help. */
    void help(Rank rank, SharedPointer shared, Team team) {
        switch (this) {
            case CHAIN -> {
                rank.notifications().await(TAG, 1);
                rank.notifications().signal(1, TAG);
            }
            case NOTIFICATION, TEST, AVAILABLE, ANY, VALUE, FUTURE, PUT_NOTIFY, FLAG, LOCAL_FLAG, TEAM -> {
            }
            default -> meet(rank, shared, team);
        }
    }

    private void meet(Rank rank, SharedPointer shared, Team team) {
        switch (this) {
            case BARRIER -> rank.barrier();
            case LABELLED_BARRIER -> rank.barrier(3);
            case SPLIT_BARRIER -> {
                rank.collectives().beginBarrier();
                rank.collectives().endBarrier();
            }
            case ALL_REDUCE -> rank.allReduce(1L, ReduceOp.SUM);
            case BROADCAST -> rank.collectives().broadcast(shared.plus(600), shared.onRank(0).plus(700), 50);
            case TEAM -> team.barrier();
            case ALLOCATION -> rank.allFree(rank.allAlloc(3, 64));
            default -> throw new IllegalStateException(toString());
        }
    }

    /** A program of three ranks or more: rank 0 puts, rank 1 reads, twice, and this orders the two. Collective. */
    void run(Rank rank) throws Exception {
        SharedPointer shared = rank.allAlloc(3, 1024).cast(0, 1);
        Team team = rank.collectives().split(rank.rank() < 2 ? 0 : 1);
        Window window = rank.createWindow(rank.world(), shared.onRank(rank.rank()), 1024);
        MemorySegment local = Arena.ofAuto().allocate(1024, 8);
        if (rank.rank() == 1) {
            rank.memset(shared.onRank(1).plus(512), 0, 8);
        }
        rank.barrier();
        for (int round = 0; round < 2; round++) {
            switch (rank.rank()) {
                case 0 -> {
                    rank.memput(shared.onRank(1).plus(1), local, 300);
                    give(rank, shared, window, team, local);
                }
                case 1 -> {
                    take(rank, shared, team);
                    rank.memget(local, shared.onRank(1), 310);
                    rank.memput(shared.onRank(0), rank.local(shared.onRank(1)), 310);
                }
                default -> help(rank, shared, team);
            }
            rank.barrier();
            if (this == VALUE && rank.rank() == 1) {
                rank.notifications().reset(TAG);
            }
            if (this == AVAILABLE && rank.rank() == 1) {
                rank.notifications().await(TAG, 1);
            }
            if ((this == FLAG || this == LOCAL_FLAG) && rank.rank() == 1) {
                rank.memset(shared.onRank(1).plus(512), 0, 8);
            }
            rank.barrier();
        }
        window.close();
    }
}
