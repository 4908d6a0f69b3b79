package org.pgas4j.testkit;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;

/** What one rank allocates alone in random operations: nobody else knows it, so it must stay as that rank left it. */
final class RandomOwns {

    /** Bytes of the largest block. */
    static final long BLOCK_BYTES = 4096;

    private static final int MOST = 4;

    /** Memory this rank allocated alone: its blocks are dealt to the ranks in turn, nobody else knows them. */
    private record Own(SharedPointer pointer, MemoryKind kind, int blocks, long blockBytes, MemorySegment model,
                       Arena memory) {
    }

    private final Rank rank;
    private final RandomOpsPlan plan;
    private final RandomRegions regions;
    private final RandomMismatches mismatches;
    private final MemorySegment scratch;
    private final List<Own> owns = new ArrayList<>();

    RandomOwns(Rank rank, RandomOpsPlan plan, RandomRegions regions, RandomMismatches mismatches, Arena arena) {
        this.rank = rank;
        this.plan = plan;
        this.regions = regions;
        this.mismatches = mismatches;
        this.scratch = arena.allocate(BLOCK_BYTES, 8);
    }

    /** Allocates, writes and compares, or frees, as the planned operation says. */
    void perform(long op) {
        long bits = plan.noise;
        int index = (int) (bits & 3);
        if (index >= owns.size() && owns.size() < MOST) {
            owns.add(allocate(bits >>> 2));
            return;
        }
        Own own = owns.get(index % owns.size());
        boolean last = (bits >>> 2 & 3) == 0;
        if (last) {
            compare(own, 0, own.blocks, op);
        }
        int block = (int) ((bits >>> 4 & 0xFFFF) % own.blocks);
        long offset = (bits >>> 20 & 0xFFFF) % own.blockBytes;
        long bytes = (bits >>> 36 & 0xFFFF) % (own.blockBytes - offset + 1);
        MemorySegment from = regions.noise(bits, bytes);
        rank.memput(own.pointer.plus(block * own.blockBytes + offset), from, bytes);
        if (last) {
            // The put may be under way: it must not arrive in what others allocate there from now on.
            owns.remove(own);
            free(own);
            return;
        }
        MemorySegment.copy(from, 0, own.model, block * own.blockBytes + offset, bytes);
        compare(own, block, block + 1, op);
    }

    /** Frees all. */
    void free() {
        owns.forEach(this::free);
    }

    private Own allocate(long bits) {
        MemoryKind kind = RandomRegions.KINDS[(int) (bits & 1)];
        int blocks = (bits >>> 1 & 3) == 0 ? 1 : 1 + (int) ((bits >>> 3 & 0xFF) % (2L * rank.ranks()));
        long blockBytes = 1 + (bits >>> 11 & 0xFFFF) % BLOCK_BYTES;
        Arena memory = Arena.ofConfined();
        MemorySegment content = memory.allocate(blocks * blockBytes);
        try (Scope _ = kind == MemoryKind.DEVICE ? rank.onDevice() : rank.offDevice()) {
            SharedPointer pointer = (bits >>> 1 & 3) == 0 ? rank.alloc(blockBytes)
                    : rank.memory().globalAlloc(blocks, blockBytes);
            Own own = new Own(pointer, kind, blocks, blockBytes, content, memory);
            for (int block = 0; block < blocks; block++) {
                MemorySegment from = regions.noise(bits + block, blockBytes);
                rank.memput(pointer.plus(block * blockBytes), from, blockBytes);
                MemorySegment.copy(from, 0, content, block * blockBytes, blockBytes);
            }
            return own;
        }
    }

    private void compare(Own own, int fromBlock, int toBlock, long op) {
        for (int block = fromBlock; block < toBlock; block++) {
            SharedPointer src = own.pointer.plus(block * own.blockBytes);
            MemorySegment seen = scratch.asSlice(0, own.blockBytes);
            rank.memget(seen, src, own.blockBytes);
            long expected = block * own.blockBytes;
            long difference = MemorySegment.mismatch(seen, 0, own.blockBytes, own.model, expected,
                    expected + own.blockBytes);
            if (difference >= 0) {
                mismatches.add(op, "own allocation, block " + block + " of " + own.blocks + " at " + src, difference,
                        own.model.get(ValueLayout.JAVA_BYTE, expected + difference),
                        seen.get(ValueLayout.JAVA_BYTE, difference));
            }
        }
    }

    private void free(Own own) {
        rank.free(own.pointer);
        own.memory.close();
    }
}
