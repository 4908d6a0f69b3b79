package org.pgas4j.space.sync;

/**
 * A collective operation on a stream as the checks see it: the rank comes to it when it queues the operation. When it knows that
 * its stream is complete, it comes after what the other members did before they queued theirs. Used by the rank's thread.
 */
public final class StreamMeeting {

    private final HappensBefore ordering;
    private final long place;
    private final int[] members;
    private final long number;
    private boolean left;

    private StreamMeeting(HappensBefore ordering, long place, int[] members, long number) {
        this.ordering = ordering;
        this.place = place;
        this.members = members;
        this.number = number;
    }

    /**
     * The rank comes to a meeting; before its stream can let another rank go on. Parameters are those of {@link
     * HappensBefore#arrives}.
     */
    public static StreamMeeting arrive(HappensBefore ordering, long place, int[] members, long number) {
        ordering.arrives(place, members, number);
        return new StreamMeeting(ordering, place, members, number);
    }

    /** The rank's stream has passed it; more than once does nothing. */
    public void leave() {
        if (!left) {
            left = true;
            ordering.leaves(place, members, number);
        }
    }
}
