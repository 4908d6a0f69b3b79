package org.pgas4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
import picocli.CommandLine;

class FiguresTest {

    private static final List<String> STYLES = List.of("user-level", "runtime", "raw");

    @TempDir
    private Path dir;

    private static Row row(String study, String op, String style, long bytes, double us) {
        return new Row(study, op, "device", "device", "fastpath", 2, bytes, new Times(us, 2 * us, 3 * us, 4 * us, us, 100),
                Double.NaN, 0, Map.of()).with(Row.STYLE, style);
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
                rows.add(row(study, "blocks", null, 0, n).with(Row.N, n).with(Styles.CPU_US, n / 2.0).with(MatvecStudy.MVPS, 5.0));
            }
            rows.add(row("stream", "put-notify", null, n, n).with(NotifyStudy.INITIATOR, "host"));
            rows.add(row("stream", "calls", null, 8, 1).with(NotifyStudy.INITIATOR, "host").with(StreamStudy.AHEAD, n));
        }
        for (String waiter : List.of("host", "stream", "kernel")) {
            rows.add(row("notify", "pair", null, 0, 2).with(NotifyStudy.INITIATOR, "host").with(NotifyStudy.WAITER, waiter));
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
            assertEquals(FigureWriter.WIDTH, image.getWidth());
            assertEquals(FigureWriter.HEIGHT, image.getHeight());
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
    void medianOfSeveralLaunchesAndGaps() {
        Figure figure = new Figure("f", "t", Figure.Axis.BYTES, "bytes", "us", true);
        figure.add("a", 1 << 20, 5);
        figure.add("a", 1 << 20, 3);
        figure.add("a", 1 << 20, 4);
        figure.add("b", 8, 0.25);
        figure.add("b", 16, Double.NaN);
        assertEquals("""
                | bytes | a | b |
                | --- | --- | --- |
                | 8 | - | 0.250 |
                | 1 Mi | 4.00 | - |
                """, figure.markdown());
    }

    @Test
    void plotsAndPageComeFromResults() throws IOException {
        Results results = new Results(dir);
        for (String study : Bench.STUDIES) {
            results.keep(study, rows().stream().filter(row -> row.study().equals(study)).toList(),
                    List.of("machine: a processor", "flags: -Xmx1g -Dpgas.route=direct"), "scripts/bench " + study);
        }
        Files.writeString(dir.resolve("notes.md"), "# Notes");
        results.index("scripts/bench all");
        String page = Files.readString(dir.resolve("index.md"));
        assertTrue(page.contains("## helper") && page.contains("](helper.svg)") && page.contains("- flags: -Xmx1g\n"), page);
        assertTrue(page.contains("(notes.md)") && page.contains("    scripts/bench matmul\n"), page);
        assertEquals(rows().stream().filter(row -> row.study().equals("helper")).toList(),
                PlotCommand.read(dir.resolve("helper.jsonl")));
        Path again = dir.resolve("again");
        assertEquals(0, new CommandLine(new Bench()).execute("plot", "--in", dir.resolve("helper.jsonl").toString(), "--out",
                again.toString()));
        assertTrue(Files.size(again.resolve("helper.png")) > 0);
    }
}
