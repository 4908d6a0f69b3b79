package org.pgas4j.fastpath.protocol;

import java.lang.foreign.MemorySegment;
import org.pgas4j.DeviceMemory;
import org.pgas4j.device.Accelerator;

/**
 * A rank's own segments, as messages from peers address them.
 *
 * @param host         host segment
 * @param heapStart    offset of the shared heap in it, bytes
 * @param hostBytes    size of that heap
 * @param device       allocation that holds the device segment
 * @param deviceOffset offset of the device segment in it, bytes
 * @param deviceBytes  size of the device segment
 * @param accelerator  the rank's device
 */
public record LocalMemory(MemorySegment host, long heapStart, long hostBytes, DeviceMemory device, long deviceOffset,
                          long deviceBytes, Accelerator accelerator) {
}
