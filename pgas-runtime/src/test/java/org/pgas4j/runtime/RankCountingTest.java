package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.management.JMException;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.DeviceGrid;
import org.pgas4j.Diagnostics;
import org.pgas4j.ElementType;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.HelperSettingsMXBean;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.Rank;
import org.pgas4j.RankCounters;
import org.pgas4j.RankCounters.Traffic;
import org.pgas4j.RankCounters.Waits;
import org.pgas4j.RankCountersMXBean;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedPointer;
import org.pgas4j.Stream;
import org.pgas4j.StreamGraph;
import org.pgas4j.Strided;
import org.pgas4j.Window;

/** Counters of ranks that are threads of this JVM. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RankCountingTest {

    private static PgasConfig config(int ranks) {
        return new PgasConfig().ranks(ranks).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(1 << 20);
    }

    private static List<Traffic> to(int peer, RankCounters counters) {
        return counters.traffic().stream().filter(line -> line.peer() == peer).toList();
    }

    private static Traffic line(int peer, String route, String operation, long minBytes, long calls, long bytes) {
        return new Traffic(peer, route, operation, minBytes, calls, bytes, "");
    }

    @Test
    void shouldCountTransfersByPeerRouteAndSize() {
        Pgas.run(config(2), rank -> {
            SharedPointer memory = rank.allAlloc(2, 4096);
            if (rank.rank() == 0) {
                RankCounters before = rank.diagnostics().counters();
                transfer(rank, memory.plus(4096));
                RankCounters counters = rank.diagnostics().counters().minus(before);

                assertEquals(List.of(line(1, "direct-host", "put", 8, 4, 32), line(1, "direct-host", "put", 64, 1, 64),
                        line(1, "direct-host", "get", 64, 1, 100), line(1, "direct-host", "set", 256, 1, 300),
                        line(1, "direct-host", "atomic", 8, 2, 16)), to(1, counters));
                assertEquals(512, counters.bytes());
                assertTrue(counters.timeNs() > 0);
            }
            rank.barrier();
        });
    }

    private static void transfer(Rank rank, SharedPointer to) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(128, 8);
            for (int i = 0; i < 3; i++) {
                rank.memput(to, memory, 8);
            }
            rank.rma().putLong(to, 1);
            rank.memget(memory, to, 100);
            rank.memset(to, 0, 300);
            rank.atomics().fetchAdd(to, 1);
            rank.atomics().fetchAdd(to, 1);
            rank.rma().put(to, Buffer.ofHost(memory, ElementType.LONG), Strided.rows(8, 8, 16, 16), Completion.LOCAL);
        }
    }

    @Test
    void shouldCountTransfersWithDeviceMemory() {
        Pgas.run(config(2), rank -> {
            SharedPointer memory;
            try (var _ = rank.onDevice()) {
                memory = rank.allAlloc(2, 4096);
            }
            if (rank.rank() == 0) {
                RankCounters before = rank.diagnostics().counters();
                try (Arena arena = Arena.ofConfined()) {
                    rank.memput(memory.plus(4096), arena.allocate(16, 8), 16);
                    rank.memput(memory, arena.allocate(16, 8), 16);
                }
                RankCounters counters = rank.diagnostics().counters().minus(before);

                assertEquals(List.of(line(1, "direct-device", "put", 16, 1, 16)), to(1, counters));
                assertEquals(List.of(line(0, "local", "put", 16, 1, 16)), to(0, counters));
                assertEquals(List.of(), counters.waits(), "the host device had copied before there was anything to wait for");
            }
            rank.barrier();
        });
    }

    @Test
    void shouldCountWaitsForTheDevice() {
        Pgas.run(config(1), rank -> {
            RankCounters before = rank.diagnostics().counters();
            try (Buffer buffer = rank.device().alloc(ElementType.BYTE, 64); Stream stream = rank.device().newStream()) {
                stream.fill(buffer, 1);
                stream.sync();
            }
            RankCounters.Waits waits = rank.diagnostics().counters().minus(before).waits().getLast();
            assertEquals("device", waits.operation());
            assertEquals(1, waits.calls());
        });
    }

    /** By loads and stores, and by way of the host; while the grid is open, after a launch more, and once it is closed. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldCountWhatBlocksTransfer(boolean byHost) {
        String route = byHost ? "blocks-by-host" : "blocks";
        Pgas.run(config(2), rank -> {
            SharedPointer memory;
            try (var _ = rank.onDevice()) {
                memory = rank.allAlloc(2, 4096);
            }
            Buffer own = rank.memory().local(memory.onRank(rank.rank()), ElementType.BYTE, 4096);
            int other = 1 - rank.rank();
            DeviceGrid.Options options = DeviceGrid.Options.of(1, 32);
            List<Traffic> once = List.of(line(other, route, "put", 32, 4, 8 + 100 + 16 + 8), line(other, route, "get", 8, 2, 17 + 8));
            RankCounters before = rank.diagnostics().counters();
            try (DeviceGrid grid = rank.createGrid(byHost ? options.proxy() : options)) {
                launchTransfers(grid, own);
                RankCounters first = rank.diagnostics().counters();
                assertEquals(once, byBlocks(first.minus(before), other));
                assertEquals(List.of(), byBlocks(rank.diagnostics().counters().minus(first), other));
                launchTransfers(grid, own);
                assertEquals(once, byBlocks(rank.diagnostics().counters().minus(first), other));
                launchTransfers(grid, own);
            }
            List<Traffic> whole = byBlocks(rank.diagnostics().counters().minus(before), other);
            assertEquals(List.of(12L, 6L), whole.stream().map(Traffic::calls).toList());
            assertEquals(3 * (8 + 100 + 16 + 8 + 17 + 8), whole.stream().mapToLong(Traffic::bytes).sum());
            rank.barrier();
        });
    }

    private static List<Traffic> byBlocks(RankCounters counters, int peer) {
        return to(peer, counters).stream().filter(line -> line.route().startsWith("blocks")).toList();
    }

    private static void launchTransfers(DeviceGrid grid, Buffer buffer) {
        grid.launch(new GridProgram("transfers", null, (self, args) -> {
            MemorySegment own = args.segment(0);
            int window = self.createWindow(GridRank.Comm.WORLD, own);
            int other = 1 - self.rank(GridRank.Comm.WORLD);
            self.putNotify(window, other, 0, own.asSlice(2048), 8, 3);
            self.put(window, other, 64, own.asSlice(2048), 100);
            self.putSet(window, other, 256, own.asSlice(2048), 16, 512, ElementType.LONG, 7);
            self.putValue(window, other, 280, ElementType.LONG, 5);
            self.awaitNotifications(3, 1);
            self.get(window, other, 0, own.asSlice(3072), 17);
            self.getValue(window, other, 8, ElementType.LONG);
            self.barrier(GridRank.Comm.WORLD);
            self.freeWindow(window);
        }), buffer);
        grid.sync();
    }

    @Test
    void shouldCountWhatAGraphPutsAtEachLaunch() {
        Pgas.run(config(2), rank -> {
            SharedPointer base;
            try (var _ = rank.onDevice()) {
                base = rank.allAlloc(2, 64);
            }
            int other = 1 - rank.rank();
            SharedPointer own = base.plus(rank.rank() * 64L);
            Buffer source = rank.memory().local(own, ElementType.LONG, 8).slice(0, 2);
            try (Window window = rank.createWindow(rank.world(), own, 64); Stream stream = rank.device().newStream()) {
                RankCounters before = rank.diagnostics().counters();
                try (StreamGraph graph = stream.capture(on -> on.put(window, other, 32, source))) {
                    assertEquals(List.of(), to(other, rank.diagnostics().counters().minus(before)));
                    for (int i = 0; i < 3; i++) {
                        stream.launch(graph);
                    }
                    stream.sync();
                }
                assertEquals(List.of(line(other, "direct-device", "put", 16, 3, 48)),
                        to(other, rank.diagnostics().counters().minus(before)));
                rank.barrier();
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"fastpath", "rendezvous"})
    void shouldGiveTheReasonOfMessages(String protocol) {
        Pgas.run(config(2).set(PgasKey.ROUTE, protocol), rank -> {
            SharedPointer memory;
            try (var _ = rank.onDevice()) {
                memory = rank.allAlloc(2, 4096);
            }
            RankCounters before = rank.diagnostics().counters();
            try (Arena arena = Arena.ofConfined()) {
                rank.memput(memory.plus((1 - rank.rank()) * 4096L), arena.allocate(16, 8), 16);
            }
            RankCounters counters = rank.diagnostics().counters().minus(before);
            rank.barrier();

            assertEquals(List.of(new Traffic(1 - rank.rank(), protocol, "put", 16, 1, 16, "pgas.route=" + protocol)),
                    to(1 - rank.rank(), counters));
        });
    }

    @Test
    void shouldCountOperationsByKind() {
        Pgas.run(config(3), rank -> {
            RankCounters before = rank.diagnostics().counters();
            rank.barrier();
            rank.barrier(7);
            rank.allReduce(1L, ReduceOp.SUM);
            RankCounters counters = rank.diagnostics().counters().minus(before);

            assertEquals(2, waits(counters, "barrier").calls());
            assertEquals(1, waits(counters, "allReduce").calls());
        });
    }

    private static Waits waits(RankCounters counters, String operation) {
        return counters.waits().stream().filter(line -> line.operation().equals(operation)).findFirst()
                .orElse(new Waits(operation, 0, 0, 0));
    }

    /**
     * Up to eight ranks have flags, more a tree. The late rank comes when it sees that all others are in the barrier. One of them may
     * still lose its processor before its arrival can be seen, and come last in truth: not in all rounds.
     */
    @ParameterizedTest
    @ValueSource(ints = {2, 5, 9, 20})
    void shouldNameTheRankThatCameLast(int ranks) {
        int late = ranks / 2;
        List<ConcurrentHashMap<Integer, RankCounters>> arriving = IntStream.range(0, LATE_ROUNDS)
                .mapToObj(_ -> new ConcurrentHashMap<Integer, RankCounters>()).toList();
        Map<Integer, Diagnostics> all = new ConcurrentHashMap<>();
        Pgas.run(config(ranks), rank -> {
            all.put(rank.rank(), rank.diagnostics());
            boolean isNamed = false;
            for (int round = 0; round < LATE_ROUNDS && !isNamed; round++) {
                isNamed = rank.allReduce(isNamed(rank, late, all, arriving.get(round)) ? 1 : 0, ReduceOp.MIN) == 1;
            }
            assertTrue(isNamed, () -> "rank " + late + " was named by all in none of " + LATE_ROUNDS + " rounds, rank " + rank.rank()
                    + " has " + rank.diagnostics().counters());
        });
    }

    /** True on the late rank, and where it is named for a wait of this barrier. */
    private static boolean isNamed(Rank rank, int late, Map<Integer, Diagnostics> all, Map<Integer, RankCounters> arriving) {
        rank.barrier();
        RankCounters before = rank.diagnostics().counters();
        arriving.put(rank.rank(), before);
        if (rank.rank() == late) {
            IntStream.range(0, rank.ranks()).filter(other -> other != late)
                    .forEach(other -> awaitTimeIn(rank, all.get(other), other, arriving));
        }
        rank.barrier();
        RankCounters counters = rank.diagnostics().counters().minus(before);
        rank.barrier();
        return rank.rank() == late || waits(counters, "barrier").waitNs() >= WAIT_NS
                && counters.late().stream().anyMatch(line -> line.rank() == late && line.waitNs() >= WAIT_NS);
    }

    @Test
    void shouldPublishCountersAsMBeansUntilTheRankEnds() throws JMException {
        ObjectName all = new ObjectName("org.pgas4j:type=RankCounters,*");
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        Set<ObjectName> before = server.queryNames(all, null);
        Pgas.run(config(2), rank -> {
            SharedPointer memory = rank.allAlloc(2, 64);
            rank.rma().putLong(memory.plus(64), 1);
            try (var _ = rank.diagnostics().publish()) {
                RankCountersMXBean bean = bean(server, rank.rank(), before);
                assertEquals(rank.diagnostics().counters().bytes(), bean.getBytes());
                assertEquals(rank.diagnostics().counters().calls(), bean.getCalls());
                assertEquals(8L, bean.getBytesByPeer().get(1));
                assertEquals(Set.of(rank.rank() == 1 ? "local" : "direct-host"), bean.getBytesByRoute().keySet());
                assertEquals(bean.getWaitNs(), bean.getWaitNsByOperation().values().stream().mapToLong(each -> each).sum());
                rank.diagnostics().publish();
                rank.barrier();
            }
            rank.barrier();
            assertEquals(before, server.queryNames(all, null));
            rank.barrier();
            rank.diagnostics().publish();
        });
        assertEquals(before, server.queryNames(all, null));
    }

    @Test
    void shouldChangeHelpersWhileTheyRun() throws JMException {
        ObjectName all = new ObjectName("org.pgas4j:type=HelperSettings,*");
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        Set<ObjectName> before = server.queryNames(all, null);
        Pgas.run(config(1).set(PgasKey.HELPER, "auto").set(PgasKey.HELPER_THRESHOLD, "2ms"), rank -> {
            try (var _ = rank.diagnostics().publish()) {
                HelperSettingsMXBean bean = server.queryNames(all, null).stream().filter(name -> !before.contains(name))
                        .map(name -> JMX.newMXBeanProxy(server, name, HelperSettingsMXBean.class)).findFirst().orElseThrow();
                assertEquals("auto", bean.getMode());
                assertEquals(2_000_000, bean.getThresholdNs());
                assertEquals(1, bean.getThreads());
                bean.setMode("on");
                bean.setThresholdNs(5);
                bean.setWaiting("park");
                assertEquals("on", bean.getMode());
                assertEquals(5, bean.getThresholdNs());
                assertEquals("park", bean.getWaiting());
                assertThrows(RuntimeException.class, () -> bean.setMode("off"));
            }
            assertEquals(before, server.queryNames(all, null));
        });
    }

    private static RankCountersMXBean bean(MBeanServer server, int rank, Set<ObjectName> others) {
        try {
            return server.queryNames(new ObjectName("org.pgas4j:type=RankCounters,rank=" + rank + ",*"), null).stream()
                    .filter(name -> !others.contains(name))
                    .map(name -> JMX.newMXBeanProxy(server, name, RankCountersMXBean.class))
                    .findFirst().orElseThrow();
        } catch (JMException e) {
            throw new IllegalStateException("no name for rank " + rank, e);
        }
    }

    private static final long WAIT_NS = 1_000_000;
    private static final int LATE_ROUNDS = 20;

    /** Until another rank has waited for a while in the barrier that it was about to enter. */
    private static void awaitTimeIn(Rank rank, Diagnostics other, int number, Map<Integer, RankCounters> arriving) {
        while (!arriving.containsKey(number) || waits(other.counters(), "barrier").waitNs()
                - waits(arriving.get(number), "barrier").waitNs() < 2 * WAIT_NS) {
            rank.progress();
            Thread.yield();
        }
    }
}
