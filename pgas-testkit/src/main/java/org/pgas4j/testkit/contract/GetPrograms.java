package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.ElementType;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Kernel;

/** Gets and single values of blocks, in both forms, as tests of the device library for CUDA C++. */
final class GetPrograms {

    static final int REGION = 12288;
    static final int[] SIZES = {0, 3, 8, 9, 64, 1000, 4000};

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    private static final int VALUES = 32;

    static final GridProgram GETS = new GridProgram("gets", BlockPrograms.read(GetPrograms.class, "gets.cu"), GetPrograms::gets);

    private GetPrograms() {
    }

    private static byte pattern(int block, int step, int i) {
        return (byte) (block * 31 + step * 7 + i * 3 + (i >> 8));
    }

    private static int wrong(MemorySegment at, int size, int block, int step, int first) {
        int wrong = 0;
        for (int i = 0; i < size; i++) {
            wrong += at.get(BYTE, i) == pattern(block, step, first + i) ? 0 : 1;
        }
        return wrong;
    }

    private static void gets(GridRank self, Kernel.Args args) {
        int me = self.rank(Comm.WORLD);
        int all = self.ranks(Comm.WORLD);
        int local = self.rank(Comm.DEVICE);
        MemorySegment mine = args.segment(0).asSlice((long) local * REGION, REGION);
        int w = self.createWindow(Comm.WORLD, mine);
        int wrong = 0;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment near = arena.allocate(64);
            for (int s = 0; s < args.intAt(3); s++) {
                wrong += round(self, mine, near, w, s, args.segment(2).getAtIndex(INT, s));
            }
        }
        wrong += values(self, w, me, all);
        wrong += self.testNotifications(5, 1) ? 1 : 0;
        args.segment(1).setAtIndex(INT, local, args.segment(1).getAtIndex(INT, local) + wrong);
        self.freeWindow(w);
    }

    private static int round(GridRank self, MemorySegment mine, MemorySegment near, int w, int s, int size) {
        int me = self.rank(Comm.WORLD);
        int all = self.ranks(Comm.WORLD);
        int next = (me + 1) % all;
        int before = (me + all - 1) % all;
        int far = (me + 2) % all;
        int odd = s % 3;
        MemorySegment to = mine.asSlice(4096, 4096);
        int wrong = 0;
        for (int i = 0; i < 4096; i++) {
            mine.set(BYTE, i, pattern(me, s, i));
        }
        to.fill((byte) 0);
        self.barrier(Comm.WORLD);
        self.get(w, next, odd, to, size);
        wrong += wrong(to, size, next, s, odd);
        self.startGet(w, far, 0, to, size);
        self.awaitGets();
        wrong += wrong(to, size, far, s, 0);
        if (size <= 64) {
            self.get(w, before, 1, near, size);
            wrong += wrong(near, size, before, s, 1);
        }
        self.getNotify(w, next, 0, to, size, 5);
        wrong += wrong(to, size, next, s, 0);
        self.awaitNotifications(5, 1);
        self.barrier(Comm.WORLD);
        for (int i = 0; i < size; i++) {
            mine.set(BYTE, i, pattern(me, s + 100, i));
        }
        self.put(w, next, 8192, mine, size);
        self.barrier(Comm.WORLD);
        self.startGet(w, far, 8192, to, size);
        self.awaitGets();
        wrong += wrong(to, size, next, s + 100, 0);
        self.flush();
        self.barrier(Comm.WORLD);
        return wrong;
    }

    private static int values(GridRank self, int w, int me, int all) {
        int wrong = 0;
        int next = (me + 1) % all;
        int far = (me + 2) % all;
        for (int i = 0; i < VALUES; i++) {
            self.putValue(w, next, 8192 + i * 8L, ElementType.LONG, me * 1000L + i);
            self.putValue(w, next, 8192 + 512 + i * 4L, ElementType.FLOAT, Float.floatToRawIntBits(me + 0.5f));
        }
        self.barrier(Comm.WORLD);
        for (int i = 0; i < VALUES; i++) {
            wrong += self.getValue(w, far, 8192 + i * 8L, ElementType.LONG) == next * 1000L + i ? 0 : 1;
            wrong += Float.intBitsToFloat((int) self.getValue(w, far, 8192 + 512 + i * 4L, ElementType.FLOAT)) == next + 0.5f ? 0 : 1;
        }
        self.barrier(Comm.WORLD);
        return wrong;
    }
}
