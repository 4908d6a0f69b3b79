package org.pgas4j.bench.study;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.pgas4j.ElementType;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.GridSplit;
import org.pgas4j.Kernel;
import org.pgas4j.ReduceOp;

/** The block programs of the studies of notifications and barriers, in both forms. */
final class BlockKernels {

    static final int PUT_NOTIFY = 0;
    static final int NOTIFY = 1;
    static final int RAW_FLAG = 2;
    static final int RAW_RELEASE = 3;
    static final int RAW_ONE_STORE = 4;

    private static final String CUDA = read("notify.cu");

    private static final int FEW_THREADS = 128;
    private static final GridProgram PINGPONG = new GridProgram("pingpong", CUDA, BlockKernels::pingpong);
    private static final GridProgram PINGPONG_OF_MANY = new GridProgram("pingpong_of_many", CUDA, BlockKernels::pingpong);
    static final GridProgram FLOOD = new GridProgram("flood", CUDA, BlockKernels::flood);
    static final GridProgram BARRIERS = new GridProgram("barriers", CUDA, BlockKernels::barriers);
    private static final GridProgram ALL_REDUCES = new GridProgram("all_reduces", CUDA, BlockKernels::allReduces);
    private static final GridProgram ALL_REDUCES_OF_MANY = new GridProgram("all_reduces_of_many", CUDA, BlockKernels::allReduces);
    static final GridProgram ECHO = new GridProgram("echo", CUDA, BlockKernels::echo);

    static final GridProgram PARTS = new GridProgram("parts", CUDA, BlockKernels::parts);

    private BlockKernels() {
    }

    static GridProgram pingpong(int threads) {
        return threads <= FEW_THREADS ? PINGPONG : PINGPONG_OF_MANY;
    }

    static GridProgram allReduces(int threads) {
        return threads <= FEW_THREADS ? ALL_REDUCES : ALL_REDUCES_OF_MANY;
    }

