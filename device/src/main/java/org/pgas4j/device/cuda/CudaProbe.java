package org.pgas4j.device.cuda;

import java.util.Optional;
import org.pgas4j.device.DeviceBackend;

/**
 * Result of a search for GPUs.
 *
 * @param backend the CUDA backend, if it can be used
 * @param verdict one line for the user: the devices found, or what is missing and the remedy
 */
public record CudaProbe(Optional<DeviceBackend> backend, String verdict) {
}
