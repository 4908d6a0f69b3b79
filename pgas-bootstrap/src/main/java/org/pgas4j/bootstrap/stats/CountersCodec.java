package org.pgas4j.bootstrap.stats;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.RankCounters;

/**
 * Counters of some ranks as bytes, big-endian: the number of ranks, then of each {@code rank:i32 | time:i64 |} its lines of
 * traffic, waits and late ranks, each kind after the number of its lines; texts as {@link DataOutputStream#writeUTF} has them.
 */
final class CountersCodec {

    private static final int MAX_LINES = 1 << 24;

    private CountersCodec() {
    }

    static byte[] encode(List<RankCounters> ranks) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(ranks.size());
            for (RankCounters each : ranks) {
                encode(each, out);
            }
        } catch (IOException e) {
            throw new IllegalStateException("counters of " + ranks.size() + " ranks cannot be encoded", e);
        }
        return bytes.toByteArray();
    }

    private static void encode(RankCounters counters, DataOutputStream out) throws IOException {
        out.writeInt(counters.rank());
        out.writeLong(counters.timeNs());
        out.writeInt(counters.traffic().size());
        for (RankCounters.Traffic line : counters.traffic()) {
            out.writeInt(line.peer());
            out.writeUTF(line.route());
            out.writeUTF(line.operation());
            out.writeLong(line.minBytes());
            out.writeLong(line.calls());
            out.writeLong(line.bytes());
            out.writeUTF(line.reason());
        }
        out.writeInt(counters.waits().size());
        for (RankCounters.Waits line : counters.waits()) {
            out.writeUTF(line.operation());
            out.writeLong(line.calls());
            out.writeLong(line.waits());
            out.writeLong(line.waitNs());
        }
        out.writeInt(counters.late().size());
        for (RankCounters.Late line : counters.late()) {
            out.writeInt(line.rank());
            out.writeLong(line.waits());
            out.writeLong(line.waitNs());
        }
    }

    /** @throws IOException if these are no encoded counters */
    static List<RankCounters> decode(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        List<RankCounters> ranks = new ArrayList<>();
        for (int left = count(in); left > 0; left--) {
            ranks.add(decode(in));
        }
        if (in.read() >= 0) {
            throw new IOException("counters of " + ranks.size() + " ranks have more than their bytes");
        }
        return ranks;
    }

    private static int count(DataInputStream in) throws IOException {
        int count = in.readInt();
        if (count < 0 || count > MAX_LINES) {
            throw new IOException("counters with " + count + " lines (expected: 0.." + MAX_LINES + ")");
        }
        return count;
    }

    private static RankCounters decode(DataInputStream in) throws IOException {
        int rank = in.readInt();
        long timeNs = in.readLong();
        List<RankCounters.Traffic> traffic = new ArrayList<>();
        for (int left = count(in); left > 0; left--) {
            traffic.add(new RankCounters.Traffic(in.readInt(), in.readUTF(), in.readUTF(), in.readLong(), in.readLong(),
                    in.readLong(), in.readUTF()));
        }
        List<RankCounters.Waits> waits = new ArrayList<>();
        for (int left = count(in); left > 0; left--) {
            waits.add(new RankCounters.Waits(in.readUTF(), in.readLong(), in.readLong(), in.readLong()));
        }
        List<RankCounters.Late> late = new ArrayList<>();
        for (int left = count(in); left > 0; left--) {
            late.add(new RankCounters.Late(in.readInt(), in.readLong(), in.readLong()));
        }
        return new RankCounters(rank, timeNs, traffic, waits, late);
    }
}
