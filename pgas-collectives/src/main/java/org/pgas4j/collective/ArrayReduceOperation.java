package org.pgas4j.collective;

import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Reduction;
import org.pgas4j.SharedArray;
import org.pgas4j.Sync;
import org.pgas4j.space.sync.ScalarAllReduce;

/**
 * Combines all elements of a shared array: each member its own, or a range of indices where their order counts, and all of them
 * their results in an exchange. The owner of the destination alone writes it.
 */
final class ArrayReduceOperation extends CollectiveOperation {

    private final GivenMemory dst;
    private final SharedArray src;
    private final ElementType type;
    private final Reduction op;
    private final Sync sync;
    private long[] total; // whether there are elements, and their combination

    /** @param dst memory of one element; null on all members but its owner */
    ArrayReduceOperation(Group group, MemberAccess access, Sync sync, GivenMemory dst, SharedArray src, Reduction op,
                         Supplier<String> details, long... same) {
        super(group, access, sync, "reduce", details, same);
        this.dst = dst;
        this.src = src;
        this.type = src.type();
        this.op = op;
        this.sync = sync;
    }

    @Override
    ScalarAllReduce.Payload begin() {
        return null;
    }

    @Override
    boolean work(int number) {
        if (number == 0) {
            total = op.isCommutative() ? combineOwn() : ArrayRange.of(src, group).combine(op);
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
        GivenMemory memory = GivenMemory.of(name(), access.self(), own);
        Accumulators blocks = access.accumulators(type, 2, CollectiveLimits.BLOCK_BYTES);
        int width = (int) Math.min(own.length(), CollectiveLimits.BLOCK_BYTES / type.bytes());
        MemorySegment piece = access.piece();
        for (long i = 0; i < own.length(); i += width) {
            int count = (int) Math.min(width, own.length() - i);
            access.read(piece, 0, memory, type.bytes(i), type.bytes(count));
            blocks.load(i == 0 ? 0 : 1, piece, 0, count);
            if (i > 0) {
                blocks.combine(0, 1, count, op);
            }
        }
        blocks.store(0, piece, 0, width);
        return new long[] {1, ArrayElements.combine(type, op, piece, width, 0, false)};
    }
}
