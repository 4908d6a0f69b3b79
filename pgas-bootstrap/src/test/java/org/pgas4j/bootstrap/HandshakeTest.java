package org.pgas4j.bootstrap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.BootstrapException;
import org.pgas4j.RefusedException;

@Timeout(30)
class HandshakeTest {

    @Test
    void shouldLetInWhoProvesTheSecret() throws Exception {
        try (TestJob job = new TestJob(2, 4)) {
            NettyBootstrap jvm = job.connect(1);

            assertTrue(job.sees("joined 1"));
            assertEquals(2, jvm.firstRank(1));
            assertEquals(0, job.coordinator.refusals());
        }
    }

    @Test
    void shouldRefuseWrongSecretBeforeAnythingElse() {
        try (TestJob job = new TestJob(2, 4)) {
            Identity wrongInAll = new Identity("other", 77, 0, 99, 1, 0,
                    new byte[Identity.NONCE_BYTES], "elsewhere");

            refused(job, JobSecret.random(), wrongInAll, Identity.VERSION, Refusal.SECRET);
        }
    }

    @Test
    void shouldRefuseWrongVersionJobBuildAndSize() {
        try (TestJob job = new TestJob(2, 4)) {
            long build = Identity.thisBuild();

            refused(job, job.secret, job.identity(0), Identity.VERSION + 1, Refusal.VERSION);
            refused(job, job.secret, jvm("other", 0, 2, 4, build), Identity.VERSION, Refusal.JOB);
            refused(job, job.secret, jvm(TestJob.JOB, 0, 2, 4, build + 1), Identity.VERSION,
                    Refusal.BUILD);
            refused(job, job.secret, jvm(TestJob.JOB, 0, 3, 4, build), Identity.VERSION, Refusal.SIZE);
            refused(job, job.secret, jvm(TestJob.JOB, 0, 2, 5, build), Identity.VERSION, Refusal.SIZE);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 2, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void shouldRefuseProcessOutsideTheJob(int process) {
        try (TestJob job = new TestJob(2, 4)) {
            Identity identity = jvm(TestJob.JOB, process, 2, 4, Identity.thisBuild());

            assertEquals(Refusal.RANGE, rawRefusal(job, identity));
        }
    }

    @Test
    void shouldRefuseSecondJvmOfTheSameNumber() throws Exception {
        try (TestJob job = new TestJob(2, 4)) {
            NettyBootstrap first = job.connect(1);

            refused(job, job.secret, job.identity(1), Identity.VERSION, Refusal.DUPLICATE);
            first.close();
            assertTrue(job.sees("disconnected 1"));
            refused(job, job.secret, job.identity(1), Identity.VERSION, Refusal.DUPLICATE);
        }
    }

    @Test
    void shouldRefuseReplayedTranscript() throws IOException {
        try (TestJob job = new TestJob(2, 4)) {
            byte[] recorded;
            try (RawClient good = new RawClient(job.coordinator.port())) {
                recorded = RawClient.proofFrame(job.secret, good.greet(), job.identity(0));
                good.send(recorded);
                assertEquals(Identity.ACCEPTED, good.readFrame()[0]);
            }

            for (int i = 0; i < 1_000; i++) {
                try (RawClient replay = new RawClient(job.coordinator.port())) {
                    replay.greet();
                    replay.send(recorded);
                    assertEquals(Refusal.SECRET, replay.readRefusal());
                }
            }
        }
    }

    @Test
    void shouldChallengeEachConnectionDifferently() throws IOException {
        try (TestJob job = new TestJob(1, 1); RawClient one = new RawClient(job.coordinator.port());
                RawClient other = new RawClient(job.coordinator.port())) {
            byte[] first = one.greet();
            byte[] second = other.greet();

            assertEquals(Identity.NONCE_BYTES, first.length);
            assertFalse(Arrays.equals(first, second));
        }
    }

    @Test
    void shouldNotTrustACoordinatorWithoutTheSecret() throws Exception {
        JobSecret secret = JobSecret.random();
        Identity self = jvm("j", 0, 1, 1, Identity.thisBuild());
        try (ServerSocket impostor = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread thread = Thread.ofPlatform().daemon().start(() -> accept(impostor));

            RefusedException refusal = assertThrows(RefusedException.class, () -> NettyBootstrap.connect(
                    MeetingPoint.loopback(impostor.getLocalPort()), secret, self, Identity.VERSION, new ProcessLayout(1, 1),
                    Duration.ofSeconds(5)));

            assertTrue(refusal.getMessage().contains("could not prove the secret of job j"), refusal.getMessage());
            thread.join();
        }
    }

    private static void accept(ServerSocket impostor) {
        try (Socket socket = impostor.accept()) {
            byte[] challenge = RawClient.frame(new byte[] {Identity.CHALLENGE}, new byte[Identity.NONCE_BYTES]);
            socket.getOutputStream().write(challenge);
            byte[] accepted = RawClient.frame(new byte[] {Identity.ACCEPTED}, new byte[JobSecret.PROOF_BYTES]);
            socket.getOutputStream().write(accepted);
            socket.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void shouldNameAddressAndTimeIfNobodyAnswers() throws Exception {
        Identity self = jvm("j", 3, 4, 4, 0);
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            BootstrapException timeout = assertThrows(BootstrapException.class, () -> NettyBootstrap.connect(
                    MeetingPoint.loopback(silent.getLocalPort()), JobSecret.random(), self, Identity.VERSION,
                    new ProcessLayout(4, 4), Duration.ofMillis(200)));

            assertTrue(timeout.getMessage().contains("did not accept process 3 within 200 ms"), timeout.getMessage());
            assertEquals(10, timeout.exitCode());
        }
    }

    @Test
    void shouldDropWhoDoesNotProveInTime() throws IOException {
        try (TestJob job = new TestJob(1, 1,
                CoordinatorOptions.loopback().withHandshake(Duration.ofMillis(200)));
                RawClient slow = new RawClient(job.coordinator.port())) {
            slow.send(new byte[] {1, 2, 3});

            assertTrue(slow.isClosedByPeer());
            assertTrue(job.log.peek().contains(Refusal.LATE.message()), job.log.peek());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, Identity.MAX_BEFORE_PROOF + 1})
    void shouldRefuseImpossibleLengths(int length) throws IOException {
        try (TestJob job = new TestJob(1, 1); RawClient client = new RawClient(job.coordinator.port())) {
            client.send(new byte[] {(byte) length, (byte) (length >> 8), (byte) (length >> 16), (byte) (length >> 24)});

            assertTrue(client.isClosedByPeer());
            assertNotEquals(0, job.coordinator.refusals());
            assertTrue(job.events.isEmpty());
        }
    }

    @Test
    void shouldRefuseMoreThan512BytesBeforeTheProof() throws IOException {
        try (TestJob job = new TestJob(1, 1); RawClient client = new RawClient(job.coordinator.port())) {
            byte[] many = new byte[Identity.MAX_BEFORE_PROOF + 1];
            many[1] = (byte) (Identity.MAX_BEFORE_PROOF >> Byte.SIZE); // a frame that is longer than the limit

            client.send(many);

            assertTrue(client.isClosedByPeer());
            assertTrue(job.log.peek().contains(Refusal.LENGTH.message()), job.log.peek());
        }
    }

    @Test
    void shouldDropTheOldestOfTooManyWithoutProof() throws IOException {
        try (TestJob job = new TestJob(1, 1); RawClient oldest = new RawClient(job.coordinator.port())) {
            oldest.greet();
            RawClient[] others = new RawClient[HalfOpenConnections.MAX];
            for (int i = 0; i < others.length; i++) {
                others[i] = new RawClient(job.coordinator.port());
                others[i].greet();
            }

            assertEquals(Refusal.CROWDED, oldest.readRefusal());
            assertEquals(0, job.connect(0).process());
            for (RawClient other : others) {
                other.close();
            }
        }
    }

    @Test
    void shouldNotShowTheSecret() {
        JobSecret secret = JobSecret.random();

        assertFalse(secret.toString().contains(secret.toHex().substring(0, 8)));
        assertThrows(IllegalArgumentException.class, () -> JobSecret.ofHex(secret.toHex().substring(1)));
        assertArrayEquals(secret.proof(new byte[1]), JobSecret.ofHex(secret.toHex()).proof(new byte[1]));
    }

    private static Identity jvm(String job, int process, int processes, int ranks, long build) {
        return new Identity(job, process, 0, processes, ranks, build, JobSecret.randomBytes(Identity.NONCE_BYTES),
                "here");
    }

    private static void refused(TestJob job, JobSecret secret, Identity as, int version, Refusal expected) {
        RefusedException refusal = assertThrows(RefusedException.class, () -> job.connect(secret, as, version));
        assertTrue(refusal.getMessage().contains("[" + expected + "]"), refusal.getMessage());
        assertEquals(11, refusal.exitCode());
    }

    private static Refusal rawRefusal(TestJob job, Identity identity) {
        try (RawClient client = new RawClient(job.coordinator.port())) {
            client.send(RawClient.proofFrame(job.secret, client.greet(), identity));
            return client.readRefusal();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
