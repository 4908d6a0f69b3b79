package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.IntStream;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.NonBlockingCollectives;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedPointer;
import org.pgas4j.Team;
import org.pgas4j.testkit.program.CollectiveForm;
import org.pgas4j.testkit.program.PatternMemory;
import org.pgas4j.testkit.program.PutForm;
import org.pgas4j.testkit.program.Tally;

/** Barriers, split and whole, collectives on host and device memory with every rank as root, and that all of them order puts. */
final class CollectiveContract extends Contract {

    private static final int BARRIERS = 50;
    private static final int FEW = 3;


    CollectiveContract(Rank rank, Tally check) {
        super(rank, check);
    }

    @Override
    void run() {
        barriers();
        splitBarriers();
        startedBarriers();
        words();
        order();
        for (MemoryKind kind : MemoryKind.values()) {
            broadcasts(kind);
            gathers(kind);
            reductions(kind);
        }
    }

    /** All ranks see after a barrier what any rank wrote before it. */
    private void barriers() {
        SharedLongs cells = rank.allAllocLongs(Layout.cyclic(), rank.ranks());
        for (int round = 1; round <= BARRIERS; round++) {
            cells.put(rank.rank(), round * 1000L + rank.rank());
            rank.barrier();
            for (int other : others()) {
                check.same(round * 1000L + other, cells.get(other), "cell of rank " + other + " after barrier " + round);
            }
            if (round % 2 == 0) {
                rank.barrier(round);
            } else {
                rank.barrier();
            }
        }
        rank.allFree(cells);
    }

    /** All ranks of a small job, a few of a large one. */
    private int[] others() {
        if (rank.ranks() <= 8) {
            return IntStream.range(0, rank.ranks()).toArray();
        }
        return new int[] {0, (rank.rank() + 1) % rank.ranks(), rank.ranks() / 2, rank.ranks() - 1};
    }

    private void splitBarriers() {
        SharedLongs cells = rank.allAllocLongs(Layout.cyclic(), rank.ranks());
        for (int round = 1; round <= BARRIERS; round++) {
            cells.put(rank.rank(), round);
            rank.collectives().beginBarrier(round);
            long local = round * 3L;
            rank.collectives().endBarrier(round);
            for (int other : others()) {
                check.same((long) round, cells.get(other), "cell of rank " + other + " after split barrier " + round);
            }
            check.same(round * 3L, local, "work between the halves");
            rank.barrier();
        }
        rank.allFree(cells);
        check.refuses(IllegalStateException.class, "has not begun", rank.collectives()::endBarrier,
                "ending a barrier that was not begun");
        rank.collectives().beginBarrier();
        check.refuses(IllegalStateException.class, "and calls barrier() at ", rank.collectives()::beginBarrier,
                "beginning one twice");
        check.refuses(IllegalStateException.class, "has begun a barrier at ",
                () -> rank.allReduce(1L, ReduceOp.SUM), "a collective call in a barrier");
        rank.collectives().endBarrier();
    }

    /** Barriers that were started, of all ranks and of parts, with others and another operation in flight. */
    private void startedBarriers() {
        SharedLongs cells = rank.allAllocLongs(Layout.cyclic(), rank.ranks());
        Team part = rank.collectives().split(rank.rank() % 2);
        NonBlockingCollectives all = rank.collectives().nonBlocking();
        for (int round = 1; round <= BARRIERS; round++) {
            cells.put(rank.rank(), round);
            Handle ofPart = part.collectives().nonBlocking().barrier();
            Handle ofAll = all.barrier();
            long[] sum = {1};
            Buffer buffer = Buffer.ofHost(MemorySegment.ofArray(sum), ElementType.LONG);
            Handle behind = all.allReduce(buffer, buffer, ReduceOp.SUM);
            if (rank.rank() % 2 == round % 2) {
                behind.sync();
                check.same(true, ofAll.trySync(), "started barrier before a completed operation");
            }
            ofPart.sync();
            for (int member = 0; member < part.ranks(); member++) {
                check.same((long) round, cells.get(part.worldRank(member)), "cell of a member after a barrier of a part");
            }
            ofAll.sync();
            for (int other : others()) {
                check.same((long) round, cells.get(other), "cell of rank " + other + " after started barrier " + round);
            }
            behind.sync();
            check.same((long) rank.ranks(), sum[0], "allReduce behind a started barrier");
            rank.barrier();
        }
        part.close();
        rank.allFree(cells);
    }

