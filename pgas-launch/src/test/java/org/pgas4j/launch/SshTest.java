package org.pgas4j.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.pgas4j.testkit.harness.FreePort;

/** Jobs on hosts that are reached by ssh: this machine under two names, with a daemon and keys of the test's own. */
@Tag("multiprocess")
@Timeout(300)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class SshTest {

    private static final Path DAEMON = Path.of("/usr/sbin/sshd");

    @TempDir
    private Path folder;

    private Process daemon;
    private Path config;

    @BeforeEach
    void startDaemon() throws Exception {
        boolean there = Files.isExecutable(DAEMON) && Files.isExecutable(Path.of("/usr/bin/ssh"));
        if (!there && Boolean.getBoolean("test.require.ssh")) {
            throw new IllegalStateException("-Dtest.require.ssh=true, but there is no " + DAEMON + " or no ssh");
        }
        assumeTrue(there, "needs openssh-server and openssh-client");
        if (System.getProperty("user.name").equals("root")) {
            Files.createDirectories(Path.of("/run/sshd")); // where the daemon gives up its rights
        }
        for (String name : List.of("host_key", "user_key")) {
            assertEquals(0, new ProcessBuilder("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder.resolve(name)
                    .toString()).inheritIO().start().waitFor());
        }
        Path keys = Files.copy(folder.resolve("user_key.pub"), folder.resolve("authorized_keys"));
        int port = FreePort.take();
        Path server = Files.writeString(folder.resolve("sshd_config"), String.join("\n", "Port " + port,
                "ListenAddress 127.0.0.1", "HostKey " + folder.resolve("host_key"), "AuthorizedKeysFile " + keys,
                "StrictModes no", "PasswordAuthentication no", "PidFile none", "UsePAM no", "PermitRootLogin yes", ""));
        String hostKey = Files.readString(folder.resolve("host_key.pub"));
        Files.writeString(folder.resolve("known_hosts"), "[127.0.0.1]:" + port + " " + hostKey);
        config = Files.writeString(folder.resolve("ssh_config"), String.join("\n", "Host node-*", "HostName 127.0.0.1",
                "Port " + port, "IdentityFile " + folder.resolve("user_key"), "IdentitiesOnly yes", "BatchMode yes",
                "UserKnownHostsFile " + folder.resolve("known_hosts"), "StrictHostKeyChecking yes", ""));
        daemon = new ProcessBuilder(DAEMON.toString(), "-D", "-e", "-f", server.toString()).redirectErrorStream(true)
                .redirectOutput(folder.resolve("sshd.log").toFile()).start();
        for (long end = System.nanoTime() + 30_000_000_000L; System.nanoTime() - end < 0; Thread.sleep(20)) {
            if (answers(port)) {
                return;
            }
        }
        throw new IllegalStateException("sshd does not listen: " + Files.readString(folder.resolve("sshd.log")));
    }

    private static boolean answers(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return new String(socket.getInputStream().readNBytes(4), StandardCharsets.US_ASCII).equals("SSH-");
        } catch (IOException _) {
            return false;
        }
    }

    @AfterEach
    void stopDaemon() throws Exception {
        if (daemon != null) {
            daemon.destroy();
            if (!daemon.waitFor(10, TimeUnit.SECONDS)) {
                daemon.destroyForcibly();
            }
        }
    }

    private Launched start(String... words) throws IOException {
        List<String> all = new ArrayList<>(List.of("--rsh", "ssh -F " + config, "-H", "node-a,node-b", "--iface",
                "lo", "--wait-timeout", "120s"));
        all.addAll(List.of(words));
        return Launched.start(folder, all.toArray(String[]::new));
    }

    @Test
    void shouldRunOverSsh() throws Exception {
        try (Launched job = start("-x", "PGAS_TEST_VARIABLE=over ssh", "--device", "host", "--", "idle", "two 'words'")) {
            assertEquals(0, job.await(), () -> job.err.toString());
            for (int process = 0; process < 2; process++) {
                assertTrue(job.out.contains("[p" + process + "] idle idle,two 'words' host over ssh"), job.out::toString);
            }
        }
    }

    @Test
    void shouldEndOverSsh() throws Exception {
        try (Launched job = start("--", "spin")) {
            List<ProcessHandle> jvms = job.awaitJvms(2);
            job.process.destroyForcibly();
            for (long end = System.nanoTime() + LaunchProgram.WAIT_NS / 3; jvms.stream().anyMatch(ProcessHandle::isAlive);
                    Thread.sleep(20)) {
                assertTrue(System.nanoTime() - end < 0, "ranks live on without their launcher");
            }
        }
    }

    @Test
    void shouldSayWhatSshSays() throws Exception {
        Files.delete(folder.resolve("known_hosts"));
        try (Launched job = start("--", "done")) {
            assertEquals(10, job.await(), () -> job.err.toString());
            assertTrue(job.lastError().contains("' ended with status 255: Host key verification failed."), job.lastError());
        }
    }
}
