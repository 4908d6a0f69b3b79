package org.pgas4j.fastpath.protocol;

import java.lang.foreign.MemorySegment;
import org.pgas4j.DeviceMemory;
import org.pgas4j.device.Accelerator;

/**
 * A rank's own segments, as messages from others address them.
 *
 * @param host         its host segment
 * @param heapStart    where the shared heap begins there, bytes
 * @param hostBytes    size of that heap
 * @param device       allocation that holds its device segment
 * @param deviceOffset where the device segment begins there, bytes
 * @param deviceBytes  its size
 * @param accelerator  its device
 */
public record LocalMemory(MemorySegment host, long heapStart, long hostBytes, DeviceMemory device, long deviceOffset,
                          long deviceBytes, Accelerator accelerator) {
}