    /** Text of a resource of this package. */
    static String read(String name) {
        try (InputStream in = BlockKernels.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }

    private static void pingpong(GridRank self, Kernel.Args args) {
        int count = args.intAt(2);
        int batch = args.intAt(3);
        int partner = args.intAt(4);
        int bytes = args.intAt(5);
        int mode = args.intAt(6);
        int region = args.intAt(7);
        int me = self.rank(Comm.WORLD);
        MemorySegment mine = args.segment(0).asSlice((long) self.rank(Comm.DEVICE) * region, region);
        int w = self.createWindow(Comm.WORLD, mine);
        if (me == 0 || me == partner) {
            int other = me == 0 ? partner : 0;
            MemorySegment out = mine.asSlice(region / 2);
            for (int s = -count / 4; s < count; s++) {
                long start = System.nanoTime();
                for (int i = 0; i < batch; i++) {
                    if (me == 0) {
                        send(self, w, other, out, bytes, mode);
                    }
                    self.awaitNotifications(3, 1);
                    if (me != 0) {
                        send(self, w, other, out, bytes, mode);
                    }
                }
                if (me == 0 && s >= 0) {
                    args.segment(1).setAtIndex(ValueLayout.JAVA_DOUBLE, s, (System.nanoTime() - start) / 2.0 / batch);
                }
            }
        }
        self.freeWindow(w);
    }

    private static void send(GridRank self, int window, int other, MemorySegment out, int bytes, int mode) {
        if (mode == PUT_NOTIFY) {
            self.putNotify(window, other, 0, out, bytes, 3);
        } else {
            self.signal(Comm.WORLD, other, 3);
        }
    }

    private static void flood(GridRank self, Kernel.Args args) {
        int blocks = args.intAt(2);
        int puts = args.intAt(3);
        int bytes = args.intAt(4);
        int how = args.intAt(5);
        int first = args.intAt(6);
        int local = self.rank(Comm.DEVICE);
        MemorySegment mine = args.segment(0).asSlice((long) local * bytes, bytes);
        int w = self.createWindow(Comm.WORLD, mine);
        int receiver = self.rank(Comm.WORLD) - first;
        if (self.hostRank() == 0 && local < blocks) {
            long start = System.nanoTime();
            for (int i = 0; i < puts; i++) {
                if (how == 0) {
                    self.putNotify(w, first + local, 0, mine, bytes, 1);
                } else {
                    MemorySegment.copy(mine, 0, self.ptr(w, first + local), 0, bytes);
                }
            }
            if (how == 1) {
                self.signal(Comm.WORLD, first + local, 1);
            }
            self.awaitNotifications(2, 1);
            args.segment(1).setAtIndex(ValueLayout.JAVA_LONG, 2L * local, start);
            args.segment(1).setAtIndex(ValueLayout.JAVA_LONG, 2L * local + 1, System.nanoTime());
        } else if (receiver >= 0 && receiver < blocks) {
            self.awaitNotifications(1, how == 0 ? puts : 1);
            self.signal(Comm.WORLD, receiver, 2);
        }
        self.freeWindow(w);
    }

    private static void barriers(GridRank self, Kernel.Args args) {
        int count = args.intAt(1);
        int batch = args.intAt(2);
        Comm comm = Comm.values()[args.intAt(3)];
        self.barrier(Comm.WORLD);
        for (int s = -count / 4; s < count; s++) {
            long start = System.nanoTime();
            for (int i = 0; i < batch; i++) {
                self.barrier(comm);
            }
            if (self.rank(Comm.WORLD) == 0 && s >= 0) {
                args.segment(0).setAtIndex(ValueLayout.JAVA_DOUBLE, s, (System.nanoTime() - start) / (double) batch);
            }
        }
    }

    private static void allReduces(GridRank self, Kernel.Args args) {
        int count = args.intAt(2);
        int batch = args.intAt(3);
        Comm comm = Comm.values()[args.intAt(4)];
        int bytes = args.intAt(5);
        int region = args.intAt(6);
        int local = self.rank(Comm.DEVICE);
        MemorySegment mine = args.segment(0).asSlice((long) local * region, region);
        MemorySegment sums = mine.asSlice(region - bytes);
        GridSplit split = self.split(comm, comm == Comm.WORLD ? local : 0, 0, mine.asSlice(0, region - bytes));
        sums.fill((byte) 0);
        for (int k = -count / 4; k < count; k++) {
            long start = System.nanoTime();
            for (int i = 0; i < batch; i++) {
                split.allReduce(sums, sums, ElementType.FLOAT, ReduceOp.SUM);
            }
            if (self.rank(Comm.WORLD) == 0 && k >= 0) {
                args.segment(1).setAtIndex(ValueLayout.JAVA_DOUBLE, k, (System.nanoTime() - start) / (double) batch);
            }
        }
        split.free();
    }

    private static void echo(GridRank self, Kernel.Args args) {
        if (args.intAt(1) < 0 ? self.rank(Comm.DEVICE) == 0 : self.rank(Comm.WORLD) == args.intAt(1)) {
            for (int i = 0; i < args.intAt(0); i++) {
                self.awaitNotifications(5, 1);
                self.notifyHost(args.intAt(2), 6);
            }
        }
    }

    private static void parts(GridRank self, Kernel.Args args) {
        int count = args.intAt(1);
        int each = args.intAt(2);
        int me = self.rank(Comm.WORLD);
        int block = self.rank(Comm.DEVICE);
        int per = self.ranks(Comm.DEVICE);
        for (int s = 0; s < count && block == 0; s++) {
            if (me == 0) {
                long start = System.nanoTime();
                self.signal(Comm.WORLD, per, 7);
                args.segment(0).setAtIndex(ValueLayout.JAVA_DOUBLE, s, System.nanoTime() - start);
                self.awaitNotifications(8, 1);
            } else if (me == per) {
                self.awaitNotifications(7, 1);
                self.signal(Comm.WORLD, 0, 8);
            }
        }
        self.barrier(Comm.WORLD);
        if (self.hostRank() == 1) {
            self.awaitNotifications(9, each);
        }
        if (self.hostRank() != 0) {
            return;
        }
        if (block == 0) {
            self.startTimer(0);
        }
        self.barrier(Comm.DEVICE);
        for (int s = 0; s < each; s++) {
            self.signal(Comm.WORLD, per + block, 9);
        }
        self.barrier(Comm.DEVICE);
        if (block == 0) {
            self.stopTimer(0);
        }
    }
}
