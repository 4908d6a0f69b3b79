package org.pgas4j.examples.ring;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Rank;

/** The token: a number everyone adds one to, and bytes that stay what they are. */
final class Token {

    static final int MIN_BYTES = Integer.BYTES;

    private Token() {
    }

    /** Writes a new token at the start of {@code memory} on rank 0, and zeros everywhere else. */
    static void place(Rank rank, Buffer memory, int bytes) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment host = arena.allocate(memory.bytes());
            if (rank.rank() == 0) {
                for (int i = MIN_BYTES; i < bytes; i++) {
                    host.set(ValueLayout.JAVA_BYTE, i, constant(i));
                }
            }
            rank.stream().copy(memory, Buffer.ofHost(host, ElementType.BYTE));
            rank.stream().sync();
        }
    }

    /** The number of the token at the start of {@code memory}, or -1 if another byte of it is wrong. */
    static long read(Rank rank, Buffer memory, int bytes) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment host = arena.allocate(bytes);
            rank.stream().copy(Buffer.ofHost(host, ElementType.BYTE), memory.slice(0, bytes));
            rank.stream().sync();
            for (int i = MIN_BYTES; i < bytes; i++) {
                if (host.get(ValueLayout.JAVA_BYTE, i) != constant(i)) {
                    return -1;
                }
            }
            return host.get(ElementType.LAYOUT_INT, 0);
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
