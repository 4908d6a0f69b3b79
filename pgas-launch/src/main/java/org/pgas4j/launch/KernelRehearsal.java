package org.pgas4j.launch;

import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.ElementType;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Kernel;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedDoubles;
import org.pgas4j.device.cuda.DeviceCompiler;

/**
 * Kernels in Java of the usual forms, for the archive of {@link WarmUp}: half of what the first kernel of a process costs before it
 * is compiled is to load the classes of its translator.
 */
final class KernelRehearsal {

    private static final int COUNT = 256;
    private static final int THREADS = 32;

    private KernelRehearsal() {
    }

    /** Translates and runs them on the rank's device; loads NVRTC, if there is one. Collective. */
    static void run(Rank rank) {
        SharedDoubles a;
        try (var _ = rank.onDevice()) {
            a = rank.allAllocDoubles(Layout.even(), COUNT);
        }
        loops(rank, a);
        try (Buffer values = rank.device().alloc(ElementType.DOUBLE, COUNT); DeviceGrid grid = rank.createGrid(
                DeviceGrid.Options.of(2, THREADS))) {
            rank.stream().launch(rank.device().blockShape(2, THREADS), self -> {
                double[] part = self.sharedDoubles(THREADS);
                for (int i = self.thread(); i < THREADS; i += self.threads()) {
                    part[i] = i % 3 == 0 ? Math.sqrt(i) : values.getDouble(i);
                }
                self.sync();
                values.putDouble(self.global(), part[self.thread()] + self.blockSum(1.0));
            });
            rank.stream().launch(new Kernel.Shape(1, 1), self -> values.putDouble(1, values.getDouble(0)));
            rank.stream().sync();
            grid.launch(self -> {
                self.barrier(Comm.DEVICE);
                values.putDouble(self.block(), self.hostRank());
            });
            grid.sync();
        }
        rank.allFree(a);
        DeviceCompiler.version();
    }

    private static void loops(Rank rank, SharedDoubles a) {
        double factor = 0.5;
        a.forAll(i -> a.put(i, factor * i + (i > 0 ? a.get(i - 1) : 0)));
        if (!(a.reduce(rank.stream(), ReduceOp.SUM, i -> a.get(i) * a.get(i)) >= 0)) {
            throw new IllegalStateException("sum of squares of " + COUNT + " numbers is negative or none");
        }
    }
}
