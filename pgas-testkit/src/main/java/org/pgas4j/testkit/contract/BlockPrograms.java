package org.pgas4j.testkit.contract;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Kernel;

/**
 * Programs that try what blocks can do, in both forms: these test the device library for CUDA C++, {@code contract java-blocks}
 * that for programs in Java.
 */
public final class BlockPrograms {

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    private static final int MAX_PUTS = 8;
    private static final int MAX_PUT = 16384;
    private static final int[] PUT_LIMITS = {16, 300, 2000, MAX_PUT};
    private static final int PUTS_AT = 2 * MAX_PUT;
    /** Bytes of a block in {@link #BURSTS}. */
    static final int PUTS_REGION = PUTS_AT + MAX_PUTS * MAX_PUT;
    /** Bytes of a block in {@link #MANY}. */
    static final long MANY_REGION = 2048;
    private static final String CUDA = read(BlockPrograms.class, "blocks.cu");

    static final GridProgram EXERCISE = new GridProgram("exercise", CUDA, BlockPrograms::exercise);
    static final GridProgram ORDER = new GridProgram("order", CUDA, BlockPrograms::order);
    static final GridProgram BURSTS = new GridProgram("bursts", CUDA, BlockPrograms::bursts);
    static final GridProgram STARVE = new GridProgram("starve", CUDA, BlockPrograms::starve);
    static final GridProgram MANY = new GridProgram("many", CUDA, BlockPrograms::many);
    static final GridProgram CROWDED = new GridProgram("crowded", CUDA, BlockPrograms::crowded);
    static final GridProgram BEYOND = new GridProgram("beyond", CUDA, BlockPrograms::beyond);
    static final GridProgram OVERREACH = new GridProgram("overreach", CUDA, BlockPrograms::overreach);
    static final GridProgram MISTIME = new GridProgram("mistime", CUDA, (self, args) -> self.startTimer(args.intAt(0)));
    static final GridProgram TALK = new GridProgram("talk", CUDA, BlockPrograms::talk);

    private BlockPrograms() {
    }

