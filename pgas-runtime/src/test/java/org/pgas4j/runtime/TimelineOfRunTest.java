package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import com.grack.nanojson.JsonParserException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.ElementType;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.Kernel;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.Rank;
import org.pgas4j.RankCounters;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedPointer;

/** Timelines of ranks that are threads of this JVM. */
@Timeout(120)
class TimelineOfRunTest {

    private static final int TAG = 5;
    private static final int ROUNDS = 3;

    @TempDir
    private Path folder;

    private final Map<Integer, RankCounters> counters = new ConcurrentHashMap<>();
    private JsonObject timeline;
    private List<JsonObject> events;

    private void run(int ranks, String route, Consumer<Rank> program) throws IOException, JsonParserException {
        Path file = folder.resolve("trace.json");
        Pgas.run(new PgasConfig().ranks(ranks).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(1 << 20)
                .set(PgasKey.ROUTE, route).set(PgasKey.HELPER, "on").set(PgasKey.TRACE, file.toString()), rank -> {
                    program.accept(rank);
                    counters.put(rank.rank(), rank.diagnostics().counters());
                });
        timeline = JsonParser.object().from(Files.readString(file));
        events = timeline.getArray("traceEvents").stream().map(JsonObject.class::cast).toList();
    }

    private List<JsonObject> slices(String category) {
        return events.stream().filter(each -> each.getString("ph").equals("X") && each.getString("cat").equals(category))
                .toList();
    }

    private List<JsonObject> phase(String phase) {
        return events.stream().filter(each -> each.getString("ph").equals(phase)).toList();
    }

    private static JsonObject args(JsonObject event) {
        return event.getObject("args");
    }

    /** Calls and bytes by rank, peer, operation and route, of the timeline. */
    private Map<String, String> traced() {
        Map<String, long[]> sums = new TreeMap<>();
        for (String operation : List.of("put", "get", "set", "atomic")) {
            for (JsonObject each : slices(operation)) {
                long[] sum = sums.computeIfAbsent(args(each).getInt("rank") + ">" + args(each).getInt("peer") + " " + operation
                        + " by " + args(each).getString("route"), _ -> new long[2]);
                sum[0]++;
                sum[1] += args(each).getLong("bytes");
            }
        }
        return text(sums);
    }

    /** The same, of the counters. */
    private Map<String, String> counted() {
        Map<String, long[]> sums = new TreeMap<>();
        counters.values().forEach(each -> each.traffic().forEach(line -> {
            long[] sum = sums.computeIfAbsent(each.rank() + ">" + line.peer() + " " + line.operation() + " by " + line.route(),
                    _ -> new long[2]);
            sum[0] += line.calls();
            sum[1] += line.bytes();
        }));
        return text(sums);
    }

