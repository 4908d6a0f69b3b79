package org.pgas4j.launch.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.testkit.Testkit;
import org.pgas4j.testkit.harness.ProcessHarness;

/**
 * A receiver that calls nothing while a million puts are sent: all arrive, or the sender's wait ends with an exception
 * that names it. In JVMs of their own, which must not grow.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
@Tag("multiprocess")
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class BackPressureTest {

    /** Of each wait: waited for in full where a timeout is expected; else longer than a loaded machine stands still. */
    private static final String SHORT = "10s";
    private static final String LONG = "60s";
    /** A Java heap that is resident from the start, so that garbage is no growth. */
    private static final List<String> HEAP = List.of("--java-opt=-Xms96m", "--java-opt=-Xmx96m",
            "--java-opt=-XX:+AlwaysPreTouch");
    /**
     * Runs without the second compiler: the memory that it takes while it works, 50 MiB and more where several JVMs share two
     * processors, is not the protocol's.
     */
    private static final String ONE_COMPILER = "--java-opt=-XX:TieredStopAtLevel=1";

    private static ProcessHarness.Result launch(String processes, String route, String helper, String kind,
                                                String puts, String expected, String receiver) throws Exception {
        List<String> command = new ArrayList<>(List.of("-n", "2", "--processes", processes, "--route", route, "--helper",
                helper, "--wait-timeout", expected.equals("timeout") ? SHORT : LONG, "--device", "host"));
        command.addAll(HEAP);
        if (!processes.equals("1")) {
            command.add(ONE_COMPILER);
        }
        command.addAll(List.of(Testkit.class.getName(), "back-pressure", "--kind", kind, "--puts", puts, "--expect", expected));
        switch (receiver) {
            case "busy" -> command.add("--busy");
            case "spins" -> command.addAll(List.of("--busy", "--spin"));
            default -> {
                // it sleeps
            }
        }
        if (!route.equals("auto")) {
            command.addAll(List.of("--expect-route", route));
        }
        return ProcessHarness.launch(command, Duration.ofSeconds(280));
    }

    // A receiver that spins, the sender and a helper on two processors take turns of milliseconds: five thousand puts, which
    // are hundreds of full rings, say as much as a million.
    @ParameterizedTest(name = "processes {0}, route {1}, helper {2}, kind {3}, puts {4}, receiver {6}: {5}")
    @CsvSource({
        "1, direct,     off,  host,   1000000, delivery, sleeps",
        "2, direct,     off,  host,   1000000, delivery, spins",
        "2, auto,       auto, device, 1000000, delivery, sleeps",
        "1, fastpath,   off,  host,   1000000, timeout,  sleeps",
        "2, fastpath,   off,  device, 1000000, timeout,  spins",
        "1, fastpath,   on,   host,   200000,  delivery, busy",
        "1, fastpath,   on,   host,   5000,    delivery, spins",
        "2, fastpath,   auto, host,   100000,  delivery, sleeps",
        "1, rendezvous, off,  device, 1000000, timeout,  spins",
        "2, rendezvous, off,  host,   1000000, timeout,  sleeps",
        "2, rendezvous, on,   device, 5000,    delivery, spins",
    })
    void shouldDeliverOrSayWhoDoesNotAnswer(String processes, String route, String helper, String kind, String puts,
                                            String expected, String receiver) throws Exception {
        ProcessHarness.Result result = launch(processes, route, helper, kind, puts, expected, receiver);

        assertEquals(0, result.exitCode(), result::output);
        assertTrue(result.output().contains("[0] backpressure: rank=0 accepted="), result::output);
    }

    @Test
    void shouldNoticeThatNothingTimedOut() throws Exception {
        ProcessHarness.Result result = launch("1", "direct", "off", "host", "1000", "timeout", "sleeps");

        assertNotEquals(0, result.exitCode(), result::output);
        assertTrue(result.output().contains("nothing timed out"), result::output);
    }
}
