package org.pgas4j.bench.figure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.pgas4j.bench.peer.PeerComparison;
import org.pgas4j.bench.peer.PeerRows;
import org.pgas4j.bench.result.Repeats;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;
import org.pgas4j.bench.study.BarrierStudy;
import org.pgas4j.bench.study.ExampleStudy;
import org.pgas4j.bench.study.KernelsStudy;
import org.pgas4j.bench.study.MatvecStudy;
import org.pgas4j.bench.study.ScalingProgram;
import org.pgas4j.bench.study.StreamStudy;

/** The tables of the pages on studies, made of rows: each cell of one row, or of two that are compared. */
public final class Tables {

    static final String NONE = "-";

    private static final Map<String, Function<Tables, Sheet>> ALL = new LinkedHashMap<>();

    static {
        ALL.put("memput", Tables::memput);
        ALL.put("memget", Tables::memget);
        ALL.put("helper", Tables::helper);
        ALL.put("matmul", Tables::matmul);
        ALL.put("ablation", Tables::ablation);
        ALL.put("notify", Tables::notifications);
        ALL.put("notify-parts", Tables::parts);
        ALL.put("notify-bandwidth", Tables::bandwidth);
        ALL.put("notify-floods", Tables::floods);
        ALL.put("notify-pairs", Tables::pairs);
        ALL.put("barrier", Tables::barriers);
        ALL.put("halo", tables -> tables.halo(row -> row.times().p50()));
        ALL.put("halo-cpu", tables -> tables.halo(row -> row.number(ExampleStudy.CPU_US)));
        ALL.put("matvec", Tables::matvec);
        ALL.put("himeno", tables -> tables.examples("points of a rank"));
        ALL.put("stencil", tables -> tables.examples("points of a rank"));
        ALL.put("stream", Tables::streams);
        ALL.put("scaling", Tables::scaling);
        ALL.put("checks", Tables::checks);
        ALL.put("kernels", Tables::kernels);
        ALL.put("lab", tables -> LabTables.helpers(tables.rows));
        ALL.put("lab-slow-down", tables -> LabTables.slowDowns(tables.rows));
        ALL.put("lab-open", tables -> LabTables.open(tables.rows));
        ALL.put("lab-requesters", tables -> LabTables.requesters(tables.rows));
        ALL.put("lab-model", tables -> LabTables.model(tables.rows));
        ALL.put("lab-repeats", tables -> LabTables.repeats(tables.launches));
        ALL.put(PeerRows.STUDY, Tables::peers);
    }

    private final List<Row> rows;
    private final List<Row> launches;

    /** @param launches rows of which those of repeated launches are one in {@code rows} */
    private Tables(List<Row> rows, List<Row> launches) {
        this.rows = rows;
        this.launches = launches;
    }

    /** The names there are. */
    public static List<String> names() {
        return List.copyOf(ALL.keySet());
    }

    /**
     * A table of rows; of repeated launches each cell is a median.
     *
     * @throws IllegalArgumentException if there is none of that name, or a cell has no row or more than one
     */
    public static Sheet of(String name, List<Row> rows) {
        if (!ALL.containsKey(name)) {
            throw new IllegalArgumentException("no table '" + name + "' (expected: one of " + names() + ")");
        }
        return ALL.get(name).apply(new Tables(Repeats.merged(rows), rows));
    }

    // ---- rows and cells

    /** Rows with these fields: key, value, key, value. */
    private List<Row> all(Object... wanted) {
        return rows.stream().filter(row -> {
            Map<String, Object> fields = row.fields();
            for (int i = 0; i < wanted.length; i += 2) {
                Object value = fields.get(wanted[i].toString());
                if (value instanceof Number number && wanted[i + 1] instanceof Number other
                        ? number.doubleValue() != other.doubleValue() : !Objects.equals(value, wanted[i + 1])) {
                    return false;
                }
            }
            return true;
        }).toList();
    }

    private Row one(Object... wanted) {
        Row row = oneOrNone(wanted);
        if (row == null) {
            throw new IllegalArgumentException("no row with " + Arrays.toString(wanted));
        }
        return row;
    }

    private Row oneOrNone(Object... wanted) {
        List<Row> found = all(wanted);
        if (found.size() > 1) {
            throw new IllegalArgumentException(found.size() + " rows with " + Arrays.toString(wanted) + ": "
                    + found.getFirst().json() + ", " + found.getLast().json());
        }
        return found.isEmpty() ? null : found.getFirst();
    }

