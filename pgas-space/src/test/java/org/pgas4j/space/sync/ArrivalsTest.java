package org.pgas4j.space.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.space.PlainRanks;

@Timeout(10)
class ArrivalsTest {

    private final List<String> events = new ArrayList<>();
    private final HappensBefore ordering = new HappensBefore() {
        @Override
        public void arrives(long place, int[] members, long number) {
            events.add("arrives " + place + Arrays.toString(members) + number);
        }

        @Override
        public void leaves(long place, int[] members, long number) {
            events.add("leaves " + place + Arrays.toString(members) + number);
        }
    };

    private Arrivals arrivals(PlainRanks all) {
        return new Arrivals(0, all.peers(0), all.waiter(0, PlainRanks.LONG_NS), () -> events.add("complete"), ordering);
    }

    @Test
    void shouldCompleteTransfersBeforeTheArrivalOrders() {
        try (PlainRanks all = new PlainRanks(1)) {
            Arrivals arrivals = arrivals(all);

            arrivals.arrive(64, new int[] {0, 2}, 7);
            arrivals.leave(64, new int[] {0, 2}, 7);

            assertEquals(List.of("complete", "arrives 64[0, 2]7", "leaves 64[0, 2]7"), events);
        }
    }

    @Test
    void shouldBelongToTheThreadThatMadeIt() {
        try (PlainRanks all = new PlainRanks(1)) {
            Arrivals arrivals = arrivals(all);
            arrivals.requireOwnThread("a barrier");

            Throwable failure = assertThrows(CompletionException.class,
                    () -> CompletableFuture.runAsync(() -> arrivals.requireOwnThread("a barrier")).join()).getCause();

            assertInstanceOf(IllegalStateException.class, failure);
            assertTrue(failure.getMessage().startsWith("a barrier of rank 0 in thread "),
                    failure.getMessage());
        }
    }
}
