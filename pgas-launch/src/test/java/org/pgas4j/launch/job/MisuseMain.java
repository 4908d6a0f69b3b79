package org.pgas4j.launch.job;

import org.pgas4j.DeviceGrid;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.KernelException;
import org.pgas4j.Layout;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedBytes;

/** Programs that {@link MisuseProcessTest} launches, by name: in each, rank 1 does something else than the others. */
public final class MisuseMain {

    private MisuseMain() {
    }

    public static void main(String[] args) {
        Pgas.run(new PgasConfig().hostHeap(1 << 20).deviceHeap(4 << 20), rank -> run(rank, args[0], rank.rank() == 1));
    }

    private static void run(Rank rank, String program, boolean odd) throws InterruptedException {
        switch (program) {
            case "skip" -> {
                for (int i = 0; i < (odd ? 2 : 3); i++) {
                    rank.barrier();
                }
            }
            case "extra" -> {
                for (int i = 0; i < (odd ? 3 : 2); i++) {
                    rank.barrier();
                }
            }
            case "other-thread" -> {
                if (odd) {
                    Thread other = Thread.ofPlatform().name("other").start(rank::barrier);
                    other.join();
                } else {
                    rank.barrier();
                }
            }
            case "missing" -> {
                if (!odd) {
                    rank.allReduce(1L, ReduceOp.SUM);
                }
            }
            case "values" -> {
                if (odd) {
                    rank.allReduce(1.0, ReduceOp.MAX);
                } else {
                    rank.allReduce(1L, ReduceOp.SUM);
                }
            }
            case "barrier" -> {
                if (odd) {
                    rank.barrier(3);
                } else {
                    rank.allAllocLongs(Layout.cyclic(), 5);
                }
            }
            case "late-8", "late-16384" -> lateMessages(rank, Integer.parseInt(program.substring(5)));
            default -> throw new IllegalArgumentException(program);
        }
    }

    /** Blocks of rank 0 put to those of rank 1, which have failed and are closed; then new blocks of both meet. */
    private static void lateMessages(Rank rank, int bytes) {
        SharedBytes bufs;
        try (Scope _ = rank.onDevice()) {
            bufs = rank.allAllocBytes(Layout.replicated(), bytes);
        }
        DeviceGrid failing = rank.createGrid(DeviceGrid.Options.of(2, 32).proxy());
        failing.launch(new GridProgram("late", null, (self, args) -> {
            int window = self.createWindow(GridRank.Comm.WORLD, args.segment(0));
            int me = self.rank(GridRank.Comm.WORLD);
            for (int i = 0; me < 2 && i < 2000; i++) {
                self.putNotify(window, 2 + i % 2, 0, args.segment(0), bytes, 1);
                if (i % 50 == 0) {
                    self.flush();
                }
            }
            throw new ArithmeticException(me < 2 ? "all are sent" : "first cause");
        }), bufs.local());
        try {
            failing.sync();
        } catch (KernelException e) {
            System.out.println("rank " + rank.rank() + " caught " + e.getMessage());
        }
        failing.close();
        rank.barrier();
        try (DeviceGrid next = rank.createGrid(DeviceGrid.Options.of(2, 32).proxy())) {
            next.launch(new GridProgram("next", null, (self, _) -> self.barrier(GridRank.Comm.WORLD)));
            next.sync();
        }
        System.out.println("rank " + rank.rank() + " is well");
    }
}
