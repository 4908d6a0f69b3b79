package org.pgas4j.bench.figure;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.pgas4j.bench.lab.LabPoint;
import org.pgas4j.bench.lab.LabPredictions;
import org.pgas4j.bench.lab.LabReport;
import org.pgas4j.bench.peer.PeerRows;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.study.AblationStudy;
import org.pgas4j.bench.study.ArraysStudy;
import org.pgas4j.bench.study.BarrierStudy;
import org.pgas4j.bench.study.ExampleStudy;
import org.pgas4j.bench.study.KernelsStudy;
import org.pgas4j.bench.study.MatvecStudy;
import org.pgas4j.bench.study.ScalingProgram;
import org.pgas4j.bench.study.StreamStudy;

/** The figures of a study, made of its rows. */
public final class Figures {

    private static final String BLOCKS = "blocks";

    private Figures() {
    }

    /** Of rows of any studies, those of one study together. */
    public static List<Figure> of(List<Row> rows) {
        Map<String, List<Row>> studies = new LinkedHashMap<>();
        rows.forEach(row -> studies.computeIfAbsent(row.study(), _ -> new ArrayList<>()).add(row));
        List<Figure> figures = new ArrayList<>();
        studies.forEach((study, its) -> figures.addAll(switch (study) {
            case "memput", "memget" -> transfers(study, its);
            case "helper" -> helper(its);
            case "matmul" -> matmul(its);
            case "ablation" -> ablation(its);
            case "notify" -> notifications(its);
            case "barrier" -> barriers(its);
            case "stream" -> stream(its);
            case "halo" -> steps(its, "n of a box of n x n x n, of a rank", "a period of a halo exchange");
            case "matvec" -> matvec(its);
            case Row.SCALING -> scaling(its);
            case "kernels" -> kernels(its);
            case "lab" -> lab(its);
            case PeerRows.STUDY -> peers(its);
            case "himeno" -> steps(its, "points of a rank", "an iteration of the Himeno benchmark");
            case "stencil" -> steps(its, "points of a rank", "a step of horizontal diffusion");
            default -> rma(study, its);
        }));
        figures.removeIf(figure -> figure.positions().isEmpty());
        return figures;
    }

