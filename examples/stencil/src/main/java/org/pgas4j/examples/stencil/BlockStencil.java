package org.pgas4j.examples.stencil;

import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.GridKernel;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Callers;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Rank;
import org.pgas4j.examples.stencil.Stencil.StencilCase;

/**
 * One kernel for all steps. Each block owns a strip of at least two rows. Its window of each array has the strip and two rows
 * on both sides, of all levels, so windows of neighbours overlap: what a block puts to a neighbour on the same device is there
 * already and is not copied; to another device it is a message for each level. A notification for each neighbour and step, of
 * a tag for each side, is all the synchronisation there is: a block that has it from both sides may read their
 * rows, and may overwrite what they have read in the step before.
 */
final class BlockStencil extends DiffusionField {

    private static final int FROM_BELOW = 0;
    private static final int FROM_ABOVE = 1;

    private final DeviceGrid grid;

    BlockStencil(Rank rank, StencilCase of) {
        super(rank, of);
        this.grid = of.runs().grid(rank);
    }

    @Override
    void steps(int count) {
        grid.launch(program(in(0).local(), out(0).local(), domain.inner(), count));
        grid.sync();
    }

    @Override
    public void close() {
        grid.close();
        super.close();
    }

    private static GridKernel program(Buffer even, Buffer odd, PointBox inner, int steps) {
        return self -> stencil(even, odd, inner, steps, self);
    }

    /** The program of a block. */
    private static void stencil(Buffer even, Buffer odd, PointBox inner, int steps, GridRank self) {
        int rank = self.rank(Comm.WORLD);
        int ranks = self.ranks(Comm.WORLD);
        int block = self.rank(Comm.DEVICE);
        int blocks = self.ranks(Comm.DEVICE);
        int own = inner.rows() - 2 * Domain.HALO;
        int first = strip(own, block, blocks);
        int last = strip(own, block + 1, blocks);
        int below = (block + blocks - 1) % blocks;   // as all devices are split alike
        int heightBelow = strip(own, below + 1, blocks) - strip(own, below, blocks);

        long start = (long) (first - Domain.HALO) * inner.isize();
        long floats = ((inner.levels() - 1L) * inner.rows() + last - first + 2 * Domain.HALO) * inner.isize();
        int evenWindow = self.createWindow(Comm.WORLD, even.slice(start, floats));
        int oddWindow = self.createWindow(Comm.WORLD, odd.slice(start, floats));

        PointBox mine = inner.within(first, last);
        for (int n = 0; n < steps; n++) {
            Buffer in = n % 2 == 0 ? even : odd;
            Buffer out = n % 2 == 0 ? odd : even;
            int window = n % 2 == 0 ? oddWindow : evenWindow;
            step(in, out, mine, self);
            if (rank > 0) {
                send(window, rank - 1, heightBelow + Domain.HALO, out, first, inner, FROM_ABOVE, self);
            }
            if (rank < ranks - 1) {
                send(window, rank + 1, 0, out, last - Domain.HALO, inner, FROM_BELOW, self);
            }
            if (rank > 0) {
                self.awaitNotifications(FROM_BELOW, 1);
            }
            if (rank < ranks - 1) {
                self.awaitNotifications(FROM_ABOVE, 1);
            }
        }
        self.flush();
        self.freeWindow(oddWindow);
        self.freeWindow(evenWindow);
    }

    private static int strip(int own, int block, int blocks) {
        return Domain.HALO + (int) ((long) own * block / blocks);
    }

    /** A warp takes a row of a level at a time: the division is once for a row. */
    private static void step(Buffer in, Buffer out, PointBox box, GridRank self) {
        int lines = box.height() > 0 ? box.height() * box.levels() : 0;
        for (int line = self.warp(); line < lines; line += warps(self)) {
            int start = (line / box.height() * box.rows() + box.row() + line % box.height()) * box.isize() + box.i();
            for (int x = self.lane(); x < box.width(); x += self.lanes()) {
                out.putFloat(start + x, StencilKernels.diffused(in, start + x, box.isize()));
            }
        }
    }

    private static int warps(GridRank self) {
        return (self.threads() + 31) / 32;
    }

    /** Puts two rows of every level to a neighbour, each level by a warp, and notifies it. */
    private static void send(int window, int target, int targetRow, Buffer array, int row, PointBox box, int tag, GridRank self) {
        self.sync();
        long floats = (long) Domain.HALO * box.isize();
        for (int level = self.warp(); level < box.levels(); level += warps(self)) {
            long start = (long) level * box.rows() * box.isize();
            self.put(Callers.WARP, window, target, (start + (long) targetRow * box.isize()) * Float.BYTES,
                    array.slice(start + (long) row * box.isize(), floats), floats * Float.BYTES);
        }
        self.signal(Comm.WORLD, target, tag);
    }
}
