package org.pgas4j.io;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.pgas4j.Completion;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.SharedArray;
import org.pgas4j.SharedPointer;

/**
 * Elements of a shared array. Ranks move their own blocks where these are large. Small ones are collected: a rank moves a run of
 * the global order, with one strided transfer for each owner (two-phase input and output: Thakur, Gropp and Lusk, Frontiers
 * 1999).
 */
final class LinearArray extends Elements {

    private static final long MIN_OWN_BYTES = 64 << 10;

    private final SharedArray array;
    private final long size;
    private final long block; // elements; 0 if the elements are contiguous

    LinearArray(SharedArray array) {
        this.array = array;
        this.size = array.elementBytes();
        boolean dealt = array.layout() instanceof Layout.Blocked || array.layout() instanceof Layout.Even;
        this.block = dealt ? array.pointer().blockElements() : 0;
    }

    @Override
    public ElementType type() {
        return array.type();
    }

    @Override
    public long elementBytes() {
        return size;
    }

    @Override
    public List<Long> lengths() {
        return List.of(array.length());
    }

    @Override
    void requireLive(Rank rank) {
        rank.rma().get(MemorySegment.NULL, array.pointer(), 0, Completion.LOCAL); // no bytes, but its pointer is checked
    }

    @Override
    void get(Rank rank, long from, long count, MemorySegment into) {
        array.get(from, count, into);
    }

    @Override
    void put(Rank rank, long from, long count, MemorySegment values) {
        if (array.layout() instanceof Layout.Replicated) {
            for (int copy = 0; copy < rank.ranks(); copy++) {
                rank.memput(array.pointer(from).onRank(copy), values, count * size);
            }
        } else {
            array.put(from, count, values);
        }
    }

    @Override
    void forEachRun(Rank rank, long max, RunBody body) {
        if (array.layout() instanceof Layout.OnRank on) {
            cut(0, on.rank() == rank.rank() ? array.length() : 0, max, body);
        } else if (block >= Math.max(1, MIN_OWN_BYTES / size)) {
            forEachOwnBlock(rank, max, body);
        } else {
            super.forEachRun(rank, max, body);
        }
    }

    /** The array may begin on any rank, within a block. */
    private void forEachOwnBlock(Rank rank, long max, RunBody body) {
        long length = array.length();
        SharedPointer first = array.pointer();
        int ranks = first.ranks();
        int behind = Math.floorMod(rank.rank() - first.rank(), ranks);
        long at = behind == 0 ? 0 : block * behind - first.phase();
        while (at >= 0 && at < length) {
            long rest = block - array.pointer(at).phase();
            cut(at, Math.min(rest, length - at), max, body);
            at += rest + (ranks - 1) * block; // below zero if it does not fit
        }
    }
}
