package org.pgas4j.launch.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.UsageException;
import org.pgas4j.bootstrap.JobSecret;
import org.pgas4j.launch.files.ProcessIdentity;

@Timeout(20)
class MeetingFileTest {

    @TempDir
    private Path folder;
    private Path directory;

    @BeforeEach
    void makeDirectory() {
        directory = MeetingFile.directory(folder.resolve("jobs").toString());
    }

    private static MeetingFile file(String job) throws IOException {
        return MeetingFile.create(job, List.of("10.1.2.3", "fd00::2"), 4711, true, JobSecret.random());
    }

    @Test
    void shouldBeReadAsWritten() throws IOException {
        MeetingFile written = file("job-1");
        written.publish(directory);

        MeetingFile read = MeetingFile.read(directory, "job-1");

        assertEquals(written.start(), read.start());
        assertEquals(written.addresses(), read.addresses());
        assertEquals(4711, read.port());
        assertTrue(read.tls());
        assertEquals(written.secret().toHex(), read.secret().toHex());
        assertFalse(read.isAbandoned());
        assertFalse(read.toString().contains(written.secret().toHex()));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("job-1"))));
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)));
        try (var files = Files.list(directory)) {
            assertEquals(1, files.count(), "a temporary file is left");
        }
        assertNull(MeetingFile.read(directory, "job-2"));
    }

    @Test
    void shouldReplaceAnEarlierStartAndRemoveItsOwnOnly() throws IOException {
        MeetingFile stale = file("job");
        stale.publish(directory);
        MeetingFile now = file("job");
        now.publish(directory);

        stale.remove(directory);
        assertEquals(now.start(), MeetingFile.read(directory, "job").start());
        assertNotEquals(stale.start(), now.start());
        now.remove(directory);
        assertNull(MeetingFile.read(directory, "job"));
        now.remove(directory); // twice is fine
    }

    @Test
    void shouldFollowNoLinkAndTakeNothingThatOthersCanReach() throws IOException {
        file("job").publish(directory);
        Files.createSymbolicLink(directory.resolve("link"), directory.resolve("job"));
        assertThrows(IOException.class, () -> MeetingFile.read(directory, "link"));

        Files.setPosixFilePermissions(directory.resolve("job"), PosixFilePermissions.fromString("rw-r--r--"));
        UsageException open = assertThrows(UsageException.class, () -> MeetingFile.read(directory, "job"));
        assertTrue(open.getMessage().contains("rw-r--r-- (expected: user"), open.getMessage());

        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        UsageException openDirectory = assertThrows(UsageException.class, () ->
                MeetingFile.directory(directory.toString()));
        assertTrue(openDirectory.getMessage().contains("pgas.join.dir"), openDirectory.getMessage());
    }

    @Test
    void shouldRefuseWhatIsNoMeetingPointWithoutShowingIt() throws IOException {
        file("job").publish(directory);
        Path path = directory.resolve("job");
        String text = Files.readString(path);
        for (String bad : List.of("", "something else", text.replace("\t4711\t", "\tx\t"), text.replace("JOIN-1", "JOIN-9"),
                text.strip().substring(0, text.length() - 9), "x".repeat(10_000))) {
            Files.writeString(path, bad);
            UsageException refused = assertThrows(UsageException.class, () -> MeetingFile.read(directory, "job"));
            assertTrue(refused.getMessage().contains("remove it"), refused.getMessage());
            assertFalse(refused.getMessage().contains(text.strip().substring(text.length() - 40)), refused.getMessage());
        }
    }

    @Test
    void shouldSweepWhatDeadJobsHaveLeftAndNothingElse() throws Exception {
        Process ended = new ProcessBuilder("true").start();
        long pid = ended.pid();
        ended.waitFor();
        MeetingFile alive = file("alive");
        ProcessIdentity own = alive.owner();
        MeetingFile dead = new MeetingFile("dead", "00", alive.host(), new ProcessIdentity(own.boot(), own.namespace(), pid,
                1), alive.addresses(), 1, false, alive.secret());
        MeetingFile elsewhere = new MeetingFile("elsewhere", "01", "another-host", new ProcessIdentity("boot", "ns", pid, 1),
                alive.addresses(), 1, false, alive.secret());
        for (MeetingFile file : List.of(alive, dead, elsewhere)) {
            file.publish(directory);
        }
        Path old = Files.writeString(directory.resolve("old"), "whatever");
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofDays(3))));

        Files.createSymbolicLink(directory.resolve("link"), old);
        MeetingFile.sweep(directory);

        try (var files = Files.list(directory)) {
            assertEquals(List.of("alive", "elsewhere", "link"),
                    files.map(path -> path.getFileName().toString()).sorted().toList());
        }
        assertTrue(dead.isAbandoned());
        assertFalse(elsewhere.isAbandoned(), "nobody can judge another host's process");
    }

    @Test
    void shouldReadSecretsOfTheOwnerOnly() throws IOException {
        Path secret = Files.writeString(folder.resolve("secret"), "0123456789abcdef0123456789abcdef\n");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), secret); // as mounted secrets are

        assertEquals(SecretFile.read(secret.toString(), "job").toHex(), SecretFile.read(link.toString(), "job").toHex());
        assertNotEquals(SecretFile.read(secret.toString(), "job").toHex(),
                SecretFile.read(secret.toString(), "other").toHex());

        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r-----"));
        assertTrue(refusedSecret(link).contains("open to others: rw-r-----"));
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("r--------"));
        assertEquals(64, SecretFile.read(secret.toString(), "job").toHex().length());
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        Files.writeString(secret, "too short\n");
        String shortText = refusedSecret(secret);
        assertTrue(shortText.contains("has 9 bytes"), shortText);
        assertFalse(shortText.contains("too short"), shortText);
        assertTrue(refusedSecret(folder.resolve("none")).contains("is not there"));
        assertTrue(refusedSecret(folder).contains("is no file"));
    }

    private static String refusedSecret(Path file) {
        return assertThrows(UsageException.class, () -> SecretFile.read(file.toString(), "job")).getMessage();
    }
}
