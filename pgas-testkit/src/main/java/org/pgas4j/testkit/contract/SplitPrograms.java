package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.ElementType;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.GridSplit;
import org.pgas4j.Kernel;
import org.pgas4j.ReduceOp;

/** Splits of blocks and their collectives, in both forms, as tests of the device library for CUDA C++. */
final class SplitPrograms {

    static final int ROUNDS = 3;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;
    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    private static final int STAGE = 64;
    private static final int EACH = 40;

    static final GridProgram SPLITS = new GridProgram("splits", BlockPrograms.read(SplitPrograms.class, "splits.cu"),
            SplitPrograms::splits);

    private SplitPrograms() {
    }

    /** Half of a block's region in a job of {@code all} blocks, bytes. */
    static long half(int all) {
        return 32768 + 512L * all;
    }

    private static byte pattern(int from, int to, int i) {
        return (byte) (from * 37 + to * 11 + i * 5 + 1);
    }

    private static int wrong(boolean good) {
        return good ? 0 : 1;
    }

    private static int barriers(GridRank self, GridSplit s, int w, long at, MemorySegment data, int round) {
        int r = s.rank();
        int n = s.ranks();
        self.putValue(w, s.member((r + 1) % n), at, ElementType.LONG, round * 100L + r);
        s.barrier();
        int wrong = wrong(data.get(LONG, at) == round * 100L + (r + n - 1) % n);
        s.barrier();
        return wrong;
    }

    private static int moves(GridSplit s, MemorySegment data, int all) {
        int r = s.rank();
        int n = s.ranks();
        int root = n - 1;
        int wrong = 0;
        MemorySegment dst = data.asSlice(1024 + (long) EACH * all, (long) EACH * n);
        for (int i = 0; i < 1000; i++) {
            data.set(BYTE, i, r == root ? pattern(root, 0, i) : 0);
        }
        s.broadcast(root, data.asSlice(0, 1000));
        for (int i = 0; i < 1000; i++) {
            wrong += wrong(data.get(BYTE, i) == pattern(root, 0, i));
        }
        for (int i = 0; i < EACH * n; i++) {
            data.set(BYTE, i, pattern(r, i / EACH, i % EACH));
        }
        s.allToAll(dst, data, EACH);
        for (int i = 0; i < EACH * n; i++) {
            wrong += wrong(dst.get(BYTE, i) == pattern(i / EACH, r, i % EACH));
        }
        return wrong;
    }

    private static int sums(GridSplit s, MemorySegment data) {
        int r = s.rank();
        int n = s.ranks();
        int wrong = 0;
        MemorySegment words = data.asSlice(0, 800);
        MemorySegment result = data.asSlice(800, 800);
        for (int i = 0; i < 100; i++) {
            words.setAtIndex(LONG, i, (r + 1L) * (i + 1));
        }
        s.allReduce(result, words, ElementType.LONG, ReduceOp.SUM);
        s.scan(words, words, ElementType.LONG, ReduceOp.SUM);
        for (int i = 0; i < 100; i++) {
            wrong += wrong(result.getAtIndex(LONG, i) == (long) n * (n + 1) / 2 * (i + 1));
            wrong += wrong(words.getAtIndex(LONG, i) == (r + 1L) * (r + 2) / 2 * (i + 1));
            words.setAtIndex(DOUBLE, i, r - i * 0.5);
        }
        s.allReduce(words, words, ElementType.DOUBLE, ReduceOp.MAX);
        for (int i = 0; i < 100; i++) {
            wrong += wrong(words.getAtIndex(DOUBLE, i) == n - 1 - i * 0.5);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment near = arena.allocate(INT, 20);
            for (int i = 0; i < 20; i++) {
                near.setAtIndex(INT, i, 1 << r % 8);
            }
            s.reduce(0, result, near, ElementType.INT, ReduceOp.OR);
            for (int i = 0; i < 20; i++) {
                wrong += wrong(r != 0 || result.getAtIndex(INT, i) == (n >= 8 ? 255 : (1 << n) - 1));
                near.setAtIndex(INT, i, r - 1);
            }
            s.reduce(0, result, near, ElementType.INT, ReduceOp.UNSIGNED_MAX);
        }
        for (int i = 0; i < 20 && r == 0; i++) {
            wrong += wrong(result.getAtIndex(INT, i) == -1);
        }
        return wrong;
    }

