package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.HeapStats;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.SharedArray;
import org.pgas4j.SharedBytes;
import org.pgas4j.SharedDoubles;
import org.pgas4j.SharedFloats;
import org.pgas4j.SharedInts;
import org.pgas4j.SharedPointer;
import org.pgas4j.StalePointerException;
import org.pgas4j.testkit.program.PatternMemory;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.Tally;

/** Allocators of both kinds, arrays of every layout and type, and what they refuse. */
final class AllocationContract extends Contract {


    AllocationContract(Rank rank, Tally check) {
        super(rank, check);
    }

    @Override
    void run() {
        scopes();
        for (MemoryKind kind : MemoryKind.values()) {
            try (Scope _ = Program.in(rank, kind)) {
                allocators(kind);
                outOfMemory(kind);
                churn(kind);
                arrays(kind);
            }
        }
        locals();
    }

    private void scopes() {
        check.same(MemoryKind.HOST, rank.memory().allocationKind(), "first allocation kind");
        try (Scope _ = rank.onDevice()) {
            check.same(MemoryKind.DEVICE, rank.memory().allocationKind(), "allocation kind inside onDevice");
            try (Scope _ = rank.offDevice()) {
                check.same(MemoryKind.HOST, rank.memory().allocationKind(), "allocation kind inside offDevice");
            }
            check.same(MemoryKind.DEVICE, rank.memory().allocationKind(), "allocation kind after offDevice is closed");
        }
        check.same(MemoryKind.HOST, rank.memory().allocationKind(), "allocation kind after onDevice is closed");
        Scope device = rank.onDevice();
        rank.offDevice();
        check.same(MemoryKind.HOST, rank.memory().allocationKind(), "allocation kind after a plain offDevice");
        device.close();
        device.close();
        check.same(MemoryKind.HOST, rank.memory().allocationKind(), "allocation kind after closing twice");
    }

    private void allocators(MemoryKind kind) {
        HeapStats before = rank.memory().stats(kind);
        SharedPointer all = rank.allAlloc(3, 1000);
        SharedPointer empty = rank.allAlloc(0, 0);
        check.same(kind, empty.kind(), "kind of an empty allocation");
        rank.allFree(empty);
        check.same(0, all.rank(), "allAlloc starts on rank 0");
        check.same(0L, all.addrField() % 256, "alignment of allAlloc");
        check.same(1 % rank.ranks(), all.plus(1000).rank(), "second block of allAlloc");
        long address = rank.collectives().broadcast(all.addrField(), 0);
        check.same(address, all.addrField(), "allAlloc is the same everywhere");

        SharedPointer mine = rank.alloc(5000);
        check.same(rank.rank(), mine.rank(), "affinity of alloc");
        check.same(0L, mine.addrField() % 256, "alignment of alloc");
        SharedPointer global = rank.memory().globalAlloc(rank.ranks() * 2L, 100);
        HeapStats grown = rank.memory().stats(kind);
        check.that(grown.usedBytes() > before.usedBytes(), "heap use grows: before=" + before + " after=" + grown);
        check.that(grown.highWaterBytes() >= grown.usedBytes(), "high water is at least the use: " + grown);
        rank.memset(global.cast(0, 1).onRank(rank.ranks() - 1), rank.rank(), 100);

        // The neighbour frees what this rank allocated: its pointer travels as words.
        long[][] words = new long[rank.ranks()][SharedPointer.WORDS];
        for (int from = 0; from < rank.ranks(); from++) {
            for (int i = 0; i < SharedPointer.WORDS; i++) {
                words[from][i] = rank.collectives().broadcast(mine.words()[i], from);
            }
        }
        check.same(mine, rank.memory().pointer(words[rank.rank()]), "pointer of its own words");
        int left = (rank.rank() + 1) % rank.ranks();
        SharedPointer theirs = rank.memory().pointer(words[left]);
        rank.memset(theirs, rank.rank(), 5000);
        rank.barrier();
        rank.free(theirs);
        check.refuses(IllegalArgumentException.class, "nothing is allocated", () -> rank.free(theirs), "free twice");
        check.refuses(StalePointerException.class, "was freed", () -> rank.memset(theirs, 0, 1), "use after free");
        check.refuses(StalePointerException.class, "nothing lives", () -> rank.memory().pointer(words[left]), "words after free");
        rank.barrier();
        check.refuses(StalePointerException.class, "was freed", () -> rank.memset(mine, 0, 1), "use after another's free");
        rank.free(global);
        check.refuses(IllegalArgumentException.class, "nothing is allocated", () -> rank.free(global), "free global twice");
        rank.free(null);
        rank.allFree((SharedPointer) null);
        rank.allFree((SharedArray) null);
        rank.memset(all.onRank(rank.rank()), 0, 1); // which frees of null have left alone
        rank.allFree(all);
        rank.barrier();
        check.that(rank.memory().stats(kind).usedBytes() <= before.usedBytes(), "heap use returns: before=" + before + " after="
                + rank.memory().stats(kind));
        rank.barrier();
    }

