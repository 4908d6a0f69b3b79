package org.pgas4j.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.device.select.Devices;

@Timeout(30)
class CudaBackendTest {

    @Test
    void shouldGiveAVerdictOfOneLine() {
        CudaProbe probe = Devices.probeCuda();

        assertEquals(1, probe.verdict().lines().count(), probe.verdict());
        assertEquals(probe.backend().isPresent(), probe.verdict().contains("driver, "), probe.verdict());
    }

    @Test
    void shouldSayWhyThereIsNoDriver() {
        CudaProbe probe = Devices.probeCuda("auto", 1);
        assumeFalse(probe.backend().isPresent(), probe.verdict());

        assertTrue(probe.verdict().startsWith("no NVIDIA driver: libcuda.so.1: ")
                || probe.verdict().startsWith("NVIDIA driver found, but "), probe.verdict());
    }
}
