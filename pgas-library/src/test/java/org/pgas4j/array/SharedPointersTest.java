package org.pgas4j.array;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.PointerPacking;
import org.pgas4j.Scope;
import org.pgas4j.SharedArray;
import org.pgas4j.SharedDoubles;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedPointer;
import org.pgas4j.StalePointerException;

/** Shared arrays of shared pointers. */
@Timeout(60)
class SharedPointersTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shouldKeepPointersToAnything(int ranks) {
        Pgas.run(GlobalArrayTest.config(ranks, "auto"), rank -> {
            SharedDoubles device;
            try (Scope _ = rank.onDevice()) {
                device = rank.allAllocDoubles(Layout.blocked(3), 20);
            }
            SharedLongs host = rank.allAllocLongs(Layout.cyclic(), 20);
            try (SharedPointers pointers = SharedPointers.allocate(rank, Layout.blocked(2), 3L * ranks)) {
                int me = rank.rank();
                SharedPointer own = rank.alloc(16);
                assertFalse(pointers.isAtomic());
                assertNull(pointers.get(3L * me));
                pointers.put(3L * me, device.pointer(7));
                pointers.put(3L * me + 1, host.pointer(me));
                pointers.put(3L * me + 2, own.plus(8));
                rank.barrier();
                int next = (me + 1) % ranks;
                assertEquals(device.pointer(7), pointers.get(3L * next));
                assertEquals(host.pointer(next), pointers.get(3L * next + 1));
                SharedPointer theirs = pointers.get(3L * next + 2);
                assertEquals(next, theirs.rank());
                rank.rma().putLong(theirs, 5 + me);
                rank.barrier();
                assertEquals(5 + (me + ranks - 1) % ranks, rank.rma().getLong(own.plus(8)));
                assertThrows(UnsupportedOperationException.class, () -> pointers.swap(0, null));
                assertThrows(UnsupportedOperationException.class, () -> pointers.compareSwap(0, null, null));
                rank.barrier();
                rank.free(own);
                pointers.put(3L * me, null);
                rank.barrier();
                assertNull(pointers.get(3L * next));
                assertThrows(StalePointerException.class, () -> pointers.get(3L * next + 2));
                rank.barrier();
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shouldLinkNodesOfAllRanksByCompareAndSwap(int ranks) {
        Pgas.run(GlobalArrayTest.config(ranks, "auto"), rank -> LinkedStack.run(rank, 50));
    }

    /** Pointers of one type into several allocations; what has another type, or lies elsewhere, is refused. */
    @Test
    void shouldPackPointersIntoAnyAllocation() {
        Pgas.run(GlobalArrayTest.config(3, "auto"), rank -> {
            SharedLongs one = rank.allAllocLongs(Layout.blocked(4), 25);
            SharedLongs other = rank.allAllocLongs(Layout.blocked(4), 40);
            PointerPacking packing = rank.memory().packing(MemoryKind.HOST, 4, 8);
            try (SharedPointers pointers = SharedPointers.packed(rank, packing, Layout.cyclic(), 6)) {
                int me = rank.rank();
                assertTrue(pointers.isAtomic());
                assertNull(pointers.get(me));
                pointers.put(me, one.pointer(20 + me));
                assertNull(pointers.swap(3L + me, other.pointer(30 + me)));
                rank.barrier();
                for (int i = 0; i < 3; i++) {
                    assertEquals(one.pointer(20 + i), pointers.get(i));
                    assertEquals(other.pointer(30 + i), pointers.get(3L + i));
                }
                rank.barrier();
                assertEquals(one.pointer(20 + me), pointers.compareSwap(me, other.pointer(0), null)); // it is not that
                assertEquals(one.pointer(20 + me), pointers.compareSwap(me, one.pointer(20 + me), other.pointer(1)));
                assertEquals(other.pointer(1), pointers.get(me));
                rank.barrier();
                assertThrows(IllegalArgumentException.class, () -> pointers.put(0, one.pointer().cast(3, 8)));
                assertThrows(IllegalArgumentException.class, () -> pointers.put(0, one.pointer(25).plus(100)));
                assertThrows(IllegalArgumentException.class, () -> pointers.swap(0, rank.alloc(8)));
                assertThrows(IndexOutOfBoundsException.class, () -> pointers.get(6));
                StrictPointers strict = StrictPointers.of(rank, pointers);
                strict.put(me, null);
                assertNull(strict.get(me));
                rank.barrier();
                rank.allFree(other);
                assertThrows(StalePointerException.class, () -> pointers.get(3L + me));
                rank.barrier();
            }
        });
    }

    @Test
    void shouldPackPointersIntoArraysOfEveryLayout() {
        Pgas.run(GlobalArrayTest.config(3, "auto"), rank -> {
            List<SharedArray> targets = new ArrayList<>();
            for (Layout layout : List.of(Layout.cyclic(), Layout.blocked(4), Layout.even(), Layout.onRank(2))) {
                targets.add(rank.allAllocLongs(layout, 25));
                targets.add(rank.allAllocLongs(layout, 25).slice(5, 11));
            }
            for (SharedArray target : targets) {
                try (SharedPointers pointers = SharedPointers.into(rank, target, Layout.even(), target.length() + 1)) {
                    for (long i = rank.rank(); i <= target.length(); i += 3) {
                        pointers.put(i, target.pointer(i));
                    }
                    rank.barrier();
                    for (long i = 0; i <= target.length(); i++) {
                        assertEquals(target.pointer(i), pointers.get(i), target + " element " + i);
                    }
                    for (SharedArray other : targets) {
                        if (other.pointer().generation() != target.pointer().generation()) {
                            assertThrows(IllegalArgumentException.class, () -> pointers.put(0, other.pointer(3)));
                        }
                    }
                    assertThrows(IllegalArgumentException.class, () -> pointers.put(0, target.pointer().cast(0, 1).plus(3)));
                    assertThrows(IndexOutOfBoundsException.class, () -> pointers.get(target.length() + 1));
                    assertThrows(IndexOutOfBoundsException.class, () -> pointers.put(-1, null));
                    rank.barrier();
                }
            }
            SharedArray copies = rank.allAllocLongs(Layout.replicated(), 3);
            assertThrows(IllegalArgumentException.class, () -> SharedPointers.into(rank, copies, Layout.even(), 3));
        });
    }
}
