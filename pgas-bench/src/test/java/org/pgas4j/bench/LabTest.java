package org.pgas4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.bench.result.HistogramLog;
import org.pgas4j.bench.result.Provenance;
import org.pgas4j.bench.result.Row;

/** Written experiments with tiny times on the host device. */
@Tag("slow")
class LabTest {

    private static final String PLAN = """
            {"device": "host", "seconds": 0.02, "samples": 20, "repeat": %d, "experiments": [
              {"operation": ["get", "put", "notify", "atomic", "overlap"], "owner": "java", "kernel_ms": 0.1, "helper": "on",
               "processes": 1},
              {"operation": "get", "bytes": 100, "owner": ["spin", "fill", "memory", "gemm", "collect"], "kernel_ms": 0.1,
               "helper": "on", "processes": 1},
              {"operation": "get", "owner": "idle", "arrivals": ["poisson", "fixed"], "load": 0.5, "helper": "on", "processes": 1},
              {"operation": "get", "owner": "idle", "helper": "own", "inject": ["none", "copy:10"], "processes": 1}]}
            """;
    private static final int POINTS = 14;

    @TempDir
    private Path dir;

    private int lab(Path plan) {
        return BenchAll.command().execute("lab", "--plan", plan.toString(), "--out", dir.resolve("out").toString(),
                "--commit", "0123abc");
    }

    @Test
    void shouldMeasureAllPointsAndGoOnAfterAnInterruption() throws IOException {
        Path plan = dir.resolve("plan.json");
        Files.writeString(plan, PLAN.formatted(1));
        assertEquals(0, lab(plan));
        Path out = dir.resolve("out");
        List<Row> rows = Row.read(out.resolve("lab.jsonl"));
        assertEquals(POINTS, rows.size());
        Set<String> points = new HashSet<>();
        for (Row row : rows) {
            assertTrue(points.add(row.text(Row.POINT)), row.json());
            assertEquals(0, row.wrong(), row.json());
            assertTrue(row.times().samples() >= 10 && row.times().p50() > 0, row.json());
            assertEquals("0123abc", row.text(Provenance.COMMIT));
            assertTrue(row.text("owner").equals("idle") || row.number("slow_down") > 0, row.json());
        }
        Row delayed = rows.stream().filter(row -> row.text("inject").equals("copy:10")).findFirst().orElseThrow();
        assertTrue(delayed.number("injected_p50_us") >= 9.9 && delayed.number("copy_p50_us") >= 9.9, delayed.json());
        assertEquals(POINTS, HistogramLog.read(out.resolve("lab.hlog")).size());
        assertTrue(Files.exists(out.resolve("lab.csv")) && Files.exists(out.resolve("lab-get.png")));
        assertTrue(Files.readString(out.resolve("lab.md")).contains("| copy | "));

        List<String> journal = Files.readAllLines(out.resolve("journal.jsonl"));
        Files.write(out.resolve("journal.jsonl"), journal.subList(0, POINTS - 1));
        assertEquals(0, lab(plan));
        List<String> again = Files.readAllLines(out.resolve("journal.jsonl"));
        assertEquals(journal.subList(0, POINTS - 1), again.subList(0, POINTS - 1));
        assertEquals(POINTS, again.size());
        assertEquals(points, new HashSet<>(Row.read(out.resolve("lab.jsonl")).stream().map(row -> row.text(Row.POINT)).toList()));
        Files.writeString(plan, PLAN.formatted(2));
        assertEquals(2, lab(plan));
    }
}
