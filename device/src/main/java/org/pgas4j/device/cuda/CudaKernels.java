package org.pgas4j.device.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import org.pgas4j.CudaCode;
import org.pgas4j.DeviceException;
import org.pgas4j.Kernel;
import org.pgas4j.device.ResidentWorks;

/**
 * The kernels loaded on one device, each compiled and loaded once; different ones at the same time. Thread-safe; needs the device's
 * context current.
 */
final class CudaKernels {

    /** A kernel ready to launch. Thread-safe. */
    static final class Function {

        private static final int PORTABLE_CLUSTER = 8;

        private final String name;
        private final CUfunction handle;
        private final int[] parameterBytes;
        private int sharedBytes; // allowed so far; guarded by this
        private boolean largeClusters;

        private Function(String name, CUfunction handle) {
            this.name = name;
            this.handle = handle;
            this.parameterBytes = ParameterInfo.of(handle);
        }

        CUfunction handle() {
            return handle;
        }

        /** The size of each parameter; null if the driver does not report it. */
        int[] parameterBytes() {
            return parameterBytes;
        }

        /** Allows launches that many bytes of dynamic shared memory; never fewer than before, since other streams launch too. */
        void allowShared(int bytes) {
            if (bytes == 0) {
                return;
            }
            synchronized (this) {
                if (bytes > sharedBytes) {
                    CudaDriver.allowSharedBytes(handle, name, bytes);
                    sharedBytes = bytes;
                }
            }
        }

        /** Allows launches with clusters of that many blocks. */
        synchronized void allowCluster(int blocks) {
            if (blocks > PORTABLE_CLUSTER && !largeClusters) {
                CudaDriver.allowLargeClusters(handle, name);
                largeClusters = true;
            }
        }
    }

    private record Key(String name, CudaCode code) {
    }

    private final KernelCompiler compiler;
    private final String architecture;
    private final ResidentWorks residents;
    private final MadeOnce<CudaCode, CUmodule> modules = new MadeOnce<>();
    private final Map<Key, Function> functions = new ConcurrentHashMap<>();

    /**
     * @param architecture target, such as {@code sm_90}
     * @param residents    kernels for which loading might wait
     */
    CudaKernels(KernelCompiler compiler, String architecture, ResidentWorks residents) {
        this.compiler = compiler;
        this.architecture = architecture;
        this.residents = residents;
    }

    /** @throws DeviceException if it has no CUDA source or its source does not compile; has the compiler's log */
    Function function(Kernel kernel, String device) {
        if (kernel.code() == null) {
            throw new DeviceException("kernel " + kernel.name() + " has no CUDA source, PTX or CUBIN, which " + device
                    + " needs; it has a Java body only");
        }
        Key key = new Key(kernel.name(), kernel.code());
        Function known = functions.get(key);
        if (known != null) {
            return known;
        }
        CUmodule module = modules.get(kernel.code(), () -> load(kernel));
        Function loaded = residents.without(() -> new Function(kernel.name(),
                CudaDriver.function(module, kernel.name(), KernelImages.needs(kernel))));
        Function earlier = functions.putIfAbsent(key, loaded); // of another thread
        return earlier == null ? loaded : earlier;
    }

    /** Compiles while resident kernels run, and loads while they do not. */
    private CUmodule load(Kernel kernel) {
        byte[] bytes = switch (kernel.code().form()) {
            case SOURCE -> compiler.compile(kernel.name(), kernel.code(), architecture);
            case PTX -> KernelImages.ptx(kernel);
            case CUBIN -> kernel.code().image();
        };
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment image = arena.allocate(bytes.length, Long.BYTES).copyFrom(MemorySegment.ofArray(bytes));
            return residents.without(() -> CudaDriver.loadModule(image.address(), kernel.name(),
                    KernelImages.describe(kernel.code()) + " on " + architecture));
        }
    }

    /** Starts to load the compiler. */
    void prepare() {
        compiler.prepare();
    }

    /** No other thread uses it any more. */
    void close() {
        functions.clear();
        modules.clear(CudaDriver::unloadModule);
    }
}
