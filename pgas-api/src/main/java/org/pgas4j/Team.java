package org.pgas4j;

/**
 * A group of ranks in a fixed order. {@link Rank#world()} has all ranks; {@link #split} and {@link #team} make others.
 * Collective methods must be called by every member in the same order; once this rank has left one before its end, by a
 * deadline or another exception, all are refused with an {@link IllegalStateException} that has it as its cause. Used by the
 * rank's thread.
 *
 * <p>A team that was split off keeps memory of the members' host heaps: some KiB, and 512 KiB more once it has moved private
 * memory that is too large to travel with an exchange. {@link #close} gives both back.
 */
public interface Team extends AutoCloseable {

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

    /** Collective: as {@link Collectives#split(int, int)}, in the order of {@code key}. */
    default Team split(int color, int key) {
        return collectives().split(color, key);
    }

    /** Collective over this team: as {@link Collectives#team}, of the given members; null on a rank that is not among them. */
    default Team team(int... members) {
        return collectives().team(members);
    }

    /**
     * Collective over the members: completes the operations that were started in the team and gives back its memory, of which the
     * part that all teams of one split share is free when the last of them is closed. Teams split off from this one stay as they
     * are. Collective methods are refused afterwards, another {@code close} does nothing. {@link ExceptionalExit On the way of
     * an exception}, and once this rank has left an operation of the team by one, it waits for no other member, and the memory stays
     * taken until the job ends.
     *
     * @throws IllegalStateException         if windows of the team are open
     * @throws UnsupportedOperationException if it is the team of all ranks
     */
    @Override
    void close();
}
