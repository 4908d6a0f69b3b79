package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.ElementType;
import org.pgas4j.JobAbortedException;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Team;
import org.pgas4j.Window;

/** Teams of even and odd ranks, when rank 3 does not come. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TeamFailureTest {

    private static final int RANKS = 4;
    private static final int ENDS = 3;

    private static final class Stop extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private enum Operation {
        BARRIER((_, team) -> team.barrier()),
        REDUCE((_, team) -> team.collectives().allReduce(1L, ReduceOp.SUM)),
        REDUCE_MEMORY((_, team) -> {
            Buffer numbers = Buffer.ofHost(MemorySegment.ofArray(new long[4000]), ElementType.LONG);
            team.collectives().allReduce(numbers, numbers, ReduceOp.SUM);
        }),
        WINDOW((rank, team) -> rank.createWindow(team, MemorySegment.ofArray(new byte[8]))),
        SPLIT((_, team) -> team.split(1)),
        CLOSE((_, team) -> team.close());

        private interface Body {
            void call(Rank rank, Team team);
        }

        private final Body body;

        Operation(Body body) {
            this.body = body;
        }
    }

    private static PgasConfig config() {
        return new PgasConfig().ranks(RANKS).device(Backend.HOST).hostHeap(4 << 20).deviceHeap(1 << 20);
    }

    private static void meetOften(Team team) {
        for (int i = 0; i < 200; i++) {
            team.barrier();
            assertEquals(2L * i, team.collectives().allReduce((long) i, ReduceOp.SUM));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldNameARankThatHasEndedItsProgram(Operation operation) {
        Pgas.run(config(), List.of(), rank -> {
            Team team = rank.world().split(rank.rank() % 2);
            if (rank.rank() % 2 == 0) {
                meetOften(team);
                team.close();
            } else if (rank.rank() != ENDS) {
                Window window = rank.createWindow(team, MemorySegment.ofArray(new byte[8]));
                if (operation == Operation.CLOSE) {
                    window.close(); // of a team with windows is refused
                }
                String why = assertThrows(CollectiveMismatchException.class, () -> operation.body.call(rank, team)).getMessage();
                assertTrue(why.contains("rank 3: the end of its program"), why);

                String again = assertThrows(IllegalStateException.class, team::barrier).getMessage();
                assertTrue(again.contains("the team was given up before: ") && again.contains("the end of its program"), again);
                window.close(); // these wait for nobody
                team.close();
            } else {
                Window window = rank.createWindow(team, MemorySegment.ofArray(new byte[8]));
                if (operation == Operation.CLOSE) {
                    window.close();
                }
            }
        });
    }

    @Test
    void shouldEndWaitsInEveryTeamWithTheFailureOfARank() {
        CountDownLatch split = new CountDownLatch(ENDS); // the others, whose split would fail else
        ConcurrentHashMap<Integer, String> seen = new ConcurrentHashMap<>();

        PgasException failure = assertThrows(PgasException.class, () -> Pgas.run(config(), List.of(), rank -> {
            Team team = rank.world().split(rank.rank() % 2);
            if (rank.rank() == ENDS) {
                split.await();
                throw new Stop();
            }
            split.countDown();
            JobAbortedException e = assertThrows(JobAbortedException.class, () -> {
                while (true) {
                    team.barrier();
                }
            });
            String again = assertThrows(JobAbortedException.class, team::barrier).getMessage();
            assertEquals(e.getMessage(), again);
            seen.put(rank.rank(), e.getMessage());
            throw e;
        }));

        assertEquals(Stop.class, failure.getCause().getClass(), failure::getMessage);
        IntStream.range(0, ENDS).forEach(rank -> assertTrue(seen.get(rank).contains("rank 3"), () -> "rank " + rank + ": " + seen));
    }
}
