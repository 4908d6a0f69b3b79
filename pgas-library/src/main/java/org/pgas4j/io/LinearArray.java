package org.pgas4j.io;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.Rma;
import org.pgas4j.SharedArray;
import org.pgas4j.SharedPointer;
import org.pgas4j.Strided;

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
        move(from, count, (first, at, shape) -> rank.rma().get(bytes(into, at, shape.dstExtent()), array.pointer(first), shape,
                Completion.LOCAL));
    }

    @Override
    void put(Rank rank, long from, long count, MemorySegment values) {
        Rma rma = rank.rma();
        move(from, count, (first, at, shape) -> {
            Strided out = shape.reversed();
            Buffer source = bytes(values, at, out.srcExtent());
            SharedPointer to = array.pointer(first);
            if (array.layout() instanceof Layout.Replicated) {
                for (int copy = 0; copy < rank.ranks(); copy++) {
                    rma.put(to.onRank(copy), source, out, Completion.LOCAL);
                }
            } else {
                rma.put(to, source, out, Completion.LOCAL);
            }
        });
    }

    private static Buffer bytes(MemorySegment memory, long at, long bytes) {
        return Buffer.ofHost(memory.asSlice(at, bytes), ElementType.BYTE);
    }

    /** Takes a transfer. */
    @FunctionalInterface
    private interface Move {

        /**
         * A transfer.
         *
         * @param first element in the array
         * @param at    place of its first byte in local memory
         * @param shape destination is local memory, source that of the owner
         */
        void move(long first, long at, Strided shape);
    }

    /** The begun block at the front, the whole blocks by owner, the begun block at the end. */
    private void move(long from, long count, Move move) {
        if (count == 0) {
            return;
        }
        if (block == 0) {
            move.move(from, 0, Strided.contiguous(count * size));
            return;
        }
        long phase = array.pointer(from).phase();
        long front = phase == 0 ? 0 : Math.min(count, block - phase);
        if (front > 0) {
            move.move(from, 0, Strided.contiguous(front * size));
        }
        long blocks = (count - front) / block;
        int ranks = array.pointer().ranks();
        for (int owner = 0; owner < Math.min(blocks, ranks); owner++) {
            long first = front + owner * block;
            long rows = Math.ceilDiv(blocks - owner, (long) ranks);
            long stride = rows == 1 ? 0 : block * ranks * size;
            move.move(from + first, first * size, Strided.rows(block * size, rows, stride, block * size));
        }
        long done = front + blocks * block;
        if (done < count) {
            move.move(from + done, done * size, Strided.contiguous((count - done) * size));
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

    private void forEachOwnBlock(Rank rank, long max, RunBody body) {
        long length = array.length();
        long at = array.firstOn(rank.rank());
        while (at >= 0 && at < length) {
            long rest = block - array.pointer(at).phase();
            cut(at, Math.min(rest, length - at), max, body);
            long next = at + rest + (rank.ranks() - 1) * block; // below zero if it does not fit
            at = next;
        }
    }
}
