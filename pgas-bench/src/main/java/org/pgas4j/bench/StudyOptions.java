package org.pgas4j.bench;

import java.util.List;

/**
 * What a study is asked for.
 *
 * @param quick   a few sizes, short times
 * @param sizes   bytes per transfer; null for the study's own
 * @param helper  how helper threads are set, for the rows; null if it does not matter
 * @param setting what is set for this launch, for the rows; null if nothing is
 * @param part    which part of the study; null for its only one
 */
record StudyOptions(boolean quick, List<Long> sizes, String helper, String setting, String part) {

    private static final long QUICK_NS = 25_000_000L;
    private static final long FULL_NS = 300_000_000L;
    private static final int QUICK_ROUNDS = 10;
    private static final int FULL_ROUNDS = 15;

    /** Time for one line at one size, without warming up. */
    long measureNs() {
        return quick ? QUICK_NS : FULL_NS;
    }

    /** How often the lines take turns. */
    int rounds() {
        return quick ? QUICK_ROUNDS : FULL_ROUNDS;
    }

    /** What all rows of a launch have. */
    Row label(Row row, String style) {
        return row.with(Row.STYLE, style).with(Row.HELPER, helper).with(Row.SETTING, setting);
    }
}
