package org.pgas4j.bootstrap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import javax.net.ServerSocketFactory;
import javax.net.SocketFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.BootstrapException;
import org.pgas4j.RefusedException;

@Timeout(60)
class TlsTest {

    private static final CoordinatorOptions TLS = CoordinatorOptions.loopback().withTls(true);

    private static MeetingPoint through(int port) {
        return new MeetingPoint("127.0.0.1", port, true, "the launcher");
    }

    @Test
    void shouldGatherOverTlsAndShowNothing() throws Exception {
        byte[] mine = "recognisable address of a segment".getBytes(StandardCharsets.UTF_8);
        try (TestJob job = new TestJob(2, 2, TLS); Relayed wire = new Relayed(job.coordinator.port(), null)) {
            NettyBootstrap zero = NettyBootstrap.connect(through(wire.port()), job.secret, TestJob.JOB, 0, job.layout,
                    Duration.ofSeconds(10));
            NettyBootstrap one = job.connect(1);
            var theirs = CompletableFuture.supplyAsync(() -> one.allGather("key", mine, TestJob.deadline(10_000)));

            assertArrayEquals(mine, zero.allGather("key", mine, TestJob.deadline(10_000))[1]);
            theirs.get();
            zero.close();

            String seen = wire.seen();
            assertTrue(seen.length() > 500, "the wire saw " + seen.length() + " bytes");
            assertFalse(seen.contains("recognisable"), "readable on the wire");
            assertFalse(seen.contains("PGAS4J"), "the greeting is readable on the wire");
        }
    }

    @Test
    void shouldMakeAnotherCertificateForEachJob() throws Exception {
        JobCertificate one = JobCertificate.create();
        JobCertificate other = JobCertificate.create();

        one.certificate().verify(one.certificate().getPublicKey());
        one.certificate().checkValidity();
        assertNotEquals(one.certificate(), other.certificate());
        assertEquals("CN=pgas4j job", one.certificate().getSubjectX500Principal().getName());
    }

    /** It speaks TLS with both, has a certificate of its own and passes every byte on. */
    @Test
    void shouldRefuseWhatAManInTheMiddlePassesOn() throws Exception {
        try (TestJob job = new TestJob(1, 1, TLS);
                Relayed man = new Relayed(job.coordinator.port(), JobCertificate.create())) {
            RefusedException refused = assertThrows(RefusedException.class, () -> NettyBootstrap.connect(
                    through(man.port()), job.secret, TestJob.JOB, 0, job.layout, Duration.ofSeconds(10)));

            assertTrue(refused.getMessage().contains("[SECRET]"), refused.getMessage());
            assertTrue(man.seen().contains("PGAS4J"), "it did not even read the greeting: the test is wrong");
            assertTrue(job.events.isEmpty(), job.events.toString());
            assertEquals(0, job.connect(0).process()); // who comes directly is let in
        }
    }

    @Test
    void shouldSayThatOneSideSpeaksTlsAndTheOtherDoesNot() {
        try (TestJob secured = new TestJob(1, 1, TLS); TestJob plain = new TestJob(1, 1)) {
            BootstrapException toSecured = assertThrows(BootstrapException.class, () -> NettyBootstrap.connect(
                    MeetingPoint.loopback(secured.coordinator.port()), secured.secret, TestJob.JOB, 0, secured.layout,
                    Duration.ofSeconds(10)));
            BootstrapException toPlain = assertThrows(BootstrapException.class, () -> NettyBootstrap.connect(
                    through(plain.coordinator.port()), plain.secret, TestJob.JOB, 0, plain.layout,
                    Duration.ofSeconds(10)));

            assertTrue(secured.log.peek().contains(Refusal.TLS.message()), secured.log.peek());
            assertTrue(toSecured.getMessage().contains("pgas.tls"), toSecured.getMessage());
            assertTrue(toPlain.getMessage().contains("pgas.tls"), toPlain.getMessage());
        }
    }

    @Test
    void shouldCountTheTlsHandshakeInTheDeadline() throws IOException {
        try (TestJob job = new TestJob(1, 1, TLS.withHandshake(Duration.ofMillis(300)));
                RawClient silent = new RawClient(job.coordinator.port())) {
            silent.send(new byte[] {0x16, 3, 1, 1, 0}); // the start of a TLS record that never ends

            assertTrue(silent.isClosedByPeer());
            assertEquals(1, job.coordinator.refusals());
            assertTrue(job.events.isEmpty());
        }
    }

    @Test
    void shouldRefuseEndlessBytesBeforeTheProof() throws IOException {
        try (TestJob job = new TestJob(1, 1, TLS); RawClient client = new RawClient(job.coordinator.port())) {
            byte[] record = new byte[5 + (16 << 10)];
            record[0] = 0x16;
            record[1] = 3;
            record[2] = 1;
            record[3] = 0x40;
            client.send(record);

            assertTrue(client.isClosedByPeer());
            assertEquals(1, job.coordinator.refusals());
        }
    }

    /** Passes bytes between one client and a coordinator and keeps them: below TLS, or with a certificate, above it. */
    private static final class Relayed implements AutoCloseable {

        private final ServerSocket door;
        private final ByteArrayOutputStream seen = new ByteArrayOutputStream();

        Relayed(int port, JobCertificate own) throws Exception {
            ServerSocketFactory servers = ServerSocketFactory.getDefault();
            SocketFactory sockets = SocketFactory.getDefault();
            if (own != null) {
                KeyStore keys = KeyStore.getInstance("PKCS12");
                keys.load(null, null);
                keys.setKeyEntry("own", own.key(), new char[0],
                        new java.security.cert.Certificate[] {own.certificate()});
                KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
                managers.init(keys, new char[0]);
                SSLContext context = SSLContext.getInstance("TLSv1.3");
                context.init(managers.getKeyManagers(), InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
                servers = context.getServerSocketFactory();
                sockets = context.getSocketFactory();
            }
            door = servers.createServerSocket(0, 1, InetAddress.getLoopbackAddress());
            assertEquals(own != null, door instanceof SSLServerSocket);
            SocketFactory out = sockets;
            Thread.ofPlatform().daemon().start(() -> pass(out, port));
        }

        int port() {
            return door.getLocalPort();
        }

        synchronized String seen() {
            return seen.toString(StandardCharsets.ISO_8859_1);
        }

        private void pass(SocketFactory sockets, int port) {
            try (Socket client = door.accept();
                    Socket server = sockets.createSocket(InetAddress.getLoopbackAddress(), port)) {
                if (server instanceof SSLSocket secured) {
                    secured.startHandshake();
                }
                Thread back = Thread.ofPlatform().daemon().start(() -> copy(server, client));
                copy(client, server);
                back.join();
            } catch (IOException | InterruptedException e) {
                assertFalse(e.getMessage().isEmpty()); // a side has gone: so does this one
            }
        }

        private void copy(Socket from, Socket to) {
            byte[] bytes = new byte[4096];
            try {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                    synchronized (this) {
                        seen.write(bytes, 0, read);
                    }
                    out.write(bytes, 0, read);
                    out.flush();
                }
                to.shutdownOutput();
            } catch (IOException e) {
                assertTrue(from.isClosed() || to.isClosed() || e.getMessage() != null); // one side has gone
            }
        }

        @Override
        public void close() throws IOException {
            door.close();
        }
    }
}
