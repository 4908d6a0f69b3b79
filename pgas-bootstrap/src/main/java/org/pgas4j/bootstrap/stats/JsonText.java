package org.pgas4j.bootstrap.stats;

/** Strings as JSON (RFC 8259, section 7), for lines that are written without a library. Any thread. */
public final class JsonText {

    private JsonText() {
    }

    /** The text between quotes, with escapes for quotes, backslashes and control characters. */
    public static String quoted(String text) {
        StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ') {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
