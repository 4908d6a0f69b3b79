package org.pgas4j.testkit.litmus;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.GridSourceWindow;
import org.pgas4j.Kernel;
import org.pgas4j.testkit.contract.BlockPrograms;

/**
 * One program for each guarantee that blocks have, in both forms: the guarantees are those of the device library for CUDA C++, on
 * which programs in Java stand. The arguments of all start with the blocks' memory,
 * {@value #PART} bytes each, and a 64-bit count of wrong words for each block; rounds and whether the order is broken follow.
 * {@code litmus.cu} describes each.
 */
final class LitmusPrograms {

    /** Bytes of a block: what it is sent, then what it sends. */
    static final int PART = 8192;
    static final int OUT_AT = 4096;
    /** Words of a payload that does not travel with its notification. */
    static final int WORDS = 64;
    static final int DATA = 1;
    static final int FIRST = 2;
    static final int LOOKED = 3;

    private static final int SECOND_AT = 256;
    private static final int WORK_AT = 512; // of counters by source, in what a block sends
    private static final long SMALL = 8;
    private static final long BYTES = WORDS * 4L;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final String CUDA = BlockPrograms.read(LitmusPrograms.class, "litmus.cu");

    static final GridProgram PAYLOAD = new GridProgram("litmus_payload", CUDA, LitmusPrograms::payload);
    static final GridProgram TWO_PUTS = new GridProgram("litmus_two_puts", CUDA, LitmusPrograms::twoPuts);
    static final GridProgram BY_SOURCE = new GridProgram("litmus_by_source", CUDA, LitmusPrograms::bySource);
    static final GridProgram SAME_BYTES = new GridProgram("litmus_same_bytes", CUDA, LitmusPrograms::sameBytes);
    static final GridProgram SOURCE = new GridProgram("litmus_source", CUDA, LitmusPrograms::source);
    static final GridProgram THIRD = new GridProgram("litmus_third", CUDA, LitmusPrograms::third);
    static final GridProgram POINTER = new GridProgram("litmus_pointer", CUDA, LitmusPrograms::pointer);
    static final GridProgram FENCE = new GridProgram("litmus_fence", CUDA, LitmusPrograms::fence);
    static final GridProgram PASS_ON = new GridProgram("litmus_pass_on", CUDA, LitmusPrograms::passOn);
    static final GridProgram BARRIER = new GridProgram("litmus_barrier", CUDA, LitmusPrograms::barrier);
    static final GridProgram FROM_HOST = new GridProgram("litmus_from_host", CUDA, LitmusPrograms::fromHost);
    static final GridProgram TO_HOST = new GridProgram("litmus_to_host", CUDA, LitmusPrograms::toHost);
    static final GridProgram TRIGGER = new GridProgram("litmus_trigger", CUDA, LitmusPrograms::trigger);

    private LitmusPrograms() {
    }

    /** Word {@code k} of what {@code source} sends in a round. */
    static int value(int round, int source, int k) {
        int h = (round + 1) * 0x9E3779B1 ^ (source + 1) * 0x85EBCA77 ^ k * 0xC2B2AE3D;
        h ^= h >>> 15;
        h *= 0x2C1B3C6D;
        return h ^ h >>> 12;
    }

    static void fill(MemorySegment at, int round, int source, int words) {
        for (int k = 0; k < words; k++) {
            at.setAtIndex(INT, k, value(round, source, k));
        }
    }

    /** Words that are not those of the round. */
    static int wrong(MemorySegment at, int round, int source, int words) {
        int wrong = 0;
        for (int k = 0; k < words; k++) {
            wrong += at.getAtIndex(INT, k) == value(round, source, k) ? 0 : 1;
        }
        return wrong;
    }

    /** A block and its neighbours, as in {@code litmus.cu}. */
    private static final class Block {
        private final GridRank self;
        private final MemorySegment counts;
        private final int rounds;
        private final boolean planted;
        private final int me;
        private final int local;
        private final int to;
        private final int from;
        private final int next;
        private final int previous;
        private final int world;
        private final int device;
        private final MemorySegment in;
        private final MemorySegment out;
        private long found;

