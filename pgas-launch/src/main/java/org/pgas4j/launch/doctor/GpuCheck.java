package org.pgas4j.launch.doctor;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.pgas4j.device.cuda.CudaReport;

/** Driver, GPUs, which reaches which, and the libraries beside the driver. */
final class GpuCheck implements Check {

    private static final int MIN_VERSION = 13_000;
    private static final String MIN_DRIVER = "install NVIDIA driver 580 or newer";
    private static final Pattern KERNEL_MODULE = Pattern.compile("(?m)^NVRM version:.*?\\s(\\d+(?:\\.\\d+)+)\\s");
    private static final String ABSENT = "libcuda.so.1: cannot open shared object file";

    private final boolean required;

    /** @param required whether it is a failure if ranks have no GPU */
    GpuCheck(boolean required) {
        this.required = required;
    }

    @Override
    public String name() {
        return "GPU";
    }

    @Override
    public List<Verdict> run() {
        return judge(CudaReport.of(), Sources.text("/proc/driver/nvidia/version").flatMap(GpuCheck::kernelModule),
                Files.exists(Path.of("/dev/nvidiactl")), required);
    }

    /** The driver's version as its kernel module gives it. */
    static Optional<String> kernelModule(String text) {
        Matcher version = KERNEL_MODULE.matcher(text + "\n");
        return version.find() ? Optional.of(version.group(1)) : Optional.empty();
    }

    /**
     * @param module      version of the kernel module, if it is loaded
     * @param deviceFiles whether this process sees the driver's files in /dev
     */
    static List<Verdict> judge(CudaReport report, Optional<String> module, boolean deviceFiles, boolean required) {
        if (!report.usable()) {
            return List.of(absent(report.verdict(), module, deviceFiles, required));
        }
        List<Verdict> verdicts = new ArrayList<>();
        String driver = module.map(version -> version + ", ").orElse("") + "CUDA " + report.version() / 1000 + "."
                + report.version() % 1000 / 10;
        verdicts.add(report.version() >= MIN_VERSION ? Verdict.ok("NVIDIA driver", driver)
                : Verdict.fail("NVIDIA driver", driver, MIN_DRIVER));
        verdicts.add(Verdict.ok("GPU", report.devices().size() + ": " + report.devices().stream()
                .map(gpu -> gpu.name() + " (" + gpu.capability() + ", " + Sources.size(gpu.bytes()) + ")")
                .distinct().collect(Collectors.joining(", "))));
        if (report.devices().size() > 1) {
            verdicts.add(peers(report.peers()));
        }
        for (CudaReport.Library library : report.libraries()) {
            verdicts.add(library.missing() == null ? Verdict.ok(library.name(), library.version())
                    : library(library, required));
        }
        return verdicts;
    }

    private static Verdict library(CudaReport.Library library, boolean required) {
        int fix = library.missing().lastIndexOf("; ");
        String why = fix < 0 ? library.missing() : library.missing().substring(0, fix);
        String todo = fix < 0 ? "install CUDA 13" : library.missing().substring(fix + 2);
        return required ? Verdict.fail(library.name(), why, todo) : Verdict.warn(library.name(), why, todo);
    }

    private static Verdict absent(String verdict, Optional<String> module, boolean deviceFiles, boolean required) {
        if (module.isEmpty() && !deviceFiles && verdict.contains(ABSENT)) {
            return required ? Verdict.fail("GPU", verdict, MIN_DRIVER)
                    : Verdict.ok("GPU", "none, ranks compute on the host device (" + verdict + ")");
        }
        String value = module.map(version -> "kernel module " + version + " is loaded; ").orElse("") + verdict;
        String todo = verdict.contains(ABSENT) ? "mount the driver's libraries (in a container: nvidia-container-toolkit,"
                + " docker --gpus all), or put libcuda.so.1 on LD_LIBRARY_PATH"
                : verdict.contains("CUDA_VISIBLE_DEVICES=") ? "unset CUDA_VISIBLE_DEVICES or name a device there"
                : verdict.contains("no device") ? "see whether nvidia-smi lists a GPU, and whether /dev/nvidia* may be opened"
                : "let ldconfig -p or LD_LIBRARY_PATH find the libcuda.so.1 of driver 580 or newer first";
        return required ? Verdict.fail("GPU", value, todo) : Verdict.warn("GPU", value, todo);
    }

    private static Verdict peers(boolean[][] peers) {
        List<String> apart = new ArrayList<>();
        for (int i = 0; i < peers.length; i++) {
            for (int j = 0; j < peers.length; j++) {
                if (!peers[i][j]) {
                    apart.add(i + " to " + j);
                }
            }
        }
        return apart.isEmpty() ? Verdict.ok("peer access", "all " + peers.length + " GPUs reach each other")
                : Verdict.warn("peer access", "none from " + String.join(", ", apart),
                        "none needed: these transfers go through host memory; nvidia-smi topo -m shows how the GPUs are"
                                + " connected");
    }
}
