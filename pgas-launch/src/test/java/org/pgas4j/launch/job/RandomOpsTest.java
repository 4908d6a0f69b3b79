package org.pgas4j.launch.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgas4j.Backend;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.testkit.Testkit;
import org.pgas4j.testkit.harness.ProcessHarness;
import org.pgas4j.testkit.litmus.LitmusFault;

/** Random operations against a sequential model, in one JVM and in several; and that faults do not go unnoticed. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
@Tag("slow")
class RandomOpsTest {

    // Small chunks and pieces, so that most transfers cross a boundary of either.
    private static final String CHUNK = "1024";
    private static final String PIECE = "8192";
    private static final String EDGES = "1024,4096,8192";

    private static List<String> arguments(String route, String ops, String maxBytes) {
        List<String> arguments = new ArrayList<>(List.of("random-ops", "--ops", ops, "--max-bytes", maxBytes, "--edges", EDGES));
        if (!route.equals("auto")) {
            arguments.addAll(List.of("--expect-route", route));
        }
        return arguments;
    }

    private static PgasConfig config(int ranks, String route, String helper) {
        return Testkit.config(List.of("random-ops")).ranks(ranks).device(Backend.HOST).set(PgasKey.ROUTE, route)
                .set(PgasKey.HELPER, helper).set(PgasKey.FASTPATH_CHUNK, CHUNK).set(PgasKey.RENDEZVOUS_CHUNK, PIECE);
    }

    @ParameterizedTest(name = "ranks {0}, conduit {1}, route {2}, chunks {3}, helper {4}, devices {5}, ops {6}")
    @CsvSource({
        "1, shm,      auto,       32, auto, 1, 50000",
        "2, shm,      auto,       32, auto, 1, 1000000",
        "4, shm,      direct,     32, off,  2, 100000",
        "3, loopback, auto,       32, off,  1, 10000",
        "9, shm,      auto,       32, auto, 3, 50000",
        "3, shm,      resident,   32, auto, 2, 5000",
        "2, shm,      fastpath,   32, off,  1, 50000",
        "2, shm,      fastpath,    8, on,   1, 30000",
        "3, shm,      fastpath,   16, auto, 2, 30000",
        "2, shm,      rendezvous, 32, off,  1, 50000",
        "3, shm,      rendezvous,  8, on,   2, 20000",
        "2, shm,      rendezvous, 16, auto, 1, 30000",
        "4, shm,      messages,    8, auto, 1, 30000",
        "2, loopback, fastpath,   16, on,   1, 3000",
        "3, loopback, rendezvous, 16, off,  1, 3000",
    })
    void shouldAgreeWithTheModel(int ranks, String conduit, String route, String chunks, String helper, int devices,
                                 String ops) {
        PgasConfig config = config(ranks, route, helper).set(PgasKey.CONDUIT, conduit)
                .set(PgasKey.FASTPATH_CHUNKS, chunks).set(PgasKey.HOST_DEVICES, Integer.toString(devices));
        String maxBytes = ranks > 4 || conduit.equals("loopback") ? "16384" : "262144";

        Pgas.run(config, arguments(route, ops, maxBytes), Testkit::run);
    }

    @ParameterizedTest(name = "over UCX: ranks {0}, transports {1}, ops {2}")
    @CsvSource({"2, tcp, 40000", "3, shm, 40000"})
    void shouldAgreeWithTheModelOverUcx(int ranks, String transports, String ops) {
        Ucx.assume();
        PgasConfig config = config(ranks, "auto", "auto").set(PgasKey.CONDUIT, "ucx").set(PgasKey.UCX_TLS, transports);

        Pgas.run(config, arguments("auto", ops, "16384"), Testkit::run);
    }

    // Where most of the time goes into compiling what runs for some seconds, the first compiler does. Both are in all rows
    // above, and here where the ranks write each other's memory themselves and once where they send messages.
    @ParameterizedTest(name = "ranks {0}, processes {1}, route {2}, helper {3}, ops {4}, compilers {5}")
    @CsvSource({
        "2, 2, auto,       auto, 100000, both",
        "4, 2, direct,     off,  50000,  both",
        "2, 2, fastpath,   off,  20000,  both",
        "2, 2, fastpath,   on,   30000,  first",
        "3, 2, fastpath,   auto, 10000,  first",
        "2, 2, rendezvous, off,  30000,  first",
        "2, 2, rendezvous, on,   20000,  first",
        "3, 3, messages,   auto, 10000,  first",
    })
    @Tag("multiprocess")
    void shouldAgreeWithTheModelAcrossJvms(String ranks, String processes, String route, String helper, String ops,
                                           String compilers) throws Exception {
        List<String> command = new ArrayList<>(List.of("-n", ranks, "--processes", processes, "--route", route, "--helper",
                helper, "--set", "pgas.fastpath.chunk=" + CHUNK, "--set", "pgas.rendezvous.chunk=" + PIECE, "--device", "host"));
        if (!compilers.equals("both")) {
            command.add("--java-opt=-XX:TieredStopAtLevel=1");
        }
        command.add(Testkit.class.getName());
        command.addAll(arguments(route, ops, "262144"));

        ProcessHarness.Result result = ProcessHarness.launch(command, Duration.ofSeconds(280));

        assertEquals(0, result.exitCode(), result::output);
        assertTrue(result.output().contains("0 mismatches") && result.output().contains("processes=" + processes),
                result::output);
    }

    /** With a seed of which it is known that it reads what is written late; of others some read it only when it is there. */
    private static List<String> withSeed(List<String> arguments) {
        List<String> all = new ArrayList<>(arguments);
        all.addAll(List.of("--seed", "4711"));
        return all;
    }

    @ParameterizedTest
    @EnumSource
    void shouldNoticeAFault(LitmusFault fault) {
        PgasException e = assertThrows(PgasException.class, () -> Pgas.run(config(2, "auto", "off"),
                withSeed(arguments("auto", "20000", "16384")), rank -> Testkit.run(fault.in(rank))));

        assertTrue(e.getMessage().startsWith("random: ") && e.getMessage().contains(" mismatches on rank "),
                e.getMessage());
    }
}
