package org.pgas4j.examples.himeno;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Kernel;
import org.pgas4j.Rank;
import org.pgas4j.examples.himeno.Himeno.HimenoCase;

/**
 * Driven by the blocks: one launch for all iterations. A block computes its tile, stores the planes that another device's blocks
 * read straight into that device's memory, and notifies the blocks beside it, up to eight; when all those have notified, the next
 * iteration may begin. Tags alternate: a neighbour can be one iteration ahead, never two. For the same reason a plane that was put
 * may be overwritten two iterations later without a flush: the neighbour has seen it.
 */
final class BlockSolver extends Solver {

    private static final String CUDA = """
            #include <pgas_device.cuh>

            """ + Tiles.CUDA + """

            extern "C" __global__ void __launch_bounds__(THREADS) himeno_blocks(pgas_world world, float *p, const float *m,
                    double *sums, long long field, int planes, int planesBelow, int rows, int columns, int zTiles, int yTiles,
                    int iterations) {
                pgas_context *c = pgas_init(world);
                const int window = pgas_win_create(c, PGAS_WORLD, p, 2 * field * sizeof(float));
                // Stores through this come before later notifications, those of blocks of this device too.
                p = (float *) pgas_ptr(c, window, pgas_rank(c, PGAS_WORLD));
                const int block = pgas_rank(c, PGAS_DEVICE), perRank = pgas_size(c, PGAS_DEVICE);
                const int host = pgas_host_rank(c), hosts = pgas_host_ranks(c);
                const int z = block / yTiles, y = block % yTiles;
                const bool works = block < zTiles * yTiles;
                // Each of the first eight threads has a neighbour to notify, if there is one in its direction.
                const int direction = threadIdx.x + (threadIdx.x >= 4), nz = host * zTiles + z + direction / 3 - 1,
                          ny = y + direction % 3 - 1;
                const bool has = works && threadIdx.x < 8 && nz >= 0 && nz < hosts * zTiles && ny >= 0 && ny < yTiles;
                const int beside = has ? nz / zTiles * perRank + nz % zTiles * yTiles + ny : -1;
                const int neighbours = __syncthreads_count(has);
                const himeno_tile t = himeno_tile_of(z, y, zTiles, yTiles, planes, rows);
                double part = 0;
                for (int iteration = 0; iteration < iterations && works; iteration++) {
                    const long long to = iteration % 2 ? 0 : field;
                    part = himeno_tile_step(p + (field - to), p + to, m, field, t, rows, columns);
                    __syncthreads();
                    for (int dz = -1; dz <= 1; dz += 2) {
                        const int owner = (host * zTiles + z + dz) / zTiles;
                        if (host * zTiles + z + dz < 0 || owner == host || owner >= hosts) {
                            continue;
                        }
                        // All of the plane that the blocks there read; those above and below in y get their rows by the others.
                        const long long count = (long long) (t.row1 - t.row0) * columns;
                        const float *mine = p + to + ((long long) (dz < 0 ? 1 : planes) * rows + t.row0) * columns;
                        const long long at = to + ((long long) (dz < 0 ? planesBelow + 1 : 0) * rows + t.row0) * columns;
                        const int first = owner * perRank + (dz < 0 ? zTiles - 1 : 0) * yTiles;
                        float *there = (float *) pgas_ptr(c, window, first + y);
                        for (long long n = threadIdx.x; there != 0 && n < count; n += blockDim.x) {
                            there[at + n] = mine[n];
                        }
                        for (int dy = -1; dy <= 1 && there == 0; dy++) {
                            // By the host what a block is sent comes before its notification, so each is sent its rows.
                            if (y + dy >= 0 && y + dy < yTiles) {
                                const long long from = dy > 0 ? count - columns : 0;
                                pgas_put(c, window, first + y + dy, (at + from) * sizeof(float), mine + from,
                                         (dy == 0 ? count : columns) * sizeof(float));
                            }
                        }
                    }
                    __syncthreads();
                    if (has) {
                        pgas_notify_thread(c, PGAS_WORLD, beside, iteration % 2);
                    }
                    pgas_wait_notifications(c, iteration % 2, neighbours);
                }
                const double sum = himeno_sum(part);
                if (threadIdx.x == 0) {
                    sums[block] = sum;
                }
                pgas_win_free(c, window);
                pgas_finish(c);
            }
            """;

    private final DeviceGrid grid;
    private final GridProgram program;
    private final Tiles tiles;
    private final Buffer sums;

