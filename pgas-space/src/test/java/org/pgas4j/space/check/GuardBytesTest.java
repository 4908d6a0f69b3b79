package org.pgas4j.space.check;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.Lease;
import org.pgas4j.MemoryKind;

@Timeout(10)
class GuardBytesTest {

    private static final long SEED = 20261121;

    private static Lease lease(MemoryKind kind, long generation) {
        return new Lease(kind, generation, Lease.EVERY_RANK, 256, 100);
    }

    private static final Lease LEASE = lease(MemoryKind.HOST, 77);

    /** A guard may be looked at in parts. */
    @Test
    void shouldDependOnThePlaceAlone() {
        Random random = new Random(SEED);
        byte[] all = GuardBytes.expected(LEASE, 2, 1000, 300);
        for (int trial = 0; trial < 200; trial++) {
            int from = random.nextInt(300);
            int bytes = random.nextInt(301 - from);

            assertArrayEquals(Arrays.copyOfRange(all, from, from + bytes),
                    GuardBytes.expected(LEASE, 2, 1000 + from, bytes));
        }
    }

    private static int same(byte[] a, byte[] b) {
        int same = 0;
        for (int i = 0; i < a.length; i++) {
            same += a[i] == b[i] ? 1 : 0;
        }
        return same;
    }

    /** Of 1024 random bytes, four are alike on the average. */
    @Test
    void shouldDifferFromOtherGuards() {
        byte[] own = GuardBytes.expected(LEASE, 2, 1000, 1024);
        byte[][] others = {GuardBytes.expected(LEASE, 1, 1000, 1024), GuardBytes.expected(LEASE, 2, 1001, 1024),
            GuardBytes.expected(LEASE, 2, 1008, 1024), GuardBytes.expected(LEASE, 2, 1256, 1024), new byte[1024],
            GuardBytes.expected(lease(MemoryKind.HOST, 78), 2, 1000, 1024),
            GuardBytes.expected(lease(MemoryKind.DEVICE, 77), 2, 1000, 1024)};
        for (int i = 0; i < others.length; i++) {
            assertTrue(same(own, others[i]) < 20, "guard " + i + ": " + same(own, others[i]) + " bytes alike");
        }
    }

    @Test
    void shouldFillFreedMemoryWithAByteOfItsAllocation() {
        Set<Byte> seen = new HashSet<>();
        for (int generation = 1; generation <= 1000; generation++) {
            seen.add(GuardBytes.freed(lease(MemoryKind.HOST, generation)));
        }

        assertTrue(seen.size() > 100, "bytes: " + seen.size());
        assertTrue(!seen.contains((byte) 0), "fresh memory would pass for freed");
    }

    @Test
    void shouldFindTheFirstByteThatIsNotTheValue() {
        byte[] bytes = new byte[64];
        MemorySegment memory = MemorySegment.ofArray(bytes);
        Arrays.fill(bytes, (byte) 9);
        assertEquals(-1, GuardBytes.mismatch(memory, 64, (byte) 9));
        assertEquals(0, GuardBytes.mismatch(memory, 64, (byte) 8));
        for (int at = 63; at >= 0; at--) {
            bytes[at] = 1;
            assertEquals(at, GuardBytes.mismatch(memory, 64, (byte) 9));
            assertEquals(-1, GuardBytes.mismatch(memory, at, (byte) 9), "bytes before it");
        }
    }

    @Test
    void shouldShowSixteenBytesAtMost() {
        MemorySegment memory = MemorySegment.ofArray(
                new byte[] {0, 1, (byte) 0xab, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
            18});

        assertEquals("01 ab", GuardBytes.show(memory, 1, 3));
        assertEquals(16 * 3 - 1, GuardBytes.show(memory, 1, 19).length());
        assertNotEquals(GuardBytes.show(memory, 0, 16), GuardBytes.show(memory, 1, 17));
    }
}