    /** Sums of floats show the order of the members. */
    private static int smallSums(GridSplit s, MemorySegment data) {
        int r = s.rank();
        int n = s.ranks();
        int wrong = 0;
        MemorySegment ints = data.asSlice(4, 31 * Integer.BYTES);
        MemorySegment totals = data.asSlice(164, 31 * Integer.BYTES);
        for (int turn = 0; turn < 5; turn++) {
            for (int i = 0; i < 31; i++) {
                ints.setAtIndex(INT, i, (r + 1) * (i + turn));
            }
            s.allReduce(totals, ints, ElementType.INT, ReduceOp.SUM);
            for (int i = 0; i < 31; i++) {
                wrong += wrong(totals.getAtIndex(INT, i) == n * (n + 1) / 2 * (i + turn));
            }
        }
        float sum = 0.1f;
        for (int m = 1; m < n; m++) {
            sum += 0.1f * (m + 1);
        }
        MemorySegment floats = data.asSlice(4, 9 * Float.BYTES);
        for (int i = 0; i < 9; i++) {
            floats.setAtIndex(FLOAT, i, 0.1f * (r + 1));
        }
        s.allReduce(floats, floats, ElementType.FLOAT, ReduceOp.SUM);
        for (int i = 0; i < 9; i++) {
            wrong += wrong(floats.getAtIndex(FLOAT, i) == sum);
        }
        return wrong;
    }

    /** In place, from no elements to more than a thread reads at once; what is behind them stays. */
    private static int sumsOfSizes(GridSplit s, MemorySegment data, long bytes) {
        int r = s.rank();
        int n = s.ranks();
        int wrong = 0;
        for (int turn = 0; turn < 3; turn++) {
            MemorySegment none = data.asSlice(4, 0);
            s.allReduce(none, none, ElementType.INT, ReduceOp.SUM);
        }
        for (int count = 0; 4L * (count + 2) <= bytes; count += count / 2 + 1) {
            MemorySegment ints = data.asSlice(4, 4L * count);
            for (int i = 0; i < count; i++) {
                ints.setAtIndex(INT, i, (r + 1) * (i + count));
            }
            data.setAtIndex(INT, count + 1, -5);
            s.allReduce(ints, ints, ElementType.INT, ReduceOp.SUM);
            for (int i = 0; i < count; i++) {
                wrong += wrong(ints.getAtIndex(INT, i) == n * (n + 1) / 2 * (i + count));
            }
            wrong += wrong(data.getAtIndex(INT, count + 1) == -5);
        }
        return wrong;
    }

    private static void splits(GridRank self, Kernel.Args args) {
        int me = self.rank(Comm.WORLD);
        int all = self.ranks(Comm.WORLD);
        int local = self.rank(Comm.DEVICE);
        int locals = self.ranks(Comm.DEVICE);
        long half = args.longAt(2);
        MemorySegment work = args.segment(0).asSlice(local * 2 * half, half);
        MemorySegment data = args.segment(0).asSlice((local * 2 + 1) * half, half);
        int w = self.createWindow(Comm.WORLD, data);
        GridSplit s = self.split(Comm.WORLD, me % 2, -me, work.asSlice(0, self.splitBytes(Comm.WORLD, (long) STAGE * all)));
        int wrong = wrong(s.ranks() == (all - me % 2 + 1) / 2) + wrong(s.rank() == (all - 1 - me) / 2)
                + wrong(s.member(s.rank()) == me);
        for (int round = 1; round <= args.intAt(3); round++) {
            wrong += barriers(self, s, w, half - 64, data, round);
            wrong += moves(s, data, all);
            wrong += sums(s, data);
            wrong += smallSums(s, data);
            wrong += sumsOfSizes(s, data, half - 64);
        }
        s.free();
        s = self.split(Comm.DEVICE, local == 0 ? -1 : 7, 0, work);
        wrong += wrong(s.rank() == local - 1) + wrong(s.ranks() == (local == 0 ? 0 : locals - 1));
        if (local != 0) {
            wrong += sums(s, data);
            wrong += smallSums(s, data);
            wrong += sumsOfSizes(s, data, half - 64);
        }
        s.free();
        MemorySegment errors = args.segment(1);
        errors.setAtIndex(INT, local, errors.getAtIndex(INT, local) + wrong);
        self.freeWindow(w);
    }
}