    private void outOfMemory(MemoryKind kind) {
        String knob = kind == MemoryKind.HOST ? "pgas.heap.host" : "pgas.heap.device";
        HeapStats before = rank.memory().stats(kind);
        check.refuses(SegmentMemoryException.class, knob, () -> rank.allAlloc(rank.ranks(), before.capacityBytes() + 1),
                "allAlloc of more than the segment");
        check.refuses(SegmentMemoryException.class, knob, () -> rank.alloc(before.capacityBytes() + 1),
                "alloc of more than the segment");
        check.refuses(SegmentMemoryException.class, knob, () -> rank.allAlloc(Long.MAX_VALUE, Long.MAX_VALUE),
                "allAlloc of more than a long");
        check.refuses(IllegalArgumentException.class, "blockBytes=-1", () -> rank.allAlloc(1, -1), "allAlloc of -1");
        check.same(before, rank.memory().stats(kind), "heap after refused allocations");
        rank.barrier();
        // Own and global allocations share the segment and must not meet.
        SharedPointer most = rank.alloc(before.largestFreeBytes() / 2);
        rank.barrier();
        check.refuses(SegmentMemoryException.class, knob, () -> rank.allAlloc(rank.ranks(), before.largestFreeBytes() * 3 / 4),
                "allAlloc into the ranks' own allocations");
        rank.barrier();
        rank.free(most);
        rank.barrier();
        SharedPointer again = rank.allAlloc(rank.ranks(), before.largestFreeBytes() * 3 / 4);
        check.refuses(SegmentMemoryException.class, knob, () -> rank.alloc(before.largestFreeBytes() / 2),
                "alloc into the global allocations");
        rank.allFree(again);
    }

    /** Random allocations that must never overlap, freed in random order. */
    private void churn(MemoryKind kind) {
        Random random = new Random(4711 + rank.rank());
        record Piece(SharedPointer pointer, long bytes) {
        }
        List<Piece> pieces = new ArrayList<>();
        for (int step = 0; step < 200; step++) {
            if (pieces.size() < 20 || random.nextBoolean()) {
                long bytes = 1 + random.nextInt(3000);
                SharedPointer pointer = rank.alloc(bytes);
                for (Piece piece : pieces) {
                    boolean apart = pointer.addrField() + bytes <= piece.pointer.addrField()
                            || piece.pointer.addrField() + piece.bytes <= pointer.addrField();
                    check.that(apart, "allocations overlap: " + pointer + "+" + bytes + " and " + piece);
                }
                pieces.add(new Piece(pointer, bytes));
            } else {
                rank.free(pieces.remove(random.nextInt(pieces.size())).pointer);
            }
        }
        pieces.forEach(piece -> rank.free(piece.pointer));
        rank.barrier();
    }

