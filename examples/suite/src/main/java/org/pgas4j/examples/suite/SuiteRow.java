package org.pgas4j.examples.suite;

import java.util.Locale;
import org.pgas4j.examples.common.JsonLine;
import org.pgas4j.examples.common.ProblemClass;

/**
 * One program in one job.
 *
 * @param size      its problem
 * @param ranks     of the job
 * @param processes of the job
 * @param device    the kind that was used; - if the job failed
 * @param check     ok, wrong, or failed with the launcher's exit code
 * @param expected  the known answer; - if the job failed
 * @param found     the answer; - if the job failed
 * @param ms        time of the computation; NaN if the job failed
 * @param oneRankMs the same on one rank; NaN if that was not run
 */
record SuiteRow(String program, ProblemClass size, int ranks, int processes, String device, String check, String expected,
                String found, double ms, double oneRankMs) {

    private static final String OK = "ok";
    private static final String FORMAT = "%-16s %5s %5s %5s %6s %10s %12s  %s";

    /** From a job's end. */
    static SuiteRow of(String program, ProblemClass size, int ranks, int processes, SuiteJobs.Ended ended, double oneRankMs) {
        String line = ended.result();
        double ms = JsonLine.value(line, "ms").map(Double::parseDouble).orElse(Double.NaN);
        boolean right = JsonLine.value(line, "right").orElse("").equals("true");
        String check = line.isEmpty() || right && ended.code() != 0 ? "failed " + ended.code() : right ? OK : "wrong";
        return new SuiteRow(program, size, ranks, processes, JsonLine.value(line, "device").orElse("-"), check,
                JsonLine.value(line, "expected").orElse("-"), JsonLine.value(line, "found").orElse("-"), ms,
                ranks == 1 && processes == 1 ? ms : oneRankMs);
    }

    boolean ok() {
        return check.equals(OK);
    }

    static String heading() {
        return String.format(Locale.ROOT, FORMAT, "program", "class", "ranks", "JVMs", "device", "ms", "one rank ms", "check");
    }

    /** A line below {@link #heading()}. */
    String cells() {
        return String.format(Locale.ROOT, FORMAT, program, size, ranks, processes, device, time(ms), time(oneRankMs),
                check.equals("wrong") ? "wrong: " + found + " (expected: " + expected + ")" : check);
    }

    private static String time(double ms) {
        return Double.isNaN(ms) ? "-" : String.format(Locale.ROOT, "%.1f", ms);
    }

    /** A flat object. */
    JsonLine json() {
        return new JsonLine().add("program", program).add("class", size).add("ranks", ranks).add("processes", processes)
                .add("device", device).add("check", check).add("expected", expected).add("found", found).add("ms", ms, 3)
                .add("one_rank_ms", oneRankMs, 3);
    }
}
