package org.pgas4j.launch.files;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.pgas4j.UsageException;

/**
 * The directory of a job on this node, in memory: {@code pgas-<uid>-<job>} in {@code $XDG_RUNTIME_DIR} or {@code /dev/shm}. Has
 * the identity of the launcher that owns it, by which the next one recognises files of a killed one. A job's id is
 * random: no other user can create it in advance, and there is no common parent that could be taken.
 */
public final class JobDirectory implements AutoCloseable {

    public static final String OWNER = "owner";

    private static final String SETTING = "XDG_RUNTIME_DIR";
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final String NEW = ".new-";

    private final Path path;

    private JobDirectory(Path path) {
        this.path = path;
    }

    /** Parent of the job directories that are made now. */
    public static Path base() {
        String runtime = System.getenv(SETTING);
        return runtime != null && !runtime.isBlank() && Files.isWritable(Path.of(runtime)) ? Path.of(runtime) : MEMORY;
    }

    private static String prefix() throws IOException {
        return "pgas-" + PrivateDirectory.uid() + "-";
    }

    /** Makes the job's directory in {@code base}; it is there with its owner's identity or not at all. */
    public static JobDirectory create(Path base, String job) throws IOException {
        ProcessIdentity owner = ProcessIdentity.current();
        Path temporary = PrivateDirectory.create(base.resolve(prefix() + NEW + owner.pid() + "-" + job));
        Path file = temporary.resolve(OWNER);
        Files.writeString(file, owner.encode());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Path path = base.resolve(prefix() + job);
        Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
        return new JobDirectory(path);
    }

    /** Adopts a directory that was made for this process before its exec. */
    public static JobDirectory adopt(Path path) throws IOException {
        PrivateDirectory.check(path, SETTING);
        ProcessIdentity owner = ProcessIdentity.decode(Files.readString(path.resolve(OWNER)));
        if (!owner.equals(ProcessIdentity.current())) {
            throw new UsageException(path + " belongs to process " + owner.pid() + ", not to this one, "
                    + ProcessHandle.current().pid());
        }
        return new JobDirectory(path);
    }

    public Path path() {
        return path;
    }

    /** Removes the directory. */
    @Override
    public void close() throws IOException {
        PrivateDirectory.delete(path);
    }

    /** This user's job directories, in either place, whose launcher is dead. */
    public static List<Path> abandoned() throws IOException {
        List<Path> abandoned = new ArrayList<>();
        for (Path base : new TreeSet<>(List.of(base(), MEMORY))) {
            abandoned.addAll(abandoned(base));
        }
        return abandoned;
    }

    /** The same in one place. */
    public static List<Path> abandoned(Path base) throws IOException {
        List<Path> abandoned = new ArrayList<>();
        if (Files.isReadable(base)) {
            try (DirectoryStream<Path> jobs = Files.newDirectoryStream(base, prefix() + "*")) {
                for (Path job : jobs) {
                    if (isOurs(job) && isAbandoned(job)) {
                        abandoned.add(job);
                    }
                }
            }
        }
        return abandoned;
    }

    /** Removes directories that were {@link #abandoned()}; returns them. */
    public static List<Path> sweep(List<Path> abandoned) throws IOException {
        for (Path job : abandoned) {
            PrivateDirectory.delete(job);
        }
        return abandoned;
    }

    /** Files of other users may have such a name: they are neither used nor in the way. */
    private static boolean isOurs(Path job) throws IOException {
        try {
            return Files.isDirectory(job, LinkOption.NOFOLLOW_LINKS)
                    && (int) Files.getAttribute(job, "unix:uid", LinkOption.NOFOLLOW_LINKS) == PrivateDirectory.uid();
        } catch (NoSuchFileException _) {
            return false; // its job has ended meanwhile
        }
    }

    private static boolean isAbandoned(Path job) throws IOException {
        String name = job.getFileName().toString().substring(prefix().length());
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
