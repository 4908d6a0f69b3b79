package org.pgas4j.testkit.contract;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.pgas4j.AtomicDomain;
import org.pgas4j.AtomicOp;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.PointerPacking;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedArray;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedPointer;
import org.pgas4j.StalePointerException;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.Tally;

/** Pointers packed into words, that other ranks unpack, swap and compare. */
final class PointerContract extends Contract {

    private static final int NODES = 40; // of each rank
    private static final MemoryLayout RECORD = MemoryLayout.sequenceLayout(24, ValueLayout.JAVA_BYTE);
    private static final long LINK = 1; // a node is its number, then the word of the next one

    private final AtomicDomain words;
    private SharedLongs shared; // a word of each rank, and one more

    PointerContract(Rank rank, Tally check) {
        super(rank, check);
        words = rank.atomics().domain(ElementType.LONG,
                EnumSet.of(AtomicOp.GET, AtomicOp.SET, AtomicOp.SWAP, AtomicOp.COMPARE_SWAP));
    }

    @Override
    void run() {
        shared = rank.allAllocLongs(Layout.cyclic(), rank.ranks() + 1L);
        shared.forAllLocal(i -> shared.put(i, 0));
        rank.barrier();
        for (MemoryKind kind : MemoryKind.values()) {
            try (Scope _ = Program.in(rank, kind)) {
                arrays();
                ownMemory(kind);
                staleWords(kind);
            }
        }
        winners();
        stack();
        rank.barrier();
        rank.allFree(shared);
    }

    private SharedPointer mine() {
        return shared.pointer(rank.rank());
    }

    /** Elements of arrays of several layouts and sizes: this rank packs, the next one unpacks. */
    private void arrays() {
        for (Layout layout : List.of(Layout.cyclic(), Layout.blocked(7), Layout.even(), Layout.onRank(rank.ranks() - 1))) {
            for (SharedArray array : List.of(rank.allAllocLongs(layout, 30), rank.allAllocBytes(layout, 30),
                    rank.allAllocRecords(RECORD, layout, 30))) {
                SharedPointer first = array.pointer();
                PointerPacking packing = rank.memory().packing(array.kind(), first.blockElements(), first.elementBytes());
                for (long i = 0; i <= array.length(); i++) {
                    String what = "pointer " + i + " of " + array;
                    words.apply(AtomicOp.SET, mine(), packing.pack(array.pointer(i)));
                    rank.barrier();
                    long word = words.fetch(AtomicOp.GET, shared.pointer(target(1)), 0);
                    check.same(array.pointer(i), packing.unpack(word), what);
                    check.that(word != 0, what + " is not null");
                    rank.barrier();
                }
                rank.allFree(array);
            }
        }
    }

    /** Memory that one rank has allocated alone, in one segment or in all: the next rank writes there. */
    private void ownMemory(MemoryKind kind) {
        PointerPacking packing = rank.memory().packing(kind, 0, 8);
        check.same(0L, packing.pack(null), "null");
        check.same(null, packing.unpack(0), "pointer of 0");
        SharedPointer own = rank.alloc(64).cast(0, 8);
        SharedPointer dealt = rank.memory().globalAlloc(rank.ranks(), 64).cast(0, 8).onRank(target(-1));
        for (SharedPointer pointer : List.of(own.plus(3), dealt.plus(7), own, dealt)) {
            rank.rma().putLong(pointer, -1);
            rank.fence();
            words.apply(AtomicOp.SET, mine(), packing.pack(pointer));
            rank.barrier();
            long word = words.fetch(AtomicOp.GET, shared.pointer(target(1)), 0);
            rank.rma().putLong(packing.unpack(word), 100 + target(1));
            rank.barrier();
            check.same(100L + rank.rank(), rank.rma().getLong(pointer), "word behind " + pointer);
            rank.barrier();
        }
        rank.free(own);
        rank.free(dealt);
        rank.barrier();
    }

