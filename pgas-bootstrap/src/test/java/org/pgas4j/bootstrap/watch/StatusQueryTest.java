package org.pgas4j.bootstrap.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.bootstrap.Bootstrap;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.bootstrap.ProcessLayout;

/** Process 0 with ranks 0 to 2 queries itself and process 1 with ranks 3 to 5. */
@Timeout(10)
class StatusQueryTest {

    private static final ProcessLayout LAYOUT = new ProcessLayout(2, 6);

    private final StatusBoard own = StatusBoard.local(0, 3);
    private final StatusBoard other = StatusBoard.local(3, 6);
    private final AtomicInteger calls = new AtomicInteger();
    private Supplier<byte[]> answer = () -> other.encode(3, 6);
    private Bootstrap.Service served;
    private final StatusQuery query = new StatusQuery((Bootstrap) Proxy.newProxyInstance(getClass().getClassLoader(),
            new Class<?>[] {Bootstrap.class}, (_, method, arguments) -> switch (method.getName()) {
                case "process" -> 0;
                case "processOf" -> LAYOUT.processOf((int) arguments[0]);
                case "firstRank" -> LAYOUT.firstRank((int) arguments[0]);
                case "serve" -> served = (Bootstrap.Service) arguments[1];
                case "call" -> {
                    assertEquals(1, arguments[0]);
                    calls.incrementAndGet();
                    yield answer.get();
                }
                default -> throw new AssertionError(method);
            }), own);

    @Test
    void shouldDescribeRanksOfAllProcessesWithACallForEach() {
        own.activity(2).enter(Phase.BARRIER);
        other.activity(3).enter(Phase.TRANSFER);

        assertEquals("rank 3 in transfer; rank 2 in barrier (collective 1); rank 4 starting",
                query.describe(List.of(3, 2, 4)));
        assertEquals(1, calls.get());
        assertEquals("rank 0 starting", query.describe(List.of(0)));
        assertEquals(1, calls.get());
    }

    @Test
    void shouldDescribeEightRanksAtMost() {
        List<Integer> many = IntStream.range(0, 9).mapToObj(_ -> 1).toList();

        assertEquals("rank 1 starting; ".repeat(8) + "...", query.describe(many));
        assertEquals("rank 1 starting" + "; rank 1 starting".repeat(7), query.describe(many.subList(0, 8)));
    }

    @Test
    void shouldFindThoseThatHaveNotBegunAnOperation() {
        for (int rank : new int[] {0, 2, 4}) {
            Activity activity = LAYOUT.processOf(rank) == 0 ? own.activity(rank) : other.activity(rank);
            activity.enter(Phase.BARRIER);
            activity.leave();
            activity.enter(Phase.BARRIER);
        }
        other.activity(5).enter(Phase.BARRIER);

        assertEquals(List.of(1, 3, 5), query.late(List.of(0, 1, 2, 3, 4, 5), 2));
        assertEquals(List.of(1, 3), query.late(List.of(0, 1, 2, 3, 4, 5), 1));
        assertEquals(2, calls.get());
    }

    @Test
    void shouldNameAProcessThatDoesNotAnswer() {
        answer = () -> {
            throw new PgasTimeoutException("no answer in time");
        };

        assertEquals("rank 3 does not answer (no answer in time); rank 4 does not answer (no answer in time); rank 0"
                + " starting",
                query.describe(List.of(3, 4, 0)));
        assertEquals(1, calls.get(), "one call for both");
        assertEquals(List.of(3), query.late(List.of(3), 0));
    }

    @Test
    void shouldNotTrustAnAnswerOfAnotherLength() {
        answer = () -> new byte[RankStatus.BYTES];

        String text = query.describe(List.of(5));

        assertTrue(text.startsWith("rank 5 does not answer (process 1 answered with 25 bytes"), text);
    }

    @Test
    void shouldAnswerWithTheStatusesOfItsRanks() {
        own.activity(1).enter(Phase.REDUCE);

        byte[] answer = served.answer(new byte[0]);

        assertEquals(3 * RankStatus.BYTES, answer.length);
        assertEquals(Phase.REDUCE,
                RankStatus.decode(ByteBuffer.wrap(answer, RankStatus.BYTES, RankStatus.BYTES)).phase());
    }
}
