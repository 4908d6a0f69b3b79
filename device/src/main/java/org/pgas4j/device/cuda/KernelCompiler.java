package org.pgas4j.device.cuda;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.pgas4j.CudaCode;
import org.pgas4j.DeviceException;

/** Compiles kernels, unless the cache has them. Thread-safe. */
final class KernelCompiler {

    private static final String STANDARD = "--std=c++17";
    private static final List<String> STANDARDS = List.of("--std", "-std");
    /** Options that name files, whose content the cache's key lacks. */
    private static final List<String> READS_FILES =
            List.of("-I", "--include-path", "-include", "--pre-include", "-optf", "--options-file");

    private final KernelCache cache;
    private final SourceCompiler compiler;
    private final AtomicBoolean prepared = new AtomicBoolean();

    KernelCompiler(KernelCache cache, SourceCompiler compiler) {
        this.cache = cache;
        this.compiler = compiler;
    }

    /** Starts to load the compiler on a thread of its own, once; {@link #compile} waits for it and reports a failure. */
    void prepare() {
        if (prepared.compareAndSet(false, true)) {
            Thread.ofPlatform().daemon().name("pgas-compiler").start(() -> {
                try {
                    compiler.prepare();
                } catch (DeviceException e) {
                    // the same for each kernel that is compiled
                }
            });
        }
    }

    /**
     * Compiles CUDA C++ source to a CUBIN.
     *
     * @param architecture for example {@code sm_90}
     * @throws org.pgas4j.DeviceException if it does not compile; contains the compiler's log
     */
    byte[] compile(String name, CudaCode code, String architecture) {
        List<String> options = has(code.options(), STANDARDS) ? code.options()
                : Stream.concat(Stream.of(STANDARD), code.options().stream()).toList();
        if (has(options, READS_FILES)) {
            return compiler.compile(name, code, architecture, options);
        }
        String key = KernelCache.key(code.text(), options, code.headers(), compiler.version(), architecture);
        return cache.get(key, () -> compiler.compile(name, code, architecture, options));
    }

    private static boolean has(List<String> options, List<String> starts) {
        return options.stream().anyMatch(option -> starts.stream().anyMatch(option::startsWith));
    }
}
