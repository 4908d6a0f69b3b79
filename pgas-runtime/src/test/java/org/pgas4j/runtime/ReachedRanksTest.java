package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.Backend;
import org.pgas4j.DeviceGrid;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Layout;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.RankCounters.Traffic;
import org.pgas4j.Scope;
import org.pgas4j.SharedBytes;

/** Ranks that a rank keeps something for, because it has reached them. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ReachedRanksTest {

    private static final int RANKS = 20;
    private static final int BY_COLLECTIVES = 2 * 5 + 3; // 2 log2(n) + 3, as docs/scaling.md has it

    private static final GridProgram RING = new GridProgram("ring", null, (self, args) -> {
        int window = self.createWindow(Comm.WORLD, args.segment(0));
        int right = (self.rank(Comm.WORLD) + 1) % RANKS;
        self.putNotify(window, right, 8, args.segment(0), 8, 3);
        self.awaitNotifications(3, 1);
        self.freeWindow(window);
    });

    /** Whether devices reach each other or not: a ring of n ranks reaches O(n log n) pairs, of which collectives have most. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNotReachAllRanksForBlocks(boolean throughHost) {
        PgasConfig config = new PgasConfig().ranks(RANKS).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(1 << 20);
        Pgas.run(config, rank -> {
            SharedBytes base;
            try (Scope _ = rank.onDevice()) {
                base = rank.allAllocBytes(Layout.replicated(), 64);
            }
            DeviceGrid.Options options = DeviceGrid.Options.of(1, 32);
            try (DeviceGrid blocks = rank.createGrid(throughHost ? options.proxy() : options)) {
                blocks.launch(RING, base.local());
                blocks.sync();
            }
            int reached = ((RankContext) rank).reached();
            assertTrue(reached <= BY_COLLECTIVES + 1, () -> "rank " + rank.rank() + " has reached " + reached + " ranks");
            List<Traffic> puts = rank.diagnostics().counters().traffic().stream()
                    .filter(line -> line.route().startsWith("blocks")).toList();
            assertEquals(List.of((rank.rank() + 1) % RANKS), puts.stream().map(Traffic::peer).toList());
            assertEquals(8, puts.getFirst().bytes());
        });
    }
}
