package org.pgas4j.helper;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.pgas4j.PgasKey;
import org.pgas4j.UsageException;

/**
 * Settings of helper threads.
 *
 * @param mode        {@code off}, {@code on} or {@code auto}
 * @param threads     number of threads of the JVM, or of each device
 * @param perDevice   true if {@code threads} is for each device
 * @param thresholdNs time that a request waits before a helper serves a rank which is not marked busy, or any in mode
 *                    auto
 * @param waiting     {@code auto}, {@code spin}, {@code yield} or {@code park}
 * @param cpus        processors to bind the threads to, in turn; empty to bind none
 * @param crowded     true if ranks and helpers outnumber processors
 */
public record HelperOptions(String mode, int threads, boolean perDevice, long thresholdNs, String waiting, int[] cpus,
                            boolean crowded) {

    private static final Pattern CPUS = Pattern.compile("\\s*[0-9]{1,9}\\s*(,\\s*[0-9]{1,9}\\s*)*");

    /**
     * The processors of {@code pgas.helper.cpus}; none if the setting is {@code none}.
     *
     * @param allowed processors this process may run on
     * @throws UsageException if the text is no list of numbers, or names another processor
     */
    public static int[] cpus(String text, int[] allowed) {
        if (text.equals("none")) {
            return new int[0];
        }
        if (!CPUS.matcher(text).matches()) {
            throw new UsageException(PgasKey.HELPER_CPUS.property() + "='" + text
                    + "' (expected: numbers separated by commas, or none)");
        }
        int[] cpus = Arrays.stream(text.split(",")).mapToInt(cpu -> Integer.parseInt(cpu.strip())).toArray();
        for (int cpu : cpus) {
            if (Arrays.stream(allowed).noneMatch(one -> one == cpu)) {
                throw new UsageException(PgasKey.HELPER_CPUS.property() + "='" + text + "': this process may not run on"
                        + " processor " + cpu + " (expected: some of " + Arrays.toString(allowed) + ")");
            }
        }
        return cpus;
    }

    /**
     * The same in another mode.
     *
     * @throws IllegalArgumentException unless it is on or auto, which helper threads that run can have
     */
    public HelperOptions withMode(String other) {
        require(List.of("on", "auto"), "mode", other);
        return new HelperOptions(other, threads, perDevice, thresholdNs, waiting, cpus, crowded);
    }

    /**
     * The same with another threshold.
     *
     * @throws IllegalArgumentException if it is below 1
     */
    public HelperOptions withThreshold(long ns) {
        if (ns < 1) {
            throw new IllegalArgumentException("threshold of helper threads: " + ns + " ns (expected: >= 1)");
        }
        return new HelperOptions(mode, threads, perDevice, ns, waiting, cpus, crowded);
    }

    /**
     * The same with another way of waiting.
     *
     * @throws IllegalArgumentException if there is none of that name
     */
    public HelperOptions withWaiting(String other) {
        require(List.of("auto", "spin", "yield", "park"), "waiting", other);
        return new HelperOptions(mode, threads, perDevice, thresholdNs, other, cpus, crowded);
    }

    private static void require(List<String> known, String what, String value) {
        if (!known.contains(value)) {
            throw new IllegalArgumentException(what + " of helper threads: '" + value + "' (expected: one of " + known + ")");
        }
    }

    /** True if there are helper threads at all. */
    public boolean enabled() {
        return !mode.equals("off");
    }
}
