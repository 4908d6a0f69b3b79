package org.pgas4j.bootstrap.trace;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.pgas4j.os.trace.TraceTrack;

/** Timeline of a job: the events of all its JVMs on the clock of process 0, and the flows between them. */
final class Timeline {

    private final List<TracePart> parts;
    private final Map<TracePart, ClockLine> clocks = new HashMap<>();
    private final List<Slice> slices = new ArrayList<>();
    private final Flows flows;

    Timeline(List<TracePart> parts) {
        this.parts = parts;
        for (TracePart part : parts) {
            clocks.put(part, new ClockLine(part.offsets()));
            for (int track = 0; track < part.tracks().size(); track++) {
                for (int index = 0; index < part.tracks().get(track).count(); index++) {
                    slices.add(new Slice(part, track, index));
                }
            }
        }
        slices.sort(Comparator.comparingLong(this::beginNs).thenComparing(Comparator.comparingLong(this::endNs).reversed()));
        this.flows = new Flows(slices);
    }

    List<TracePart> parts() {
        return parts;
    }

    /** The events in the order of their begin, those that begin together the longest first. */
    List<Slice> slices() {
        return slices;
    }

    Flows flows() {
        return flows;
    }

    /** Begin of an event in the job's time. */
    long beginNs(Slice slice) {
        return clocks.get(slice.part()).jobNs(slice.beginNs());
    }

    /** Its end. */
    long endNs(Slice slice) {
        return Math.max(beginNs(slice) + 1, clocks.get(slice.part()).jobNs(slice.endNs()));
    }

    /** Bound of the error of a part's times. */
    long errorNs(TracePart part) {
        return clocks.get(part).errorNs();
    }

    /** The largest bound of all parts. */
    long errorNs() {
        return parts.stream().mapToLong(this::errorNs).max().orElse(0);
    }

    /** Number of events that had no room in their rings. */
    long dropped() {
        return parts.stream().flatMap(part -> part.tracks().stream()).mapToLong(TraceTrack::dropped).sum();
    }
}
