package org.pgas4j.fastpath.conduit.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.PeerLostException;
import org.pgas4j.PgasException;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.UsageException;
import org.pgas4j.fastpath.conduit.Conduit;
import org.pgas4j.fastpath.conduit.ConduitOptions;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.conduit.HostSegment;
import org.pgas4j.fastpath.conduit.SegmentAddress;

/** Rank 0 is this JVM, rank 1 another one, which is killed. */
@Timeout(300)
class UcxProcessTest {

    private static final long BYTES = 1 << 20;

    private final List<Process> started = new ArrayList<>();

    /** The other JVM: offers a segment, and progresses until its input ends. */
    static final class Other {

        private Other() {
        }

        public static void main(String[] args) throws IOException {
            try (Conduit conduit = new UcxConduit(options(args[0], args[1], 20, () -> { }))) {
                HostSegment segment = conduit.create(1, "segment", BYTES);
                System.out.println(HexFormat.of().formatHex(segment.address().key()));
                while (System.in.available() == 0) {
                    conduit.progress(1);
                }
            }
        }
    }

    private static ConduitOptions options(String tls, String errors, int seconds, Runnable checkAborted) {
        return new ConduitOptions(2, 2, TimeUnit.SECONDS.toNanos(seconds), checkAborted, tls, errors);
    }

    @BeforeEach
    void requireUcx() {
        try {
            Ucp.require("this test");
        } catch (UsageException e) {
            Assumptions.assumeTrue(Boolean.getBoolean("test.require.ucx"), e.getMessage());
            throw e;
        }
    }

    @AfterEach
    void kill() throws InterruptedException {
        for (Process process : started) {
            process.destroyForcibly().waitFor();
        }
    }

    private Process start(String tls, String errors) throws IOException {
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp",
                System.getProperty("java.class.path"), Other.class.getName(), tls, errors)
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        started.add(process);
        return process;
    }

    private static SegmentAddress address(BufferedReader output) throws IOException {
        String line = output.readLine();
        return new SegmentAddress("", BYTES, HexFormat.of().parseHex(line));
    }

    private static Set<String> shared() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
            return files.map(file -> file.getFileName().toString()).filter(name -> name.startsWith("ucx"))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm", "tcp", "auto"})
    void aProcessThatIsKilledLeavesNothing(String tls) throws Exception {
        Set<String> before = shared();
        Process other = start(tls, "none");
        try (Conduit conduit = new UcxConduit(options(tls, "none", 20, () -> { }));
                BufferedReader output = other.inputReader()) {
            conduit.create(0, "segment", BYTES);
            Endpoint endpoint = conduit.connect(0, 1, address(output));
            endpoint.putWordRelease(8, 42);
            endpoint.flush();
            assertEquals(42, endpoint.getWordAcquire(8));
            other.destroyForcibly().waitFor();
            Set<String> left = shared();
            left.removeAll(before);
            assertTrue(left.isEmpty(), left::toString);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm", "tcp"})
    void aPeerThatIsKilledIsLost(String tls) throws Exception {
        Process other = start(tls, "peer");
        try (Conduit conduit = new UcxConduit(options(tls, "peer", 20, () -> { }));
                BufferedReader output = other.inputReader()) {
            conduit.create(0, "segment", BYTES);
            Endpoint endpoint = conduit.connect(0, 1, address(output));
            endpoint.putWordRelease(8, 42);
            endpoint.flush();
            other.destroyForcibly().waitFor();
            PeerLostException lost = assertThrows(PeerLostException.class, () -> putForever(conduit, endpoint));
            assertTrue(lost.getMessage().contains("rank 0 to rank 1"), lost.getMessage());
        }
    }

    private static void putForever(Conduit conduit, Endpoint endpoint) {
        while (true) {
            endpoint.putWordRelease(8, 43);
            endpoint.flush();
            conduit.progress(0);
        }
    }

    /** The other may be slow to begin: the deadline is for the wait that follows. */
    private static void awaitAnswer(Endpoint endpoint) {
        while (true) {
            try {
                endpoint.getWordAcquire(8);
                return;
            } catch (PgasTimeoutException e) {
                System.out.println("not yet: " + e.getMessage());
            }
        }
    }

    private static void getForever(Endpoint endpoint) {
        while (true) {
            endpoint.getWordAcquire(8);
        }
    }

    @Test
    void aPeerThatDoesNothingIsWaitedForUntilTheDeadline() throws Exception {
        Process other = start("tcp", "none");
        try (Conduit conduit = new UcxConduit(options("tcp", "none", 1, () -> { }));
                BufferedReader output = other.inputReader()) {
            Endpoint endpoint = conduit.connect(0, 1, address(output));
            awaitAnswer(endpoint);
            stop(other, "STOP");
            PgasTimeoutException late = assertThrows(PgasTimeoutException.class, () -> getForever(endpoint));
            assertTrue(late.getMessage().contains("rank 0 waits for rank 1"), late.getMessage());
            stop(other, "CONT");
        }
    }

    @Test
    void aFailedJobEndsAWait() throws Exception {
        Process other = start("tcp", "none");
        PgasException failure = new PgasException("the job has failed");
        boolean[] failed = new boolean[1];
        try (Conduit conduit = new UcxConduit(options("tcp", "none", 20, () -> {
            if (failed[0]) {
                throw failure;
            }
        })); BufferedReader output = other.inputReader()) {
            Endpoint endpoint = conduit.connect(0, 1, address(output));
            endpoint.getWordAcquire(8);
            stop(other, "STOP");
            failed[0] = true;
            assertEquals(failure, assertThrows(PgasException.class, () -> getForever(endpoint)));
            stop(other, "CONT");
        }
    }

    private static void stop(Process process, String signal) throws IOException, InterruptedException {
        assertEquals(0, new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor());
    }
}
