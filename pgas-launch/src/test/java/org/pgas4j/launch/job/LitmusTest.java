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

/** A program for each guarantee of order, and that each notices when its order is broken. */
@Timeout(value = 200, unit = TimeUnit.SECONDS)
@Tag("slow")
class LitmusTest {

    private static final List<String> SHARED_WORDS = List.of("atomic", "lock", "semaphore", "store-buffering");

    private static void run(int ranks, int blocks, String helper, String route, String... more) {
        List<String> arguments = new ArrayList<>(List.of("litmus", "--blocks", Integer.toString(blocks)));
        arguments.addAll(List.of(more));
        Pgas.run(Testkit.config(arguments).ranks(ranks).device(Backend.HOST).set(PgasKey.HELPER, helper)
                .set(PgasKey.ROUTE, route), arguments, Testkit::run);
    }

    private static ProcessHarness.Result launch(String route, String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of("-n", "2", "--processes", "2", "--route", route, "--device", "host",
                Testkit.class.getName(), "litmus"));
        command.addAll(List.of(options));
        return ProcessHarness.launchQuick(command, Duration.ofSeconds(150));
    }

    private static String[] sharedWords(String... more) {
        List<String> options = new ArrayList<>(List.of(more));
        for (String name : SHARED_WORDS) {
            options.addAll(List.of("--guarantee", name));
        }
        return options.toArray(String[]::new);
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

    /** The order that the programs of hosts test is one that the detector of races knows. */
    @Test
    void shouldShowTheDetectorNoRace() {
        List<String> arguments = List.of("litmus", "--rounds", "20", "--blocks", "2");

        Pgas.run(Testkit.config(arguments).ranks(3).device(Backend.HOST).set(PgasKey.CHECK, "full"), arguments, Testkit::run);
    }

    /** Twenty rounds are over before the second compiler has paid; the tests above, of one JVM, have it. */
    @Test
    @Tag("multiprocess")
    void shouldKeepEveryGuaranteeAcrossJvms() throws Exception {
        ProcessHarness.Result result = launch("auto", "--blocks", "2", "--rounds", "20");

        assertEquals(0, result.exitCode(), result::output);
        for (String name : Litmus.guarantees()) {
            assertTrue(result.output().contains("litmus " + name + ": rounds=20 violations=0 ranks=2 processes=2"),
                    result::output);
        }
    }

    @ParameterizedTest(name = "route {0}")
    @CsvSource({"direct", "fastpath"})
    @Tag("multiprocess")
    void shouldKeepTheGuaranteesOfSharedWordsAcrossJvms(String route) throws Exception {
        ProcessHarness.Result result = launch(route, sharedWords("--rounds", "100"));

        assertEquals(0, result.exitCode(), result::output);
        for (String name : SHARED_WORDS) {
            assertTrue(result.output().contains("litmus " + name + ": rounds=100 violations=0 ranks=2 processes=2"),
                    result::output);
        }
    }

    @Test
    @Tag("multiprocess")
    void shouldNoticeABrokenOrderOfSharedWordsAcrossJvms() throws Exception {
        ProcessHarness.Result result = launch("auto", sharedWords("--rounds", "20", "--planted"));

        assertEquals(0, result.exitCode(), result::output);
        for (String name : SHARED_WORDS) {
            assertTrue(result.output().contains("litmus " + name + ": rounds=20 planted, noticed=40 ranks=2 processes=2"),
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