    private void words() {
        int n = rank.ranks();
        check.same(n * (n - 1) / 2L, rank.allReduce((long) rank.rank(), ReduceOp.SUM), "allReduce long SUM");
        check.same((long) n - 1, rank.allReduce((long) rank.rank(), ReduceOp.MAX), "allReduce long MAX");
        check.same(0.0, rank.allReduce((double) rank.rank(), ReduceOp.MIN), "allReduce double MIN");
        check.same(n * 0.5, rank.allReduce(0.5, ReduceOp.SUM), "allReduce double SUM");
        for (int root : others()) {
            int agreed = (int) rank.collectives().broadcast(root, 0);
            check.same(agreed * 7L, rank.collectives().broadcast(rank.rank() * 7L, agreed), "broadcast of a word from " + agreed);
        }
    }

    /** Each kind of collective completes the puts of all before it, however they were started. */
    private void order() {
        long size = 2000;
        int next = target(1);
        int previous = target(-1);
        int forms = PutForm.values().length;
        try (CollectiveForm.Workspace workspace = new CollectiveForm.Workspace(rank);
                PatternMemory host = new PatternMemory(rank, MemoryKind.HOST, size);
                PatternMemory device = new PatternMemory(rank, MemoryKind.DEVICE, size)) {
            for (MemoryKind kind : MemoryKind.values()) {
                SharedPointer target = allocate(kind, size);
                int step = rank.ranks() <= FEW ? 1 : forms + 1; // with many ranks each collective once, and all forms in turn
                for (int i = 0; i < forms * CollectiveForm.values().length; i += step) {
                    CollectiveForm collective = CollectiveForm.values()[i / forms];
                    PutForm form = PutForm.values()[i % forms];
                    long seed = i * 1000L + rank.rank();
                    (form.isFromDevice() ? device : host).fill(seed, 0, size);
                    form.start(rank, target.onRank(next), host.block(), device.block());
                    Runnable undo = collective.run(workspace, i);
                    try (Arena arena = Arena.ofConfined()) {
                        MemorySegment seen = arena.allocate(size);
                        readMine(seen, target);
                        check.same(-1L, PatternMemory.mismatch(seen, i * 1000L + previous, 0, size), form + " put to " + kind
                                + " before " + collective);
                    }
                    undo.run();
                    rank.barrier(); // all have looked
                }
                rank.allFree(target);
            }
        }
    }

    private int[] roots() {
        return rank.ranks() <= 4 ? IntStream.range(0, rank.ranks()).toArray()
                : new int[] {0, rank.ranks() / 2 + 1, rank.ranks() - 1};
    }

