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

/** The device segments of all ranks as kernels of one rank find them: a table of their addresses, 0 for those out of reach. */
final class RankSegments implements AutoCloseable {

    private static final long COPY_NS = 10_000_000_000L;

    private final List<Buffer> buffers = new ArrayList<>();
    private final int[] places;
    private final long[] starts;
    private final DeviceMemory table;
    private final Buffer tableBuffer;

    /** @param peers by rank, null for those out of reach */
    RankSegments(Accelerator accelerator, Peer[] peers) {
        this.places = new int[peers.length];
        this.starts = new long[peers.length];
        long bytes = (long) Long.BYTES * peers.length;
        this.table = accelerator.allocate(bytes, false);
        this.tableBuffer = Buffer.ofDevice(table, 0, ElementType.LONG, peers.length);
        try (PinnedMemory staging = accelerator.allocatePinned(bytes); AcceleratorStream stream = accelerator.newStream()) {
            MemorySegment addresses = staging.segment();
            for (int i = 0; i < peers.length; i++) {
                Peer peer = peers[i];
                places[i] = peer == null ? -1 : buffers.size();
                starts[i] = peer == null ? 0 : peer.device().address() + peer.deviceOffset();
                addresses.setAtIndex(ValueLayout.JAVA_LONG, i, starts[i]);
                if (peer != null) {
                    buffers.add(Buffer.ofDevice(peer.device(), peer.deviceOffset(), ElementType.BYTE, peer.deviceBytes()));
                }
            }
            stream.copyIn(table, 0, addresses, 0, bytes);
            if (!stream.sync(System.nanoTime() + COPY_NS)) {
                throw new org.pgas4j.DeviceException("copy of " + bytes + " bytes to " + accelerator + " did not end");
            }
        }
    }

    /** The table, in memory of the device: a pointer for each rank. */
    Buffer table() {
        return tableBuffer;
    }

    /** Address of a place in a rank's segment, as the device reaches it; 0 if it does not. */
    long address(int rank, long offset) {
        return starts[rank] == 0 ? 0 : starts[rank] + offset;
    }

    /** The segments within reach, whole. */
    List<Buffer> buffers() {
        return buffers;
    }

    /** Position of each rank's segment among {@link #buffers}; -1 if it is out of reach. */
    int[] places() {
        return places;
    }

    @Override
    public void close() {
        table.close();
    }
}
