package org.pgas4j.launch.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
import org.pgas4j.PgasKey;
import org.pgas4j.UsageException;
import org.pgas4j.testkit.Testkit;
import org.pgas4j.testkit.harness.ProcessHarness;
import org.pgas4j.testkit.litmus.Litmus;

/** A program for each guarantee of collectives and notifications, and that each notices when its order is broken. */
@Timeout(value = 200, unit = TimeUnit.SECONDS)
@Tag("slow")
class LitmusTest {

    private static void run(int ranks, int blocks, String helper, String route, String... more) {
        List<String> arguments = new ArrayList<>(List.of("litmus", "--blocks", Integer.toString(blocks)));
        arguments.addAll(List.of(more));
        Pgas.run(Testkit.config(arguments).ranks(ranks).device(Backend.HOST).set(PgasKey.HELPER, helper)
                .set(PgasKey.ROUTE, route), arguments, Testkit::run);
    }

    @ParameterizedTest(name = "ranks {0}, blocks {1}, helper {2}, route {3}, rounds {4}")
    @CsvSource({
        "2, 3, auto, auto,       300",
        "1, 1, off,  auto,       100",
        "3, 2, off,  auto,       50",
        "2, 2, off,  resident,   20",
        "2, 2, on,   messages,   20",
        "3, 2, off,  fastpath,   20",
        "2, 2, off,  rendezvous, 20",
    })
    void shouldKeepEveryGuarantee(int ranks, int blocks, String helper, String route, String rounds) {
        run(ranks, blocks, helper, route, "--rounds", rounds);
    }

    @ParameterizedTest(name = "helper {0}")
    @CsvSource({"off", "on"})
    void shouldKeepEveryGuaranteeThroughTheHost(String helper) {
        run(2, 2, helper, "auto", "--proxy", "--rounds", "20");
    }

    @ParameterizedTest(name = "ranks {0}, blocks {1}, proxy {2}")
    @CsvSource({"2, 2, false", "1, 1, false", "2, 1, true"})
    void shouldNoticeABrokenOrderInEveryProgram(int ranks, int blocks, boolean proxy) {
        List<String> more = new ArrayList<>(List.of("--planted", "--rounds", "20"));
        if (proxy) {
            more.add("--proxy");
        }
        run(ranks, blocks, "auto", "auto", more.toArray(String[]::new));
    }

    /** Twenty rounds are over before the second compiler has paid; the tests above, of one JVM, have it. */
    @Test
    @Tag("multiprocess")
    void shouldKeepEveryGuaranteeAcrossJvms() throws Exception {
        ProcessHarness.Result result = ProcessHarness.launchQuick(List.of("-n", "2", "--processes", "2", "--device", "host",
                Testkit.class.getName(), "litmus", "--blocks", "2", "--rounds", "20"), Duration.ofSeconds(150));

        assertEquals(0, result.exitCode(), result::output);
        for (String name : Litmus.guarantees()) {
            assertTrue(result.output().contains("litmus " + name + ": rounds=20 violations=0 ranks=2 processes=2"),
                    result::output);
        }
    }

    @Test
    void shouldRefuseAGuaranteeThereIsNot() {
        UsageException e = assertThrows(UsageException.class, () -> run(1, 1, "auto", "auto", "--guarantee", "luck"));

        assertTrue(e.getMessage().contains("'--guarantee'") && e.getMessage().contains("host-order, ")
                && e.getMessage().contains("'luck'"), e.getMessage());
    }

    @Test
    void shouldNameEveryProgramInTheDocumentation() throws IOException {
        Path docs = Path.of("..", "docs").toAbsolutePath().normalize();
        String text = Files.readString(docs.resolve("notifications.md")) + Files.readString(docs.resolve("memory-model.md"));

        for (String name : Litmus.guarantees()) {
            assertTrue(text.contains("`" + name + "`"), () -> docs + " does not name the litmus program " + name);
        }
    }
}
