package org.pgas4j.clock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.Backend;
import org.pgas4j.Layout;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedLongs;

/** Clocks of ranks in one JVM, whose true difference is known. */
@Timeout(60)
class JobClockTest {

    private static PgasConfig config(int ranks, String route) {
        return new PgasConfig().ranks(ranks).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(1 << 20).set(PgasKey.ROUTE, route);
    }

    @ParameterizedTest
    @CsvSource({"1, auto", "2, auto", "4, auto", "3, fastpath", "2, rendezvous"})
    void shouldFindTheOffsetWithinItsBound(int ranks, String route) {
        Pgas.run(config(ranks, route), rank -> {
            long ahead = 1_000_000_000_000L * rank.rank();
            JobClock clock = JobClock.synchronize(rank, () -> System.nanoTime() + ahead);
            assertTrue(Math.abs(clock.offsetNs() + ahead) <= clock.errorNs(), rank.rank() + ": " + clock);
            assertEquals(rank.rank() == 0, clock.errorNs() == 0);
            assertEquals(rank.allReduce(clock.errorNs(), ReduceOp.MAX), clock.maxErrorNs());
        });
    }

    @ParameterizedTest
    @CsvSource({"2, auto", "4, auto"})
    void shouldOrderWhatOneRankHasDoneBeforeAnother(int ranks, String route) {
        Pgas.run(config(ranks, route), rank -> {
            JobClock clock = JobClock.synchronize(rank);
            SharedLongs times = rank.allAllocLongs(Layout.cyclic(), rank.ranks());
            for (int round = 0; round < 100; round++) {
                times.put(rank.rank(), clock.ticks());
                rank.barrier();
                long later = clock.ticks();
                for (int other = 0; other < rank.ranks(); other++) {
                    assertTrue(times.get(other) <= later + 2 * clock.maxErrorNs(), "rank " + other + " before " + rank.rank());
                }
                rank.barrier();
            }
        });
    }
}
