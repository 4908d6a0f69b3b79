package org.pgas4j.runtime.memory;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.BootstrapException;
import org.pgas4j.Kind;
import org.pgas4j.runtime.directory.SegmentEntry;

/** Segment entries as bytes: count, then the fields of each in order; strings as modified UTF-8, lengths checked. */
public final class Wire {

    private static final int VERSION = 1;
    private static final int MAX_TOKEN = 4096;

    private Wire() {
    }

    /** Encodes entries, or the reason why a process has none. */
    public static byte[] encode(List<SegmentEntry> entries, String failure) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            out.writeUTF(failure == null ? "" : failure);
            out.writeInt(entries.size());
            for (SegmentEntry entry : entries) {
                out.writeInt(entry.rank());
                out.writeByte(entry.kind() == Kind.HOST ? 0 : 1);
                out.writeUTF(entry.backend());
                out.writeInt(entry.ordinal());
                out.writeUTF(entry.path());
                out.writeInt(entry.token().length);
                out.write(entry.token());
                out.writeLong(entry.mappedBytes());
                out.writeLong(entry.offset());
                out.writeLong(entry.bytes());
                out.writeLong(entry.generation());
                out.writeLong(entry.pid());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * Decodes entries of one process.
     *
     * @throws BootstrapException if they are malformed
     */
    public static List<SegmentEntry> decode(byte[] bytes, int process, int firstRank, int endRank) {
        List<SegmentEntry> entries = new ArrayList<>();
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            check(in.readByte() == VERSION, process, "version");
            in.readUTF();
            int count = in.readInt();
            check(count >= 0 && count <= 2 * (endRank - firstRank), process, "count " + count);
            for (int i = 0; i < count; i++) {
                int rank = in.readInt();
                check(rank >= firstRank && rank < endRank, process, "rank " + rank);
                Kind kind = in.readByte() == 0 ? Kind.HOST : Kind.DEVICE;
                String backend = in.readUTF();
                int ordinal = in.readInt();
                String path = in.readUTF();
                int tokenLength = in.readInt();
                check(tokenLength >= 0 && tokenLength <= MAX_TOKEN, process, "token length " + tokenLength);
                byte[] token = in.readNBytes(tokenLength);
                long mapped = in.readLong();
                long offset = in.readLong();
                long size = in.readLong();
                check(mapped > 0 && size >= 0 && offset >= 0 && offset <= mapped - size, process,
                        "segment offset " + offset + " size " + size + " of " + mapped);
                entries.add(new SegmentEntry(rank, kind, backend, ordinal, path, token, mapped, offset, size,
                        in.readLong(), in.readLong()));
            }
        } catch (IOException e) {
            throw new BootstrapException("segment entries of process " + process + " are malformed: " + e.getMessage(), e);
        }
        return entries;
    }

    /** The failure text of a process, empty if it has none. */
    public static String failureOf(byte[] bytes, int process) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            check(in.readByte() == VERSION, process, "version");
            return in.readUTF();
        } catch (IOException e) {
            throw new BootstrapException("segment entries of process " + process + " are malformed: " + e.getMessage(), e);
        }
    }

    private static void check(boolean good, int process, String what) {
        if (!good) {
            throw new BootstrapException("segment entries of process " + process + " are malformed: " + what);
        }
    }
}
