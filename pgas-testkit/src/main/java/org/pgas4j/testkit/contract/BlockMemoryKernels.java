package org.pgas4j.testkit.contract;

import org.pgas4j.AtomicOp;
import org.pgas4j.Buffer;
import org.pgas4j.Kernel;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedLongs;
import org.pgas4j.Stream;
import org.pgas4j.kernel.KernelThread;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.Tally;

/** Atomic operations of all threads of a block on the same elements of its memory, each of which any order leaves the same. */
final class BlockMemoryKernels extends Contract {

    private static final int BLOCKS = 3;
    private static final int THREADS = 96;
    private static final int ELEMENTS = 16; // by the code of the operation; the last one takes a sum of what swaps found
    private static final int SWAPPED = 15;
    private static final int OLD = -6;

    private final Stream stream;

    BlockMemoryKernels(Rank rank, Tally check) {
        super(rank, check);
        this.stream = rank.stream();
    }

    @Override
    void run() {
        try (Scope _ = Program.in(rank, MemoryKind.DEVICE)) {
            int count = BLOCKS * ELEMENTS;
            SharedLongs results = rank.allAllocLongs(Layout.blocked(count), (long) count * rank.ranks());
            Buffer out = results.local();
            Kernel.Shape shape = new Kernel.Shape(BLOCKS, THREADS);
            stream.launch(shape, self -> ints(self, out));
            check(results, Integer.SIZE, "ints");
            stream.launch(shape, self -> longs(self, out));
            check(results, Long.SIZE, "longs");
            stream.launch(shape, self -> floats(self, out));
            check(results, 0, "floats");
            stream.launch(shape, self -> doubles(self, out));
            check(results, 0, "doubles");
            rank.barrier();
            rank.allFree(results);
        }
    }

    private static int unsigned(int t) {
        return t % 2 == 0 ? -t - 2 : t + 5;
    }

    /** Operand of a thread in an operation below. */
    private static int operand(AtomicOp op, int t) {
        return switch (op) {
            case MULTIPLY -> t % 32 == 5 ? -3 : 1;
            case AND -> ~(1 << t % 16);
            case OR, XOR -> 1 << t % 17;
            case UNSIGNED_MIN, UNSIGNED_MAX -> unsigned(t);
            default -> t - 40;
        };
    }

    private static void ints(KernelThread self, Buffer out) {
        int[] memory = self.sharedInts(ELEMENTS);
        int t = self.thread();
        if (t < ELEMENTS) {
            memory[t] = t == SWAPPED || t == 3 ? 0 : OLD;
        }
        self.sync();
        self.atomic(memory, 0, AtomicOp.GET, t - 40);
        self.atomic(memory, 1, AtomicOp.SET, t - 40);
        self.atomic(memory, 4, AtomicOp.ADD, t - 40);
        self.atomic(memory, 5, AtomicOp.MULTIPLY, t % 32 == 5 ? -3 : 1);
        self.atomic(memory, 6, AtomicOp.MIN, t - 40);
        self.atomic(memory, 7, AtomicOp.MAX, t - 40);
        self.atomic(memory, 8, AtomicOp.AND, ~(1 << t % 16));
        self.atomic(memory, 9, AtomicOp.OR, 1 << t % 17);
        self.atomic(memory, 10, AtomicOp.XOR, 1 << t % 17);
        self.atomic(memory, 11, AtomicOp.UNSIGNED_MIN, unsigned(t));
        self.atomic(memory, 12, AtomicOp.UNSIGNED_MAX, unsigned(t));
        self.atomic(memory, SWAPPED, AtomicOp.ADD, self.atomic(memory, 2, AtomicOp.SWAP, t - 40));
        if (self.compareAndExchange(memory, 3, 0, 1) != 0) {
            self.compareAndExchange(memory, 3, 0, 2);
        }
        self.sync();
        if (t < ELEMENTS) {
            out.putLong(self.block() * ELEMENTS + t, memory[t]);
        }
    }

