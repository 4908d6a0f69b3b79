package org.pgas4j.launch.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.launch.doctor.Verdict.Level;

/** The judgements, on what machines have. */
@Timeout(60)
class ChecksTest {

    private static final String LIMITS = """
            Limit                     Soft Limit           Hard Limit           Units     \s
            Max cpu time              unlimited            unlimited            seconds   \s
            Max open files            %s                 524288               files     \s
            Max locked memory         %s                65536                bytes     \s
            Max address space         unlimited            unlimited            bytes     \s
            """;
    private static final String MOUNTS = """
            overlay / overlay rw,relatime,lowerdir=/a:/b,upperdir=/c 0 0
            tmpfs /tmp tmpfs rw,nosuid,nodev,noexec,relatime,size=65536k 0 0
            /dev/sda2 /tmp/with\\040space ext4 rw,relatime 0 0
            tmpfs /dev/shm tmpfs rw,nosuid,nodev 0 0
            """;

    private static void expect(Level level, String part, Verdict verdict) {
        assertEquals(level, verdict.level(), verdict.line());
        assertTrue(verdict.line().contains(part), verdict.line() + " has not: " + part);
        assertEquals(level == Level.OK, verdict.todo().isEmpty(), verdict.line());
    }

    @Test
    void shouldWantJava25OnLinux() {
        expect(Level.OK, "25.0.1", JdkCheck.judge(25, "OpenJDK 25.0.1", "Linux", "amd64").getFirst());
        expect(Level.FAIL, "JAVA_HOME", JdkCheck.judge(21, "OpenJDK 21.0.9", "Linux", "amd64").getFirst());
        expect(Level.FAIL, "aarch64", JdkCheck.judge(25, "25", "Linux", "aarch64").getLast());
    }

    @Test
    void shouldNameTheFlagThatLacks() {
        expect(Level.OK, "--enable-native-access", FlagsCheck.judge(true).getFirst());
        expect(Level.WARN, "java with --enable-native-access", FlagsCheck.judge(false).getFirst());
        assertEquals(Level.OK, new FlagsCheck().run().getFirst().level(), "tests run with it");
    }

    @Test
    void shouldWantLockedMemoryForRdmaOnly() {
        expect(Level.OK, "64 KiB", LimitsCheck.judge(LIMITS.formatted("20000", "65536"), false).getFirst());
        expect(Level.FAIL, "ulimit -l unlimited", LimitsCheck.judge(LIMITS.formatted("20000", "65536"), true).getFirst());
        expect(Level.WARN, "1024 MiB", LimitsCheck.judge(LIMITS.formatted("20000", "1073741824"), true).getFirst());
        expect(Level.OK, "unlimited", LimitsCheck.judge(LIMITS.formatted("20000", "unlimited"), true).getFirst());
        expect(Level.WARN, "ulimit -n", LimitsCheck.judge(LIMITS.formatted("256", "65536"), false).getLast());
    }

    @Test
    void shouldMeasureMemoryByDefaultHeaps() {
        long mib = 1 << 20;

        expect(Level.OK, "", MemoryCheck.judgeMemory(2048 * mib, 1024 * mib, 8));
        expect(Level.WARN, "8 ranks take 1024 MiB", MemoryCheck.judgeMemory(2048 * mib, 1023 * mib, 8));
        expect(Level.OK, "", MemoryCheck.judgeShm(true, 1024 * mib, 512 * mib, 8));
        expect(Level.WARN, "--shm-size 512m", MemoryCheck.judgeShm(true, 64 * mib, 64 * mib, 8));
        expect(Level.FAIL, "1 MiB of 64 MiB", MemoryCheck.judgeShm(true, 64 * mib, mib, 8));
        expect(Level.FAIL, "not writable", MemoryCheck.judgeShm(false, 64 * mib, 64 * mib, 8));
    }

    @Test
    void shouldFindTheMountOfAPath() {
        assertTrue(Mounts.optionsOf(Path.of("/tmp/x"), MOUNTS).contains("noexec"));
        assertTrue(Mounts.optionsOf(Path.of("/tmpx"), MOUNTS).contains("lowerdir=/a:/b"));
        assertEquals(Set.of("rw", "relatime"), Mounts.optionsOf(Path.of("/tmp/with space/y"), MOUNTS));
        assertEquals(Set.of(), Mounts.optionsOf(Path.of("/tmp"), ""));
    }

    @Test
    void shouldLookAtRightsOfDirectories() {
        Path path = Path.of("/d");

        expect(Level.OK, "", DirectoriesCheck.judgeTemporary(path, found(0, 01777, true)));
        expect(Level.WARN, "chmod 1777 /d", DirectoriesCheck.judgeTemporary(path, found(0, 0777, true)));
        expect(Level.WARN, "noexec", DirectoriesCheck.judgeTemporary(path, found(0, 01777, true, "noexec")));
        expect(Level.FAIL, "not writable", DirectoriesCheck.judgeTemporary(path, found(0, 0755, false)));
        expect(Level.FAIL, "no directory", DirectoriesCheck.judgeTemporary(path, null));
        expect(Level.FAIL, "noexec", DirectoriesCheck.judgeCache(path, found(7, 0700, true, "noexec")));
        expect(Level.FAIL, "XDG_CACHE_HOME", DirectoriesCheck.judgeCache(path, found(0, 0755, false)));
        expect(Level.OK, "/dev/shm", DirectoriesCheck.judgeRuntime(null, null, 7));
        expect(Level.OK, "none is left", DirectoriesCheck.judgeJobs(List.of()));
        expect(Level.WARN, "2 left of killed launchers: /dev/shm/pgas-7-a, /run/pgas-7-b",
                DirectoriesCheck.judgeJobs(List.of(Path.of("/dev/shm/pgas-7-a"), Path.of("/run/pgas-7-b"))));
        expect(Level.OK, "", DirectoriesCheck.judgeRuntime(path, found(7, 0700, true), 7));
        expect(Level.WARN, "belongs to user 7, not to 0", DirectoriesCheck.judgeRuntime(path, found(7, 0700, true), 0));
        expect(Level.WARN, "mode 777", DirectoriesCheck.judgeRuntime(path, found(7, 0777, true), 7));
        expect(Level.WARN, "no directory", DirectoriesCheck.judgeRuntime(path, null, 7));
    }

