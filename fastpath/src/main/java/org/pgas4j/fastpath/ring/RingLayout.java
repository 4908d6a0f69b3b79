package org.pgas4j.fastpath.ring;

import org.pgas4j.PgasKey;
import org.pgas4j.UsageException;

/**
 * Layout of the memory into which one rank receives from one peer.
 *
 * <pre>
 *   0                  credit word of the ring in the other direction: chunks its receiver has consumed; a line of its own
 *   128                chunk 0
 *   128 + chunkBytes   chunk 1 ...
 *
 *   a chunk:           free | payload, right-aligned to 8 bytes | header, 64 bytes, whose last word is the flag
 * </pre>
 *
 * The payload ends where the header begins, so payload, header and flag are one run of bytes that ends with the flag:
 * where bytes of one put arrive in order, one put carries a message.
 *
 * @param chunkBytes bytes of a chunk, a power of two
 * @param chunks     chunks of the ring, a power of two
 */
public record RingLayout(int chunkBytes, int chunks) {

    /** Offset of the credit word. */
    public static final long CREDIT = 0;

    private static final long CHUNKS = 128;

    public RingLayout {
        requirePowerOfTwo(PgasKey.FASTPATH_CHUNK, chunkBytes);
        requirePowerOfTwo(PgasKey.FASTPATH_CHUNKS, chunks);
    }

    private static void requirePowerOfTwo(PgasKey key, int value) {
        if (Integer.bitCount(value) != 1 || value < key.min() || value > key.max()) {
            throw new UsageException(key.property() + "=" + value + " (expected: a power of two, " + key.min() + ".." + key.max()
                    + ")");
        }
    }

    /** Largest payload of one message, bytes. */
    public int capacity() {
        return chunkBytes - MessageHeader.BYTES;
    }

    /** Offset of the header of message {@code sequence}, counted from 1. */
    public long header(long sequence) {
        return CHUNKS + (index(sequence) + 1L) * chunkBytes - MessageHeader.BYTES;
    }

    /** Offset of a payload of {@code length} bytes before the header at {@code header}. */
    public static long payload(long header, int length) {
        return header - (length + 7L & ~7L);
    }

    /** Index of the chunk of message {@code sequence}. */
    public int index(long sequence) {
        return (int) (sequence - 1) & chunks - 1;
    }

    /** Size of the whole, bytes. */
    public long bytes() {
        return CHUNKS + (long) chunks * chunkBytes;
    }
}
