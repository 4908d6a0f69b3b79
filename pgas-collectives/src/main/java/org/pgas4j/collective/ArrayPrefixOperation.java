package org.pgas4j.collective;

import java.util.function.Supplier;
import org.pgas4j.Reduction;
import org.pgas4j.SharedArray;
import org.pgas4j.Sync;

/** Prefixes of a shared array: each member combines a range of indices and shows the result, then begins with those before it. */
final class ArrayPrefixOperation extends ArrayOperation {

    private final SharedArray dst;
    private final ArrayRange range;

    ArrayPrefixOperation(Group group, MemberAccess access, Sync sync, SharedArray dst, SharedArray src, Reduction op,
                         Supplier<String> details, long... same) {
        super(group, access, sync, "prefixReduce", src, op, details, same);
        this.dst = dst;
        this.range = ArrayRange.of(src, group);
    }

    @Override
    boolean work(int number) {
        if (number == 0) {
            long[] own = combineRange(range);
            group.showWords(own[0], own[1]);
            return false;
        }
        write(before());
        access.fence();
        return true;
    }

    private void write(long[] before) {
        DeviceTiles device = range.isEmpty() || !range.isReached(access, group, dst) ? null : device();
        if (device == null) {
            range.writePrefixes(dst, op, before);
            return;
        }
        if (before[0] != 0) {
            ArrayElements.set(type, access.piece(), 0, before[1]);
            device.before(access.piece());
            access.syncStream();
        }
        range.writePrefixes(dst, device, access);
    }

    /** Combination of what members before this one have. */
    private long[] before() {
        long[] before = new long[2];
        for (int member = 0; member < group.index(); member++) {
            if (group.shownWord(member, 0) != 0) {
                long word = group.shownWord(member, 1);
                before[1] = before[0] == 0 ? word : ArrayElements.apply(type, op, before[1], word);
                before[0] = 1;
            }
        }
        return before;
    }
}
