package org.pgas4j.launch.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.device.cuda.CudaProbe;
import org.pgas4j.device.select.Devices;
import org.pgas4j.testkit.Testkit;
import org.pgas4j.testkit.harness.ProcessHarness;

/**
 * The contracts with ranks in several JVMs, started by the launcher as a user starts them. {@link ContractTest} has every
 * contract on every route; here each route carries what goes another way between JVMs, and a job runs all that it can. One job
 * at a time: each has more ranks and helpers that look around than there are processors.
 */
@Tag("multiprocess")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
@Tag("slow")
class ProcessContractTest {

    private static ProcessHarness.Result launch(String... arguments) throws Exception {
        // Many JVMs on few processors are slow, not wrong.
        List<String> words = new ArrayList<>(List.of("--wait-timeout", "120s"));
        words.addAll(List.of(arguments));
        return ProcessHarness.launchQuick(words, Duration.ofSeconds(280));
    }

    // Vectors of four ranks, and of those on two nodes, have no helpers: those of JVMs that outnumber the processors look
    // around for as long as the ranks work. Other vectors have them. A job costs four seconds of a processor before it begins.
    @ParameterizedTest(name = "ranks {0}, processes {1}, route {2}, helper {3}, contracts {4}")
    @CsvSource({
        "2,  2, auto,       auto, transfer stream stream-collectives atomic lock pieces remote vectors ranges arrays sorts",
        "2,  2, fastpath,   auto, transfer",
        "2,  2, rendezvous, auto, transfer collective stream window",
        "3,  2, fastpath,   auto, collective stream window atomic lock pieces remote pointers",
        "4,  2, direct,     auto, transfer allocation collective stream",
        "3,  3, auto,       auto, allocation pointers collective window",
        "2,  2, resident,   auto, transfer window",
        "16, 4, auto,       auto, collective stream teams",
        "4,  2, rendezvous, off,  vectors",
        "3,  3, fastpath,   auto, vectors ranges arrays sorts teams allocation",
    })
    void shouldKeepTheContract(String ranks, String processes, String route, String helper, String contracts)
            throws Exception {
        List<String> arguments = new ArrayList<>(List.of("-n", ranks, "--processes", processes, "--route", route, "--helper",
                helper, "--device", "host", Testkit.class.getName(), "contract"));
        arguments.addAll(List.of(contracts.split(" ")));

        ProcessHarness.Result result = launch(arguments.toArray(String[]::new));

        assertEquals(0, result.exitCode(), result::output);
        for (String contract : contracts.split(" ")) {
            assertTrue(result.output().contains("[0] contract " + contract + ": "), result::output);
        }
        assertTrue(result.output().contains("ranks=" + ranks + " processes=" + processes), result::output);
    }

    /** On one node. {@link #shouldKeepTheContractOnTwoNodes} has the other routes over TCP. */
    @ParameterizedTest(name = "over UCX: transports {0}, route {1}, contracts {2}")
    @CsvSource({
        "shm, auto,       transfer allocation collective stream window",
        "shm, fastpath,   transfer",
        "tcp, fastpath,   atomic remote",
        "shm, rendezvous, stream window",
    })
    void shouldKeepTheContractOverUcx(String transports, String route, String contracts) throws Exception {
        Ucx.assume();
        List<String> arguments = new ArrayList<>(List.of("-n", "2", "--processes", "2", "--route", route, "--device", "host",
                "--conduit", "ucx", "--set", "pgas.ucx.tls=" + transports, Testkit.class.getName(), "contract"));
        arguments.addAll(List.of(contracts.split(" ")));

        ProcessHarness.Result result = launch(arguments.toArray(String[]::new));

        assertEquals(0, result.exitCode(), result::output);
        for (String contract : contracts.split(" ")) {
            assertTrue(result.output().contains("[0] contract " + contract + ": "), result::output);
        }
    }

