package org.pgas4j.device.cuda;

import java.util.List;
import org.pgas4j.CudaCode;

/** Compiler of CUDA C++ source. */
interface SourceCompiler {

    /** Name and version, which its results depend on. */
    String version();

    /** Loads what the first compilation needs; what fails here fails there again. */
    default void prepare() {
        version();
    }

    /**
     * Compiles to a CUBIN.
     *
     * @param name         of the kernel, for messages
     * @param code         source with its headers
     * @param architecture target, such as {@code sm_90}
     * @param options      all options but the target
     * @throws org.pgas4j.DeviceException if it does not compile; contains the compiler's log
     */
    byte[] compile(String name, CudaCode code, String architecture, List<String> options);
}
