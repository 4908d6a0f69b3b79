package org.pgas4j.io;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.pgas4j.ElementType;

/**
 * Layout of a snapshot; numbers are little-endian.
 *
 * <pre>
 *   0  magic "PGASSNAP"
 *   8  version, int              12  number of arrays n, int
 *  16  size of the file, long    24  size of a piece, long
 *  32  n shapes of 80 bytes
 *        0  element type, int     4  dimensions, int     8  element size, long
 *       16  lengths, 8 longs; 0 beyond the dimensions
 *  32 + 80 n  CRC-32C of all before, int; 4 bytes of 0
 *
 *  for each array, from a multiple of 4096 on:
 *    CRC-32C of each piece, int
 *    from the next multiple of 4096 on: the elements in global order
 * </pre>
 *
 * A piece has as many whole elements as fit, and one at least.
 */
final class SnapshotHeader {

    static final int VERSION = 1;
    static final long PIECE_BYTES = 1 << 20;
    static final int MAX_ARRAYS = 10_000;

    static final int MAGIC_OFFSET = 0;
    static final int VERSION_OFFSET = MAGIC_OFFSET + Long.BYTES;
    static final int ARRAYS_OFFSET = VERSION_OFFSET + Integer.BYTES;
    static final int FILE_BYTES_OFFSET = ARRAYS_OFFSET + Integer.BYTES;
    static final int PIECE_BYTES_OFFSET = FILE_BYTES_OFFSET + Long.BYTES;
    static final int SHAPES_OFFSET = PIECE_BYTES_OFFSET + Long.BYTES;

    private static final int MAX_DIMENSIONS = 8;
    private static final int LENGTHS_OFFSET = 2 * Integer.BYTES + Long.BYTES;
    private static final int SHAPE_BYTES = LENGTHS_OFFSET + MAX_DIMENSIONS * Long.BYTES;
    private static final long MAGIC = ByteBuffer.wrap("PGASSNAP".getBytes(StandardCharsets.US_ASCII))
            .order(ByteOrder.LITTLE_ENDIAN).getLong();
    private static final long ALIGNMENT = 4096;

    private static final List<ElementType> TYPES = List.of(ElementType.BYTE, ElementType.INT, ElementType.LONG,
            ElementType.FLOAT, ElementType.DOUBLE, ElementType.HALF, ElementType.BFLOAT16, ElementType.SHORT,
            ElementType.CHAR); // by their numbers in files

    /**
     * Place of an array in the file.
     *
     * @param checksums offset of its checksums
     * @param data      offset of its elements
     */
    record Place(SnapshotEntry entry, long checksums, long data) {

        long pieceElements() {
            return Math.max(1, PIECE_BYTES / entry.elementBytes());
        }

        long pieces() {
            return Math.ceilDiv(entry.count(), pieceElements());
        }
    }

    private final List<Place> places = new ArrayList<>();
    private final long fileBytes;

    SnapshotHeader(List<SnapshotEntry> entries) {
        long at = headerBytes(entries.size());
        for (SnapshotEntry entry : entries) {
            long checksums = aligned(at);
            long pieces = new Place(entry, 0, 0).pieces();
            long data = aligned(Math.addExact(checksums, Math.multiplyExact(pieces, Integer.BYTES)));
            places.add(new Place(entry, checksums, data));
            at = Math.addExact(data, Math.multiplyExact(entry.count(), entry.elementBytes()));
        }
        fileBytes = at;
    }

    private static long aligned(long offset) {
        return Math.multiplyExact(Math.ceilDiv(offset, ALIGNMENT), ALIGNMENT);
    }

    static int headerBytes(int arrays) {
        return SHAPES_OFFSET + arrays * SHAPE_BYTES + Long.BYTES;
    }

    List<Place> places() {
        return places;
    }

    long fileBytes() {
        return fileBytes;
    }

