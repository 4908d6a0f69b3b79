package org.pgas4j.testkit.contract;

import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedDoubles;
import org.pgas4j.SharedLongs;
import org.pgas4j.Stream;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.Tally;

/** Kernels written in Java that use memory of the host: shared arrays there, and page-locked buffers. */
final class HostMemoryKernels extends Contract {

    private static final long LENGTH = 1000;

    private final Stream stream;

    HostMemoryKernels(Rank rank, Tally check) {
        super(rank, check);
        this.stream = rank.stream();
    }

    @Override
    void run() {
        arrays(Layout.even());
        arrays(Layout.blocked(7));
        arrays(Layout.onRank(rank.ranks() - 1));
        pinned();
    }

    /** Elements of all ranks' host memory beside those of device memory. */
    private void arrays(Layout layout) {
        SharedLongs host;
        SharedDoubles device;
        try (Scope _ = Program.in(rank, MemoryKind.HOST)) {
            host = rank.allAllocLongs(layout, LENGTH);
        }
        try (Scope _ = Program.in(rank, MemoryKind.DEVICE)) {
            device = rank.allAllocDoubles(Layout.cyclic(), LENGTH);
        }
        host.forAll(i -> host.put(i, i * 3));
        stream.sync();
        rank.barrier();
        device.forAll(i -> device.put(i, host.get(LENGTH - 1 - i) + 0.5));
        stream.sync();
        rank.barrier();
        long wrong = 0;
        for (long i = rank.rank(); i < LENGTH; i += rank.ranks()) {
            wrong += host.get(i) == i * 3 && device.get(i) == (LENGTH - 1 - i) * 3 + 0.5 ? 0 : 1;
        }
        check.same(0L, wrong, "wrong elements beside " + host);
        check.same(LENGTH * (LENGTH - 1) / 2 * 3, host.reduceLongs(stream, ReduceOp.SUM, i -> host.get(i)), "sum of " + host);
        rank.barrier();
        rank.allFree(device);
        rank.allFree(host);
    }

    private void pinned() {
        try (Buffer buffer = rank.device().allocPinned(ElementType.LONG, LENGTH)) {
            SharedLongs all;
            try (Scope _ = Program.in(rank, MemoryKind.DEVICE)) {
                all = rank.allAllocLongs(Layout.replicated(), LENGTH);
            }
            all.forAll(i -> buffer.putLong(i, i * i));
            all.forAll(i -> all.put(i, buffer.getLong(i) + 1));
            stream.sync();
            check.same((LENGTH - 1) * (LENGTH - 1), buffer.segment().getAtIndex(ElementType.LAYOUT_LONG, LENGTH - 1),
                    "last element of " + buffer);
            check.same(26L, all.get(5), "element computed from " + buffer);
            rank.barrier();
            rank.allFree(all);
        }
    }
}
