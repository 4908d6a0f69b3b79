package org.pgas4j.kernels;

/**
 * A line that threads of a kernel print.
 *
 * @param format of it
 * @param types  a letter for each value: I of an int, J of a long, D of a real, whose bits are those of a double
 */
record KernelLine(String format, String types) {

    /** The text. @param bits of the values */
    String text(long[] bits) {
        Object[] values = new Object[types.length()];
        for (int i = 0; i < values.length; i++) {
            values[i] = switch (types.charAt(i)) {
                case 'I' -> (int) bits[i];
                case 'J' -> bits[i];
                default -> Double.longBitsToDouble(bits[i]);
            };
        }
        return LineFormat.format(format, values);
    }
}
