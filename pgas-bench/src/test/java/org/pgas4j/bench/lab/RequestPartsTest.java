package org.pgas4j.bench.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.bench.result.SampleTimes;

/** Requests whose parts have times of their own with noise, on a clock that each look moves by 20 ns. */
class RequestPartsTest {

    private static final int REQUESTS = 20_000;
    private static final long LOOK_NS = 20;

    private long nowNs;
    private double injectedNs;

    private long look() {
        return nowNs += LOOK_NS;
    }

    /** Medians of all parts, nanoseconds; a wrong instrument ends the delayed part before the delay. */
    private Map<String, Double> measure(String inject, boolean wrong) {
        SplittableRandom random = new SplittableRandom(inject.hashCode());
        RequestParts parts = new RequestParts(this::look, inject);
        Map<String, Histogram> times = new LinkedHashMap<>();
        RequestParts.PARTS.forEach(part -> times.put(part, SampleTimes.histogram()));
        for (int i = 0; i < REQUESTS; i++) {
            parts.sent(look());
            long usual = 300;
            for (String part : RequestParts.PARTS) {
                nowNs += usual + random.nextLong(100) + (random.nextInt(50) == 0 ? 50_000 : 0);
                usual += 400;
                if (wrong) {
                    parts.end(part);
                    parts.delay(part);
                } else {
                    parts.delay(part);
                    parts.end(part);
                }
            }
            injectedNs = parts.injectedNs();
            long sum = RequestParts.PARTS.stream().mapToLong(parts::ns).sum();
            assertEquals(parts.wholeNs(), sum);
            times.forEach((part, histogram) -> SampleTimes.record(histogram, parts.ns(part)));
        }
        Map<String, Double> medians = new LinkedHashMap<>();
        times.forEach((part, histogram) -> medians.put(part, 1e3 * SampleTimes.median(histogram)));
        return medians;
    }

    @ParameterizedTest
    @CsvSource({"queue_wait", "wake_up", "copy", "completion"})
    void shouldFindADelayInThePartItWasPutInto(String part) {
        Map<String, Double> without = measure("none", false);
        for (String us : new String[] {"1", "10", "100"}) {
            Map<String, Double> with = measure(part + ":" + us, false);
            assertEquals(part, RequestParts.foundIn(without, with, injectedNs), us + " us");
            assertEquals(Double.parseDouble(us) * 1e3, injectedNs, 2 * LOOK_NS);
            for (String other : RequestParts.PARTS) {
                double longer = with.get(other) - without.get(other);
                assertEquals(other.equals(part) ? injectedNs : 0, longer, Math.max(50, 0.01 * injectedNs), other);
            }
        }
    }

    /** The broken twin: what ends before the delay has it in the next part. */
    @Test
    void shouldNotFindADelayInAnInstrumentThatIsWrong() {
        Map<String, Double> without = measure("none", true);
        Map<String, Double> with = measure("copy:10", true);
        assertEquals("completion", RequestParts.foundIn(without, with, injectedNs));
        assertEquals("", RequestParts.foundIn(without, without, injectedNs));
        assertEquals("", RequestParts.foundIn(without, with, 1.1 * injectedNs));
    }
}
