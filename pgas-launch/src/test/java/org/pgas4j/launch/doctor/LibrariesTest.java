package org.pgas4j.launch.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.device.cuda.CudaReport;
import org.pgas4j.fastpath.conduit.ucx.UcxReport;
import org.pgas4j.launch.doctor.Verdict.Level;

/** Judgements of drivers and libraries. */
@Timeout(60)
class LibrariesTest {

    private static final String ABSENT = "no NVIDIA driver: libcuda.so.1: cannot open shared object file: No such file or"
            + " directory";
    private static final String MODULE = """
            NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue Sep 23 10:11:16 UTC 2025
            GCC version:  gcc version 12.2.0 (Debian 12.2.0-14)
            """;
    private static final String OPEN_MODULE = """
            NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.82.07  Release Build  (root@host)
            """;

    private static CudaReport none(String verdict) {
        return new CudaReport(false, verdict, 0, List.of(), new boolean[0][0], List.of());
    }

    private static CudaReport two(int version, boolean reach, CudaReport.Library... libraries) {
        CudaReport.Gpu gpu = new CudaReport.Gpu("H200", "9.0", 140L << 30);
        return new CudaReport(true, "", version, List.of(gpu, gpu), new boolean[][] {{true, reach}, {true, true}},
                List.of(libraries));
    }

    private static void expect(Level level, String part, Verdict verdict) {
        assertEquals(level, verdict.level(), verdict.line());
        assertTrue(verdict.line().contains(part), verdict.line() + " has not: " + part);
    }

    @Test
    void shouldReadTheKernelModulesVersion() {
        assertEquals(Optional.of("580.95.05"), GpuCheck.kernelModule(MODULE));
        assertEquals(Optional.of("580.82.07"), GpuCheck.kernelModule(OPEN_MODULE));
        assertEquals(Optional.empty(), GpuCheck.kernelModule("something else"));
    }

    @Test
    void shouldTakeAMachineWithoutGpuAsItIs() {
        expect(Level.OK, "host device", GpuCheck.judge(none(ABSENT), Optional.empty(), false, false).getFirst());
        expect(Level.FAIL, "install NVIDIA driver", GpuCheck.judge(none(ABSENT), Optional.empty(), false, true).getFirst());
    }

    @Test
    void shouldSayWhatKeepsAGpuFromBeingUsed() {
        expect(Level.WARN, "--gpus all", GpuCheck.judge(none(ABSENT), Optional.of("580.95.05"), true, false).getFirst());
        expect(Level.WARN, "unset CUDA_VISIBLE_DEVICES", GpuCheck.judge(none("NVIDIA driver found, but no device"
                + " (CUDA_VISIBLE_DEVICES='')"), Optional.of("580.95.05"), true, false).getFirst());
        expect(Level.WARN, "nvidia-smi", GpuCheck.judge(none("NVIDIA driver found, but no device"), Optional.empty(),
                true, false).getFirst());
        expect(Level.FAIL, "ldconfig -p", GpuCheck.judge(none("no NVIDIA driver: /x/libcuda.so.1: file too short"),
                Optional.empty(), false, true).getFirst());
    }

    @Test
    void shouldListGpusPeersAndLibraries() {
        List<Verdict> verdicts = GpuCheck.judge(two(13000, true, new CudaReport.Library("NVRTC", "13.1", null),
                new CudaReport.Library("cuBLAS", null, "cannot load cuBLAS: libcublas.so.13: not found; put it somewhere")),
                Optional.of("580.95.05"), true, false);

        assertEquals(5, verdicts.size());
        expect(Level.OK, "580.95.05, CUDA 13.0", verdicts.get(0));
        expect(Level.OK, "GPU: 2: H200 (9.0, 140 GiB)", verdicts.get(1));
        expect(Level.OK, "all 2", verdicts.get(2));
        expect(Level.OK, "13.1", verdicts.get(3));
        expect(Level.WARN, "libcublas.so.13: not found  -> put it somewhere", verdicts.get(4));
    }

    @Test
    void shouldRefuseOldDriversAndNameGpusThatAreApart() {
        List<Verdict> verdicts = GpuCheck.judge(two(12080, false), Optional.empty(), true, false);

        expect(Level.FAIL, "CUDA 12.8", verdicts.get(0));
        expect(Level.WARN, "none from 0 to 1 ", verdicts.get(2));
    }

    @Test
    void shouldMissUcxOnlyBetweenNodes() {
        expect(Level.WARN, "cannot open  -> for jobs on several nodes: install it (apt-get install libucx0)",
                UcxCheck.judge(new UcxReport(null, "UCX: libucp.so.0: cannot open; install it (apt-get install libucx0)",
                        List.of(), List.of()), false).getFirst());
        UcxReport tcp = new UcxReport("1.13.1", null, List.of("shm", "tcp"), List.of("rc: no such device"));
        assertEquals(1, UcxCheck.judge(tcp, false).size());
        expect(Level.OK, "1.13.1, transports shm, tcp", UcxCheck.judge(tcp, false).getFirst());
        expect(Level.WARN, "rc: no such device", UcxCheck.judge(tcp, true).getLast());
        expect(Level.WARN, "interface up", UcxCheck.judge(new UcxReport("1.13.1", null, List.of("shm"),
                List.of("tcp: none")), false).getFirst());
    }

    @Test
    void shouldAskUcxOfThisMachineWithoutHarm() {
        List<Verdict> verdicts = new UcxCheck().run();

        assertTrue(verdicts.stream().noneMatch(verdict -> verdict.level() == Level.FAIL), verdicts.toString());
    }
}
