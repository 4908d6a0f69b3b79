package org.pgas4j.runtime.memory;

import org.pgas4j.DeviceMemory;
import org.pgas4j.Kind;
import org.pgas4j.device.Accelerator;
import org.pgas4j.runtime.directory.SegmentEntry;

/** All ranks as one rank reaches them; nothing is done for one before it is first asked for. Used by its thread. */
public final class Peers {

    private final Segments segments;
    private final Accelerator accelerator;
    private final Peer[] peers;

    public Peers(Segments segments, Accelerator accelerator, int ranks) {
        this.segments = segments;
        this.accelerator = accelerator;
        this.peers = new Peer[ranks];
    }

    /**
     * The peer {@code rank}.
     *
     * @throws IndexOutOfBoundsException if the job has no such rank
     */
    public Peer get(int rank) {
        if (rank < 0 || rank >= peers.length) {
            throw new IndexOutOfBoundsException("rank out of range: rank=" + rank + " ranks=" + peers.length);
        }
        Peer peer = peers[rank];
        return peer != null ? peer : attach(rank);
    }

    private Peer attach(int rank) {
        SegmentEntry device = segments.entry(rank, Kind.DEVICE);
        DeviceMemory memory = segments.deviceMemory(rank, accelerator);
        Peer peer = new Peer(rank, segments.endpoint(rank), segments.area().bytes(), segments.heapBytes(Kind.HOST),
                memory, device.offset(), segments.heapBytes(Kind.DEVICE), segments.isLocal(rank));
        peers[rank] = peer;
        return peer;
    }
}