    private List<Double> positions(Function<Row, Double> x) {
        return rows.stream().map(x).filter(Double::isFinite).distinct().sorted().toList();
    }

    static String number(String format, double value) {
        return Double.isNaN(value) ? NONE : String.format(Locale.ROOT, format, value);
    }

    private static String us(double value) {
        return number("%.1f", value);
    }

    static String p50(Row row) {
        return us(row.times().p50());
    }

    private static String p99s(Row... some) {
        return String.join(", ", Arrays.stream(some).map(row -> us(row.times().p99())).toList());
    }

    /** By how much a median is below that of what it is compared with in the same launch. */
    private static String less(Row row, Row baseline) {
        return number("%.0f %%", 100 * (1 - row.times().p50() / baseline.times().p50())).replaceFirst("^-0 ", "0 ");
    }

    static String bytes(double value) {
        return value >= 1 << 20 ? Figures.plain(value / (1 << 20)) + " MiB" : value >= 1 << 10 ? Figures.plain(value / (1 << 10)) + " KiB"
                : Figures.plain(value) + " B";
    }

    // ---- between devices

    private Sheet memput() {
        Sheet sheet = new Sheet("bytes", "user-level", "messages, call alone", "less", "messages, with fence", "less",
                "p99 (call, fence, user)", "route", "direct, call alone", "user-level beside direct", "raw D2H", "raw H2D");
        for (double size : positions(row -> (double) row.bytes())) {
            Row user = transfer("messages", "user-level", "memput_fence", size);
            Row call = transfer("messages", "runtime", "memput", size);
            Row fence = transfer("messages", "runtime", "memput_fence", size);
            sheet.row(bytes(size), p50(user), p50(call), less(call, user), p50(fence), less(fence, user), p99s(call, fence, user),
                    fence.route(), p50(transfer("direct", "runtime", "memput", size)),
                    p50(transfer("direct", "user-level", "memput_fence", size)), p50(transfer("messages", "raw", "raw_d2h", size)),
                    p50(transfer("messages", "raw", "raw_h2d", size)));
        }
        return sheet;
    }

    private Sheet memget() {
        Sheet sheet = new Sheet("bytes", "user-level", "messages", "less", "p99 (ours, user)", "route", "direct",
                "user-level beside direct", "raw D2H", "raw H2D");
        for (double size : positions(row -> (double) row.bytes())) {
            Row user = transfer("messages", "user-level", "memget", size);
            Row get = transfer("messages", "runtime", "memget", size);
            sheet.row(bytes(size), p50(user), p50(get), less(get, user), p99s(get, user), get.route(),
                    p50(transfer("direct", "runtime", "memget", size)), p50(transfer("direct", "user-level", "memget", size)),
                    p50(transfer("messages", "raw", "raw_d2h", size)), p50(transfer("messages", "raw", "raw_h2d", size)));
        }
        return sheet;
    }

    private Row transfer(String route, String style, String op, double bytes) {
        return one(Row.SETTING, "route=" + route, Row.STYLE, style, "op", op, "bytes", bytes);
    }

    private Sheet helper() {
        Sheet sheet = new Sheet("kernel ms", "user-level p50", "off p50", "on p50", "on, owner idle p50", "ratio", "on p99",
                "owner idle p99", "ratio", "auto p50", "user-level beside on, auto p50", "samples of on");
        for (double ms : positions(row -> row.number(Row.KERNEL_MS))) {
            Row on = get("runtime", "memget", "on", ms);
            Row idle = oneOrNone(Row.STYLE, "runtime", "op", "memget_idle", Row.HELPER, "on", Row.KERNEL_MS, ms);
            sheet.row(Figures.plain(ms), p50(get("user-level", "memget", "off", ms)), p50(get("runtime", "memget", "off", ms)), p50(on),
                    idle == null ? NONE : p50(idle), idle == null ? NONE : number("%.2f", on.times().p50() / idle.times().p50()),
                    us(on.times().p99()), idle == null ? NONE : us(idle.times().p99()),
                    idle == null ? NONE : number("%.2f", on.times().p99() / idle.times().p99()),
                    p50(get("runtime", "memget", "auto", ms)),
                    p50(get("user-level", "memget", "on", ms)) + ", " + p50(get("user-level", "memget", "auto", ms)),
                    on.times().samples());
        }
        return sheet;
    }

