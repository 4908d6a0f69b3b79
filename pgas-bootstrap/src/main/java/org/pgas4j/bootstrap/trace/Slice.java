package org.pgas4j.bootstrap.trace;

import org.pgas4j.os.trace.TraceKind;
import org.pgas4j.os.trace.TraceRecord;
import org.pgas4j.os.trace.TraceTrack;

/**
 * Place of an event in a job's timeline.
 *
 * @param part  that has the track
 * @param track number of the track in its part
 * @param index number of the event in its track
 */
record Slice(TracePart part, int track, int index) {

    private TraceTrack owner() {
        return part.tracks().get(track);
    }

    private long[] words() {
        return owner().words();
    }

    private int at() {
        return index * TraceRecord.WORDS;
    }

    long beginNs() {
        return TraceRecord.beginNs(words(), at());
    }

    /** One nanosecond after the begin at least, so that a flow finds it. */
    long endNs() {
        return Math.max(beginNs() + 1, TraceRecord.endNs(words(), at()));
    }

    TraceKind kind() {
        return TraceRecord.kind(words(), at());
    }

    String name() {
        int name = TraceRecord.name(words(), at());
        return name < part.names().size() ? part.names().get(name) : "";
    }

    int rank() {
        return TraceRecord.rank(words(), at());
    }

    int peer() {
        return TraceRecord.peer(words(), at());
    }

    int tag() {
        return TraceRecord.tag(words(), at());
    }

    long bytes() {
        return TraceRecord.bytes(words(), at());
    }

    long link() {
        return TraceRecord.link(words(), at());
    }
}
