package org.pgas4j.helper;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
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
 * @param places      processors that one thread after the other may run on, in turn; empty to bind none
 * @param crowded     true if ranks and helpers outnumber processors
 */
public record HelperOptions(String mode, int threads, boolean perDevice, long thresholdNs, String waiting, List<int[]> places,
                            boolean crowded) {

    private static final Pattern CPUS = Pattern.compile("\\s*[0-9]{1,9}\\s*(,\\s*[0-9]{1,9}\\s*)*");

    /**
     * Places by {@code pgas.helper.cpus}. If that is {@code none}, helpers keep off the processors to which ranks are bound: a helper
     * that looks around on one while its rank sleeps is not moved from there, and holds up the rank for a slice of time.
     *
     * @param allowed processors this process may run on
     * @param taken   number of them, from the first, to which ranks are bound
     * @param first   number of the first thread of this JVM among those of the machine
     * @throws UsageException if the text is no list of numbers, or names another processor
     */
    public static List<int[]> places(String text, int[] allowed, int taken, int first) {
        if (text.equals("none")) {
            return taken == 0 || taken >= allowed.length ? List.of()
                    : List.of(Arrays.copyOfRange(allowed, taken, allowed.length));
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
        return IntStream.range(0, cpus.length).mapToObj(i -> new int[] {cpus[(first + i) % cpus.length]}).toList();
    }

    /** Processors that a thread may run on; empty for all. */
    public int[] place(int thread) {
        return places.isEmpty() ? new int[0] : places.get(thread % places.size());
    }

    /**
     * The same in another mode.
     *
     * @throws IllegalArgumentException unless it is on or auto, which helper threads that run can have
     */
    public HelperOptions withMode(String other) {
        require(List.of("on", "auto"), "mode", other);
        return new HelperOptions(other, threads, perDevice, thresholdNs, waiting, places, crowded);
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
        return new HelperOptions(mode, threads, perDevice, ns, waiting, places, crowded);
    }

    /**
     * The same with another way of waiting.
     *
     * @throws IllegalArgumentException if there is none of that name
     */
    public HelperOptions withWaiting(String other) {
        require(List.of("auto", "spin", "yield", "park"), "waiting", other);
        return new HelperOptions(mode, threads, perDevice, thresholdNs, other, places, crowded);
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