    private Row get(String style, String op, String helper, double ms) {
        return one(Row.STYLE, style, "op", op, Row.HELPER, helper, Row.KERNEL_MS, ms);
    }

    private Sheet matmul() {
        Sheet sheet = new Sheet("N", "user-level", "runtime, free route", "less", "of it communication (user, ours)",
                "user-level beside messages", "runtime, messages", "less");
        for (double n : positions(row -> row.number(Row.N))) {
            Row user = product("auto", "user-level", n);
            Row ours = product("auto", "runtime", n);
            Row userThen = product("messages", "user-level", n);
            Row messages = product("messages", "runtime", n);
            sheet.row(Figures.plain(n), p50(user), p50(ours), less(ours, user), us(user.number("communication_us")) + ", "
                    + us(ours.number("communication_us")), p50(userThen), p50(messages), less(messages, userThen));
        }
        return sheet;
    }

    private Row product(String route, String style, double n) {
        return one(Row.SETTING, "route=" + route, Row.STYLE, style, Row.N, n);
    }

    private Sheet ablation() {
        Sheet sheet = new Sheet("part", "setting", "op", "bytes", "p50", "GB/s", "samples", "batch");
        for (Row row : rows) {
            if (!row.text(Row.STYLE).equals("user-level")) {
                String part = row.text("part");
                sheet.row(part.isEmpty() ? "helper" : part, row.text(Row.SETTING), row.op(), bytes(row.bytes()), p50(row),
                        us(row.gbps()), row.times().samples(), row.times().batch() == SampleTimes.UNKNOWN ? NONE : row.times().batch());
            }
        }
        return sheet;
    }

    // ---- notifications

    private Sheet notifications() {
        Sheet sheet = new Sheet("half round trip", "same GPU", "peer GPU", "through the host");
        blocks(sheet, "raw: flag", "raw flag", 0);
        blocks(sheet, "raw: 4 B and release", "raw release", 4);
        blocks(sheet, "raw: 4 B and flag in one store", "raw one store", 4);
        blocks(sheet, "notify", "notify", 0);
        rows.stream().filter(row -> row.op().equals("put-notify")).map(Row::bytes).distinct().sorted()
                .forEach(size -> blocks(sheet, "put-notify " + size + " B", "put-notify", size));
        return sheet;
    }

    private void blocks(Sheet sheet, String name, String op, long bytes) {
        sheet.row(name, reached(op, bytes, "same-device"), reached(op, bytes, "peer"), reached(op, bytes, "proxy"));
    }

    private String reached(String op, long bytes, String reach) {
        Row row = oneOrNone("op", op, "bytes", bytes, Row.REACH, reach);
        return row == null ? NONE : number("%.2f", row.times().p50());
    }

    private Sheet parts() {
        double call = part("call in the kernel");
        double helper = part("helper, one of many");
        double whole = one("op", "notify", Row.REACH, "proxy").times().p50();
        return new Sheet("part", "us")
                .row("device: the call in the sending kernel, until the command is on its way", number("%.2f", call))
                .row("queue and helper: a command, carried out one behind the other with 63 more blocks'", number("%.2f", helper))
                .row("the rest of a notification: the way to host memory, the helper's look, the message's way back and the waiting"
                        + " block's look", number("%.2f", whole - call - helper))
                .row("for comparison: the driver's call that the message saves", number("%.2f", part("driver call saved")))
                .row("for comparison: host to waiting kernel and back to the host's counter",
                        number("%.2f", part("host to kernel and back")));
    }

    private double part(String name) {
        return one("op", "part: " + name).times().p50();
    }

    private Sheet bandwidth() {
        Sheet sheet = new Sheet("blocks", "notified puts, GB/s", "plain copies, GB/s");
        all("op", "put-notify flood").forEach(row -> sheet.row(Figures.plain(row.number("blocks")), us(row.gbps()),
                us(row.bytes() / row.baselineUs() / 1e3)));
        return sheet;
    }

