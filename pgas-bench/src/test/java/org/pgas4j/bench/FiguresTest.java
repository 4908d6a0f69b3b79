package org.pgas4j.bench;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.internal.series.Series;
import org.pgas4j.bench.figure.Figure;
import org.pgas4j.bench.figure.FigureWriter;
import org.pgas4j.bench.figure.Figures;
import org.pgas4j.bench.figure.Results;
import org.pgas4j.bench.lab.LabPoint;
import org.pgas4j.bench.lab.LabReport;
import org.pgas4j.bench.result.Provenance;
import org.pgas4j.bench.result.Repeats;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;
import org.pgas4j.bench.study.ArraysStudy;
import org.pgas4j.bench.study.ExampleStudy;
import org.pgas4j.bench.study.HelperStudy;
import org.pgas4j.bench.study.MatvecStudy;
import org.pgas4j.bench.study.StreamStudy;

class FiguresTest {

    private static final List<String> STYLES = List.of("user-level", "runtime", "raw");

    private static final int GAP = 7; // more pixels than between two letters

    @TempDir
    private Path dir;

    private static Row row(String study, String op, String style, long bytes, double us) {
        return new Row(study, op, "device", "device", "fastpath", 2, bytes,
                new SampleTimes(us, 2 * us, 3 * us, 4 * us, us, 100, 1), Double.NaN, 0, Map.of()).with(Row.STYLE, style);
    }

