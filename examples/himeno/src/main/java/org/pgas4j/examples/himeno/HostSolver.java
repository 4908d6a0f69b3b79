package org.pgas4j.examples.himeno;

import org.pgas4j.Buffer;
import org.pgas4j.Rank;
import org.pgas4j.Stream;
import org.pgas4j.Window;
import org.pgas4j.examples.himeno.Himeno.HimenoCase;
import org.pgas4j.kernel.ThreadKernel;

/**
 * Driven by the host, as one writes it with MPI and streams: for each iteration a kernel for the border planes, which are then put to
 * the neighbours' devices while another stream computes the planes between them; then waits for all of it and for the neighbours'
 * planes.
 *
 * <p>No barrier is needed: a neighbour puts planes of the next iteration over those that the border kernel reads only after it got
 * this rank's of this one, which are put behind that kernel; the kernel between reads none of them.
 */
final class HostSolver extends Solver {

    /** Tags by where the plane comes from. */
    private static final int FROM_BELOW = 1;
    private static final int FROM_ABOVE = 2;

    private final HimenoPart part; // tiles of a plane each
    private final Buffer sums;
    private final ThreadKernel[] steps = new ThreadKernel[8];
    private final Window window;
    private final Stream border;

    /** Collective. */
    HostSolver(Rank rank, HimenoCase of) {
        super(rank, of);
        this.part = part(Tiles.forThreads(of.runs().threads(), planes(), of.rows(), of.columns()));
        this.sums = rank.device().allocDoubles(part.tiles().count());
        this.window = rank.createWindow(rank.world(), pressure.pointer(), 2 * capacity * Float.BYTES);
        this.border = rank.device().newStream();
    }

    /**
     * The kernel: a tile for each block, the first of plane {@code first}, further planes {@code stride} apart.
     *
     * @param sums of all tiles, written if this is the last iteration
     */
    private static ThreadKernel step(Buffer p, Buffer q, Buffer m, Buffer sums, HimenoPart part, int first, int stride,
                                     boolean isLast) {
        return self -> {
            int block = (int) self.block();
            int z = first + stride * (block / part.tiles().yTiles());
            int y = block % part.tiles().yTiles();
            double residual = Tiles.step(z, y, self.thread(), self.threads(), p, 0, q, 0, m, part);
            if (isLast) {
                double sum = self.blockSum(residual);
                if (self.thread() == 0) {
                    sums.putDouble((long) z * part.tiles().yTiles() + y, sum);
                }
            }
        };
    }

    @Override
    public void run() {
        Stream between = rank.stream();
        int planes = planes();
        boolean below = rank.rank() > 0;
        boolean above = rank.rank() < rank.ranks() - 1;
        for (int iteration = 0; iteration < of.iterations(); iteration++) {
            long to = (iteration + 1) % 2 * capacity;
            Buffer next = pressure.local().slice(to, capacity);
            launch(border, iteration, true);
            if (planes > 2) {
                launch(between, iteration, false);
            }
            if (below) {
                border.putNotify(window, rank.rank() - 1, offset(to, planesBelow() + 1), plane(next, 1), FROM_ABOVE);
            }
            if (above) {
                border.putNotify(window, rank.rank() + 1, offset(to, 0), plane(next, planes), FROM_BELOW);
            }
            border.sync();
            if (below) {
                rank.notifications().await(FROM_BELOW, 1);
            }
            if (above) {
                rank.notifications().await(FROM_ABOVE, 1);
            }
            between.sync();
        }
    }

    /** A kernel for the border planes, or for those between. The same objects again and again, which launches know. */
    private void launch(Stream stream, int iteration, boolean isBorder) {
        int planes = planes();
        boolean isLast = iteration == of.iterations() - 1;
        int number = iteration % 2 * 4 + (isBorder ? 2 : 0) + (isLast ? 1 : 0);
        if (steps[number] == null) {
            long from = iteration % 2 * capacity;
            Buffer p = pressure.local().slice(from, capacity);
            Buffer q = pressure.local().slice(capacity - from, capacity);
            steps[number] = isBorder ? step(p, q, coefficients, sums, part, 0, Math.max(1, planes - 1), isLast)
                    : step(p, q, coefficients, sums, part, 1, 1, isLast);
        }
        int count = isBorder ? Math.min(2, planes) : planes - 2;
        stream.launch(rank.device().blockShape(count * part.tiles().yTiles(), of.runs().threads()), steps[number]);
    }

    private Buffer plane(Buffer part, int plane) {
        return part.slice(plane * planeSize(), planeSize());
    }

    private long offset(long part, int plane) {
        return (part + plane * planeSize()) * Float.BYTES;
    }

    @Override
    Buffer sums() {
        return sums;
    }

    @Override
    public void close() {
        border.close();
        window.close();
        sums.close();
        super.close();
    }
}
