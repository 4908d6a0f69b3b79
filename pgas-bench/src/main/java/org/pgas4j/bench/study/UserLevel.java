package org.pgas4j.bench.study;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.ElementType;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;

/**
 * Transfers between the devices of pairs of ranks as a good user writes them where only host memory is shared: the owner copies
 * between its device and its host segment, and the ranks meet in barriers. These copies name the segment by a shared pointer: the
 * runtime then registers it with the device, once, so they are those of page-locked memory. A copy of a block would not be.
 */
final class UserLevel implements AutoCloseable {

    private final Rank rank;
    private final SharedPointer shared;
    private final SharedPointer own;
    private final SharedPointer there;
    private final MemorySegment here;

    /** Collective; for transfers of up to {@code bytes} bytes between ranks 2 i and 2 i + 1. */
    UserLevel(Rank rank, long bytes) {
        this.rank = rank;
        try (Scope _ = rank.offDevice()) {
            shared = rank.allAlloc(rank.ranks(), bytes);
        }
        own = shared.onRank(rank.rank());
        there = shared.onRank(rank.rank() ^ 1);
        here = rank.local(own);
        rank.barrier();
    }

    /** The lower rank's side of a put: nanoseconds until the bytes are on the other's device. */
    long put(Buffer src) {
        long begin = System.nanoTime();
        rank.stream().memput(own, src);
        rank.stream().sync();
        rank.barrier();
        rank.rma().put(there, Buffer.ofHost(here, ElementType.BYTE).slice(0, src.bytes()), Completion.IMPLICIT);
        rank.barrier();
        rank.barrier();
        return System.nanoTime() - begin;
    }

    /** The other's side of it. */
    long receive(Buffer dst) {
        rank.barrier();
        rank.barrier();
        rank.stream().memget(dst, own);
        rank.stream().sync();
        rank.barrier();
        return 0;
    }

    /** The lower rank's side of a get: nanoseconds until the bytes are on its device. */
    long get(Buffer dst) {
        long begin = System.nanoTime();
        rank.barrier();
        rank.memget(here, there, dst.bytes());
        rank.barrier();
        rank.stream().memget(dst, own);
        rank.stream().sync();
        rank.barrier();
        return System.nanoTime() - begin;
    }

    /** The other's side of it. */
    long offer(Buffer src) {
        rank.stream().memput(own, src);
        rank.stream().sync();
        rank.barrier();
        rank.barrier();
        rank.barrier();
        return 0;
    }

    /** As {@link #get} of a rank that the owner looks after between other things: it is asked, then two barriers. */
    void fetch(Buffer dst) {
        rank.barrier();
        rank.memget(here, there, dst.bytes());
        rank.barrier();
        rank.stream().memget(dst, own);
        rank.stream().sync();
    }

    /** The owner's side of {@link #fetch}. */
    void answer(Buffer src) {
        rank.stream().memput(own, src);
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
