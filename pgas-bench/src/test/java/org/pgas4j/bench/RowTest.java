package org.pgas4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowTest {

    private static final Row ROW = new Row("helper", "memget", "device", "device", "fastpath", 2, 8192,
            new Times(1.5, 2, 3, 4.25, 1.75, 1000), 3, 7, Map.of());

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
        Row row = new Row("rma", "put", "host", "host", "direct-host", 1, 8, times, null, 0);
        assertEquals(List.of("study", "op", "from", "to", "route", "processes", "bytes", "p50_us", "p99_us", "p999_us",
                "max_us", "mean_us", "gbps", "baseline_p50_us", "ratio", "wrong", "samples"), List.copyOf(row.fields().keySet()));
        assertTrue(row.json().contains("\"baseline_p50_us\":null,\"ratio\":null,\"wrong\":0"), row.json());
        assertEquals(2, row.times().p50(), 0.01);
        assertEquals(row, Row.parse(row.json()).with("none", null));
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

    @Test
    void csvHasAllColumnsOfAllRows() {
        List<String> lines = Row.csv(List.of(ROW, ROW.with(Row.N, 50)));
        assertTrue(lines.get(0).endsWith(",samples,n"), lines.get(0));
        assertTrue(lines.get(1).endsWith(",1000,"), lines.get(1));
        assertTrue(lines.get(2).endsWith(",1000,50"), lines.get(2));
    }

    @Test
    void parsesWhatOthersMayWrite() {
        assertEquals(Map.of("a", 1L, "b", -2.5e-3, "c", "x\"y\u0001", "d", true),
                FlatJson.parse(" { \"a\" : 1 , \"b\":-2.5e-3,\"c\":\"x\\\"y\\u0001\",\"d\":true } "));
        assertEquals(Map.of(), FlatJson.parse("{}"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "{\"a\":}", "{\"a\":1", "{\"a\":1}x", "{\"a\":{}}", "{\"a\":[1]}", "{\"a\":\"b}", "{a:1}",
        "{\"a\":\"\\n\"}", "{\"a\":1,}"})
    void refusesWhatIsNoFlatObject(String text) {
        assertThrows(IllegalArgumentException.class, () -> FlatJson.parse(text));
    }

    @Test
    void refusesWhatIsNoRow() {
        assertThrows(IllegalArgumentException.class, () -> Row.parse("{\"study\":\"rma\"}"));
    }
}
