package org.pgas4j.collective.forms;

import java.util.Arrays;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import org.pgas4j.StreamForm;

/**
 * Sizes up to which operations on streams take a form: packets first, then those in two shots, then the direct form, then copies.
 * Sizes are the bytes that one member has for one other, and of an allReduce those of the vector. Immutable.
 */
public final class FormTable {

    /** Forms that a table has a size for, in the order of their sizes; COPIES take what is above. */
    public static final List<StreamForm> FORMS = List.of(StreamForm.PACKETS, StreamForm.PACKETS_TWO_SHOT, StreamForm.DIRECT);

    /** Numbers of a table. */
    public static final int SIZES = FORMS.size() * StreamCall.values().length;

    private static final long PACKETS_OF_TWO = 512 << 10;
    private static final long PACKETS_OF_MORE = 256 << 10;
    private static final long TWO_SHOTS = 512 << 10;

    private final long[] limits; // of each operation one for each of the forms
    private final String origin;

    /**
     * Makes a table.
     *
     * @param limits of each {@link StreamCall} in order the greatest size for each of {@link #FORMS}
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
     * Sizes for GPUs that nobody has measured: about those of two and of four H100s over NVLink. Packets of an allReduce carry the
     * whole vector to each member, so that they end earlier with more members.
     */
    public static FormTable builtIn(int members) {
        long[] limits = new long[SIZES];
        for (StreamCall call : StreamCall.values()) {
            boolean inTwo = members > 2 && call == StreamCall.ALL_REDUCE;
            int at = FORMS.size() * call.ordinal();
            limits[at] = members <= 2 ? PACKETS_OF_TWO : inTwo ? PACKETS_OF_MORE / members : PACKETS_OF_MORE;
            limits[at + 1] = inTwo ? TWO_SHOTS : limits[at];
            limits[at + 2] = Long.MAX_VALUE;
        }
        return new FormTable(limits, "built-in sizes");
    }

    /**
     * The table of measured times: a form is taken up to the last size before another one is faster.
     *
     * @param sizes ascending
     * @param times of each {@link StreamCall}, of each of {@link #FORMS} and COPIES, of each size; infinite where there is none
     */
    public static FormTable measured(long[] sizes, double[][][] times) {
        long[] limits = new long[SIZES];
        for (int call = 0; call < times.length; call++) {
            double[][] forms = times[call];
            long before = 0;
            for (int form = 0; form < FORMS.size(); form++) {
                int next = form + 1;
                before = Math.max(before, last(sizes, before, forms[form],
                        at -> Arrays.stream(forms, next, forms.length).mapToDouble(each -> each[at]).min().orElseThrow()));
                limits[FORMS.size() * call + form] = before;
            }
        }
        return new FormTable(limits, "measured");
    }

    /**
     * The last size up to which times are not above others, of those above {@code before}, which another form has: no limit if
     * that is the last of all, 0 if none. Packets and the direct form differ by a step of a few sizes that noise may make twice,
     * so that one size that is above by less than a tenth is none.
     */
    private static long last(long[] sizes, long before, double[] times, IntToDoubleFunction others) {
        long last = 0;
        int first = 0;
        while (first < sizes.length && sizes[first] <= before) {
            first++;
        }
        for (int i = first; i < sizes.length && times[i] <= 1.1 * others.applyAsDouble(i); i++) {
            if (times[i] <= others.applyAsDouble(i)) {
                last = i == sizes.length - 1 ? Long.MAX_VALUE : sizes[i];
            }
        }
        return last;
    }

    /** The form for some bytes. */
    public StreamForm form(StreamCall call, long bytes) {
        for (int form = 0; form < FORMS.size(); form++) {
            if (bytes <= limits[FORMS.size() * call.ordinal() + form]) {
                return FORMS.get(form);
            }
        }
        return StreamForm.COPIES;
    }

    /** The sizes, as the constructor takes them. */
    public long[] limits() {
        return limits.clone();
    }

    /** A line for each operation. */
    public String describe() {
        StringBuilder text = new StringBuilder("forms by size (" + origin + "):");
        for (StreamCall call : StreamCall.values()) {
            text.append(System.lineSeparator()).append("  ").append(call.text()).append(':');
            long before = -1;
            String between = " ";
            for (int form = 0; form < FORMS.size(); form++) {
                long limit = limits[FORMS.size() * call.ordinal() + form];
                if (limit > before || FORMS.get(form) != StreamForm.PACKETS_TWO_SHOT) {
                    text.append(between).append(FORMS.get(form)).append(upTo(limit));
                    between = ", ";
                }
                before = limit;
            }
            if (before != Long.MAX_VALUE) {
                text.append(", then COPIES");
            }
        }
        return text.toString();
    }

    private static String upTo(long bytes) {
        return bytes == Long.MAX_VALUE ? "" : " up to " + bytes + " bytes";
    }
}
