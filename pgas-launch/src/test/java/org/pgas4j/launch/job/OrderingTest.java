package org.pgas4j.launch.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.Backend;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.testkit.Testkit;
import org.pgas4j.testkit.harness.ProcessHarness;
import org.pgas4j.testkit.litmus.LitmusFault;

/** A payload is never seen after its flag. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
@Tag("slow")
class OrderingTest {

    /** Each pair is two rendezvous, which take turns of both ranks: a hundredth says as much in the same time. */
    private static String pairs(String route) {
        return route.equals("rendezvous") || route.equals("resident") ? "3000" : "100000";
    }

    private static List<String> arguments(String route, String kind, boolean bidirectional) {
        List<String> arguments = new ArrayList<>(List.of("ordering", "--pairs", pairs(route), "--kind", kind));
        if (bidirectional) {
            arguments.add("--bidirectional");
        }
        if (!route.equals("auto")) {
            arguments.addAll(List.of("--expect-route", route));
        }
        return arguments;
    }

    @ParameterizedTest(name = "ranks {0}, conduit {1}, route {2}, helper {3}, kind {4}, bidirectional {5}")
    @CsvSource({
        "2, shm,      auto,       auto, both,   false",
        "2, shm,      direct,     off,  host,   true",
        "2, shm,      direct,     off,  device, true",
        "2, loopback, auto,       off,  both,   true",
        "2, shm,      resident,   off,  device, true",
        "4, shm,      auto,       auto, both,   true",
        "2, shm,      fastpath,   off,  host,   false",
        "2, shm,      fastpath,   on,   both,   false",
        "2, shm,      fastpath,   auto, both,   true",
        "2, shm,      rendezvous, off,  both,   true",
        "2, shm,      rendezvous, on,   both,   false",
        "2, shm,      rendezvous, auto, device, false",
    })
    void shouldSeeThePayloadWithItsFlag(int ranks, String conduit, String route, String helper, String kind,
                                        boolean bidirectional) {
        List<String> words = arguments(route, kind, bidirectional);
        PgasConfig config = Testkit.config(words).ranks(ranks).device(Backend.HOST).set(PgasKey.CONDUIT, conduit)
                .set(PgasKey.ROUTE, route).set(PgasKey.HELPER, helper);

        Pgas.run(config, words, Testkit::run);
    }

    // A few thousand rendezvous are over before the second compiler has paid; the test above has it for them too.
    @ParameterizedTest(name = "route {0}, helper {1}, kind {2}, bidirectional {3}")
    @CsvSource({
        "auto,       auto, both, false",
        "direct,     off,  both, true",
        "fastpath,   off,  both, false",
        "fastpath,   on,   both, true",
        "rendezvous, off,  both, true",
        "rendezvous, on,   both, false",
    })
    @Tag("multiprocess")
    void shouldSeeThePayloadWithItsFlagAcrossJvms(String route, String helper, String kind, boolean bidirectional)
            throws Exception {
        List<String> command = new ArrayList<>(List.of("-n", "2", "--processes", "2", "--route",
                route, "--helper", helper, "--device", "host", Testkit.class.getName()));
        command.addAll(arguments(route, kind, bidirectional));

        Duration deadline = Duration.ofSeconds(280);
        ProcessHarness.Result result = route.equals("rendezvous") ? ProcessHarness.launchQuick(command, deadline)
                : ProcessHarness.launch(command, deadline);

        assertEquals(0, result.exitCode(), result::output);
        assertTrue(result.output().contains("pairs=" + pairs(route) + " violations=0"), result::output);
    }

    // Only the sender is at fault: an acknowledgement that comes after a later one would stop both ends for ever.
    @Test
    void shouldNoticeAPayloadAfterItsFlag() {
        List<String> words = arguments("auto", "host", false);
        PgasConfig config = Testkit.config(words).ranks(2).device(Backend.HOST);

        PgasException e = assertThrows(PgasException.class, () -> Pgas.run(config, words,
                rank -> Testkit.run(rank.rank() == 0 ? LitmusFault.PUT_LATE.in(rank) : rank)));

        assertTrue(e.getMessage().contains("flags were seen before their payload"), e.getMessage());
    }
}
