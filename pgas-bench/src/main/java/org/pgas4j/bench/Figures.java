package org.pgas4j.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The figures of a study, made of its rows. */
final class Figures {

    private Figures() {
    }

    /** Of rows of any studies, those of one study together. */
    static List<Figure> of(List<Row> rows) {
        Map<String, List<Row>> studies = new LinkedHashMap<>();
        rows.forEach(row -> studies.computeIfAbsent(row.study(), _ -> new ArrayList<>()).add(row));
        List<Figure> figures = new ArrayList<>();
        studies.forEach((study, its) -> figures.addAll(switch (study) {
            case "memput", "memget" -> transfers(study, its);
            case "helper" -> helper(its);
            case "matmul" -> matmul(its);
            case "ablation" -> ablation(its);
            case "notify" -> notifications(its);
            case "stream" -> stream(its);
            case "halo" -> steps(its, "n of a box of n x n x n, of a rank", "a period of a halo exchange");
            case "matvec" -> matvec(its);
            case ScalingMain.STUDY -> scaling(its);
            case "himeno" -> steps(its, "points of a rank", "an iteration of the Himeno benchmark");
            case "stencil" -> steps(its, "points of a rank", "a step of horizontal diffusion");
            default -> rma(study, its);
        }));
        figures.removeIf(figure -> figure.positions().isEmpty());
        return figures;
    }

    /** Tells lines apart by the number of JVMs where there are several. */
    private static String jvms(List<Row> rows, Row row) {
        Set<Integer> all = new LinkedHashSet<>();
        rows.forEach(other -> all.add(other.processes()));
        return all.size() > 1 ? ", " + row.processes() + (row.processes() == 1 ? " JVM" : " JVMs") : "";
    }

    /** The route asked for, or the one taken if none was. */
    private static String route(Row row) {
        String asked = settings(row).get("route");
        return asked == null ? row.route() : asked;
    }

    /** The settings of a launch: KEY=VALUE, separated by blanks. */
    private static Map<String, String> settings(Row row) {
        Map<String, String> settings = new LinkedHashMap<>();
        for (String setting : row.text(Row.SETTING).split(" ")) {
            int equals = setting.indexOf('=');
            if (equals > 0) {
                settings.put(setting.substring(0, equals), setting.substring(equals + 1));
            }
        }
        return settings;
    }

    private static String line(Row row, String ofRuntime) {
        return switch (row.text(Row.STYLE)) {
            case "user-level" -> "user-level";
            case "raw" -> row.op().replace('_', ' ');
            default -> ofRuntime;
        };
    }

    private static List<Figure> rma(String study, List<Row> rows) {
        Figure latency = new Figure(study, "Transfers between two ranks, median", Figure.Axis.BYTES, "bytes", "time [us]", true);
        for (Row row : rows) {
            if (row.bytes() > 0) {
                String line = row.op().replace('_', ' ') + ' ' + row.to() + jvms(rows, row);
                latency.add(line, row.bytes(), row.times().p50());
            }
        }
        return List.of(latency);
    }

    private static List<Figure> transfers(String study, List<Row> rows) {
        Figure latency = new Figure(study, study + " between the devices of two ranks, median", Figure.Axis.BYTES, "bytes",
                "time [us]", true);
        Figure bandwidth = new Figure(study + "-bandwidth", study + " between the devices of two ranks, of the median",
                Figure.Axis.BYTES, "bytes", "GB/s", true);
        for (Row row : rows) {
            boolean alone = row.op().equals("memput");
            String line = line(row, route(row) + (alone ? ", call alone" : row.op().equals("memput_fence") ? ", with fence"
                    : "")) + jvms(rows, row);
            latency.add(line, row.bytes(), row.times().p50());
            if (!alone) {
                bandwidth.add(line, row.bytes(), row.gbps());
            }
        }
        return List.of(latency, bandwidth);
    }

    private static List<Figure> helper(List<Row> rows) {
        List<Figure> figures = new ArrayList<>();
        for (boolean tail : new boolean[] {false, true}) {
            Figure figure = new Figure(tail ? "helper-p99" : "helper", "memget of 8 KiB from a rank that runs kernels, "
                    + (tail ? "99th percentile" : "median"), Figure.Axis.NAMES, "length of a kernel [ms]", "time [us]", true);
            for (Row row : rows) {
                String line = line(row, route(row) + ", helper " + row.text(Row.HELPER)
                        + (row.op().equals("memget_idle") ? ", owner idle" : "")) + jvms(rows, row);
                figure.add(line, plain(row.number(Row.KERNEL_MS)), tail ? row.times().p99() : row.times().p50());
            }
            figures.add(figure);
        }
        return figures;
    }

    private static String plain(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }

    private static List<Figure> matmul(List<Row> rows) {
        Figure total = new Figure("matmul", "C = A * B over two ranks, float, median of an iteration", Figure.Axis.NUMBERS,
                "N", "time [ms]", true);
        Figure split = new Figure("matmul-communication", "C = A * B over two ranks, float, without the product",
                Figure.Axis.NUMBERS, "N", "time [ms]", true);
        for (Row row : rows) {
            String line = line(row, route(row)) + jvms(rows, row);
            total.add(line, row.number(Row.N), row.times().p50() / 1e3);
            if (!row.text(Row.STYLE).equals("raw")) {
                split.add(line, row.number(Row.N), row.number("communication_us") / 1e3);
            }
        }
        return List.of(total, split);
    }

