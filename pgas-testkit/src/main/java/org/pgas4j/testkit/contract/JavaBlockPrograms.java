package org.pgas4j.testkit.contract;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.pgas4j.AtomicOp;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.ElementType;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Callers;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.GridRank.Comparison;
import org.pgas4j.GridSourceWindow;
import org.pgas4j.GridSplit;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedLongs;
import org.pgas4j.kernel.KernelThread;

/**
 * Block programs in Java that try what blocks have. Each block has a region of {@code memory}, and counts in {@code errors}, one for
 * each block of the rank, what is not as it should be.
 */
final class JavaBlockPrograms {

    /** Memory of a block, bytes; the first half is for what others put. */
    static final int REGION = 8192;

    private static final int HALF = REGION / 2;
    private static final int TAG = 1;
    private static final int ANSWER = 2;
    private static final int MANY = 10; // the first of several tags
    private static final int MAX_BLOCKS = 120; // of a job: as many as the memory of a block has counters for

    private JavaBlockPrograms() {
    }

    private static int mix(int a, int b, int c) {
        int h = a * 0x9E3779B1 ^ b * 0x85EBCA77 ^ c * 0xC2B2AE3D;
        h ^= h >>> 15;
        h *= 0x2C1B3C6D;
        return h ^ h >>> 12;
    }

    private static Buffer region(Buffer memory, GridRank self) {
        return memory.slice((long) self.rank(Comm.DEVICE) * REGION, REGION);
    }

    private static int next(GridRank self) {
        return (self.rank(Comm.WORLD) + 1) % self.ranks(Comm.WORLD);
    }

    private static int before(GridRank self) {
        return (self.rank(Comm.WORLD) + self.ranks(Comm.WORLD) - 1) % self.ranks(Comm.WORLD);
    }

    private static void fill(GridRank self, Buffer out, int count, int rank, int step) {
        for (int i = self.thread(); i < count; i += self.threads()) {
            out.putInt(i, mix(rank, step, i));
        }
    }

    /** Number of elements that this thread finds wrong. */
    private static int wrong(GridRank self, Buffer in, int count, int rank, int step) {
        int wrong = 0;
        for (int i = self.thread(); i < count; i += self.threads()) {
            wrong += in.getInt(i) == mix(rank, step, i) ? 0 : 1;
        }
        return wrong;
    }

    private static void report(GridRank self, Buffer errors, int wrong) {
        if (wrong != 0) {
            errors.getAndAddInt(self.rank(Comm.DEVICE), wrong);
        }
    }

    private static int unless(boolean right) {
        return right ? 0 : 1;
    }

    /** Tells the block before that its bytes have been read. */
    private static void answer(GridRank self, int tag) {
        self.signal(Comm.WORLD, before(self), tag);
        self.awaitNotifications(tag, 1);
    }

    /** Puts to the next block, by all threads, a warp or one. */
    static void puts(Buffer memory, Buffer errors, int rounds, GridRank self) {
        Buffer mine = region(memory, self);
        Buffer out = mine.slice(HALF, HALF);
        int w = self.createWindow(Comm.WORLD, mine);
        int me = self.rank(Comm.WORLD);
        int wrong = unless(self.windowBytes(w, next(self)) == REGION);
        for (int round = 0; round < rounds; round++) {
            int count = 1 + round * 37 % 500;
            long bytes = 4L * count;
            fill(self, out, count, me, round);
            if (round % 4 == 0) {
                self.putNotify(w, next(self), 0, out, bytes, TAG);
            } else if (round % 4 == 1) {
                self.put(w, next(self), 0, out, bytes);
                self.fence();
                self.signal(Comm.WORLD, next(self), TAG);
            } else {
                self.sync();
                if (round % 4 == 2 && self.warp() == 0) {
                    self.putNotify(Callers.WARP, w, next(self), 0, out, bytes, TAG);
                } else if (round % 4 == 3 && self.thread() == 0) {
                    self.put(Callers.THREAD, w, next(self), 0, out, bytes);
                    self.signal(Callers.THREAD, Comm.WORLD, next(self), TAG);
                }
            }
            self.awaitNotifications(TAG, 1);
            wrong += wrong(self, mine, count, before(self), round);
            self.flush();
            answer(self, ANSWER);
        }
        wrong += unless(!self.testNotifications(TAG, 1));
        report(self, errors, wrong);
        self.freeWindow(w);
    }

