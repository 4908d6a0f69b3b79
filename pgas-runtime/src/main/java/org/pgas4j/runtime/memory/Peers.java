package org.pgas4j.runtime.memory;

import org.pgas4j.DeviceMemory;
import org.pgas4j.Kind;
import org.pgas4j.device.Accelerator;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.runtime.directory.SegmentEntry;

/** All ranks as one rank reaches them; nothing is done for one before it is first asked for. Used by its thread. */
public final class Peers {

    private final int rank;
    private final Segments segments;
    private final Accelerator accelerator;
    private final Peer[] peers;
    private Endpoint[] remote = new Endpoint[0];
    private int remoteCount;

    /** @param rank whose view this is */
    public Peers(int rank, Segments segments, Accelerator accelerator, int ranks) {
        this.rank = rank;
        this.segments = segments;
        this.accelerator = accelerator;
        this.peers = new Peer[ranks];
    }

    /**
     * The peer {@code target}.
     *
     * @throws IndexOutOfBoundsException if the job has no such rank
     */
    public Peer get(int target) {
        if (target < 0 || target >= peers.length) {
            throw new IndexOutOfBoundsException("rank out of range: rank=" + target + " ranks=" + peers.length);
        }
        Peer peer = peers[target];
        return peer != null ? peer : attach(target);
    }

    private Peer attach(int target) {
        SegmentEntry device = segments.entry(target, Kind.DEVICE);
        DeviceMemory memory = segments.deviceMemory(target, accelerator);
        Peer peer = new Peer(target, segments.endpoint(rank, target), segments.area().bytes(), segments.heapBytes(Kind.HOST),
                memory, device.offset(), segments.heapBytes(Kind.DEVICE), segments.isLocal(target));
        peers[target] = peer;
        if (peer.endpoint().mapped() == null) {
            remote = java.util.Arrays.copyOf(remote, remoteCount + 1);
            remote[remoteCount++] = peer.endpoint();
        }
        return peer;
    }

    /** Completes at their targets the puts of this rank to segments that are not mapped. */
    public void flush() {
        for (int i = 0; i < remoteCount; i++) {
            remote[i].flush();
        }
    }
}
