package org.pgas4j.runtime.blocks;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Formats a line that a block wrote with {@code pgas_printf}: the conversions d, i, u, x, X, o, c, f, F, e, E, g, G, p and % of C's
 * printf, with flags, width and precision. Lengths ({@code ll}) are ignored, since each value brings its type. A value that does
 * not fit its conversion is printed as what it is, and a conversion without a value as it is written: a log must not fail.
 */
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

    private static final Pattern CONVERSION = Pattern.compile("%(?:%|([-+ 0#]*)(\\d{0,3})(\\.\\d{1,2})?(?:hh|h|ll|l|z|j)?"
            + "([diuxXocfFeEgGp]))");

    private final long types;
    private final long[] values;
    private int next;

    private LogFormat(long types, long[] values) {
        this.types = types;
        this.values = values;
    }

    /** Text of a line; one that may be cut ends before a character that is not whole. */
    static String decode(byte[] bytes, boolean isCut) {
        CharBuffer text = CharBuffer.allocate(bytes.length);
        StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPLACE)
                .onUnmappableCharacter(CodingErrorAction.REPLACE).decode(ByteBuffer.wrap(bytes), text, !isCut);
        return text.flip().toString();
    }

    /**
     * @param types  number of values, then their types; or that there is a double to print behind the text
     * @param values bits of each
     */
    static String format(String text, long types, long[] values) {
        if ((types & PLAIN) != 0) {
            return text + " " + Double.longBitsToDouble(values[0]);
        }
        LogFormat format = new LogFormat(types, values);
        Matcher matcher = CONVERSION.matcher(text);
        StringBuilder line = new StringBuilder();
        while (matcher.find()) {
            matcher.appendReplacement(line, Matcher.quoteReplacement(format.convert(matcher)));
        }
        return matcher.appendTail(line).toString();
    }

    private String convert(Matcher matcher) {
        if (matcher.group().equals("%%")) {
            return "%";
        }
        if (next >= values.length || next >= (types & COUNT_MASK)) {
            return matcher.group();
        }
        int type = (int) (types >>> FIRST_TYPE + TYPE_BITS * next) & TYPE_MASK;
        return convert(matcher, type, values[next++]);
    }

    private static String convert(Matcher matcher, int type, long bits) {
        char conversion = matcher.group(4).charAt(0);
        boolean isReal = "fFeEgG".indexOf(conversion) >= 0;
        if (type == DOUBLE) {
            double value = Double.longBitsToDouble(bits);
            boolean isPlain = !isReal || conversion == 'g' && matcher.group(3) == null;
            return isPlain ? padded(matcher, Double.toString(value)) : real(matcher, conversion, value);
        }
        long value = type == INT && "uxXo".indexOf(conversion) >= 0 ? bits & 0xffffffffL : bits;
        return padded(matcher, switch (conversion) {
            case 'u' -> Long.toUnsignedString(value);
            case 'x' -> Long.toHexString(value);
            case 'X' -> Long.toHexString(value).toUpperCase(Locale.ROOT);
            case 'o' -> Long.toOctalString(value);
            case 'p' -> "0x" + Long.toHexString(value);
            case 'c' -> String.valueOf((char) (value & 0xff));
            default -> (value >= 0 && matcher.group(1).contains("+") ? "+" : "") + value;
        });
    }

    private static String real(Matcher matcher, char conversion, double value) {
        String precision = matcher.group(3) == null ? "" : matcher.group(3);
        String java = "%" + precision + (conversion == 'F' ? 'f' : conversion);
        String sign = matcher.group(1).contains("+") && !(value < 0) ? "+" : "";
        return padded(matcher, sign + String.format(Locale.ROOT, java, value));
    }

    private static String padded(Matcher matcher, String text) {
        int width = matcher.group(2).isEmpty() ? 0 : Integer.parseInt(matcher.group(2));
        int missing = width - text.length();
        if (missing <= 0) {
            return text;
        }
        if (matcher.group(1).contains("-")) {
            return text + " ".repeat(missing);
        }
        if (!matcher.group(1).contains("0")) {
            return " ".repeat(missing) + text;
        }
        boolean isSigned = text.startsWith("-") || text.startsWith("+");
        return isSigned ? text.charAt(0) + "0".repeat(missing) + text.substring(1) : "0".repeat(missing) + text;
    }
}
