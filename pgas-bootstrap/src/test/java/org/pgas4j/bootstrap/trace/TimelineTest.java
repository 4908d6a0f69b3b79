package org.pgas4j.bootstrap.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.os.trace.TraceKind;
import org.pgas4j.os.trace.TraceTrack;

class TimelineTest {

    @TempDir
    private Path folder;

    private static void write(Path file, TracePart part) throws IOException {
        PartFile.write(file, part, part.tracks().stream().<Supplier<TraceTrack>>map(track -> () -> track).toList(), part::names);
    }

    private Path part(TracePart part) throws IOException {
        Path file = TraceFolder.file(folder, part.run(), part.process());
        write(file, part);
        return file;
    }

    private static JsonArray events(Path file) throws Exception {
        return JsonParser.object().from(Files.readString(file)).getArray("traceEvents");
    }

    private static List<JsonObject> of(JsonArray events, String phase) {
        return events.stream().map(JsonObject.class::cast).filter(event -> event.getString("ph").equals(phase)).toList();
    }

    @Test
    void shouldReadWhatItHasWritten() throws IOException {
        PartBuilder builder = new PartBuilder(3, new TimeOffset(1, 2, 3), new TimeOffset(4, 5, 6)).track("a", 7, 8)
                .track("b", -1);
        for (int i = 0; i < 20_000; i++) { // more than a buffer
            if (i % 5_000 == 0) {
                builder.track("c" + i, 1);
            }
            builder.event(TraceKind.PUT, "x", i, -i, i, i, i, i, i + 1);
            i += 40;
        }
        TracePart part = builder.build();

        TracePart read = PartFile.read(part(part));

        assertEquals(part.offsets(), read.offsets());
        assertEquals(part.names(), read.names());
        assertEquals(part.host(), read.host());
        assertEquals(part.endRank(), read.endRank());
        assertEquals(part.tracks().size(), read.tracks().size());
        for (int i = 0; i < part.tracks().size(); i++) {
            assertEquals(part.tracks().get(i).name(), read.tracks().get(i).name());
            assertEquals(part.tracks().get(i).dropped(), read.tracks().get(i).dropped());
            org.junit.jupiter.api.Assertions.assertArrayEquals(part.tracks().get(i).words(), read.tracks().get(i).words());
        }
    }

    @Test
    void shouldRefuseAFileThatIsNoPart() throws IOException {
        Path file = folder.resolve("trace-1-0");
        Files.writeString(file, "something else");
        assertThrows(IOException.class, () -> PartFile.read(file));
    }

    /** The clock of process 1 is 1,000 ns behind, and its service of a message so before the sending by its own clock. */
    @Test
    void shouldShowAllJvmsOnTheClockOfProcessZero() throws Exception {
        Path a = part(new PartBuilder(0).track("rank-0", 0, 4).event(TraceKind.SEND, "put", 0, 2, 0, 8, 1, 5_000, 5_100).build());
        Path b = part(new PartBuilder(1, new TimeOffset(0, 1_000, 50)).track("pgas-helper-0", -1)
                .event(TraceKind.SERVE, "put", 2, 0, 0, 8, 1, 4_300, 4_900).build());
        Path file = folder.resolve("trace.json");

        List<String> lines = TraceMerge.write(List.of(a, b), file);

        JsonArray events = events(file);
        List<JsonObject> slices = of(events, "X");
        assertEquals(List.of("send put", "serve put"), slices.stream().map(each -> each.getString("name")).toList());
        assertEquals(0, slices.get(0).getDouble("ts"));
        assertEquals(0.3, slices.get(1).getDouble("ts"));
        assertEquals(0.6, slices.get(1).getDouble("dur"));
        JsonObject begin = of(events, "s").getFirst();
        JsonObject end = of(events, "f").getFirst();
        assertEquals(begin.getInt("id"), end.getInt("id"));
        assertEquals(slices.get(0).getInt("tid"), begin.getInt("tid"));
        assertEquals(slices.get(1).getInt("tid"), end.getInt("tid"));
        assertEquals(0.3, end.getDouble("ts"));
        assertTrue(Files.readString(file).contains("JVM 1, ranks 2..3, host1"));
        assertEquals("timeline of 2 JVMs in " + file + ": 2 events, 1 flows; times are within 0.0 us of process 0's",
                lines.get(0));
        assertEquals("4 older events had no room; raise pgas.trace.events", lines.get(1));
        assertEquals(List.of(a, b), TraceFolder.list(folder), "no temporary file is left, and the timeline is no part");
    }

    @Test
    void shouldDrawCopiesThatOverlapOnFurtherLines() throws Exception {
        Path part = part(new PartBuilder(0).track("rank-0", 0).event(TraceKind.SERVE, "put", 0, 1, 0, 8, 1, 0, 100)
                .event(TraceKind.SERVE, "put", 0, 1, 0, 8, 2, 50, 150)
                .event(TraceKind.OPERATION, "barrier", 0, -1, 0, 0, 1, 60, 70)
                .event(TraceKind.OPERATION, "barrier", 0, -1, 0, 0, 2, 100, 200).build());
        Path file = folder.resolve("trace.json");
        TraceMerge.write(List.of(part), file);

        List<Integer> threads = of(events(file), "X").stream().map(each -> each.getInt("tid")).toList();

        assertEquals(List.of(1, 2, 1, 1), threads, "the barrier is inside of the first copy, the next one begins at its end");
    }

    @Test
    void shouldNameTracksForPeople() {
        TrackNames names = new TrackNames();
        assertEquals("rank 3", names.next(new TraceTrack("rank-3", 3, 0, new long[0])).text());
        assertEquals("stream of rank 3", names.next(new TraceTrack("pgas-stream-host 0", 3, 0, new long[0])).text());
        assertEquals("stream of rank 3 #2", names.next(new TraceTrack("pgas-stream-host 0", 3, 0, new long[0])).text());
        assertEquals("block 2 of rank 1", names.next(new TraceTrack("pgas-block-2 of stream of host", 1, 0, new long[0])).text());
        assertEquals("helper 0", names.next(new TraceTrack("pgas-helper-0", -1, 0, new long[0])).text());
        assertEquals("main", names.next(new TraceTrack("main", -1, 0, new long[0])).text());
    }
}
