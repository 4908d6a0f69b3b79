package org.pgas4j.bootstrap.trace;

import com.grack.nanojson.JsonAppendableWriter;
import com.grack.nanojson.JsonWriter;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A timeline in the trace event format (Google, "Trace Event Format", 2016), which Perfetto and Chrome open: a process for each
 * JVM, a thread for each track, slices with arguments, and flows. Times are microseconds since the first event.
 */
final class ChromeTrace {

    private static final int NANOS = 3;

    private record Line(TracePart part, int track, int lane) {
    }

    private final Timeline timeline;
    private final JsonAppendableWriter json;
    private final long startNs;
    private final boolean severalRuns;
    private final Map<Line, Integer> lines = new HashMap<>();
    private final Map<Slice, Integer> lineOf = new HashMap<>(); // of ends of flows
    private int threads;

    private ChromeTrace(Timeline timeline, OutputStream out) {
        this.timeline = timeline;
        this.json = JsonWriter.on(out);
        this.severalRuns = timeline.parts().stream().mapToInt(TracePart::run).distinct().count() > 1;
        this.startNs = timeline.slices().isEmpty() ? 0 : timeline.beginNs(timeline.slices().getFirst());
    }

    /** Writes a timeline; the stream stays open. */
    static void write(Timeline timeline, OutputStream out) {
        new ChromeTrace(timeline, out).write();
    }

    private void write() {
        json.object().value("displayTimeUnit", "ns").array("traceEvents");
        for (Flows.Flow flow : timeline.flows().all()) {
            lineOf.put(flow.from(), 0);
            lineOf.put(flow.to(), 0);
        }
        timeline.parts().forEach(this::process);
        Map<Line, Lanes> lanes = new HashMap<>();
        for (Slice slice : timeline.slices()) {
            long beginNs = timeline.beginNs(slice);
            long endNs = timeline.endNs(slice);
            int lane = lanes.computeIfAbsent(new Line(slice.part(), slice.track(), 0), _ -> new Lanes()).next(beginNs, endNs);
            int thread = thread(slice, lane);
            lineOf.computeIfPresent(slice, (_, _) -> thread);
            slice(slice, thread, beginNs, endNs);
        }
        int number = 0;
        for (Flows.Flow flow : timeline.flows().all()) {
            number++;
            end(flow.from(), "s", number);
            end(flow.to(), "f", number);
        }
        json.end();
        json.object("otherData").value("clockErrorNs", timeline.errorNs()).value("dropped", timeline.dropped())
                .value("lostEnds", timeline.flows().lost()).end();
        json.end().done();
    }

    private BigDecimal micros(long ns) {
        return BigDecimal.valueOf(ns, NANOS);
    }

    // ---- processes and threads

    private void process(TracePart part) {
        meta("process_name", part.process(), 0, "name", "JVM " + part.process() + ", ranks " + part.firstRank() + ".."
                + (part.endRank() - 1) + ", " + part.host());
        TrackNames names = new TrackNames();
        for (int track = 0; track < part.tracks().size(); track++) {
            TrackNames.Name name = names.next(part.tracks().get(track));
            int thread = ++threads;
            lines.put(new Line(part, track, 0), thread);
            meta("thread_name", part.process(), thread, "name", name.text() + (severalRuns ? ", run " + part.run() : ""));
            meta("thread_sort_index", part.process(), thread, "sort_index", name.order());
            if (part.tracks().get(track).dropped() > 0) {
                meta("thread_dropped", part.process(), thread, "dropped", part.tracks().get(track).dropped());
            }
        }
    }

    private void meta(String what, int process, int thread, String key, Object value) {
        json.object().value("ph", "M").value("name", what).value("pid", process).value("tid", thread).object("args")
                .value(key, value).end().end();
    }

    private int thread(Slice slice, int lane) {
        Integer known = lines.get(new Line(slice.part(), slice.track(), lane));
        if (known != null) {
            return known;
        }
        int thread = ++threads;
        lines.put(new Line(slice.part(), slice.track(), lane), thread);
        meta("thread_name", slice.part().process(), thread, "name", "copies of thread "
                + lines.get(new Line(slice.part(), slice.track(), 0)) + ", line " + lane);
        return thread;
    }

    // ---- events

    private void slice(Slice slice, int thread, long beginNs, long endNs) {
        json.object().value("ph", "X").value("name", text(slice)).value("cat", slice.kind().text())
                .value("pid", slice.part().process()).value("tid", thread).value("ts", micros(beginNs - startNs))
                .value("dur", micros(endNs - beginNs)).object("args");
        if (slice.rank() >= 0) {
            json.value("rank", slice.rank());
        }
        switch (slice.kind()) {
            case PUT, GET, SET, ATOMIC -> json.value("peer", slice.peer()).value("bytes", slice.bytes())
                    .value("route", slice.name());
            case OPERATION -> json.value("collectives", slice.link());
            case SIGNAL, SEEN, SEEN_BY_STREAM -> json.value("peer", slice.peer()).value("tag", slice.tag())
                    .value("count", slice.bytes()).value("counter", slice.link());
            case SIGNAL_SET, SEEN_SET -> json.value("peer", slice.peer()).value("tag", slice.tag()).value("value", slice.link());
            case SEND, SERVE, MOVE -> json.value("peer", slice.peer()).value("bytes", slice.bytes())
                    .value("number", slice.link());
            case SUBMIT, RUN -> json.value("bytes", slice.bytes()).value("number", slice.link());
            case BLOCK -> json.value("block", slice.tag());
            case BLOCK_PUT, BLOCK_GET -> json.value("peer", slice.peer()).value("block", slice.tag()).value("bytes", slice.bytes());
            case BLOCK_WAIT -> { }
        }
        json.end().end();
    }

    private static String text(Slice slice) {
        return switch (slice.kind()) {
            case OPERATION, RUN, BLOCK, BLOCK_WAIT -> slice.name();
            case PUT, GET, SET, ATOMIC, SEND, SERVE, SUBMIT -> slice.kind().text() + " " + slice.name();
            default -> slice.kind().text();
        };
    }

    /** An arrow begins and ends with the slices around its times. */
    private void end(Slice slice, String phase, int number) {
        json.object().value("ph", phase).value("id", number).value("name", "flow").value("cat", "flow")
                .value("pid", slice.part().process()).value("tid", lineOf.get(slice))
                .value("ts", micros(timeline.beginNs(slice) - startNs));
        if (phase.equals("f")) {
            json.value("bp", "e");
        }
        json.end();
    }
}
