package org.pgas4j.launch.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.testkit.Testkit;
import org.pgas4j.testkit.harness.ProcessHarness;

/** A soak of a few seconds notices what is left behind in each of its rounds. */
@Tag("multiprocess")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
@Tag("slow")
class SoakTest {

    /** As in {@link BackPressureTest}: the second compiler takes memory while it works, and a third of the processors' time. */
    private static final String ONE_COMPILER = "--java-opt=-XX:TieredStopAtLevel=1";
    private static final String MOST = "(\\d+) rounds of .*; settled after .* at the end: .*";

    @ParameterizedTest
    @CsvSource({
        "memory,  memory grows by ([0-9.]+) MiB, 1.3",
        "files,   files grow: (\\d+) at the end \\(expected: \\d+ at most\\), 0.8",
        "maps,    maps grow: (\\d+) at the end \\(expected: \\d+ at most\\), 0.8",
        "threads, threads grow: (\\d+) at the end \\(expected: \\d+ at most\\), 0.8",
    })
    void shouldNoticeALeak(String kind, String message, double leastEachRound) throws Exception {
        List<String> command = List.of("-n", "3", "--processes", "2", "--device", "host", "--java-opt=-Xms64m",
                "--java-opt=-Xmx64m", "--java-opt=-XX:+AlwaysPreTouch", ONE_COMPILER, Testkit.class.getName(), "soak", "--minutes",
                "0.01", "--rounds", "12", "--ops", "2000", "--samples", "100", "--leak", kind);

        ProcessHarness.Result result = ProcessHarness.launch(command, Duration.ofSeconds(280));

        assertEquals(1, result.exitCode(), result::output);
        Matcher matcher = Pattern.compile("soak: .*" + message + ".*" + MOST).matcher(result.output());
        assertTrue(matcher.find(), result::output);
        // Of 4 MiB a third, and more, as most rounds are after it settled; of the others what is left before the last tenth.
        double seen = Double.parseDouble(matcher.group(1));
        double least = leastEachRound * Integer.parseInt(matcher.group(2));
        assertTrue(seen >= least, () -> "seen " + seen + ", expected " + least + " or more\n" + result.output());
    }
}
