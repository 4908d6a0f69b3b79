package org.pgas4j.examples.ring;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Rank;
import org.pgas4j.examples.common.Workload;

/** The token, a number to which everyone adds one and bytes that stay, on its way round. */
abstract class Token implements Workload {

    static final int MIN_BYTES = Integer.BYTES;

    final Rank rank;
    final int bytes;
    final int rounds;

    Token(Rank rank, int bytes, int rounds) {
        this.rank = rank;
        this.bytes = bytes;
        this.rounds = rounds;
    }

    /** Memory of this rank that the token passes through; it starts and ends at the start of rank 0's. */
    abstract Buffer memory();

    /** Number of hops of the token in a run. */
    abstract long hops();

    /** Writes a new token at the start of rank 0's memory, and zeros everywhere else. */
    @Override
    public void reset() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment host = arena.allocate(memory().bytes());
            for (int i = MIN_BYTES; i < bytes && rank.rank() == 0; i++) {
                host.set(ValueLayout.JAVA_BYTE, i, constant(i));
            }
            rank.stream().copy(memory(), Buffer.ofHost(host, ElementType.BYTE));
            rank.stream().sync();
        }
    }

    /** The token shows the number of hops, and its other bytes are those it was sent with. */
    @Override
    public long wrong() {
        if (rank.rank() != 0) {
            return 0;
        }
        try (Arena arena = Arena.ofShared()) {
            MemorySegment host = arena.allocate(bytes, Integer.BYTES);
            rank.stream().copy(Buffer.ofHost(host, ElementType.BYTE), memory().slice(0, bytes));
            rank.stream().sync();
            long wrong = host.get(ValueLayout.JAVA_INT, 0) == hops() ? 0 : 1;
            for (int i = MIN_BYTES; i < bytes; i++) {
                wrong += host.get(ValueLayout.JAVA_BYTE, i) == constant(i) ? 0 : 1;
            }
            return wrong;
        }
    }

    /** In Java. */
    static void addOne(MemorySegment token) {
        token.set(ElementType.LAYOUT_INT, 0, token.get(ElementType.LAYOUT_INT, 0) + 1);
    }

    private static byte constant(int index) {
        return (byte) (31 * index + 7);
    }
}
