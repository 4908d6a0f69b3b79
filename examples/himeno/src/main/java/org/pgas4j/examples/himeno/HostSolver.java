package org.pgas4j.examples.himeno;

import java.lang.foreign.ValueLayout;
import org.pgas4j.Block;
import org.pgas4j.Kernel;
import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;
import org.pgas4j.Stream;

/** Driven by the host: for each iteration a kernel, a put of each border plane to the neighbour's device, a barrier. */
final class HostSolver implements Solver {

    private static final Kernel STEP = new Kernel("himeno_step", Tiles.CUDA + """

            extern "C" __global__ void himeno_step(const float *p, float *q, const float *m, double *sums, long long field,
                                                   int planes, int rows, int columns, int zTiles, int yTiles, int last) {
                const himeno_tile t = himeno_tile_of(blockIdx.x / yTiles, blockIdx.x % yTiles, zTiles, yTiles, planes, rows);
                const double part = himeno_tile_step(p, q, m, field, t, rows, columns);
                if (last) {
                    const double sum = himeno_sum(part);
                    if (threadIdx.x == 0) {
                        sums[blockIdx.x] = sum;
                    }
                }
            }
            """, HostSolver::step);

    private final Rank rank;
    private final Field field;
    private final Tiles tiles;
    private final Kernel.Shape shape;
    private final Block sums;

    HostSolver(Rank rank, Field field) {
        Settings settings = field.settings();
        this.rank = rank;
        this.field = field;
        this.tiles = Tiles.forThreads(settings.threads(), field.slab().count(), settings.rows(), settings.columns());
        this.shape = new Kernel.Shape(tiles.count(), rank.device().backend().equals("host") ? 1 : settings.threads());
        this.sums = rank.device().allocDoubles(tiles.count());
    }

    /** A block; on the host device it has one thread. */
    private static void step(Kernel.At at, Kernel.Args args) {
        Tiles tiles = new Tiles(args.intAt(8), args.intAt(9));
        double sum = tiles.step(at.block() / tiles.yTiles(), at.block() % tiles.yTiles(), args.segment(0), args.segment(1),
                args.segment(2), args.longAt(4), args.intAt(5), args.intAt(6), args.intAt(7));
        if (args.intAt(10) != 0) {
            args.segment(3).setAtIndex(ValueLayout.JAVA_DOUBLE, at.block(), sum);
        }
    }

    @Override
    public void run() {
        Settings settings = field.settings();
        Stream stream = rank.stream();
        int planes = field.slab().count();
        for (int iteration = 0; iteration < settings.iterations(); iteration++) {
            long from = iteration % 2 * field.capacity();
            long to = field.capacity() - from;
            Block next = field.pressure().local().slice(to, field.capacity());
            stream.launch(STEP, shape, field.pressure().local().slice(from, field.capacity()), next, field.coefficients(),
                    sums, field.capacity(), planes, settings.rows(), settings.columns(), tiles.zTiles(), tiles.yTiles(),
                    iteration == settings.iterations() - 1 ? 1 : 0);
            if (rank.rank() > 0) {
                stream.memput(plane(rank.rank() - 1, to, field.planesBelow() + 1), plane(next, 1));
            }
            if (rank.rank() < rank.ranks() - 1) {
                stream.memput(plane(rank.rank() + 1, to, 0), plane(next, planes));
            }
            stream.sync();
            rank.barrier();
        }
    }

    private Block plane(Block part, int plane) {
        return part.slice(plane * field.planeSize(), field.planeSize());
    }

    private SharedPointer plane(int owner, long part, int plane) {
        return field.pressure().pointer(part + plane * field.planeSize()).onRank(owner);
    }

    @Override
    public double gosa() {
        return field.sum(sums);
    }

    @Override
    public void close() {
        sums.deviceMemory().close();
    }
}
