package org.pgas4j.bench;

import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * One line of a study. Times are per operation.
 *
 * @param study      name of the study
 * @param op         operation
 * @param from       where the bytes come from: host or device
 * @param to         where they go
 * @param route      the route they took
 * @param processes  JVMs of the job
 * @param bytes      per operation; 0 where it moves none
 * @param times      of this system, picoseconds
 * @param baseline   of the raw version in the same run, picoseconds; null if there is none
 * @param wrong      bytes that arrived wrong, of this system and the baseline together
 */
public record Row(String study, String op, String from, String to, String route, int processes, long bytes,
                  Histogram times, Histogram baseline, long wrong) {

    /** Microseconds at a percentile of this system's times. */
    public double micros(double percentile) {
        return times.getValueAtPercentile(percentile) / 1e6;
    }

    /** Median of the baseline in microseconds; NaN if there is none. */
    public double baselineMicros() {
        return baseline == null || baseline.getTotalCount() == 0 ? Double.NaN : baseline.getValueAtPercentile(50) / 1e6;
    }

    private double gbps() {
        return bytes == 0 ? 0 : bytes / micros(50) / 1e3;
    }

    /** One JSON object. */
    public String json() {
        return String.format(Locale.ROOT, "{\"study\":\"%s\",\"op\":\"%s\",\"from\":\"%s\",\"to\":\"%s\",\"route\":\"%s\","
                + "\"processes\":%d,\"bytes\":%d,\"p50_us\":%.6f,\"p99_us\":%.6f,\"p999_us\":%.6f,\"max_us\":%.6f,"
                + "\"mean_us\":%.6f,\"gbps\":%.4f,\"baseline_p50_us\":%s,\"ratio\":%s,\"wrong\":%d,\"samples\":%d}",
                study, op, from, to, route, processes, bytes, micros(50), micros(99), micros(99.9), times.getMaxValue() / 1e6,
                times.getMean() / 1e6, gbps(), number(baselineMicros()), number(micros(50) / baselineMicros()), wrong,
                times.getTotalCount());
    }

    private static String number(double value) {
        return Double.isNaN(value) ? "null" : String.format(Locale.ROOT, "%.6f", value);
    }

    /** The heading of {@link #table}. */
    public static String heading() {
        return String.format(Locale.ROOT, "%-10s%20s%12s%12s%12s%12s%10s%14s%8s%8s", "# Size", "Latency (us)", "p50", "p99",
                "p99.9", "max", "GB/s", "baseline p50", "ratio", "#wrong");
    }

    /** One line: size and mean in the columns of the OSU benchmarks, then the rest. */
    public String table() {
        return String.format(Locale.ROOT, "%-10d%20.4f%12.4f%12.4f%12.4f%12.4f%10.2f%14s%8s%8d", bytes,
                times.getMean() / 1e6, micros(50), micros(99), micros(99.9), times.getMaxValue() / 1e6, gbps(),
                Double.isNaN(baselineMicros()) ? "-" : String.format(Locale.ROOT, "%.4f", baselineMicros()),
                Double.isNaN(baselineMicros()) ? "-" : String.format(Locale.ROOT, "%.2f", micros(50) / baselineMicros()),
                wrong);
    }
}
