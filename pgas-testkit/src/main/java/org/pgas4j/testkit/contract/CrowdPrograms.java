package org.pgas4j.testkit.contract;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Kernel;

/**
 * Programs in which all threads send at once, and in which blocks do not all do the same, in both forms, as tests of the device
 * library for CUDA C++.
 */
final class CrowdPrograms {

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final String CUDA = BlockPrograms.read(CrowdPrograms.class, "crowd.cu");

    static final GridProgram CROWD = new GridProgram("crowd", CUDA, CrowdPrograms::crowd);
    static final GridProgram EACH = new GridProgram("each", CUDA, CrowdPrograms::each);
    static final GridProgram ANYWHERE = new GridProgram("anywhere", CUDA, CrowdPrograms::anywhere);
    static final GridProgram SKIP = new GridProgram("skip", CUDA, CrowdPrograms::skip);

    private CrowdPrograms() {
    }

    private static long value(int sender, int lane, int round) {
        return (long) (sender * 8191 + lane) << 32 | round + 1;
    }

    /** Target of a sender's thread, warp or block in a round. */
    private static int target(int sender, int of, int round, int all) {
        return (sender + of + round) % all;
    }

    private static void crowd(GridRank self, Kernel.Args args) {
        long region = args.longAt(1);
        int rounds = args.intAt(3);
        int bytes = args.intAt(4);
        int forms = args.intAt(5);
        int threads = args.intAt(6);
        int me = self.rank(Comm.WORLD);
        int all = self.ranks(Comm.WORLD);
        int local = self.rank(Comm.DEVICE);
        int lanes = threads + threads / 32 + 1;
        int words = bytes / Long.BYTES;
        MemorySegment mine = args.segment(0).asSlice(local * region, region);
        MemorySegment out = mine.asSlice((long) all * lanes * bytes);
        int w = self.createWindow(Comm.WORLD, mine);
        for (int round = 0; round < rounds; round++) {
            for (int lane = 0; lane < lanes; lane++) {
                if (sends(lane, forms, threads)) {
                    MemorySegment src = out.asSlice((long) lane * bytes, bytes);
                    for (int i = 0; i < words; i++) {
                        src.setAtIndex(LONG, i, value(me, lane, words == 1 ? round : 0));
                    }
                    self.putNotify(w, target(me, number(lane, threads), round, all), ((long) me * lanes + lane) * bytes, src,
                            bytes, form(lane, threads));
                }
            }
        }
        self.flush();
        long[] expected = new long[4];
        for (int lane = 0; lane < lanes; lane++) {
            expected[form(lane, threads)] += sends(lane, forms, threads) ? rounds : 0;
        }
        for (int form = 1; form <= 3; form++) {
            self.awaitNotifications(form, expected[form]);
        }
        int wrong = 0;
        for (int sender = 0; sender < all; sender++) {
            for (int lane = 0; lane < lanes; lane++) {
                int last = rounds - 1 - Math.floorMod(rounds - 1 - (me - sender - number(lane, threads)), all);
                for (int i = 0; i < words && sends(lane, forms, threads) && last >= 0; i++) {
                    wrong += mine.getAtIndex(LONG, ((long) sender * lanes + lane) * words + i)
                            == value(sender, lane, words == 1 ? last : 0) ? 0 : 1;
                }
            }
        }
        wrong += self.testNotifications(1, 1) || self.testNotifications(2, 1) || self.testNotifications(3, 1) ? 1 : 0;
        self.freeWindow(w);
        MemorySegment errors = args.segment(2);
        errors.setAtIndex(ValueLayout.JAVA_INT, local, errors.getAtIndex(ValueLayout.JAVA_INT, local) + wrong);
    }

    /** 1 of a thread, 2 of a warp, 3 of the block. */
    private static int form(int lane, int threads) {
        return lane < threads ? 1 : lane < threads + threads / 32 ? 2 : 3;
    }

    /** Number of a thread in its block, of a warp among its warps, 0 of the block. */
    private static int number(int lane, int threads) {
        return lane < threads ? lane : lane < threads + threads / 32 ? lane - threads : 0;
    }

