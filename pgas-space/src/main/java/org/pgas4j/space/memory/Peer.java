package org.pgas4j.space.memory;

import org.pgas4j.DeviceMemory;
import org.pgas4j.fastpath.conduit.Endpoint;

/**
 * A rank as another rank reaches it.
 *
 * @param rank         it
 * @param endpoint     its host segment
 * @param heapStart    where the shared heap begins in the host segment, bytes
 * @param hostBytes    size of the shared heap in host memory
 * @param device       allocation that holds its device segment, or null if the other rank's device cannot reach it
 * @param deviceOffset where its device segment begins there, bytes
 * @param deviceBytes  size of the device segment
 * @param sameProcess  true if both ranks are threads of one JVM
 */
public record Peer(int rank, Endpoint endpoint, long heapStart, long hostBytes, DeviceMemory device, long deviceOffset,
                   long deviceBytes, boolean sameProcess) {
}
