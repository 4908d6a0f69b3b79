package org.pgas4j.runtime.check;

import org.pgas4j.runtime.sync.Ordering;

/** Tells {@link RaceDetector} what one rank does to be in order with others. */
public final class RankOrdering extends Ordering {

    private final RaceDetector races;
    private final int rank;

    public RankOrdering(Checks checks, int rank) {
        this.races = checks.races();
        this.rank = rank;
    }

    @Override
    public void arrives(long place, int[] members, long number) {
        races.arrives(rank, place, members, number);
    }

    @Override
    public void leaves(long place, int[] members, long number) {
        races.leaves(rank, place, members, number);
    }

    @Override
    public void fences() {
        races.fences(rank);
    }

    @Override
    public void notifies(int target, int tag, boolean value) {
        races.notifies(rank, target, tag, value);
    }

    @Override
    public void notifiesLater(int target, int tag, boolean value) {
        races.notifiesLater(rank, target, tag, value);
    }

    @Override
    public void takes(int tag, boolean value) {
        races.takes(rank, tag, value);
    }

    @Override
    public void takesUnseen() {
        races.takesUnseen(rank);
    }

    @Override
    public void notifiesUnseen() {
        races.notifiesUnseen();
    }
}
