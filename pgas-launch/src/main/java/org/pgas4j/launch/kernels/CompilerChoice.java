package org.pgas4j.launch.kernels;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.pgas4j.DeviceException;
import org.pgas4j.device.cuda.DeviceCompiler;
import org.pgas4j.kernels.BlockLibrary;
import org.pgas4j.kernels.KernelForm;
import org.pgas4j.kernels.KernelTranslator;
import org.pgas4j.kernels.ScannedKernel;

/** The compilers that can check the C++ of kernels, the best first. */
enum CompilerChoice {
    /** CUDA's compiler at run time, which jobs use. */
    NVRTC,
    /** CUDA's compiler driver. */
    NVCC,
    /** The host's compiler, which knows all but CUDA's own functions. */
    GPP,
    /** Translation alone. */
    NONE;

    private static final long TIMEOUT_S = 120;
    private static final int THREADS = 256; // of a block, as most kernels are launched

    /** The first that this machine has. */
    static CompilerChoice best() {
        return DeviceCompiler.version().isPresent() ? NVRTC : isOnPath("nvcc") ? NVCC : isOnPath("g++") ? GPP : NONE;
    }

    private static boolean isOnPath(String program) {
        String path = System.getenv("PATH");
        return path != null && Stream.of(path.split(":")).anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    /** Name and, if known, version. */
    String shown() {
        return switch (this) {
            case NVRTC -> "NVRTC " + DeviceCompiler.version().orElse("");
            case NVCC -> "nvcc";
            case GPP -> "g++, which knows no CUDA";
            case NONE -> "no compiler";
        };
    }

    /**
     * Compiles a kernel and drops the result. One that is refused is not compiled, and a block program only by CUDA's compilers.
     *
     * @return messages of a failure, or null if there is none
     */
    String check(ScannedKernel kernel, String architecture) {
        if (kernel.refusal() != null) {
            return null;
        }
        if (kernel.form() != KernelForm.BLOCKS) {
            return check(kernel.name(), kernel.cuda(), architecture, KernelTranslator.options(kernel.isFast(), THREADS));
        }
        Optional<BlockLibrary> library = BlockLibrary.find();
        return this == GPP || library.isEmpty() ? null
                : check(kernel.name(), library.get().expand(kernel.name(), kernel.cuda()), architecture,
                        KernelTranslator.blockOptions(kernel.isFast(), THREADS));
    }

    private String check(String name, String source, String architecture, List<String> options) {
        return switch (this) {
            case NVRTC -> nvrtc(name, source, architecture, options);
            case NVCC -> run(source, ".cu", List.of("nvcc", "-std=c++17", "-arch=" + architecture, "-w", "-ptx"), options);
            case GPP -> run(source, ".cpp", List.of("g++", "-std=c++17", "-w", "-c"), List.of());
            case NONE -> null;
        };
    }

    private static String nvrtc(String name, String source, String architecture, List<String> options) {
        try {
            DeviceCompiler.check(name, source, architecture, options);
            return null;
        } catch (DeviceException e) {
            return e.getMessage();
        }
    }

    private static String run(String source, String suffix, List<String> command, List<String> options) {
        try {
            Path file = Files.createTempFile("pgas-kernel", suffix);
            Path result = Files.createTempFile("pgas-kernel", ".out");
            Path log = Files.createTempFile("pgas-kernel", ".log");
            try {
                Files.writeString(file, source);
                List<String> all = new ArrayList<>(command);
                all.addAll(options);
                all.addAll(List.of("-o", result.toString(), file.toString()));
                return run(all, log);
            } finally {
                for (Path one : List.of(file, result, log)) {
                    Files.deleteIfExists(one);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String run(List<String> command, Path log) throws IOException {
        Process compiler = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        try {
            if (!compiler.waitFor(TIMEOUT_S, TimeUnit.SECONDS)) {
                return command.getFirst() + " has not ended within " + TIMEOUT_S + " s";
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return command.getFirst() + " was interrupted";
        } finally {
            compiler.destroyForcibly();
        }
        return compiler.exitValue() == 0 ? null : Files.readString(log);
    }
}
