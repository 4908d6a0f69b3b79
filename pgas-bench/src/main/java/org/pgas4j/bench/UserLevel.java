package org.pgas4j.bench;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Block;
import org.pgas4j.ElementType;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;

/**
 * Transfers between the devices of two ranks as a good user writes them where only host memory is shared: the owner copies
 * between its device and its host segment, which is registered with the device, and the ranks meet in barriers.
 */
final class UserLevel implements AutoCloseable {

    private final Rank rank;
    private final SharedPointer shared;
    private final SharedPointer there;
    private final MemorySegment here;
    private final Block host;

    /** Collective; for transfers of up to {@code bytes} bytes between ranks 0 and 1. */
    UserLevel(Rank rank, long bytes) {
        this.rank = rank;
        try (Scope _ = rank.offDevice()) {
            shared = rank.allAlloc(rank.ranks(), bytes);
        }
        SharedPointer own = shared.onRank(rank.rank());
        there = shared.onRank(1 - rank.rank());
        here = rank.local(own);
        host = rank.localBlock(own, ElementType.BYTE, bytes);
        // A transfer of the runtime between device and segment makes it register the segment.
        Block device = rank.device().alloc(ElementType.BYTE, 1);
        rank.stream().fill(device, 0);
        rank.stream().sync();
        rank.memput(own, device);
        rank.fence();
        device.deviceMemory().close();
        rank.barrier();
    }

    /** The part of the own host segment that a transfer of {@code bytes} uses. */
    Block host(long bytes) {
        return host.slice(0, bytes);
    }

    /** Rank 0's side of a put: nanoseconds until the bytes are on rank 1's device. */
    long put(Block src, Block staging) {
        long begin = System.nanoTime();
        rank.stream().copy(staging, src);
        rank.stream().sync();
        rank.barrier();
        rank.memput(there, here, src.bytes());
        rank.barrier();
        rank.barrier();
        return System.nanoTime() - begin;
    }

    /** Rank 1's side of it. */
    long receive(Block dst, Block staging) {
        rank.barrier();
        rank.barrier();
        rank.stream().copy(dst, staging);
        rank.stream().sync();
        rank.barrier();
        return 0;
    }

    /** Rank 0's side of a get: nanoseconds until the bytes are on its device. */
    long get(Block dst, Block staging) {
        long begin = System.nanoTime();
        rank.barrier();
        rank.memget(here, there, dst.bytes());
        rank.barrier();
        rank.stream().copy(dst, staging);
        rank.stream().sync();
        rank.barrier();
        return System.nanoTime() - begin;
    }

    /** Rank 1's side of it. */
    long offer(Block src, Block staging) {
        rank.stream().copy(staging, src);
        rank.stream().sync();
        rank.barrier();
        rank.barrier();
        rank.barrier();
        return 0;
    }

    /** As {@link #get} of a rank that the owner looks after between other things: it is asked, then two barriers. */
    void fetch(Block dst, Block staging) {
        rank.barrier();
        rank.memget(here, there, dst.bytes());
        rank.barrier();
        rank.stream().copy(dst, staging);
        rank.stream().sync();
    }

    /** The owner's side of {@link #fetch}. */
    void answer(Block src, Block staging) {
        rank.stream().copy(staging, src);
        rank.stream().sync();
        rank.barrier();
        rank.barrier();
    }

    /** Collective. */
    @Override
    public void close() {
        rank.allFree(shared);
    }
}
