package org.pgas4j.space.check;

import org.pgas4j.space.sync.HappensBefore;

/** Tells {@link RaceDetector} what one rank does to be in order with others. */
public final class RankHappensBefore extends HappensBefore {

    private final Checks checks;
    private final Races races;
    private final int rank;
    private final FullHeapChecks heapChecks;

    /** @param heapChecks look at the rank's guards before it arrives at a barrier */
    public RankHappensBefore(Checks checks, int rank, FullHeapChecks heapChecks) {
        this.heapChecks = heapChecks;
        this.checks = checks;
        this.races = checks.races();
        this.rank = rank;
    }

    private Races.Meeting meeting(long place, int[] members, long number) {
        return members == null ? new Races.Meeting(place, 0, checks.ranks(), number)
                : new Races.Meeting(place, members[0], members.length, number);
    }

    @Override
    public void arrives(long place, int[] members, long number) {
        if (place == BARRIER) {
            heapChecks.atBarrier();
        }
        races.arrives(rank, meeting(place, members, number));
    }

    @Override
    public void leaves(long place, int[] members, long number) {
        races.leaves(rank, meeting(place, members, number));
    }

    @Override
    public void fences() {
        checks.fences(rank);
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
    public void gives(long generation, int owner, long offset) {
        races.gives(rank, generation, owner, offset);
    }

    @Override
    public void joins(long generation, int owner, long offset) {
        races.joins(rank, generation, owner, offset);
    }

    @Override
    public void takesUnseen() {
        races.takesUnseen(rank);
    }

    @Override
    public void notifiesUnseen() {
        races.notifiesUnseen(rank);
    }
}
