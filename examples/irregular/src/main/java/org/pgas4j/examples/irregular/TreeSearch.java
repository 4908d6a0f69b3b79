package org.pgas4j.examples.irregular;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.SharedBytes;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedPointer;

/**
 * One rank's part of a search of a whole tree. A rank expands nodes of a stack of its own, depth first. Now and then it puts the
 * oldest of them, near the root and so with much below them, into slots that every rank can take them from. Each slot has a word:
 * <pre>
 *   EMPTY --(owner, after writing the nodes)--> FULL --(first rank to swap it)--> TAKEN --(the same, after reading)--> EMPTY
 * </pre>
 * A rank without nodes looks for a full slot of any rank. The number of ranks that have work is in one word of rank 0: a rank
 * leaves when none of its own slots is full, and comes back before it tries to take a slot. So when the number is 0, no slot is
 * full and none will be.
 */
final class TreeSearch {

    private static final long EMPTY = 0;
    private static final long FULL = 1;
    private static final long TAKEN = 2;

    private static final int SLOTS = 8;    // of each rank
    private static final int CHUNK = 8;    // nodes of a slot
    private static final int PERIOD = 32;  // nodes expanded between two looks at the slots
    private static final int CHUNK_BYTES = CHUNK * UtsTree.NODE;

    private final Rank rank;
    private final UtsTree tree;
    private final SharedLongs words;
    private final SharedBytes chunks;
    private final SharedLongs working;
    private final long[] seen = new long[SLOTS];
    private final byte[] node = new byte[UtsTree.NODE];
    private byte[] stack = new byte[1024 * UtsTree.NODE];
    private int top;   // bytes
    private long nodes;
    private long leaves;
    private int depth;

    static long hostBytes() {
        return SLOTS * (Long.BYTES + CHUNK_BYTES) + Long.BYTES;
    }

    /** Collective. */
    TreeSearch(Rank rank, UtsTree tree) {
        this.rank = rank;
        this.tree = tree;
        this.words = rank.allAllocLongs(Layout.blocked(SLOTS), (long) SLOTS * rank.ranks());
        this.chunks = rank.allAllocBytes(Layout.blocked(SLOTS * CHUNK_BYTES), (long) SLOTS * CHUNK_BYTES * rank.ranks());
        this.working = rank.allAllocLongs(Layout.onRank(0), 1);
        words.forAllLocal(i -> words.put(i, EMPTY));
        working.forAllLocal(i -> working.put(i, rank.ranks()));
        if (rank.rank() == 0) {
            tree.root(stack);
            top = UtsTree.NODE;
        }
    }

    /** Returns when the whole tree has been searched. Collective. */
    void run() {
        do {
            for (int count = 1; top > 0; count++) {
                expand();
                if (count % PERIOD == 0) {
                    offer();
                    rank.progress();   // others may be waiting for this rank
                }
            }
        } while (take(rank.rank()) || steal());
    }

    /** Takes a node from the stack and puts its children there. */
    private void expand() {
        top -= UtsTree.NODE;
        System.arraycopy(stack, top, node, 0, UtsTree.NODE);
        int children = tree.children(node, 0);
        nodes++;
        leaves += children == 0 ? 1 : 0;
        depth = Math.max(depth, UtsTree.depth(node, 0));
        reserve(children);
        for (int child = 0; child < children; child++) {
            tree.child(node, 0, child, stack, top);
            top += UtsTree.NODE;
        }
    }

    private void reserve(int count) {
        if (top + count * UtsTree.NODE > stack.length) {
            stack = Arrays.copyOf(stack, 2 * stack.length + count * UtsTree.NODE);
        }
    }

    /** Puts the oldest nodes into empty slots of this rank, as long as enough are left. */
    private void offer() {
        long first = (long) SLOTS * rank.rank();
        for (long slot = first; slot < first + SLOTS && top >= 2 * CHUNK_BYTES; slot++) {
            if (rank.atomics().get(words.pointer(slot)) == EMPTY) {
                rank.memput(chunks.pointer(slot * CHUNK_BYTES), MemorySegment.ofArray(stack), CHUNK_BYTES);
                rank.fence();
                rank.atomics().set(words.pointer(slot), FULL);
                top -= CHUNK_BYTES;
                System.arraycopy(stack, CHUNK_BYTES, stack, 0, top);
            }
        }
    }

    /** Takes the nodes of a full slot of {@code owner}; false if there is none. */
    private boolean take(int owner) {
        words.get((long) SLOTS * owner, seen);
        for (int i = 0; i < SLOTS; i++) {
            long slot = (long) SLOTS * owner + i;
            SharedPointer word = words.pointer(slot);
            if (seen[i] == FULL && rank.atomics().compareSwap(word, FULL, TAKEN) == FULL) {
                reserve(CHUNK);
                MemorySegment free = MemorySegment.ofArray(stack).asSlice(top, CHUNK_BYTES);
                rank.memget(free, chunks.pointer(slot * CHUNK_BYTES), CHUNK_BYTES);
                rank.atomics().set(word, EMPTY);
                top += CHUNK_BYTES;
                return true;
            }
        }
        return false;
    }

    /** Waits for nodes of other ranks; false when no rank has any. */
    private boolean steal() {
        SharedPointer count = working.pointer();
        rank.atomics().fetchAdd(count, -1);
        do {
            for (int step = 1; step < rank.ranks(); step++) {
                int victim = (rank.rank() + step) % rank.ranks();
                if (hasFull(victim)) {
                    rank.atomics().fetchAdd(count, 1);
                    if (take(victim)) {
                        return true;
                    }
                    rank.atomics().fetchAdd(count, -1);
                }
            }
            rank.progress();
            Thread.yield();
        } while (rank.atomics().get(count) > 0);
        return false;
    }

    private boolean hasFull(int owner) {
        words.get((long) SLOTS * owner, seen);
        return Arrays.stream(seen).anyMatch(word -> word == FULL);
    }

    /** Nodes that this rank has expanded. */
    long nodes() {
        return nodes;
    }

    /** Those without children. */
    long leaves() {
        return leaves;
    }

    /** Depth of the deepest. */
    int depth() {
        return depth;
    }

    /** Collective; not after a failure, which ends the job. */
    void free() {
        rank.allFree(working);
        rank.allFree(chunks);
        rank.allFree(words);
    }
}