    private static List<Figure> notifications(List<Row> rows) {
        Figure pairs = new Figure("notify-pairs", "A notification from one rank to another, median", Figure.Axis.NAMES, "waiter",
                "time [us]", true);
        for (Row row : rows) {
            if (row.op().equals("pair")) {
                pairs.add("by a " + row.text(NotifyStudy.INITIATOR) + jvms(rows, row), row.text(NotifyStudy.WAITER),
                        row.times().p50());
            }
        }
        List<Figure> figures = new ArrayList<>(rma("notify", rows));
        figures.add(pairs);
        return figures;
    }

    private static List<Figure> stream(List<Row> rows) {
        Figure latency = new Figure("stream", "Notified puts between two devices, median", Figure.Axis.BYTES, "bytes",
                "time [us]", true);
        Figure calls = new Figure("stream-calls", "What a notified put and a wait take the host, 8 bytes, median",
                Figure.Axis.NUMBERS, "operations queued before the stream is waited for", "time [us]", true);
        for (Row row : rows) {
            boolean queued = row.more().containsKey(StreamStudy.AHEAD);
            String line = row.op() + ", " + row.text(NotifyStudy.INITIATOR) + jvms(rows, row);
            (queued ? calls : latency).add(line, queued ? row.number(StreamStudy.AHEAD) : row.bytes(), row.times().p50());
        }
        return List.of(latency, calls);
    }

    /** Of examples, a line for each style. */
    private static List<Figure> steps(List<Row> rows, String x, String what) {
        String study = rows.getFirst().study();
        Figure time = new Figure(study, "Time of " + what + ", median", Figure.Axis.NUMBERS, x, "time [us]", true);
        Figure cpu = new Figure(study + "-cpu", "Processor time of a rank's thread for " + what, Figure.Axis.NUMBERS, x,
                "time [us]", true);
        for (Row row : rows) {
            time.add(row.op() + jvms(rows, row), row.number(Row.N), row.times().p50());
            cpu.add(row.op() + jvms(rows, row), row.number(Row.N), row.number(Styles.CPU_US));
        }
        return List.of(time, cpu);
    }

    private static List<Figure> scaling(List<Row> rows) {
        Figure time = new Figure("scaling", "Wire-up and collectives, ranks as threads", Figure.Axis.NUMBERS, "ranks",
                "median [us]", true);
        Figure memory = new Figure("scaling-memory", "Memory of all JVMs by rank", Figure.Axis.NUMBERS, "ranks", "KiB per rank",
                true);
        for (Row row : rows) {
            double ranks = row.number(Row.N);
            if (row.op().equals(ScalingMain.MEMORY)) {
                for (String part : List.of("heap", "anonymous", "shared")) {
                    memory.add(part + jvms(rows, row), ranks, row.number(part + "_kib") / ranks);
                }
            } else {
                time.add(row.op() + jvms(rows, row), ranks, row.times().p50());
            }
        }
        return List.of(time, memory);
    }

    private static List<Figure> matvec(List<Row> rows) {
        Figure rate = new Figure("matvec-rate", "32 x 32 matrix-vector products by another device", Figure.Axis.NUMBERS,
                "vectors of a batch", "million products/s", true);
        for (Row row : rows) {
            rate.add(row.op() + jvms(rows, row), row.number(Row.N), row.number(MatvecStudy.MVPS));
        }
        List<Figure> figures = new ArrayList<>(steps(rows, "vectors of a batch", "a batch of products"));
        figures.add(rate);
        return figures;
    }

    private static List<Figure> ablation(List<Row> rows) {
        Figure latency = new Figure("ablation-fastpath", "fastpath: chunks of a ring, median", Figure.Axis.NAMES,
                "bytes x chunks", "time [us]", true);
        Figure rate = new Figure("ablation-rate", "fastpath: chunks of a ring, 8-byte puts one after the other",
                Figure.Axis.NAMES, "bytes x chunks", "million puts/s", false);
        Figure pipeline = new Figure("ablation-pipeline", "rendezvous: pieces in flight", Figure.Axis.NAMES, "bytes of a piece",
                "GB/s", false);
        Figure registration = new Figure("ablation-registration", "rendezvous: puts of 1 MiB of unregistered host memory, median",
                Figure.Axis.NAMES, "bytes of the registration cache", "time [us]", true);
        Figure helper = new Figure("ablation-helper", "memget of 8 KiB from a rank in kernels of 1 ms, median",
                Figure.Axis.NAMES, "how idle helpers wait", "time [us]", true);
        for (Row row : rows) {
            Map<String, String> settings = settings(row);
            String op = row.op().replace("memput_fence", "memput with fence");
            switch (row.text("part")) {
                case AblationStudy.FASTPATH -> {
                    String rings = settings.get("fastpath.chunk") + " x " + settings.get("fastpath.chunks");
                    if (row.op().equals("memput_rate")) {
                        rate.add("8 bytes", rings, row.number("messages_per_s") / 1e6);
                    } else {
                        latency.add(op + ", " + row.bytes() + " bytes", rings, row.times().p50());
                    }
                }
                case AblationStudy.PIPELINE -> pipeline.add(op + ", depth " + settings.get("rendezvous.depth"),
                        settings.get("rendezvous.chunk"), row.gbps());
                case AblationStudy.REGISTRATION -> registration.add(op, settings.get("registration.cache"), row.times().p50());
                default -> helper.add(line(row, settings.get("helper.threads") + " helper(s)"), settings.get("helper.wait"),
                        row.times().p50());
            }
        }
        return new ArrayList<>(List.of(latency, rate, pipeline, registration, helper));
    }
}
