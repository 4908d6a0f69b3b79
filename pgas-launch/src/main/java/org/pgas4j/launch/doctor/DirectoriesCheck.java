package org.pgas4j.launch.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.pgas4j.bootstrap.node.NodeIdentity;
import org.pgas4j.launch.files.JobDirectory;

/** Directories of jobs' files: temporary ones, native libraries, the directory of a job. */
final class DirectoriesCheck implements Check {

    private static final int STICKY = 01000;
    private static final int WRITABLE_BY_ALL = 0002;
    private static final int WRITABLE_BY_OTHERS = 0022;
    private static final int PERMISSIONS = 07777;

    /**
     * A directory as it is.
     *
     * @param owner    number of the user it belongs to
     * @param mode     permission bits with the sticky bit
     * @param writable for this process
     * @param options  of its mount
     */
    record Found(Path path, int owner, int mode, boolean writable, Set<String> options) {

        /** Follows links; null if there is no such directory. */
        static Found of(Path path, String mounts) throws IOException {
            if (!Files.isDirectory(path)) {
                return null;
            }
            Path real = path.toRealPath();
            return new Found(path, (int) Files.getAttribute(real, "unix:uid"),
                    (int) Files.getAttribute(real, "unix:mode") & PERMISSIONS, Files.isWritable(real),
                    Mounts.optionsOf(real, mounts));
        }
    }

    @Override
    public String name() {
        return "directories";
    }

    @Override
    public List<Verdict> run() throws IOException {
        String mounts = Sources.text("/proc/mounts").orElse("");
        List<Verdict> verdicts = new ArrayList<>();
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        verdicts.add(judgeTemporary(temporary, Found.of(temporary, mounts)));
        Path cache = cache();
        verdicts.add(judgeCache(cache, Found.of(existing(cache), mounts)));
        String runtime = System.getenv("XDG_RUNTIME_DIR");
        verdicts.add(runtime == null || runtime.isBlank() ? judgeRuntime(null, null, NodeIdentity.user())
                : judgeRuntime(Path.of(runtime), Found.of(Path.of(runtime), mounts), NodeIdentity.user()));
        verdicts.add(judgeJobs(JobDirectory.abandoned()));
        return verdicts;
    }

    /** Directory of the native libraries, as in {@code Natives}. */
    private static Path cache() {
        String home = System.getenv("XDG_CACHE_HOME");
        return home != null && Path.of(home).isAbsolute() ? Path.of(home)
                : Path.of(System.getProperty("user.home"), ".cache");
    }

    private static Path existing(Path path) {
        Path found = path.toAbsolutePath();
        while (!Files.exists(found) && found.getParent() != null) {
            found = found.getParent();
        }
        return found;
    }

    /** @param found null if it is missing */
    static Verdict judgeTemporary(Path path, Found found) {
        String fix = "set -Djava.io.tmpdir to a directory of yours";
        if (found == null || !found.writable()) {
            return Verdict.fail("java.io.tmpdir", path + (found == null ? " is no directory" : " is not writable"), fix);
        }
        if (found.options().contains("noexec")) {
            return Verdict.warn("java.io.tmpdir", path + " is mounted noexec, JCuda loads its library from there", fix
                    + " on a mount without noexec; pgasrun does");
        }
        if ((found.mode() & WRITABLE_BY_ALL) != 0 && (found.mode() & STICKY) == 0) {
            return Verdict.warn("java.io.tmpdir", path + " lets others replace files: mode "
                    + Integer.toOctalString(found.mode()), "chmod 1777 " + path);
        }
        return Verdict.ok("java.io.tmpdir", path + " is writable");
    }

    /** @param found the directory, or the nearest one above that is there */
    static Verdict judgeCache(Path path, Found found) {
        String fix = "set XDG_CACHE_HOME to a directory of yours with 200 MB free";
        if (found == null || !found.writable()) {
            return Verdict.fail("cache", path + " cannot be written", fix);
        }
        return found.options().contains("noexec")
                ? Verdict.fail("cache", path + " is mounted noexec, native libraries are loaded from there", fix
                        + ", on a mount without noexec")
                : Verdict.ok("cache", path + " is writable");
    }

    /** @param abandoned job directories whose launcher is dead */
    static Verdict judgeJobs(List<Path> abandoned) {
        return abandoned.isEmpty() ? Verdict.ok("job directories", "none is left of killed launchers")
                : Verdict.warn("job directories", abandoned.size() + " left of killed launchers: " + abandoned.stream()
                        .map(Path::toString).collect(Collectors.joining(", ")), "pgasrun --clean, or the next job, removes them");
    }

    /**
     * @param path  value in the environment; null without
     * @param found null if it is missing
     */
    static Verdict judgeRuntime(Path path, Found found, int user) {
        String what = "XDG_RUNTIME_DIR";
        if (path == null) {
            return Verdict.ok(what, "not set, jobs use /dev/shm");
        }
        if (found == null || !found.writable()) {
            return Verdict.warn(what, path + (found == null ? " is no directory" : " is not writable")
                    + ", jobs use /dev/shm", "unset XDG_RUNTIME_DIR, or log in so that it is made");
        }
        if (found.owner() != user) {
            return Verdict.warn(what, path + " belongs to user " + found.owner() + ", not to " + user,
                    "unset XDG_RUNTIME_DIR (su and sudo keep the other user's)");
        }
        return (found.mode() & WRITABLE_BY_OTHERS) != 0
                ? Verdict.warn(what, path + " may be written by others: mode " + Integer.toOctalString(found.mode()),
                        "chmod 700 " + path)
                : Verdict.ok(what, path + " is writable");
    }
}
