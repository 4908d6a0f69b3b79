package org.pgas4j.space.transfer;

import java.util.Locale;
import org.pgas4j.MemoryKind;

/**
 * From which size on a transfer by messages goes by rendezvous: one number for each direction and pair of kinds.
 *
 * @param bytes  by direction (put, get), own kind, remote kind: {@link #index}
 * @param origin where they come from, for people
 */
public record Thresholds(long[] bytes, String origin) {

    /** Number of thresholds. */
    public static final int COUNT = 8;

    /** One number for all. */
    public static Thresholds same(long bytes, String origin) {
        long[] all = new long[COUNT];
        java.util.Arrays.fill(all, bytes);
        return new Thresholds(all, origin);
    }

    /** Place of a threshold. */
    public static int index(boolean put, MemoryKind own, MemoryKind remote) {
        return (put ? 0 : 4) + own.ordinal() * 2 + remote.ordinal();
    }

    /** The threshold of one direction and pair of kinds. */
    public long of(boolean put, MemoryKind own, MemoryKind remote) {
        return bytes[index(put, own, remote)];
    }

    /** Name of a threshold in a profile. */
    public static String name(int index) {
        return (index < 4 ? "put" : "get") + "." + MemoryKind.values()[index / 2 % 2].name().toLowerCase(Locale.ROOT) + "."
                + MemoryKind.values()[index % 2].name().toLowerCase(Locale.ROOT);
    }
}