        Block(GridRank self, Kernel.Args args) {
            this.self = self;
            this.counts = args.segment(1);
            this.rounds = args.intAt(2);
            this.planted = args.intAt(3) != 0;
            this.me = self.rank(Comm.WORLD);
            this.local = self.rank(Comm.DEVICE);
            int all = self.ranks(Comm.WORLD);
            int locals = self.ranks(Comm.DEVICE);
            this.to = (me + locals) % all;
            this.from = (me + all - locals) % all;
            this.next = (local + 1) % locals;
            this.previous = (local + locals - 1) % locals;
            MemorySegment mine = args.segment(0).asSlice((long) local * PART, PART);
            this.world = self.createWindow(Comm.WORLD, mine);
            this.device = self.createWindow(Comm.DEVICE, mine);
            this.in = mine.asSlice(0, OUT_AT);
            this.out = mine.asSlice(OUT_AT);
        }

        void look(MemorySegment at, int round, int source, int words) {
            found += wrong(at, round, source, words);
        }

        void looked(Comm comm, int source) {
            self.signal(comm, source, LOOKED);
            self.awaitNotifications(LOOKED, 1);
        }

        void end() {
            counts.setAtIndex(LONG, local, counts.getAtIndex(LONG, local) + found);
            self.freeWindow(device);
            self.freeWindow(world);
        }
    }

    private static void payload(GridRank self, Kernel.Args args) {
        Block b = new Block(self, args);
        int words = args.intAt(4);
        for (int round = 0; round < b.rounds; round++) {
            fill(b.out, round, b.me, words);
            if (b.planted) {
                self.signal(Comm.WORLD, b.to, DATA);
            } else {
                self.putNotify(b.world, b.to, 0, b.out, words * 4L, DATA);
            }
            self.awaitNotifications(DATA, 1);
            b.look(b.in, round, b.from, words);
            b.looked(Comm.WORLD, b.from);
            if (b.planted) {
                self.put(b.world, b.to, 0, b.out, words * 4L);
            }
            self.flush();
        }
        b.end();
    }

    private static void twoPuts(GridRank self, Kernel.Args args) {
        Block b = new Block(self, args);
        MemorySegment second = b.out.asSlice(SECOND_AT);
        for (int round = 0; round < b.rounds; round++) {
            fill(b.out, round, b.me, WORDS);
            fill(second, round, b.me, 2);
            if (!b.planted) {
                self.putNotify(b.world, b.to, 0, b.out, BYTES, FIRST);
            }
            self.putNotify(b.world, b.to, SECOND_AT, second, SMALL, DATA);
            self.awaitNotifications(DATA, 1);
            boolean first = self.testNotifications(FIRST, 1);
            b.found += first ? 0 : 1;
            b.look(b.in, round, b.from, WORDS);
            b.look(b.in.asSlice(SECOND_AT), round, b.from, 2);
            b.looked(Comm.WORLD, b.from);
            if (b.planted) {
                self.putNotify(b.world, b.to, 0, b.out, BYTES, FIRST);
            }
            if (!first) {
                self.awaitNotifications(FIRST, 1);
            }
            self.flush();
        }
        b.end();
    }

    private static void bySource(GridRank self, Kernel.Args args) {
        Block b = new Block(self, args);
        MemorySegment second = b.out.asSlice(SECOND_AT);
        GridSourceWindow w = self.createSourceWindow(Comm.WORLD, b.in, 1, b.out.asSlice(WORK_AT));
        for (int round = 0; round < b.rounds; round++) {
            fill(b.out, round, b.me, WORDS);
            fill(second, round, b.me, 2);
            if (b.planted) {
                w.signal(b.to, 0);
            } else {
                self.putNotify(b.world, b.to, SECOND_AT, second, SMALL, FIRST);
                w.putNotify(b.to, 0, b.out, BYTES, 0);
            }
            w.await(b.from, 0, 1);
            boolean first = self.testNotifications(FIRST, 1);
            b.found += first ? 0 : 1;
            b.look(b.in, round, b.from, WORDS);
            b.look(b.in.asSlice(SECOND_AT), round, b.from, 2);
            b.looked(Comm.WORLD, b.from);
            if (b.planted) {
                self.putNotify(b.world, b.to, SECOND_AT, second, SMALL, FIRST);
                self.put(b.world, b.to, 0, b.out, BYTES);
            }
            if (!first) {
                self.awaitNotifications(FIRST, 1);
            }
            self.flush();
        }
        w.free();
        b.end();
    }

