package org.pgas4j.device.cuda;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdevice_attribute;
import org.pgas4j.DeviceException;

/**
 * Report of what CUDA offers on this machine. No context is made: memory of the devices is not touched.
 *
 * @param usable    true if ranks can compute on CUDA devices
 * @param verdict   result for the driver, one line
 * @param version   version of the driver as CUDA counts, 13000 for 13.0; 0 if there is no usable driver
 * @param devices   devices in the driver's order; empty if it is not usable
 * @param peers     {@code peers[i][j]} is true if device i reaches the memory of device j
 * @param libraries libraries, searched only if there are devices
 */
public record CudaReport(boolean usable, String verdict, int version, List<Gpu> devices, boolean[][] peers,
                         List<Library> libraries) {

    /**
     * A device.
     *
     * @param capability compute capability, such as {@code 9.0}
     * @param bytes      size of its memory
     */
    public record Gpu(String name, String capability, long bytes) {
    }

    /**
     * A library beside the driver.
     *
     * @param name    name, for messages
     * @param version version, for messages; null if it is missing
     * @param missing reason why it cannot be used, and remedy; null if it can
     */
    public record Library(String name, String version, String missing) {
    }

    /**
     * Queries the driver. Takes seconds if that initialises devices; missing parts are in the report.
     *
     * @throws DeviceException if a driver that can be used refuses a call
     */
    public static CudaReport of() {
        CudaProbe probe = CudaBackend.probe();
        if (probe.backend().isEmpty()) {
            return new CudaReport(false, probe.verdict(), 0, List.of(), new boolean[0][0], List.of());
        }
        int count = probe.backend().get().count();
        List<Gpu> devices = new ArrayList<>();
        boolean[][] peers = new boolean[count][count];
        for (int i = 0; i < count; i++) {
            CUdevice device = CudaDriver.device(i);
            devices.add(new Gpu(CudaDriver.name(device), capability(device), CudaDriver.totalBytes(device)));
            for (int j = 0; j < count; j++) {
                peers[i][j] = i == j || CudaDriver.canAccessPeer(device, CudaDriver.device(j));
            }
        }
        return new CudaReport(true, probe.verdict(), CudaDriver.version(), List.copyOf(devices), peers,
                List.of(library("NVRTC", () -> new Nvrtc().version()), library("cuBLAS", Cublas::version)));
    }

    private static String capability(CUdevice device) {
        return CudaDriver.attribute(CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) + "."
                + CudaDriver.attribute(CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    }

    private static Library library(String name, Supplier<String> version) {
        try {
            return new Library(name, version.get(), null);
        } catch (DeviceException e) {
            return new Library(name, null, e.getMessage());
        }
    }
}