    private static void longs(KernelThread self, Buffer out) {
        long[] memory = self.sharedLongs(ELEMENTS);
        int t = self.thread();
        if (t < ELEMENTS) {
            memory[t] = t == SWAPPED || t == 3 ? 0 : OLD;
        }
        self.sync();
        self.atomic(memory, 0, AtomicOp.GET, t - 40);
        self.atomic(memory, 1, AtomicOp.SET, t - 40);
        self.atomic(memory, 4, AtomicOp.ADD, t - 40);
        self.atomic(memory, 5, AtomicOp.MULTIPLY, t % 32 == 5 ? -3 : 1);
        self.atomic(memory, 6, AtomicOp.MIN, t - 40);
        self.atomic(memory, 7, AtomicOp.MAX, t - 40);
        self.atomic(memory, 8, AtomicOp.AND, ~(1 << t % 16));
        self.atomic(memory, 9, AtomicOp.OR, 1 << t % 17);
        self.atomic(memory, 10, AtomicOp.XOR, 1 << t % 17);
        self.atomic(memory, 11, AtomicOp.UNSIGNED_MIN, unsigned(t));
        self.atomic(memory, 12, AtomicOp.UNSIGNED_MAX, unsigned(t));
        self.atomic(memory, SWAPPED, AtomicOp.ADD, self.atomic(memory, 2, AtomicOp.SWAP, t - 40));
        if (self.compareAndExchange(memory, 3, 0, 1) != 0) {
            self.compareAndExchange(memory, 3, 0, 2);
        }
        self.sync();
        if (t < ELEMENTS) {
            out.putLong(self.block() * ELEMENTS + t, memory[t]);
        }
    }

    private static void floats(KernelThread self, Buffer out) {
        float[] memory = self.sharedFloats(ELEMENTS);
        int t = self.thread();
        if (t < ELEMENTS) {
            memory[t] = t == SWAPPED || t == 3 ? 0 : OLD;
        }
        self.sync();
        self.atomic(memory, 0, AtomicOp.GET, t - 40);
        self.atomic(memory, 1, AtomicOp.SET, t - 40);
        self.atomic(memory, 4, AtomicOp.ADD, t - 40);
        self.atomic(memory, 5, AtomicOp.MULTIPLY, t % 32 == 5 ? -3 : 1);
        self.atomic(memory, 6, AtomicOp.MIN, t - 40);
        self.atomic(memory, 7, AtomicOp.MAX, t - 40);
        self.atomic(memory, SWAPPED, AtomicOp.ADD, self.atomic(memory, 2, AtomicOp.SWAP, t - 40));
        self.sync();
        if (t < ELEMENTS) {
            out.putLong(self.block() * ELEMENTS + t, (long) memory[t]);
        }
    }

    private static void doubles(KernelThread self, Buffer out) {
        double[] memory = self.sharedDoubles(ELEMENTS);
        int t = self.thread();
        if (t < ELEMENTS) {
            memory[t] = t == SWAPPED || t == 3 ? 0 : OLD;
        }
        self.sync();
        self.atomic(memory, 0, AtomicOp.GET, t - 40);
        self.atomic(memory, 1, AtomicOp.SET, t - 40);
        self.atomic(memory, 4, AtomicOp.ADD, t - 40);
        self.atomic(memory, 5, AtomicOp.MULTIPLY, t % 32 == 5 ? -3 : 1);
        self.atomic(memory, 6, AtomicOp.MIN, t - 40);
        self.atomic(memory, 7, AtomicOp.MAX, t - 40);
        self.atomic(memory, SWAPPED, AtomicOp.ADD, self.atomic(memory, 2, AtomicOp.SWAP, t - 40));
        self.sync();
        if (t < ELEMENTS) {
            out.putLong(self.block() * ELEMENTS + t, (long) memory[t]);
        }
    }

    /** @param bits of an integer; 0 for reals */
    private void check(SharedLongs results, int bits, String type) {
        stream.sync();
        long[] found = new long[BLOCKS * ELEMENTS];
        results.get((long) found.length * rank.rank(), found);
        for (AtomicOp op : AtomicOp.values()) {
            boolean isOne = op == AtomicOp.SET || op == AtomicOp.SWAP || op == AtomicOp.COMPARE_SWAP; // of the values, or a sum
            if (isOne || bits == 0 && op.code() > AtomicOp.MAX.code()) {
                continue;
            }
            long right = OLD;
            for (int t = 0; t < THREADS; t++) {
                right = op.combine(right, operand(op, t));
            }
            for (int block = 0; block < BLOCKS; block++) {
                check.same(bits == Integer.SIZE ? (int) right : right, found[block * ELEMENTS + op.code()], op + " of " + type);
            }
        }
        long swapped = OLD;
        for (int t = 0; t < THREADS; t++) {
            swapped += operand(AtomicOp.SWAP, t);
        }
        for (int block = 0; block < BLOCKS; block++) {
            long last = found[block * ELEMENTS + AtomicOp.SWAP.code()];
            check.same(swapped, last + found[block * ELEMENTS + SWAPPED], "what swaps of " + type + " found, and the last of them");
            check.that(Math.abs(found[block * ELEMENTS + AtomicOp.SET.code()]) < THREADS, "a value that a thread has set of " + type);
            check.same(bits == 0 ? 0L : 1, found[block * ELEMENTS + AtomicOp.COMPARE_SWAP.code()], "exchanges of " + type);
        }
    }
}
