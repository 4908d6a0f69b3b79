package org.pgas4j.fastpath.conduit.ucx;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.pgas4j.fastpath.conduit.SegmentAddress;

/**
 * Content of the key of a {@link SegmentAddress} of the ucx conduit. UCX does not check the bytes it unpacks, so a key
 * is refused unless it is exactly what the same version of UCX packed.
 *
 * @param version         version of UCX, as {@link Ucp#version()}
 * @param conduit         number of the conduit that has the segment
 * @param rank            rank that owns the segment
 * @param base            address of its memory in its process
 * @param bytes           size
 * @param orderedPutBytes {@link UcxOrder#ofProcess} of its process
 * @param worker          UCX address of the rank's worker
 * @param packed          UCX's packed remote key
 */
record UcxKey(int version, long conduit, int rank, long base, long bytes, long orderedPutBytes,
              byte[] worker, byte[] packed) {

    private static final int MAGIC = 0x50475558;
    private static final int FIXED = 4 + 4 + 8 + 4 + 8 + 8 + 8 + 2 + 2 + 4;
    private static final int PAGE = 4096;

    /**
     * The key as bytes.
     *
     * @return null if they are more than a {@link SegmentAddress} may carry
     */
    byte[] encode() {
        int length = FIXED + worker.length + packed.length;
        if (length > SegmentAddress.MAX_KEY_BYTES) {
            return null;
        }
        ByteBuffer out = ByteBuffer.allocate(length);
        out.putInt(MAGIC).putInt(version).putLong(conduit).putInt(rank).putLong(base).putLong(bytes).putLong(orderedPutBytes);
        out.putShort((short) worker.length).put(worker).putShort((short) packed.length).put(packed);
        out.putInt(checksum(out.array(), out.position()));
        return out.array();
    }

    /**
     * The key of rank {@code rank}'s segment, checked.
     *
     * @throws IOException if it is not one, or one of another UCX
     */
    static UcxKey decode(SegmentAddress address, int rank, int version) throws IOException {
        byte[] key = address.key();
        String of = "key of rank " + rank + "'s segment ";
        if (key.length < FIXED || key.length > SegmentAddress.MAX_KEY_BYTES) {
            throw new IOException(of + "has " + key.length + " bytes (expected: " + FIXED + ".."
                    + SegmentAddress.MAX_KEY_BYTES + ")");
        }
        ByteBuffer in = ByteBuffer.wrap(key);
        int magic = in.getInt();
        if (magic != MAGIC) {
            throw new IOException(of + "starts with " + Integer.toHexString(magic) + ", not one of the ucx conduit");
        }
        if (in.getInt(key.length - 4) != checksum(key, key.length - 4)) {
            throw new IOException(of + "is damaged: checksum " + Integer.toHexString(in.getInt(key.length - 4))
                    + ", its bytes have " + Integer.toHexString(checksum(key, key.length - 4)));
        }
        int theirs = in.getInt();
        if (theirs >> 8 != version >> 8) {
            throw new IOException("rank " + rank + " uses UCX " + Ucp.versionText(theirs) + ", this process "
                    + Ucp.versionText(version) + "; all processes of a job need the same");
        }
        long conduit = in.getLong();
        int owner = in.getInt();
        long base = in.getLong();
        long bytes = in.getLong();
        long orderedPutBytes = in.getLong();
        byte[] worker = bytes(in, of, "worker address");
        byte[] packed = bytes(in, of, "remote key");
        if (in.remaining() != Integer.BYTES) {
            throw new IOException(of + "has " + (in.remaining() - Integer.BYTES) + " bytes too many");
        }
        if (owner != rank) {
            throw new IOException(of + "is of rank " + owner);
        }
        if (bytes != address.bytes() || bytes <= 0) {
            throw new IOException(of + "is for " + bytes + " bytes, its address says " + address.bytes());
        }
        if (base <= 0 || base % PAGE != 0 || base > Long.MAX_VALUE - bytes) {
            throw new IOException(of + "has base 0x" + Long.toHexString(base) + " for " + bytes
                    + " bytes (expected: a page)");
        }
        return new UcxKey(theirs, conduit, owner, base, bytes, orderedPutBytes, worker, packed);
    }

    private static byte[] bytes(ByteBuffer in, String of, String what) throws IOException {
        int length = in.remaining() < Short.BYTES ? -1 : in.getShort();
        if (length <= 0 || length > in.remaining() - Integer.BYTES) {
            throw new IOException(of + "has a " + what + " of " + length + " bytes, " + in.remaining()
                    + " bytes before its end");
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    private static int checksum(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }
}
