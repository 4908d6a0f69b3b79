package org.pgas4j.runtime.notify;

import java.util.function.Function;
import org.pgas4j.Collectives;
import org.pgas4j.ExceptionalExit;
import org.pgas4j.Team;
import org.pgas4j.collective.Group;
import org.pgas4j.space.memory.ControlArea;
import org.pgas4j.space.sync.Call;
import org.pgas4j.space.sync.ScalarAllReduce;

/** One rank's view of a team: who is in it, how they exchange words, and where its windows are listed. */
final class RankTeam implements Team {

    private static final Call CLOSE = new Call("close() of a team", 0);

    private final Object owner;
    private final int index;
    private final int ranks;
    private final int[] members; // null if they are all ranks
    private final ScalarAllReduce words;
    private final Group group;
    private final long table;
    private final Runnable barrier;
    private final Function<Team, Collectives> forms;
    private final Runnable release;
    private Collectives collectives;
    private long slots;
    private long left; // those of them whose members have not met at the close
    private boolean closed;

    /**
     * @param owner   what made it: tells a rank's own teams from others
     * @param ranks   members
     * @param members their ranks in the job; null if they are all of them
     * @param group   for collective operations
     * @param table   offset of the window table in every member's host segment
     * @param forms   makes the collective operations of a team
     * @param release gives back its memory, when all members have come to close it; null if it has none
     */
    RankTeam(Object owner, int index, int ranks, int[] members, ScalarAllReduce words, Group group, long table, Runnable barrier,
             Function<Team, Collectives> forms, Runnable release) {
        this.release = release;
        this.group = group;
        this.forms = forms;
        this.owner = owner;
        this.index = index;
        this.ranks = ranks;
        this.members = members;
        this.words = words;
        this.table = table;
        this.barrier = barrier;
    }

    Object owner() {
        return owner;
    }

    @Override
    public int rank() {
        return index;
    }

    @Override
    public int ranks() {
        return ranks;
    }

    @Override
    public int worldRank(int member) {
        if (member < 0 || member >= ranks) {
            throw new IndexOutOfBoundsException("member of a team out of range: member=" + member + " ranks="
                    + ranks);
        }
        return members == null ? member : members[member];
    }

    @Override
    public void barrier() {
        barrier.run();
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        if (release == null) {
            throw new UnsupportedOperationException("close of rank " + index + ": " + this + ", the team of all ranks, is as old "
                    + "as the job");
        }
        if (ExceptionalExit.isTaken() || isGivenUp()) {
            closed = true;
            words.close(toString());
            return;
        }
        long open = slots & ~left;
        if (open != 0) {
            throw new IllegalStateException("close of rank " + worldRank(index) + ": " + this + " has " + Long.bitCount(open)
                    + " open windows; close them first");
        }
        words.run(CLOSE, new long[0], (into, from) -> true);
        closed = true;
        words.close(toString());
        release.run();
    }

    @Override
    public Collectives collectives() {
        if (collectives == null) {
            collectives = forms.apply(this);
        }
        return collectives;
    }

    Group group() {
        return group;
    }

    ScalarAllReduce words() {
        return words;
    }

    /** True if this rank has left an operation of the team before its end: it waits for the members no more. */
    boolean isGivenUp() {
        return words.isGivenUp();
    }

    /** Lowest number that no window has; every member finds the same, for windows come and go in one order. */
    int freeSlot() {
        int slot = Long.numberOfTrailingZeros(~slots);
        if (slot >= ControlArea.WINDOWS) {
            throw new IllegalStateException("a team has " + ControlArea.WINDOWS + " windows at most; close one first");
        }
        return slot;
    }

    void take(int slot) {
        slots |= 1L << slot;
    }

    void giveBack(int slot) {
        slots &= ~(1L << slot);
    }

    /** Closes a window for this member alone. Others may still use it, until they come to the next meeting. */
    void leave(int slot) {
        left |= 1L << slot;
    }

    /** All members have come as far as this one: numbers of windows that they have left are free. */
    void met() {
        slots &= ~left;
        left = 0;
    }

    long entry(int slot) {
        return table + (long) slot * ControlArea.WINDOW_ENTRY_BYTES;
    }

    @Override
    public String toString() {
        return "Team[" + index + " of " + ranks + "]";
    }
}
