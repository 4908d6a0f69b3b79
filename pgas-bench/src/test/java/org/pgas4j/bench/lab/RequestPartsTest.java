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

    /** Medians of the parts of requests with a delay and of those without, nanoseconds. */
    private record Medians(Map<String, Double> with, Map<String, Double> without) {
    }

    private long look() {
        return nowNs += LOOK_NS;
    }

    private static Map<String, Histogram> histograms() {
        Map<String, Histogram> times = new LinkedHashMap<>();
        RequestParts.PARTS.forEach(part -> times.put(part, SampleTimes.histogram()));
        return times;
    }

    private static Map<String, Double> medians(Map<String, Histogram> times) {
        Map<String, Double> medians = new LinkedHashMap<>();
        times.forEach((part, histogram) -> medians.put(part, 1e3 * SampleTimes.median(histogram)));
        return medians;
    }

    /**
     * All parts, of a server that takes 2 us longer for the part after the one that it was delayed in before; a wrong instrument ends
     * the delayed part before the delay.
     */
    private Medians measure(String inject, boolean wrong) {
        SplittableRandom random = new SplittableRandom(inject.hashCode());
        RequestParts parts = new RequestParts(this::look, LOOK_NS, inject);
        Map<String, Histogram> with = histograms();
        Map<String, Histogram> without = histograms();
        for (int i = 0; i < REQUESTS; i++) {
            long usual = parts.injectedNs() > 0 ? 2_300 : 300;
            parts.sent(look());
            parts.begin();
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
            boolean isDelayed = parts.injectedNs() > 0;
            injectedNs = isDelayed ? parts.injectedNs() : injectedNs;
            long sum = RequestParts.PARTS.stream().mapToLong(parts::ns).sum();
            assertEquals(parts.wholeNs(), sum);
            (isDelayed ? with : without).forEach((part, histogram) -> SampleTimes.record(histogram, parts.ns(part)));
        }
        assertEquals(REQUESTS / 4.0, with.get(RequestParts.COPY).getTotalCount(), REQUESTS / 20.0);
        return new Medians(medians(with), medians(without));
    }

    @ParameterizedTest
    @CsvSource({"queue_wait", "wake_up", "copy", "completion"})
    void shouldFindADelayInThePartItWasPutInto(String part) {
        for (String us : new String[] {"1", "10", "100"}) {
            Medians found = measure(part + ":" + us, false);
            assertEquals(part, RequestParts.foundIn(found.without, found.with, injectedNs), us + " us");
            assertEquals(Double.parseDouble(us) * 1e3, injectedNs, 2 * LOOK_NS);
            for (String other : RequestParts.PARTS) {
                double longer = found.with.get(other) - found.without.get(other);
                assertEquals(other.equals(part) ? injectedNs : 0, longer, Math.max(50, 0.01 * injectedNs), other);
            }
        }
    }

    /** The broken twin: what ends before the delay has it in the next part. */
    @Test
    void shouldNotFindADelayInAnInstrumentThatIsWrong() {
        Medians found = measure("copy:10", true);
        assertEquals("completion", RequestParts.foundIn(found.without, found.with, injectedNs));
        assertEquals("", RequestParts.foundIn(found.without, found.without, injectedNs));
        assertEquals("", RequestParts.foundIn(found.without, found.with, 1.1 * injectedNs));
    }
}
