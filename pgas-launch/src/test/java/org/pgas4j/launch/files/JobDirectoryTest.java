package org.pgas4j.launch.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.UsageException;

@Timeout(20)
class JobDirectoryTest {

    @TempDir
    private Path folder;

    private Path named(String job) throws IOException {
        return folder.resolve("pgas-" + PrivateDirectory.uid() + "-" + job);
    }

    private static void own(Path job, ProcessIdentity owner) throws IOException {
        Files.writeString(job.resolve(JobDirectory.OWNER), owner.encode());
    }

    @Test
    void shouldMakeAndRemoveAnOwnerOnlyDirectory() throws IOException {
        JobDirectory directory = JobDirectory.create(folder, "job");
        Files.writeString(directory.path().resolve("file"), "x");

        assertEquals(named("job"), directory.path());
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.path())));
        directory.close();
        directory.close();
        assertFalse(Files.exists(directory.path()));
    }

    @Test
    void shouldSweepTheDeadAndLeaveTheLiving() throws IOException {
        ProcessIdentity self = ProcessIdentity.current();
        Path living = JobDirectory.create(folder, "living").path();
        Path restarted = JobDirectory.create(folder, "restarted").path();
        own(restarted, new ProcessIdentity(self.boot(), self.namespace(), self.pid(), self.start() - 1));
        Path rebooted = JobDirectory.create(folder, "rebooted").path();
        own(rebooted, new ProcessIdentity("other", self.namespace(), self.pid(), self.start()));
        Path elsewhere = JobDirectory.create(folder, "elsewhere").path();
        own(elsewhere, new ProcessIdentity(self.boot(), "pid:[1]", 1 << 30, 5));
        Path unknown = Files.createDirectory(named("unknown"));
        Path halfMade = Files.createDirectory(named(".new-999999999-job"));
        Path file = Files.writeString(named("file"), "x");
        Path link = Files.createSymbolicLink(named("link"), restarted);
        Path otherName = Files.createDirectory(folder.resolve("pgas-x-job"));

        List<Path> swept = JobDirectory.sweep(JobDirectory.abandoned(folder));

        assertEquals(List.of(halfMade, rebooted, restarted), swept.stream().sorted().toList());
        for (Path left : List.of(living, elsewhere, unknown, file, otherName)) {
            assertTrue(Files.exists(left), left.toString());
        }
        assertTrue(Files.isSymbolicLink(link) && !Files.exists(restarted) && !Files.exists(halfMade));
        assertEquals(List.of(), JobDirectory.abandoned(folder.resolve("nothing")));
    }

    @Test
    void shouldNotFollowLinks() throws IOException {
        Path precious = Files.createDirectory(folder.resolve("precious"));
        Files.writeString(precious.resolve("file"), "x");
        JobDirectory directory = JobDirectory.create(folder, "job");
        Files.createSymbolicLink(directory.path().resolve("link"), precious);
        directory.close();

        assertTrue(Files.exists(precious.resolve("file")));
    }

    @Test
    void shouldAdoptOnlyItsOwn() throws IOException {
        JobDirectory directory = JobDirectory.create(folder, "job");

        assertEquals(directory.path(), JobDirectory.adopt(directory.path()).path());
        Files.setPosixFilePermissions(directory.path(), PosixFilePermissions.fromString("rwxr-xr-x"));
        var refused = assertThrows(UsageException.class, () -> JobDirectory.adopt(directory.path()));
        assertTrue(refused.getMessage().contains("is open to others: rwxr-xr-x (expected: rwx------)"));
        assertEquals(2, refused.exitCode());
        Path link = Files.createSymbolicLink(folder.resolve("link"), directory.path());
        assertTrue(assertThrows(UsageException.class, () -> JobDirectory.adopt(link)).getMessage()
                .contains("links are not followed"));
    }

    @Test
    void shouldTellProcessesApart() throws IOException {
        ProcessIdentity self = ProcessIdentity.current();

        assertEquals(self, ProcessIdentity.decode(self.encode()));
        assertFalse(self.isDead());
        assertThrows(UsageException.class, () -> ProcessIdentity.decode("rubbish"));
        assertThrows(UsageException.class, () -> ProcessIdentity.decode("a b c d"));
    }
}
