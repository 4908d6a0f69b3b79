package org.pgas4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.bench.checks.PutRun;

/** The study of checks with two of its benchmarks: JMH finds them, starts JVMs and jobs, and times something. */
@Tag("slow")
class ChecksTest {

    @Test
    @Timeout(value = 180, unit = TimeUnit.SECONDS)
    void shouldTimePutsWithAndWithoutAJob() {
        Map<String, double[]> found = PutRun.run(List.of("checked", "memputFull"), true, false);

        assertEquals(Set.of("checked", "memputFull"), found.keySet());
        found.forEach((name, ns) -> {
            assertEquals(5, ns.length, name);
            assertTrue(ns[0] > 0 && ns[4] >= ns[0], name + ": " + ns[0] + ".." + ns[4]);
        });
    }
}
