package org.pgas4j.collective.forms;

import java.util.Arrays;
import java.util.function.IntToDoubleFunction;
import org.pgas4j.StreamForm;

/**
 * Sizes up to which operations on streams take a form: packets first, then the direct form, then copies. Sizes are the bytes that
 * one member has for one other, and of an allReduce those of the vector. Immutable.
 */
public final class FormTable {

    /** Numbers of a table. */
    public static final int SIZES = 2 * StreamCall.values().length;

    private static final long PACKETS_OF_TWO = 256 << 10;
    private static final long DIRECT_MOVE = 8 << 20;

    private final long[] limits; // of each operation: for packets, for the direct form
    private final String origin;

    /**
     * Makes a table.
     *
     * @param limits of each {@link StreamCall} in order the greatest size for packets and that for the direct form
     * @param origin of the sizes, for {@link #describe}
     * @throws IllegalArgumentException if a size is negative, or their number is not {@link #SIZES}
     */
    public FormTable(long[] limits, String origin) {
        if (limits.length != SIZES || Arrays.stream(limits).anyMatch(size -> size < 0)) {
            throw new IllegalArgumentException("sizes of forms: " + Arrays.toString(limits) + " (expected: " + SIZES
                    + " sizes >= 0)");
        }
        this.limits = limits.clone();
        this.origin = origin;
    }

    /**
     * Sizes for GPUs that nobody has measured: those of two H200s over NVLink. Packets cost twice their bytes to each member,
     * so that they end earlier with more members.
     */
    public static FormTable builtIn(int members) {
        long packets = PACKETS_OF_TWO / Math.max(1, members - 1);
        long[] limits = new long[SIZES];
        for (StreamCall call : StreamCall.values()) {
            boolean combines = call == StreamCall.ALL_REDUCE || call == StreamCall.REDUCE_SCATTER;
            limits[2 * call.ordinal()] = call == StreamCall.BROADCAST ? packets / 2 : packets;
            limits[2 * call.ordinal() + 1] = combines ? Long.MAX_VALUE : DIRECT_MOVE;
        }
        return new FormTable(limits, "built-in sizes");
    }

    /**
     * The table of measured times: a form is taken up to the last size before another one is faster.
     *
     * @param sizes ascending
     * @param times of each {@link StreamCall}, of each of PACKETS, DIRECT and COPIES, of each size; infinite where there is none
     */
    public static FormTable measured(long[] sizes, double[][][] times) {
        long[] limits = new long[SIZES];
        for (int call = 0; call < times.length; call++) {
            double[][] forms = times[call];
            limits[2 * call] = last(sizes, forms[0], at -> Math.min(forms[1][at], forms[2][at]));
            limits[2 * call + 1] = Math.max(limits[2 * call], last(sizes, forms[1], at -> forms[2][at]));
        }
        return new FormTable(limits, "measured");
    }

    /**
     * The last size up to which times are not above others: no limit if that is the last of all, 0 if none. Packets and the
     * direct form differ by a step of a few sizes that noise may make twice, so that one size that is above by less than a
     * tenth is none.
     */
    private static long last(long[] sizes, double[] times, IntToDoubleFunction others) {
        long last = 0;
        for (int i = 0; i < sizes.length && times[i] <= 1.1 * others.applyAsDouble(i); i++) {
            if (times[i] <= others.applyAsDouble(i)) {
                last = i == sizes.length - 1 ? Long.MAX_VALUE : sizes[i];
            }
        }
        return last;
    }

    /** The form for some bytes. */
    public StreamForm form(StreamCall call, long bytes) {
        return bytes <= limits[2 * call.ordinal()] ? StreamForm.PACKETS
                : bytes <= limits[2 * call.ordinal() + 1] ? StreamForm.DIRECT : StreamForm.COPIES;
    }

    /** The sizes, as the constructor takes them. */
    public long[] limits() {
        return limits.clone();
    }

    /** A line for each operation. */
    public String describe() {
        StringBuilder text = new StringBuilder("forms by size (" + origin + "):");
        for (StreamCall call : StreamCall.values()) {
            text.append(System.lineSeparator()).append("  ").append(call.text()).append(": PACKETS")
                    .append(upTo(limits[2 * call.ordinal()])).append(", DIRECT").append(upTo(limits[2 * call.ordinal() + 1]));
            if (limits[2 * call.ordinal() + 1] != Long.MAX_VALUE) {
                text.append(", then COPIES");
            }
        }
        return text.toString();
    }

    private static String upTo(long bytes) {
        return bytes == Long.MAX_VALUE ? "" : " up to " + bytes + " bytes";
    }
}