    /** Reads what the next block has. */
    static void gets(Buffer memory, Buffer errors, GridRank self) {
        Buffer mine = region(memory, self);
        Buffer in = mine.slice(HALF, HALF);
        int w = self.createWindow(Comm.WORLD, mine);
        int count = 500;
        fill(self, mine, count, self.rank(Comm.WORLD), 7);
        self.barrier(Comm.WORLD);
        self.get(w, next(self), 0, in, 4L * count);
        int wrong = wrong(self, in, count, next(self), 7);
        self.sync();
        fill(self, in, count, 0, 0);
        self.startGet(w, next(self), 0, in, 800);
        self.startGet(w, next(self), 800, in.slice(800, 1200), 1200);
        self.awaitGets();
        wrong += wrong(self, in, count, next(self), 7);
        self.sync();
        fill(self, in, count, 0, 0);
        self.getNotify(w, next(self), 0, in, 4L * count, TAG);
        wrong += wrong(self, in, count, next(self), 7);
        self.awaitNotifications(TAG, 1);
        wrong += unless(self.getValue(w, next(self), 4, ElementType.INT) == mix(next(self), 7, 1));
        self.barrier(Comm.WORLD);
        if (self.thread() == 0) {
            self.get(Callers.THREAD, w, next(self), 8, in, 4);
            self.awaitGets(Callers.THREAD);
            wrong += unless(in.getInt(0) == mix(next(self), 7, 2));
            self.putValue(w, next(self), HALF - 8, ElementType.LONG, -5L - self.rank(Comm.WORLD));
            self.putValue(w, next(self), HALF - 12, ElementType.SHORT, -3000L - self.rank(Comm.WORLD));
            self.putValue(w, next(self), HALF - 10, ElementType.BYTE, 7);
            self.putValue(w, next(self), HALF - 9, ElementType.BYTE, -7);
        }
        self.barrier(Comm.WORLD);
        wrong += unless(mine.getLong(HALF / 8 - 1) == -5L - before(self));
        wrong += unless(mine.getInt(HALF / 4 - 3) == (-3000 - before(self) & 0xffff | 7 << 16 | -7 << 24));
        wrong += unless(self.getValue(w, self.rank(Comm.WORLD), HALF - 12, ElementType.SHORT) == -3000L - before(self));
        wrong += unless(self.getValue(w, self.rank(Comm.WORLD), HALF - 10, ElementType.SHORT) == -7 * 256L + 7);
        report(self, errors, wrong);
        self.freeWindow(w);
    }

    /** Waits for words, which {@code putSet} orders after bytes. */
    static void words(Buffer memory, Buffer errors, int rounds, GridRank self) {
        Buffer mine = region(memory, self);
        Buffer out = mine.slice(HALF, HALF);
        long words = 2048;
        fill(self, mine.slice(words, 64), 16, 0, 0);
        self.sync();
        for (int i = self.thread(); i < 16; i += self.threads()) {
            mine.putInt(words / 4 + i, 0);
        }
        int w = self.createWindow(Comm.WORLD, mine);
        int wrong = 0;
        for (int round = 1; round <= rounds; round++) {
            int count = 1 + round * 53 % 200;
            fill(self, out, count, self.rank(Comm.WORLD), round);
            self.putSet(w, next(self), 0, out, 4L * count, words + 8, ElementType.LONG, round);
            if (round % 3 == 0) {
                self.awaitValue(w, words + 8, ElementType.LONG, Comparison.GREATER_EQUAL, round);
            } else if (round % 3 == 1) {
                wrong += unless(self.awaitAnyValue(w, words, 3, ElementType.LONG, Comparison.EQUAL, round) == 1);
            } else {
                long[] found = self.sharedLongs(3);
                wrong += unless(self.awaitSomeValues(w, words, 3, ElementType.LONG, Comparison.GREATER, round - 1, found) == 1);
                wrong += unless(found[0] == 1);
            }
            wrong += wrong(self, mine, count, before(self), round);
            wrong += unless(self.testValue(w, words, ElementType.LONG, Comparison.EQUAL, 0));
            wrong += unless(self.testValues(w, words, 3, ElementType.LONG, Comparison.NOT_EQUAL, 0) == 1);
            self.awaitAllValues(w, words + 8, 1, ElementType.INT, Comparison.NOT_EQUAL, -1);
            answer(self, ANSWER);
        }
        report(self, errors, wrong);
        self.freeWindow(w);
    }

