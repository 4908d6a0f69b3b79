package org.pgas4j.bootstrap.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgas4j.os.trace.TraceKind;

class FlowsTest {

    private final PartBuilder first = new PartBuilder(0).track("rank-0", 0);
    private final PartBuilder second = new PartBuilder(1).track("rank-2", 2);

    private Flows flows() {
        return new Timeline(List.of(first.build(), second.build())).flows();
    }

    private static String text(Flows flows) {
        return flows.all().stream().map(flow -> flow.from().kind() + "@" + flow.from().beginNs() + ">" + flow.to().kind() + "@"
                + flow.to().beginNs()).toList() + " lost " + flows.lost();
    }

    @Test
    void shouldJoinMessagesByTheirNumberInThePairAndDirection() {
        first.event(TraceKind.SEND, "put", 0, 2, 0, 8, 1, 10, 11).event(TraceKind.SEND, "put", 0, 3, 0, 8, 1, 12, 13)
                .event(TraceKind.SERVE, "answer", 0, 2, 0, 8, 1, 40, 41);
        second.event(TraceKind.SERVE, "put", 2, 0, 0, 8, 1, 20, 25).event(TraceKind.SEND, "answer", 2, 0, 0, 8, 1, 22, 23);

        assertEquals("[SEND@10>SERVE@20, SEND@22>SERVE@40] lost 1", text(flows()), "the one to rank 3 was never served");
    }

    @Test
    void shouldLeaveOutMessagesOfARankToItself() {
        first.event(TraceKind.SEND, "put", 0, 0, 0, 8, 1, 10, 11).event(TraceKind.SERVE, "put", 0, 0, 0, 8, 1, 12, 13);

        assertEquals("[] lost 0", text(flows()));
    }

    @Test
    void shouldJoinCountersByWhatTheNotificationsMadeOfThem() {
        first.event(TraceKind.SIGNAL, "", 0, 2, 5, 1, 1, 10, 11).event(TraceKind.SIGNAL, "", 0, 2, 5, 1, 3, 12, 13)
                .event(TraceKind.SIGNAL, "", 0, 2, 6, 1, 1, 14, 15);
        second.event(TraceKind.SIGNAL, "", 3, 2, 5, 1, 2, 11, 12).event(TraceKind.SEEN, "", 2, 2, 5, 2, 2, 20, 21)
                .event(TraceKind.SEEN, "", 2, 2, 5, 1, 3, 30, 31);

        assertEquals("[SIGNAL@10>SEEN@20, SIGNAL@11>SEEN@20, SIGNAL@12>SEEN@30] lost 1", text(flows()),
                "nobody has waited for tag 6");
    }

    @Test
    void shouldJoinANotificationOfSeveralWithEachWaitThatConsumesSome() {
        first.event(TraceKind.SIGNAL, "", 0, 2, 5, 3, 3, 10, 11);
        second.event(TraceKind.SEEN, "", 2, 2, 5, 2, 2, 20, 21).event(TraceKind.SEEN, "", 2, 2, 5, 1, 3, 30, 31);

        assertEquals("[SIGNAL@10>SEEN@20, SIGNAL@10>SEEN@30] lost 0", text(flows()));
    }

    /** The wait is queued as operation 7, inside of the event that has the counter; the second one is a GPU's. */
    @Test
    void shouldLeadFromANotificationToTheStreamThatWaits() {
        first.event(TraceKind.SIGNAL, "", 0, 2, 5, 1, 1, 10, 11).event(TraceKind.SIGNAL, "", 0, 2, 5, 1, 2, 12, 13);
        second.event(TraceKind.SUBMIT, "wait", 2, -1, 0, 0, 7, 3, 4).event(TraceKind.SEEN_BY_STREAM, "", 2, 2, 5, 1, 1, 2, 5)
                .event(TraceKind.SEEN_BY_STREAM, "", 2, 2, 5, 1, 2, 6, 7)
                .track("pgas-stream-host", 2).event(TraceKind.RUN, "wait", 2, -1, 0, 0, 7, 5, 15);

        assertEquals("[SIGNAL@10>RUN@5, SUBMIT@3>RUN@5] lost 0", text(flows()));
    }

    @Test
    void shouldCountANotificationThatTheRingHasDropped() {
        first.event(TraceKind.SIGNAL, "", 0, 2, 5, 1, 2, 10, 11);
        second.event(TraceKind.SEEN, "", 2, 2, 5, 2, 2, 20, 21);

        assertEquals("[SIGNAL@10>SEEN@20] lost 1", text(flows()));
    }

    @Test
    void shouldJoinValuesInTheOrderOfTheirTimes() {
        first.event(TraceKind.SIGNAL_SET, "", 0, 2, 5, 0, 9, 10, 11).event(TraceKind.SIGNAL_SET, "", 0, 2, 5, 0, 9, 30, 31)
                .event(TraceKind.SIGNAL_SET, "", 0, 2, 5, 0, 8, 32, 33);
        second.event(TraceKind.SEEN_SET, "", 2, 2, 5, 0, 9, 20, 21).event(TraceKind.SEEN_SET, "", 2, 2, 5, 0, 9, 40, 41);

        assertEquals("[SIGNAL_SET@10>SEEN_SET@20, SIGNAL_SET@30>SEEN_SET@40] lost 1", text(flows()));
    }

    @Test
    void shouldJoinWorkOfStreamsWithinOneJvm() {
        first.event(TraceKind.SUBMIT, "k", 0, -1, 0, 0, 1, 10, 11).event(TraceKind.SUBMIT, "k", 0, -1, 0, 0, 0, 12, 13)
                .track("pgas-stream-host", 0).event(TraceKind.RUN, "k", 0, -1, 0, 0, 1, 15, 19);
        second.event(TraceKind.RUN, "k", 2, -1, 0, 0, 1, 15, 19);

        assertEquals("[SUBMIT@10>RUN@15] lost 1", text(flows()), "numbers of another JVM are others; 0 has no run");
    }
}
