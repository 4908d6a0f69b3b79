package org.pgas4j.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.launch.job.Ucx;

/** Timelines of jobs of several JVMs. */
@Tag("multiprocess")
@Tag("slow")
@Timeout(180)
class TraceJobTest {

    private static final int RANKS = 4;

    @TempDir
    private Path folder;

    private Launched job;
    private JsonObject timeline;
    private List<JsonObject> events;

    private int run(String options, String... program) throws Exception {
        Path file = folder.resolve("trace.json");
        List<String> words = new ArrayList<>(List.of("--device", "host", "--heap-host", "4m", "--heap-device", "1m", "-n",
                Integer.toString(RANKS), "--trace", file.toString()));
        words.addAll(List.of(options.split(" ")));
        words.add(TraceProgram.class.getName());
        words.addAll(List.of(program));
        try (Launched launched = Launched.start(folder, words.toArray(String[]::new))) {
            job = launched;
            int status = launched.await();
            if (Files.exists(file)) {
                timeline = JsonParser.object().from(Files.readString(file));
                events = timeline.getArray("traceEvents").stream().map(JsonObject.class::cast).toList();
            }
            return status;
        }
    }

    private List<JsonObject> slices(String category) {
        return events.stream().filter(each -> each.getString("ph").equals("X") && each.getString("cat").equals(category))
                .toList();
    }

    private static JsonObject args(JsonObject event) {
        return event.getObject("args");
    }

    private static long nanos(JsonObject event, String key) {
        return Math.round(event.getDouble(key) * 1_000);
    }

    private void assertAllPutsAreThere() {
        List<JsonObject> puts = slices("put").stream().filter(each -> args(each).getInt("peer") != args(each).getInt("rank"))
                .toList();
        assertEquals(RANKS * TraceProgram.ROUNDS, puts.size());
        assertEquals((long) RANKS * TraceProgram.ROUNDS * TraceProgram.BYTES,
                puts.stream().mapToLong(each -> args(each).getLong("bytes")).sum());
        for (int rank = 0; rank < RANKS; rank++) {
            int number = rank;
            assertEquals(TraceProgram.ROUNDS, puts.stream().filter(each -> args(each).getInt("rank") == number).count());
        }
    }

    /**
     * Each notification leads to a wait, which does not end before the notification begins, as exactly as the clocks are known.
     */
    private void assertEffectsFollowCauses() {
        long errorNs = timeline.getObject("otherData").getLong("clockErrorNs");
        Map<String, JsonObject> slices = new HashMap<>();
        events.stream().filter(each -> each.getString("ph").equals("X"))
                .forEach(each -> slices.put(each.getInt("tid") + "@" + nanos(each, "ts"), each));
        Map<Integer, JsonObject> ends = events.stream().filter(each -> each.getString("ph").equals("f"))
                .collect(Collectors.toMap(each -> each.getInt("id"), each -> each));
        int notifications = 0;
        for (JsonObject begin : events.stream().filter(each -> each.getString("ph").equals("s")).toList()) {
            JsonObject end = ends.remove(begin.getInt("id"));
            JsonObject from = slices.get(begin.getInt("tid") + "@" + nanos(begin, "ts"));
            JsonObject to = slices.get(end.getInt("tid") + "@" + nanos(end, "ts"));
            assertTrue(nanos(to, "ts") + nanos(to, "dur") - nanos(from, "ts") >= -2 * errorNs, () -> from + " after " + to);
            notifications += from.getString("name").equals("signal") ? 1 : 0;
        }
        assertEquals(Map.of(), ends, "effects without a cause");
        assertEquals(RANKS * TraceProgram.ROUNDS, notifications);
        assertEquals(0, timeline.getObject("otherData").getLong("lostEnds"));
    }

    private Set<String> names(String kind) {
        return events.stream().filter(each -> each.getString("name").equals(kind)).map(each -> args(each).getString("name"))
                .collect(Collectors.toSet());
    }

    private void assertSays(String part) {
        assertTrue(job.err.stream().anyMatch(line -> line.contains(part)), () -> String.join("\n", job.err));
    }

    @Test
    void shouldMergeTheJvmsOfAJob() throws Exception {
        assertEquals(0, run("--processes 2"), () -> job.err.toString());

        assertAllPutsAreThere();
        assertEffectsFollowCauses();
        assertTrue(names("thread_name").containsAll(Set.of("rank 0", "rank 1", "rank 2", "rank 3")),
                names("thread_name")::toString);
        assertEquals(2, names("process_name").size());
        assertSays("pgas4j: timeline of 2 JVMs in ");
        assertSays("; one clock");
    }

    /** Agents hand in the timelines of their nodes. */
    @Test
    void shouldMergeTheNodesOfAJob() throws Exception {
        assertEquals(0, run("-H localhost:2"), () -> job.err.toString());

        assertAllPutsAreThere();
        assertEffectsFollowCauses();
    }

    /** Nodes of a test have one clock: its measured offset must be 0 within the bound. */
    @Test
    void shouldCompareTheClocksOfNodes() throws Exception {
        Ucx.assume();
        assertEquals(0, run("--processes 2 --set pgas.node.processes=1 --set pgas.ucx.tls=tcp"), () -> job.err.toString());

        assertAllPutsAreThere();
        assertEffectsFollowCauses();
        assertTrue(timeline.getObject("otherData").getLong("clockErrorNs") > 0, timeline::toString);
        assertSays(" us of process 0's");
    }

    @Test
    void shouldWriteTheTimelineOfAJobThatFails() throws Exception {
        assertEquals(1, run("--processes 2 --grace 30s", "fail"), () -> job.err.toString());

        assertAllPutsAreThere();
        assertTrue(job.lastError().startsWith("pgas4j: job ended by "), job.err::toString);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--trace", "--stats-json", "--stats-picture"})
    void shouldRefuseAFileThatCannotBeWrittenBeforeTheJobStarts(String option) throws Exception {
        Path nowhere = folder.resolve("none").resolve("trace.json");
        try (Launched launched = Launched.start(folder, "-n", "1", option, nowhere.toString(), TraceProgram.class.getName())) {
            assertEquals(2, launched.await(), () -> launched.err.toString());
            assertTrue(launched.err.toString().contains(option + " " + nowhere), launched.err::toString);
        }
        assertFalse(Files.exists(nowhere));
    }
}