    private Sheet floods() {
        Sheet sheet = new Sheet("blocks", "us a command", "million a second");
        all("op", "small-put flood").forEach(row -> sheet.row(Figures.plain(row.number("blocks")), number("%.2f", row.times().p50()),
                number("%.2f", 1 / row.times().p50())));
        return sheet;
    }

    private Sheet pairs() {
        List<String> kinds = List.of("host", "stream", "kernel");
        Sheet sheet = new Sheet("from \\ to", kinds);
        for (String from : kinds) {
            sheet.row(from, pair(from, kinds.get(0)), pair(from, kinds.get(1)), pair(from, kinds.get(2)));
        }
        return sheet;
    }

    private String pair(String from, String to) {
        return number("%.2f", one("op", "pair", Row.INITIATOR, from, Row.WAITER, to).times().p50());
    }

    private Sheet barriers() {
        int ranks = rows.stream().filter(row -> row.more().containsKey(Row.RANKS)).mapToInt(row -> (int) row.number(Row.RANKS))
                .findFirst().orElse(2);
        String all = ranks == 2 ? "two GPUs" : ranks + " ranks";
        Sheet sheet = new Sheet("blocks of each GPU", "one GPU", all, all + ", through the host");
        for (Row row : all("op", BarrierStudy.BARRIER, Row.REACH, "same-device")) {
            double blocks = row.number("blocks");
            Row proxy = oneOrNone(Row.REACH, "proxy", "blocks", ranks * blocks);
            sheet.row(Figures.plain(blocks), number("%.2f", row.times().p50()),
                    number("%.2f", one("op", BarrierStudy.BARRIER, Row.REACH, "peer", "blocks", ranks * blocks).times().p50()),
                    proxy == null ? NONE : p50(proxy));
        }
        return sheet;
    }

    // ---- examples

    private Sheet halo(Function<Row, Double> value) {
        List<String> others = rows.stream().map(Row::op).distinct().filter(style -> !style.equals("sync")).toList();
        Sheet sheet = new Sheet("side", Stream.concat(Stream.of("sync"), others.stream()).toList());
        for (double n : positions(row -> row.number(Row.N))) {
            double sync = value.apply(one("op", "sync", Row.N, n));
            List<String> cells = new ArrayList<>(List.of(Figures.plain(n), us(sync)));
            for (String style : others) {
                double its = value.apply(one("op", style, Row.N, n));
                cells.add(us(its) + " (" + number("%+.0f %%", 100 * (its / sync - 1)) + ")");
            }
            sheet.row(cells);
        }
        return sheet;
    }

    private Sheet matvec() {
        Sheet sheet = new Sheet("vectors", "host-driven", "kernel-driven", "ratio");
        for (double n : positions(row -> row.number(Row.N))) {
            double host = one("op", "host", Row.N, n).number(MatvecStudy.MVPS);
            double blocks = one("op", "blocks", Row.N, n).number(MatvecStudy.MVPS);
            sheet.row(Figures.plain(n), number("%.0f", host), number("%.0f", blocks), number("%.2f", blocks / host));
        }
        return sheet;
    }

    private Sheet examples(String x) {
        Sheet sheet = new Sheet(x, "style", "us", "samples", "steps a sample");
        for (Row row : rows) {
            sheet.row(Figures.plain(row.number(Row.N)), row.op(), p50(row), row.times().samples(),
                    row.times().batch() == SampleTimes.UNKNOWN ? NONE : row.times().batch());
        }
        return sheet;
    }

    private Sheet streams() {
        Sheet sheet = new Sheet("bytes", "by host code", "stream", "prepared", "value", "graph", "low-latency stream",
                "its prepared", "its value", "its graph");
        for (double size : positions(row -> (double) row.bytes())) {
            List<String> cells = new ArrayList<>(List.of(Figures.plain(size), stream("put-notify", "host", size)));
            for (String initiator : List.of("stream", StreamStudy.LOW_LATENCY)) {
                for (String op : List.of("put-notify", "trigger", "put-notify value", "graph")) {
                    cells.add(stream(op, initiator, size));
                }
            }
            sheet.row(cells);
        }
        return sheet;
    }

    private String stream(String op, String initiator, double bytes) {
        return p50(one("op", op, Row.INITIATOR, initiator, "bytes", bytes));
    }

    // ---- of the host

