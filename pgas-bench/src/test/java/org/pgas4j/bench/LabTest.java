package org.pgas4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.bench.lab.LabPoint;
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
    private static final String SEVERAL = """
            {"device": "host", "seconds": 0.02, "samples": 20, "experiments": [
              {"operation": ["get", "put", "notify", "atomic"], "owner": ["idle", "java"], "kernel_ms": 0.1, "helper": "on",
               "processes": 1},
              {"operation": "get", "owner": "idle", "arrivals": "fixed", "load": 0.5, "helper": "on", "processes": 1}]}
            """;

    private static final String RESIDENT = """
            {"device": "host", "seconds": 0.05, "samples": 50, "experiments": [
              {"operation": ["get", "put", "atomic"], "bytes": 64, "owner": ["idle", "gemm"], "kernel_ms": 0.1,
               "helper": ["resident", "on"], "local": "host", "processes": 1},
              {"bytes": 8, "helper": "resident", "requesters": [1, 2], "processes": 1}]}
            """;

    @TempDir
    private Path dir;

    private int lab(Path plan, String... more) {
        List<String> words = new ArrayList<>(List.of("lab", "--plan", plan.toString(), "--out", dir.resolve("out").toString(),
                "--commit", "0123abc"));
        words.addAll(List.of(more));
        return BenchAll.command().execute(words.toArray(String[]::new));
    }

    /** Rows of one and three requesters, with the rates of all; another sweep does not mix with it. */
    @Test
    void shouldSweepRequesters() throws IOException {
        Path plan = dir.resolve("plan.json");
        Files.writeString(plan, SEVERAL);
        assertEquals(0, lab(plan, "--requesters", "1,3"));
        List<Row> rows = Row.read(dir.resolve("out").resolve("lab.jsonl"));
        assertEquals(18, rows.size());
        for (Row row : rows) {
            assertEquals(0, row.wrong(), row.json());
            assertTrue(row.number("requests_per_s") > 0, row.json());
            double requesters = row.number("requesters");
            assertEquals(LabPoint.parse(row.text(Row.POINT)).requesters(), requesters, row.json());
            if (requesters == 1) {
                assertTrue(Double.isNaN(row.number("fairness")) && Double.isNaN(row.number(Row.RANKS)), row.json());
                continue;
            }
            assertEquals(4, row.number(Row.RANKS), row.json());
            assertTrue(row.times().samples() >= 30 && row.times().samples() <= 60, row.json());
            assertTrue(row.number("fairness") > 0 && row.number("fairness") <= 1, row.json());
            assertTrue(row.number("requester_max_per_s") <= row.number("requests_per_s")
                    && row.number("requester_min_per_s") * 3 <= row.number("requests_per_s") * 1.000_001, row.json());
            assertTrue(row.number("requester_p50_min_us") <= row.number("requester_p50_max_us"), row.json());
        }
        assertTrue(Files.readString(dir.resolve("out").resolve("lab.md")).contains("Several requesters"));
        assertTrue(Files.exists(dir.resolve("out").resolve("lab-get-requesters.png")));
        notebookKnowsTheColumns(dir.resolve("out").resolve("lab.csv"));
        assertEquals(2, lab(plan, "--requesters", "1,2"));
        assertEquals(2, lab(plan, "--requesters", "none"));
    }

    /** The block serves between host memory and the owner's, beside a helper that does the same; each requester has a block. */
    @Test
    void shouldCompareAResidentBlock() throws IOException {
        Path plan = dir.resolve("plan.json");
        Files.writeString(plan, RESIDENT);
        assertEquals(0, lab(plan));
        List<Row> rows = Row.read(dir.resolve("out").resolve("lab.jsonl"));
        assertEquals(14, rows.size());
        double byBlock = 0;
        int beside = 0;
        for (Row row : rows) {
            assertEquals(0, row.wrong(), row.json());
            assertEquals(row.op().equals("put") ? "host" : "device", row.from(), row.json());
            assertEquals(row.op().equals("get") ? "host" : "device", row.op().equals("atomic") ? "device" : row.to(), row.json());
            boolean worked = row.text("owner").equals("gemm");
            assertEquals(worked, row.number("work_turns") > 0, row.json());
            assertEquals(worked, row.number("work_slow_down") > 0, row.json());
            beside += worked ? 1 : 0;
            if (row.text(Row.HELPER).equals("resident")) {
                assertEquals("resident", row.route(), row.json());
                assertTrue(row.number("by_block_percent") >= 0 && row.number("by_block_percent") <= 100, row.json());
                byBlock += row.number("by_block_percent");
            } else {
                assertEquals("fastpath", row.route(), row.json());
                assertTrue(Double.isNaN(row.number("by_block_percent")), row.json());
            }
        }
        assertTrue(byBlock > 0, "no request by the block");
        assertTrue(beside > 0, "no work beside requests");
        String report = Files.readString(dir.resolve("out").resolve("lab.md"));
        assertTrue(report.contains("| helpers' CPU | by block % |"), report);
        assertTrue(report.lines().anyMatch(line -> line.contains("helper=resident") && line.contains("requesters=2")
                && line.matches("\\| [^|]*\\| [0-9]+ \\| [0-9]+ \\|.*")), report);
    }

    /** Columns that the notebook reads: its axes, keys of its tables, and attributes of its table. */
    private static void notebookKnowsTheColumns(Path csv) throws IOException {
        String notebook = Files.readString(Path.of("..", "docs", "studies", "lab", "lab.ipynb"));
        Set<String> used = new HashSet<>();
        Pattern.compile("(?:axes = |index=|columns=|values=|lab\\[\\[)(\\[?'[a-z0-9_', ]+')").matcher(notebook).results()
                .flatMap(found -> Pattern.compile("'([a-z0-9_]+)'").matcher(found.group(1)).results()).forEach(name -> used.add(name.group(1)));
        Pattern.compile("\\b(?:lab|points)\\.([a-z0-9_]+) [!=]=").matcher(notebook).results().forEach(name -> used.add(name.group(1)));
        List<String> columns = List.of(Files.readAllLines(csv).getFirst().split(","));
        assertTrue(used.contains("requests_per_s") && used.size() > 15, used.toString());
        used.remove("median"); // of the notebook's own table of points
        assertTrue(columns.containsAll(used), used + " in " + columns);
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

    /** The time is up before all is done: what is done is kept, and the same command does the rest. */
    @Test
    void shouldEndWhenItsTimeIsUp() throws IOException {
        Path plan = dir.resolve("plan.json");
        List<Integer> sizes = IntStream.rangeClosed(1, 30).boxed().toList();
        Files.writeString(plan, """
                {"device": "cuda", "seconds": 0.5, "samples": 100000000, "experiments": [{"bytes": %s, "helper": "on", "processes": 1}]}
                """.formatted(sizes));
        assertEquals(0, lab(plan, "--device", "host", "--limit", "12")); // the points take 15 s, the first of them half a second
        int done = Row.read(dir.resolve("out").resolve("journal.jsonl")).size();
        assertTrue(done > 0 && done < sizes.size(), done + " points");
        assertTrue(Files.readString(dir.resolve("out").resolve("lab.md")).contains("# Experiment"));
        Files.delete(dir.resolve("out").resolve("lab.md"));
        assertEquals(0, lab(plan, "--device", "host", "--report"));
        assertTrue(Files.exists(dir.resolve("out").resolve("lab.md")));
        assertEquals(done, Row.read(dir.resolve("out").resolve("journal.jsonl")).size());
    }
}
