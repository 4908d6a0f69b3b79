package org.pgas4j;

/**
 * A group of ranks in a fixed order. {@link Rank#world()} has all ranks; {@link Collectives#split} makes others. Collective
 * methods must be called by every member in the same order. Used by the rank's thread.
 */
public interface Team {

    /** This rank's number in the team, 0..{@link #ranks()}-1. */
    int rank();

    /** Number of members. */
    int ranks();

    /**
     * The number in the job of the {@code member}-th of the team.
     *
     * @throws IndexOutOfBoundsException if there is no such member
     */
    int worldRank(int member);

    /**
     * Collective: returns when every member has come. Includes {@link Rank#fence()}: all members read after it what any
     * member has put before it.
     */
    void barrier();

    /** Collective operations of the members. */
    Collectives collectives();

    /**
     * Collective: teams of the members that give the same {@code color}, in the order of their numbers.
     *
     * @return the team of this rank
     */
    default Team split(int color) {
        return collectives().split(color);
    }
}
