package org.pgas4j.device.cuda;

import static jcuda.driver.CUresult.CUDA_SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.DeviceMemory;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.DeviceBackend;
import org.pgas4j.device.Devices;
import org.pgas4j.device.Devices.CudaProbe;

/** What this backend adds to the driver's own time. */
@Tag("gpu")
@Timeout(60)
class CudaLatencyTest {

    private static final int ROUNDS = 21;
    private static final int COPIES = 2000;
    private static final double ALLOWED = 1.15;

    @Test
    void shouldCopyEightBytesAboutAsFastAsTheDriverAlone() {
        CudaProbe probe = Devices.probeCuda();
        assumeTrue(probe.backend().isPresent(), probe.verdict());
        try (DeviceBackend backend = probe.backend().get()) {
            Accelerator device = backend.open(0);
            Accelerator other = backend.open(backend.count() - 1);
            device.bind();
            device.enableReach(other);
            try (DeviceMemory mine = device.allocate(64, false); DeviceMemory theirs = other.allocate(64, false);
                    AcceleratorStream stream = device.newStream()) {
                CUstream raw = new CUstream();
                assertEquals(CUDA_SUCCESS, JCudaDriver.cuStreamCreate(raw, CUstream_flags.CU_STREAM_NON_BLOCKING));
                CUdeviceptr dst = NativeAddress.set(new CUdeviceptr(), theirs.address());
                CUdeviceptr src = NativeAddress.set(new CUdeviceptr(), mine.address());
                double[] driver = new double[ROUNDS];
                double[] ours = new double[ROUNDS];
                for (int round = -2; round < ROUNDS; round++) { // the first two warm up
                    int slot = Math.max(round, 0);
                    driver[slot] = micros(() -> {
                        int code = JCudaDriver.cuMemcpyDtoDAsync(dst, src, 8, raw);
                        assertEquals(CUDA_SUCCESS, code | JCudaDriver.cuStreamSynchronize(raw));
                    });
                    ours[slot] = micros(() -> {
                        stream.copy(theirs, 0, mine, 0, 8);
                        assertTrue(stream.sync(System.nanoTime() + TimeUnit.SECONDS.toNanos(5)));
                    });
                }
                assertEquals(CUDA_SUCCESS, JCudaDriver.cuStreamDestroy(raw));
                double driverMedian = median(driver);
                double ourMedian = median(ours);
                System.out.printf("8 B device to device (%d to %d) and wait: driver %.2f us, stream %.2f us%n",
                        device.ordinal(), other.ordinal(), driverMedian, ourMedian);
                assertTrue(ourMedian <= ALLOWED * driverMedian, "driver " + driverMedian + " us, stream " + ourMedian
                        + " us");
            }
        }
    }

    private static double micros(Runnable copy) {
        long start = System.nanoTime();
        for (int i = 0; i < COPIES; i++) {
            copy.run();
        }
        return (System.nanoTime() - start) / 1e3 / COPIES;
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