    /** Text of a resource beside a class. */
    public static String read(Class<?> type, String name) {
        try (InputStream in = type.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }

    private static int mix(int a, int b, int c) {
        int h = a * 0x9E3779B1 ^ b * 0x85EBCA77 ^ c * 0xC2B2AE3D;
        h ^= h >>> 15;
        h *= 0x2C1B3C6D;
        return h ^ h >>> 12;
    }

    private static byte pattern(int source, int step, int i) {
        return (byte) (mix(source, step, i / 4) >>> 8 * (i % 4));
    }

    private static void exercise(GridRank self, Kernel.Args args) {
        MemorySegment errors = args.segment(1);
        MemorySegment sizes = args.segment(2);
        int rounds = args.intAt(4);
        int region = args.intAt(5);
        int me = self.rank(Comm.WORLD);
        int all = self.ranks(Comm.WORLD);
        int local = self.rank(Comm.DEVICE);
        int locals = self.ranks(Comm.DEVICE);
        int slot = region / 8;
        int wrong = 0;
        MemorySegment mine = args.segment(0).asSlice((long) local * region, region);
        int w = self.createWindow(Comm.WORLD, mine.asSlice(0, region - 16L * (me % 3)));
        int d = self.createWindow(Comm.DEVICE, mine.asSlice(0, region / 2));
        int[] distance = {1 % all, (all - 1) % all, locals % all};
        for (int i = 0; i < all; i += 5) {
            wrong += self.windowBytes(w, i) == region - 16L * (i % 3) ? 0 : 1;
        }
        for (int round = 0; round < rounds; round++) {
            for (int s = 0; s < args.intAt(3); s++) {
                int size = sizes.getAtIndex(INT, s);
                int step = round * 31 + s;
                for (int k = 0; k < 3; k++) {
                    int target = (me + distance[k]) % all;
                    MemorySegment src = mine.asSlice(region / 2 + (long) k * slot, size);
                    for (int i = 0; i < size; i++) {
                        src.set(BYTE, i, pattern(me, step, i));
                    }
                    if ((round + s + k) % 4 == 0) {
                        self.put(w, target, (long) k * slot, src, size);
                        self.signal(Comm.WORLD, target, k);
                    } else {
                        self.putNotify(w, target, (long) k * slot, src, size, k);
                    }
                }
                for (int k = 0; k < 3; k++) {
                    int source = (me + all - distance[k]) % all;
                    if (round % 2 == 1) {
                        while (!self.testNotifications(k, 1)) {
                            Thread.yield();
                        }
                    } else {
                        self.awaitNotifications(k, 1);
                    }
                    for (int i = 0; i < size; i++) {
                        wrong += mine.get(BYTE, (long) k * slot + i) == pattern(source, step, i) ? 0 : 1;
                    }
                    self.signal(Comm.WORLD, source, 100 + k);
                }
                self.flush();
                for (int k = 0; k < 3; k++) {
                    self.awaitNotifications(100 + k, 1);
                }
            }
            MemorySegment there = self.ptr(d, (local + 1) % locals);
            for (int i = 0; i < 256; i++) {
                there.set(INT, slot * 3L + i * 4L, mix(local, round, i));
            }
            self.signal(Comm.DEVICE, (local + 1) % locals, 200);
            self.awaitNotifications(200, 1);
            for (int i = 0; i < 256; i++) {
                wrong += mine.get(INT, slot * 3L + i * 4L) == mix((local + locals - 1) % locals, round, i) ? 0 : 1;
            }
            self.barrier(round % 2 == 1 ? Comm.DEVICE : Comm.WORLD);
        }
        wrong += self.testNotifications(0, 1) || self.testNotifications(200, 1) ? 1 : 0;
        self.freeWindow(d);
        self.freeWindow(w);
        errors.setAtIndex(INT, local, errors.getAtIndex(INT, local) + wrong);
    }

    private static int putSize(int source, int number) {
        int h = mix(source, number, 1);
        return 1 + (h >>> 2) % PUT_LIMITS[h & 3];
    }

    private static int putOffset(int source, int number) {
        int h = mix(source, number, 2);
        return Integer.remainderUnsigned(h, 3) == 0 ? (h >>> 4) % MAX_PUT : (h >>> 4) % (MAX_PUT / 8) * 8;
    }

    private static int putsOf(int source, int burst) {
        return 1 + Integer.remainderUnsigned(mix(source, burst, 3), MAX_PUTS);
    }

    /** Returns how many puts a block sends in that many bursts, and how many of them of {@code min} to {@code max} bytes. */
    static long[] puts(int source, int bursts, int min, int max) {
        long[] puts = new long[2];
        for (int burst = 0; burst < bursts; burst++) {
            int count = putsOf(source, burst);
            puts[0] += count;
            for (int j = 0; j < count; j++) {
                int size = putSize(source, burst * MAX_PUTS + j);
                puts[1] += size >= min && size <= max ? 1 : 0;
            }
        }
        return puts;
    }

    private static void bursts(GridRank self, Kernel.Args args) {
        long bursts = args.longAt(2);
        int distance = args.intAt(3);
        int region = args.intAt(4);
        int me = self.rank(Comm.WORLD);
        int all = self.ranks(Comm.WORLD);
        int local = self.rank(Comm.DEVICE);
        int to = (me + distance) % all;
        int from = (me + all - distance % all) % all;
        MemorySegment mine = args.segment(0).asSlice((long) local * region, region);
        int w = self.createWindow(Comm.WORLD, mine.asSlice(0, PUTS_AT));
        long wrong = 0;
        for (int burst = 0; burst < bursts; burst++) {
            int count = putsOf(me, burst);
            for (int j = 0; j < count; j++) {
                int number = burst * MAX_PUTS + j;
                int size = putSize(me, number);
                MemorySegment src = mine.asSlice(PUTS_AT + (long) j * MAX_PUT, size);
                for (int k = 0; k < size; k++) {
                    src.set(BYTE, k, pattern(me, number, k));
                }
                self.putNotify(w, to, putOffset(me, number), src, size, 1);
            }
            int incoming = putsOf(from, burst);
            self.awaitNotifications(1, incoming);
            wrong += wrongBytes(mine, from, burst, incoming);
            self.signal(Comm.WORLD, from, 2);
            self.awaitNotifications(2, 1);
            self.flush();
        }
        boolean more = self.testNotifications(1, 1) || self.testNotifications(2, 1);
        MemorySegment seen = args.segment(1);
        seen.setAtIndex(LONG, 2L * local, seen.getAtIndex(LONG, 2L * local) + wrong);
        seen.setAtIndex(LONG, 2L * local + 1, more ? 1 : 0);
        self.freeWindow(w);
    }

    private static long wrongBytes(MemorySegment in, int from, int burst, int count) {
        int[] last = new int[PUTS_AT]; // put of each byte, plus one
        for (int j = 0; j < count; j++) {
            int number = burst * MAX_PUTS + j;
            int offset = putOffset(from, number);
            Arrays.fill(last, offset, offset + putSize(from, number), number + 1);
        }
        long wrong = 0;
        for (int at = 0; at < PUTS_AT; at++) {
            int number = last[at] - 1;
            wrong += number < 0 || in.get(BYTE, at) == pattern(from, number, at - putOffset(from, number)) ? 0 : 1;
        }
        return wrong;
    }

    private static void order(GridRank self, Kernel.Args args) {
        long messages = args.longAt(2);
        int distance = args.intAt(3);
        int kind = args.intAt(4);
        int me = self.rank(Comm.WORLD);
        int all = self.ranks(Comm.WORLD);
        int local = self.rank(Comm.DEVICE);
        int to = (me + distance) % all;
        int from = (me + all - distance % all) % all;
        MemorySegment mine = args.segment(0).asSlice(local * 16384L, 16384);
        int w = self.createWindow(Comm.WORLD, mine);
        long early = 0;
        for (long i = 0; i < messages; i++) {
            if (i >= 64 && i % 32 == 0) {
                self.awaitNotifications(2, 1);
            }
            int at = (int) (i % 64);
            int size = kind == 0 ? 4 : kind == 1 ? 8 : kind == 2 ? 64 : i % 3 == 0 ? 4 : i % 3 == 1 ? 8 : 64;
            MemorySegment out = mine.asSlice(8192 + at * 64L, 64);
            for (int k = 0; k < size / 4; k++) {
                out.setAtIndex(INT, k, mix((int) i, me, k));
            }
            self.putNotify(w, to, at * 64L, out, size, 1);
            self.awaitNotifications(1, 1);
            for (int k = 0; k < size / 4; k++) {
                early += mine.get(INT, at * 64L + k * 4L) == mix((int) i, from, k) ? 0 : 1;
            }
            if (i % 32 == 31) {
                self.signal(Comm.WORLD, from, 2);
            }
        }
        self.barrier(Comm.WORLD);
        long left = messages / 32 - (messages > 64 ? (messages - 64 + 31) / 32 : 0);
        boolean lost = !self.testNotifications(2, left) || self.testNotifications(2, 1) || self.testNotifications(1, 1);
        args.segment(1).setAtIndex(LONG, 2L * local, args.segment(1).getAtIndex(LONG, 2L * local) + early);
        args.segment(1).setAtIndex(LONG, 2L * local + 1, lost ? 1 : 0);
        self.freeWindow(w);
    }

    private static void starve(GridRank self, Kernel.Args args) {
        self.createWindow(Comm.WORLD, args.segment(0).asSlice(0, 64));
        if (self.rank(Comm.DEVICE) == 0) {
            self.signal(Comm.DEVICE, 0, args.intAt(1));
            self.awaitNotifications(args.intAt(1), args.intAt(2));
        }
        self.leave();
    }

    private static void many(GridRank self, Kernel.Args args) {
        MemorySegment errors = args.segment(1);
        int windows = args.intAt(2);
        int me = self.rank(Comm.WORLD);
        int all = self.ranks(Comm.WORLD);
        int local = self.rank(Comm.DEVICE);
        int next = (me + 1) % all;
        int last = (me + all - 1) % all;
        int beside = (local + 1) % self.ranks(Comm.DEVICE);
        int wrong = 0;
        MemorySegment mine = args.segment(0).asSlice(local * MANY_REGION, MANY_REGION);
        int[] w = new int[windows];
        for (int i = 0; i < windows; i++) {
            w[i] = self.createWindow(Comm.WORLD, mine.asSlice(8L * i, 8 + 4 * (me % 2)));
        }
        int d = self.createWindow(Comm.DEVICE, mine.asSlice(1024, 64 + 4L * (local % 8)));
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < windows; i++) {
                int bytes = round == 1 && i == windows / 2 ? 8 : 8 + 4 * (next % 2);
                wrong += self.windowBytes(w[i], next) == bytes ? 0 : 1;
                mine.setAtIndex(INT, 128 + i, mix(me, round, i));
                self.putNotify(w[i], next, 4, mine.asSlice(512 + 4L * i, 4), 4, 1);
            }
            self.awaitNotifications(1, windows);
            for (int i = 0; i < windows; i++) {
                wrong += mine.getAtIndex(INT, 2 * i + 1) == mix(last, round, i) ? 0 : 1;
            }
            self.barrier(Comm.WORLD);
            if (round == 0) {
                self.freeWindow(w[windows / 2]);
                wrong += self.createWindow(Comm.WORLD, mine.asSlice(8L * (windows / 2), 8)) == w[windows / 2] ? 0 : 1;
            }
        }
        wrong += self.windowBytes(d, beside) == 64 + 4L * (beside % 8) ? 0 : 1;
        self.freeWindow(d);
        for (int i = 0; i < windows; i++) {
            self.freeWindow(w[i]);
        }
        errors.setAtIndex(INT, local, errors.getAtIndex(INT, local) + wrong);
    }

    private static void crowded(GridRank self, Kernel.Args args) {
        for (int i = 0; i < args.intAt(1); i++) {
            self.createWindow(Comm.WORLD, args.segment(0).asSlice(0, 64));
        }
    }

    private static void beyond(GridRank self, Kernel.Args args) {
        self.createWindow(Comm.WORLD, args.segment(0).asSlice(0, 64));
        self.putNotify(args.intAt(1), 0, 0, args.segment(0), 16, 1);
    }

    private static void overreach(GridRank self, Kernel.Args args) {
        int w = self.createWindow(Comm.WORLD, args.segment(0).asSlice(0, 64));
        self.putNotify(w, 0, args.intAt(1), args.segment(0), 16, 1);
    }

    private static void talk(GridRank self, Kernel.Args args) {
        int rounds = args.intAt(0);
        int local = self.rank(Comm.DEVICE);
        self.startTimer(3);
        for (int i = 0; i < rounds; i++) {
            if (local == 0) {
                self.awaitNotifications(7, 1);
                self.notifyHost(self.hostRank(), 8);
            } else if (local == 1) {
                self.notifyHost((self.hostRank() + 1) % self.hostRanks(), 9);
            }
        }
        if (local == 0) {
            self.log("rounds done:", rounds);
            if (args.intAt(1) >= 0) {
                self.trigger(args.intAt(1));
            }
        }
        self.stopTimer(3);
    }
}
