package org.pgas4j.examples.himeno;

import java.util.stream.IntStream;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.GridKernel;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Callers;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Rank;
import org.pgas4j.examples.himeno.Himeno.HimenoCase;

/**
 * Driven by the blocks: one launch for all iterations. A block computes its tile, stores the planes that another device's blocks
 * read straight into that device's memory, and notifies the blocks beside it, up to eight; when all those have notified, the next
 * iteration may begin. Tags alternate: a neighbour can be one iteration ahead, never two. For the same reason a plane that was put
 * may be overwritten two iterations later without a flush: the neighbour has seen it.
 */
final class BlockSolver extends Solver {

    private static final int NEIGHBOURS = 8;

    private final DeviceGrid grid;
    private final HimenoLaunch launch;
    private final HimenoPart part;
    private final Buffer sums;

    /** Collective. */
    BlockSolver(Rank rank, HimenoCase of, HimenoLaunch launch) {
        super(rank, of);
        int[] beside = IntStream.of(rank.rank() - 1, rank.rank() + 1).filter(r -> r >= 0 && r < rank.ranks()).toArray();
        this.grid = rank.createGrid(of.runs().shape(rank, of.runs().blocks()).partners(beside));
        this.launch = launch;
        this.part = part(Tiles.forBlocks(grid.perRank(), of.count(rank.ranks(), rank.ranks() - 1), of.rows()));
        this.sums = rank.device().allocDoubles(grid.perRank());
    }

    @Override
    public void run() {
        launch.launch(grid, pressure.local(), coefficients, sums, part, of.iterations());
        grid.sync();
    }

    /** The example's own program. */
    static void launch(DeviceGrid grid, Buffer pressure, Buffer coefficients, Buffer sums, HimenoPart part, int iterations) {
        grid.launch(program(pressure, coefficients, sums, part, iterations));
    }

    private static GridKernel program(Buffer pressure, Buffer m, Buffer sums, HimenoPart part, int iterations) {
        return self -> {
            int window = self.createWindow(Comm.WORLD, pressure);
            // Stores through this come before later notifications, those of blocks of this device too.
            Buffer p = self.part(window, self.rank(Comm.WORLD));
            int block = (int) self.block();
            double residual = block < part.tiles().count() ? iterate(self, window, p, m, part, iterations) : 0;
            double sum = self.blockSum(residual);
            if (self.thread() == 0) {
                sums.putDouble(block, sum);
            }
            self.freeWindow(window);
        };
    }

    /** All iterations of one block; gives the thread's part of the last one's residual. */
    private static double iterate(GridRank self, int window, Buffer p, Buffer m, HimenoPart part, int iterations) {
        int z = (int) self.block() / part.tiles().yTiles();
        int y = (int) self.block() % part.tiles().yTiles();
        int[] beside = self.sharedInts(NEIGHBOURS);
        for (int i = self.thread(); i < NEIGHBOURS; i += self.threads()) {
            beside[i] = neighbour(self, part.tiles(), z, y, i);
        }
        self.sync();
        int neighbours = 0;
        for (int i = 0; i < NEIGHBOURS; i++) {
            neighbours += beside[i] < 0 ? 0 : 1;
        }
        double residual = 0;
        for (int iteration = 0; iteration < iterations; iteration++) {
            long to = iteration % 2 == 0 ? part.field() : 0;
            residual = Tiles.step(z, y, self.thread(), self.threads(), p, part.field() - to, p, to, m, part);
            self.sync();
            sendPlane(self, window, p, part, z, y, -1, to);
            sendPlane(self, window, p, part, z, y, 1, to);
            self.sync();
            for (int i = self.thread(); i < NEIGHBOURS; i += self.threads()) {
                if (beside[i] >= 0) {
                    self.signal(Callers.THREAD, Comm.WORLD, beside[i], iteration % 2);
                }
            }
            self.awaitNotifications(iteration % 2, neighbours);
        }
        return residual;
    }

    /** World number of the block beside tile (z, y) in direction 0..7, row by row without the middle; -1 if there is none. */
    private static int neighbour(GridRank self, Tiles tiles, int z, int y, int direction) {
        int at = direction < NEIGHBOURS / 2 ? direction : direction + 1;
        int nz = self.hostRank() * tiles.zTiles() + z + at / 3 - 1;
        int ny = y + at % 3 - 1;
        if (nz < 0 || nz >= self.hostRanks() * tiles.zTiles() || ny < 0 || ny >= tiles.yTiles()) {
            return -1;
        }
        return nz / tiles.zTiles() * self.ranks(Comm.DEVICE) + nz % tiles.zTiles() * tiles.yTiles() + ny;
    }

    /**
     * Copies the plane of the new field that blocks of the rank below (dz = -1) or above (1) read, if there are such beside this
     * block. Those above and below in y get their rows by the others.
     */
    private static void sendPlane(GridRank self, int window, Buffer p, HimenoPart part, int z, int y, int dz, long to) {
        Tiles tiles = part.tiles();
        int nz = self.hostRank() * tiles.zTiles() + z + dz;
        int owner = nz / tiles.zTiles();
        if (nz < 0 || owner == self.hostRank() || owner >= self.hostRanks()) {
            return;
        }
        int row0 = tiles.row0(y, part.rows());
        long count = (long) (tiles.row0(y + 1, part.rows()) - row0) * part.columns();
        long mine = to + ((long) (dz < 0 ? 1 : part.planes()) * part.rows() + row0) * part.columns();
        long at = to + ((long) (dz < 0 ? part.planesBelow() + 1 : 0) * part.rows() + row0) * part.columns();
        int first = owner * self.ranks(Comm.DEVICE) + (dz < 0 ? tiles.zTiles() - 1 : 0) * tiles.yTiles();
        Buffer there = self.part(window, first + y);
        if (there != null) {
            for (long n = self.thread(); n < count; n += self.threads()) {
                there.putFloat(at + n, p.getFloat(mine + n));
            }
            return;
        }
        // By the host what a block is sent comes before its notification, so each is sent its rows.
        for (int dy = -1; dy <= 1; dy++) {
            if (y + dy >= 0 && y + dy < tiles.yTiles()) {
                long from = dy > 0 ? count - part.columns() : 0;
                long bytes = (dy == 0 ? count : part.columns()) * Float.BYTES;
                self.put(window, first + y + dy, (at + from) * Float.BYTES, p.slice((mine + from) * Float.BYTES, bytes), bytes);
            }
        }
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
}
