package org.pgas4j.collective;

import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;
import org.pgas4j.Buffer;
import org.pgas4j.Reduction;
import org.pgas4j.SharedArray;
import org.pgas4j.Sync;

/**
 * Combines all elements of a shared array: each member its own, or a range of indices where their order counts, and all of them
 * their results in an exchange. The owner of the destination alone writes it.
 */
final class ArrayReduceOperation extends ArrayOperation {

    private final GivenMemory dst;
    private final Sync sync;
    private long[] total; // whether there are elements, and their combination

    /** @param dst memory of one element; null on all members but its owner */
    ArrayReduceOperation(Group group, MemberAccess access, Sync sync, GivenMemory dst, SharedArray src, Reduction op,
                         Supplier<String> details, long... same) {
        super(group, access, sync, "reduce", src, op, details, same);
        this.dst = dst;
        this.sync = sync;
    }

    @Override
    boolean work(int number) {
        if (number == 0) {
            total = op.isCommutative() ? combineOwn() : combineRange(ArrayRange.of(src, group));
            return false;
        }
        if (dst != null) {
            ArrayElements.set(type, access.piece(), 0, total[1]);
            access.write(dst, 0, access.piece(), 0, type.bytes());
        }
        return true;
    }

    @Override
    long[] wordsAfter(int number) {
        return number == 0 ? total : super.wordsAfter(number);
    }

    @Override
    boolean combineWords(long[] into, long[] from) {
        if (into.length > 0) {
            into[1] = into[0] == 0 ? from[1] : from[0] == 0 ? into[1] : ArrayElements.apply(type, op, into[1], from[1]);
            into[0] |= from[0];
        }
        return true;
    }

    /** All have read their elements. */
    @Override
    boolean endsItself() {
        return sync.out() != Sync.Mode.ALL;
    }

    /** This rank's elements, in the order of the positions in blocks. */
    private long[] combineOwn() {
        Buffer own = src.local();
        if (own.length() == 0) {
            return new long[2];
        }
        DeviceTiles device = device();
        if (device != null) {
            device.add(own.deviceMemory(), own.deviceOffset(), own.length());
            return total(device);
        }
        GivenMemory memory = GivenMemory.of(name(), access.self(), own);
        HostTiles tiles = new HostTiles(type, op);
        if (memory.host() != null) {
            tiles.add(memory.host(), memory.start(), own.length());
            return tiles.total();
        }
        MemorySegment piece = access.piece();
        long width = piece.byteSize() / type.bytes();
        for (long i = 0; i < own.length(); i += width) {
            long count = Math.min(width, own.length() - i);
            access.read(piece, 0, memory, type.bytes(i), type.bytes(count));
            tiles.add(piece, 0, count);
        }
        return tiles.total();
    }
}