    /** Writes the header at the start of {@code out}, which has {@link #headerBytes} bytes. */
    void encode(ByteBuffer out) {
        out.order(ByteOrder.LITTLE_ENDIAN);
        out.putLong(MAGIC_OFFSET, MAGIC).putInt(VERSION_OFFSET, VERSION).putInt(ARRAYS_OFFSET, places.size());
        out.putLong(FILE_BYTES_OFFSET, fileBytes).putLong(PIECE_BYTES_OFFSET, PIECE_BYTES);
        int at = SHAPES_OFFSET;
        for (Place place : places) {
            SnapshotEntry entry = place.entry();
            int dimensions = entry.lengths().size();
            out.putInt(at, TYPES.indexOf(entry.type())).putInt(at + Integer.BYTES, dimensions);
            out.putLong(at + 2 * Integer.BYTES, entry.elementBytes());
            for (int dimension = 0; dimension < MAX_DIMENSIONS; dimension++) {
                long length = dimension < dimensions ? entry.lengths().get(dimension) : 0;
                out.putLong(at + LENGTHS_OFFSET + dimension * Long.BYTES, length);
            }
            at += SHAPE_BYTES;
        }
        out.putInt(at, checksum(out.slice(0, at))).putInt(at + Integer.BYTES, 0);
    }

    static int checksum(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    /**
     * Number of arrays, from the first {@link #SHAPES_OFFSET} bytes of a file.
     *
     * @throws IllegalArgumentException if it is no snapshot of this version; the message is the reason
     */
    static int arrays(ByteBuffer start) {
        start.order(ByteOrder.LITTLE_ENDIAN);
        if (start.getLong(MAGIC_OFFSET) != MAGIC) {
            throw new IllegalArgumentException("no snapshot: it does not begin with PGASSNAP");
        }
        require("version", start.getInt(VERSION_OFFSET), VERSION, VERSION);
        require("number of arrays", start.getInt(ARRAYS_OFFSET), 0, MAX_ARRAYS);
        require("size of a piece", start.getLong(PIECE_BYTES_OFFSET), PIECE_BYTES, PIECE_BYTES);
        return start.getInt(ARRAYS_OFFSET);
    }

    /**
     * The header of a file.
     *
     * @param in       first {@link #headerBytes} bytes
     * @param fileSize size of the file
     * @throws IllegalArgumentException if they do not fit; the message is the reason
     */
    static SnapshotHeader decode(ByteBuffer in, long fileSize) {
        int arrays = arrays(in);
        int end = SHAPES_OFFSET + arrays * SHAPE_BYTES;
        if (in.getInt(end) != checksum(in.slice(0, end))) {
            throw new IllegalArgumentException("corrupted header: checksum " + Integer.toHexString(checksum(in.slice(0, end)))
                    + " (expected: " + Integer.toHexString(in.getInt(end)) + ")");
        }
        List<SnapshotEntry> entries = new ArrayList<>();
        for (int at = SHAPES_OFFSET; at < end; at += SHAPE_BYTES) {
            entries.add(entry(in, at));
        }
        SnapshotHeader header = new SnapshotHeader(entries);
        require("size of the file in its header", in.getLong(FILE_BYTES_OFFSET), header.fileBytes, header.fileBytes);
        if (fileSize != header.fileBytes) {
            throw new IllegalArgumentException((fileSize < header.fileBytes ? "truncated: " : "too long: ") + fileSize
                    + " bytes (expected: " + header.fileBytes + ")");
        }
        return header;
    }

    private static SnapshotEntry entry(ByteBuffer in, int at) {
        int type = in.getInt(at);
        int dimensions = in.getInt(at + Integer.BYTES);
        require("element type", type, 0, TYPES.size() - 1L);
        require("dimensions", dimensions, 1, MAX_DIMENSIONS);
        List<Long> lengths = new ArrayList<>();
        for (int dimension = 0; dimension < dimensions; dimension++) {
            lengths.add(in.getLong(at + LENGTHS_OFFSET + dimension * Long.BYTES));
        }
        return new SnapshotEntry(TYPES.get(type), in.getLong(at + 2 * Integer.BYTES), lengths);
    }

    private static void require(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException("corrupted header: " + name + " " + value + " (expected: " + min
                    + (max > min ? ".." + max : "") + ")");
        }
    }
}
