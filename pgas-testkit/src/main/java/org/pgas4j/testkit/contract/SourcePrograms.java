package org.pgas4j.testkit.contract;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.GridSourceWindow;
import org.pgas4j.Kernel;

/** Windows of blocks that count notifications by source, in both forms, as tests of the device library for CUDA C++. */
final class SourcePrograms {

    static final int ROUNDS = 8;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final int TAGS = 3;
    private static final int EACH = 0;
    private static final int SOME = 1;
    private static final int MANY = 2;
    private static final int HALF = 16384;

    static final GridProgram SOURCES =
            new GridProgram("sources", BlockPrograms.read(SourcePrograms.class, "sources.cu"), SourcePrograms::sources);

    private SourcePrograms() {
    }

    /** Memory of a block where there are {@code blocks} of them, bytes. */
    static long region(int blocks) {
        return 2L * HALF + 64 + (3L * TAGS * Integer.BYTES * blocks + 15) / 16 * 16;
    }

    private static int wrong(boolean good) {
        return good ? 0 : 1;
    }

    private static int pattern(int from, int to, int i) {
        return from * 7919 + to * 104729 + i;
    }

    private static int count(int slot, int rank, int round) {
        return 1 + (round * 37 + rank) % (slot / 4);
    }

    private static int puts(GridRank self, GridSourceWindow w, MemorySegment mine, int slot, int round) {
        int me = self.rank(Comm.WORLD);
        int all = self.ranks(Comm.WORLD);
        MemorySegment out = mine.asSlice(HALF, slot);
        int count = count(slot, me, round);
        for (int to = 0; to < all; to++) {
            for (int i = 0; i < count; i++) {
                out.setAtIndex(INT, i, pattern(me, to, round + i));
            }
            w.putNotify(to, (long) me * slot, out, 4L * count, EACH);
            self.flush();
        }
        int wrong = 0;
        for (int from = all - 1; from >= 0; from--) {
            w.await(from, EACH, 1);
            for (int i = 0; i < count(slot, from, round); i++) {
                wrong += wrong(mine.get(INT, (long) from * slot + 4L * i) == pattern(from, me, round + i));
            }
        }
        return wrong + wrong(w.testAny(EACH) == -1);
    }

    private static int counts(GridRank self, GridSourceWindow w, int round) {
        int me = self.rank(Comm.WORLD);
        int all = self.ranks(Comm.WORLD);
        for (int k = 0; k < all * (me % 3 + 1); k++) {
            w.signal(k % all, SOME);
        }
        int[] rest = new int[all];
        int sum = 0;
        for (int from = 0; from < all; from++) {
            rest[from] = from % 3 + 1;
            sum += rest[from];
        }
        int wrong = 0;
        if (round % 4 == 0) {
            w.await(GridSourceWindow.ANY_SOURCE, SOME, sum);
        } else if (round % 4 == 1) {
            for (int from = 0; from < all; from++) {
                while (!w.test(from, SOME, rest[from])) {
                    Thread.onSpinWait();
                }
            }
        } else if (round % 4 == 2) {
            for (; sum > 0; sum--) {
                rest[w.awaitAny(SOME)]--;
            }
            for (int from = 0; from < all; from++) {
                wrong += wrong(rest[from] == 0);
            }
        } else {
            long[] seen = new long[all];
            while (sum > 0) {
                int found = w.awaitSome(SOME, seen);
                for (int from = 0; from < all; from++) {
                    sum -= (int) seen[from];
                    found -= seen[from] > 0 ? 1 : 0;
                }
                wrong += wrong(found == 0);
            }
            wrong += wrong(sum == 0);
        }
        return wrong + wrong(w.available(GridSourceWindow.ANY_SOURCE, SOME) == 0);
    }

    /** Behind an earlier small put by the same number of the window. */
    private static int many(GridRank self, GridSourceWindow w, MemorySegment mine, int slot, int round) {
        int me = self.rank(Comm.WORLD);
        int all = self.ranks(Comm.WORLD);
        int next = (me + 1) % all;
        int from = (me + all - 1) % all;
        MemorySegment out = mine.asSlice(HALF, 16);
        out.set(INT, 0, pattern(me, next, round));
        self.putNotify(w.window(), next, (long) me * slot, out, 4, 5);
        for (int i = 0; i < 40; i++) {
            w.signal(next, MANY);
        }
        w.putNotify(next, (long) me * slot + 8, out, 4, MANY);
        w.await(from, MANY, 41);
        int wrong = wrong(mine.get(INT, (long) from * slot) == pattern(from, me, round));
        wrong += wrong(mine.get(INT, (long) from * slot + 8) == pattern(from, me, round));
        wrong += wrong(self.testNotifications(5, 1));
        wrong += wrong(w.available(from, MANY) == 0);
        self.barrier(Comm.WORLD);
        return wrong;
    }

    private static void sources(GridRank self, Kernel.Args args) {
        int local = self.rank(Comm.DEVICE);
        long region = args.longAt(2);
        MemorySegment mine = args.segment(0).asSlice(local * region, region);
        int slot = HALF / self.ranks(Comm.WORLD) / 16 * 16;
        int wrong = 0;
        for (int time = 0; time < 2; time++) {
            GridSourceWindow w = self.createSourceWindow(Comm.WORLD, mine.asSlice(0, 2L * HALF), TAGS,
                    mine.asSlice(2L * HALF, self.sourceBytes(Comm.WORLD, TAGS)));
            for (int round = 0; round < args.intAt(3); round++) {
                wrong += puts(self, w, mine, slot, round);
                wrong += counts(self, w, round);
                wrong += many(self, w, mine, slot, round);
            }
            w.free();
        }
        MemorySegment errors = args.segment(1);
        errors.setAtIndex(INT, local, errors.getAtIndex(INT, local) + wrong);
    }
}
