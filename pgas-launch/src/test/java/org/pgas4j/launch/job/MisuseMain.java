package org.pgas4j.launch.job;

import org.pgas4j.Layout;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;

/** Programs that {@link MisuseProcessTest} launches, by name: in each, rank 1 does something else than the others. */
public final class MisuseMain {

    private MisuseMain() {
    }

    public static void main(String[] args) {
        Pgas.run(new PgasConfig().hostHeap(1 << 20).deviceHeap(1 << 20), rank -> run(rank, args[0], rank.rank() == 1));
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
            default -> throw new IllegalArgumentException(program);
        }
    }
}
