package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.NotificationTimeoutException;
import org.pgas4j.Prepared;
import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;
import org.pgas4j.SourceWindow;
import org.pgas4j.Stream;
import org.pgas4j.testkit.program.PatternMemory;
import org.pgas4j.testkit.program.Tally;

/** Counters of two windows by source, of host code, streams and prepared communications. */
final class WindowSources extends NeighbourContract {

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final Duration SHORT = Duration.ofMillis(30);

    WindowSources(Rank rank, Tally check) {
        super(rank, check);
    }

    @Override
    void run() {
        SharedPointer base = mine(MemoryKind.HOST, 16L * rank.ranks());
        try (SourceWindow one = rank.createSourceWindow(rank.world(), base, 16L * rank.ranks());
             SourceWindow two = rank.createSourceWindow(rank.world(), base, 0); Arena arena = Arena.ofConfined()) {
            for (int round = 0; round < 3; round++) {
                MemorySegment word = arena.allocate(8, 8);
                word.set(LONG, 0, 500 + 10 * round + me);
                two.signal(previous, 131);
                one.putNotify(next, 8L * me, word, 8, 130);
                one.putNotify(next, 8L * me, Buffer.ofHost(word, ElementType.BYTE), 130);
                one.await(previous, 130, 2);
                check.same(500L + 10 * round + previous, rank.local(base).get(LONG, 8L * previous), "put by its source");
                check.same(0L, one.available(SourceWindow.ANY_SOURCE, 130), "available after two are consumed");
                check.same(0L, notifications.available(130), "the rank's own counters");
                check.same(new SourceWindow.Arrival(two, next, 131), notifications.awaitSome(List.of(one, two),
                        SourceWindow.ANY_SOURCE, 129, 3, rank.timeout()), "any of two windows");
                byStreams(one);
                waitOfStream(one);
                one.signal(0, 134);
                if (me == 0) {
                    one.await(SourceWindow.ANY_SOURCE, 134, rank.ranks());
                }
                check.same(null, one.testSome(SourceWindow.ANY_SOURCE, 0, 256), "all are consumed");
                rank.barrier();
            }
            check.that(!one.test(next, 135, 1) && two.test(me, 135, 0), "tests of what has not come");
            check.refuses(NotificationTimeoutException.class, "tag=135 expected=2 seen=0",
                    () -> one.await(previous, 135, 2, SHORT), "await of what never comes");
            check.refuses(NotificationTimeoutException.class, "from any source",
                    () -> two.awaitSome(SourceWindow.ANY_SOURCE, 3, 2, SHORT), "awaitSome of what never comes");
            check.refuses(IndexOutOfBoundsException.class, "source=" + rank.ranks(), () -> one.await(rank.ranks(), 1, 1),
                    "no such source");
            check.refuses(IllegalArgumentException.class, "tag=256", () -> one.test(me, 256, 1), "no such tag");
            rank.barrier();
        }
        rank.free(base);
    }

    private void byStreams(SourceWindow window) {
        try (PatternMemory device = new PatternMemory(rank, MemoryKind.DEVICE, 8); Stream stream = rank.device().newStream();
             Prepared notice = window.prepareSignal(next, 133)) {
            device.fill(600 + me, 0, 8);
            stream.putNotify(window, next, 8L * (rank.ranks() + me), device.block(), 132);
            stream.trigger(notice);
            stream.sync();
            check.same(new SourceWindow.Arrival(window, previous, 132), window.awaitSome(previous, 132, 1, rank.timeout()),
                    "of a stream");
            check.same(new SourceWindow.Arrival(window, previous, 133), window.awaitSome(SourceWindow.ANY_SOURCE, 132, 2,
                    rank.timeout()), "of a prepared communication");
        }
    }

    /** A stream goes on behind a notification of one source, and not of another. */
    private void waitOfStream(SourceWindow window) {
        try (Stream stream = rank.device().newStream()) {
            stream.signal(me, 136);
            stream.awaitNotifications(window, previous, 137, 1);
            stream.signal(me, 136);
            notifications.await(136, 1);
            window.signal(previous, 137); // not from the source that is waited for, unless there are two ranks or one
            rank.barrier();
            check.that(rank.ranks() < 3 || !notifications.test(136, 1), "nothing behind a wait for another source");
            rank.barrier();
            window.signal(next, 137);
            notifications.await(136, 1);
            stream.sync();
            window.await(SourceWindow.ANY_SOURCE, 137, 1);
            check.refuses(IllegalArgumentException.class, "ANY_SOURCE",
                    () -> stream.awaitNotifications(window, SourceWindow.ANY_SOURCE, 137, 1), "a stream and any source");
        }
    }
}
