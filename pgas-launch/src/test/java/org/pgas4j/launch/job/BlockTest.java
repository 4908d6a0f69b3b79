package org.pgas4j.launch.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
import org.pgas4j.PgasKey;
import org.pgas4j.testkit.Testkit;
import org.pgas4j.testkit.harness.ProcessHarness;

/** Blocks of the host device as ranks. */
@Timeout(value = 200, unit = TimeUnit.SECONDS)
@Tag("slow")
class BlockTest {

    private static List<String> arguments(int blocks, boolean proxy, long messages) {
        List<String> arguments = new ArrayList<>(List.of("block", "--blocks", Integer.toString(blocks)));
        if (proxy) {
            arguments.add("--proxy");
        }
        arguments.addAll(List.of("--messages", Long.toString(messages)));
        return arguments;
    }

    @ParameterizedTest(name = "ranks {0}, blocks {1}, helper {2}, proxy {3}, messages {4}")
    @CsvSource({
        "1, 1, auto, false, 0",
        "1, 6, off,  false, 0",
        "2, 3, off,  false, 0",
        "2, 3, off,  true,  0",
        "3, 2, on,   true,  0",
        "2, 2, auto, false, 20000",
        "2, 2, on,   true,  2000",
    })
    void shouldMoveAndNotify(int ranks, int blocks, String helper, boolean proxy, long messages) {
        List<String> words = arguments(blocks, proxy, messages);

        Pgas.run(Testkit.config(words).ranks(ranks).device(Backend.HOST).set(PgasKey.HELPER, helper), words, Testkit::run);
    }

    @ParameterizedTest(name = "ranks {0}: {1}")
    @CsvSource({
        "2, --rounds 10",
        "2, --rounds 4 --proxy",
        "2, --rounds 10 --bytes 64 --forms 7",
        "3, --each --blocks 3 --proxy",
        "2, --anywhere",
        "2, --anywhere --proxy",
        "2, --skip",
    })
    void shouldTakeACrowd(int ranks, String arguments) {
        List<String> words = List.of(("crowd " + arguments).split(" "));

        Pgas.run(Testkit.config(words).ranks(ranks).device(Backend.HOST), words, Testkit::run);
    }

    @ParameterizedTest(name = "ranks {0}, JVMs {1}, helper {2}, proxy {3}")
    @CsvSource({
        "2, 2, auto, false",
        "3, 2, on,   true",
    })
    @Tag("multiprocess")
    void shouldMoveAndNotifyAcrossJvms(int ranks, int processes, String helper, boolean proxy) throws Exception {
        List<String> command = new ArrayList<>(List.of("-n", Integer.toString(ranks), "--processes",
                Integer.toString(processes), "--helper", helper, "--device", "host", Testkit.class.getName()));
        command.addAll(arguments(2, proxy, 0));

        ProcessHarness.Result result = ProcessHarness.launchQuick(command, Duration.ofSeconds(120));

        assertEquals(0, result.exitCode(), result.output());
        assertTrue(result.output().contains("contract block: "), result.output());
        assertTrue(result.output().contains("rounds done: 20.0"), result.output());
    }

    /** Puts of up to 8 bytes travel with other commands, larger ones by themselves: bursts have both, to the same bytes. */
    @Test
    @Tag("multiprocess")
    void shouldKeepTheOrderOfPutsThatGoDifferentWaysAcrossJvms() throws Exception {
        List<String> command = List.of("-n", "2", "--processes", "2", "--device", "host", Testkit.class.getName(), "block",
                "--blocks", "2", "--proxy", "--bursts", "40");

        ProcessHarness.Result result = ProcessHarness.launchQuick(command, Duration.ofSeconds(120));

        assertEquals(0, result.exitCode(), result.output());
        assertTrue(result.output().contains("160 bursts"), result.output());
    }

    /** A notification of host code waits for what blocks take, and messages behind it for neither. */
    @Test
    @Tag("multiprocess")
    void shouldPassALaunchThatHasNotBegunAcrossJvms() throws Exception {
        List<String> command = List.of("-n", "2", "--processes", "2", "--device", "host", "--wait-timeout", "20s",
                GatedLaunchMain.class.getName());

        ProcessHarness.Result result = ProcessHarness.launchQuick(command, Duration.ofSeconds(120));

        assertEquals(0, result.exitCode(), result.output());
        assertTrue(result.output().contains("rank 1 is done"), result.output());
    }

    @ParameterizedTest(name = "options {0}")
    @CsvSource({"--blocks 1", "--blocks 1 --proxy"})
    @Tag("multiprocess")
    void shouldGetWaitAndSplitAcrossJvms(String options) throws Exception {
        List<String> command = new ArrayList<>(List.of("-n", "3", "--processes", "2", "--device", "host", Testkit.class.getName(),
                "block-library"));
        command.addAll(List.of(options.split(" ")));

        ProcessHarness.Result result = ProcessHarness.launchQuick(command, Duration.ofSeconds(120));

        assertEquals(0, result.exitCode(), result.output());
        assertTrue(result.output().contains("contract block-library: "), result.output());
    }
}
