package org.pgas4j;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The notifications a rank's host code gets and gives. For each tag 0..255 there is a counter: a notification adds one, waiting
 * takes away, and what is available is arrived minus consumed. For each tag there is also a value (GASPI's notifications): set
 * by a notification with a value, taken by {@link #reset}. Counter and value of a tag have nothing to do with each other.
 *
 * <p>Host code, streams and kernels of any rank may notify. Whoever has seen a notification sees everything that its sender
 * wrote to this rank before it. Waits serve other ranks' requests meanwhile. Used by the rank's thread, futures by any.
 *
 * <p>Every wait has a deadline: the job's timeout, or the one given. Past it {@link NotificationTimeoutException} says what was
 * expected and seen; nothing is consumed.
 *
 * <p>A tag that there is not, or a count outside 0..{@value #MAX_COUNT}, is an {@link IllegalArgumentException}.
 */
public interface Notifications {

    /** Number of tags. */
    int TAGS = 256;

    /** Largest number of notifications that one call waits for or consumes: blocks of GPUs count in 32 bits, with sign. */
    int MAX_COUNT = Integer.MAX_VALUE;

    /** Adds one to the counter of {@code tag} at rank {@code target} of the job, after everything this rank sent it before. */
    void signal(int target, int tag);

    /**
     * Sets the value of {@code tag} at rank {@code target}, after everything this rank sent it before.
     *
     * @param value not 0
     */
    void signalSet(int target, int tag, long value);

    /** Notifications of {@code tag} that have arrived and are not consumed. */
    long available(int tag);

    /** Waits for {@code count} notifications of {@code tag} and consumes them. */
    void await(int tag, long count);

    /** As {@link #await(int, long)}, with a deadline of its own. */
    void await(int tag, long count, Duration timeout);

    /** Consumes {@code count} notifications of {@code tag} if there are so many; never blocks. */
    boolean test(int tag, long count);

    /** Waits until one of {@code tags} has a notification, consumes one and returns its tag; of several the first named. */
    int awaitAny(int[] tags, Duration timeout);

    /**
     * Waits until one of the values of tags {@code first}..{@code first + count - 1} is set and returns the lowest such tag
     * (GASPI's {@code notify_waitsome}).
     */
    int awaitSome(int first, int count, Duration timeout);

    /** The lowest of these tags whose value is set, or -1; never blocks. */
    int testSome(int first, int count);

    /**
     * Waits until one of several windows has a notification from {@code source} with one of the tags {@code first}..
     * {@code first + tags - 1}, and consumes one: of the window named first, then of the lowest tag.
     *
     * @param windows of this rank
     * @param source  number in the team of each window, or {@link SourceWindow#ANY_SOURCE}
     */
    SourceWindow.Arrival awaitSome(List<? extends SourceWindow> windows, int source, int first, int tags, Duration timeout);

    /** Takes the value of {@code tag}: returns it and sets it to 0, atomically (GASPI's {@code notify_reset}). */
    long reset(int tag);

    /**
     * Consumes the next {@code count} notifications of {@code tag} now; the future completes when they have arrived. It
     * completes exceptionally with {@link NotificationTimeoutException} past the job's timeout, or with the job's failure.
     * Needs no further call of the rank where there are helper threads ({@code pgas.helper}), else it completes while the rank waits
     * or calls {@link Rank#progress()}. What is chained to it runs on the completing thread and must not wait there. A future that
     * completes exceptionally has consumed nevertheless; those left when the rank ends are cancelled.
     */
    CompletableFuture<Void> future(int tag, long count);
}