    private static Map<String, String> text(Map<String, long[]> sums) {
        return sums.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey,
                each -> each.getValue()[0] + " calls " + each.getValue()[1] + " bytes", (a, _) -> a, TreeMap::new));
    }

    private String thread(JsonObject event) {
        return events.stream().filter(each -> each.getString("name").equals("thread_name")
                && each.getInt("tid") == event.getInt("tid")).map(each -> args(each).getString("name")).findFirst().orElseThrow();
    }

    /**
     * The arrows, as threads and slices of both ends; each end is inside of its slice, and no effect ends before its cause
     * begins.
     */
    private List<String> flows() {
        List<String> texts = new ArrayList<>();
        Map<Integer, JsonObject> ends = phase("f").stream().collect(Collectors.toMap(each -> each.getInt("id"), each -> each));
        for (JsonObject begin : phase("s")) {
            JsonObject end = ends.remove(begin.getInt("id"));
            JsonObject from = around(begin);
            JsonObject to = around(end);
            assertTrue(to.getDouble("ts") + to.getDouble("dur") >= from.getDouble("ts"), () -> from + " after " + to);
            texts.add(thread(begin) + ": " + from.getString("name") + " > " + thread(end) + ": " + to.getString("name"));
        }
        assertEquals(Map.of(), ends, "effects without a cause");
        return texts;
    }

    /** The innermost slice that begins with an end of a flow. */
    private JsonObject around(JsonObject end) {
        return events.stream().filter(each -> each.getString("ph").equals("X") && each.getInt("tid") == end.getInt("tid")
                && each.getDouble("ts") == end.getDouble("ts")).reduce((_, last) -> last).orElseThrow();
    }

    private static void transfers(Rank rank) {
        int next = (rank.rank() + 1) % rank.ranks();
        SharedPointer host = rank.allAlloc(rank.ranks(), 4096);
        SharedPointer device;
        try (var _ = rank.onDevice()) {
            device = rank.allAlloc(rank.ranks(), 4096);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(512, 8);
            for (int round = 0; round < ROUNDS; round++) {
                rank.memput(host.plus(next * 4096L), bytes, 8 + rank.rank());
                rank.memget(bytes, host.plus(next * 4096L), 500);
                rank.memput(device.plus(next * 4096L), bytes, 64);
                rank.memset(host.plus(next * 4096L + 512), 1, 100);
                rank.atomics().fetchAdd(host.plus(next * 4096L + 1024), 1);
                rank.fence();
                rank.notifications().signal(next, TAG);
                rank.notifications().await(TAG, 1);
            }
        }
        rank.stream().launch(new Kernel("nothing", null, (_, _) -> { }), new Kernel.Shape(1, 1));
        rank.stream().sync();
        rank.allReduce(1L, ReduceOp.SUM);
        rank.barrier();
    }

    @Test
    void shouldHaveTheBytesThatAreCountedOnEachRoute() throws Exception {
        for (String route : List.of("auto", "fastpath", "rendezvous")) {
            counters.clear();
            run(3, route, TimelineOfRunTest::transfers);

            assertEquals(counted(), traced(), route);
            assertTrue(traced().containsKey("1>2 put by " + (route.equals("auto") ? "direct-host" : route)), traced()::toString);
            List<String> flows = flows();
            if (!route.equals("rendezvous")) { // a get's owner may end before it reads that all pieces have come
                assertEquals(0, timeline.getObject("otherData").getLong("lostEnds"), flows::toString);
            }
            assertEquals(0, timeline.getObject("otherData").getLong("dropped"));
        }
    }

    @Test
    void shouldJoinNotificationsWithTheirWaits() throws Exception {
        run(3, "auto", TimelineOfRunTest::transfers);

        Map<String, Long> notifications = flows().stream().filter(each -> each.contains("signal"))
                .collect(Collectors.groupingBy(each -> each, TreeMap::new, Collectors.counting()));
        assertEquals(Map.of("rank 0: signal > rank 1: seen", 3L, "rank 1: signal > rank 2: seen", 3L,
                "rank 2: signal > rank 0: seen", 3L), notifications);
    }

    @Test
    void shouldShowOperationsKernelsAndStreams() throws Exception {
        run(2, "auto", TimelineOfRunTest::transfers);

        for (int rank = 0; rank < 2; rank++) {
            int number = rank;
            assertEquals(1, slices("operation").stream().filter(each -> each.getString("name").equals("allReduce")
                    && args(each).getInt("rank") == number).count());
            assertTrue(slices("operation").stream().anyMatch(each -> each.getString("name").equals("barrier")
                    && args(each).getInt("rank") == number && thread(each).equals("rank " + number)));
            String stream = "rank " + number + ": queue nothing > stream of rank " + number;
            assertEquals(1, flows().stream().filter(each -> each.startsWith(stream) && each.endsWith(": nothing")).count(),
                    flows()::toString);
        }
    }

    /** Rank 1 serves nothing while it is busy, so the word can only come by its helper. */
    @Test
    void shouldLeadFromTheSenderToTheHelperAndBack() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        run(2, "fastpath", rank -> {
            SharedPointer word = rank.allAlloc(2, 8);
            if (rank.rank() == 0) {
                await(busy);
                rank.memput(word.plus(8), MemorySegment.ofArray(new long[] {1}), 8);
                rank.memget(MemorySegment.ofArray(new long[1]), word.plus(8), 8);
                rank.barrier();
            } else {
                try (var _ = rank.busy()) {
                    busy.countDown();
                    while (rank.local(word.plus(8)).get(ValueLayout.JAVA_LONG, 0) != 1) {
                        Thread.yield();
                    }
                }
                rank.barrier();
            }
        });

        List<String> flows = flows();
        assertTrue(flows.contains("rank 0: send put > helper 0: serve put"), flows::toString);
        assertTrue(flows.stream().anyMatch(each -> each.contains(": send answer > ") && each.endsWith(": serve answer")),
                flows::toString);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(60, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e);
        }
    }

    @Test
    void shouldLeadFromANotificationToTheStreamThatWaits() throws Exception {
        CountDownLatch queued = new CountDownLatch(1);
        run(2, "auto", rank -> {
            if (rank.rank() == 0) {
                await(queued);
                rank.notifications().signal(1, TAG);
            } else {
                rank.stream().awaitNotifications(TAG, 1);
                queued.countDown();
                rank.stream().sync();
            }
        });

        String text = "rank 0: signal > stream of rank 1: wait for a word";
        assertEquals(1, flows().stream().filter(text::equals).count(), flows()::toString);
    }

    @Test
    void shouldShowBlocksOfTheHostDevice() throws Exception {
        run(2, "auto", rank -> {
            try (DeviceGrid grid = rank.createGrid(DeviceGrid.Options.of(2, 32))) {
                grid.launch(new GridProgram("turns", null, (self, _) -> self.barrier(GridRank.Comm.WORLD)));
                grid.sync();
            }
        });

        assertEquals(List.of("block 0 of rank 0", "block 0 of rank 1", "block 1 of rank 0", "block 1 of rank 1"),
                slices("block").stream().map(this::thread).sorted().toList());
        assertTrue(slices("block").stream().allMatch(each -> each.getString("name").equals("turns")));
        assertTrue(slices("block wait").stream().anyMatch(each -> each.getString("name").equals("barrier")));
    }

    /** Bytes in the timeline, in the counters, and of the program's own calls. */
    @Test
    void shouldHaveTheBytesThatBlocksMove() throws Exception {
        run(2, "auto", rank -> {
            try (DeviceGrid grid = rank.createGrid(DeviceGrid.Options.of(2, 32))) {
                SharedPointer memory;
                try (var _ = rank.onDevice()) {
                    memory = rank.allAlloc(2, 4096);
                }
                Buffer own = rank.memory().local(memory.onRank(rank.rank()), ElementType.BYTE, 4096);
                grid.launch(new GridProgram("moves", null, (self, args) -> {
                    MemorySegment part = args.segment(0).asSlice(self.rank(GridRank.Comm.DEVICE) * 2048L, 2048);
                    int window = self.createWindow(GridRank.Comm.WORLD, part);
                    int next = (self.rank(GridRank.Comm.WORLD) + 1) % 4;
                    self.put(window, next, 0, part.asSlice(1024), 100);
                    self.putNotify(window, next, 128, part.asSlice(1024), 8, TAG);
                    self.awaitNotifications(TAG, 1);
                    self.get(window, next, 0, part.asSlice(512), 300);
                    self.barrier(GridRank.Comm.WORLD);
                    self.freeWindow(window);
                }), own);
                grid.sync();
            }
        });

        // of two blocks, one has its next on the same rank, and the other on the other
        Map<String, String> expected = new TreeMap<>();
        for (String pair : List.of("0>0", "0>1", "1>0", "1>1")) {
            expected.put(pair + " put by blocks", "2 calls 108 bytes");
            expected.put(pair + " get by blocks", "1 calls 300 bytes");
        }
        Map<String, long[]> traced = new TreeMap<>();
        for (String operation : List.of("put", "get")) {
            for (JsonObject each : slices("block " + operation)) {
                long[] sum = traced.computeIfAbsent(args(each).getInt("rank") + ">" + args(each).getInt("peer") + " " + operation
                        + " by blocks", _ -> new long[2]);
                sum[0]++;
                sum[1] += args(each).getLong("bytes");
            }
        }
        assertEquals(expected, text(traced));
        Map<String, String> counted = counted();
        counted.keySet().removeIf(each -> !each.endsWith(" by blocks"));
        assertEquals(expected, counted);
    }

    @Test
    void shouldKeepTheLatestEventsAndCountTheOthers() throws Exception {
        Path file = folder.resolve("small.json");
        Pgas.run(new PgasConfig().ranks(1).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(1 << 20)
                .set(PgasKey.TRACE, file.toString()).set(PgasKey.TRACE_EVENTS, "64"), rank -> {
                    SharedPointer word = rank.alloc(8);
                    for (int i = 0; i < 1_000; i++) {
                        rank.atomics().fetchAdd(word, 1);
                    }
                });
        JsonObject small = JsonParser.object().from(Files.readString(file));

        assertTrue(small.getObject("otherData").getLong("dropped") >= 1_000 - 64);
        assertEquals(63, small.getArray("traceEvents").stream().map(JsonObject.class::cast)
                .filter(each -> each.getString("ph").equals("X")).count());
    }

    @Test
    void shouldWriteNothingUnlessItIsWanted() {
        Pgas.run(new PgasConfig().ranks(2).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(1 << 20), Rank::barrier);

        assertFalse(org.pgas4j.os.trace.Trace.isOn());
        assertEquals(0, folder.toFile().list().length);
    }
}