    private static DirectoriesCheck.Found found(int owner, int mode, boolean writable, String... options) {
        return new DirectoriesCheck.Found(Path.of("/d"), owner, mode, writable, Set.of(options));
    }

    @Test
    void shouldWantLoopbackAboveAll() {
        expect(Level.OK, "", PortsCheck.judge("loopback", null, true));
        expect(Level.FAIL, "lo up", PortsCheck.judge("loopback", "Network is unreachable", true));
        expect(Level.WARN, "--iface", PortsCheck.judge("eth0 10.0.0.1", "Connect timed out", false));
        expect(Level.OK, "", PortsCheck.judgeRange("32768\t60999\n"));
        expect(Level.WARN, "11 ports", PortsCheck.judgeRange("40000\t40010"));
    }

    @Test
    void shouldSeeWhereTheHostNameLeads() throws UnknownHostException {
        InetAddress loopback = InetAddress.getByName("127.0.1.1");
        InetAddress own = InetAddress.getByName("10.1.2.3");
        InetAddress other = InetAddress.getByName("10.9.9.9");

        expect(Level.OK, "n1 is 10.1.2.3", HostNameCheck.judge("n1", List.of(own), Set.of(own)));
        expect(Level.WARN, "does not have: 10.9.9.9", HostNameCheck.judge("n1", List.of(own, other), Set.of(own)));
        expect(Level.WARN, "do not reach", HostNameCheck.judge("n1", List.of(loopback), Set.of(own)));
        expect(Level.OK, "", HostNameCheck.judge("n1", List.of(loopback), Set.of()));
        expect(Level.WARN, "<address> n1", HostNameCheck.judge("n1", List.of(), Set.of(own)));
    }

    @Test
    void shouldTellContainers() {
        String status = "Name:\tjava\nNoNewPrivs:\t0\nSeccomp:\t2\nSeccomp_filters:\t1\n";

        assertTrue(ContainerCheck.judge(status, "0::/", true, "pid:[1]", "0 0 4294967295").value()
                .startsWith("container, pid:[1], system calls are filtered;"));
        assertTrue(ContainerCheck.judge("Seccomp:\t0", "0::/init.scope", false, "pid:[1]", "0 100000 65536").value()
                .equals("no container found, pid:[1], no filter of system calls, user namespace"));
    }

    @Test
    void shouldSayWhatKeepsProcessesApart() {
        expect(Level.FAIL, "seccomp", SharingCheck.judgeMade("memfd_create(pgas-doctor): Operation not permitted (errno 1)"));
        expect(Level.FAIL, "free memory", SharingCheck.judgeMade("shared memory of 4096 bytes, 0 are free"));
        expect(Level.FAIL, "cat: /proc/7/fd/9: Permission denied",
                SharingCheck.judgeOpened(false, "cat: /proc/7/fd/9: Permission denied"));
        expect(Level.FAIL, "/proc/8/fd", SharingCheck.judgeChild(false, 8));
    }

    @Test
    void shouldShareMemoryWithAnotherProcessHere() throws Exception {
        List<Verdict> verdicts = new SharingCheck().run();

        assertEquals(2, verdicts.size());
        verdicts.forEach(verdict -> expect(Level.OK, "", verdict));
    }

    @Test
    void shouldKnowSlowClocks() {
        expect(Level.OK, "tsc", ClockCheck.judge("tsc", "tsc hpet acpi_pm", 20, 25));
        expect(Level.WARN, "clocksource=tsc", ClockCheck.judge("hpet", "tsc hpet acpi_pm", 70, 1500));
        expect(Level.WARN, "another machine", ClockCheck.judge("acpi_pm", "acpi_pm", 280, 1500));
    }

    @Test
    void shouldReadQuotas() {
        assertEquals(OptionalDouble.of(1.5), CoresCheck.quota("150000 100000"));
        assertEquals(OptionalDouble.empty(), CoresCheck.quota("max 100000"));
        assertEquals(OptionalDouble.empty(), CoresCheck.quota("-1 100000"));
        expect(Level.WARN, "at most 1 ranks", CoresCheck.judge(8, OptionalDouble.of(1.5)));
        expect(Level.OK, "quota of 8.0", CoresCheck.judge(8, OptionalDouble.of(8)));
        expect(Level.OK, "no quota", CoresCheck.judge(2, OptionalDouble.empty()));
    }

    @Test
    void shouldReadFilesOfTheKernelWhole() {
        assertEquals(2, Sources.text("/proc/sys/net/ipv4/ip_local_port_range").orElse("0 0").split("\\s+").length);
        assertTrue(Sources.text("/proc/no-such-file").isEmpty());
    }
}
