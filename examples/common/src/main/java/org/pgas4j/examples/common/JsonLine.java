package org.pgas4j.examples.common;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** One flat JSON object on one line, or a line of a table; keys in the order added. */
public final class JsonLine {

    private static final int MIN_WIDTH = 9;

    private final Map<String, Object> fields = new LinkedHashMap<>();

    /** A number or truth value as such, anything else as its text. A number JSON cannot write, NaN or infinite, becomes null. */
    public JsonLine add(String key, Object value) {
        fields.put(key, value instanceof Double number && !Double.isFinite(number) ? null : value);
        return this;
    }

    /** With so many digits after the point. */
    public JsonLine add(String key, double value, int digits) {
        return add(key, Double.isFinite(value) ? BigDecimal.valueOf(value).setScale(digits, RoundingMode.HALF_EVEN) : null);
    }

    /** All fields of another line. */
    public JsonLine addAll(JsonLine other) {
        fields.putAll(other.fields);
        return this;
    }

    @Override
    public String toString() {
        return fields.entrySet().stream().map(field -> quoted(field.getKey()) + ": " + json(field.getValue()))
                .collect(Collectors.joining(", ", "{", "}"));
    }

    /** The value of a key in a flat object as {@link #toString} writes it, without quotation marks; empty if it has none. */
    public static Optional<String> value(String line, String key) {
        Matcher matcher = Pattern.compile("\"" + Pattern.quote(key) + "\": (?:\"([^\"]*)\"|([^,\"}]+))").matcher(line);
        return matcher.find() ? Optional.of(matcher.group(1) != null ? matcher.group(1) : matcher.group(2)) : Optional.empty();
    }

    /** All fields, for a person. */
    public String describe() {
        return fields.entrySet().stream().map(field -> field.getKey() + " " + cell(field.getValue()))
                .collect(Collectors.joining(", "));
    }

    /** The keys above {@link #cells()}. */
    public String heading() {
        return fields.keySet().stream().map(key -> padded(key, key)).collect(Collectors.joining("  "));
    }

    /** The values, in columns as wide as their keys. */
    public String cells() {
        return fields.entrySet().stream().map(field -> padded(field.getKey(), cell(field.getValue())))
                .collect(Collectors.joining("  "));
    }

    private static String padded(String key, String text) {
        return " ".repeat(Math.max(0, Math.max(key.length(), MIN_WIDTH) - text.length())) + text;
    }

    private static String cell(Object value) {
        return value == null ? "-" : value instanceof Double number
                ? String.format(Locale.ROOT, number == 0 || Math.abs(number) >= 1e-2 ? "%.3f" : "%.2e", number) : value.toString();
    }

    private static String json(Object value) {
        return value instanceof BigDecimal number ? number.toPlainString()
                : value == null || value instanceof Number || value instanceof Boolean ? String.valueOf(value)
                : quoted(value.toString());
    }

    private static String quoted(String value) {
        return value.chars().mapToObj(c -> c == '"' || c == '\\' ? "\\" + (char) c
                : c < ' ' || c > '~' ? String.format(Locale.ROOT, "\\u%04x", c) : Character.toString(c))
                .collect(Collectors.joining("", "\"", "\""));
    }
}
