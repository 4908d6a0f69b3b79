package org.pgas4j.space.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.ReduceOp;
import org.pgas4j.space.PlainRanks;
import org.pgas4j.space.memory.ControlArea;

@Timeout(20)
class CallTest {

    private static final String LINE = "CallTest\\.java:\\d+";

    @Test
    void shouldHaveAnotherWordForAnyOtherCall() {
        List<Call> calls = new ArrayList<>(List.of(Call.STEP, Call.EXPLANATION, new Call("gather(root %d)", 0),
                new Call("gather(root %d)", -1)));
        for (ReduceOp op : ReduceOp.values()) {
            calls.add(Call.allReduceDouble(op));
            calls.add(Call.allReduceLong(op));
        }
        for (int root = 0; root < 100; root++) {
            calls.add(Call.broadcast(root));
        }

        List<Long> words = calls.stream().map(Call::word).toList();

        assertEquals(calls.size(), new HashSet<>(words).size());
        assertTrue(!words.contains(Call.DIFFERENT), "a call has the word of calls that differ");
        assertEquals(Call.broadcast(3).word(), Call.broadcast(3).word());
    }

    @Test
    void shouldNameItselfWithItsNumber() {
        assertEquals("broadcast(long, root 12)", Call.broadcast(12).text());
        assertEquals("allReduce(double, MAX)", Call.allReduceDouble(ReduceOp.MAX).text());
        assertEquals("allReduce(long, SUM)", Call.allReduceLong(ReduceOp.SUM).text());
    }

    @Test
    void shouldFindTheLineOfTheProgram() {
        assertTrue(CallSite.find().matches(LINE), CallSite.find());
    }

    private static CallTexts texts(PlainRanks all, int rank) {
        return new CallTexts(rank, all.peers(rank), all.waiter(rank, PlainRanks.LONG_NS));
    }

    @Test
    void shouldShowAnotherRanksCallWithItsLine() {
        try (PlainRanks all = new PlainRanks(2)) {
            CallTexts mine = texts(all, 0);
            CallTexts theirs = texts(all, 1);
            theirs.write(4, "alloc(64)");
            String first = mine.read(1, 4, "unknown");
            theirs.write(-5, "größer()");
            String second = mine.read(1, -5, "unknown");

            assertTrue(first.matches("alloc\\(64\\) at " + LINE), first);
            assertTrue(second.matches("größer\\(\\) at " + LINE), second);
        }
    }

    /** The words behind the text are another's. */
    @Test
    void shouldCutALongText() {
        try (PlainRanks all = new PlainRanks(1)) {
            long behind = ControlArea.CALL + ControlArea.CALL_BYTES;
            all.peers(0).get(0).endpoint().putWordRelease(behind, 77);
            CallTexts texts = texts(all, 0);

            texts.write(1, "x".repeat(5000));

            assertEquals("x".repeat((int) ControlArea.CALL_BYTES - 16), texts.read(0, 1, "unknown"));
            assertEquals(77, all.peers(0).get(0).endpoint().getWordAcquire(behind));
        }
    }

    /** Length and words come from another process. */
    @Test
    void shouldReadNoMoreThanThereIsOfAWrongLength() {
        try (PlainRanks all = new PlainRanks(1)) {
            CallTexts texts = texts(all, 0);
            texts.write(1, "alloc");
            for (long length : new long[] {-1, Long.MAX_VALUE}) {
                all.peers(0).get(0).endpoint().putWordRelease(ControlArea.CALL + Long.BYTES, length);
                assertEquals(length < 0 ? 0 : (int) ControlArea.CALL_BYTES - 16, texts.read(0, 1, "unknown").length());
            }
        }
    }

    @Test
    void shouldNameTheLowerRankFirst() {
        String one = CallTexts.mismatch(2, "a()", 5, "b()").getMessage();

        assertEquals("the collective calls of the ranks differ; rank 2: a(); rank 5: b()", one);
        assertEquals(one, CallTexts.mismatch(5, "b()", 2, "a()").getMessage());
        assertNotEquals(one, CallTexts.mismatch(5, "a()", 2, "b()").getMessage());
    }
}
