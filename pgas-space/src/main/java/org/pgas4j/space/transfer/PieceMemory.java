package org.pgas4j.space.transfer;

import org.pgas4j.DeviceMemory;
import org.pgas4j.MemoryKind;
import org.pgas4j.SharedPointer;
import org.pgas4j.device.Accelerator;
import org.pgas4j.space.memory.Peer;

/**
 * Memory that a rank's transfers of pieces address: places of shared pointers, and device memory as large as a piece of
 * page-locked memory, for what passes through the host. Used by the rank's thread.
 */
final class PieceMemory implements AutoCloseable {

    private final int rank;
    private final RouteTable routes;
    private final Completions completions;
    private final Accelerator accelerator;
    private DeviceMemory scratch;

    PieceMemory(int rank, Transfers transfers, Accelerator accelerator) {
        this.rank = rank;
        this.routes = transfers.routes();
        this.completions = transfers.completions();
        this.accelerator = accelerator;
    }

    /** The place of a pointer if this rank or its device addresses it and memory of {@code local} kind goes there; else null. */
    Place place(SharedPointer pointer, MemoryKind local) {
        return routes.route(pointer.rank(), local, pointer.kind()).isByMessages() ? null : place(pointer);
    }

    /** The place of a pointer if this rank or its device addresses it; else null. */
    Place place(SharedPointer pointer) {
        Peer peer = routes.peer(pointer.rank());
        if (pointer.kind() == MemoryKind.HOST) {
            return peer.endpoint().mapped() == null ? null
                    : new Place(peer.endpoint().mapped(), null, peer.heapStart() + pointer.addrField());
        }
        return peer.device() == null ? null : new Place(null, peer.device(), peer.deviceOffset() + pointer.addrField());
    }

    /** Throws unless {@code bytes} bytes from the pointer on are in its allocation, which is live. */
    void checkShared(String operation, SharedPointer pointer, long bytes) {
        Bounds.checkShared(operation, rank, pointer, routes.peer(pointer.rank()), bytes);
    }

    DeviceMemory scratch() {
        if (scratch == null) {
            scratch = accelerator.allocate(completions.piece().byteSize(), false);
        }
        return scratch;
    }

    Place scratchPlace() {
        return new Place(null, scratch(), 0);
    }

    @Override
    public void close() {
        if (scratch != null) {
            scratch.close();
        }
    }
}