    private static void sameBytes(GridRank self, Kernel.Args args) {
        Block b = new Block(self, args);
        MemorySegment old = b.out.asSlice(SECOND_AT);
        int words = args.intAt(4);
        for (int round = 0; round < b.rounds; round++) {
            fill(b.out, round, b.me, words);
            fill(old, -round - 2, b.me, words);
            if (b.planted) {
                self.put(b.world, b.to, 0, b.out, words * 4L);
                self.putNotify(b.world, b.to, 0, old, words * 4L, FIRST);
            } else {
                self.putNotify(b.world, b.to, 0, old, words * 4L, FIRST);
                self.put(b.world, b.to, 0, b.out, words * 4L);
            }
            self.signal(Comm.WORLD, b.to, DATA);
            self.awaitNotifications(DATA, 1);
            b.look(b.in, round, b.from, words);
            self.awaitNotifications(FIRST, 1);
            b.looked(Comm.WORLD, b.from);
            self.flush();
        }
        b.end();
    }

    private static void source(GridRank self, Kernel.Args args) {
        Block b = new Block(self, args);
        int words = args.intAt(4);
        for (int round = 0; round < b.rounds; round++) {
            if (b.planted) {
                self.putNotify(b.world, b.to, 0, b.out, words * 4L, DATA);
                self.flush(); // the host may copy later
            }
            fill(b.out, round, b.me, words);
            if (!b.planted) {
                self.putNotify(b.world, b.to, 0, b.out, words * 4L, DATA);
            }
            self.awaitNotifications(DATA, 1);
            b.look(b.in, round, b.from, words);
            b.looked(Comm.WORLD, b.from);
            self.flush();
        }
        b.end();
    }

    private static void third(GridRank self, Kernel.Args args) {
        Block b = new Block(self, args);
        int locals = self.ranks(Comm.DEVICE);
        int author = (b.local + 2 * locals - 2) % locals;
        MemorySegment got = b.out.asSlice(SECOND_AT);
        for (int round = 0; round < b.rounds; round++) {
            fill(b.out, round, b.local, WORDS);
            if (!b.planted) {
                self.putNotify(b.device, b.next, 0, b.out, BYTES, FIRST);
                self.fence();
            }
            self.signal(Comm.DEVICE, (b.local + 2) % locals, DATA);
            self.awaitNotifications(DATA, 1);
            self.get(b.device, b.previous, 0, got, BYTES);
            b.look(got, round, author, WORDS);
            b.looked(Comm.DEVICE, author);
            if (b.planted) {
                self.putNotify(b.device, b.next, 0, b.out, BYTES, FIRST);
            }
            self.awaitNotifications(FIRST, 1);
            self.barrier(Comm.DEVICE);
        }
        b.end();
    }

    private static void pointer(GridRank self, Kernel.Args args) {
        Block b = new Block(self, args);
        for (int round = 0; round < b.rounds; round++) {
            if (!b.planted) {
                fill(self.ptr(b.device, b.next), round, b.local, WORDS);
            }
            self.signal(Comm.DEVICE, b.next, DATA);
            self.awaitNotifications(DATA, 1);
            b.look(b.in, round, b.previous, WORDS);
            b.looked(Comm.DEVICE, b.previous);
            if (b.planted) {
                fill(self.ptr(b.device, b.next), round, b.local, WORDS);
            }
        }
        b.end();
    }