    private static boolean sends(int lane, int forms, int threads) {
        boolean split = (forms & 8) != 0;
        return switch (form(lane, threads)) {
            case 1 -> (forms & 1) != 0 || split && lane / 32 % 2 == 0;
            case 2 -> (forms & 2) != 0 || split && number(lane, threads) % 2 == 1;
            default -> (forms & 4) != 0;
        };
    }

    private static void each(GridRank self, Kernel.Args args) {
        long region = args.longAt(1);
        int rounds = args.intAt(3);
        int me = self.rank(Comm.WORLD);
        int all = self.ranks(Comm.WORLD);
        int local = self.rank(Comm.DEVICE);
        MemorySegment mine = args.segment(0).asSlice(local * region, region);
        int w = self.createWindow(Comm.WORLD, mine);
        for (int round = 0; round < rounds; round++) {
            for (int form = 0; form < 2; form++) {
                for (int target = 0; target < all; target++) {
                    MemorySegment src = mine.asSlice((2L * all + (long) form * all + target) * Long.BYTES, Long.BYTES);
                    src.set(LONG, 0, value(me, form, round));
                    self.putNotify(w, target, ((long) form * all + me) * Long.BYTES, src, Long.BYTES, 1 + form);
                }
            }
        }
        self.awaitNotifications(1, (long) all * rounds);
        self.awaitNotifications(2, (long) all * rounds);
        int wrong = 0;
        for (int k = 0; k < 2 * all; k++) {
            wrong += mine.getAtIndex(LONG, k) == value(k % all, k / all, rounds - 1) ? 0 : 1;
        }
        wrong += self.testNotifications(1, 1) || self.testNotifications(2, 1) ? 1 : 0;
        self.freeWindow(w);
        MemorySegment errors = args.segment(2);
        errors.setAtIndex(ValueLayout.JAVA_INT, local, errors.getAtIndex(ValueLayout.JAVA_INT, local) + wrong);
    }

    private static void anywhere(GridRank self, Kernel.Args args) {
        int me = self.rank(Comm.WORLD);
        int all = self.ranks(Comm.WORLD);
        int local = self.rank(Comm.DEVICE);
        int to = (me + 1) % all;
        int from = (me + all - 1) % all;
        MemorySegment mine = args.segment(0).asSlice(local * 4096L, 4096);
        MemorySegment device = args.segment(1).asSlice(local * 1000L, 1000);
        int w = self.createWindow(Comm.WORLD, mine);
        byte[] ofThread = new byte[44];
        byte[] ofBlock = new byte[1000];
        for (int i = 0; i < 1000; i++) {
            ofThread[i % 44] = (byte) (me * 7 + i % 44);
            ofBlock[i] = (byte) (me * 11 + i);
            device.set(ValueLayout.JAVA_BYTE, i, (byte) (me * 13 + i));
        }
        self.putNotify(w, to, 3, MemorySegment.ofArray(ofThread), 44, 1);
        self.putNotify(w, to, 1000, MemorySegment.ofArray(ofBlock), 1000, 1);
        self.put(w, to, 2000, device, 999);
        self.signal(Comm.WORLD, to, 1);
        self.awaitNotifications(1, 3);
        int wrong = 0;
        for (int i = 0; i < 1000; i++) {
            wrong += i < 44 && mine.get(ValueLayout.JAVA_BYTE, 3 + i) != (byte) (from * 7 + i) ? 1 : 0;
            wrong += mine.get(ValueLayout.JAVA_BYTE, 1000 + i) != (byte) (from * 11 + i) ? 1 : 0;
            wrong += i < 999 && mine.get(ValueLayout.JAVA_BYTE, 2000 + i) != (byte) (from * 13 + i) ? 1 : 0;
        }
        self.freeWindow(w);
        MemorySegment errors = args.segment(2);
        errors.setAtIndex(ValueLayout.JAVA_INT, local, errors.getAtIndex(ValueLayout.JAVA_INT, local) + wrong);
    }

    private static void skip(GridRank self, Kernel.Args args) {
        if (args.intAt(0) == 0 || self.rank(Comm.WORLD) != 0) {
            self.barrier(Comm.DEVICE);
        }
    }
}
