package org.pgas4j.bootstrap.trace;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.pgas4j.os.trace.TraceRecord;
import org.pgas4j.os.trace.TraceTrack;

/**
 * A {@link TracePart} in a file, big-endian; counts are i32, texts as {@link DataOutputStream#writeUTF} has them.
 *
 * <pre>
 *   magic:i64 | run | process | host | first rank | end rank | offsets: count, each local:i64 offset:i64 error:i64
 *   tracks: count, each name | rank | dropped:i64 | events | six words each | names: count, each a text
 * </pre>
 */
final class PartFile {

    private static final long MAGIC = 0x7067_6173_7472_6131L; // pgastra1
    private static final int MAX_LIST = 1 << 20;
    private static final int MAX_EVENTS = 1 << 24;
    private static final int BUFFER = 1 << 16;

    private PartFile() {
    }

    /**
     * Writes a part; the threads are looked at one after the other.
     *
     * @param names read last: every name of an event is there by then
     */
    static void write(Path file, TracePart head, List<Supplier<TraceTrack>> tracks, Supplier<List<String>> names)
            throws IOException {
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file), BUFFER))) {
            out.writeLong(MAGIC);
            out.writeInt(head.run());
            out.writeInt(head.process());
            out.writeUTF(head.host());
            out.writeInt(head.firstRank());
            out.writeInt(head.endRank());
            out.writeInt(head.offsets().size());
            for (TimeOffset each : head.offsets()) {
                out.writeLong(each.localNs());
                out.writeLong(each.offsetNs());
                out.writeLong(each.errorNs());
            }
            out.writeInt(tracks.size());
            for (Supplier<TraceTrack> each : tracks) {
                write(out, each.get());
            }
            List<String> all = names.get();
            out.writeInt(all.size());
            for (String name : all) {
                out.writeUTF(name);
            }
        }
    }

    private static void write(DataOutputStream out, TraceTrack track) throws IOException {
        out.writeUTF(track.name());
        out.writeInt(track.rank());
        out.writeLong(track.dropped());
        out.writeInt(track.count());
        ByteBuffer bytes = ByteBuffer.allocate(BUFFER);
        LongBuffer longs = bytes.asLongBuffer();
        for (int done = 0; done < track.words().length; ) {
            int part = Math.min(longs.capacity(), track.words().length - done);
            longs.clear().put(track.words(), done, part);
            out.write(bytes.array(), 0, part * Long.BYTES);
            done += part;
        }
    }

    /** @throws IOException if the file is none */
    static TracePart read(Path file) throws IOException {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file), BUFFER))) {
            if (in.readLong() != MAGIC) {
                throw new IOException(file + " is no part of a timeline");
            }
            int run = in.readInt();
            int process = in.readInt();
            String host = in.readUTF();
            int first = in.readInt();
            int end = in.readInt();
            List<TimeOffset> offsets = new ArrayList<>();
            for (int left = count(in, 1, MAX_LIST, file); left > 0; left--) {
                offsets.add(new TimeOffset(in.readLong(), in.readLong(), in.readLong()));
            }
            List<TraceTrack> tracks = new ArrayList<>();
            for (int left = count(in, 0, MAX_LIST, file); left > 0; left--) {
                tracks.add(track(in, file));
            }
            List<String> names = new ArrayList<>();
            for (int left = count(in, 0, MAX_LIST, file); left > 0; left--) {
                names.add(in.readUTF());
            }
            return new TracePart(run, process, host, first, end, offsets, tracks, names);
        }
    }

    private static TraceTrack track(DataInputStream in, Path file) throws IOException {
        String name = in.readUTF();
        int rank = in.readInt();
        long dropped = in.readLong();
        long[] words = new long[count(in, 0, MAX_EVENTS, file) * TraceRecord.WORDS];
        byte[] bytes = new byte[BUFFER];
        for (int done = 0; done < words.length; ) {
            int part = Math.min(BUFFER / Long.BYTES, words.length - done);
            in.readFully(bytes, 0, part * Long.BYTES);
            ByteBuffer.wrap(bytes).asLongBuffer().get(words, done, part);
            done += part;
        }
        return new TraceTrack(name, rank, dropped, words);
    }

    private static int count(DataInputStream in, int min, int max, Path file) throws IOException {
        int count = in.readInt();
        if (count < min || count > max) {
            throw new IOException(file + ": a list of " + count + " (expected: " + min + ".." + max + ")");
        }
        return count;
    }
}
