package org.pgas4j.bench;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** JSON objects without objects or lists in them, which is what results are. */
final class FlatJson {

    private final String text;
    private int at;

    private FlatJson(String text) {
        this.text = text;
    }

    /** One line. NaN is written as null. */
    static String write(Map<String, Object> fields) {
        StringBuilder json = new StringBuilder("{");
        fields.forEach((key, value) -> {
            json.append(json.length() == 1 ? "" : ",");
            quote(json, key);
            json.append(':');
            if (value instanceof Number && !plain(value).isEmpty()) {
                json.append(plain(value));
            } else if (value == null || value instanceof Number) {
                json.append("null");
            } else {
                quote(json, value.toString());
            }
        });
        return json.append('}').toString();
    }

    /** A value without quotes; empty for null and what is no finite number. */
    static String plain(Object value) {
        if (value instanceof Double number) {
            return Double.isFinite(number) ? String.format(Locale.ROOT, "%.6f", number) : "";
        }
        return value == null ? "" : value.toString();
    }

    private static void quote(StringBuilder json, String value) {
        json.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ') {
                json.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }

    /**
     * Texts, {@link Long}, {@link Double}, {@link Boolean} and null by key, in order.
     *
     * @throws IllegalArgumentException if it is not one flat object
     */
    static Map<String, Object> parse(String text) {
        return new FlatJson(text).object();
    }

    private Map<String, Object> object() {
        Map<String, Object> fields = new LinkedHashMap<>();
        expect('{');
        if (next() == '}') {
            at++;
        } else {
            do {
                String key = string();
                expect(':');
                fields.put(key, next() == '"' ? string() : word());
            } while (separator());
        }
        if (next() != 0) {
            throw bad("end");
        }
        return fields;
    }

    private boolean separator() {
        char c = next();
        if (c != ',' && c != '}') {
            throw bad("',' or '}'");
        }
        at++;
        return c == ',';
    }

    /** The next character that is no blank; 0 at the end. */
    private char next() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return at < text.length() ? text.charAt(at) : 0;
    }

    private void expect(char c) {
        if (next() != c) {
            throw bad("'" + c + "'");
        }
        at++;
    }

    private String string() {
        expect('"');
        StringBuilder value = new StringBuilder();
        while (at < text.length() && text.charAt(at) != '"') {
            char c = text.charAt(at++);
            if (c == '\\' && at < text.length()) {
                c = text.charAt(at++);
                if (c == 'u' && at + 4 <= text.length()) {
                    c = (char) Integer.parseInt(text, at, at + 4, 16);
                    at += 4;
                } else if (c != '"' && c != '\\' && c != '/') {
                    throw bad("an escape of \", \\, / or u");
                }
            }
            value.append(c);
        }
        expect('"');
        return value.toString();
    }

    private Object word() {
        next();
        int start = at;
        while (at < text.length() && ",}".indexOf(text.charAt(at)) < 0 && !Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        String word = text.substring(start, at);
        switch (word) {
            case "null":
                return null;
            case "true", "false":
                return Boolean.valueOf(word);
            default:
                try {
                    if (word.matches("-?[0-9]+")) {
                        return Long.valueOf(word);
                    }
                    return Double.valueOf(word);
                } catch (NumberFormatException e) {
                    throw new IllegalArgumentException("no value: '" + word + "' at " + start + " of " + text, e);
                }
        }
    }

    private IllegalArgumentException bad(String expected) {
        return new IllegalArgumentException("expected " + expected + " at " + at + " of " + text);
    }
}
