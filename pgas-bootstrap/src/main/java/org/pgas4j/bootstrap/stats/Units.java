package org.pgas4j.bootstrap.stats;

import java.util.Locale;

/** Numbers as people read them, of at most three digits before the point. */
final class Units {

    private static final String[] BINARY = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    private static final String[] DECIMAL = {"", "k", "M", "G", "T", "P", "E"};

    private Units() {
    }

    /** For example {@code 1.5 MiB}. */
    static String bytes(double bytes) {
        return text(bytes, 1024, BINARY);
    }

    /** For example {@code 1.5 M}. */
    static String count(double count) {
        return text(count, 1000, DECIMAL).strip();
    }

    /** For example {@code 1.5 ms}. */
    static String time(double ns) {
        if (ns >= 1e9) {
            return rounded(ns / 1e9) + " s";
        }
        return ns >= 1e6 ? rounded(ns / 1e6) + " ms" : rounded(ns / 1e3) + " us";
    }

    /** For example {@code 97 %}. */
    static String share(double part, double whole) {
        double percent = whole == 0 ? 0 : 100 * part / whole;
        return (percent > 0 && percent < 1 ? "<1" : String.valueOf(Math.round(percent))) + " %";
    }

    private static String text(double value, int step, String[] units) {
        double scaled = value;
        int unit = 0;
        while (scaled >= step - 0.5 && unit < units.length - 1) {
            scaled /= step;
            unit++;
        }
        return (unit == 0 ? String.valueOf(Math.round(scaled)) : rounded(scaled)) + " " + units[unit];
    }

    private static String rounded(double value) {
        return value >= 9.95 ? String.valueOf(Math.round(value))
                : String.format(Locale.ROOT, "%.1f", value).replace(".0", "");
    }
}
