package org.pgas4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.bench.lab.ExperimentPlan;
import org.pgas4j.bench.lab.Journal;
import org.pgas4j.bench.lab.LabPoint;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;

/** Launches of an experiment with a launcher that finishes points at once, or does not. */
class LabRunTest {

    private static final String PLAN = """
            {"seconds": 1, "experiments": [{"bytes": [1, 2, 3, 4, 5, 6], "helper": "on"}, {"bytes": [1, 2], "helper": "off", "repeat": 2}]}
            """;
    private static final int POINTS = 10;
    private static final double POINT_S = 2;

    @TempDir
    private Path dir;

    private final List<LabRun.Launch> launches = new ArrayList<>();
    private final List<String> rows = new ArrayList<>();
    private Set<Integer> failing = Set.of(); // bytes of points with a helper
    private Set<Integer> endless = Set.of();
    private Set<Integer> notHere = Set.of();
    private double limitS = 1e6;
    private long nowNs;
    private Journal journal;

    @BeforeEach
    void setUp() throws IOException {
        journal = new Journal(dir, PLAN);
    }

    private static int bytes(LabPoint point) {
        return (int) point.number(LabPoint.BYTES);
    }

    private static Row row(LabPoint point, int repeat) {
        Histogram times = SampleTimes.histogram();
        SampleTimes.record(times, 1e3);
        return new Row("lab", "get", "device", "device", "fastpath", 2, 8, SampleTimes.of(times, 1), Double.NaN, 0, Map.of())
                .with(Row.POINT, point.toString()).with(Row.REPEAT, repeat);
    }

    private LabRun lab() {
        return lab(PLAN);
    }

    private LabRun lab(String plan) {
        return new LabRun(ExperimentPlan.parse(plan), journal, (launch, out, others, leftNs) -> {
            launches.add(launch);
            for (LabPoint point : launch.points()) {
                boolean served = point.text(LabPoint.HELPER).equals("on");
                if (served && notHere.contains(bytes(point))) {
                    others.accept("lab: not here: " + point + "; no block");
                    continue;
                }
                if (served && failing.contains(bytes(point))) {
                    others.accept("pgasrun: rank 1 failed");
                    return 3;
                }
                long endNs = nowNs + (served && endless.contains(bytes(point)) ? Long.MAX_VALUE / 2 : Math.round(POINT_S * 1e9));
                while (nowNs < endNs) {
                    nowNs += 100_000_000;
                    if (leftNs.getAsLong() <= 0) {
                        return 143;
                    }
                }
                out.accept(row(point, launch.repeat()));
            }
            return 0;
        }, row -> rows.add(row.text(Row.POINT)), 30, limitS, () -> nowNs);
    }

    private String skipped() {
        return journal.skipped().stream().map(skip -> bytes(skip.point()) + " " + skip.reason()).sorted().collect(Collectors.joining("; "));
    }

    /** Else one of them would have all that the first point of a launch has. */
    @Test
    void shouldMeasureTwoPointsInBothOrders() {
        long idleFirst = lab("{\"repeat\": 40, \"experiments\": [{\"owner\": [\"idle\", \"spin\"], \"kernel_ms\": 1, \"helper\": \"on\"}]}")
                .launches().stream().filter(launch -> launch.points().getFirst().text(LabPoint.OWNER).equals("idle")).count();

        assertTrue(idleFirst >= 10 && idleFirst <= 30, idleFirst + " of 40");
    }

    @Test
    void shouldFinishAllPointsInOneLaunchEach() throws IOException, InterruptedException {
        assertEquals(0, lab().run());
        assertEquals(POINTS, journal.rows().size());
        assertEquals(POINTS, rows.size());
        assertEquals(List.of(0, 0, 1), launches.stream().map(LabRun.Launch::repeat).toList());
        assertEquals(0, lab().launches().size());
    }

    /** The point at which a launch ends is left out; the others are done in a launch of their own. */
    @Test
    void shouldGoOnBehindAPointThatFails() throws IOException, InterruptedException {
        failing = Set.of(3);
        assertEquals(3, lab().run());
        assertEquals(POINTS - 1, journal.rows().size());
        assertEquals("3 the launch ended with status 3: pgasrun: rank 1 failed", skipped());
    }

    @Test
    void shouldGoOnBehindAPointThatTakesTooLong() throws IOException, InterruptedException {
        endless = Set.of(2);
        assertEquals(143, lab().run());
        assertEquals(POINTS - 1, journal.rows().size());
        assertEquals("2 not done in time", skipped());
        assertTrue(nowNs < 200e9, nowNs + " ns");
    }

    /** A launch that does not come up is not tried once for each of its points. */
    @Test
    void shouldLeaveOutALaunchThatFailsAtOnce() throws IOException, InterruptedException {
        failing = Set.of(1, 2, 3, 4, 5, 6);
        assertEquals(3, lab().run());
        assertEquals(4, journal.rows().size());
        assertEquals(6, journal.skipped().size());
        assertEquals(4, launches.size());
    }

    /** That is no failure, and the launch goes on. */
    @Test
    void shouldNameWhatAMachineCannotRun() throws IOException, InterruptedException {
        notHere = Set.of(1, 2, 3, 4, 5, 6);
        assertEquals(0, lab().run());
        assertEquals(3, launches.size());
        assertEquals("1 no block; 2 no block; 3 no block; 4 no block; 5 no block; 6 no block", skipped());
    }

    /** Points that are finished when the time is up are kept; the rest is not left out, and the next run does it. */
    @Test
    void shouldEndWhenTheTimeIsUp() throws IOException, InterruptedException {
        limitS = 7 * POINT_S + 1;
        assertEquals(0, lab().run());
        assertEquals(7, journal.rows().size());
        assertEquals("", skipped());
        limitS = 1e6;
        assertEquals(0, lab().run());
        assertEquals(POINTS, journal.rows().size());
        assertEquals(POINTS, new TreeSet<>(journal.rows().stream().map(row -> row.text(Row.POINT) + row.number(Row.REPEAT)).toList()).size());
    }

    /** Points that are compared follow each other, whatever the order. */
    @Test
    void shouldMeasureWhatIsComparedOneAfterTheOther() throws IOException {
        String plan = """
                {"experiments": [{"bytes": [1, 2, 3], "owner": ["idle", "spin"], "kernel_ms": [1, 10]}]}
                """;
        List<LabPoint> points = new LabRun(ExperimentPlan.parse(plan), Journal.empty(), null, _ -> { }, 1, 1, () -> 0).launches()
                .getFirst().points();
        for (int i = 0; i < points.size(); i += 2) {
            assertEquals(points.get(i).with(LabPoint.OWNER, "idle"), points.get(i + 1).with(LabPoint.OWNER, "idle"));
        }
        assertEquals(12, points.size());
    }
}
