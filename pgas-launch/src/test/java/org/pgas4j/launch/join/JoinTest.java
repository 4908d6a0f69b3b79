package org.pgas4j.launch.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.bootstrap.Interfaces;
import org.pgas4j.launch.job.WaitingTest;
import org.pgas4j.testkit.harness.FreePort;

/** Jobs of JVMs that nothing but settings tell who they are. */
@Timeout(300)
@Tag("slow")
class JoinTest {

    @TempDir
    private Path folder;
    private final List<Jvm> started = new ArrayList<>();

    @AfterEach
    void endAll() {
        started.forEach(Jvm::close);
    }

    private Jvm start(int rank, int size, List<String> properties, String what) throws IOException {
        List<String> all = new ArrayList<>(List.of("pgas.rank=" + rank, "pgas.size=" + size, "pgas.job.id=j",
                "pgas.join.dir=" + folder.resolve("jobs")));
        all.addAll(properties);
        Jvm jvm = Jvm.start(List.of(), Map.of(), all, what);
        started.add(jvm);
        return jvm;
    }

    private static void awaitSuccess(List<Jvm> jvms) throws InterruptedException {
        for (Jvm jvm : jvms) {
            assertEquals(0, jvm.await(), () -> jvm.lines.toString());
        }
    }

    @WaitingTest
    void shouldJoinByAFileThatIsGoneAfterwards() throws Exception {
        Files.createDirectory(folder.resolve("jobs"), PosixFilePermissions.asFileAttribute(
                PosixFilePermissions.fromString("rwx------")));
        MeetingFile.create("j", List.of("127.0.0.1"), 1, false, org.pgas4j.bootstrap.JobSecret.random())
                .publish(folder.resolve("jobs")); // of a start before, whose process still lives
        List<String> node = List.of("pgas.local.size=2", "pgas.threads=2");
        Jvm one = start(1, 2, node, "sum");
        Jvm zero = start(0, 2, List.of("pgas.local.size=2", "pgas.threads=2", "pgas.explain=true"), "sum");

        awaitSuccess(List.of(zero, one));

        assertTrue(zero.printed("rank 1 of 4 in 2 sum 15"), zero.lines.toString());
        assertTrue(one.printed("rank 2 of 4 in 2 sum 15"), one.lines.toString());
        assertTrue(zero.printed("joined: process 0 of 2, by settings (pgas.rank=0 from property"), zero.lines.toString());
        try (var files = Files.list(folder.resolve("jobs"))) {
            assertEquals(List.of(), files.toList());
        }
    }

    @WaitingTest
    void shouldJoinBySecretAndAddressOverTls() throws Exception {
        List<String> own = Interfaces.addresses();
        assumeTrue(!own.isEmpty(), "this host has no address but the loopback one");
        Path secret = Files.writeString(folder.resolve("secret"), "of this job only, of this job only");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        List<String> given = List.of("pgas.secret.file=" + secret, "pgas.coord=" + own.getFirst() + ":" + FreePort.take());
        Jvm one = start(1, 2, given, "sum");
        Jvm zero = start(0, 2, given, "sum");

        awaitSuccess(List.of(zero, one));

        assertTrue(one.printed("rank 1 of 2 in 2 sum 3"), one.lines.toString());
        assertFalse(Files.exists(folder.resolve("jobs")), "a meeting file beside a given secret");
    }

    @WaitingTest
    void shouldNotLetInAnotherSecret() throws Exception {
        Path secret = Files.writeString(folder.resolve("secret"), "of this job only, of this job only");
        Path other = Files.writeString(folder.resolve("other"), "of another job, of another job....");
        for (Path file : List.of(secret, other)) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        }
        boolean met = false;
        // Process 0 must still wait when process 1 comes, which may take longer on a busy machine: once more, with more time.
        for (int seconds = 10; !met; seconds *= 3) {
            String point = "pgas.coord=127.0.0.1:" + FreePort.take();
            Jvm zero = start(0, 2, List.of("pgas.secret.file=" + secret, point, "pgas.join.timeout=" + seconds + "s"), "sum");
            Jvm one = start(1, 2, List.of("pgas.secret.file=" + other, point, "pgas.join.timeout=" + (seconds + 20) + "s"), "sum");
            int refused = one.await();
            int missed = zero.await();
            met = refused != 10 || seconds > 30;
            if (met) {
                assertEquals(11, refused, () -> one.lines.toString());
                assertTrue(one.printed("[SECRET]"), one.lines.toString());
                assertEquals(10, missed, () -> zero.lines.toString());
                assertTrue(zero.printed("missing process 1 (rank 1)"), zero.lines.toString());
            }
        }
    }

    @WaitingTest
    void shouldNameALostJvmInAllOthers() throws Exception {
        List<Jvm> jvms = startThree("wait");
        long victim = jvms.get(2).process.pid();
        jvms.get(2).process.toHandle().destroyForcibly();

        for (Jvm other : jvms.subList(0, 2)) {
            assertEquals(12, other.await(), () -> other.lines.toString());
            assertTrue(other.last().contains("job ended by rank 2"), other.lines.toString());
            assertTrue(other.last().contains("pid " + victim), other.lines.toString());
        }
    }

    @WaitingTest
    void shouldNameProcessZeroIfItIsLost() throws Exception {
        List<Jvm> jvms = startThree("wait");
        long victim = jvms.get(0).process.pid();
        jvms.get(0).process.toHandle().destroyForcibly();

        for (Jvm other : jvms.subList(1, 3)) {
            assertEquals(12, other.await(), () -> other.lines.toString());
            assertTrue(other.last().contains("job ended by rank 0"), other.lines.toString());
            assertTrue(other.last().contains("pid " + victim), other.lines.toString());
        }
    }

    @WaitingTest
    void shouldEndAllWithTheCodeOfAUsersException() throws Exception {
        List<Jvm> jvms = startThree("throw");

        for (Jvm jvm : jvms) {
            assertEquals(1, jvm.await(), () -> jvm.lines.toString());
            assertTrue(jvm.last().contains("job ended by rank 2"), jvm.lines.toString());
            assertTrue(jvm.last().contains("user's mistake"), jvm.lines.toString());
        }
    }

    private List<Jvm> startThree(String what) throws Exception {
        List<Jvm> jvms = new ArrayList<>();
        for (int rank = 0; rank < 3; rank++) {
            jvms.add(start(rank, 3, List.of("pgas.local.size=3"), what));
        }
        for (int rank = 0; rank < 3; rank++) {
            jvms.get(rank).awaitLine("rank " + rank + " of 3 in 3 sum 7");
        }
        return jvms;
    }

    @WaitingTest
    void shouldSayWhatToDoWhereNothingFits() throws Exception {
        Jvm coordOnly = start(0, 2, List.of("pgas.coord=127.0.0.1:4711"), "sum");
        Jvm allocation = Jvm.start(List.of(), Map.of("SLURM_JOB_ID", "7", "SLURM_NTASKS", "4"), List.of(), "sum");
        started.add(allocation);

        assertEquals(2, coordOnly.await(), () -> coordOnly.lines.toString());
        assertTrue(coordOnly.printed("without pgas.secret.file"), coordOnly.lines.toString());
        assertEquals(2, allocation.await(), () -> allocation.lines.toString());
        assertTrue(allocation.printed("Type srun before java"), allocation.lines.toString());
    }
}
