package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.Reader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.Backend;
import org.pgas4j.Kernel;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedPointer;

/** Events of the flight recorder. */
@Tag("slow")
@Timeout(120)
class RecordingTest {

    private static final List<String> NAMES = List.of("Put", "Get", "Wait", "Barrier", "Collective", "KernelLaunch",
        "HelperService");

    private static final String PREFIX = "org.pgas4j.";

    @TempDir
    private Path folder;

    private static void run(Rank rank, CountDownLatch busy) {
        SharedPointer memory = rank.allAlloc(2, 4096);
        SharedPointer device;
        try (var _ = rank.onDevice()) {
            device = rank.allAlloc(2, 4096);
        }
        if (rank.rank() == 0) {
            await(busy);
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment bytes = arena.allocate(128, 8);
                rank.memput(memory.plus(4096), bytes, 128);
                rank.memput(memory, bytes, 16);
                rank.memget(bytes, memory.plus(4096), 64);
                rank.memput(device.plus(4096), bytes, 32); // by message: rank 1 is busy, its helper serves it
            }
            rank.stream().launch(new Kernel("nothing", null, (_, _) -> { }), new Kernel.Shape(1, 1));
            rank.stream().sync();
            rank.memput(memory.plus(4096 + 8), oneWord(), 8);
        } else {
            try (var _ = rank.busy()) {
                busy.countDown();
                while (rank.local(memory.plus(4096)).get(ValueLayout.JAVA_LONG, 8) != 1) {
                    Thread.yield();
                }
            }
        }
        rank.allReduce(1L, ReduceOp.SUM);
        rank.barrier();
    }

    private static MemorySegment oneWord() {
        return MemorySegment.ofArray(new long[] {1});
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e);
        }
    }

    private List<RecordedEvent> record() throws IOException {
        Path file = folder.resolve("recording.jfr");
        CountDownLatch busy = new CountDownLatch(1);
        try (Recording recording = new Recording()) {
            NAMES.forEach(name -> recording.enable("org.pgas4j." + name).withThreshold(Duration.ZERO));
            recording.start();
            Pgas.run(new PgasConfig().ranks(2).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(1 << 20)
                    .set(PgasKey.ROUTE, "messages").set(PgasKey.HELPER, "on"), rank -> run(rank, busy));
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file);
    }

    private static String name(RecordedEvent event) {
        return event.getEventType().getName();
    }

    @Test
    void shouldRecordWhatRanksDo() throws IOException {
        Map<String, List<RecordedEvent>> events = record().stream().filter(event -> name(event).startsWith(PREFIX))
                .collect(Collectors.groupingBy(event -> name(event).substring(PREFIX.length()), TreeMap::new, Collectors.toList()));

        assertEquals(new TreeSet<>(NAMES), events.keySet());
        assertTrue(events.get("Put").stream().anyMatch(event -> event.getInt("rank") == 0 && event.getInt("peer") == 1
                && event.getLong("bytes") == 128 && event.getString("route").equals("fastpath")), events::toString);
        assertTrue(events.get("Put").stream().anyMatch(event -> event.getLong("bytes") == 16
                && event.getString("route").equals("local")), events::toString);
        assertTrue(events.get("Get").stream().anyMatch(event -> event.getLong("bytes") == 64), events::toString);
        assertTrue(events.get("Put").stream().anyMatch(event -> event.getLong("bytes") == 32), events::toString);
        assertTrue(events.get("Collective").stream().anyMatch(event -> event.getString("operation").equals("allReduce")
                && event.getInt("rank") == 1), events::toString);
        assertTrue(events.get("KernelLaunch").stream().anyMatch(event -> event.getString("kernel").equals("nothing")),
                events::toString);
        assertTrue(events.get("HelperService").stream().allMatch(event -> event.getInt("rank") == 1
                && event.getDuration("copy").toNanos() >= 0), events::toString);
    }

    @Test
    void shouldRecordFromTheNextWaitOfARecordingThatBeginsLater() throws IOException {
        Path file = folder.resolve("later.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("org.pgas4j.Put").withThreshold(Duration.ZERO);
            Pgas.run(new PgasConfig().ranks(1).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(1 << 20), rank -> {
                SharedPointer memory = rank.allAlloc(1, 4096);
                rank.memput(memory, oneWord(), 8);
                recording.start();
                rank.barrier();
                rank.memput(memory, MemorySegment.ofArray(new long[2]), 16);
            });
            recording.stop();
            recording.dump(file);
        }

        assertEquals(List.of(16L), RecordingFile.readAllEvents(file).stream().filter(event -> name(event).equals("org.pgas4j.Put"))
                .map(event -> event.getLong("bytes")).toList());
    }

    @Test
    void shouldHaveSettingsForAllEvents() throws IOException, ParseException {
        try (Reader settings = Files.newBufferedReader(Path.of("..", "scripts", "pgas.jfc"))) {
            Map<String, String> values = Configuration.create(settings).getSettings();

            assertEquals(NAMES.stream().map(name -> "org.pgas4j." + name).collect(Collectors.toSet()), values.keySet().stream()
                    .filter(key -> key.startsWith("org.pgas4j.") && key.endsWith("#enabled"))
                    .map(key -> key.substring(0, key.length() - "#enabled".length())).collect(Collectors.toSet()));
            assertEquals("true", values.get("org.pgas4j.Put#enabled"));
            assertEquals("20 us", values.get("org.pgas4j.Put#threshold"));
        }
    }
}
