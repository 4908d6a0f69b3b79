package org.pgas4j.runtime.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceMemory;
import org.pgas4j.ElementType;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.PinnedMemory;
import org.pgas4j.space.memory.Peer;

/**
 * The segments of all ranks as kernels of one rank find them: a table of their addresses, those of device memory first, then those
 * of the shared heaps in host memory; 0 for those out of reach.
 */
final class RankSegments implements AutoCloseable {

    private static final long COPY_NS = 10_000_000_000L;

    private final Accelerator accelerator;
    private final List<Buffer> buffers = new ArrayList<>();
    private final int[] places;
    private final DeviceMemory table;
    private MemorySegment[] hosts; // null until kernels need them

    /** @param peers by rank, null for those whose device memory is out of reach */
    RankSegments(Accelerator accelerator, Peer... peers) {
        this.accelerator = accelerator;
        this.places = new int[peers.length];
        this.table = accelerator.allocate(2L * Long.BYTES * peers.length, false);
        long[] addresses = new long[2 * peers.length];
        for (int i = 0; i < peers.length; i++) {
            Peer peer = peers[i];
            places[i] = peer == null ? -1 : buffers.size();
            if (peer != null) {
                addresses[i] = peer.device().address() + peer.deviceOffset();
                buffers.add(Buffer.ofDevice(peer.device(), peer.deviceOffset(), ElementType.BYTE, peer.deviceBytes()));
            }
        }
        write(0, addresses);
    }

    private void write(int first, long... addresses) {
        long bytes = (long) Long.BYTES * addresses.length;
        try (PinnedMemory staging = accelerator.allocatePinned(bytes); AcceleratorStream stream = accelerator.newStream()) {
            MemorySegment.copy(addresses, 0, staging.segment(), ValueLayout.JAVA_LONG, 0, addresses.length);
            stream.copyIn(table, (long) Long.BYTES * first, staging.segment(), 0, bytes);
            if (!stream.sync(System.nanoTime() + COPY_NS)) {
                throw new org.pgas4j.DeviceException("copy of " + bytes + " bytes to " + accelerator + " did not end");
            }
        }
    }

    /** True if {@link #addHosts} was called. */
    boolean hasHosts() {
        return hosts != null;
    }

    /** Adds the shared heaps in host memory, by rank; null for those out of reach. */
    void addHosts(MemorySegment... heaps) {
        long[] addresses = new long[heaps.length];
        for (int i = 0; i < heaps.length; i++) {
            addresses[i] = heaps[i] == null ? 0 : heaps[i].address();
        }
        write(heaps.length, addresses);
        hosts = heaps;
    }

    /** A rank's shared heap in host memory; null if it is out of reach. */
    MemorySegment host(int rank) {
        return hosts == null ? null : hosts[rank];
    }

    /** The table, in memory of the device: two pointers for each rank. */
    Buffer table() {
        return Buffer.ofDevice(table, 0, ElementType.LONG, 2L * places.length);
    }

    /** The device segments within reach, whole. */
    List<Buffer> buffers() {
        return buffers;
    }

    /** Position of each rank's device segment among {@link #buffers}; -1 if it is out of reach. */
    int[] places() {
        return places;
    }

    @Override
    public void close() {
        table.close();
    }
}
