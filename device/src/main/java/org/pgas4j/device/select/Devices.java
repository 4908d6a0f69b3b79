package org.pgas4j.device.select;

import java.nio.file.Path;
import java.util.Optional;
import org.pgas4j.device.DeviceBackend;
import org.pgas4j.device.cuda.CudaBackend;
import org.pgas4j.device.cuda.CudaProbe;
import org.pgas4j.device.cuda.NvtxRanges;
import org.pgas4j.device.host.HostBackend;

/** Finds the backends of this machine. */
public final class Devices {

    private Devices() {
    }

    /** Probes as {@link #probeCuda(String, int)} for one rank, with the user's own cache of compiled kernels. */
    public static CudaProbe probeCuda() {
        return CudaBackend.probe();
    }

    /**
     * Searches the CUDA driver and its devices; never throws because one is missing.
     *
     * @param kernelCache value of {@link org.pgas4j.PgasKey#KERNEL_CACHE}: a directory, {@code auto}, or {@code none}
     * @param ranks       ranks of this JVM that may use the devices at once
     */
    public static CudaProbe probeCuda(String kernelCache, int ranks) {
        if (ranks > 1) {
            CudaBackend.expectSeveralRanks();
        }
        return switch (kernelCache) {
            case "auto" -> CudaBackend.probe();
            case "none" -> CudaBackend.probeUncached();
            default -> CudaBackend.probe(Path.of(kernelCache));
        };
    }

    /**
     * Shows launches on CUDA streams as ranges to NVIDIA's profilers, from now on.
     *
     * @return why that is not possible, at the first call only
     */
    public static Optional<String> showRanges() {
        return NvtxRanges.turnOn();
    }

    /**
     * Opens the host device backend.
     *
     * @param devices number of devices
     * @param threads number of threads that one device's matrix products and kernels may use
     */
    public static DeviceBackend host(int devices, int threads) {
        return new HostBackend(devices, threads);
    }
}
