package org.pgas4j.bench.study;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.ElementType;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Kernel;

/** The block programs of {@link PeersStudy}, in both forms. */
final class PeerBlocks {

    private static final String CUDA = BlockKernels.read("peers.cu");
    private static final int TAG = 3;
    private static final int FEW_THREADS = 128;

    /** Times half round trips: base, samples, count, batch, partner, bytes, whether notifications go alone, bytes of a region. */
    private static final GridProgram PINGPONG = new GridProgram("peer_pingpong", CUDA, PeerBlocks::pingpong);
    /** The same for blocks of more than {@value #FEW_THREADS} threads, which have fewer registers each. */
    private static final GridProgram PINGPONG_OF_MANY = new GridProgram("peer_pingpong_of_many", CUDA, PeerBlocks::pingpong);
    /** Counts bytes that arrive wrong: base, count of wrong ones, rounds, partner, bytes, bytes of a region. */
    static final GridProgram CHECKED = new GridProgram("peer_checked", CUDA, PeerBlocks::checked);

    /** Counts values that a barrier does not bring: base, count of wrong ones, rounds. */
    static final GridProgram BARRIERS_CHECKED = new GridProgram("peer_barriers_checked", CUDA, PeerBlocks::barriersChecked);

    private PeerBlocks() {
    }

    /** Program that times half round trips between blocks of so many threads. */
    static GridProgram pingpong(int threads) {
        return threads <= FEW_THREADS ? PINGPONG : PINGPONG_OF_MANY;
    }

    private static MemorySegment mine(GridRank self, Kernel.Args args, int region) {
        return args.segment(0).asSlice((long) self.rank(Comm.DEVICE) * region, region);
    }

    private static void pingpong(GridRank self, Kernel.Args args) {
        int count = args.intAt(2);
        int batch = args.intAt(3);
        int partner = args.intAt(4);
        int bytes = args.intAt(5);
        boolean alone = args.intAt(6) != 0;
        int region = args.intAt(7);
        int me = self.rank(Comm.WORLD);
        MemorySegment mine = mine(self, args, region);
        int w = self.createWindow(Comm.WORLD, mine);
        if (me == 0 || me == partner) {
            int other = me == 0 ? partner : 0;
            MemorySegment out = mine.asSlice(region / 2);
            for (int s = -count / 4; s < count; s++) {
                long start = System.nanoTime();
                for (int i = 0; i < batch; i++) {
                    exchange(self, me == 0, () -> send(self, w, other, out, bytes, alone));
                }
                if (me == 0 && s >= 0) {
                    args.segment(1).setAtIndex(ValueLayout.JAVA_DOUBLE, s, (System.nanoTime() - start) / 2.0 / batch);
                }
            }
        }
        self.freeWindow(w);
    }

    /** Sends and waits, or waits and sends. */
    private static void exchange(GridRank self, boolean first, Runnable send) {
        if (first) {
            send.run();
        }
        self.awaitNotifications(TAG, 1);
        if (!first) {
            send.run();
        }
    }

    private static void send(GridRank self, int window, int other, MemorySegment out, int bytes, boolean alone) {
        if (alone) {
            self.signal(Comm.WORLD, other, TAG);
        } else {
            self.putNotify(window, other, 0, out, bytes, TAG);
        }
    }

    private static byte value(int round, int i, int of) {
        return (byte) (round * 31 + i * 7 + of * 101 + 1);
    }

    private static void checked(GridRank self, Kernel.Args args) {
        int rounds = args.intAt(2);
        int partner = args.intAt(3);
        int bytes = args.intAt(4);
        int region = args.intAt(5);
        int me = self.rank(Comm.WORLD);
        MemorySegment mine = mine(self, args, region);
        int w = self.createWindow(Comm.WORLD, mine);
        if (me == 0 || me == partner) {
            int other = me == 0 ? partner : 0;
            MemorySegment out = mine.asSlice(region / 2);
            long wrong = 0;
            for (int r = 0; r < rounds; r++) {
                for (int i = 0; i < bytes; i++) {
                    out.set(ValueLayout.JAVA_BYTE, i, value(r, i, me));
                }
                if (me == 0) {
                    send(self, w, other, out, bytes, false);
                }
                self.awaitNotifications(TAG, 1);
                for (int i = 0; i < bytes; i++) {
                    wrong += mine.get(ValueLayout.JAVA_BYTE, i) == value(r, i, other) ? 0 : 1;
                }
                if (me != 0) {
                    send(self, w, other, out, bytes, false);
                }
                self.flush();
            }
            args.segment(1).set(ValueLayout.JAVA_LONG, 0, wrong);
        }
        self.freeWindow(w);
    }

    private static void barriersChecked(GridRank self, Kernel.Args args) {
        int me = self.rank(Comm.WORLD);
        int blocks = self.ranks(Comm.WORLD);
        long bytes = (long) blocks * Integer.BYTES;
        MemorySegment mine = args.segment(0).asSlice(self.rank(Comm.DEVICE) * bytes, bytes);
        int w = self.createWindow(Comm.WORLD, mine);
        long wrong = 0;
        for (int r = 1; r <= args.intAt(2); r++) {
            for (int to = 0; to < blocks; to++) {
                self.putValue(w, to, (long) me * Integer.BYTES, ElementType.INT, r);
            }
            self.barrier(Comm.WORLD);
            for (int from = 0; from < blocks; from++) {
                wrong += mine.getAtIndex(ValueLayout.JAVA_INT, from) == r ? 0 : 1;
            }
            self.barrier(Comm.WORLD);
        }
        if (self.rank(Comm.DEVICE) == 0) {
            args.segment(1).set(ValueLayout.JAVA_LONG, 0, wrong);
        }
        self.freeWindow(w);
    }
}
