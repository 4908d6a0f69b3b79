package org.pgas4j.device.cuda;

import java.util.List;

/** Compiles kernels, unless the cache has them. Thread-safe. */
final class KernelCompiler {

    private static final List<String> OPTIONS = List.of("--std=c++17");

    private final KernelCache cache;

    KernelCompiler(KernelCache cache) {
        this.cache = cache;
    }

    /**
     * Compiles CUDA C++ source to a CUBIN.
     *
     * @param architecture for example {@code sm_90}
     * @throws org.pgas4j.DeviceException if it does not compile; contains the compiler's log
     */
    byte[] compile(String name, String source, String architecture) {
        String key = KernelCache.key(source, OPTIONS, Nvrtc.version(), architecture);
        return cache.get(key, () -> Nvrtc.compile(name, source, architecture, OPTIONS));
    }
}
