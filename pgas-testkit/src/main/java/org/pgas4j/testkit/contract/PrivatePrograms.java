package org.pgas4j.testkit.contract;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.AtomicOp;
import org.pgas4j.ElementType;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.GridRank.Comparison;
import org.pgas4j.Kernel;

/** Windows over private device memory, in both forms, as tests of the device library for CUDA C++. */
final class PrivatePrograms {

    static final long REGION = 32768;
    static final int ROUNDS = 12;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final int TAG = 1;
    private static final int ANSWER = 2;
    private static final int HALF = 16384;
    private static final int WORD = 12288; // place of a word, and of one for atomic operations behind it

    static final GridProgram PRIVATES =
            new GridProgram("privates", BlockPrograms.read(PrivatePrograms.class, "privates.cu"), PrivatePrograms::privates);

    private PrivatePrograms() {
    }

    private static int wrong(boolean good) {
        return good ? 0 : 1;
    }

    static int pattern(int from, int round, int i) {
        return from * 7919 + round * 104729 + i;
    }

    static int wrong(MemorySegment in, int bytes, int from, int round) {
        int wrong = 0;
        for (int i = 0; i < bytes / 4; i++) {
            wrong += wrong(in.getAtIndex(INT, i) == pattern(from, round, i));
        }
        return wrong;
    }

    static int bytes(int round) {
        return switch (round % 4) {
            case 0 -> 4;
            case 1 -> 8;
            case 2 -> 600;
            default -> 8192;
        };
    }

    private static void privates(GridRank self, Kernel.Args args) {
        Comm comm = Comm.values()[args.intAt(3)];
        int me = self.rank(comm);
        int all = self.ranks(comm);
        int next = (me + 1) % all;
        int before = (me + all - 1) % all;
        int local = self.rank(Comm.DEVICE);
        MemorySegment mine = args.segment(0).asSlice(local * args.longAt(2), args.longAt(2));
        MemorySegment out = mine.asSlice(HALF, 8192);
        mine.set(LONG, WORD, 0);
        mine.set(LONG, WORD + 8, 0);
        int w = self.createWindow(comm, mine);
        int wrong = 0;
        for (int round = 1; round <= args.intAt(4); round++) {
            int bytes = bytes(round);
            for (int i = 0; i < bytes / 4; i++) {
                out.setAtIndex(INT, i, pattern(me, round, i));
            }
            self.putNotify(w, next, 0, out, bytes, TAG);
            self.awaitNotifications(TAG, 1);
            wrong += wrong(mine, bytes, before, round);
            self.barrier(comm); // all sources are written
            self.get(w, next, HALF, mine.asSlice(HALF + 8192), bytes);
            wrong += wrong(mine.asSlice(HALF + 8192), bytes, next, round);
            self.putSet(w, next, 8192, out, Math.min(bytes, 4096), WORD, ElementType.LONG, round);
            self.awaitValue(w, WORD, ElementType.LONG, Comparison.GREATER_EQUAL, round);
            wrong += wrong(mine.get(INT, 8192) == pattern(before, round, 0));
            self.atomic(w, next, WORD + 8, AtomicOp.ADD, 3);
            self.barrier(comm);
            wrong += wrong(mine.get(LONG, WORD + 8) == 3L * round);
            self.barrier(comm);
        }
        self.ptr(w, next).set(INT, 0, me);
        self.signal(comm, next, ANSWER);
        self.awaitNotifications(ANSWER, 1);
        wrong += wrong(mine.get(INT, 0) == before);
        MemorySegment errors = args.segment(1);
        errors.setAtIndex(INT, local, errors.getAtIndex(INT, local) + wrong);
        self.freeWindow(w);
    }
}
