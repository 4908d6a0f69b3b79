package org.pgas4j.bench.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExperimentPlanTest {

    private static final Path PLANS = Path.of("..", "docs", "studies", "lab");

    @Test
    void shouldCombineAllValuesOnce() {
        ExperimentPlan plan = ExperimentPlan.parse("""
                {"device": "host", "seconds": 0.5, "experiments": [
                  {"operation": ["get", "atomic"], "bytes": [8, 8192], "owner": ["idle", "spin"], "kernel_ms": [1, 10],
                   "helper": ["off", "on"], "pgas.helper.wait": "spin"},
                  {"operation": "get", "owner": "idle", "arrivals": ["poisson", "fixed"], "load": [0.5, 0.9]}]}
                """);
        // an atomic operation has one size, and arrivals at a rate have no kernels of an idle owner:
        // (2 sizes x 4 states + 4 states) x 2 helpers + 4
        assertEquals(28, plan.points().size());
        assertEquals(28, plan.points().stream().distinct().count());
        assertEquals("host", plan.device());
        assertEquals(1, plan.repeat());
        LabPoint first = plan.points().getFirst();
        assertEquals("spin", first.launch().get("pgas.helper.wait"));
        assertEquals("route=fastpath helper.wait=spin", first.settings());
        for (LabPoint point : plan.points()) {
            assertEquals(point, LabPoint.parse(point.toString()));
        }
        assertEquals(3, plan.points().stream().map(LabPoint::launch).distinct().count());
    }

    @Test
    void shouldGiveTheProgramsOwnThreadSharedHostMemory() {
        LabPoint own = LabPoint.parse("helper=own inject=copy:10 route=fastpath");
        assertEquals("direct", own.text(LabPoint.ROUTE));
        assertEquals("none", own.with(LabPoint.INJECT, "none").text(LabPoint.INJECT));
    }

    /** The block has its route, carries bytes between a device and the host, and refuses what it does not serve. */
    @Test
    void shouldGiveTheResidentBlockItsRouteAndHostMemory() {
        LabPoint point = LabPoint.parse("helper=resident bytes=64 route=fastpath local=device");
        assertEquals("resident", point.text(LabPoint.ROUTE));
        assertEquals("host", point.text(LabPoint.LOCAL));
        assertEquals("route=resident", point.settings());
        assertEquals(point, LabPoint.parse(point.toString()));
        assertEquals("device", point.with(LabPoint.OPERATION, "atomic").text(LabPoint.LOCAL));
        assertEquals("host", LabPoint.parse("helper=on local=host").text(LabPoint.LOCAL));
        assertEquals("device", LabPoint.parse("helper=own local=host").text(LabPoint.LOCAL));
        assertEquals("16384", LabPoint.parse("helper=resident bytes=16384 pgas.resident.bytes=16k").text(LabPoint.BYTES));
        IllegalArgumentException tooLarge = assertThrows(IllegalArgumentException.class, () -> LabPoint.parse("helper=resident bytes=8193"));
        assertTrue(tooLarge.getMessage().endsWith("a resident block serves up to 8192 bytes; raise pgas.resident.bytes to 8193"),
                tooLarge.getMessage());
        assertThrows(IllegalArgumentException.class, () -> LabPoint.parse("helper=resident operation=notify"));
        assertThrows(IllegalArgumentException.class, () -> LabPoint.parse("helper=on route=resident"));
    }

    /** Each number of requesters is a launch of its own, of one rank more; where one has no meaning there is one requester. */
    @Test
    void shouldSweepRequesters() {
        String text = """
                {"experiments": [{"operation": ["get", "overlap"], "owner": "spin", "kernel_ms": 1, "requesters": [1, 2]},
                  {"helper": "own", "requesters": 4}, {"bytes": 8, "processes": 1}]}
                """;
        assertEquals(5, ExperimentPlan.parse(text).points().size());
        ExperimentPlan swept = ExperimentPlan.parse(ExperimentPlan.with(text, LabPoint.REQUESTERS, List.of("1", "3", "8")));
        assertEquals(List.of(1, 3, 8, 1, 1, 1, 3, 8), swept.points().stream().map(LabPoint::requesters).toList());
        assertEquals(List.of("2", "4", "9", "2", "2", "1", "1", "1"), swept.points().stream().map(point -> point.text(LabPoint.PROCESSES))
                .toList());
        LabPoint eight = swept.points().get(2);
        assertEquals("8", eight.launch().get(LabPoint.REQUESTERS));
        assertEquals(eight, LabPoint.parse(eight.toString()));
        assertEquals(swept.points().getFirst(), eight.with(LabPoint.REQUESTERS, "1"));
    }

    /** Experiments may have repeats and seconds of their own; of a point in several the most count. */
    @Test
    void shouldMeasureSomePointsMoreThanOthers() {
        ExperimentPlan plan = ExperimentPlan.parse("""
                {"repeat": 2, "seconds": 0.5, "experiments": [{"bytes": [8, 64]}, {"bytes": [64, 512], "repeat": 5, "seconds": 0.1},
                  {"bytes": 512, "repeat": 1, "seconds": 3, "about": "long"}]}
                """);
        assertEquals(List.of("8", "64", "512"), plan.points().stream().map(point -> point.text(LabPoint.BYTES)).toList());
        assertEquals(List.of(0.5, 0.5, 3.0), plan.points().stream().map(plan::seconds).toList());
        assertEquals(List.of(3, 3, 2, 2, 2, 0), IntStream.range(0, 6).mapToObj(i -> plan.points(i).size()).toList());
        assertEquals(12, plan.measurements());
        assertEquals(5, plan.repeat());
        assertEquals(plan.points(), ExperimentPlan.parse(ExperimentPlan.on("""
                {"experiments": [{"bytes": [8, 64, 512]}]}""", "host")).points());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "{\"experiments\": [{\"repeat\": 0}]}", "{\"experiments\": [{\"seconds\": 0}]}",
         "{}", "{\"experiments\": []}", "{\"experiments\": [1]}", "{\"experiment\": [{}]}",
        "{\"device\": \"gpu\", \"experiments\": [{}]}", "{\"repeat\": 0, \"experiments\": [{}]}",
        "{\"experiments\": [{\"operaton\": \"get\"}]}", "{\"experiments\": [{\"operation\": \"fetch\"}]}",
        "{\"experiments\": [{\"bytes\": 0}]}", "{\"experiments\": [{\"bytes\": 99999999999}]}",
        "{\"experiments\": [{\"owner\": \"spin\"}]}", "{\"experiments\": [{\"arrivals\": \"poisson\"}]}",
        "{\"experiments\": [{\"arrivals\": \"poisson\", \"load\": 1.5}]}",
        "{\"experiments\": [{\"helper\": \"on\", \"inject\": \"copy:1\"}]}",
        "{\"experiments\": [{\"helper\": \"own\", \"operation\": \"put\"}]}",
        "{\"experiments\": [{\"helper\": \"own\", \"inject\": \"return:1\"}]}", "{\"experiments\": [{\"kernel_ms\": \"long\"}]}",
        "{\"experiments\": [{\"requesters\": 0}]}", "{\"experiments\": [{\"local\": \"gpu\"}]}", "{\"experiments\": [{\"requesters\": 65}]}",
        "{\"experiments\": [{\"requesters\": 3, \"bytes\": 33554432}]}"})
    void shouldRefuseWhatItDoesNotKnow(String plan) {
        assertThrows(IllegalArgumentException.class, () -> ExperimentPlan.parse(plan));
    }

    @Test
    void plansThatComeWithTheStudiesAreReadAndShort() throws IOException {
        try (Stream<Path> files = Files.list(PLANS)) {
            List<Path> plans = files.filter(file -> file.toString().endsWith(".json")).toList();
            assertTrue(plans.size() >= 3, plans.toString());
            for (Path file : plans) {
                ExperimentPlan plan = ExperimentPlan.parse(ExperimentPlan.read(file, null, Map.of()));
                double seconds = plan.estimate();
                assertTrue(seconds <= (plan.device().equals("host") ? 75 : 20 * 60), file + ": " + seconds + " s");
                assertTrue(!file.endsWith("goals.json") || seconds <= 7 * 60, file + ": " + seconds + " s");
            }
        }
    }

    @Test
    void notebookHasNoOutputsAndNoPathsOfAMachine() throws IOException {
        String notebook = Files.readString(PLANS.resolve("lab.ipynb"));
        assertTrue(notebook.contains("\"outputs\": []") && notebook.contains("lab.csv") && notebook.contains("\"nbformat\": 4"));
        assertFalse(notebook.contains("\"output_type\"") || notebook.contains("/home/") || notebook.contains("/tmp/"));
    }
}
