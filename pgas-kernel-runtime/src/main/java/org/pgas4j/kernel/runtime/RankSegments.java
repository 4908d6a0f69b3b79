package org.pgas4j.kernel.runtime;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceMemory;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
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
    private final long[] starts;
    private final DeviceMemory table;
    private final Buffer tableBuffer;
    private long[] hosts; // null until kernels need them

    /** @param peers by rank, null for those whose device memory is out of reach */
    RankSegments(Accelerator accelerator, Peer[] peers) {
        this.accelerator = accelerator;
        this.places = new int[peers.length];
        this.starts = new long[peers.length];
        this.table = accelerator.allocate(2L * Long.BYTES * peers.length, false);
        this.tableBuffer = Buffer.ofDevice(table, 0, ElementType.LONG, 2L * peers.length);
        for (int i = 0; i < peers.length; i++) {
            Peer peer = peers[i];
            places[i] = peer == null ? -1 : buffers.size();
            starts[i] = peer == null ? 0 : peer.device().address() + peer.deviceOffset();
            if (peer != null) {
                buffers.add(Buffer.ofDevice(peer.device(), peer.deviceOffset(), ElementType.BYTE, peer.deviceBytes()));
            }
        }
        write(0, starts);
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

    /** Adds the addresses of the shared heaps in host memory, by rank; 0 for those out of reach. */
    void addHosts(long... addresses) {
        write(addresses.length, addresses);
        hosts = addresses;
    }

    /** The table, in memory of the device: two pointers for each rank. */
    Buffer table() {
        return tableBuffer;
    }

    /** Address of a place in a rank's segment of a kind, as the device reaches it; 0 if it does not. */
    long address(int rank, MemoryKind kind, long offset) {
        long start = kind == MemoryKind.DEVICE ? starts[rank] : hosts == null ? 0 : hosts[rank];
        return start == 0 ? 0 : start + offset;
    }

    /** Addresses of the shared heaps in host memory, by rank; null before {@link #addHosts}. */
    long[] hosts() {
        return hosts;
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
