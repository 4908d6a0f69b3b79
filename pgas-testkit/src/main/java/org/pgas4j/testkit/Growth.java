package org.pgas4j.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.function.ToIntFunction;
import org.pgas4j.PgasException;

/**
 * Whether what a process holds grows: readings in order of time, those before it settled left out. Threads, open files and
 * mapped ranges come and go as the JVM likes, so the last reading is compared with the most of the first half; through
 * private memory goes a line, whose slope counts. Used by one thread.
 */
final class Growth {

    private static final int LEAST_READINGS = 4;
    private static final double MIB = 1 << 20;
    private static final double NS_PER_MINUTE = 60e9;
    private static final double MINUTES_PER_HOUR = 60;
    private static final double MIB_PER_HOUR = 1;

    private record Reading(long timeNs, Resources resources) {

        double minutes() {
            return timeNs / NS_PER_MINUTE;
        }

        double privateMib() {
            return resources.privateBytes() / MIB;
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
        if (settled.size() < LEAST_READINGS) {
            throw new PgasException(String.format(Locale.ROOT, "%d readings after %.2f min, of %d (expected: %d or more); "
                    + "give it more time, or make rounds shorter", settled.size(), settledNs / NS_PER_MINUTE, all.size(),
                    LEAST_READINGS));
        }
        return settled;
    }

    /** The slope of private memory after it settled, in MiB an hour. */
    double slope() {
        return slope(settled());
    }

    /** Of a line of least squares. */
    private static double slope(List<Reading> readings) {
        double meanTime = readings.stream().mapToDouble(Reading::minutes).average().orElseThrow();
        double meanMib = readings.stream().mapToDouble(Reading::privateMib).average().orElseThrow();
        double both = 0;
        double spread = 0;
        for (Reading reading : readings) {
            double minutes = reading.minutes() - meanTime;
            both += minutes * (reading.privateMib() - meanMib);
            spread += minutes * minutes;
        }
        return both / spread * MINUTES_PER_HOUR;
    }

    /** What grows, each with its values; empty if nothing does. */
    List<String> found() {
        List<Reading> settled = settled();
        List<String> found = new ArrayList<>();
        more(settled, "threads", Resources::threads, found);
        more(settled, "files", Resources::files, found);
        more(settled, "maps", Resources::maps, found);
        double hours = hours(settled);
        double grown = slope(settled) * hours;
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
        OptionalInt most = settled.subList(0, settled.size() / 2).stream()
                .mapToInt(reading -> count.applyAsInt(reading.resources())).max();
        int end = count.applyAsInt(settled.getLast().resources());
        if (end > most.orElseThrow()) {
            found.add(what + " grow: " + end + " at the end (expected: " + most.getAsInt() + " at most)");
        }
    }

    /** What was held when, and the slope. */
    @Override
    public String toString() {
        List<Reading> settled = settled();
        Reading first = settled.getFirst();
        return String.format(Locale.ROOT, "after %.2f min: %s; settled after %.2f: %s; at the end: %s; private %+.2f MiB/h over "
                        + "the last %.2f min", all.getFirst().minutes(), all.getFirst().resources(), first.minutes(),
                first.resources(), all.getLast().resources(), slope(settled), hours(settled) * MINUTES_PER_HOUR);
    }
}
