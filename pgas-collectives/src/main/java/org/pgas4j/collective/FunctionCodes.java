package org.pgas4j.collective;

import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.pgas4j.CudaCode;

/**
 * CUDA code of kernels that combine by functions of the program: each made once, as it takes longer than its launch, and kept while
 * the function's source is in use. Thread-safe.
 */
final class FunctionCodes {

    private record Key(String kernel, String parameters, String opening, String call) {
    }

    /** By the functions' sources. */
    private static final Map<String, Map<Key, CudaCode>> CODES = Collections.synchronizedMap(new WeakHashMap<>());

    private FunctionCodes() {
    }

    /**
     * The code of a kernel.
     *
     * @param kernel  its name, which says all but the function
     * @param threads of its blocks
     * @param text    makes its source, without that of the function
     */
    static CudaCode of(DeviceFunction function, String kernel, int threads, Supplier<String> text) {
        Key key = new Key(kernel, function.parameters(), function.opening(), function.call());
        return CODES.computeIfAbsent(function.cuda(), _ -> new ConcurrentHashMap<>()).computeIfAbsent(key,
                _ -> CudaCode.source(function.cuda() + "namespace pgas_combining {\n" + text.get() + "}\n")
                        .withOptions(function.options(threads)));
    }
}
