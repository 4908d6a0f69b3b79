package org.pgas4j.kernels;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Lines of kernels and blocks: the conversions d, i, u, x, X, o, c, f, F, e, E, g, G, p and % of C's printf, with the flags -, + and 0,
 * width and precision. Lengths ({@code ll}) are ignored, since each value brings its type. A value that does not fit its conversion is
 * printed as what it is, and a conversion without a value as it is written: a log must not fail.
 */
public final class LineFormat {

    /** A conversion: its flags, width, precision with its point, and letter; none of them of a percent sign. */
    static final Pattern CONVERSION = Pattern.compile("%(?:%|([-+ 0#]*)(\\d{0,3})(\\.\\d{1,2})?(?:hh|h|ll|l|z|j)?"
            + "([diuxXocfFeEgGp]))");

    private static final String REALS = "fFeEgG";

    private LineFormat() {
    }

    /**
     * A line.
     *
     * @param values {@link Integer}, {@link Long} and {@link Double}
     */
    public static String format(String text, Object... values) {
        Matcher matcher = CONVERSION.matcher(text);
        StringBuilder line = new StringBuilder();
        int next = 0;
        while (matcher.find()) {
            String converted = matcher.group().equals("%%") ? "%" : next < values.length ? convert(matcher, values[next++]) : matcher.group();
            matcher.appendReplacement(line, Matcher.quoteReplacement(converted));
        }
        return matcher.appendTail(line).toString();
    }

    /**
     * A value as lines have it: an {@link Integer}, {@link Long} or {@link Double}.
     *
     * @throws IllegalArgumentException if it is no number
     */
    public static Object number(Object value) {
        return switch (value) {
            case Byte small -> (int) small;
            case Short small -> (int) small;
            case Integer _, Long _, Double _ -> value;
            case Float real -> (double) real;
            case null, default -> throw new IllegalArgumentException("printf of " + value + " (expected: a number)");
        };
    }

    /** True for the letter of a conversion of reals. */
    static boolean isReal(char conversion) {
        return REALS.indexOf(conversion) >= 0;
    }

    private static String convert(Matcher matcher, Object value) {
        char conversion = matcher.group(4).charAt(0);
        if (value instanceof Double real) {
            boolean isPlain = !isReal(conversion) || conversion == 'g' && matcher.group(3) == null;
            return isPlain ? padded(matcher, Double.toString(real)) : real(matcher, conversion, real);
        }
        long integer = value instanceof Integer of && "uxXo".indexOf(conversion) >= 0 ? of & 0xffffffffL : ((Number) value).longValue();
        return padded(matcher, switch (conversion) {
            case 'u' -> Long.toUnsignedString(integer);
            case 'x' -> Long.toHexString(integer);
            case 'X' -> Long.toHexString(integer).toUpperCase(Locale.ROOT);
            case 'o' -> Long.toOctalString(integer);
            case 'p' -> "0x" + Long.toHexString(integer);
            case 'c' -> String.valueOf((char) (integer & 0xff));
            default -> (integer >= 0 && matcher.group(1).contains("+") ? "+" : "") + integer;
        });
    }

    private static String real(Matcher matcher, char conversion, double value) {
        boolean isNegative = !Double.isNaN(value) && Double.doubleToRawLongBits(value) < 0;
        String sign = isNegative ? "-" : matcher.group(1).contains("+") ? "+" : "";
        String digits = digits(matcher, Character.toLowerCase(conversion), Math.abs(value));
        String text = sign + (Character.isUpperCase(conversion) ? digits.toUpperCase(Locale.ROOT) : digits);
        return Double.isFinite(value) ? padded(matcher, text) : padded(matcher, text, false);
    }

    /** Of the exact number, to the even neighbour where two are as near, as C rounds. */
    private static String digits(Matcher matcher, char conversion, double value) {
        int precision = matcher.group(3) == null ? 6 : Integer.parseInt(matcher.group(3).substring(1));
        if (!Double.isFinite(value)) {
            return Double.isNaN(value) ? "nan" : "inf";
        }
        return switch (conversion) {
            case 'f' -> new BigDecimal(value).setScale(precision, RoundingMode.HALF_EVEN).toPlainString();
            case 'e' -> scientific(value, precision);
            default -> String.format(Locale.ROOT, "%." + precision + "g", value);
        };
    }

    private static String scientific(double value, int precision) {
        BigDecimal rounded = new BigDecimal(value).round(new MathContext(precision + 1, RoundingMode.HALF_EVEN));
        String digits = rounded.unscaledValue().toString();
        int exponent = value == 0 ? 0 : digits.length() - 1 - rounded.scale();
        String all = (value == 0 ? "0" : digits) + "0".repeat(precision);
        String fraction = precision == 0 ? "" : "." + all.substring(1, precision + 1);
        return all.charAt(0) + fraction + String.format(Locale.ROOT, "e%c%02d", exponent < 0 ? '-' : '+', Math.abs(exponent));
    }

    private static String padded(Matcher matcher, String text) {
        return padded(matcher, text, matcher.group(1).contains("0"));
    }

    private static String padded(Matcher matcher, String text, boolean byZeros) {
        int width = matcher.group(2).isEmpty() ? 0 : Integer.parseInt(matcher.group(2));
        int missing = width - text.length();
        if (missing <= 0) {
            return text;
        }
        if (matcher.group(1).contains("-")) {
            return text + " ".repeat(missing);
        }
        if (!byZeros) {
            return " ".repeat(missing) + text;
        }
        boolean isSigned = text.startsWith("-") || text.startsWith("+");
        return isSigned ? text.charAt(0) + "0".repeat(missing) + text.substring(1) : "0".repeat(missing) + text;
    }
}
