package org.pgas4j.collective;

import java.util.function.Supplier;
import org.pgas4j.Reduction;
import org.pgas4j.SharedArray;
import org.pgas4j.Sync;
import org.pgas4j.space.sync.ScalarAllReduce;

/** Prefixes of a shared array: each member combines a range of indices and shows the result, then begins with those before it. */
final class ArrayPrefixOperation extends CollectiveOperation {

    private final SharedArray dst;
    private final ArrayRange range;
    private final Reduction op;

    ArrayPrefixOperation(Group group, MemberAccess access, Sync sync, SharedArray dst, SharedArray src, Reduction op,
                         Supplier<String> details, long... same) {
        super(group, access, sync, "prefixReduce", details, same);
        this.dst = dst;
        this.range = ArrayRange.of(src, group);
        this.op = op;
    }

    @Override
    ScalarAllReduce.Payload begin() {
        return null;
    }

    @Override
    boolean work(int number) {
        if (number == 0) {
            long[] own = range.combine(op);
            group.showWords(own[0], own[1]);
            return false;
        }
        range.writePrefixes(dst, op, before());
        access.fence();
        return true;
    }

    /** Combination of what members before this one have. */
    private long[] before() {
        long[] before = new long[2];
        for (int member = 0; member < group.index(); member++) {
            if (group.shownWord(member, 0) != 0) {
                long word = group.shownWord(member, 1);
                before[1] = before[0] == 0 ? word : ArrayElements.apply(dst.type(), op, before[1], word);
                before[0] = 1;
            }
        }
        return before;
    }
}
