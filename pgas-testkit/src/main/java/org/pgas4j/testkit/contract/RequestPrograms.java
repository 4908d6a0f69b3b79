package org.pgas4j.testkit.contract;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Kernel;

/** Prepared puts of blocks, in both forms, as tests of the device library for CUDA C++. */
final class RequestPrograms {

    static final int ROUNDS = 9;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final int TAG = 1;
    private static final int[] BYTES = {4, 200, 3000};
    private static final int PARTS = BYTES.length;
    private static final int PART = 4096;
    private static final int PLAIN = 3 * PARTS * PART + 2048; // place of the plain puts, behind the sources

    /** Memory of a block, bytes. */
    static final long REGION = (3L * PARTS + 1) * PART;

    static final GridProgram REQUESTS =
            new GridProgram("requests", BlockPrograms.read(RequestPrograms.class, "requests.cu"), RequestPrograms::requests);

    private RequestPrograms() {
    }

    private static int wrong(boolean good) {
        return good ? 0 : 1;
    }

    private static int pattern(int from, int round, int part, int i) {
        return from * 7919 + round * 104729 + part * 31 + i;
    }

    private static int end(GridRank self, int[] list, int form) {
        int wrong = 0;
        long[] indices = new long[list.length];
        int rest = list.length;
        switch (form) {
            case 0 -> self.awaitAllRequests(list);
            case 1 -> {
                for (; rest > 0; rest--) {
                    wrong += wrong(self.awaitAnyRequest(list) >= 0);
                }
            }
            case 2 -> {
                while (rest > 0) {
                    rest -= self.awaitSomeRequests(list, indices);
                    wrong += wrong(indices[0] < list.length);
                }
                wrong += wrong(rest == 0);
            }
            default -> {
                for (int request : list) {
                    while (!self.testRequest(request)) {
                        Thread.onSpinWait();
                    }
                }
            }
        }
        self.awaitRequest(list[0]);
        return wrong + wrong(self.awaitAnyRequest(list) == -1) + wrong(self.testAnyRequest(list) == -1)
                + wrong(self.awaitSomeRequests(list, indices) == 0);
    }

    private static int check(GridRank self, MemorySegment mine, int round) {
        int me = self.rank(Comm.WORLD);
        int all = self.ranks(Comm.WORLD);
        self.awaitNotifications(TAG, PARTS);
        self.awaitNotifications(TAG + 1, PARTS);
        int wrong = 0;
        for (int side = 0; side < 2; side++) {
            int from = (side == 0 ? me + all - 1 : me + 1) % all;
            for (int part = 0; part < PARTS; part++) {
                for (int i = 0; i < BYTES[part] / 4; i++) {
                    int there = mine.get(INT, (side * PARTS + part) * (long) PART + 4L * i);
                    wrong += wrong(there == pattern(from, round, part, i));
                }
            }
        }
        return wrong;
    }

    private static void requests(GridRank self, Kernel.Args args) {
        int local = self.rank(Comm.DEVICE);
        int me = self.rank(Comm.WORLD);
        int all = self.ranks(Comm.WORLD);
        int next = (me + 1) % all;
        int before = (me + all - 1) % all;
        long region = args.longAt(2);
        MemorySegment mine = args.segment(0).asSlice(local * region, region);
        MemorySegment out = mine.asSlice(2L * PARTS * PART, (long) PARTS * PART);
        int w = self.createWindow(Comm.WORLD, mine);
        int[] list = new int[2 * PARTS + 1];
        for (int part = 0; part < PARTS; part++) {
            MemorySegment src = out.asSlice((long) part * PART, PART);
            list[2 * part] = self.preparePutNotify(w, next, (long) part * PART, src, BYTES[part], TAG);
            list[2 * part + 1] = self.preparePutNotify(w, before, (long) (PARTS + part) * PART, src, BYTES[part], TAG + 1);
        }
        list[2 * PARTS] = self.preparePut(w, next, PLAIN, out.asSlice(PART), 64);
        int wrong = 0;
        for (int round = 0; round < args.intAt(3); round++) {
            for (int part = 0; part < PARTS; part++) {
                for (int i = 0; i < BYTES[part] / 4; i++) {
                    out.set(INT, (long) part * PART + 4L * i, pattern(me, round, part, i));
                }
            }
            for (int k = 2 * PARTS; k >= 0; k--) {
                self.start(list[k]);
            }
            wrong += end(self, list, round % 4);
            out.fill((byte) -1); // the sources may be reused
            wrong += check(self, mine, round);
            self.barrier(Comm.WORLD);
            for (int i = 0; i < 16; i++) {
                wrong += wrong(mine.get(INT, PLAIN + 4L * i) == pattern(before, round, 1, i));
            }
            self.barrier(Comm.WORLD);
        }
        for (int request : list) {
            self.freeRequest(request);
        }
        wrong += wrong(self.preparePut(w, me, 0, out, 4) == 0); // the lowest number that is free
        MemorySegment errors = args.segment(1);
        errors.setAtIndex(INT, local, errors.getAtIndex(INT, local) + wrong);
        self.freeWindow(w);
    }
}
