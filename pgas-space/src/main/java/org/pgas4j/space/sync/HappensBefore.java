package org.pgas4j.space.sync;

/**
 * Is told what orders one rank's work with that of others: a rank gives what it has done so far, and those who take it up come
 * after. Gives are told before anybody can see them, takes after. By itself it keeps nothing. Used by the rank's thread, if not
 * said otherwise.
 */
public class HappensBefore {

    /** Keeps nothing. */
    public static final HappensBefore NONE = new HappensBefore();

    /** Place of {@link Barrier}s; exchanges of words meet at the place of their words. */
    public static final long BARRIER = -1;

    /** Made by those who keep something. */
    protected HappensBefore() {
    }

    /**
     * The rank comes to a meeting.
     *
     * @param place   and the first member tell meetings that are on at once from each other
     * @param members ranks of the job; null for all
     * @param number  counts meetings of a place
     */
    public void arrives(long place, int[] members, long number) {
    }

    /** All have come; as {@link #arrives}. */
    public void leaves(long place, int[] members, long number) {
    }

    /** The rank completes all it has put: what it puts next may be a flag. */
    public void fences() {
    }

    /**
     * The rank notifies another.
     *
     * @param value a value of the tag, not a count
     */
    public void notifies(int target, int tag, boolean value) {
    }

    /** Another rank is notified by what this rank's streams and kernels have done. Any thread. */
    public void notifiesLater(int target, int tag, boolean value) {
    }

    /** The rank has seen notifications of a tag. Any thread. */
    public void takes(int tag, boolean value) {
    }

    /** The rank gives what it has done to those who next take a word, as by unlocking; told before anybody can. */
    public void gives(long generation, int owner, long offset) {
    }

    /** The rank has taken a word, as by locking: it comes after those who gave there. */
    public void joins(long generation, int owner, long offset) {
    }

    /** From now on the rank's streams take up what others give, and nobody knows when. */
    public void takesUnseen() {
    }

    /** From now on kernels notify ranks, and nobody knows when. */
    public void notifiesUnseen() {
    }
}
