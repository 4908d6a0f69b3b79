package org.pgas4j;

import java.time.Duration;

/**
 * A window that counts its notifications by their source: for each member of the team and each tag 0..255 there is a counter of
 * this window alone, as dCUDA's notifications name window, source and tag. What {@link #putNotify}, {@link #getNotify}, {@link
 * #signal}, the puts of streams to this window and what is prepared for it add goes to these counters and not to those of {@link
 * Notifications}; {@link #putNotifySet} sets a value of the rank, as for any window. Order and visibility are those of {@link
 * Window}.
 *
 * <p>Sources are members' numbers in {@link #team()}, or {@link #ANY_SOURCE}. A notification is consumed once, whichever wait
 * takes it. Waits for any source take from members in turn, so that a busy one does not hide the others. Waits serve other
 * ranks' requests, and end at their deadline with {@link NotificationTimeoutException}; nothing is consumed then. Each wait for
 * any source looks at a word of each member. Used by the rank's thread.
 *
 * <p><b>Errors.</b> A source outside the team throws {@link IndexOutOfBoundsException}, a tag outside 0..255, a count outside
 * 0..{@value Notifications#MAX_COUNT} or an empty range {@link IllegalArgumentException}.
 */
public interface SourceWindow extends Window {

    /** In place of a source: whichever it is. */
    int ANY_SOURCE = -1;

    /**
     * A notification that was consumed.
     *
     * @param window it arrived by
     * @param source number of its sender in the window's team
     * @param tag    it was sent with
     */
    record Arrival(SourceWindow window, int source, int tag) {
    }

    /** Notifications of {@code tag} from {@code source}, or from all members, that have arrived and are not consumed. */
    long available(int source, int tag);

    /** Waits for {@code count} notifications of {@code tag} from {@code source}, or from all members together; consumes them. */
    void await(int source, int tag, long count);

    /** As {@link #await(int, int, long)}, with a deadline of its own. */
    void await(int source, int tag, long count, Duration timeout);

    /** Consumes {@code count} notifications of {@code tag} from {@code source} if there are so many; never blocks. */
    boolean test(int source, int tag, long count);

    /**
     * Waits until a notification from {@code source} has arrived with one of the tags {@code first}..{@code first + tags - 1},
     * and consumes one: of the lowest such tag.
     */
    Arrival awaitSome(int source, int first, int tags, Duration timeout);

    /** As {@link #awaitSome}; null if there is none. Never blocks. */
    Arrival testSome(int source, int first, int tags);
}
