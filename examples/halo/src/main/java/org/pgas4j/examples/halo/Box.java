package org.pgas4j.examples.halo;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.SharedFloats;

/**
 * A rank's memory on its device, all of it twice, for even and odd periods: the box, two faces to send, two faces received. Face 0
 * is towards the rank before, face 1 towards the rank after; the ranks are a ring. What is sent or received in one period is not
 * touched in the next, and two periods later the neighbours have seen it, since their next faces have come: nothing has to be
 * flushed or acknowledged.
 */
final class Box {

    private final Rank rank;
    private final Settings settings;
    private final SharedFloats u;
    private final SharedFloats send;
    private final SharedFloats receive;

    /** Collective. */
    Box(Rank rank, Settings settings) {
        this.rank = rank;
        this.settings = settings;
        try (var _ = rank.onDevice()) {
            this.u = rank.allAllocFloats(Layout.replicated(), 2 * settings.box());
            this.send = rank.allAllocFloats(Layout.replicated(), 4L * settings.face());
            this.receive = rank.allAllocFloats(Layout.replicated(), 4L * settings.face());
        }
    }

    Settings settings() {
        return settings;
    }

    /** The rank that face {@code side} is towards. */
    int neighbour(int side) {
        return (rank.rank() + (side == 0 ? rank.ranks() - 1 : 1)) % rank.ranks();
    }

    /** The box before period {@code period}. */
    Buffer u(int period) {
        return u.local().slice(period % 2 * settings.box(), settings.box());
    }

    SharedFloats allU() {
        return u;
    }

    /** Both faces to send in a period. */
    Buffer send(int period) {
        return send.local().slice(period % 2 * 2L * settings.face(), 2L * settings.face());
    }

    /** One of them. */
    Buffer face(int period, int side) {
        return send(period).slice((long) side * settings.face(), settings.face());
    }

    SharedFloats allSend() {
        return send;
    }

    /** Both faces received in a period. */
    Buffer receive(int period) {
        return receive.local().slice(period % 2 * 2L * settings.face(), 2L * settings.face());
    }

    /** Where a face is received, bytes from the start of {@link #allReceive}. */
    long place(int period, int side) {
        return (period % 2 * 2L + side) * settings.face() * Float.BYTES;
    }

    SharedFloats allReceive() {
        return receive;
    }

    /** Everything as at the start, what is to be computed or received NaN. Collective. */
    void reset() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment start = arena.allocate(ValueLayout.JAVA_FLOAT, settings.box());
            for (long at = 0; at < settings.box(); at++) {
                start.setAtIndex(ValueLayout.JAVA_FLOAT, at, Reference.start(rank.rank(), at));
            }
            for (SharedFloats array : new SharedFloats[] {u, send, receive}) {
                rank.stream().fill(array.local(), 0xff);
            }
            rank.stream().copy(u(0), Buffer.ofHost(start, ElementType.FLOAT));
            rank.stream().sync();
        }
        rank.barrier();
    }

    /** Rank 0: number of values of all boxes that are not as expected after all periods. */
    long wrong(float[][] expected) {
        int n = settings.side();
        long wrong = 0;
        try (Arena arena = Arena.ofShared()) {
            MemorySegment plane = arena.allocate(ValueLayout.JAVA_FLOAT, settings.face());
            for (int owner = 0; owner < rank.ranks(); owner++) {
                for (int z = 0; z < n; z++) {
                    long from = settings.periods() % 2 * settings.box() + (long) z * settings.face();
                    rank.memget(plane, u.pointer(from).onRank(owner), plane.byteSize());
                    for (int i = 0; i < settings.face(); i++) {
                        float right = expected[z][i / n * rank.ranks() * n + owner * n + i % n];
                        wrong += plane.getAtIndex(ValueLayout.JAVA_FLOAT, i) == right ? 0 : 1;
                    }
                }
            }
        }
        return wrong;
    }

    /** Collective. */
    void free() {
        rank.allFree(receive);
        rank.allFree(send);
        rank.allFree(u);
    }
}
