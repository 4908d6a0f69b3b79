package org.pgas4j.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.ExitCode;
import org.pgas4j.launch.files.JobDirectory;
import org.pgas4j.launch.files.PrivateDirectory;
import org.pgas4j.testkit.Testkit;

/** Another user of the node against a running job, and what they put in its way before it starts. */
@Tag("multiprocess")
@Timeout(300)
@Tag("slow")
class OtherUserTest {

    private static final int OTHER = 65_534;
    private static final Pattern BUSY = Pattern.compile("busy pid (\\d+) rank");
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    @TempDir
    private Path folder;

    /** JUnit's folder keeps others out by itself; here the job must. */
    private void openFolder() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void shouldDenyAllToAnotherUser() throws Exception {
        Assumptions.assumeTrue(PrivateDirectory.uid() == 0, "only root can take another user's number");
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "no /usr/bin/setpriv (util-linux)");
        openFolder();
        try (Launched job = Launched.start(folder, "-n", "2", "--processes", "2", "--device", "host", "--heap-host",
                "1m", "--heap-device", "1m", Testkit.class.getName(), "busy", "60")) {
            List<Long> pids = awaitBusy(job);
            List<String> paths = new ArrayList<>();
            try (Stream<Path> all = Files.walk(jobDirectory())) {
                all.map(Path::toString).forEach(paths::add);
            }
            assertTrue(paths.size() >= 2, paths::toString); // job and owner at least
            int segments = 0;
            for (long pid : pids) {
                for (String segment : memoryFiles(pid)) {
                    paths.add(segment);
                    segments++;
                }
                paths.add("/proc/" + pid + "/environ");
                paths.add("/proc/" + pid + "/fd/0");
            }
            assertTrue(segments >= 2, paths::toString);
            for (String path : paths) {
                boolean directory = Files.isDirectory(Path.of(path));
                String read = directory ? "ls -A '" + path + "' > /dev/null" : "head -c 1 '" + path + "' > /dev/null";
                if (!path.endsWith("/fd/0")) { // the lifeline: reading it here would take from the rank
                    assertEquals(0, sh(read), () -> "the owner cannot: " + read);
                }
                assertNotEquals(0, shAsOther(read), () -> "another user can: " + read);
                String write = directory ? "touch '" + path + "/planted'" : "exec 3<> '" + path + "'";
                assertNotEquals(0, shAsOther(write), () -> "another user can: " + write);
            }
        }
    }

    @Test
    void shouldOpenNothingOfTheJobDirectoryToOthers() throws Exception {
        openFolder();
        try (Launched job = Launched.start(folder, "-n", "2", "--processes", "2", "--device", "host", "--heap-host",
                "1m", "--heap-device", "1m", Testkit.class.getName(), "busy", "60")) {
            awaitBusy(job);
            try (Stream<Path> all = Files.walk(jobDirectory())) {
                List<String> open = all.filter(path -> !OWNER_ONLY.containsAll(permissions(path)))
                        .map(path -> path + " " + PosixFilePermissions.toString(permissions(path))).toList();
                assertEquals(List.of(), open);
            }
        }
    }

    private Path jobDirectory() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(path -> path.getFileName().toString().startsWith("pgas-")).findFirst().orElseThrow();
        }
    }

    /** Nothing that somebody puts there first is in the way of a job, of one JVM or several. */
    @Test
    void shouldRunBesideWhatAnotherUserHasPut() throws Exception {
        Assumptions.assumeTrue(PrivateDirectory.uid() == 0, "only root can give a directory to another user");
        List<Path> put = new ArrayList<>();
        for (String name : List.of("pgas-0", "pgas-0-", "pgas-0-0123456789", "pgas-0-.new-999999999-job")) {
            Path directory = PrivateDirectory.create(folder.resolve(name));
            Files.writeString(directory.resolve(JobDirectory.OWNER), "other pid:[1] 1 1\n");
            Files.setAttribute(directory, "unix:uid", OTHER, LinkOption.NOFOLLOW_LINKS);
            put.add(directory);
        }
        put.add(Files.writeString(folder.resolve("pgas-0-file"), "x"));
        Path precious = PrivateDirectory.create(folder.resolve("precious"));
        put.add(Files.createSymbolicLink(folder.resolve("pgas-0-link"), precious));
        for (String processes : List.of("1", "2")) {
            try (Launched job = Launched.start(folder, "-n", "2", "--processes", processes, "--", "done")) {
                assertEquals(0, job.await(), () -> job.err.toString());
            }
        }
        for (Path path : put) {
            assertTrue(Files.exists(path, LinkOption.NOFOLLOW_LINKS), path + " is gone");
        }
    }

    @Test
    void shouldRefuseACacheThatAnotherUserHasPut() throws Exception {
        Assumptions.assumeTrue(PrivateDirectory.uid() == 0, "only root can give a directory to another user");
        Path cache = PrivateDirectory.create(Files.createDirectory(folder.resolve("cache")).resolve("pgas4j"));
        Path natives = PrivateDirectory.create(cache.resolve("natives"));
        Files.setAttribute(natives, "unix:uid", OTHER, LinkOption.NOFOLLOW_LINKS);
        refused("natives belongs to user " + OTHER);
    }

    @Test
    void shouldNotFollowPlantedLinks() throws Exception {
        Path precious = Files.createDirectory(folder.resolve("precious"), PosixFilePermissions
                .asFileAttribute(OWNER_ONLY));
        Files.createSymbolicLink(Files.createDirectory(folder.resolve("cache")).resolve("pgas4j"), precious);
        refused("is no directory (links are not followed)");
        try (Stream<Path> inside = Files.list(precious)) {
            assertEquals(0, inside.count());
        }
    }

    /** Libraries under the names that JCuda and JavaCPP extract theirs to, in a default folder where all users may write. */
    @Test
    void shouldNotLoadAPlantedLibrary() throws Exception {
        Path shared = Files.createDirectory(folder.resolve("tmp"));
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
        for (String name : List.of("libJCudaDriver-12.6.0-linux-x86_64.so", "libjnijavacpp.so", "libjniucp.so")) {
            Files.writeString(shared.resolve(name), "planted");
        }
        try (Launched job = Launched.start(folder, "-n", "2", "--processes", "2", "--java-opt=-Xlog:library=info",
                "--device", "host", "--heap-host", "1m",
                "--heap-device", "1m", "-x",
                "JAVA_TOOL_OPTIONS=-Djava.io.tmpdir=" + shared, Testkit.class.getName(), "busy", "0.1")) {
            assertEquals(0, job.await(), () -> job.err.toString());
            assertTrue(job.out.stream().anyMatch(line -> line.contains("Loaded library")), job.out::toString);
            assertFalse(job.out.stream().anyMatch(line -> line.contains("Loaded library " + shared)), job.out::toString);
            try (Stream<Path> inside = Files.list(shared)) {
                assertEquals(3, inside.count());
            }
        }
    }

    private void refused(String why) throws Exception {
        try (Launched job = Launched.startIn(folder, List.of(), "-n", "2", "--processes", "2", "--", "done")) {
            assertEquals(ExitCode.USAGE.number(), job.await(), () -> job.err.toString());
            assertTrue(job.lastError().contains(why), job.err::toString);
            assertEquals(1, job.err.size(), job.err::toString);
        }
    }

    private static Set<PosixFilePermission> permissions(Path path) {
        try {
            return Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Long> awaitBusy(Launched job) throws InterruptedException {
        for (long end = System.nanoTime() + 60_000_000_000L; System.nanoTime() - end < 0; Thread.sleep(20)) {
            List<Long> pids = job.out.stream().map(BUSY::matcher).filter(Matcher::find)
                    .map(line -> Long.parseLong(line.group(1))).toList();
            if (pids.size() == 2) {
                return pids;
            }
        }
        throw new IllegalStateException("the ranks did not start; out " + job.out + " err " + job.err);
    }

    /** Descriptors of memory without a name. */
    private static List<String> memoryFiles(long pid) throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            return descriptors.filter(path -> {
                try {
                    return Files.readSymbolicLink(path).toString().startsWith("/memfd:");
                } catch (IOException _) {
                    return false; // closed meanwhile
                }
            }).map(Path::toString).toList();
        }
    }

    private static int shAsOther(String command) throws IOException, InterruptedException {
        return run("/usr/bin/setpriv", "--reuid=" + OTHER, "--regid=" + OTHER, "--clear-groups", "sh", "-c", command);
    }

    private static int sh(String command) throws IOException, InterruptedException {
        return run("sh", "-c", command);
    }

    private static int run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IllegalStateException(String.join(" ", command) + " did not end");
        }
        return process.exitValue();
    }
}
