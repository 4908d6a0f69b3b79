package org.pgas4j.space.transfer;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.Lease;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.SharedPointer;
import org.pgas4j.StalePointerException;
import org.pgas4j.space.memory.Peer;

@Timeout(10)
class BoundsTest {

    private static final long MAX = Long.MAX_VALUE;

    @ParameterizedTest
    @CsvSource({"0,0,0,false", "0,10,10,false", "3,7,10,false", "10,0,10,false", "0,11,10,true", "4,7,10,true",
        "11,0,10,true",
        "-1,1,10,true", "0,-1,10,true", "9223372036854775807,1,10,true", "1,9223372036854775807,10,true",
        "9223372036854775807,9223372036854775807,9223372036854775807,true",
        "0,9223372036854775807,9223372036854775807,false"})
    void shouldSeeWhatIsOutsideWithoutOverflow(long offset, long bytes, long size, boolean outside) {
        assertEquals(outside, Bounds.outside(offset, bytes, size));
    }

    private static SharedPointer pointer(Lease lease, int rank, long address) {
        return PgasUnsafe.pointer(lease, MemoryKind.HOST, rank, 4, 0, address, 0, 1);
    }

    private static Lease lease() {
        return new Lease(MemoryKind.HOST, 77, 2, 256, 100);
    }

    @Test
    void shouldHoldAPointerToItsAllocation() {
        Lease lease = lease();

        assertFalse(Bounds.refuses(pointer(lease, 2, 256), 100, MAX));
        assertFalse(Bounds.refuses(pointer(lease, 2, 356), 0, MAX));
        assertTrue(Bounds.refuses(pointer(lease, 2, 255), 1, MAX));
        assertTrue(Bounds.refuses(pointer(lease, 2, 256), 101, MAX));
        assertTrue(Bounds.refuses(pointer(lease, 2, 300), MAX, MAX));
        assertTrue(Bounds.refuses(pointer(lease, 1, 256), 1, MAX));
        assertTrue(Bounds.refuses(pointer(lease, 2, 256), -1, MAX));
    }

    @Test
    void shouldHoldAPointerWithoutAnAllocationToItsSegment() {
        assertFalse(Bounds.refuses(pointer(null, 2, 4000), 96, 4096));
        assertTrue(Bounds.refuses(pointer(null, 2, 4000), 97, 4096));
    }

    @Test
    void shouldRefuseFreedMemory() {
        Lease lease = lease();
        lease.end();
        SharedPointer pointer = pointer(lease, 2, 256);

        RuntimeException failure =
                assertThrows(StalePointerException.class, () -> Bounds.check("memput", 1, pointer, 8, MAX));

        assertTrue(failure.getMessage().startsWith("memput of rank 1: ")
                && failure.getMessage().contains("generation 77"),
                failure.getMessage());
    }

    @Test
    void shouldNameBothSidesOfWhatItRefuses() {
        String why = assertThrows(IndexOutOfBoundsException.class,
                () -> Bounds.check("memget", 1, pointer(lease(), 2, 300), 57, 4096)).getMessage();

        assertEquals("memget out of bounds: rank=1 target rank=2 kind=HOST offset=300 length=57 allocation="
                + "[generation 77 on rank 2 at 256+100] segmentBytes=4096", why);
        assertDoesNotThrow(() -> Bounds.check("memget", 1, pointer(lease(), 2, 300), 56, 4096));
    }

    @Test
    void shouldTakeTheSegmentOfThePointersKind() {
        Peer peer = new Peer(2, null, 0, 100, null, 0, 10, true);
        SharedPointer host = PgasUnsafe.pointer(MemoryKind.HOST, 2, 4, 0, 0, 0, 1);
        SharedPointer device = PgasUnsafe.pointer(MemoryKind.DEVICE, 2, 4, 0, 0, 0, 1);

        Bounds.checkShared("memput", 0, host, peer, 100);
        Bounds.checkShared("memput", 0, device, peer, 10);
        String why =
                assertThrows(IndexOutOfBoundsException.class, () -> Bounds.checkShared("memput", 0, device, peer, 11))
                .getMessage();
        assertTrue(why.contains("kind=DEVICE") && why.endsWith("segmentBytes=10"), why);
    }

    @Test
    void shouldCheckLocalMemory() {
        MemorySegment memory = MemorySegment.ofArray(new byte[8]);

        Bounds.checkLocal("memput", 3, memory, 8);
        assertThrows(IndexOutOfBoundsException.class, () -> Bounds.checkLocal("memput", 3, memory, -1));
        RuntimeException failure =
                assertThrows(RuntimeException.class, () -> Bounds.checkLocal("memput", 3, memory, 9));
        assertInstanceOf(IndexOutOfBoundsException.class, failure);
        assertEquals("memput out of bounds of local memory: rank=3 length=9 memoryBytes=8", failure.getMessage());
    }
}