    /** Waits for notifications of several tags. */
    static void tags(Buffer errors, GridRank self) {
        int to = next(self);
        self.signal(Comm.WORLD, to, MANY + 2);
        int wrong = unless(self.awaitAnyTag(MANY, 3) == MANY + 2);
        self.barrier(Comm.WORLD); // the others are sent to those who have seen this one
        self.signal(Comm.WORLD, to, MANY + 1);
        self.signal(Comm.WORLD, to, MANY + 1);
        self.signal(Comm.WORLD, to, MANY);
        self.awaitAllTags(MANY, 2, 1);
        long[] counts = self.sharedLongs(4);
        wrong += unless(self.awaitSomeTags(MANY, 3, counts) == 1);
        wrong += unless(counts[0] == 0 && counts[1] == 1 && counts[2] == 0);
        wrong += unless(self.testAnyTag(MANY, 3) == -1);
        self.barrier(Comm.WORLD);
        self.signal(Comm.WORLD, to, MANY);
        self.barrier(Comm.WORLD);
        wrong += unless(self.availableNotifications(MANY) == 1);
        wrong += unless(self.takeNotifications(MANY) == 1 && self.takeNotifications(MANY) == 0);
        report(self, errors, wrong);
    }

    /** Puts of the blocks before and after, told apart by their sources. */
    static void sources(Buffer memory, Buffer errors, int rounds, GridRank self) {
        Buffer mine = region(memory, self);
        Buffer out = mine.slice(HALF, 1024);
        int me = self.rank(Comm.WORLD);
        long bytes = self.sourceBytes(Comm.WORLD, 2);
        GridSourceWindow w = self.createSourceWindow(Comm.WORLD, mine.slice(0, HALF), 2, mine.slice(HALF + 1024, bytes));
        long[] counts = self.sharedLongs(MAX_BLOCKS);
        int wrong = unless(self.windowBytes(w.window(), me) == HALF);
        for (int round = 0; round < rounds; round++) {
            int count = 1 + round * 53 % 200;
            fill(self, out, count, me, round);
            w.putNotify(next(self), 0, out, 4L * count, 0);
            w.putNotify(before(self), 1024, out, 4L * count, 0);
            self.sync();
            if (self.warp() == 0) {
                w.signal(Callers.WARP, next(self), 1);
            }
            w.await(before(self), 0, 1);
            wrong += wrong(self, mine, count, before(self), round);
            w.await(next(self), 0, 1);
            wrong += wrong(self, mine.slice(1024, 1024), count, next(self), round);
            if (round % 3 == 0) {
                wrong += unless(w.awaitAny(1) == before(self));
            } else if (round % 3 == 1) {
                wrong += unless(w.awaitSome(1, counts) == 1 && counts[before(self)] == 1);
            } else {
                w.await(GridSourceWindow.ANY_SOURCE, 1, 1);
            }
            wrong += unless(w.testAny(1) == -1 && !w.test(before(self), 0, 1) && w.available(next(self), 0) == 0);
            self.flush();
            self.barrier(Comm.WORLD);
        }
        report(self, errors, wrong);
        w.free();
    }

    /** Puts to both sides that were prepared. */
    static void requests(Buffer memory, Buffer errors, int rounds, GridRank self) {
        Buffer mine = region(memory, self);
        Buffer out = mine.slice(HALF, 1024);
        int me = self.rank(Comm.WORLD);
        int w = self.createWindow(Comm.WORLD, mine);
        int[] list = self.sharedInts(3);
        long[] ended = self.sharedLongs(3);
        int there = self.preparePutNotify(w, next(self), 0, out, 800, TAG);
        int back = self.preparePutNotify(w, before(self), 1024, out, 4, ANSWER);
        int plain = self.preparePut(w, next(self), 2048, out, 4);
        if (self.thread() == 0) {
            list[0] = there;
            list[1] = back;
            list[2] = plain;
        }
        self.sync();
        int wrong = unless(self.testRequest(there) && self.awaitAnyRequest(list) == -1);
        for (int round = 0; round < rounds; round++) {
            fill(self, out, 200, me, round);
            self.start(plain);
            self.start(there);
            self.start(back);
            if (round % 3 == 0) {
                self.awaitAllRequests(list);
            } else if (round % 3 == 1) {
                int rest = 3;
                while (rest > 0) {
                    rest -= self.awaitSomeRequests(list, ended);
                }
                wrong += unless(rest == 0 && ended[0] < 3);
            } else {
                wrong += unless(self.awaitAnyRequest(list) >= 0);
                self.awaitRequest(there);
                self.awaitRequest(back);
                self.awaitRequest(plain);
            }
            wrong += unless(self.testAnyRequest(list) == -1);
            self.awaitNotifications(TAG, 1);
            self.awaitNotifications(ANSWER, 1);
            wrong += wrong(self, mine, 200, before(self), round);
            wrong += unless(mine.getInt(256) == mix(next(self), round, 0) && mine.getInt(512) == mix(before(self), round, 0));
            self.barrier(Comm.WORLD);
        }
        self.freeRequest(back);
        self.freeRequest(there);
        self.freeRequest(plain);
        report(self, errors, wrong);
        self.freeWindow(w);
    }

