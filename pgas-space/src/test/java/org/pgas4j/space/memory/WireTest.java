package org.pgas4j.space.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.BootstrapException;
import org.pgas4j.MemoryKind;
import org.pgas4j.bootstrap.node.SegmentEntry;

@Timeout(10)
class WireTest {

    private static final long SEED = 20261121;

    private static SegmentEntry entry(int rank, long mapped, long offset, long bytes) {
        return new SegmentEntry(rank, MemoryKind.HOST, "shm", 0, "/proc/1/fd/7", new byte[] {1, 2}, mapped, offset,
                bytes, 3, 4711);
    }

    private static SegmentEntry random(Random random, int rank, MemoryKind kind) {
        byte[] token = new byte[random.nextInt(80)];
        random.nextBytes(token);
        long bytes = random.nextLong(1L << 40);
        long offset = random.nextLong(1L << 40);
        return new SegmentEntry(rank, kind, random.nextBoolean() ? "cuda" : "größe", random.nextInt(64),
                random.nextBoolean() ? "" : "/proc/" + random.nextInt() + "/fd/3", token,
                offset + bytes + 1 + random.nextInt(99),
                offset, bytes, random.nextLong(), random.nextLong());
    }

    private static void assertSameEntry(SegmentEntry expected, SegmentEntry seen) {
        assertArrayEquals(expected.token(), seen.token());
        // a record compares arrays by identity
        assertEquals(expected, new SegmentEntry(seen.rank(), seen.kind(), seen.backend(), seen.ordinal(), seen.path(),
                expected.token(), seen.mappedBytes(), seen.offset(), seen.bytes(), seen.generation(), seen.pid()));
    }

    @Test
    void shouldReadWhatItWrote() {
        Random random = new Random(SEED);
        for (int trial = 0; trial < 50; trial++) {
            int first = random.nextInt(1000);
            int count = random.nextInt(8);
            List<SegmentEntry> written = new ArrayList<>();
            for (int rank = first; rank < first + count; rank++) {
                written.add(random(random, rank, MemoryKind.HOST));
                written.add(random(random, rank, MemoryKind.DEVICE));
            }

            List<SegmentEntry> read = Wire.decode(Wire.encode(written), 1, first, first + count);

            assertEquals(written.size(), read.size());
            for (int i = 0; i < read.size(); i++) {
                assertSameEntry(written.get(i), read.get(i));
            }
        }
    }

    @Test
    void shouldKeepWhatEntriesShareOnce() {
        byte[] bytes = Wire.encode(List.of(entry(0, 100, 0, 50), entry(1, 100, 50, 50),
                new SegmentEntry(1, MemoryKind.DEVICE, "host", 0, "", new byte[] {3}, 1, 0, 1, 3, 1)));

        List<SegmentEntry> read = Wire.decode(bytes, 0, 0, 2);

        assertSame(read.get(0).path(), read.get(1).path());
        assertSame(read.get(0).token(), read.get(1).token());
        assertNotSame(read.get(0).token(), read.get(2).token());
    }

    private static void assertRefused(String what, byte[] bytes) {
        String why = assertThrows(BootstrapException.class, () -> Wire.decode(bytes, 5, 2, 4), what).getMessage();
        assertTrue(why.startsWith("segment entries of process 5 are malformed: "), why);
    }

    @Test
    void shouldRefuseEveryPrefix() {
        byte[] bytes = Wire.encode(List.of(entry(2, 100, 0, 50), entry(3, 100, 50, 50)));
        assertEquals(2, Wire.decode(bytes, 5, 2, 4).size());
        for (int length = 0; length < bytes.length; length++) {
            assertRefused(length + " of " + bytes.length + " bytes", Arrays.copyOf(bytes, length));
        }
    }

    @Test
    void shouldRefuseAnotherVersion() {
        byte[] bytes = Wire.encode(List.of());
        bytes[0]++;

        assertRefused("version", bytes);
    }

    @Test
    void shouldRefuseRanksOfAnotherProcess() {
        assertRefused("below", Wire.encode(List.of(entry(1, 100, 0, 50))));
        assertRefused("above", Wire.encode(List.of(entry(4, 100, 0, 50))));
        assertRefused("more than its ranks have",
                Wire.encode(List.of(entry(2, 1, 0, 1), entry(2, 1, 0, 1), entry(3, 1, 0, 1),
                entry(3, 1, 0, 1), entry(3, 1, 0, 1))));
    }

    @Test
    void shouldRefuseASegmentThatIsNotInItsMemory() {
        assertRefused("behind", Wire.encode(List.of(entry(2, 100, 51, 50))));
        assertRefused("before", Wire.encode(List.of(entry(2, 100, -1, 50))));
        assertRefused("negative", Wire.encode(List.of(entry(2, 100, 0, -1))));
        assertRefused("nothing mapped", Wire.encode(List.of(entry(2, 0, 0, 0))));
        assertRefused("overflows", Wire.encode(List.of(entry(2, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE))));
    }

    @Test
    void shouldRefuseATokenThatIsTooLong() {
        assertRefused("token",
                Wire.encode(List.of(new SegmentEntry(2, MemoryKind.HOST, "shm", 0, "", new byte[4097], 1, 0, 1, 1,
                1))));
    }
}
