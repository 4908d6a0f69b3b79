package org.pgas4j.array;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.function.IntFunction;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.PointerPacking;
import org.pgas4j.Rank;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedPointer;

/** A stack that every rank pushes nodes to, whose links and head are atomic pointers: a program of tests. */
public final class LinkedStack {

    private final Rank rank;
    private final int each;

    private LinkedStack(Rank rank, int each) {
        this.rank = rank;
        this.each = each;
    }

    /** Collective, {@code each} nodes of each rank: elements of one array, then memory that each rank has allocated alone. */
    public static void run(Rank rank, int each) {
        LinkedStack stack = new LinkedStack(rank, each);
        stack.ofElements();
        stack.ofAllocations();
    }

    private void ofElements() {
        SharedLongs nodes = rank.allAllocLongs(Layout.blocked(7), (long) rank.ranks() * each);
        try (SharedPointers links = SharedPointers.into(rank, nodes, Layout.cyclic(), nodes.length());
                SharedPointers head = SharedPointers.into(rank, nodes, Layout.onRank(rank.ranks() - 1), 1)) {
            link(links, head, nodes::pointer);
        }
        rank.allFree(nodes);
    }

    private void ofAllocations() {
        PointerPacking packing = rank.memory().packing(MemoryKind.HOST, 0, Long.BYTES);
        SharedPointer[] nodes = new SharedPointer[each];
        for (int i = 0; i < each; i++) {
            nodes[i] = rank.alloc(Long.BYTES).cast(0, Long.BYTES);
        }
        try (SharedPointers links = SharedPointers.packed(rank, packing, Layout.cyclic(), (long) rank.ranks() * each);
                SharedPointers head = SharedPointers.packed(rank, packing, Layout.onRank(rank.ranks() - 1), 1)) {
            link(links, head, node -> nodes[node % each]);
        }
        for (SharedPointer node : nodes) {
            rank.free(node);
        }
    }

    /** @param node of a number from {@code each} times the rank on */
    private void link(SharedPointers links, SharedPointers head, IntFunction<SharedPointer> node) {
        int me = rank.rank();
        for (int number = me * each; number < (me + 1) * each; number++) {
            rank.rma().putLong(node.apply(number), number);
            push(links, head, number, node.apply(number));
        }
        rank.barrier();
        int[] found = new int[rank.ranks() * each];
        for (SharedPointer at = head.get(0); at != null;) {
            int number = (int) rank.rma().getLong(at);
            assertEquals(1, ++found[number], "node " + number);
            at = links.get(number);
        }
        for (int number = 0; number < found.length; number++) {
            assertEquals(1, found[number], "node " + number);
        }
        rank.barrier();
        SharedPointer before = me == 0 ? head.swap(0, null) : null;
        rank.barrier();
        assertEquals(me == 0, before != null);
        assertNull(head.get(0));
        rank.barrier();
    }

    private void push(SharedPointers links, SharedPointers head, int number, SharedPointer node) {
        SharedPointer first = head.get(0);
        while (true) {
            links.put(number, first);
            rank.fence();
            SharedPointer seen = head.compareSwap(0, first, node);
            if (seen == null ? first == null : seen.equals(first)) {
                return;
            }
            first = seen;
        }
    }
}
