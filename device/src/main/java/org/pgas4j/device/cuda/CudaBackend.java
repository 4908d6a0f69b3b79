package org.pgas4j.device.cuda;

import static jcuda.driver.CUresult.CUDA_ERROR_NO_DEVICE;
import static jcuda.driver.CUresult.CUDA_SUCCESS;

import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import jcuda.driver.CUresult;
import org.pgas4j.DeviceException;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.DeviceBackend;
import org.pgas4j.device.ResidentWorks;
import org.pgas4j.os.Libc;

/** The NVIDIA GPUs of this machine, through their primary contexts. Thread-safe. */
public final class CudaBackend implements DeviceBackend {

    /** Name of this backend. */
    public static final String NAME = "cuda";

    static final String DRIVER_LIBRARY = "libcuda.so.1";
    private static final String VISIBLE = "CUDA_VISIBLE_DEVICES";

    private static final String MAX_QUEUES = "32";

    private final KernelCompiler compiler;
    private final ResidentWorks residents = new ResidentWorks(); // of all: memory that devices reach may wait for any of them
    private final CudaAccelerator[] devices;

    private CudaBackend(int count, KernelCache cache) {
        compiler = new KernelCompiler(cache, new Nvrtc());
        devices = new CudaAccelerator[count];
    }

    /**
     * Asks for as many queues of each device as there may be, for 8 by default, before the first probe of this JVM. Streams are spread
     * over them, and work in a queue waits for what is before it: blocks of ranks that share one would wait for each other for ever.
     */
    public static void expectSeveralRanks() {
        Libc.setEnvironment("CUDA_DEVICE_MAX_CONNECTIONS", MAX_QUEUES, false);
    }

    /** Probes as {@link #probe(Path)}, with the user's own cache of kernels. */
    public static CudaProbe probe() {
        return probe(KernelCache.defaultDirectory());
    }

    /** Probes as {@link #probe(Path)}, and keeps no kernels on disk. */
    public static CudaProbe probeUncached() {
        return probe(KernelCache.none());
    }

    /**
     * Searches the driver and its devices. Never throws because something is missing.
     *
     * @param kernelCache directory of compiled kernels; made when the first is compiled
     */
    public static CudaProbe probe(Path kernelCache) {
        return probe(new KernelCache(kernelCache));
    }

    private static CudaProbe probe(KernelCache cache) {
        Optional<String> missing = Libc.loadLibrary(DRIVER_LIBRARY);
        if (missing.isPresent()) {
            return none("no NVIDIA driver: " + missing.get());
        }
        Optional<String> lacks = DriverSymbols.missing(DRIVER_LIBRARY);
        if (lacks.isPresent()) {
            return none(DRIVER_LIBRARY + " is not a driver that can be used: it has no function " + lacks.get()
                    + "; is it a stub of a toolkit, or older than driver 580?");
        }
        try {
            JCudaLibrary.load();
            return probeDriver(cache);
        } catch (DeviceException e) {
            return none(e.getMessage());
        }
    }

    private static CudaProbe probeDriver(KernelCache cache) {
        int code = CudaDriver.init();
        if (code == CUDA_ERROR_NO_DEVICE) {
            return none("NVIDIA driver found, but no device" + visibility());
        }
        if (code != CUDA_SUCCESS) {
            return none("NVIDIA driver found, but cuInit: " + CUresult.stringFor(code) + " (" + code + ")"
                    + visibility());
        }
        int count = CudaDriver.deviceCount();
        int version = CudaDriver.version();
        String driver = "CUDA " + version / 1000 + "." + version % 1000 / 10 + " driver, ";
        if (count == 0) {
            return none(driver + "but no device" + visibility());
        }
        String names = IntStream.range(0, count)
                .mapToObj(ordinal -> CudaDriver.name(CudaDriver.device(ordinal)))
                .collect(Collectors.joining(", "));
        return new CudaProbe(Optional.of(new CudaBackend(count, cache)),
                driver + count + (count == 1 ? " device: " : " devices: ") + names);
    }

    private static String visibility() {
        String visible = System.getenv(VISIBLE);
        return visible == null ? "" : " (" + VISIBLE + "='" + visible + "')";
    }

    private static CudaProbe none(String reason) {
        return new CudaProbe(Optional.empty(), reason);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int count() {
        return devices.length;
    }

    @Override
    public synchronized Accelerator open(int ordinal) {
        if (ordinal < 0 || ordinal >= devices.length) {
            throw new DeviceException("no device cuda:" + ordinal + ": the driver shows " + devices.length
                    + visibility());
        }
        if (devices[ordinal] == null) {
            devices[ordinal] = new CudaAccelerator(ordinal, compiler, residents);
        }
        return devices[ordinal];
    }

    @Override
    public synchronized void close() {
        RuntimeException first = null;
        for (CudaAccelerator device : devices) {
            try {
                if (device != null) {
                    device.close();
                }
            } catch (RuntimeException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
