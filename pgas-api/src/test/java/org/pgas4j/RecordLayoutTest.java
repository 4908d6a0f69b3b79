package org.pgas4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class RecordLayoutTest {

    private record Pair(float x, float y) {
    }

    private record All(byte tag, short step, boolean on, double origin, int n, Pair pair, char letter, long last, byte tail) {
    }

    private record Named(int id, String name) {
    }

    private record Positive(int value) {

        Positive {
            if (value <= 0) {
                throw new IllegalArgumentException("value: " + value);
            }
        }
    }

    private static final All VALUE =
            new All((byte) -3, (short) 1000, true, Math.PI, -77, new Pair(1.5f, -2.5f), '\uFFFE', Long.MIN_VALUE, (byte) 9);

    @Test
    void shouldAlignAsC() {
        RecordLayout<All> layout = RecordLayout.of(All.class);
        String[] names = {"tag", "step", "on", "origin", "n", "pair", "letter", "last", "tail"};
        long[] offsets = {0, 2, 4, 8, 16, 20, 28, 32, 40}; // those of offsetof in C

        for (int i = 0; i < names.length; i++) {
            assertEquals(offsets[i], layout.layout().byteOffset(PathElement.groupElement(names[i])), names[i]);
        }
        assertEquals(48, layout.bytes());
        assertEquals(8, layout.layout().byteAlignment());
        assertSame(layout, RecordLayout.of(All.class));
    }

    @Test
    void shouldReadWhatItWrote() {
        RecordLayout<All> layout = RecordLayout.of(All.class);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(100, 8);
            layout.set(memory, 3, VALUE);

            assertEquals(VALUE, layout.get(memory, 3));
            assertEquals(-77, memory.get(ValueLayout.JAVA_INT_UNALIGNED, 3 + 16));
            assertThrows(IndexOutOfBoundsException.class, () -> layout.set(memory, 60, VALUE));
        }
        assertEquals(VALUE, layout.get(RecordLayout.struct(VALUE), 0));
        assertEquals(48, RecordLayout.struct(VALUE).byteSize());
    }

    @Test
    void shouldRefuseWhatIsNoStruct() {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> RecordLayout.of(Named.class));
        assertTrue(e.getMessage().contains("name is java.lang.String"), e.getMessage());
        MemorySegment zero = MemorySegment.ofArray(new long[1]);
        e = assertThrows(IllegalArgumentException.class, () -> RecordLayout.of(Positive.class).get(zero, 0));
        assertTrue(e.getMessage().contains("value: 0"), e.getMessage());
    }
}