    /** Of freed memory, and of memory that was given out again. */
    private void staleWords(MemoryKind kind) {
        PointerPacking packing = rank.memory().packing(kind, 0, 1);
        check.that(packing.generationBits() >= 16, "bits of the generation: " + packing.generationBits());
        SharedPointer old = rank.alloc(512);
        words.apply(AtomicOp.SET, mine(), packing.pack(old));
        rank.barrier();
        SharedPointer place = shared.pointer(target(1));
        SharedPointer theirs = packing.unpack(words.fetch(AtomicOp.GET, place, 0));
        rank.memset(theirs, 1, 512);
        rank.barrier();
        rank.free(old);
        rank.barrier();
        check.refuses(StalePointerException.class, "nothing lives", () -> packing.unpack(words.fetch(AtomicOp.GET, place, 0)),
                "word of freed memory");
        check.same(words.fetch(AtomicOp.GET, place, 0), packing.pack(theirs), "word of a pointer to freed memory");
        rank.barrier();
        SharedPointer again = rank.alloc(512);
        rank.barrier();
        check.refuses(StalePointerException.class, "nothing lives", () -> packing.unpack(words.fetch(AtomicOp.GET, place, 0)),
                "word of memory that was given out again");
        rank.barrier();
        rank.free(again);
    }

    /** One rank sees null. */
    private void winners() {
        PointerPacking packing = rank.memory().packing(MemoryKind.HOST, 0, 8);
        SharedPointer own = rank.alloc(8).cast(0, 8);
        SharedPointer word = shared.pointer(rank.ranks());
        long before = words.compareSwap(word, 0, packing.pack(own));
        long nulls = rank.allReduce(before == 0 ? 1L : 0L, ReduceOp.SUM);
        check.same(1L, nulls, "ranks that saw null");
        SharedPointer winner = packing.unpack(words.fetch(AtomicOp.GET, word, 0));
        check.same(before == 0, winner.equals(own), "the pointer of the rank that saw null");
        rank.barrier();
        if (before == 0) {
            check.same(own, packing.unpack(words.fetch(AtomicOp.SWAP, word, 0)), "swap with null");
        }
        rank.barrier();
        rank.free(own);
    }

    /** A stack of nodes that ranks have allocated alone: all ranks push, then all pop. */
    private void stack() {
        PointerPacking packing = rank.memory().packing(MemoryKind.HOST, 0, 8);
        SharedPointer head = shared.pointer(rank.ranks());
        List<SharedPointer> nodes = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            SharedPointer node = (i % 2 == 0 ? rank.alloc(16) : rank.memory().globalAlloc(rank.ranks(), 16).onRank(target(i)))
                    .cast(0, 8);
            nodes.add(node);
            rank.rma().putLong(node, (long) rank.rank() * NODES + i);
            push(head, packing, node);
        }
        rank.barrier();
        long[] popped = new long[rank.ranks() * NODES];
        for (SharedPointer node = pop(head, packing); node != null; node = pop(head, packing)) {
            popped[(int) rank.rma().getLong(node)]++;
        }
        for (int i = 0; i < popped.length; i++) {
            check.same(1L, rank.allReduce(popped[i], ReduceOp.SUM), "times that node " + i + " was popped");
        }
        nodes.forEach(rank::free);
    }

    private void push(SharedPointer head, PointerPacking packing, SharedPointer node) {
        long word = packing.pack(node);
        long first = words.fetch(AtomicOp.GET, head, 0);
        while (true) {
            words.apply(AtomicOp.SET, node.plus(LINK), first);
            rank.fence();
            long seen = words.compareSwap(head, first, word);
            if (seen == first) {
                return;
            }
            first = seen;
        }
    }

    private SharedPointer pop(SharedPointer head, PointerPacking packing) {
        long first = words.fetch(AtomicOp.GET, head, 0);
        while (first != 0) {
            SharedPointer node = packing.unpack(first);
            long next = words.fetch(AtomicOp.GET, node.plus(LINK), 0);
            long seen = words.compareSwap(head, first, next);
            if (seen == first) {
                return node;
            }
            first = seen;
        }
        return null;
    }
}