    private void arrays(MemoryKind kind) {
        long[] lengths = {1, 5, 97};
        for (long length : lengths) {
            for (Layout layout : new Layout[] {Layout.cyclic(), Layout.blocked(3), Layout.blocked(200), Layout.even(),
                Layout.onRank(rank.ranks() - 1), Layout.replicated()}) {
                doubles(kind, layout, length);
            }
        }
        SharedFloats floats = rank.allAllocFloats(Layout.even(), 10);
        SharedInts ints = rank.allAllocInts(Layout.cyclic(), 10);
        SharedBytes bytes = rank.allAllocBytes(Layout.blocked(2), 10);
        if (rank.rank() == 0) {
            floats.put(9, 1.5f);
            ints.put(9, Integer.MIN_VALUE);
            bytes.put(9, (byte) -7);
        }
        rank.barrier();
        check.same(1.5f, floats.get(9), "float element");
        check.same(Integer.MIN_VALUE, ints.get(9), "int element");
        check.same((byte) -7, bytes.get(9), "byte element");
        check.refuses(IndexOutOfBoundsException.class, "index=10", () -> ints.get(10), "index at the length");
        check.refuses(IndexOutOfBoundsException.class, "index=-1", () -> ints.put(-1, 0), "negative index");
        rank.allFree(bytes);
        rank.allFree(ints);
        rank.allFree(floats);
    }

    private void doubles(MemoryKind kind, Layout layout, long length) {
        String name = "array kind=" + kind + " layout=" + layout + " length=" + length;
        SharedDoubles array = rank.allAllocDoubles(layout, length);
        check.same(kind, array.kind(), name + ": kind");
        boolean replicated = layout instanceof Layout.Replicated;
        long[] visited = {0};
        array.forAllLocal(index -> {
            check.that(replicated || array.rankOf(index) == rank.rank(), name + ": affinity of " + index);
            array.put(index, index * 1.25);
            visited[0]++;
        });
        check.same(array.lengthOn(rank.rank()), visited[0], name + ": elements visited");
        rank.barrier();
        long total = 0;
        for (int other = 0; other < rank.ranks(); other++) {
            total += array.lengthOn(other);
        }
        check.same(replicated ? length * rank.ranks() : length, total, name + ": elements of all ranks");
        for (long index = 0; index < length; index++) {
            check.same(index * 1.25, array.get(index), name + ": element " + index);
        }
        Buffer local = array.local();
        check.same(visited[0], local.length(), name + ": length of the local block");
        if (local.length() > 0) {
            check.same(kind, local.kind(), name + ": kind of the local block");
            try (Arena arena = Arena.ofConfined()) {
                var copy = arena.allocate(local.bytes(), 8);
                PatternMemory.copyBlocks(rank, Buffer.ofHost(copy, ElementType.DOUBLE), local);
                long[] at = {0};
                array.forAllLocal(index -> check.same(index * 1.25, copy.get(ElementType.LAYOUT_DOUBLE, at[0]++ * 8),
                        name + ": local order of " + index));
            }
        }
        rank.allFree(array);
    }

    private void locals() {
        SharedPointer host = rank.allAlloc(rank.ranks(), 64);
        SharedPointer device = allocate(MemoryKind.DEVICE, 64);
        check.that(rank.local(host.onRank(rank.rank())).byteSize() >= 64, "local memory");
        check.refuses(IllegalStateException.class, "memget()", () -> rank.local(device.onRank(rank.rank())),
                "local() of device memory");
        if (rank.ranks() > 1) {
            int other = (rank.rank() + 1) % rank.ranks();
            check.refuses(IllegalStateException.class, "affinity to rank " + other, () -> rank.local(host.onRank(other)),
                    "local() of another rank's memory");
            check.refuses(IllegalStateException.class, "affinity to rank " + other,
                    () -> rank.memory().local(device.onRank(other), ElementType.BYTE, 1),
                    "localBlock() of another rank's memory");
        }
        rank.allFree(device);
        rank.allFree(host);
    }
}
