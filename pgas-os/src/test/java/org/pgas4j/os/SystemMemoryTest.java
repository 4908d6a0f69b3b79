package org.pgas4j.os;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(20)
class SystemMemoryTest {

    @TempDir
    private Path folder;

    @BeforeEach
    void makeMachine() throws IOException {
        write("proc/meminfo", "MemTotal:  1000 kB\nMemFree:  1 kB\nMemAvailable:  800 kB\n");
    }

    private void write(String name, String text) throws IOException {
        Files.createDirectories(folder.resolve(name).getParent());
        Files.writeString(folder.resolve(name), text);
    }

    private void group(String name, String limit, long used, long cache, int kills) throws IOException {
        write("cgroup/" + name + "/memory.max", limit + "\n");
        write("cgroup/" + name + "/memory.current", used + "\n");
        write("cgroup/" + name + "/memory.stat", "anon 5\ninactive_file " + cache + "\n");
        write("cgroup/" + name + "/memory.events", "oom 7\noom_kill " + kills + "\n");
    }

    private void expect(long total, long free, long kills) {
        assertEquals(total, SystemMemory.totalBytes(folder.resolve("proc"), folder.resolve("cgroup")));
        assertEquals(free, SystemMemory.freeBytes(folder.resolve("proc"), folder.resolve("cgroup")));
        assertEquals(kills, SystemMemory.kills(folder.resolve("proc"), folder.resolve("cgroup")));
    }

    @Test
    void shouldTakeTheMachinesWithoutAGroup() throws IOException {
        expect(1_024_000, 819_200, 0);
        write("proc/self/cgroup", "0::/\n");
        expect(1_024_000, 819_200, 0);
        group(".", "max", 1, 1, 0);
        expect(1_024_000, 819_200, 0);
    }

    @Test
    void shouldTakeTheLeastOfAllGroupsAbove() throws IOException {
        write("proc/self/cgroup", "0::/user.slice/job.scope\n");
        group("user.slice/job.scope", "max", 1, 1, 3);
        group("user.slice", "500000", 300_000, 50_000, 2);
        expect(500_000, 250_000, 2);
        group("user.slice/job.scope", "400000", 399_999, 0, 3);
        expect(400_000, 1, 3);
        group("user.slice/job.scope", "400000", 400_001, 0, 3);
        expect(400_000, 0, 3);
    }

    /** The mount of a container shows its group as the root, and the membership has the path of the machine. */
    @Test
    void shouldTakeTheRootOfAContainer() throws IOException {
        write("proc/self/cgroup", "0::/../docker/0123\n");
        group(".", "300000", 100_000, 0, 1);
        expect(300_000, 200_000, 1);
        write("proc/self/cgroup", "0::/docker/0123\n");
        expect(300_000, 200_000, 1);
    }

    @Test
    void shouldKnowTheFirstVersion() throws IOException {
        write("proc/self/cgroup", "5:cpu,memory:/slurm/job\n1:name=systemd:/x\n0::/\n");
        write("cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        write("cgroup/memory/slurm/job/memory.limit_in_bytes", "600000\n");
        write("cgroup/memory/slurm/job/memory.usage_in_bytes", "200000\n");
        write("cgroup/memory/slurm/job/memory.stat", "inactive_file 7\ntotal_inactive_file 1000\n");
        expect(600_000, 401_000, 0);
        write("cgroup/memory/slurm/job/memory.oom_control", "under_oom 0\noom_kill 4\n");
        expect(600_000, 401_000, 4);
    }

    @Test
    void shouldReadThisMachine() {
        assertTrue(SystemMemory.freeBytes() > 0 && SystemMemory.freeBytes() < SystemMemory.totalBytes());
        assertTrue(SystemMemory.kills() >= 0);
    }
}
