package org.pgas4j.bench.study;

import java.util.List;
import org.pgas4j.bench.result.Row;

/**
 * Options of a study.
 *
 * @param quick   a few sizes, short times
 * @param sizes   bytes per transfer; null for the study's own
 * @param helper  how helper threads are set, for the rows; null if it does not matter
 * @param setting what is set for this launch, for the rows; null if nothing is
 * @param part    which part of the study; null for its only one
 * @param measuring how much is measured
 */
public record StudyOptions(boolean quick, List<Long> sizes, String helper, String setting, String part, Measuring measuring) {

    private static final long QUICK_NS = 25_000_000L;
    private static final long FULL_NS = 300_000_000L;
    private static final int QUICK_ROUNDS = 10;
    private static final int FULL_ROUNDS = 15;

    /** Options of a study that chooses how much it measures. */
    public StudyOptions(boolean quick, List<Long> sizes, String helper, String setting, String part) {
        this(quick, sizes, helper, setting, part, Measuring.DEFAULT);
    }

    /** Time for one line at one size, without warming up. */
    public long measureNs() {
        return quick ? QUICK_NS : FULL_NS;
    }

    /** Number of turns of each line. */
    public int rounds() {
        return quick ? QUICK_ROUNDS : FULL_ROUNDS;
    }

    /** Adds the fields that all rows of a launch have. */
    public Row label(Row row, String style) {
        return row.with(Row.STYLE, style).with(Row.HELPER, helper).with(Row.SETTING, setting);
    }
}
