package org.pgas4j.examples.himeno;

import java.lang.foreign.ValueLayout;
import org.pgas4j.Buffer;
import org.pgas4j.Kernel;
import org.pgas4j.Rank;
import org.pgas4j.Stream;
import org.pgas4j.Window;
import org.pgas4j.examples.himeno.Himeno.HimenoCase;

/**
 * Driven by the host, as one writes it with MPI and streams: for each iteration a kernel for the border planes, which are then put to
 * the neighbours' devices while another stream computes the planes between them; then waits for all of it and for the neighbours'
 * planes.
 *
 * <p>No barrier is needed: a neighbour puts planes of the next iteration over those that the border kernel reads only after it got
 * this rank's of this one, which are put behind that kernel; the kernel between reads none of them.
 */
final class HostSolver extends Solver {

    private static final Kernel STEP = new Kernel("himeno_step", Tiles.CUDA + """

            extern "C" __global__ void himeno_step(const float *p, float *q, const float *m, double *sums, long long field,
                                                   int planes, int rows, int columns, int zTiles, int yTiles, int last,
                                                   int first, int stride) {
                const int z = first + stride * (blockIdx.x / yTiles), y = blockIdx.x % yTiles;
                const himeno_tile t = himeno_tile_of(z, y, zTiles, yTiles, planes, rows);
                const double part = himeno_tile_step(p, q, m, field, t, rows, columns);
                if (last) {
                    const double sum = himeno_sum(part);
                    if (threadIdx.x == 0) {
                        sums[z * yTiles + y] = sum;
                    }
                }
            }
            """, HostSolver::step);

    /** Tags by where the plane comes from. */
    private static final int FROM_BELOW = 1;
    private static final int FROM_ABOVE = 2;

    private final Tiles tiles; // of a plane each
    private final Buffer sums;
    private final Window window;
    private final Stream border;

    /** Collective. */
    HostSolver(Rank rank, HimenoCase of) {
        super(rank, of);
        this.tiles = Tiles.forThreads(of.runs().threads(), planes(), of.rows(), of.columns());
        this.sums = rank.device().allocDoubles(tiles.count());
        this.window = rank.createWindow(rank.world(), pressure.pointer(), 2 * capacity * Float.BYTES);
        this.border = rank.device().newStream();
    }

    /** A block; on the host device it has one thread. */
    private static void step(Kernel.At at, Kernel.Args args) {
        Tiles tiles = new Tiles(args.intAt(8), args.intAt(9));
        int z = args.intAt(11) + args.intAt(12) * (at.block() / tiles.yTiles());
        int y = at.block() % tiles.yTiles();
        double sum = tiles.step(z, y, args.segment(0), args.segment(1), args.segment(2), args.longAt(4), args.intAt(5),
                args.intAt(6), args.intAt(7));
        if (args.intAt(10) != 0) {
            args.segment(3).setAtIndex(ValueLayout.JAVA_DOUBLE, (long) z * tiles.yTiles() + y, sum);
        }
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
            launch(border, iteration, 0, Math.max(1, planes - 1), Math.min(2, planes));
            if (planes > 2) {
                launch(between, iteration, 1, 1, planes - 2);
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

    /** A kernel for some planes, each so many further than the one before. */
    private void launch(Stream stream, int iteration, int first, int stride, int count) {
        long from = iteration % 2 * capacity;
        long to = capacity - from;
        stream.launch(STEP, rank.device().blockShape(count * tiles.yTiles(), of.runs().threads()),
                pressure.local().slice(from, capacity), pressure.local().slice(to, capacity),
                coefficients, sums, capacity, planes(), of.rows(), of.columns(),
                tiles.zTiles(), tiles.yTiles(), iteration == of.iterations() - 1 ? 1 : 0, first, stride);
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
