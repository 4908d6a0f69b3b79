package org.pgas4j.directory;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.CRC32;
import org.pgas4j.MemoryKind;
import org.pgas4j.bootstrap.node.SegmentEntry;

/**
 * Entries as bytes, checked so that the rest of a writer that died, or of another version, is not taken for an entry:
 *
 * <pre>
 * 0 version:u8 | 1 kind:u8 | 2 rank:i32 | 6 ordinal:i32 | 10 generation:i64 | 18 pid:i64 | 26 mappedBytes:i64
 * | 34 offset:i64 | 42 bytes:i64 | 50 backend, path, token: each length:u16 and its bytes | crc32 of all before:i32
 * </pre>
 *
 * Little-endian.
 */
final class EntryCodec {

    static final int VERSION = 1;
    static final int MAX_BYTES = 4096;

    private static final int FIXED_BYTES = 50;

    private EntryCodec() {
    }

    /** The key of a rank's segment. */
    static long key(int rank, MemoryKind kind) {
        return (long) rank << 1 | (kind == MemoryKind.HOST ? 0 : 1);
    }

    /** @throws IllegalArgumentException if the entry takes more than {@link #MAX_BYTES} */
    static byte[] encode(SegmentEntry entry) {
        byte[] backend = entry.backend().getBytes(StandardCharsets.UTF_8);
        byte[] path = entry.path().getBytes(StandardCharsets.UTF_8);
        int length = FIXED_BYTES + 3 * Short.BYTES + backend.length + path.length + entry.token().length
                + Integer.BYTES;
        if (length > MAX_BYTES) {
            throw new IllegalArgumentException("directory entry of " + length + " bytes (expected: <= " + MAX_BYTES
                    + "): rank " + entry.rank() + " " + entry.kind() + " path " + entry.path());
        }
        ByteBuffer buffer = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        buffer.put((byte) VERSION).put((byte) (entry.kind() == MemoryKind.HOST ? 0 : 1));
        buffer.putInt(entry.rank()).putInt(entry.ordinal()).putLong(entry.generation()).putLong(entry.pid());
        buffer.putLong(entry.mappedBytes()).putLong(entry.offset()).putLong(entry.bytes());
        buffer.putShort((short) backend.length).put(backend);
        buffer.putShort((short) path.length).put(path);
        buffer.putShort((short) entry.token().length).put(entry.token());
        buffer.putInt(crc(buffer.array(), buffer.position()));
        return buffer.array();
    }

    /** Empty if these bytes are no entry of this rank and kind. */
    static Optional<SegmentEntry> decode(byte[] bytes, int rank, MemoryKind kind) {
        if (bytes == null || bytes.length < FIXED_BYTES + Integer.BYTES || bytes.length > MAX_BYTES) {
            return Optional.empty();
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int end = bytes.length - Integer.BYTES;
        if (buffer.getInt(end) != crc(bytes, end) || buffer.get() != VERSION
                || buffer.get() != (kind == MemoryKind.HOST ? 0 : 1) || buffer.getInt() != rank) {
            return Optional.empty();
        }
        try {
            int ordinal = buffer.getInt();
            long generation = buffer.getLong();
            long pid = buffer.getLong();
            long mappedBytes = buffer.getLong();
            long offset = buffer.getLong();
            long size = buffer.getLong();
            String backend = new String(part(buffer), StandardCharsets.UTF_8);
            String path = new String(part(buffer), StandardCharsets.UTF_8);
            byte[] token = part(buffer);
            if (buffer.position() != end || size < 0 || offset < 0 || offset > mappedBytes - size) {
                return Optional.empty();
            }
            return Optional.of(new SegmentEntry(rank, kind, backend, ordinal, path, token, mappedBytes, offset, size,
                    generation, pid));
        } catch (BufferUnderflowException _) {
            return Optional.empty();
        }
    }

    private static byte[] part(ByteBuffer buffer) {
        int length = Short.toUnsignedInt(buffer.getShort());
        if (length > buffer.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] part = new byte[length];
        buffer.get(part);
        return part;
    }

    private static int crc(byte[] bytes, int length) {
        CRC32 crc = new CRC32();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }
}