    /** Name of the version that did it: the user-level one, a raw operation, or ours by the name given. */
    private static String label(Row row, String ofRuntime) {
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
                String label = row.op().replace('_', ' ') + ' ' + row.to()
                        + (row.more().containsKey(ArraysStudy.RUN) ? ", runs of " + plain(row.number(ArraysStudy.RUN)) : "");
                latency.add(label, row, row.bytes(), row.times().p50());
                if (!Double.isNaN(row.baselineUs())) {
                    latency.add("raw " + label, row, row.bytes(), row.baselineUs());
                }
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
            String label = label(row, alone ? "call alone" : row.op().equals("memput_fence") ? "with fence" : "memget");
            latency.add(label, row, row.bytes(), row.times().p50());
            if (!alone) {
                bandwidth.add(label, row, row.bytes(), row.gbps());
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
                String label = label(row, row.op().equals("memget_idle") ? "memget, owner idle" : "memget");
                figure.add(label, row, plain(row.number(Row.KERNEL_MS)), tail ? row.times().p99() : row.times().p50());
            }
            figures.add(figure);
        }
        return figures;
    }

    /** A number without a point where it needs none. */
    public static String plain(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }

    private static List<Figure> matmul(List<Row> rows) {
        Figure total = new Figure("matmul", "C = A * B over the ranks, float, median of an iteration", Figure.Axis.NUMBERS,
                "N", "time [ms]", true);
        Figure split = new Figure("matmul-communication", "C = A * B over the ranks, float, without the product",
                Figure.Axis.NUMBERS, "N", "time [ms]", true);
        for (Row row : rows) {
            String label = label(row, "runtime");
            total.add(label, row, row.number(Row.N), row.times().p50() / 1e3);
            if (!row.text(Row.STYLE).equals("raw")) {
                split.add(label, row, row.number(Row.N), row.number("communication_us") / 1e3);
            }
        }
        return List.of(total, split);
    }

    private static List<Figure> notifications(List<Row> rows) {
        Figure latency = new Figure("notify", "Half round trips of notified puts between blocks, median", Figure.Axis.BYTES, "bytes",
                "time [us]", true);
        Figure flood = new Figure("notify-bandwidth", "Puts of 1 MiB by blocks, of the median", Figure.Axis.NUMBERS,
                "blocks that put", "GB/s", true, BLOCKS);
        Figure floods = new Figure("notify-floods", "Notified puts of 8 bytes by the host, of the median", Figure.Axis.NUMBERS,
                "blocks that put", "million a second", true, BLOCKS);
        Figure pairs = new Figure("notify-pairs", "A notification from one rank to another, median", Figure.Axis.NAMES, "waiter",
                "time [us]", true, Row.WAITER, "from", "to");
        for (Row row : rows) {
            switch (row.op()) {
                case "put-notify", "raw release", "raw one store" ->
                        latency.add(row.op(), row, row.bytes(), row.times().p50());
                case "put-notify flood" -> {
                    flood.add("notified puts", row, row.number(BLOCKS), row.gbps());
                    flood.add("plain copies", row, row.number(BLOCKS), row.bytes() / row.baselineUs() / 1e3);
                }
                case "small-put flood" -> floods.add("small puts", row, row.number(BLOCKS), 1 / row.times().p50());
                case "pair" -> pairs.add("by a " + row.text(Row.INITIATOR), row, row.text(Row.WAITER),
                        row.times().p50());
                default -> {
                    // a single figure, for tables
                }
            }
        }
        return List.of(latency, flood, floods, pairs);
    }

    private static List<Figure> barriers(List<Row> rows) {
        Figure figure = new Figure("barrier", "Barriers of blocks, median", Figure.Axis.NUMBERS, "blocks of all devices",
                "time [us]", true, BLOCKS);
        for (Row row : rows) {
            if (!row.op().equals(BarrierStudy.BARRIER)) {
                continue;
            }
            figure.add(row.op(), row, row.number(BLOCKS), row.times().p50());
        }
        return List.of(figure);
    }

    private static List<Figure> stream(List<Row> rows) {
        Figure latency = new Figure("stream", "Notified puts between two devices, median", Figure.Axis.BYTES, "bytes",
                "time [us]", true);
        Figure calls = new Figure("stream-calls", "What a notified put and a wait take the host, 8 bytes, median",
                Figure.Axis.NUMBERS, "operations queued before the stream is waited for", "time [us]", true);
        for (Row row : rows) {
            boolean queued = row.more().containsKey(StreamStudy.AHEAD);
            (queued ? calls : latency).add(row.op() + ", " + row.text(Row.INITIATOR), row, queued ? row.number(StreamStudy.AHEAD) : row.bytes(), row.times().p50());
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
            time.add(row.op(), row, row.number(Row.N), row.times().p50());
            cpu.add(row.op(), row, row.number(Row.N), row.number(ExampleStudy.CPU_US));
        }
        return List.of(time, cpu);
    }

    /**
     * A figure for each operation by one requester without injected delays, and one for its open loops: a line for each helper and
     * size, a position for each state of the owner. A put that begins with a kernel has what the model says beside it: the sum or
     * the longer of both.
     */
    private static List<Figure> lab(List<Row> rows) {
        Map<String, Figure> figures = new LinkedHashMap<>();
        LabPredictions predictions = new LabPredictions(rows.stream().filter(row -> Set.of("overlap", "put").contains(row.op())
                && !row.text(Row.POINT).isEmpty()).toList());
        List<Row> byOwner = rows.stream().filter(row -> !(row.number(LabPoint.REQUESTERS) > 1)
                && List.of("", "none").contains(row.text(LabPoint.INJECT)))
                .sorted(Comparator.comparing((Row row) -> !row.text(LabPoint.OWNER).equals("idle"))
                .thenComparing(row -> row.text(LabPoint.OWNER)).thenComparing(row -> row.number(Row.KERNEL_MS))).toList();
        for (Row row : byOwner) {
            double load = row.number(LabPoint.LOAD);
            boolean open = load > 0;
            Figure figure = figures.computeIfAbsent("lab-" + row.op() + (open ? "-open" : ""), name -> new Figure(name, "Operation '"
                    + row.op() + "' on a rank that is busy, " + (open ? "open loop, " : "") + "median", Figure.Axis.NAMES,
                    "owner, ms at a time", "time [us]", true, LabPoint.OWNER));
            String owner = row.text(LabPoint.OWNER);
            String label = row.bytes() + " bytes" + (open ? ", load " + load : "");
            String x = row.number(Row.KERNEL_MS) == 0 ? owner : owner + " " + plain(row.number(Row.KERNEL_MS));
            figure.add(label, row, x, row.times().p50());
            double predictedUs = row.op().equals("overlap") ? predictions.of(LabPoint.parse(row.text(Row.POINT))).medianUs() : Double.NaN;
            if (Double.isFinite(predictedUs)) {
                figure.add(label + ", predicted", row, x, predictedUs);
            }
        }
        figures.putAll(requesters(rows));
        return List.copyOf(figures.values());
    }

    /** Of operations that were done by several requesters, how many a second by how many. */
    private static Map<String, Figure> requesters(List<Row> rows) {
        Set<String> several = rows.stream().filter(row -> row.number(LabPoint.REQUESTERS) > 1).map(Figures::withoutRequesters)
                .collect(Collectors.toSet());
        Map<String, Figure> figures = new LinkedHashMap<>();
        for (Row row : rows) {
            if (several.contains(withoutRequesters(row))) {
                double load = row.number(LabPoint.LOAD);
                figures.computeIfAbsent("lab-" + row.op() + "-requesters", name -> new Figure(name, "Operation '" + row.op()
                        + "' by several requesters", Figure.Axis.NUMBERS, "requesters of one owner", "operations a second", true,
                        Row.RANKS, "processes"))
                        .add(row.bytes() + " bytes, " + plain(row.number(Row.KERNEL_MS)) + " ms" + (load > 0 ? ", load " + load : "")
                                + (row.processes() == 1 ? ", one JVM" : ""), row, row.number(LabPoint.REQUESTERS),
                                row.number(LabReport.PER_SECOND));
            }
        }
        return figures;
    }

    /** All of a point but their number, and that of their JVMs where each has one. */
    private static String withoutRequesters(Row row) {
        return row.text(Row.POINT).replaceFirst(" " + LabPoint.REQUESTERS + "=\\d+", "")
                .replaceFirst(" " + LabPoint.PROCESSES + "=(?!1\\b)\\d+", "");
    }

    /** A figure for each operation on bytes: a line for each library, type and form. */
    private static List<Figure> peers(List<Row> rows) {
        Map<String, Figure> figures = new LinkedHashMap<>();
        for (Row row : rows) {
            if (row.bytes() > 0 && !row.more().containsKey(PeerRows.TFLOPS)) {
                figures.computeIfAbsent(row.op(), op -> new Figure("peers-" + op, "Operation '" + op + "' by library, median",
                        Figure.Axis.BYTES, "bytes", "time [us]", true))
                        .add(row.text(PeerRows.PEER), row, row.bytes(), row.times().p50());
            }
        }
        return List.copyOf(figures.values());
    }

    private static List<Figure> kernels(List<Row> rows) {
        Figure speed = new Figure("kernels", "Kernels written in Java, median of pairs", Figure.Axis.NAMES, "kernel",
                "speed of the other form = 1", false, "op");
        for (Row row : rows) {
            speed.add("beside " + row.text(Row.BASELINE), row, row.op(), row.number(KernelsStudy.SPEED));
        }
        return List.of(speed);
    }

    private static List<Figure> scaling(List<Row> rows) {
        Figure time = new Figure("scaling", "Wire-up and collectives, ranks as threads", Figure.Axis.NUMBERS, "ranks",
                "median [us]", true);
        Figure memory = new Figure("scaling-memory", "Memory of all JVMs by rank", Figure.Axis.NUMBERS, "ranks", "KiB per rank",
                true);
        for (Row row : rows) {
            double ranks = row.number(Row.N);
            if (row.op().equals(ScalingProgram.MEMORY)) {
                for (String part : List.of("heap", "anonymous", "shared")) {
                    memory.add(part, row, ranks, row.number(part + "_kib") / ranks);
                }
            } else {
                time.add(row.op(), row, ranks, row.times().p50());
            }
        }
        return List.of(time, memory);
    }

    private static List<Figure> matvec(List<Row> rows) {
        Figure rate = new Figure("matvec-rate", "32 x 32 matrix-vector products by another device", Figure.Axis.NUMBERS,
                "vectors of a batch", "million products/s", true);
        for (Row row : rows) {
            rate.add(row.op(), row, row.number(Row.N), row.number(MatvecStudy.MVPS));
        }
        List<Figure> figures = new ArrayList<>(steps(rows, "vectors of a batch", "a batch of products"));
        figures.add(rate);
        return figures;
    }

    private static List<Figure> ablation(List<Row> rows) {
        Figure latency = new Figure("ablation-fastpath", "fastpath: chunks of a ring, median", Figure.Axis.NAMES,
                "bytes x chunks", "time [us]", true, "fastpath.chunk", "fastpath.chunks");
        Figure rate = new Figure("ablation-rate", "fastpath: chunks of a ring, 8-byte puts one after the other",
                Figure.Axis.NAMES, "bytes x chunks", "million puts/s", false, "fastpath.chunk", "fastpath.chunks");
        Figure pipeline = new Figure("ablation-pipeline", "rendezvous: pieces in flight", Figure.Axis.NAMES, "bytes of a piece",
                "GB/s", false, "rendezvous.chunk");
        Figure registration = new Figure("ablation-registration", "rendezvous: puts of 1 MiB of unregistered host memory, median",
                Figure.Axis.NAMES, "bytes of the registration cache", "time [us]", true, "registration.cache");
        Figure helper = new Figure("ablation-helper", "memget of 8 KiB from a rank in kernels of 1 ms, median",
                Figure.Axis.NAMES, "how idle helpers wait", "time [us]", true, "helper.wait");
        for (Row row : rows) {
            Map<String, String> settings = row.settings();
            String op = row.op().replace("memput_fence", "memput with fence");
            switch (row.text("part")) {
                case AblationStudy.FASTPATH -> {
                    String rings = settings.get("fastpath.chunk") + " x " + settings.get("fastpath.chunks");
                    if (row.op().equals("memput_rate")) {
                        rate.add("8 bytes", row, rings, row.number("messages_per_s") / 1e6);
                    } else {
                        latency.add(op + ", " + row.bytes() + " bytes", row, rings, row.times().p50());
                    }
                }
                case AblationStudy.PIPELINE -> pipeline.add(op, row,
                        settings.get("rendezvous.chunk"), row.gbps());
                case AblationStudy.REGISTRATION -> registration.add(op, row, settings.get("registration.cache"), row.times().p50());
                default -> helper.add(label(row, row.op().equals("memget_idle") ? "memget, owner idle" : "memget"), row,
                        settings.get("helper.wait"), row.times().p50());
            }
        }
        return new ArrayList<>(List.of(latency, rate, pipeline, registration, helper));
    }
}
