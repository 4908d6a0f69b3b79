package org.pgas4j.testkit.contract;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.ElementType;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.GridRank.Comparison;
import org.pgas4j.Kernel;

/**
 * Waits of blocks for values and for notifications of several tags, in both forms, as tests of the device library for CUDA C++.
 */
final class WaitPrograms {

    static final int REGION = 4096;
    static final int ROUNDS = 8;
    /** Tag of which the host sends each block one notification in a launch. */
    static final int HOST = 40;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final int ANY = 20;

    static final GridProgram WAITS = new GridProgram("waits", BlockPrograms.read(WaitPrograms.class, "waits.cu"), WaitPrograms::waits);

    private WaitPrograms() {
    }

    private static int wrong(boolean good) {
        return good ? 0 : 1;
    }

    private static int values(GridRank self, int w, MemorySegment mine, int next, int round) {
        MemorySegment out = mine.asSlice(2048, 64);
        long first = round * 1000L;
        int wrong = wrong(!self.testValue(w, 0, ElementType.LONG, Comparison.EQUAL, -1));
        out.setAtIndex(LONG, 1, first + 1);
        out.setAtIndex(LONG, 2, first + 2);
        self.putValue(w, next, 0, ElementType.LONG, first);
        self.putNotify(w, next, 8, out.asSlice(8, 8), 8, 3);
        self.put(w, next, 16, out.asSlice(16, 8), 8);
        for (int i = 0; i < 6; i++) {
            self.putValue(w, next, 512 + 4L * i, ElementType.INT, round * 10L + i);
        }
        self.awaitValue(w, 0, ElementType.LONG, Comparison.EQUAL, first);
        self.awaitAllValues(w, 0, 3, ElementType.LONG, Comparison.GREATER_EQUAL, first);
        wrong += wrong(mine.get(LONG, 8) == first + 1);
        wrong += wrong(self.awaitAnyValue(w, 0, 3, ElementType.LONG, Comparison.GREATER, first + 1) == 2);
        wrong += wrong(self.testValues(w, 0, 3, ElementType.LONG, Comparison.LESS_EQUAL, first + 1) == 2);
        long[] indices = new long[6];
        long found = 0;
        while (found != 6) {
            found = self.awaitSomeValues(w, 512, 6, ElementType.INT, Comparison.GREATER_EQUAL, round * 10L, indices);
        }
        for (int i = 0; i < 6; i++) {
            wrong += wrong(indices[i] == i);
        }
        wrong += wrong(self.awaitAnyValue(w, 512, 6, ElementType.INT, Comparison.EQUAL, round * 10L + 4) == 4);
        self.awaitNotifications(3, 1);
        return wrong;
    }

    private static int sets(GridRank self, int w, MemorySegment mine, int next, int round) {
        MemorySegment out = mine.asSlice(2560, 400);
        for (int i = 0; i < 100; i++) {
            out.setAtIndex(ValueLayout.JAVA_INT, i, round * 1000 + i);
        }
        self.putSet(w, next, 1024, out, 400, 640, ElementType.INT, round);
        self.awaitValue(w, 640, ElementType.INT, Comparison.EQUAL, round);
        int wrong = 0;
        for (int i = 0; i < 100; i++) {
            wrong += wrong(mine.get(ValueLayout.JAVA_INT, 1024 + 4L * i) == round * 1000 + i);
        }
        self.putSet(w, next, 1536, out, 4L * (round % 2), 648, ElementType.LONG, round);
        self.awaitValue(w, 648, ElementType.LONG, Comparison.EQUAL, round);
        return wrong + wrong(round % 2 == 0 || mine.get(ValueLayout.JAVA_INT, 1536) == round * 1000);
    }

    private static int tags(GridRank self, int next, int round) {
        int wrong = 0;
        for (int j = 0; j < 5; j++) {
            for (int k = 0; k <= j; k++) {
                self.signal(Comm.WORLD, next, 10 + j);
            }
        }
        self.signal(Comm.WORLD, next, ANY + round % 3);
        self.signal(Comm.WORLD, next, 30);
        self.signal(Comm.WORLD, next, 30);
        wrong += wrong(self.awaitAnyTag(ANY, 3) == ANY + round % 3);
        self.awaitAllTags(10, 5, 1);
        long[] counts = new long[5];
        long sum = 0;
        long high = 0;
        while (sum != 10) {
            wrong += wrong(self.awaitSomeTags(10, 5, counts) >= 1);
            for (long count : counts) {
                sum += count;
            }
            high += counts[4];
        }
        wrong += wrong(high == 4);
        wrong += wrong(self.testAnyTag(10, 5) == -1);
        while (self.availableNotifications(30) != 2) {
            Thread.onSpinWait();
        }
        wrong += wrong(self.takeNotifications(30) == 2);
        wrong += wrong(self.availableNotifications(30) == 0);
        return wrong;
    }

    private static void waits(GridRank self, Kernel.Args args) {
        int next = (self.rank(Comm.WORLD) + 1) % self.ranks(Comm.WORLD);
        int local = self.rank(Comm.DEVICE);
        int wrong = 0;
        MemorySegment mine = args.segment(0).asSlice((long) local * REGION, REGION);
        int w = self.createWindow(Comm.WORLD, mine);
        mine.asSlice(0, 1024).fill((byte) 0);
        self.barrier(Comm.WORLD);
        for (int round = 1; round <= args.intAt(2); round++) {
            wrong += values(self, w, mine, next, round);
            wrong += sets(self, w, mine, next, round);
            wrong += tags(self, next, round);
            self.barrier(Comm.WORLD);
        }
        wrong += wrong(self.awaitAnyTag(HOST, 2) == HOST);
        wrong += wrong(self.testAnyTag(0, 256) == -1);
        MemorySegment errors = args.segment(1);
        errors.setAtIndex(ValueLayout.JAVA_INT, local, errors.getAtIndex(ValueLayout.JAVA_INT, local) + wrong);
        self.freeWindow(w);
    }
}
