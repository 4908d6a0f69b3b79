package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgas4j.Backend;
import org.pgas4j.DeviceGrid;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.Rank;
import org.pgas4j.RemoteFunctions;
import org.pgas4j.SharedPointer;
import org.pgas4j.Team;
import org.pgas4j.Window;

/** Resources that all ranks close together, in a {@code try} that one rank leaves by an exception. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ExceptionalCloseTest {

    private static final int TAG = 3;

    private static final class Stop extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private enum Resource {
        WINDOW(rank -> rank.createWindow(rank.world(), rank.allAlloc(rank.ranks(), 64).onRank(rank.rank()), 64)),
        TEAM(rank -> rank.world().split(1)),
        STREAM_COLLECTIVES(rank -> rank.world().collectives().onStreams()),
        GRID(rank -> rank.createGrid(DeviceGrid.Options.of(2, 32))),
        REMOTE_CALLS(rank -> rank.remote(new RemoteFunctions().add("nothing", (_, _, _) -> 0)));

        private final Function<Rank, AutoCloseable> open;

        Resource(Function<Rank, AutoCloseable> open) {
            this.open = open;
        }
    }

    private static PgasConfig config() {
        return new PgasConfig().ranks(2).device(Backend.HOST).hostHeap(4 << 20).deviceHeap(1 << 20);
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndTheJobWithTheExceptionAlone(Resource resource) {
        PgasException failure = assertThrows(PgasException.class, () -> Pgas.run(config().set(PgasKey.TIMEOUT, "10s"), List.of(),
                rank -> {
                    try (AutoCloseable _ = resource.open.apply(rank)) {
                        if (rank.rank() == 0) {
                            throw new Stop();
                        }
                        rank.notifications().await(TAG, 1);
                    }
                }));

        // A close that waits for rank 1 does so until the deadline, which is attached then.
        assertEquals(Stop.class, failure.getCause().getClass(), failure::getMessage);
        assertEquals(List.of(), List.of(failure.getCause().getSuppressed()));
    }

    @Test
    void shouldGiveNumbersOfWindowsBackAfterTheNextMeeting() {
        Pgas.run(config(), List.of(), rank -> {
            SharedPointer mine = rank.allAlloc(rank.ranks(), 64).onRank(rank.rank());
            try (Team team = rank.world().split(0)) {
                for (int i = 0; i < 200; i++) {
                    assertThrows(Stop.class, () -> leaveByAnException(rank, team, mine));
                }
                try (Window window = rank.createWindow(team, mine, 64)) {
                    exchange(rank, window, mine);
                }
                assertThrows(Stop.class, () -> leaveByAnException(rank, team, mine));
            } // takes what was left for closed
        });
    }

    private static void leaveByAnException(Rank rank, Team team, SharedPointer mine) {
        try (Window _ = rank.createWindow(team, mine, 64)) {
            throw new Stop();
        }
    }

    private static void exchange(Rank rank, Window window, SharedPointer mine) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocateFrom(ValueLayout.JAVA_LONG, 7 + rank.rank());
            window.putNotify(1 - rank.rank(), 0, value, Long.BYTES, TAG);
            rank.notifications().await(TAG, 1);
            assertEquals(8 - rank.rank(), rank.local(mine).get(ValueLayout.JAVA_LONG, 0));
        }
    }
}