    /** Every {@code jvms} JVMs play a node: shared memory within it, UCX over TCP between them. */
    @ParameterizedTest(name = "two nodes: ranks {0}, processes {1}, {2} to a node, route {3}, helper {4}, contracts {5}")
    @CsvSource({
        "2, 2, 1, auto,       auto, transfer allocation collective stream window ranges arrays sorts",
        "3, 3, 2, auto,       auto, collective atomic lock remote teams pointers",
        "3, 3, 2, auto,       off,  vectors",
        "3, 2, 1, fastpath,   auto, collective window",
        "4, 4, 2, rendezvous, auto, stream",
        "6, 2, 1, auto,       auto, collective",
    })
    void shouldKeepTheContractOnTwoNodes(String ranks, String processes, String jvms, String route, String helper,
                                         String contracts) throws Exception {
        Ucx.assume();
        List<String> arguments = new ArrayList<>(List.of("-n", ranks, "--processes", processes, "--route", route, "--helper",
                helper, "--device", "host", "--set", "pgas.node.processes=" + jvms, "--set", "pgas.ucx.tls=tcp",
                Testkit.class.getName(), "contract"));
        arguments.addAll(List.of(contracts.split(" ")));

        ProcessHarness.Result result = launch(arguments.toArray(String[]::new));

        assertEquals(0, result.exitCode(), result::output);
        for (String contract : contracts.split(" ")) {
            assertTrue(result.output().contains("[0] contract " + contract + ": "), result::output);
        }
        assertTrue(result.output().contains("device=host nodes=2"), result::output);
    }

    /** With several ways for a put, UCX's fence would wait for all peers and keep the worker of a rank from others meanwhile. */
    @Test
    void shouldKeepTheContractWhereAFenceIsAFlush() throws Exception {
        Ucx.assume();
        ProcessHarness.Result result = launch("-n", "6", "--processes", "2", "--device", "host", "--set",
                "pgas.node.processes=1", "--set", "pgas.ucx.tls=tcp", "-x", "UCX_PROTO_ENABLE=y", "--explain",
                Testkit.class.getName(), "contract", "window");

        assertEquals(0, result.exitCode(), result::output);
        assertTrue(result.output().contains("a flush for each fence"), result::output);
        assertTrue(result.output().contains("[0] contract window: "), result::output);
    }

    @Test
    void shouldRefuseSharedMemoryBetweenNodes() throws Exception {
        ProcessHarness.Result result = launch("-n", "2", "--processes", "2", "--conduit", "shm", "--device", "host",
                "--set", "pgas.node.processes=1", Testkit.class.getName(), "contract");

        assertEquals(2, result.exitCode(), result::output);
        assertTrue(result.output().contains("pgas.conduit=shm works on one node, the job has 2"), result::output);
    }

    @Test
    void shouldRefuseTheLoopbackConduitForSeveralProcesses() throws Exception {
        ProcessHarness.Result result = launch("-n", "2", "--processes", "2", "--conduit", "loopback", "--device", "host",
                Testkit.class.getName(), "contract");

        assertEquals(2, result.exitCode(), result::output);
        assertTrue(result.output().contains("pgas.conduit=shm"), result::output);
    }

    @ParameterizedTest(name = "on GPUs: ranks {0}, processes {1}, route {2}")
    @CsvSource({"2, 1, auto", "2, 2, auto", "2, 1, fastpath", "2, 2, fastpath",
        "2, 1, rendezvous", "2, 2, rendezvous", "4, 2, auto"})
    @Tag("gpu")
    void shouldKeepTheContractOnGpus(String ranks, String processes, String route) throws Exception {
        CudaProbe probe = Devices.probeCuda();
        assumeTrue(probe.backend().isPresent(), probe.verdict());
        probe.backend().get().close();

        ProcessHarness.Result result = launch("-n", ranks, "--processes", processes, "--route", route, "--device", "cuda",
                Testkit.class.getName(), "contract");

        assertEquals(0, result.exitCode(), result::output);
        assertTrue(result.output().contains("processes=" + processes + " device=cuda"), result::output);
    }
}
