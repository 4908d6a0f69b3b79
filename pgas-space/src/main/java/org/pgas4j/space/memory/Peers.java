package org.pgas4j.space.memory;

import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.BitSet;
import java.util.function.IntConsumer;
import org.pgas4j.DeviceMemory;
import org.pgas4j.MemoryKind;
import org.pgas4j.PeerLostException;
import org.pgas4j.device.Accelerator;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.conduit.RankTable;

/** All ranks as one rank reaches them; nothing is done for one before it is first asked for. Used by its thread. */
public final class Peers {

    private final int rank;
    private final Segments segments;
    private final Accelerator accelerator;
    private final IntConsumer waker;
    private final RankTable<Peer> peers;
    private Endpoint[] remote = new Endpoint[0];
    private int remoteCount;
    private final BitSet lost = new BitSet();

    /**
     * @param rank  whose view this is
     * @param waker makes a rank of this JVM look again at what it waits for; null if they all look often enough
     */
    public Peers(int rank, Segments segments, Accelerator accelerator, int ranks, IntConsumer waker) {
        this.waker = waker;
        this.rank = rank;
        this.segments = segments;
        this.accelerator = accelerator;
        this.peers = new RankTable<>(ranks);
    }

    /**
     * The peer {@code target}.
     *
     * @throws IndexOutOfBoundsException if the job has no such rank
     * @throws PeerLostException         if it is lost, and this rank knows
     */
    public Peer get(int target) {
        Peer peer = peers.get(target);
        return peer != null ? peer : attach(target);
    }

    /** Number of ranks that this one has reached, itself included: those that take memory here. */
    public int reached() {
        return peers.size();
    }

    /**
     * The allocation that holds the device segment of {@code target}, or null if this rank's device cannot reach it. Neither its
     * host segment nor ranks of other nodes are reached for that.
     *
     * @throws IndexOutOfBoundsException if the job has no such rank
     */
    public DeviceMemory device(int target) {
        Peer peer = peers.get(target);
        if (peer == null) {
            requireLiving(target);
        }
        return peer != null ? peer.device() : segments.deviceMemory(target, accelerator);
    }

    /** From now on {@code target} is lost: what would reach it throws. */
    public void lose(int target) {
        lost.set(target);
        Peer gone = peers.get(target);
        if (gone != null) {
            peers.remove(target);
            remote = Arrays.stream(remote, 0, remoteCount).filter(endpoint -> endpoint != gone.endpoint()).toArray(Endpoint[]::new);
            remoteCount = remote.length;
        }
    }

    /** True if this rank knows that {@code target} is lost. */
    public boolean isLost(int target) {
        return lost.get(target);
    }

    /**
     * Refuses what is collective over these ranks if one of them is lost.
     *
     * @param members null for all ranks
     * @throws PeerLostException that names it
     */
    public void requireLiving(int[] members) {
        if (lost.isEmpty()) {
            return;
        }
        if (members == null) {
            requireLiving(lost.nextSetBit(0));
            return;
        }
        for (int member : members) {
            requireLiving(member);
        }
    }

    private void requireLiving(int target) {
        if (target >= 0 && lost.get(target)) {
            throw new PeerLostException("rank " + target + ", which rank " + rank + " would reach, is lost");
        }
    }

    private Peer attach(int target) {
        requireLiving(target);
        DeviceMemory memory = segments.deviceMemory(target, accelerator);
        Peer peer = new Peer(target, segments.endpoint(rank, target), segments.area().bytes(),
                segments.heapBytes(MemoryKind.HOST),
                memory, segments.deviceOffset(target), segments.heapBytes(MemoryKind.DEVICE), segments.isLocal(target));
        peers.put(target, peer);
        if (peer.endpoint().mapped() == null) {
            remote = Arrays.copyOf(remote, remoteCount + 1);
            remote[remoteCount++] = peer.endpoint();
        }
        return peer;
    }

    /** After a write that rank {@code target} may wait for. A rank of another JVM finds it when it looks next. */
    public void wake(int target) {
        if (waker != null && segments.isLocal(target)) {
            VarHandle.fullFence(); // pairs with the one of the waiter: it sees the write or is seen to park
            waker.accept(target);
        }
    }

    /** After a write that all ranks of this JVM may wait for: wakes the first, which {@link #wakeNext}s. */
    public void wakeFirst() {
        wake(segments.firstRank());
    }

    /** Wakes the ranks of this JVM behind this one in a binary tree. */
    public void wakeNext() {
        int left = 2 * rank - segments.firstRank() + 1;
        wake(left);
        wake(left + 1);
    }

    /** Completes at their targets the puts of this rank to segments that are not mapped. */
    public void flush() {
        for (int i = 0; i < remoteCount; i++) {
            remote[i].flush();
        }
    }
}
