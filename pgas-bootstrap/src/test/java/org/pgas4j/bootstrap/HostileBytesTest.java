package org.pgas4j.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.BootstrapException;

/** Cost of hostile bytes, the errors that they cause, and the error of a job that cannot find itself. */
@Timeout(60)
class HostileBytesTest {

    private static final int ROUNDS = 50;
    private static final long MAX_BYTES = 64 << 10;

    @Test
    void shouldNotAllocateWhatALengthAnnounces() throws IOException {
        try (TestJob job = new TestJob(1, 1)) {
            for (int i = 0; i < ROUNDS; i++) { // classes and caches of the first connections
                announce(job, Hostile.LENGTHS[i % Hostile.LENGTHS.length]);
            }
            for (long length : Hostile.LENGTHS) {
                long direct = UnpooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
                long before = Hostile.allocatedByCoordinator();
                for (int i = 0; i < ROUNDS; i++) {
                    announce(job, length);
                }
                long each = (Hostile.allocatedByCoordinator() - before) / ROUNDS;
                assertTrue(each <= MAX_BYTES, () -> "length " + length + ": " + each + " bytes a connection");
                long kept = UnpooledByteBufAllocator.DEFAULT.metric().usedDirectMemory() - direct;
                assertTrue(kept <= MAX_BYTES, () -> "length " + length + ": " + kept + " bytes of direct memory kept");
            }
            assertTrue(job.events.isEmpty(), job.events::toString);
            assertEquals(0, job.connect(0).process());
        }
    }

    private static void announce(TestJob job, long length) throws IOException {
        try (RawClient client = new RawClient(job.coordinator.port())) {
            client.send(Hostile.length(length));
            assertTrue(client.isClosedByPeer(), () -> "length " + length);
        }
    }

    /** After the proof too: memory grows with what comes. */
    @Test
    void shouldNotAllocateWhatAMemberAnnounces() throws Exception {
        try (TestJob job = new TestJob(2, 2); RawClient member = new RawClient(job.coordinator.port())) {
            member.send(RawClient.proofFrame(job.secret, member.greet(), job.identity(1)));
            assertEquals(Identity.ACCEPTED, member.readFrame()[0]);
            member.send(ByteBufUtil.getBytes(Message.encode(new Message.Gather("begun", 1, new byte[0]))));
            long before = Hostile.allocatedByCoordinator();
            member.send(Hostile.length(Message.MAX_FRAME)); // a megabyte, of which four bytes come
            job.connect(0).allGather("begun", new byte[0], TestJob.deadline(10_000)); // by then it was read
            long after = Hostile.allocatedByCoordinator();
            assertTrue(after - before <= 4 * MAX_BYTES, () -> after - before + " bytes");
            member.send(new byte[Message.MAX_FRAME]); // its type is unknown
            assertTrue(job.sees("disconnected 1"));
            assertTrue(job.events.stream().anyMatch(event -> event.startsWith("broken 1 protocol violation")),
                    job.events::toString);
        }
    }

    @Test
    void shouldTellEachImpostorWhyAndLeaveTheJobAlone() throws IOException {
        try (TestJob job = new TestJob(2, 4)) {
            NettyBootstrap good = job.connect(1);
            for (Map.Entry<Identity, Refusal> impostor : Hostile.impostors(job).entrySet()) {
                assertEquals(impostor.getValue(), Hostile.handshake(job.coordinator.port(), job.secret, impostor.getKey()),
                        () -> impostor.getKey().toString());
                assertEquals(Refusal.SECRET,
                        Hostile.handshake(job.coordinator.port(), JobSecret.random(), impostor.getKey()));
            }
            assertEquals(Refusal.DUPLICATE,
                    Hostile.handshake(job.coordinator.port(), job.secret, job.identity(1)));
            NettyBootstrap late = job.connect(0);
            CompletableFuture<byte[][]> other = CompletableFuture.supplyAsync(() ->
                    good.allGather("all", new byte[] {1}, TestJob.deadline(10_000)));
            assertEquals(2, late.allGather("all", new byte[] {0}, TestJob.deadline(10_000)).length);
            assertEquals(2, other.join().length);
        }
    }

    @Test
    void shouldSayThatThePortIsTakenAndTheHostUnknown() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = taken.getLocalPort();
            BootstrapException failure = assertThrows(BootstrapException.class, () -> new TestJob(1, 1,
                    CoordinatorOptions.loopback().on(InetAddress.getLoopbackAddress(), port)).close());
            assertTrue(failure.getMessage().contains(":" + port), failure.getMessage());
            assertTrue(failure.getMessage().contains("in use"), failure.getMessage());
            assertEquals(10, failure.exitCode());
        }
        Identity self = Identity.ofJvm("j", 0, new ProcessLayout(1, 1));
        BootstrapException unknown = assertThrows(BootstrapException.class, () -> NettyBootstrap.connect(
                new MeetingPoint("no-such-host.invalid", 1, false, "the launcher"), JobSecret.random(), self,
                Identity.VERSION, new ProcessLayout(1, 1), Duration.ofSeconds(5)));
        assertTrue(unknown.getMessage().contains("no-such-host.invalid"), unknown.getMessage());
    }

    @Test
    void shouldMeetWhereThereIsIpv6Only() throws Exception {
        InetAddress loopback = InetAddress.getByName("::1");
        Assumptions.assumeTrue(loopback instanceof Inet6Address && NetworkInterface.getByInetAddress(loopback) != null,
                "no interface of this machine has the address ::1");
        try (TestJob job = new TestJob(1, 1, CoordinatorOptions.loopback().on(loopback, 0));
                NettyBootstrap jvm = NettyBootstrap.connect(job.coordinator.at("::1", "the launcher"), job.secret,
                        job.identity(0), Identity.VERSION, job.layout, Duration.ofSeconds(10))) {
            assertEquals(1, jvm.allGather("k", new byte[0], TestJob.deadline(10_000)).length);
        }
    }
}