    private static List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        for (String style : STYLES) {
            for (long bytes = 1; bytes <= 1 << 20; bytes *= 16) {
                rows.add(row("memput", style.equals("raw") ? "raw_peer" : "memput_fence", style, bytes, 1 + bytes / 1e3));
            }
            for (double ms : HelperStudy.KERNELS_MS) {
                rows.add(row("helper", "memget", style, 8192, 5 + 500 * ms).with(Row.HELPER, "on").with(Row.KERNEL_MS, ms));
            }
            for (long n : new long[] {50, 1024}) {
                rows.add(row("matmul", "matmul", style, 4 * n, n).with(Row.N, n).with("communication_us", n / 3.0));
            }
        }
        for (Launch launch : Launch.of("ablation", new Launch.Wishes(false, null, null, null))) {
            rows.add(row("ablation", "memput_fence", "runtime", 8192, 9).with(Row.SETTING, launch.setting())
                    .with("part", launch.program().get(1)));
        }
        for (long n : new long[] {8, 32}) {
            for (String study : List.of("halo", "matvec", "himeno", "stencil")) {
                rows.add(row(study, "blocks", null, 0, n).with(Row.N, n).with(ExampleStudy.CPU_US, n / 2.0)
                        .with(MatvecStudy.MVPS, 5.0));
            }
            rows.add(row("stream", "put-notify", null, n, n).with(Row.INITIATOR, "host"));
            rows.add(row("stream", "calls", null, 8, 1).with(Row.INITIATOR, "host").with(StreamStudy.AHEAD, n));
        }
        for (String waiter : List.of("host", "stream", "kernel")) {
            rows.add(row("notify", "pair", null, 0, 2).with(Row.INITIATOR, "host").with(Row.WAITER, waiter));
        }
        for (int requesters : new int[] {1, 2, 4}) {
            rows.add(row("lab", "get", "runtime", 8192, 20).with(Row.HELPER, "on").with(LabPoint.OWNER, "idle").with(Row.KERNEL_MS, 0.0)
                    .with(LabPoint.ARRIVALS, "closed").with(LabPoint.LOAD, 0.0).with(LabPoint.REQUESTERS, requesters)
                    .with(Row.RANKS, requesters == 1 ? null : requesters + 1).with(LabReport.PER_SECOND, 4e4 * requesters));
        }
        for (int run : new int[] {8, 64}) {
            rows.add(row("arrays", "strided_put", null, 65536, 9).with(ArraysStudy.RUN, run));
        }
        rows.add(row("rma", "put", "", 8, 0.004));
        return rows;
    }

    @Test
    void everyFigureIsDrawn() throws IOException {
        List<Figure> figures = Figures.of(rows());
        Set<String> names = new HashSet<>();
        for (Figure figure : figures) {
            assertTrue(names.add(figure.name()), figure.name());
            FigureWriter.write(figure, dir);
            BufferedImage image = ImageIO.read(dir.resolve(figure.name() + ".png").toFile());
            assertTrue(image.getWidth() >= FigureWriter.WIDTH && image.getHeight() >= FigureWriter.HEIGHT, figure.name());
            assertTrue(colors(image) > 10, figure.name() + " is blank");
            String svg = Files.readString(dir.resolve(figure.name() + ".svg"));
            assertTrue(svg.contains("<svg") && svg.contains("<path"), figure.name());
        }
        assertTrue(names.containsAll(Set.of("memput", "memput-bandwidth", "helper", "matmul", "ablation-fastpath",
                "ablation-pipeline", "ablation-registration", "ablation-helper", "rma", "halo",
                "halo-cpu", "matvec-rate", "himeno", "stencil", "stream", "stream-calls", "notify-pairs")), names.toString());
    }

    private static long colors(BufferedImage image) {
        Set<Integer> colors = new HashSet<>();
        for (int y = 0; y < image.getHeight(); y++) {
            for (int x = 0; x < image.getWidth(); x++) {
                colors.add(image.getRGB(x, y));
            }
        }
        return colors.size();
    }

    @Test
    void gapsStayGaps() {
        Figure figure = new Figure("f", "t", Figure.Axis.BYTES, "bytes", "us", true);
        Row row = row("memput", "memput", "runtime", 8, 1);
        figure.add("a", row, 1 << 20, 4);
        figure.add("b", row, 8, 0.25);
        figure.add("b", row, 16, Double.NaN);
        assertEquals("""
                | bytes | a | b |
                | --- | --- | --- |
                | 8 | - | 0.250 |
                | 1 Mi | 4.00 | - |
                """, figure.markdown());
    }

    @Test
    void shouldRefuseASecondValueForALineAndPosition() {
        Row row = row("memput", "memput_fence", "user-level", 8, 13).with(Row.SETTING, "route=direct");
        Row again = row("memput", "memput_fence", "user-level", 8, 15).with(Row.SETTING, "route=direct");
        List<Figure> figures = Figures.of(List.of(row, again));
        String message = assertThrows(IllegalArgumentException.class, () -> figures.getFirst().lineNames()).getMessage();
        assertTrue(message.contains("'user-level'") && message.contains(" 8: ") && message.contains(row.json())
                && message.contains(again.json()), message);
    }

    /** Two launches of a study: one line is an error, repeats are a median with the least and the most. */
    @Test
    void shouldShowRepeatedLaunchesAsASpread() throws IOException {
        List<Row> rows = new ArrayList<>();
        double[] slower = {1, 1.5, 1.25};
        for (int repeat = 0; repeat < 3; repeat++) {
            for (long bytes : new long[] {8, 64}) {
                rows.add(Provenance.ofProgram("0123abc").stamp(row("memput", "memput_fence", "user-level", bytes,
                        bytes * slower[repeat]).with(Row.REPEAT, repeat)));
            }
            rows.add(row("helper", "memget", "runtime", 8192, 5 * slower[repeat]).with(Row.KERNEL_MS, 1.0).with(Row.HELPER, "on")
                    .with(Row.REPEAT, repeat));
        }
        List<Figure> figures = Figures.of(rows);
        Figure figure = figures.getFirst();
        assertEquals(10.0, figure.at("user-level", 8.0));
        assertArrayEquals(new double[] {8, 12}, figure.spreadAt("user-level", 8.0));
        assertTrue(figure.markdown().contains("| 64 | 80.0 (64.0 to 96.0) |"), figure.markdown());
        assertTrue(figure.samples().endsWith("median, least and most of 3 launches"), figure.samples());
        assertTrue(figure.provenance().endsWith("; commit 0123abc"), figure.provenance());
        for (Figure each : figures) {
            FigureWriter.write(each, dir);
            List<String> drawn = (FigureWriter.chart(each) instanceof XYChart lines ? lines.getSeriesCollection()
                    : ((CategoryChart) FigureWriter.chart(each)).getSeriesCollection()).stream().map(Series::getName).toList();
            assertTrue(drawn.stream().filter(name -> name.contains(", least")).count() >= 1, drawn.toString());
        }
        List<Row> merged = Repeats.merged(rows);
        assertEquals(List.of(10.0, 80.0, 6.25), merged.stream().map(row -> row.times().p50()).toList());
        assertEquals(List.of(8.0, 12.0, 3.0), List.of(merged.getFirst().number(Repeats.LOW_US),
                merged.getFirst().number(Repeats.HIGH_US), merged.getFirst().number(Repeats.LAUNCHES)));
        rows.removeLast();
        rows.add(Provenance.ofProgram("0123abc").stamp(row("memput", "memput_fence", "user-level", 8, 7).with(Row.REPEAT, 2)));
        assertThrows(IllegalArgumentException.class, () -> Figures.of(rows).getFirst().lineNames());
        assertThrows(IllegalArgumentException.class, () -> Repeats.merged(rows));
    }

    /** Several requesters are lines of their figure alone, with one requester of the same settings; delayed requests are in none. */
    @Test
    void shouldDrawSeveralRequestersApart() {
        List<Row> rows = new ArrayList<>();
        for (String point : List.of("requesters=1", "requesters=4", "owner=spin kernel_ms=1 requesters=1",
                "helper=own inject=copy:10 requesters=1")) {
            LabPoint lab = LabPoint.parse(point);
            rows.add(row("lab", "get", "runtime", 8192, 20 * lab.requesters()).with(Row.POINT, lab.toString())
                    .with(Row.HELPER, lab.text(LabPoint.HELPER)).with(LabPoint.OWNER, lab.text(LabPoint.OWNER))
                    .with(Row.KERNEL_MS, lab.number(LabPoint.KERNEL_MS)).with(LabPoint.LOAD, 0.0)
                    .with(LabPoint.INJECT, lab.text(LabPoint.INJECT)).with(LabPoint.REQUESTERS, lab.requesters())
                    .with(LabReport.PER_SECOND, 1e4 * lab.requesters()));
        }
        List<Figure> figures = Figures.of(rows);
        assertEquals(List.of("lab-get", "lab-get-requesters"), figures.stream().map(Figure::name).toList());
        assertEquals(List.of("idle", "spin 1"), figures.getFirst().positions());
        assertEquals(20.0, figures.getFirst().at(figures.getFirst().lineNames().getFirst(), "idle"));
        assertEquals(List.of(1.0, 4.0), figures.getLast().positions());
        assertEquals(1, figures.getLast().lineNames().size());
    }

    /** Points of an experiment may have numbers of repeats of their own. */
    @Test
    void shouldMergeTheRepeatsOfEachPoint() {
        List<Row> rows = new ArrayList<>();
        for (int repeat = 0; repeat < 3; repeat++) {
            rows.add(row("lab", "get", "runtime", 8192, 20 + repeat).with(Row.POINT, "kernel_ms=1").with(Row.REPEAT, repeat));
            if (repeat > 0) {
                rows.add(row("lab", "get", "runtime", 8192, 50 + repeat).with(Row.POINT, "kernel_ms=10").with(Row.REPEAT, repeat));
            }
        }
        List<Row> merged = Repeats.merged(rows);
        assertEquals(List.of(21.0, 51.5), merged.stream().map(row -> row.times().p50()).toList());
        assertEquals(List.of(3.0, 2.0), merged.stream().map(row -> row.number(Repeats.LAUNCHES)).toList());
    }

    /** Of one label, and each pair differs in one thing; positions differ as well, so that no second value tells of a merge. */
    @Test
    void shouldKeepApartWhatDiffersInAnything() {
        Row plain = row("notify", "put-notify", "runtime", 8, 1);
        Row more = row("notify", "put-notify", "runtime", 64, 2);
        Row otherJvms = new Row("notify", "put-notify", "device", "device", "fastpath", 1, 64, more.times(), Double.NaN, 0,
                more.more());
        Row otherRoute = new Row("notify", "put-notify", "device", "device", "rendezvous", 2, 64, more.times(), Double.NaN, 0,
                more.more());
        for (Row[] pair : new Row[][] {{plain, more.with(Row.STYLE, "user-level")}, {plain, otherJvms}, {plain, otherRoute},
            {plain.with(Row.REACH, "peer"), more.with(Row.REACH, "proxy")},
            {plain.with(Row.SETTING, "route=direct"), more.with(Row.SETTING, "route=messages")},
            {plain.with(Row.SETTING, "route=direct a=1"), more.with(Row.SETTING, "route=direct a=2")},
            {plain.with(Row.HELPER, "on"), more.with(Row.HELPER, "off")}, {plain, more.with(Row.HELPER, "off")},
            {plain.with(Row.INITIATOR, "host"), more.with(Row.INITIATOR, "kernel")},
            {plain.with("blocks", 1), more.with("blocks", 2)}, {plain.with("unheard", "a"), more.with("unheard", "b")},
            {plain.with(Row.FILE, "a.jsonl"), more.with(Row.FILE, "b.jsonl")}}) {
            assertEquals(2, Figures.of(List.of(pair)).getFirst().lineNames().size(), pair[1].json());
        }
        assertEquals(1, Figures.of(List.of(plain, more)).getFirst().lineNames().size());
    }

    @Test
    void shouldNameTheFileOfALine() throws IOException {
        Path one = dir.resolve("one.jsonl");
        Path two = dir.resolve("two.jsonl");
        Files.writeString(one, row("memput", "memput", "runtime", 8, 13).json());
        Files.writeString(two, row("memput", "memput", "runtime", 8, 1).json());
        assertEquals(List.of("call alone, " + one, "call alone, " + two),
                Figures.of(Row.read(List.of(one, two))).getFirst().lineNames());
        assertEquals(List.of("call alone"), Figures.of(Row.read(List.of(two))).getFirst().lineNames());
    }

    /** Names in the strip below the axis: as many separate runs of ink as there are groups. */
    private static int groups(BufferedImage image) {
        int groups = 0;
        int blank = GAP;
        for (int x = 0; x < image.getWidth(); x++) {
            boolean ink = false;
            for (int y = image.getHeight() - 50; y < image.getHeight() - 35; y++) {
                ink |= (image.getRGB(x, y) & 0xff) < 0x80;
            }
            groups += ink && blank >= GAP ? 1 : 0;
            blank = ink ? 0 : blank + 1;
        }
        return groups;
    }

    @Test
    void shouldLabelEveryGroup() throws IOException {
        Figure figure = new Figure("groups", "t", Figure.Axis.NAMES, "name", "us", true);
        for (String x : List.of("aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh")) {
            figure.add("line", row("helper", "memget", "runtime", 8, 5), x, 5);
        }
        FigureWriter.write(figure, dir);
        assertEquals(figure.positions().size(), groups(ImageIO.read(dir.resolve("groups.png").toFile())));
    }

    /** Names of groups do not touch, the legend has a place for each line, and no two lines look alike. */
    @Test
    void shouldGrowWithManyNames() throws IOException {
        Figure figure = new Figure("many", "t", Figure.Axis.NAMES, "name", "us", true);
        for (int x = 0; x < 16; x++) {
            for (int line = 0; line < 40; line++) {
                figure.add("a line whose name is long, number " + line, row("helper", "memget", "runtime", 8, 5), "group" + (10 + x),
                        5 + line);
            }
        }
        FigureWriter.write(figure, dir);
        BufferedImage image = ImageIO.read(dir.resolve("many.png").toFile());
        assertTrue(image.getWidth() > FigureWriter.WIDTH && image.getHeight() > FigureWriter.HEIGHT);
        assertEquals(figure.positions().size(), groups(image.getSubimage(0, 0, image.getWidth() - 350, image.getHeight())));
        Set<String> looks = new HashSet<>();
        ((CategoryChart) FigureWriter.chart(figure)).getSeriesCollection()
                .forEach(line -> looks.add(line.getMarker().getClass() + " " + line.getMarkerColor()));
        assertEquals(40, looks.size());
    }

    @Test
    void plotsAndPageComeFromResults() throws IOException {
        Results results = new Results(dir);
        for (String study : Bench.STUDIES) {
            results.keep(study, rows().stream().filter(row -> row.study().equals(study)).toList(),
                    List.of("machine: a processor", "flags: -Xmx1g -Dpgas.route=direct"), "scripts/bench " + study);
        }
        Files.writeString(dir.resolve("notes.md"), "# Notes");
        results.index("scripts/bench all", Bench.STUDIES);
        String page = Files.readString(dir.resolve("index.md"));
        assertTrue(page.contains("## helper") && page.contains("](helper.svg)") && page.contains("- flags: -Xmx1g\n"), page);
        assertTrue(page.contains("(notes.md)") && page.contains("    scripts/bench matmul\n"), page);
        assertEquals(rows().stream().filter(row -> row.study().equals("helper")).toList(),
                Row.read(dir.resolve("helper.jsonl")));
        Path again = dir.resolve("again");
        assertEquals(0, BenchAll.command().execute("plot", "--in", dir.resolve("helper.jsonl").toString(), "--out",
                again.toString()));
        assertTrue(Files.size(again.resolve("helper.png")) > 0);
    }
}
