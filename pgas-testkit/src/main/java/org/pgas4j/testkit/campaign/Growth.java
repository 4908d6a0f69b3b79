package org.pgas4j.testkit.campaign;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.pgas4j.PgasException;

/**
 * Decides whether the resources of a process grow: readings in order of time, those before it settled left out. Threads, open
 * files and mapped ranges come and go as the JVM likes, so the least of the last tenth is compared with the most of the first
 * half. Private memory has peaks, while the JVM compiles: of each tenth the least counts, and the slope is the median of the
 * slopes between all pairs of these (Theil and Sen). Used by one thread.
 */
final class Growth {

    /** Readings after it settled that it takes to judge. */
    static final int MIN_READINGS = 4;

    private static final int PARTS = 10;
    private static final double MIB = 1 << 20;
    private static final double NS_PER_MINUTE = 60e9;
    private static final double MINUTES_PER_HOUR = 60;
    private static final double MIB_PER_HOUR = 1;

    private record Reading(long timeNs, Resources resources) {

        double minutes() {
            return timeNs / NS_PER_MINUTE;
        }
    }

    private final List<Reading> all = new ArrayList<>();
    private final long settledNs;
    private final double slackMib;

    /**
     * @param settledNs readings before that time do not count
     * @param slackMib  private memory may grow by this much, and 1 MiB an hour
     */
    Growth(long settledNs, double slackMib) {
        this.settledNs = settledNs;
        this.slackMib = slackMib;
    }

    /**
     * Adds a reading.
     *
     * @param timeNs since the start; more than the last reading's
     */
    void add(long timeNs, Resources resources) {
        all.add(new Reading(timeNs, resources));
    }

    /** All after it settled. */
    private List<Reading> settled() {
        List<Reading> settled = all.stream().filter(reading -> reading.timeNs() >= settledNs).toList();
        if (settled.size() < MIN_READINGS) {
            throw new PgasException(String.format(Locale.ROOT, "%d readings after %.2f min, of %d (expected: %d or more); "
                    + "give it more time, or make rounds shorter", settled.size(), settledNs / NS_PER_MINUTE, all.size(),
                    MIN_READINGS));
        }
        return settled;
    }

    /** The slope of private memory after it settled, in MiB an hour. */
    double slope() {
        return slope(settled(), Resources::privateBytes);
    }

    private static List<Reading> part(List<Reading> settled, int part, int parts) {
        return settled.subList(part * settled.size() / parts, (part + 1) * settled.size() / parts);
    }

    /** Tenths, or single readings if there are fewer than ten. */
    private static int parts(List<Reading> settled) {
        return Math.min(PARTS, settled.size());
    }

    /** In MiB an hour. */
    private static double slope(List<Reading> settled, ToLongFunction<Resources> bytes) {
        List<Reading> least = new ArrayList<>();
        int parts = parts(settled);
        for (int i = 0; i < parts; i++) {
            least.add(part(settled, i, parts).stream()
                    .min(Comparator.comparingLong(reading -> bytes.applyAsLong(reading.resources()))).orElseThrow());
        }
        List<Double> slopes = new ArrayList<>();
        for (int i = 0; i < parts; i++) {
            for (int j = i + 1; j < parts; j++) {
                Reading from = least.get(i);
                Reading to = least.get(j);
                slopes.add((bytes.applyAsLong(to.resources()) - bytes.applyAsLong(from.resources())) / MIB
                        / (to.minutes() - from.minutes()) * MINUTES_PER_HOUR);
            }
        }
        slopes.sort(null);
        return slopes.get(slopes.size() / 2);
    }

    /** Resources that grow, each with its values; empty if none does. */
    List<String> found() {
        List<Reading> settled = settled();
        List<String> found = new ArrayList<>();
        more(settled, "threads", Resources::threads, found);
        more(settled, "files", Resources::files, found);
        more(settled, "maps", Resources::maps, found);
        double hours = hours(settled);
        double grown = slope(settled, Resources::privateBytes) * hours;
        double most = slackMib + MIB_PER_HOUR * hours;
        if (grown > most) {
            found.add(String.format(Locale.ROOT, "memory grows by %.1f MiB in %.2f min (expected: %.1f at most)", grown,
                    hours * MINUTES_PER_HOUR, most));
        }
        return found;
    }

    private static double hours(List<Reading> readings) {
        return (readings.getLast().minutes() - readings.getFirst().minutes()) / MINUTES_PER_HOUR;
    }

    private static void more(List<Reading> settled, String what, ToIntFunction<Resources> count, List<String> found) {
        int parts = parts(settled);
        int most = counts(settled.subList(0, settled.size() / 2), count).max().orElseThrow();
        int end = counts(part(settled, parts - 1, parts), count).min().orElseThrow();
        if (end > most) {
            found.add(what + " grow: " + end + " at the end (expected: " + most + " at most)");
        }
    }

    private static IntStream counts(List<Reading> readings, ToIntFunction<Resources> count) {
        return readings.stream().mapToInt(reading -> count.applyAsInt(reading.resources()));
    }

    /** Readings at the start, after it settled and at the end, and the slopes. */
    @Override
    public String toString() {
        List<Reading> settled = settled();
        Reading first = settled.getFirst();
        return String.format(Locale.ROOT, "after %.2f min: %s; settled after %.2f: %s; at the end: %s; private %+.2f MiB/h and "
                        + "code %+.2f MiB/h over the last %.2f min", all.getFirst().minutes(), all.getFirst().resources(),
                first.minutes(), first.resources(), all.getLast().resources(), slope(settled, Resources::privateBytes),
                slope(settled, Resources::codeBytes), hours(settled) * MINUTES_PER_HOUR);
    }
}
