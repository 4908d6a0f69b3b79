package org.pgas4j.collective;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.ElementType;
import org.pgas4j.ReduceOp;
import org.pgas4j.fastpath.conduit.Endpoint;

/** Journals of the calls of two members, ranks 3 and 7 of a job. */
class CallJournalTest {

    private static final int[] RANKS = {3, 7};
    private static final long START = 64;
    private static final long SUM = QueuedCall.ALL_REDUCE.word(ElementType.FLOAT, ReduceOp.SUM, -1);
    private static final long MAX = QueuedCall.ALL_REDUCE.word(ElementType.FLOAT, ReduceOp.MAX, -1);

    private final Endpoint[] endpoints = {words(), words()};
    private final CallJournal first = journal(0);
    private final CallJournal second = journal(1);

    /** A host segment that has words and nothing else. */
    private static Endpoint words() {
        long[] words = new long[(int) ((START + CallJournal.BYTES) / Long.BYTES)];
        return (Endpoint) Proxy.newProxyInstance(Endpoint.class.getClassLoader(), new Class<?>[] {Endpoint.class},
                (_, method, args) -> switch (method.getName()) {
                    case "getWordAcquire" -> words[(int) ((long) args[0] / Long.BYTES)];
                    case "putWordRelease" -> {
                        words[(int) ((long) args[0] / Long.BYTES)] = (long) args[1];
                        yield null;
                    }
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    private CallJournal journal(int index) {
        return new CallJournal(new Group(index, 2, RANKS, null, null, 0), member -> endpoints[member], _ -> START);
    }

    private static void add(CallJournal journal, int calls) {
        for (int i = 0; i < calls; i++) {
            journal.add(SUM, 5);
        }
    }

    private static String mismatch(CallJournal journal) {
        return assertThrows(CollectiveMismatchException.class, journal::compare).getMessage();
    }

    @Test
    void shouldNameTheFirstCallThatDiffers() {
        add(first, 40);
        add(second, 20);
        second.add(MAX, 5);
        add(second, 60);
        String expected = "the collective calls of the ranks on streams differ; rank 3: call 21, allReduce(5 elements of FLOAT,"
                + " SUM); rank 7: call 21, allReduce(5 elements of FLOAT, MAX)";

        assertEquals(expected, mismatch(first));
        assertEquals(expected, mismatch(second));
    }

    @Test
    void shouldCompareNothingThatOneMemberAloneHasQueued() {
        add(first, 3);
        first.add(MAX, 5);
        add(second, 3);

        assertDoesNotThrow(first::compare);
        assertDoesNotThrow(second::compare);
        second.add(MAX, 6);
        assertTrue(mismatch(first).contains("call 4"));
    }

    @Test
    void shouldNoticeCallsOfWhichNoRecordIsLeft() {
        add(first, 2 * CallJournal.KEPT);
        second.add(MAX, 5);

        assertDoesNotThrow(first::compare);
        assertDoesNotThrow(second::compare);
        add(second, 2 * CallJournal.KEPT - 1);
        assertTrue(mismatch(first).contains("a call before number 256, of which no record is left"));
    }

    @Test
    void shouldNameCallsThatAMemberHasNotQueued() {
        add(first, 2);
        add(second, 1);

        assertEquals("; rank 7 has not queued call 2, here rank 3: call 2, allReduce(5 elements of FLOAT, SUM)",
                first.describeProgress());
        assertEquals("; all members have queued the last call here, rank 7: call 1, allReduce(5 elements of FLOAT, SUM)"
                + "; rank 3 has queued 2 calls", second.describeProgress());
    }

    @Test
    void shouldNameTheLastCallThatAllMembersHaveQueued() {
        assertEquals("", first.describeProgress());
        add(first, 1);
        add(second, 1);

        assertEquals("; all members have queued the last call here, rank 3: call 1, allReduce(5 elements of FLOAT, SUM)",
                first.describeProgress());
    }

    @Test
    void shouldTellCallsApart() {
        assertEquals("barrier()", QueuedCall.text(QueuedCall.BARRIER.word(null, null, -1), 0));
        assertEquals("reduce(7 elements of BYTE, LOGICAL_OR, root 70000)",
                QueuedCall.text(QueuedCall.REDUCE.word(ElementType.BYTE, ReduceOp.LOGICAL_OR, 70_000), 7));
    }
}
