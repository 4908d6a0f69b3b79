package org.pgas4j.collective;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.ReduceOp;

/** Java form of {@link DirectKernels} and {@link PushKernels}: one thread does the work of block 0. Used by one thread. */
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

    /** The numbers behind the memory are those of {@link PushKernels}. */
    void push(ElementType type, ReduceOp op) {
        int vectors = 1 + members;
        int results = vectors + members;
        int numbers = results + members;
        long each = args.longAt(numbers);
        int length = Math.toIntExact(args.longAt(numbers + 2) * 16 / type.bytes());
        long pushed = args.longAt(numbers + 3);
        Accumulators blocks = Accumulators.of(type, members, DeviceArea.CHUNK_BYTES);
        for (long first = 0; first < each; first += length) {
            int epoch = own.get(ValueLayout.JAVA_INT, 0) + 1;
            for (int m = 0; m < members; m++) {
                int n = chunk(m, each, first, length);
                if (m != me && n > 0) {
                    MemorySegment.copy(args.segment(vectors + me), type.bytes(partStart(m, each) + first), args.segment(1 + m),
                            DeviceArea.chunk(pushed, members, 0, epoch, me), type.bytes(n));
                }
            }
            meet();
            int n = chunk(me, each, first, length);
            for (int m = 0; m < members && n > 0; m++) {
                if (m == me) {
                    blocks.load(m, args.segment(vectors + me), type.bytes(partStart(me, each) + first), n);
                } else {
                    blocks.load(m, own, DeviceArea.chunk(pushed, members, 0, epoch, m), n);
                }
            }
            if (n > 0) {
                CombineKernels.combineRun(blocks, 0, members, n, op);
            }
            for (int d = 0; d < members && n > 0; d++) {
                blocks.store(0, args.segment(results + d), type.bytes(partStart(me, each) + first), n);
            }
        }
        meet();
    }

    private long partStart(int member, long each) {
        return Math.min(count, each * member);
    }

    /** Elements that a chunk has of a member's part. */
    private int chunk(int member, long each, long first, int length) {
        return Math.clamp(partStart(member + 1, each) - partStart(member, each) - first, 0, length);
    }
}
