package org.pgas4j.examples.common;

import java.util.Locale;

/** Builds one JSON object on one line; keys in the order added. */
public final class JsonLine {

    private final StringBuilder text = new StringBuilder("{");

    public JsonLine add(String key, long value) {
        return raw(key, Long.toString(value));
    }

    /** A number JSON cannot write, NaN or infinite, becomes null. */
    public JsonLine add(String key, double value) {
        return raw(key, Double.isFinite(value) ? Double.toString(value) : "null");
    }

    /** As {@link #add(String, double)}, with so many digits after the point. */
    public JsonLine add(String key, double value, int digits) {
        return raw(key, Double.isFinite(value) ? String.format(Locale.ROOT, "%." + digits + "f", value) : "null");
    }

    public JsonLine add(String key, boolean value) {
        return raw(key, Boolean.toString(value));
    }

    public JsonLine add(String key, String value) {
        return raw(key, quoted(value));
    }

    /** What the constant's {@code toString} says. */
    public JsonLine add(String key, Enum<?> value) {
        return add(key, value.toString());
    }

    private JsonLine raw(String key, String value) {
        text.append(text.length() == 1 ? "" : ", ").append(quoted(key)).append(": ").append(value);
        return this;
    }

    private static String quoted(String value) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : value.toCharArray()) {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    @Override
    public String toString() {
        return text + "}";
    }
}
