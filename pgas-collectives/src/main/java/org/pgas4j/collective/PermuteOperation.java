package org.pgas4j.collective;

import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;
import org.pgas4j.ElementType;
import org.pgas4j.SharedPointer;
import org.pgas4j.Sync;
import org.pgas4j.space.sync.ScalarAllReduce;

/** Every member puts its block to the member that a shared permutation names. */
final class PermuteOperation extends CollectiveOperation {

    private final GivenMemory src;
    private final long dst;
    private final SharedPointer permutation;

    /** @param dst place of the destination, the same on all members */
    PermuteOperation(Group group, MemberAccess access, Sync sync, long dst, GivenMemory src, SharedPointer permutation,
                     String name, Supplier<String> details, long... same) {
        super(group, access, sync, name, details, same);
        this.src = src;
        this.dst = dst;
        this.permutation = permutation;
    }

    @Override
    ScalarAllReduce.Payload begin() {
        group.expose(src.place(), dst);
        return null;
    }

    @Override
    boolean work(int number) {
        SharedPointer entry = permutation.plus(group.index());
        MemorySegment target = access.piece();
        access.fetch(target, entry, Integer.BYTES);
        int member = target.get(ElementType.LAYOUT_INT, 0);
        if (member < 0 || member >= group.size()) {
            throw new IndexOutOfBoundsException(name() + " of rank " + group.world(group.index()) + ": entry " + group.index()
                    + " of the permutation is " + member + " (expected: 0.." + (group.size() - 1) + ")");
        }
        access.push(group.world(member), dst, 0, src, 0, src.bytes());
        return true;
    }
}