    /** Sums, scans and exchanges of the blocks with even and with odd numbers. */
    static void splits(Buffer memory, Buffer errors, GridRank self) {
        Buffer mine = region(memory, self);
        int me = self.rank(Comm.WORLD);
        GridSplit half = self.split(Comm.WORLD, me % 2, -me, mine.slice(0, HALF));
        int members = half.ranks();
        int rank = half.rank();
        Buffer out = mine.slice(HALF, 64);
        Buffer in = mine.slice(HALF + 64, 64);
        int wrong = unless(members == (self.ranks(Comm.WORLD) + 1 - me % 2) / 2 && half.member(rank) == me);
        int sum = 0;
        int later = 0; // those up to this one: keys go down
        for (int r = me % 2; r < self.ranks(Comm.WORLD); r += 2) {
            sum += r + 1;
            later += r >= me ? r + 1 : 0;
        }
        for (int i = self.thread(); i < 8; i += self.threads()) {
            out.putDouble(i, (me + 1.0) * (i + 1));
        }
        half.allReduce(in, out, ElementType.DOUBLE, ReduceOp.SUM);
        wrong += unless(in.getDouble(7) == sum * 8.0);
        half.scan(in, out, ElementType.DOUBLE, ReduceOp.SUM);
        wrong += unless(in.getDouble(1) == later * 2.0);
        half.reduce(0, in, out, ElementType.DOUBLE, ReduceOp.MIN);
        wrong += unless(rank != 0 || in.getDouble(0) == me % 2 + 1.0);
        half.barrier();
        if (self.thread() == 0) {
            out.putLong(0, rank == 0 ? 77 : 0);
        }
        half.broadcast(0, out.slice(0, 8));
        wrong += unless(out.getLong(0) == 77);
        half.barrier();
        half.free();
        report(self, errors, wrong);
        all(self, memory, errors);
    }

    /** An exchange of all blocks of the device. */
    private static void all(GridRank self, Buffer memory, Buffer errors) {
        Buffer mine = region(memory, self);
        int blocks = self.ranks(Comm.DEVICE);
        int block = self.rank(Comm.DEVICE);
        GridSplit split = self.split(Comm.DEVICE, 0, 0, mine.slice(0, self.splitBytes(Comm.DEVICE, 1024)));
        Buffer out = mine.slice(HALF, 8L * blocks);
        Buffer in = mine.slice(HALF + 2048, 8L * blocks);
        for (int i = self.thread(); i < blocks; i += self.threads()) {
            out.putLong(i, 100L * block + i);
        }
        split.allToAll(in, out, 8);
        int wrong = 0;
        for (int i = self.thread(); i < blocks; i += self.threads()) {
            wrong += unless(in.getLong(i) == 100L * i + block);
        }
        split.free();
        report(self, errors, wrong);
    }

    /** Loads and stores: parts of windows, memory of the block, elements of shared arrays, atomic operations. */
    static void memory(Buffer memory, Buffer errors, SharedLongs sums, GridRank self) {
        Buffer mine = region(memory, self);
        int block = self.rank(Comm.DEVICE);
        int blocks = self.ranks(Comm.DEVICE);
        int beside = (block + 1) % blocks;
        if (self.thread() == 0) {
            mine.putLong(100, 0);
        }
        int w = self.createWindow(Comm.DEVICE, mine);
        Buffer there = self.part(w, beside);
        int wrong = unless(there != null && there.bytes() == REGION);
        if (there != null) {
            for (int i = self.thread(); i < 64; i += self.threads()) {
                there.putInt(i, mix(block, 3, i));
            }
            self.signal(Comm.DEVICE, beside, TAG);
            self.awaitNotifications(TAG, 1);
            wrong += wrong(self, mine, 64, (block + blocks - 1) % blocks, 3);
        }
        self.atomic(w, 0, 800, ElementType.LONG, AtomicOp.ADD, 2, 0);
        self.atomic(w, 0, 800, AtomicOp.ADD, 1);
        sums.addTo(self.rank(Comm.WORLD) % sums.length(), 1);
        self.barrier(Comm.WORLD);
        wrong += unless(self.getValue(w, 0, 800, ElementType.LONG) == 3L * blocks * self.threads());
        wrong += unless(sums.get(self.rank(Comm.WORLD)) == self.threads());
        self.freeWindow(w);
        report(self, errors, wrong + ofBlock(self) + shapes(self));
    }

