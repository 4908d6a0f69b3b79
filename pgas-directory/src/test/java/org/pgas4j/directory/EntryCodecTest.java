package org.pgas4j.directory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.MemoryKind;
import org.pgas4j.bootstrap.node.SegmentEntry;

@Timeout(10)
class EntryCodecTest {

    static SegmentEntry entry(int rank, MemoryKind kind, byte[] token) {
        return new SegmentEntry(rank, kind, "cuda", 3, "/proc/7/fd/9", token, 1 << 20, 4096, 65536, 2, 4711);
    }

    @Test
    void shouldReadWhatItWrites() {
        for (MemoryKind kind : MemoryKind.values()) {
            byte[] bytes = EntryCodec.encode(entry(5, kind, new byte[] {1, 2, 3}));
            SegmentEntry read = EntryCodec.decode(bytes, 5, kind).orElseThrow();

            assertArrayEquals(bytes, EntryCodec.encode(read));
            assertEquals("/proc/7/fd/9", read.path());
            assertEquals(4711, read.pid());
        }
    }

    @Test
    void shouldAnswerNothingForAnotherKeyAnyFlippedBitAndAnyCut() {
        byte[] good = EntryCodec.encode(entry(5, MemoryKind.HOST, new byte[64]));

        assertEquals(Optional.empty(), EntryCodec.decode(good, 6, MemoryKind.HOST));
        assertEquals(Optional.empty(), EntryCodec.decode(good, 5, MemoryKind.DEVICE));
        assertEquals(Optional.empty(), EntryCodec.decode(null, 5, MemoryKind.HOST));
        for (int bit = 0; bit < good.length * Byte.SIZE; bit++) {
            byte[] bad = good.clone();
            bad[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            assertTrue(EntryCodec.decode(bad, 5, MemoryKind.HOST).isEmpty(), "bit " + bit);
        }
        for (int length = 0; length < good.length; length++) {
            assertTrue(EntryCodec.decode(Arrays.copyOf(good, length), 5, MemoryKind.HOST).isEmpty());
        }
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            byte[] noise = new byte[random.nextInt(300)];
            random.nextBytes(noise);
            assertTrue(EntryCodec.decode(noise, 5, MemoryKind.HOST).isEmpty());
        }
    }

    @Test
    void shouldRefuseAnEntryThatIsTooLong() {
        var refused = assertThrows(IllegalArgumentException.class, () ->
                EntryCodec.encode(entry(5, MemoryKind.HOST, new byte[EntryCodec.MAX_BYTES])));

        assertTrue(refused.getMessage().contains("rank 5 HOST"), refused.getMessage());
    }

    @Test
    void shouldGiveEachSegmentItsKey() {
        long distinct = java.util.stream.IntStream.range(0, 100).boxed()
                .flatMap(rank -> java.util.stream.Stream.of(MemoryKind.values()).map(kind -> EntryCodec.key(rank, kind)))
                .distinct().count();

        assertEquals(200, distinct);
    }
}
