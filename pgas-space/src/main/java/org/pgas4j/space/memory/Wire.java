package org.pgas4j.space.memory;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.pgas4j.BootstrapException;
import org.pgas4j.MemoryKind;
import org.pgas4j.bootstrap.node.SegmentEntry;

/**
 * Segment entries as bytes: count, then the fields of each in order; strings as modified UTF-8, lengths checked. What is
 * the same in entries of one answer is one object.
 */
final class Wire {

    private static final int VERSION = 2;
    private static final int MAX_TOKEN = 4096;

    private Wire() {
    }

    /** Encodes entries. */
    static byte[] encode(List<SegmentEntry> entries) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            out.writeInt(entries.size());
            for (SegmentEntry entry : entries) {
                out.writeInt(entry.rank());
                out.writeByte(entry.kind() == MemoryKind.HOST ? 0 : 1);
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
     * Decodes entries of ranks {@code firstRank..endRank-1} of one process.
     *
     * @throws BootstrapException if they are malformed
     */
    static List<SegmentEntry> decode(byte[] bytes, int process, int firstRank, int endRank) {
        List<SegmentEntry> entries = new ArrayList<>();
        Map<String, String> texts = new HashMap<>();
        Map<ByteBuffer, byte[]> tokens = new HashMap<>();
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            check(in.readByte() == VERSION, process, "version");
            int count = in.readInt();
            check(count >= 0 && count <= 2 * (endRank - firstRank), process, "count " + count);
            for (int i = 0; i < count; i++) {
                int rank = in.readInt();
                check(rank >= firstRank && rank < endRank, process, "rank " + rank);
                MemoryKind kind = in.readByte() == 0 ? MemoryKind.HOST : MemoryKind.DEVICE;
                String backend = texts.computeIfAbsent(in.readUTF(), text -> text);
                int ordinal = in.readInt();
                String path = texts.computeIfAbsent(in.readUTF(), text -> text);
                int tokenLength = in.readInt();
                check(tokenLength >= 0 && tokenLength <= MAX_TOKEN, process, "token length " + tokenLength);
                byte[] token = tokens.computeIfAbsent(ByteBuffer.wrap(in.readNBytes(tokenLength)), ByteBuffer::array);
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

    private static void check(boolean good, int process, String what) {
        if (!good) {
            throw new BootstrapException("segment entries of process " + process + " are malformed: " + what);
        }
    }
}