    /** Collective. */
    BlockSolver(Rank rank, HimenoCase of) {
        super(rank, of);
        this.grid = of.runs().grid(rank);
        this.program = program(of.runs().threads());
        this.tiles = Tiles.forBlocks(grid.perRank(), of.count(rank.ranks(), rank.ranks() - 1), of.rows());
        this.sums = rank.device().allocDoubles(grid.perRank());
    }

    /** Compiled for the number of threads: as many registers as those leave. */
    static GridProgram program(int threads) {
        return new GridProgram("himeno_blocks", "#define THREADS " + threads + "\n" + CUDA, BlockSolver::block);
    }

    @Override
    public void run() {
        grid.launch(program, pressure.local(), coefficients, sums, capacity, planes(), planesBelow(), of.rows(),
                of.columns(), tiles.zTiles(), tiles.yTiles(), of.iterations());
        grid.sync();
    }

    /** The Java form of the program. */
    private static void block(GridRank self, Kernel.Args args) {
        int window = self.createWindow(Comm.WORLD, args.segment(0));
        Tiles tiles = new Tiles(args.intAt(8), args.intAt(9));
        int block = self.rank(Comm.DEVICE);
        double sum = 0;
        if (block < tiles.count()) {
            Tile tile = new Tile(self, window, tiles, args);
            for (int iteration = 0; iteration < args.intAt(10); iteration++) {
                sum = tile.step(iteration);
            }
        }
        args.segment(2).setAtIndex(ValueLayout.JAVA_DOUBLE, block, sum);
        self.freeWindow(window);
    }

    @Override
    Buffer sums() {
        return sums;
    }

    @Override
    public void close() {
        sums.close();
        grid.close();
        super.close();
    }

    /** The part of the grid that a block of the host device computes. */
    private record Tile(GridRank self, int window, Tiles tiles, Kernel.Args args) {

        double step(int iteration) {
            int z = self.rank(Comm.DEVICE) / tiles.yTiles();
            int y = self.rank(Comm.DEVICE) % tiles.yTiles();
            long field = args.longAt(3);
            long to = iteration % 2 == 0 ? field : 0;
            double sum = tiles.step(z, y, args.segment(0).asSlice((field - to) * Float.BYTES, field * Float.BYTES),
                    args.segment(0).asSlice(to * Float.BYTES, field * Float.BYTES), args.segment(1), field, args.intAt(4), args.intAt(6),
                    args.intAt(7));
            int neighbours = 0;
            for (int dz = -1; dz <= 1; dz++) {
                for (int dy = -1; dy <= 1; dy++) {
                    int nz = self.hostRank() * tiles.zTiles() + z + dz;
                    if ((dz != 0 || dy != 0) && nz >= 0 && nz < self.hostRanks() * tiles.zTiles() && y + dy >= 0
                            && y + dy < tiles.yTiles()) {
                        neighbours++;
                        signal(nz, y, dz, dy, to, iteration % 2);
                    }
                }
            }
            self.awaitNotifications(iteration % 2, neighbours);
            return sum;
        }

        /** Copies the rows that a neighbour of another rank needs of the new field, and notifies it. */
        private void signal(int nz, int y, int dz, int dy, long to, int tag) {
            MemorySegment p = args.segment(0);
            int rows = args.intAt(6);
            int columns = args.intAt(7);
            int owner = nz / tiles.zTiles();
            int target = owner * self.ranks(Comm.DEVICE) + nz % tiles.zTiles() * tiles.yTiles() + y + dy;
            if (owner != self.hostRank()) {
                int row0 = dy > 0 ? tiles.row0(y + 1, rows) - 1 : tiles.row0(y, rows);
                int row1 = dy < 0 ? tiles.row0(y, rows) + 1 : tiles.row0(y + 1, rows);
                long bytes = (long) (row1 - row0) * columns * Float.BYTES;
                long mine = (to + ((long) (dz < 0 ? 1 : args.intAt(4)) * rows + row0) * columns) * Float.BYTES;
                long at = (to + ((long) (dz < 0 ? args.intAt(5) + 1 : 0) * rows + row0) * columns) * Float.BYTES;
                MemorySegment there = self.ptr(window, target);
                if (there == null) {
                    self.put(window, target, at, p.asSlice(mine, bytes), bytes);
                } else {
                    MemorySegment.copy(p, mine, there, at, bytes);
                }
            }
            self.signal(Comm.WORLD, target, tag);
        }
    }
}