    private Sheet scaling() {
        Sheet sheet = new Sheet("ranks", "JVMs", "wire-up [ms]", "barrier [ms]", "allreduce [ms]", "broadcast of 1 KiB [ms]",
                "ring [ms]", "Java heap used [KiB/rank]", "anonymous [KiB/rank]", "shared [KiB/rank]");
        for (Row memory : all("op", ScalingProgram.MEMORY)) {
            double ranks = memory.number(Row.N);
            int jvms = memory.processes();
            sheet.row(Figures.plain(ranks), jvms, number("%.1f", collective(ScalingProgram.WIRE_UP, ranks, jvms)),
                    ms(collective(ScalingProgram.BARRIER, ranks, jvms)), ms(collective(ScalingProgram.ALLREDUCE, ranks, jvms)),
                    ms(collective(ScalingProgram.BROADCAST, ranks, jvms)), ms(collective(ScalingProgram.RING, ranks, jvms)),
                    number("%.0f", memory.number("heap_kib") / ranks), number("%.0f", memory.number("anonymous_kib") / ranks),
                    number("%.0f", memory.number("shared_kib") / ranks));
        }
        return sheet;
    }

    private double collective(String op, double ranks, int jvms) {
        return one("op", op, Row.N, ranks, "processes", jvms).times().p50() / 1e3;
    }

    private static String ms(double value) {
        return number(value < 10 ? "%.3f" : "%.1f", value);
    }

    private Sheet checks() {
        Sheet sheet = new Sheet("8 bytes", "median [ns]", "samples");
        rows.forEach(row -> sheet.row(row.text(Row.STYLE), number("%.1f", row.times().p50() * 1e3), row.times().samples()));
        return sheet;
    }

    private Sheet kernels() {
        Sheet sheet = new Sheet("kernel", "Java [us]", "CUDA C++ [us]", "speed of Java [%]", "interval");
        for (Row row : rows) {
            sheet.row(row.op(), number("%.2f", row.times().p50()), number("%.2f", row.baselineUs()), percent(row, KernelsStudy.SPEED),
                    percent(row, KernelsStudy.SPEED + "_low") + " to " + percent(row, KernelsStudy.SPEED + "_high"));
        }
        return sheet;
    }

    private static String percent(Row row, String field) {
        return number("%.1f", row.number(field) * 100);
    }

    // ---- beside other libraries

    private Sheet peers() {
        Sheet sheet = new Sheet("operation", "bytes", "pgas4j", "NVSHMEM", "NCCL", "PyTorch", "fastest peer's form", "ours / it",
                "bar", "met");
        boolean several = rows.stream().filter(PeerRows::isOurs).map(Row::processes).distinct().count() > 1;
        for (PeerComparison comparison : PeerComparison.of(rows)) {
            PeerComparison.Place place = comparison.place();
            Row best = comparison.bestPeer();
            double ratio = comparison.ratio();
            String met = Double.isNaN(ratio) ? NONE : ratio <= comparison.bar() ? "yes" : "no";
            String jvms = several && comparison.ours() != null ? ", JVMs: " + comparison.ours().processes() : "";
            sheet.row(place.op() + (place.type().isEmpty() ? "" : " " + place.type()) + (place.blocks() == 0 ? "" : " of "
                    + place.blocks() + " blocks") + jvms, place.bytes() == 0 ? NONE : bytes(place.bytes()), peer(comparison.ours()),
                    peer(comparison.peers().get(PeerRows.NVSHMEM)), peer(comparison.peers().get(PeerRows.NCCL)),
                    peer(comparison.peers().get(PeerRows.PYTORCH)), fastest(best), number("%.2f", ratio),
                    comparison.ours() == null ? NONE : number("%.2f", comparison.bar()), met);
        }
        return sheet;
    }

    /** Name and form, and the time of a library that has no column. */
    private static String fastest(Row best) {
        return best == null ? NONE : best.text(PeerRows.PEER) + ", " + best.text(PeerRows.FORM)
                + (best.text(PeerRows.PEER).equals(PeerRows.CUBLAS) ? ": " + peer(best) : "");
    }

    private static String peer(Row row) {
        return row == null ? NONE : number("%.2f", row.times().p50()) + number(", %.0f TFLOP/s", row.number(PeerRows.TFLOPS))
                .replaceFirst("^-$", "") + (row.wrong() == 0 ? "" : ", " + row.wrong() + " wrong");
    }
}
