package org.pgas4j.runtime.launch;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.UsageException;

/**
 * The directory of a job on this node, in memory: {@code $XDG_RUNTIME_DIR} or {@code /dev/shm}, then
 * {@code pgas-<uid>/<job>}. Says which launcher owns it, so that the next one can tell what a killed one has left.
 */
final class JobDirectory implements AutoCloseable {

    static final String OWNER = "owner";

    private static final String SETTING = "XDG_RUNTIME_DIR";

    private final Path path;

    private JobDirectory(Path path) {
        this.path = path;
    }

    /** The parent of all job directories of this user. */
    static Path root() throws IOException {
        String runtime = System.getenv(SETTING);
        Path base = runtime != null && !runtime.isBlank() && Files.isWritable(Path.of(runtime)) ? Path.of(runtime)
                : Path.of("/dev/shm");
        return base.resolve("pgas-" + PrivateDirectory.uid());
    }

    /** Makes the job's directory under {@code root}; it is there with its owner's identity or not at all. */
    static JobDirectory create(Path root, String job) throws IOException {
        PrivateDirectory.ensure(root, SETTING);
        ProcessIdentity owner = ProcessIdentity.current();
        Path temporary = PrivateDirectory.create(root.resolve(".new-" + owner.pid() + "-" + job));
        Path file = temporary.resolve(OWNER);
        Files.writeString(file, owner.encode());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Path path = root.resolve(job);
        Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
        return new JobDirectory(path);
    }

    /** Takes a directory that was made for this very process before it became what it is. */
    static JobDirectory adopt(Path path) throws IOException {
        PrivateDirectory.check(path.getParent(), SETTING);
        PrivateDirectory.check(path, SETTING);
        ProcessIdentity owner = ProcessIdentity.decode(Files.readString(path.resolve(OWNER)));
        if (!owner.equals(ProcessIdentity.current())) {
            throw new UsageException(path + " belongs to process " + owner.pid() + ", not to this one, "
                    + ProcessHandle.current().pid());
        }
        return new JobDirectory(path);
    }

    Path path() {
        return path;
    }

    /** Removes the directory and, if it was the last one, the root. */
    @Override
    public void close() throws IOException {
        PrivateDirectory.delete(path);
        try {
            Files.deleteIfExists(path.getParent());
        } catch (DirectoryNotEmptyException _) {
            assert true : "another job of this user runs";
        }
    }

    /** Removes the directories under {@code root} whose launcher is dead; returns them. */
    static List<Path> sweep(Path root) throws IOException {
        List<Path> swept = new ArrayList<>();
        if (!Files.exists(root, LinkOption.NOFOLLOW_LINKS)) {
            return swept;
        }
        PrivateDirectory.check(root, SETTING);
        try (DirectoryStream<Path> jobs = Files.newDirectoryStream(root)) {
            for (Path job : jobs) {
                if (isAbandoned(job)) {
                    PrivateDirectory.delete(job);
                    swept.add(job);
                }
            }
        }
        return swept;
    }

    private static boolean isAbandoned(Path job) throws IOException {
        String name = job.getFileName().toString();
        if (name.matches("\\.new-\\d{1,18}-.*")) { // its launcher ended between making and naming it
            return ProcessHandle.of(Long.parseLong(name.split("-")[1])).isEmpty();
        }
        try {
            return ProcessIdentity.decode(Files.readString(job.resolve(OWNER))).isDead();
        } catch (FileSystemException | UsageException e) {
            System.getLogger("pgas.boot").log(System.Logger.Level.DEBUG, () -> job + " has no readable owner: left", e);
            return false;
        }
    }
}