    /** In Java every notification is a fence of its sender. */
    private static void fence(GridRank self, Kernel.Args args) {
        Block b = new Block(self, args);
        for (int round = 0; round < b.rounds; round++) {
            if (!b.planted) {
                fill(b.out, round, b.local, WORDS);
            }
            self.signal(Comm.DEVICE, b.next, DATA);
            self.awaitNotifications(DATA, 1);
            b.look(self.ptr(b.device, b.previous).asSlice(OUT_AT), round, b.previous, WORDS);
            b.looked(Comm.DEVICE, b.previous);
            if (b.planted) {
                fill(b.out, round, b.local, WORDS);
            }
        }
        b.end();
    }

    private static void passOn(GridRank self, Kernel.Args args) {
        Block b = new Block(self, args);
        int locals = self.ranks(Comm.DEVICE);
        int author = (b.local + 2 * locals - 2) % locals;
        for (int round = 0; round < b.rounds; round++) {
            fill(b.out, round, b.local, WORDS);
            if (!b.planted) {
                self.putNotify(b.device, b.next, 0, b.out, BYTES, FIRST);
                self.awaitNotifications(FIRST, 1);
            }
            self.signal(Comm.DEVICE, b.next, DATA);
            self.awaitNotifications(DATA, 1);
            b.look(self.ptr(b.device, b.previous), round, author, WORDS);
            b.looked(Comm.DEVICE, author);
            if (b.planted) {
                self.putNotify(b.device, b.next, 0, b.out, BYTES, FIRST);
                self.awaitNotifications(FIRST, 1);
            }
        }
        b.end();
    }

    private static void barrier(GridRank self, Kernel.Args args) {
        Block b = new Block(self, args);
        MemorySegment small = b.out.asSlice(SECOND_AT);
        MemorySegment stored = b.out.asSlice(2 * SECOND_AT);
        int words = args.intAt(4);
        for (int round = 0; round < b.rounds; round++) {
            for (int turn = 0; turn < 2; turn++) {
                if (turn == (b.planted ? 1 : 0)) {
                    fill(b.out, round, b.me, WORDS);
                    fill(small, round, b.me, words);
                    fill(stored, round, b.local, WORDS);
                    self.put(b.world, b.to, 0, b.out, BYTES);
                    self.putNotify(b.world, b.to, SECOND_AT, small, words * 4L, DATA);
                }
                if (turn == 0) {
                    self.barrier(Comm.WORLD);
                    b.look(b.in, round, b.from, WORDS);
                    b.look(b.in.asSlice(SECOND_AT), round, b.from, words);
                    b.look(self.ptr(b.device, b.next).asSlice(OUT_AT + 2 * SECOND_AT), round, b.next, WORDS);
                }
                self.barrier(Comm.WORLD);
            }
            self.awaitNotifications(DATA, 1);
            self.flush();
        }
        b.end();
    }

    private static void fromHost(GridRank self, Kernel.Args args) {
        Block b = new Block(self, args);
        for (int round = 0; round < b.rounds; round++) {
            self.awaitNotifications(DATA, 1);
            b.look(b.in, round, b.me, WORDS);
            self.notifyHost(args.intAt(3), args.intAt(4) + b.local);
        }
        b.end();
    }

    private static void toHost(GridRank self, Kernel.Args args) {
        Block b = new Block(self, args);
        for (int round = 0; round < b.rounds; round++) {
            fill(b.out, round, b.me, WORDS);
            if (!b.planted) {
                self.put(b.world, b.to, 0, b.out, BYTES);
            }
            self.notifyHost(args.intAt(4), args.intAt(5) + b.local);
            self.awaitNotifications(LOOKED, 1);
            if (b.planted) {
                self.put(b.world, b.to, 0, b.out, BYTES);
            }
            self.flush();
        }
        b.end();
    }

    private static void trigger(GridRank self, Kernel.Args args) {
        Block b = new Block(self, args);
        for (int round = 0; round < b.rounds && b.local == 0; round++) {
            if (!b.planted) {
                fill(b.out, round, b.me, WORDS);
            }
            self.trigger(args.intAt(4));
            self.awaitNotifications(LOOKED, 1);
            if (b.planted) {
                fill(b.out, round, b.me, WORDS);
            }
        }
        b.end();
    }
}