    private void broadcasts(MemoryKind kind) {
        long[] sizes = {1, 8, 4097, 100_003};
        SharedPointer source = allocate(kind, 100_003);
        SharedPointer target = allocate(kind, 100_003);
        for (int root : roots()) {
            for (long size : sizes) {
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment bytes = PatternMemory.patterned(arena, rank.rank() + size, size);
                    writeMine(source, bytes);
                    rank.collectives().broadcast(target, source.onRank(root), size);
                    readMine(bytes, target);
                    check.same(-1L, PatternMemory.mismatch(bytes, root + size, 0, size), "broadcast kind=" + kind + " root=" + root
                            + " size=" + size);
                }
            }
        }
        rank.allFree(target);
        rank.allFree(source);
    }

    private void gathers(MemoryKind kind) {
        long size = 1001;
        SharedPointer source = allocate(kind, size);
        for (int root : roots()) {
            SharedPointer target = allocate(kind, size * rank.ranks());
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment bytes = PatternMemory.patterned(arena, rank.rank() * 17L, size);
                writeMine(source, bytes);
                rank.collectives().gather(target.onRank(root), source, size);
                if (rank.rank() == root) {
                    MemorySegment all = arena.allocate(size * rank.ranks());
                    readMine(all, target);
                    for (int from = 0; from < rank.ranks(); from++) {
                        check.same(-1L, PatternMemory.mismatch(all, from * 17L, from * size, size), "gather kind=" + kind + " root="
                                + root + " from=" + from);
                    }
                }
            }
            rank.allFree(target);
        }
        rank.allFree(source);
    }

    private void reductions(MemoryKind kind) {
        for (ElementType type : ElementType.values()) {
            long count = type == ElementType.BYTE ? 9_001 : 1_501;
            long size = type.bytes(count);
            SharedPointer source = allocate(kind, size);
            SharedPointer target = allocate(kind, size);
            for (int root : roots()) {
                for (ReduceOp op : new ReduceOp[] {ReduceOp.SUM, ReduceOp.MAX, ReduceOp.MIN}) {
                    reduce(kind, type, count, root, op, source, target);
                }
            }
            rank.allFree(target);
            rank.allFree(source);
        }
    }

    private void reduce(MemoryKind kind, ElementType type, long count, int root, ReduceOp op, SharedPointer source,
                        SharedPointer target) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(type.bytes(count), 8);
            for (long i = 0; i < count; i++) {
                write(bytes, type, i, value(type, rank.rank(), i));
            }
            writeMine(source, bytes);
            rank.collectives().reduce(target.onRank(root), source, type, count, op);
            if (rank.rank() != root) {
                return;
            }
            readMine(bytes, target);
            long wrong = -1;
            for (long i = 0; i < count && wrong < 0; i++) {
                long expected = value(type, 0, i);
                for (int other = 1; other < rank.ranks(); other++) {
                    expected = op.apply(expected, value(type, other, i));
                }
                if (type == ElementType.BYTE) {
                    expected = (byte) expected;
                }
                if (read(bytes, type, i) != expected) {
                    wrong = i;
                }
            }
            check.same(-1L, wrong, "reduce kind=" + kind + " type=" + type + " op=" + op + " root=" + root);
        }
    }

    /** Small integers, exact in every type. */
    private static long value(int from, long index) {
        return (from * 5L + index * 3) % 11 - 5;
    }

    private static long value(ElementType type, int from, long index) {
        return type == ElementType.CHAR ? value(from, index) + 5 : value(from, index);
    }

    private static void write(MemorySegment memory, ElementType type, long index, long value) {
        switch (type) {
            case BYTE -> memory.set(ValueLayout.JAVA_BYTE, index, (byte) value);
            case SHORT, CHAR -> memory.set(ElementType.LAYOUT_SHORT, index * 2, (short) value);
            case INT -> memory.set(ElementType.LAYOUT_INT, index * 4, (int) value);
            case LONG -> memory.set(ElementType.LAYOUT_LONG, index * 8, value);
            case FLOAT -> memory.set(ElementType.LAYOUT_FLOAT, index * 4, value);
            case DOUBLE -> memory.set(ElementType.LAYOUT_DOUBLE, index * 8, value);
            case HALF, BFLOAT16 -> memory.set(ElementType.LAYOUT_SHORT, index * 2, type.toBits(value));
        }
    }

    private static double read(MemorySegment memory, ElementType type, long index) {
        return switch (type) {
            case BYTE -> memory.get(ValueLayout.JAVA_BYTE, index);
            case SHORT -> memory.get(ElementType.LAYOUT_SHORT, index * 2);
            case CHAR -> (char) memory.get(ElementType.LAYOUT_SHORT, index * 2);
            case INT -> memory.get(ElementType.LAYOUT_INT, index * 4);
            case LONG -> memory.get(ElementType.LAYOUT_LONG, index * 8);
            case FLOAT -> memory.get(ElementType.LAYOUT_FLOAT, index * 4);
            case DOUBLE -> memory.get(ElementType.LAYOUT_DOUBLE, index * 8);
            case HALF, BFLOAT16 -> type.toFloat(memory.get(ElementType.LAYOUT_SHORT, index * 2));
        };
    }
}
