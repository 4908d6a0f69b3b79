package org.pgas4j.device.cuda;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.pgas4j.CudaCode;
import org.pgas4j.DeviceException;

/** NVRTC for commands that launch nothing; it needs no GPU. Thread-safe. */
public final class DeviceCompiler {

    private static final String STANDARD = "--std=c++17";

    private DeviceCompiler() {
    }

    /** Version of NVRTC, or empty where it cannot be loaded. */
    public static Optional<String> version() {
        try {
            return Optional.of(new Nvrtc().version());
        } catch (DeviceException e) {
            return Optional.empty();
        }
    }

    /**
     * Compiles CUDA C++ as kernels written in Java are compiled, and drops the result.
     *
     * @param name         for messages
     * @param architecture target, such as {@code sm_90}
     * @param options      further options
     * @throws DeviceException if it does not compile; contains the compiler's log
     */
    public static void check(String name, String source, String architecture, List<String> options) {
        List<String> all = new ArrayList<>(List.of(STANDARD));
        all.addAll(options);
        new Nvrtc().compile(name, CudaCode.source(source), architecture, all);
    }
}
