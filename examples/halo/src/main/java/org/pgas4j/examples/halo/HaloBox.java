package org.pgas4j.examples.halo;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.SharedFloats;
import org.pgas4j.examples.common.Workload;
import org.pgas4j.examples.halo.Halo.HaloCase;

/**
 * A rank's memory on its device, all of it twice, for even and odd periods: the box, two faces to send, two faces received. Face 0
 * is towards the rank before, face 1 towards the rank after; the ranks are a ring. A face that is sent or received in one period is not
 * touched in the next, and two periods later the neighbours have seen it, since their next faces have come: nothing has to be
 * flushed or acknowledged.
 */
abstract class HaloBox implements Workload {

    private static final int BLOCKS_ON_HOST = 4;

    final Rank rank;
    final HaloCase of;
    final SharedFloats allU;
    final SharedFloats allSend;
    final SharedFloats allReceive;
    private float[][] expected;

    /** Collective. */
    HaloBox(Rank rank, HaloCase of) {
        this.rank = rank;
        this.of = of;
        try (var _ = rank.onDevice()) {
            this.allU = rank.allAllocFloats(Layout.replicated(), 2 * of.box());
            this.allSend = rank.allAllocFloats(Layout.replicated(), 4L * of.face());
            this.allReceive = rank.allAllocFloats(Layout.replicated(), 4L * of.face());
        }
    }

    /** Blocks that put to neighbours alone; a few on the host device if the settings do not give their number. Collective. */
    DeviceGrid grid() {
        return rank.createGrid(of.runs().shape(rank, BLOCKS_ON_HOST).partners(neighbour(0), neighbour(1)));
    }

    /** The rank that face {@code side} is towards. */
    int neighbour(int side) {
        return (rank.rank() + (side == 0 ? rank.ranks() - 1 : 1)) % rank.ranks();
    }

    /** The box before period {@code period}. */
    Buffer u(int period) {
        return allU.local().slice(period % 2 * of.box(), of.box());
    }

    /** Both faces to send in a period. */
    Buffer send(int period) {
        return allSend.local().slice(period % 2 * 2L * of.face(), 2L * of.face());
    }

    /** One of them. */
    Buffer face(int period, int side) {
        return send(period).slice((long) side * of.face(), of.face());
    }

    /** Both faces received in a period. */
    Buffer receive(int period) {
        return allReceive.local().slice(period % 2 * 2L * of.face(), 2L * of.face());
    }

    /** Place of a face received, bytes from the start of {@link #allReceive}. */
    long place(int period, int side) {
        return (period % 2 * 2L + side) * of.face() * Float.BYTES;
    }

    /** Everything as at the start; values to be computed or received are NaN. */
    @Override
    public void reset() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment start = arena.allocate(ValueLayout.JAVA_FLOAT, of.box());
            for (long at = 0; at < of.box(); at++) {
                start.setAtIndex(ValueLayout.JAVA_FLOAT, at, HaloReference.start(rank.rank(), at));
            }
            for (SharedFloats array : new SharedFloats[] {allU, allSend, allReceive}) {
                rank.stream().fill(array.local(), 0xff);
            }
            rank.stream().copy(u(0), Buffer.ofHost(start, ElementType.FLOAT));
            rank.stream().sync();
        }
    }

    /** Values of all boxes that are not the reference's to the last bit after all periods. */
    @Override
    public long wrong() {
        if (rank.rank() != 0) {
            return 0;
        }
        expected = expected == null ? HaloReference.of(of, rank.ranks()) : expected;
        int n = of.side();
        long wrong = 0;
        try (Arena arena = Arena.ofShared()) {
            MemorySegment plane = arena.allocate(ValueLayout.JAVA_FLOAT, of.face());
            for (int owner = 0; owner < rank.ranks(); owner++) {
                for (int z = 0; z < n; z++) {
                    long from = of.periods() % 2 * of.box() + (long) z * of.face();
                    rank.memget(plane, allU.pointer(from).onRank(owner), plane.byteSize());
                    for (int i = 0; i < of.face(); i++) {
                        float right = expected[z][i / n * rank.ranks() * n + owner * n + i % n];
                        wrong += plane.getAtIndex(ValueLayout.JAVA_FLOAT, i) == right ? 0 : 1;
                    }
                }
            }
        }
        return wrong;
    }

    @Override
    public void close() {
        rank.allFree(allReceive);
        rank.allFree(allSend);
        rank.allFree(allU);
    }
}
