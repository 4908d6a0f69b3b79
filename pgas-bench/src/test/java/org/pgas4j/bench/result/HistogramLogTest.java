package org.pgas4j.bench.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.UsageException;

class HistogramLogTest {

    private static final double[] PERCENTS = {0, 1, 25, 50, 90, 99, 99.9, 99.99, 100};

    @TempDir
    private Path dir;

    private static Row row(Histogram times) {
        return new Row("memput", "memput", "device", "device", "fastpath", 2, 8, times, 1, null, 0);
    }

    /** Parts differ much, so that any mean of their percentiles is wrong. */
    @Test
    void shouldHaveThePercentilesOfTheWholeAfterMerging() throws IOException {
        SplittableRandom random = new SplittableRandom(5);
        Histogram whole = SampleTimes.histogram();
        List<Row> rows = new ArrayList<>();
        for (int part = 0; part < 4; part++) {
            Histogram times = SampleTimes.histogram();
            for (int i = 0; i < 5_000 + 2_000 * part; i++) {
                double ns = 1_000 * (1 + part * part) + random.nextDouble(900) / (1e-4 + random.nextDouble());
                SampleTimes.record(times, ns);
                SampleTimes.record(whole, ns);
            }
            rows.add(row(times));
        }
        Path file = dir.resolve("memput.hlog");
        HistogramLog.write(file, "memput", rows);

        Map<String, Histogram> read = HistogramLog.read(file);

        assertEquals(List.of("memput-1", "memput-2", "memput-3", "memput-4"), List.copyOf(read.keySet()));
        Histogram merged = HistogramLog.merged(read.values());
        assertEquals(whole.getTotalCount(), merged.getTotalCount());
        for (double percent : PERCENTS) {
            assertEquals(whole.getValueAtPercentile(percent), merged.getValueAtPercentile(percent), percent + " %");
        }
        assertEquals(SampleTimes.of(whole, 1), SampleTimes.of(merged, 1));
        assertNotEquals(whole.getValueAtPercentile(99), read.values().stream()
                .mapToLong(histogram -> histogram.getValueAtPercentile(99)).sum() / read.size());
    }

    @Test
    void shouldTravelWithARowThatIsForKeeping() {
        Histogram times = SampleTimes.histogram();
        SampleTimes.record(times, 12.5);
        Row row = row(times);
        assertEquals(row, Row.parse(row.jsonWithHistogram()));
        assertEquals(times, HistogramLog.decode(Row.parse(row.jsonWithHistogram()).times().encoded()));
        assertFalse(row.json().contains("hdr"), row.json());
        assertFalse(Row.csv(List.of(row)).contains("hdr"));
    }

    @Test
    void shouldRefuseWhatIsNoLog() throws IOException {
        assertThrows(UsageException.class, () -> HistogramLog.read(dir.resolve("none.hlog")));
        Path file = dir.resolve("text.hlog");
        Files.writeString(file, "0,1,2,this is no histogram\n");
        assertThrows(UsageException.class, () -> HistogramLog.read(file));
        assertThrows(IllegalArgumentException.class, () -> HistogramLog.decode("AAAA"));
    }
}
