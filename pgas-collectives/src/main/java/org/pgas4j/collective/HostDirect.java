package org.pgas4j.collective;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.ReduceOp;

/** Java form of {@link DirectKernels}: one thread does the work of block 0. Used by one thread. */
final class HostDirect {

    private final Kernel.Args args;
    private final int members;
    private final long count;
    private final int me;
    private final MemorySegment own;
    private final HostTeamWait wait;

    /** @param args own area, the areas of all, then what an operation takes */
    HostDirect(Kernel.Args args, int members, long count, int me, long limitNs) {
        this.args = args;
        this.members = members;
        this.count = count;
        this.me = me;
        this.own = args.segment(0);
        this.wait = new HostTeamWait(own, me, limitNs);
    }

    void meet() {
        int epoch = own.get(ValueLayout.JAVA_INT, 0) + 1;
        own.set(ValueLayout.JAVA_INT, 0, epoch);
        for (int m = 0; m < members; m++) {
            if (m != me) {
                wait.set(args.segment(1 + m), DeviceArea.flag(0, me), epoch);
            }
        }
        for (int m = 0; m < members; m++) {
            if (m != me) {
                wait.await(DeviceArea.flag(0, m), epoch, m);
            }
        }
    }

    /** @param sources number of the argument that is the first */
    void combine(ElementType type, ReduceOp op, int sources, int destinations) {
        Accumulators blocks = Accumulators.of(type, members, CollectiveLimits.BLOCK_BYTES);
        int length = CollectiveLimits.BLOCK_BYTES / type.bytes();
        meet();
        for (long i = 0; i < count; i += length) {
            int n = (int) Math.min(length, count - i);
            for (int m = 0; m < members; m++) {
                blocks.load(m, args.segment(sources + m), i * type.bytes(), n);
            }
            CombineKernels.combineRun(blocks, 0, members, n, op);
            for (int d = 0; d < destinations; d++) {
                blocks.store(0, args.segment(sources + members + d), i * type.bytes(), n);
            }
        }
        meet();
    }

    /** @param sources number of the argument that is the first */
    void move(ElementType type, int sources, int parts, int destinations) {
        long bytes = type.bytes(count);
        meet();
        for (int i = 0; i < parts && bytes > 0; i++) {
            int part = (me + i) % parts;
            MemorySegment from = args.segment(sources + part);
            for (int d = 0; d < destinations; d++) {
                MemorySegment to = args.segment(sources + parts + d);
                if (from.address() != to.address() + part * bytes) {
                    MemorySegment.copy(from, 0, to, part * bytes, bytes);
                }
            }
        }
        meet();
    }
}
