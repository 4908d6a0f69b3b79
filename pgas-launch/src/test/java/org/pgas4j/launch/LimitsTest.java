package org.pgas4j.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.ExitCode;
import org.pgas4j.PgasConfig;
import org.pgas4j.UsageException;
import org.pgas4j.bootstrap.ProcessLayout;
import org.pgas4j.testkit.Testkit;

/** Jobs where the system gives little: they run, or say which limit it is and what to do. No process dies of SIGBUS. */
@Tag("multiprocess")
@Timeout(300)
@Tag("slow")
class LimitsTest {

    @TempDir
    private Path folder;

    /** Longer than the node directory takes to be opened. */
    private Launched busy(List<String> wrapper, String seconds) throws IOException {
        return Launched.startIn(folder, wrapper, "-n", "2", "--processes", "2", "--device", "host", "--heap-host", "1m",
                "--heap-device", "1m", Testkit.class.getName(), "busy", seconds);
    }

    @Test
    void shouldRunWithTheSmallestSharedMemory() throws Exception {
        try (Launched job = busy(mounted("mount -t tmpfs -o size=16k,mode=1777 tmpfs /dev/shm"), "3")) {
            assertEquals(0, job.await(), () -> job.out + "" + job.err);
        }
    }

    @Test
    void shouldNameTheFullFileSystemAndTheVariable() throws Exception {
        try (Launched job = busy(mounted("mount -t tmpfs -o nr_inodes=2,mode=1777 tmpfs /dev/shm"), "1")) {
            assertEquals(ExitCode.USAGE.number(), job.await(), () -> job.out + "" + job.err);
            assertTrue(job.lastError().contains("/dev/shm/pgas-") && job.lastError().contains("XDG_RUNTIME_DIR"),
                    job.err::toString);
            assertEquals(1, job.err.size(), job.err::toString);
        }
    }

    @Test
    void shouldRunWithoutWritableTemporaryDirectory() throws Exception {
        try (Launched job = busy(mounted("mount --bind /tmp /tmp && mount -o remount,ro,bind /tmp && mount -t tmpfs tmpfs '"
                + folder + "'"), "0.1")) { // the folder has the cache
            assertEquals(0, job.await(), () -> job.out + "" + job.err);
        }
    }

    @Test
    void shouldRunWithLittleLockedMemory() throws Exception {
        try (Launched job = busy(limited("--memlock=65536"), "0.1")) {
            assertEquals(0, job.await(), () -> job.out + "" + job.err);
        }
    }

    @Test
    void shouldNameTheLimitOfOpenFiles() throws Exception {
        try (Launched job = busy(limited("--nofile=64"), "0.1")) {
            assertEquals(ExitCode.USAGE.number(), job.await(), () -> job.out + "" + job.err);
            assertTrue(job.lastError().contains("ulimit -n"), () -> job.out + " " + job.err);
        }
    }

    /** The limit of a container: 100 MiB, of which the launcher has taken 60 when it looks. */
    @Test
    void shouldNameTheMemoryOfTheContainer() throws Exception {
        String group = "mount -t tmpfs tmpfs /sys/fs/cgroup && echo 104857600 > /sys/fs/cgroup/memory.max"
                + " && echo 62914560 > /sys/fs/cgroup/memory.current && echo 'inactive_file 0' > /sys/fs/cgroup/memory.stat";
        try (Launched job = busy(mounted(group), "0.1")) {
            assertEquals(ExitCode.USAGE.number(), job.await(), () -> job.out + "" + job.err);
            assertEquals("pgas4j: -n 2 --processes 2 needs 133 MiB of memory at least, and there are 40; raise the limit of the"
                    + " container, or take fewer JVMs (--processes), fewer ranks, smaller --heap-host and --heap-device",
                    job.lastError());
            assertEquals(1, job.err.size(), job.err::toString);
        }
    }

    @Test
    void shouldRefuseWhatNoMachineHas() {
        NodeShare all = NodeShare.all(new ProcessLayout(1, 1 << 20));
        String message = assertThrows(UsageException.class, () -> Limits.check(all, new PgasConfig())).getMessage();
        assertTrue(message.matches("-n 1048576 --processes 1 needs \\d+ (open files in a JVM|threads|memory mappings in a JVM)"
                + " at least, and there are \\d+; raise the limit .*"), message);
        assertTrue(Limits.memory(1, 1 << 20, 1 << 20, new PgasConfig().hostHeap(1L << 50)) > 1L << 60);
        assertEquals("needs 3 MiB of memory at least, and there are 1; less",
                new Limits.Need("MiB of memory", (2 << 20) + 1, (2 << 20) - 1, 1 << 20, "less").missing());
    }

    @Test
    void shouldKnowTheErrorsOfTheSystem() {
        assertTrue(Limits.explain(new IOException("Cannot run program \"java\": error=11, Resource temporarily"
                + " unavailable")).contains("ulimit -u"));
        assertTrue(Limits.explain(new IllegalStateException("outer", new IOException("/x: Too many open files")))
                .startsWith("/x: Too many open files: "));
        assertNull(Limits.explain(new IOException("connection reset")));
    }

    private static List<String> limited(String limit) {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/prlimit")), "no /usr/bin/prlimit (util-linux)");
        return List.of("/usr/bin/prlimit", limit);
    }

    /** A mount namespace of its own with these mounts; the job directory goes to /dev/shm. */
    private static List<String> mounted(String mounts) throws IOException, InterruptedException {
        List<String> wrapper = new ArrayList<>(List.of("unshare", "-m", "sh", "-c"));
        wrapper.add("true");
        Process probe = new ProcessBuilder(wrapper).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        Assumptions.assumeTrue(probe.waitFor(20, TimeUnit.SECONDS) && probe.exitValue() == 0,
                "no mount namespaces here: they need root");
        wrapper.set(wrapper.size() - 1, mounts + " && XDG_RUNTIME_DIR= exec \"$@\"");
        wrapper.add("sh");
        return wrapper;
    }
}