    private static int ofBlock(GridRank self) {
        Buffer given = self.sharedBuffer();
        int[] values = self.sharedInts(1024);
        for (int i = self.thread(); i < 1024; i += self.threads()) {
            values[i] = i;
        }
        for (int i = self.thread(); i < given.bytes() / 4; i += self.threads()) {
            given.putInt(i, -1 - i);
        }
        self.sync();
        int wrong = unless(given.bytes() >= 256);
        for (int i = self.thread(); i < 1024; i += self.threads()) {
            wrong += unless(values[1023 - i] == 1023 - i);
        }
        wrong += unless(given.getInt(63) == -64 && given.slice(128, 8).getInt(1) == -34);
        self.sync();
        self.atomic(values, 0, AtomicOp.OR, 1 << self.thread() % 31);
        self.atomic(values, 1, AtomicOp.UNSIGNED_MAX, -1 - self.thread());
        self.sync();
        int bits = self.threads() == 1 ? 1 : Integer.MAX_VALUE;
        wrong += unless(values[0] == bits && values[1] == -1);
        long all = self.blockReduce(ReduceOp.OR, 1L << self.thread() % 31);
        wrong += unless(all == bits && self.blockReduce(ReduceOp.XOR, all) == (self.threads() % 2) * bits);
        return wrong + unless(self.blockSum(1) == self.threads()) + unless(self.all(self.lanes() > 0) && !self.any(self.lane() < 0));
    }

    private static int shapes(GridRank self) {
        DeviceGrid.Dims grid = self.gridShape();
        DeviceGrid.Dims block = self.blockShape();
        int number = (self.blockZ() * grid.y() + self.blockY()) * grid.x() + self.blockX();
        int thread = (self.threadZ() * block.y() + self.threadY()) * block.x() + self.threadX();
        return unless(number == self.block() && grid.x() * grid.y() * grid.z() == self.blocks())
                + unless(thread == self.thread() && block.x() * block.y() * block.z() == self.threads());
    }

    /** Talks to the host. */
    static void talk(int prepared, GridRank self) {
        self.startTimer(3);
        if (self.rank(Comm.DEVICE) == 0) {
            self.awaitNotifications(TAG, 1);
            self.notifyHost(self.hostRank(), TAG);
            self.log("a block of \"Java\"", self.hostRanks());
            self.trigger(prepared);
        }
        self.stopTimer(3);
        self.leave();
    }

    private static void line(KernelThread self, int block) {
        if (self.thread() == 0) {
            self.printf("first of block %d", block);
        }
    }

    /** Prints lines of its blocks, warps and threads. */
    static void lines(GridRank self) {
        int block = self.rank(Comm.DEVICE);
        self.printf("block %d of %lld: %.2f, %e, 0x%x, %3d|", block, (long) self.ranks(Comm.DEVICE), block * 0.125, -block / 4.0f, -1 - block,
                block % 2 == 0 ? block : -block);
        self.printf(Callers.WARP, "a warp of block %u", block);
        if (self.thread() == self.threads() - 1) {
            self.printf(Callers.THREAD, "last of block %d, %c", block, 'a' + block);
        }
        line(self, block);
    }

    /**
     * The lines that they are, in the order of their texts.
     *
     * @param warps of a block
     */
    static List<String> linesOf(int blocks, int warps) {
        List<String> lines = new ArrayList<>();
        String[] reals = {"0.00, 0.000000e+00", "0.12, -2.500000e-01", "0.25, -5.000000e-01", "0.38, -7.500000e-01"};
        for (int block = 0; block < blocks; block++) {
            lines.add("block " + block + " of " + blocks + ": " + reals[block] + ", 0xfffffff" + "fedc".charAt(block) + ", "
                    + (block % 2 == 0 ? "  " + block : " -" + block) + "|");
            lines.addAll(Collections.nCopies(warps, "a warp of block " + block));
            lines.add("last of block " + block + ", " + "abcd".charAt(block));
            lines.add("first of block " + block);
        }
        Collections.sort(lines);
        return lines;
    }
}
