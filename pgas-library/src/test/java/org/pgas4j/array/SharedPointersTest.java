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
import org.pgas4j.Pgas;
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

    /** Every rank pushes nodes onto one list, whose head is a pointer that is compared and swapped. */
    @Test
    void shouldLinkNodesOfAllRanksByCompareAndSwap() {
        int ranks = 4;
        int each = 50;
        Pgas.run(GlobalArrayTest.config(ranks, "auto"), rank -> {
            SharedLongs nodes = rank.allAllocLongs(Layout.blocked(7), (long) ranks * each);
            try (SharedPointers next = SharedPointers.into(rank, nodes, Layout.cyclic(), nodes.length());
                    SharedPointers head = SharedPointers.into(rank, nodes, Layout.onRank(0), 1)) {
                for (int i = 0; i < each; i++) {
                    long node = (long) rank.rank() * each + i;
                    nodes.put(node, 1000 + node);
                    SharedPointer first = head.get(0);
                    while (true) {
                        next.put(node, first);
                        rank.fence();
                        SharedPointer seen = head.compareSwap(0, first, nodes.pointer(node));
                        if (seen == null ? first == null : seen.equals(first)) {
                            break;
                        }
                        first = seen;
                    }
                }
                rank.barrier();
                boolean[] found = new boolean[ranks * each];
                for (SharedPointer node = head.get(0); node != null;) {
                    int index = (int) (rank.rma().getLong(node) - 1000);
                    assertFalse(found[index], "node " + index + " twice");
                    found[index] = true;
                    node = next.get(index);
                }
                for (boolean each1 : found) {
                    assertTrue(each1);
                }
                rank.barrier();
                SharedPointer before = rank.rank() == 0 ? head.swap(0, null) : null;
                rank.barrier();
                assertEquals(rank.rank() == 0, before != null);
                assertNull(head.get(0));
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
