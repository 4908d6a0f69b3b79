package org.pgas4j.bootstrap.trace;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.pgas4j.os.trace.TraceKind;
import org.pgas4j.os.trace.TraceRecord;
import org.pgas4j.os.trace.TraceTrack;

/** Timeline of a JVM with events of a test's making. */
final class PartBuilder {

    private final int process;
    private final List<TimeOffset> offsets;
    private final List<TraceTrack> tracks = new ArrayList<>();
    private final List<String> names = new ArrayList<>();

    PartBuilder(int process, TimeOffset... offsets) {
        this.process = process;
        this.offsets = offsets.length == 0 ? List.of(TimeOffset.same(0)) : List.of(offsets);
    }

    /** A track with {@code dropped} events before the first. */
    PartBuilder track(String name, int rank, long dropped) {
        tracks.add(new TraceTrack(name, rank, dropped, new long[0]));
        return this;
    }

    PartBuilder track(String name, int rank) {
        return track(name, rank, 0);
    }

    /** An event of the last track. */
    PartBuilder event(TraceKind kind, String name, int rank, int peer, int tag, long bytes, long link, long beginNs, long endNs) {
        TraceTrack last = tracks.removeLast();
        long[] words = Arrays.copyOf(last.words(), last.words().length + TraceRecord.WORDS);
        int number = names.indexOf(name);
        if (number < 0) {
            number = names.size();
            names.add(name);
        }
        TraceRecord.write(words, last.words().length, beginNs, endNs, kind, number, rank, peer, tag, bytes, link);
        tracks.add(new TraceTrack(last.name(), last.rank(), last.dropped(), words));
        return this;
    }

    TracePart build() {
        return new TracePart(1, process, "host" + process, process * 2, process * 2 + 2, offsets, List.copyOf(tracks),
                List.copyOf(names));
    }
}
