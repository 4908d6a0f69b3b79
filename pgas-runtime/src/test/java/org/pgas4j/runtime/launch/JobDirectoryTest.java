package org.pgas4j.runtime.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
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

    private Path root() {
        return folder.resolve("pgas-1");
    }

    private static void own(Path job, ProcessIdentity owner) throws IOException {
        Files.writeString(job.resolve(JobDirectory.OWNER), owner.encode());
    }

    @Test
    void shouldMakeAndRemoveAnOwnerOnlyDirectory() throws IOException {
        JobDirectory directory = JobDirectory.create(root(), "job");
        Files.writeString(directory.path().resolve("file"), "x");

        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.path())));
        directory.close();
        directory.close();
        assertFalse(Files.exists(root()));
    }

    @Test
    void shouldKeepTheRootForOthers() throws IOException {
        JobDirectory one = JobDirectory.create(root(), "one");
        JobDirectory other = JobDirectory.create(root(), "other");
        one.close();

        assertTrue(Files.exists(other.path()));
        assertFalse(Files.exists(one.path()));
    }

    @Test
    void shouldSweepTheDeadAndLeaveTheLiving() throws IOException {
        ProcessIdentity self = ProcessIdentity.current();
        Path living = JobDirectory.create(root(), "living").path();
        Path restarted = JobDirectory.create(root(), "restarted").path();
        own(restarted, new ProcessIdentity(self.boot(), self.namespace(), self.pid(), self.start() - 1));
        Path rebooted = JobDirectory.create(root(), "rebooted").path();
        own(rebooted, new ProcessIdentity("other", self.namespace(), self.pid(), self.start()));
        Path elsewhere = JobDirectory.create(root(), "elsewhere").path();
        own(elsewhere, new ProcessIdentity(self.boot(), "pid:[1]", 1 << 30, 5));
        Path unknown = Files.createDirectory(root().resolve("unknown"));
        Path halfMade = Files.createDirectory(root().resolve(".new-999999999-job"));

        List<Path> swept = JobDirectory.sweep(root());

        assertEquals(List.of(halfMade, rebooted, restarted), swept.stream().sorted().toList());
        for (Path left : List.of(living, elsewhere, unknown)) {
            assertTrue(Files.exists(left), left.toString());
        }
        assertEquals(List.of(), JobDirectory.sweep(folder.resolve("nothing")));
    }

    @Test
    void shouldNotFollowLinks() throws IOException {
        Path precious = Files.createDirectory(folder.resolve("precious"));
        Files.writeString(precious.resolve("file"), "x");
        JobDirectory directory = JobDirectory.create(root(), "job");
        Files.createSymbolicLink(directory.path().resolve("link"), precious);
        directory.close();

        assertTrue(Files.exists(precious.resolve("file")));
        Files.createSymbolicLink(root(), precious);
        var refused = assertThrows(UsageException.class, () -> JobDirectory.create(root(), "job"));
        assertTrue(refused.getMessage().contains("links are not followed"), refused.getMessage());
        assertTrue(refused.getMessage().contains("XDG_RUNTIME_DIR"));
        assertThrows(UsageException.class, () -> JobDirectory.sweep(root()));
        assertTrue(Files.isSymbolicLink(root()) && Files.exists(root(), LinkOption.NOFOLLOW_LINKS));
    }

    @Test
    void shouldRefuseADirectoryThatIsOpenToOthers() throws IOException {
        Files.createDirectory(root(),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));

        var refused = assertThrows(UsageException.class, () -> JobDirectory.create(root(), "job"));

        assertTrue(refused.getMessage().contains("is open to others: rwxr-xr-x (expected: rwx------)"));
        assertEquals(2, refused.exitCode());
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
