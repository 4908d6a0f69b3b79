package org.pgas4j.kernel.runtime;

import java.lang.foreign.MemorySegment;
import java.util.function.IntPredicate;
import org.pgas4j.KernelRefusedException;
import org.pgas4j.MemoryKind;
import org.pgas4j.device.Accelerator;
import org.pgas4j.space.memory.Peer;
import org.pgas4j.space.memory.Peers;

/** Shared memory that kernels of one rank reach; found when they first need it. Used by the rank's thread. */
final class KernelReach implements AutoCloseable {

    private final int rank;
    private final int ranks;
    private final Accelerator accelerator;
    private final Peers peers;
    private final IntPredicate isOnThisNode;
    private final IntPredicate hostReach;
    private RankSegments segments;

    /**
     * Segments as one rank's device reaches them.
     *
     * @param isOnThisNode of a rank: only such are asked for their memory
     * @param hostReach    registers a rank's host segment with the device; true if the device reaches it
     */
    KernelReach(int rank, int ranks, Accelerator accelerator, Peers peers, IntPredicate isOnThisNode, IntPredicate hostReach) {
        this.rank = rank;
        this.ranks = ranks;
        this.accelerator = accelerator;
        this.peers = peers;
        this.isOnThisNode = isOnThisNode;
        this.hostReach = hostReach;
    }

    RankSegments segments() {
        if (segments == null) {
            Peer[] reached = new Peer[ranks];
            for (int i = 0; i < ranks; i++) {
                Peer peer = i == rank || isOnThisNode.test(i) ? peers.get(i) : null;
                reached[i] = peer == null || peer.device() == null ? null : peer;
            }
            segments = new RankSegments(accelerator, reached);
        }
        return segments;
    }

    /**
     * Place of the segments of a kind in the table of all segments; those of host memory are registered when they are first needed.
     *
     * @param memory of the kind, for the message
     * @throws KernelRefusedException if the device does not reach this rank's own
     */
    int table(String kernel, MemoryKind kind, Object memory) {
        if (kind == MemoryKind.DEVICE) {
            return 0;
        }
        if (!segments().hasHosts()) {
            long[] heaps = new long[ranks];
            for (int i = 0; i < ranks; i++) {
                heaps[i] = i == rank || isOnThisNode.test(i) ? heap(i) : 0;
            }
            segments().addHosts(heaps);
        }
        if (segments().address(rank, MemoryKind.HOST, 0) == 0) {
            throw new KernelRefusedException("kernel " + kernel + " uses " + memory + " in host memory, which " + accelerator
                    + " does not reach: the driver has not page-locked the host segment of rank " + rank
                    + " (expected: device memory; allocate it under rank.onDevice(), copy it there, or raise the limit of locked "
                    + "memory, ulimit -l)");
        }
        return ranks;
    }

    /** Address of a rank's shared heap in host memory; 0 if the device does not reach it. */
    private long heap(int of) {
        Peer peer = peers.get(of);
        MemorySegment mapped = peer.endpoint().mapped();
        boolean isReached = mapped != null && (accelerator.backend().equals("host") || hostReach.test(of));
        return isReached ? mapped.asSlice(peer.heapStart(), peer.hostBytes()).address() : 0;
    }

    @Override
    public void close() {
        if (segments != null) {
            segments.close();
        }
    }
}
