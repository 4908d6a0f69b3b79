package org.pgas4j.bench.study;

import java.lang.foreign.ValueLayout;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Kernel;

/** The block programs of {@link PairsStudy}, in both forms. */
final class PairKernels {

    private static final String CUDA = BlockKernels.read("pairs.cu");

    static final GridProgram KERNELS = new GridProgram("pairs_kernels", CUDA, PairKernels::kernels);
    static final GridProgram ANSWER = new GridProgram("pairs_answer", CUDA, PairKernels::answer);

    private PairKernels() {
    }

    private static void kernels(GridRank self, Kernel.Args args) {
        int count = args.intAt(1);
        int batch = args.intAt(2);
        int partner = args.intAt(3);
        int tag = args.intAt(4);
        int me = self.rank(Comm.WORLD);
        if (me != 0 && me != partner) {
            return;
        }
        for (int s = -count / 4; s < count; s++) {
            long start = System.nanoTime();
            for (int i = 0; i < batch; i++) {
                if (me == 0) {
                    self.signal(Comm.WORLD, partner, tag);
                }
                self.awaitNotifications(tag, 1);
                if (me != 0) {
                    self.signal(Comm.WORLD, 0, tag);
                }
            }
            if (me == 0 && s >= 0) {
                args.segment(0).setAtIndex(ValueLayout.JAVA_DOUBLE, s, (System.nanoTime() - start) / 2.0 / batch);
            }
        }
    }

    private static void answer(GridRank self, Kernel.Args args) {
        int tag = args.intAt(3);
        if (self.rank(Comm.WORLD) == args.intAt(1)) {
            for (int i = 0; i < args.intAt(0); i++) {
                self.awaitNotifications(tag, 1);
                self.notifyHost(args.intAt(2), tag + 1);
            }
        }
    }
}
