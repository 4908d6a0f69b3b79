package org.pgas4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The arithmetic against the formulas of section 6.4.2 of the UPC Language Specifications 1.3, and against counting. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SharedPointerTest {

    private static final int CASES = 200_000;

    private record Case(SharedPointer pointer, int ranks, long block, long element) {
    }

    private static Case generate(Random random) {
        int ranks = 1 + random.nextInt(random.nextBoolean() ? 5 : 5000);
        long block = random.nextInt(10) == 0 ? 0 : 1 + random.nextInt(random.nextBoolean() ? 4 : 10_000);
        long element = 1 + random.nextInt(16);
        long phase = block == 0 ? 0 : random.nextLong(block);
        long address = (random.nextLong(1 << 20) * Math.max(1, block) + phase) * element;
        return new Case(PgasUnsafe.pointer(random.nextBoolean() ? MemoryKind.HOST : MemoryKind.DEVICE, random.nextInt(ranks), ranks, phase,
                address, block, element), ranks, block, element);
    }

    @Test
    void shouldFollowTheFormulasOfTheSpecification() {
        Random random = new Random(20261121);
        for (int i = 0; i < CASES; i++) {
            Case c = generate(random);
            SharedPointer p = c.pointer();
            long n = random.nextLong(1 << 22);

            SharedPointer q = p.plus(n);

            if (c.block() == 0) {
                assertEquals(p.rank(), q.rank());
                assertEquals(0, q.phase());
                assertEquals(p.addrField() + n * c.element(), q.addrField());
            } else {
                assertEquals((p.phase() + n) % c.block(), q.phase(), () -> p + " + " + n);
                assertEquals((p.rank() + (p.phase() + n) / c.block()) % c.ranks(), q.rank(), () -> p + " + " + n);
            }
            assertEquals(p.kind(), q.kind());
            assertEquals(n, q.minus(p), () -> p + " + " + n);
            assertEquals(p, q.minus(n), () -> p + " + " + n);
            assertEquals(Long.signum(n), q.compare(p));
        }
    }

    /** "Corresponding elements of consecutive blocks of a thread are next to each other." */
    @Test
    void shouldAdvanceOneBlockInMemoryForEveryRowOfBlocks() {
        Random random = new Random(7);
        for (int i = 0; i < CASES; i++) {
            Case c = generate(random);
            if (c.block() > 0) {
                SharedPointer next = c.pointer().plus(c.block() * c.ranks());
                assertEquals(c.pointer().rank(), next.rank());
                assertEquals(c.pointer().phase(), next.phase());
                assertEquals(c.block() * c.element(), next.addrField() - c.pointer().addrField());
            }
        }
    }

    /** Walks whole arrays element by element and keeps, for each rank, where its next element must be. */
    @Test
    void shouldVisitEveryElementOfEveryRankInOrder() {
        for (int ranks = 1; ranks <= 7; ranks++) {
            for (long block = 1; block <= 9; block++) {
                long[] next = new long[ranks];
                SharedPointer base = PgasUnsafe.pointer(MemoryKind.HOST, 0, ranks, 0, 0, block, 8);
                SharedPointer walked = base;
                for (long index = 0; index < 300; index++) {
                    SharedPointer jumped = base.plus(index);
                    assertEquals(walked, jumped);
                    assertEquals(index / block % ranks, jumped.rank());
                    assertEquals(index % block, jumped.phase());
                    assertEquals(next[jumped.rank()], jumped.addrField());
                    next[jumped.rank()] += 8;
                    walked = walked.plus(1);
                }
                for (int rank = 0; rank < ranks; rank++) {
                    assertEquals(next[rank], SharedPointer.affinityBytes(300 * 8, block * 8, ranks, rank));
                }
            }
        }
    }

    @Test
    void shouldComputeAffinitySizesThatAddUp() {
        Random random = new Random(3);
        for (int i = 0; i < 10_000; i++) {
            int ranks = 1 + random.nextInt(50);
            long total = random.nextLong(1 << 30);
            long block = random.nextInt(5) == 0 ? 0 : 1 + random.nextInt(1 << 20);
            long sum = 0;
            for (int rank = 0; rank < ranks; rank++) {
                sum += SharedPointer.affinityBytes(total, block, ranks, rank);
            }
            assertEquals(total, sum);
        }
    }

    @Test
    void shouldResetPhaseAndKeepTheAddress() {
        SharedPointer p = PgasUnsafe.pointer(MemoryKind.DEVICE, 2, 4, 3, 24, 5, 8);

        SharedPointer q = p.resetPhase();

        assertEquals(0, q.phase());
        assertEquals(24, q.addrField());
        assertEquals(2, q.rank());
        assertNotEquals(p, q);
    }

    @Test
    void shouldRefusePointersOfDifferentArrays() {
        SharedPointer p = PgasUnsafe.pointer(MemoryKind.HOST, 0, 4, 0, 0, 5, 8);
        assertThrows(IllegalArgumentException.class, () -> p.minus(PgasUnsafe.pointer(MemoryKind.DEVICE, 0, 4, 0, 0, 5, 8)));
        assertThrows(IllegalArgumentException.class, () -> p.minus(PgasUnsafe.pointer(MemoryKind.HOST, 0, 4, 0, 0, 4, 8)));
        assertThrows(IllegalArgumentException.class, () -> p.minus(PgasUnsafe.pointer(MemoryKind.HOST, 0, 4, 0, 3, 5, 8)));
        assertThrows(IllegalArgumentException.class, () -> p.minus(PgasUnsafe.pointer(MemoryKind.HOST, 0, 4, 1, 0, 5, 8)));
        SharedPointer indefinite = PgasUnsafe.pointer(MemoryKind.HOST, 0, 4, 0, 0, 0, 8);
        assertThrows(IllegalArgumentException.class, () -> indefinite.minus(indefinite.onRank(1)));
    }

    @Test
    void shouldRefusePartsOutOfRange() {
        assertThrows(IllegalArgumentException.class, () -> PgasUnsafe.pointer(MemoryKind.HOST, 4, 4, 0, 0, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> PgasUnsafe.pointer(MemoryKind.HOST, -1, 4, 0, 0, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> PgasUnsafe.pointer(MemoryKind.HOST, 0, 4, 5, 0, 5, 1));
        assertThrows(IllegalArgumentException.class, () -> PgasUnsafe.pointer(MemoryKind.HOST, 0, 4, 1, 0, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> PgasUnsafe.pointer(MemoryKind.HOST, 0, 4, 0, -1, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> PgasUnsafe.pointer(MemoryKind.HOST, 0, 4, 0, 0, 0, 0));
    }

    @Test
    void shouldRefuseToOverflow() {
        SharedPointer p = PgasUnsafe.pointer(MemoryKind.HOST, 0, 2, 0, 8, 3, 8);
        assertThrows(ArithmeticException.class, () -> p.plus(Long.MAX_VALUE));
        assertThrows(ArithmeticException.class, () -> p.cast(0, 8).plus(Long.MAX_VALUE / 4));
        assertTrue(p.plus(1).toString().contains("phase=1"));
    }
}
