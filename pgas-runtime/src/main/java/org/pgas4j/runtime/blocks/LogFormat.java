package org.pgas4j.runtime.blocks;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import org.pgas4j.kernels.LineFormat;

/** Lines of blocks as the log has them: a text and the bits of up to 8 values, whose types are in a word. */
final class LogFormat {

    static final int INT = 1;
    static final int LONG = 2;
    static final int DOUBLE = 3;

    /** Number of values in the word of types; {@link #PLAIN} beside it if the text is no format. */
    static final int COUNT_MASK = 0xf;
    static final int PLAIN = 0x80;
    /** Bits of a value's type in the word of types, from bit 8 on. */
    static final int TYPE_BITS = 4;
    static final int FIRST_TYPE = 8;
    private static final int TYPE_MASK = (1 << TYPE_BITS) - 1;

    private LogFormat() {
    }

    /** Text of a line; one that may be cut ends before a character that is not whole. */
    static String decode(byte[] bytes, boolean isCut) {
        CharBuffer text = CharBuffer.allocate(bytes.length);
        StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPLACE)
                .onUnmappableCharacter(CodingErrorAction.REPLACE).decode(ByteBuffer.wrap(bytes), text, !isCut);
        return text.flip().toString();
    }

    /**
     * The line that {@code pgas_printf} or {@code pgas_log} means ({@link LineFormat}).
     *
     * @param types  number of values, then their types; or that there is a double to print behind the text
     * @param values bits of each
     */
    static String format(String text, long types, long[] values) {
        if ((types & PLAIN) != 0) {
            return text + " " + Double.longBitsToDouble(values[0]);
        }
        Object[] numbers = new Object[(int) Math.min(types & COUNT_MASK, values.length)];
        for (int i = 0; i < numbers.length; i++) {
            int type = (int) (types >>> FIRST_TYPE + TYPE_BITS * i) & TYPE_MASK;
            numbers[i] = switch (type) {
                case INT -> (int) values[i];
                case DOUBLE -> Double.longBitsToDouble(values[i]);
                default -> values[i];
            };
        }
        return LineFormat.format(text, numbers);
    }
}
