package org.pgas4j.examples.common;

import org.pgas4j.UsageException;

/** Checks options; a value out of range throws {@link UsageException} with option, value and range. */
public final class OptionCheck {

    private OptionCheck() {
    }

    public static void atLeast(long min, String option, long value) {
        if (value < min) {
            throw new UsageException(option + " " + value + " (expected: >= " + min + ")");
        }
    }

    /** Both ends included. */
    public static void inRange(String option, long value, long min, long max) {
        if (value < min || value > max) {
            throw new UsageException(option + " " + value + " (expected: " + min + ".." + max + ")");
        }
    }
}
