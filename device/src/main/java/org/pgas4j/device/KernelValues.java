package org.pgas4j.device;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.RecordLayout;

/** Arguments of kernels as programs pass them, and as streams keep them. */
public final class KernelValues {

    private static final String EXPECTED = "a Buffer on the device or of page-locked memory, a boxed primitive, or a struct as a"
            + " record or MemorySegment";

    private KernelValues() {
    }

    /** The same arguments as values that nobody changes: structs copied, records as structs. */
    static Object[] kept(Object[] args) {
        Object[] kept = args.clone();
        for (int i = 0; i < kept.length; i++) {
            if (kept[i] instanceof Record record) {
                kept[i] = RecordLayout.struct(record).asReadOnly();
            } else if (kept[i] instanceof MemorySegment struct) {
                kept[i] = copy(struct);
            }
        }
        return kept;
    }

    private static MemorySegment copy(MemorySegment struct) {
        int bytes = Math.toIntExact(struct.byteSize());
        return MemorySegment.ofArray(new long[Math.ceilDiv(bytes, Long.BYTES)]).asSlice(0, bytes).copyFrom(struct).asReadOnly();
    }

    /** Exception for an argument of a type that kernels do not take. */
    public static IllegalArgumentException refused(String kernel, int index, Object arg) {
        return new IllegalArgumentException("kernel " + kernel + ": argument " + index + " is "
                + (arg instanceof Buffer ? arg : arg == null ? "null" : arg.getClass().getName())
                + " (expected: " + EXPECTED + ")");
    }
}
