package org.pgas4j.fastpath.protocol;

/** Applies notifications that arrive as messages. Called by the port's current owner. */
@FunctionalInterface
public interface NotificationSink {

    /** Kind of a notification that adds to a counter. */
    int COUNTER = 0;
    /** Kind of a notification that sets a value. */
    int VALUE = 1;
    /** Kind of a notification that adds one to a word of the rank's host segment, whose offset is the notification's value. */
    int WORD = 2;
    /** Block of notifications for the rank itself. */
    int RANK = -1;

    /**
     * Applies a notification, after everything sent before it on the same pair.
     *
     * @param block of the rank's device, or {@link #RANK}
     * @param tag   0..{@link org.pgas4j.Notifications#TAGS}-1
     * @param kind  {@link #COUNTER}, {@link #VALUE} or {@link #WORD}
     * @param value added to the counter, or the new value, or the offset of the word
     * @return false if that cannot be done yet; the port tries again
     * @throws IllegalStateException if there is no such block or word
     */
    boolean signal(int block, int tag, int kind, long value);
}
