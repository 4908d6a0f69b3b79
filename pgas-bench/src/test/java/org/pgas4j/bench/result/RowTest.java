package org.pgas4j.bench.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import de.siegmar.fastcsv.reader.CsvReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowTest {

    private static final Row ROW = new Row("helper", "memget", "device", "device", "fastpath", 2, 8192,
            new SampleTimes(1.5, 2, 3, 4.25, 1.75, 10_000, 1), 3, 7, Map.of());

    @Test
    void jsonComesBack() {
        Row row = ROW.with(Row.STYLE, "runtime").with(Row.KERNEL_MS, 0.1).with(Row.N, 50).with(Row.SETTING, "a=\"1\" \\b");
        assertEquals(row, Row.parse(row.json()));
        assertEquals(row.json(), Row.parse(row.json()).json());
    }

    @Test
    void keysOfTheFirstStudyStay() {
        Histogram times = new Histogram(1_000_000_000L, 3);
        times.recordValue(2_000_000);
        Row row = new Row("rma", "put", "host", "host", "direct-host", 1, 8, times, 1, null, 0);
        assertEquals(List.of("study", "op", "from", "to", "route", "processes", "bytes", "p50_us", "p99_us", "p999_us",
                "max_us", "mean_us", "gbps", "baseline_p50_us", "ratio", "wrong", "samples", "batch"),
                List.copyOf(row.fields().keySet()));
        assertTrue(row.json().contains("\"baseline_p50_us\":null,\"ratio\":null,\"wrong\":0"), row.json());
        assertEquals(2, row.times().p50(), 0.01);
        assertEquals(row, Row.parse(row.jsonWithHistogram()).with("none", null));
    }

    @Test
    void absentKeysAreAbsent() {
        assertFalse(ROW.with(Row.HELPER, null).json().contains("helper\":null"));
        assertEquals(8192, ROW.x());
        assertEquals(10, ROW.with(Row.KERNEL_MS, 10.0).x());
        assertEquals("", ROW.text(Row.STYLE));
        assertTrue(Double.isNaN(ROW.number(Row.N)));
    }

    @Test
    void tableBeginsWithTheColumnsOfOsu() {
        assertTrue(ROW.heading().matches("# Size +Latency \\(us\\) .*#wrong"), ROW.heading());
        assertTrue(ROW.table().matches("8192 +1\\.7500 .* 0\\.50 +7"), ROW.table());
        assertTrue(ROW.with("copy_p50_us", 0.5).with("copy_p99_us", 0.75).heading().endsWith("copy_p50_us"));
    }

    private static List<Map<String, String>> readCsv(String csv) {
        List<Map<String, String>> records = new ArrayList<>();
        CsvReader.builder().ofNamedCsvRecord(csv).forEach(record -> records.add(record.getFieldsAsMap()));
        return records;
    }

    @Test
    void csvHasAllColumnsOfAllRows() {
        List<Map<String, String>> records = readCsv(Row.csv(List.of(ROW, ROW.with(Row.N, 50))));
        assertEquals(2, records.size());
        assertEquals("", records.get(0).get("n"));
        assertEquals("50", records.get(1).get("n"));
        assertEquals("10000", records.get(1).get("samples"));
        assertEquals("1", records.get(1).get("batch"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"helper, one of many", "a \"quoted\" word", "two\nlines", "\"", ",", "\r\n", " blank ",
            "a,\"b\"\n,c"})
    void csvReturnsAnyText(String text) {
        List<Map<String, String>> records = readCsv(Row.csv(List.of(ROW.with("part", text), ROW.with("part", "other"))));
        assertEquals(List.of(text, "other"), records.stream().map(record -> record.get("part")).toList());
        assertEquals("7", records.get(0).get("wrong"));
    }

    @Test
    void shouldTellNoTailOfBatchesOrOfTooFewSamples() {
        SampleTimes enough = new SampleTimes(1, 2, 3, 4, 1, 10_000, 1);
        assertEquals(List.of(2.0, 3.0, 4.0), List.of(enough.p99(), enough.p999(), enough.max()));
        SampleTimes fewer = new SampleTimes(1, 2, 3, 4, 1, 9_999, 1);
        assertEquals(List.of(2.0, Double.NaN, 4.0), List.of(fewer.p99(), fewer.p999(), fewer.max()));
        SampleTimes few = new SampleTimes(1, 2, 3, 4, 1, 999, 1);
        assertEquals(List.of(Double.NaN, Double.NaN, 4.0), List.of(few.p99(), few.p999(), few.max()));
        for (long batch : new long[] {2, SampleTimes.UNKNOWN}) {
            SampleTimes means = new SampleTimes(1, 2, 3, 4, 1, 1_000_000, batch);
            assertEquals(List.of(Double.NaN, Double.NaN, Double.NaN), List.of(means.p99(), means.p999(), means.max()));
            assertEquals(1, means.p50());
        }
    }

    /** Batches have the median, operations timed one by one the tail. */
    @Test
    void shouldTellTheTailOfSingleOperations() {
        Histogram batches = SampleTimes.histogram();
        Histogram singles = SampleTimes.histogram();
        for (int i = 1; i <= 10_000; i++) {
            SampleTimes.record(batches, 100);
            SampleTimes.record(singles, i);
        }
        SampleTimes times = SampleTimes.of(batches, 64, singles);
        assertEquals(0.1, times.p50(), 1e-3);
        assertEquals(List.of(9.9, 9.99, 10.0), List.of(times.p99(), times.p999(), times.max()).stream()
                .map(us -> Math.round(us * 1e2) / 1e2).toList());
        Row row = new Row("rma", "put", "host", "host", "direct-host", 1, 8, times, null, 0);
        assertEquals(10_000L, row.fields().get("singles"));
        assertEquals(row.json(), Row.parse(row.json()).json());
        assertEquals(times.p999(), Row.parse(row.json()).times().p999(), 1e-6);
    }

    @Test
    void shouldPrintADashForWhatIsNotKnown() {
        Row row = new Row("rma", "put", "host", "host", "direct-host", 1, 8, new SampleTimes(0.01, 2, 3, 4, 0.02, 50_000, 2_000),
                Double.NaN, 0, Map.of());
        assertTrue(row.heading().matches("# Size +Latency \\(us\\) +p50 +p99 +p99.9 +max +samples +batch +GB/s .*"),
                row.heading());
        assertTrue(row.table().matches("8 +0\\.0200 +0\\.0100 +- +- +- +50000 +2000 +0\\.80 +- +- +0"), row.table());
        assertTrue(row.json().contains("\"p99_us\":null,\"p999_us\":null,\"max_us\":null"), row.json());
        assertEquals("", readCsv(Row.csv(List.of(row))).getFirst().get("p99_us"));
    }

    @Test
    void shouldDeriveTheBatchOfOlderRows() {
        String old = ROW.json().replace(",\"batch\":1", "");
        assertEquals(1, Row.parse(old).times().batch());
        Row unknown = Row.parse(old.replace("\"helper\"", "\"rma\""));
        assertEquals(SampleTimes.UNKNOWN, unknown.times().batch());
        assertTrue(Double.isNaN(unknown.times().p99()) && unknown.json().contains("\"batch\":null"), unknown.json());
        assertEquals(unknown, Row.parse(unknown.json()));
    }

    @Test
    void parsesWhatOthersMayWrite() {
        assertEquals(Map.of("a", 1L, "b", -2.5e-3, "c", "x\"y\u0001", "d", true),
                FlatJson.parse(" { \"a\" : 1 , \"b\":-2.5e-3,\"c\":\"x\\\"y\\u0001\",\"d\":true } "));
        assertEquals(Map.of(), FlatJson.parse("{}"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "{\"a\":}", "{\"a\":1", "{\"a\":1}x", "{\"a\":{}}", "{\"a\":[1]}", "{\"a\":\"b}", "{a:1}",
        "{\"a\":1,}"})
    void refusesWhatIsNoFlatObject(String text) {
        assertThrows(IllegalArgumentException.class, () -> FlatJson.parse(text));
    }

    @Test
    void refusesWhatIsNoRow() {
        assertThrows(IllegalArgumentException.class, () -> Row.parse("{\"study\":\"rma\"}"));
    }
}
