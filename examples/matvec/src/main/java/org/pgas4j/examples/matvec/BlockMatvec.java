package org.pgas4j.examples.matvec;

import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.GridKernel;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Rank;
import org.pgas4j.examples.matvec.Matvec.MatvecCase;
import org.pgas4j.kernel.FastMath;

/**
 * Run by the blocks of the devices, in one launch; no host takes part. Block b of the client has as partner block b of a server,
 * the servers in turn: it sends its share of each batch, notified, and the partner sends the products back, notified. With a
 * result the partner's memory for that batch is free again, so no more than {@link MatvecCase#depth()} batches are under way, and
 * nothing needs to be flushed.
 */
final class BlockMatvec extends MatvecService {

    private static final int TAG = 0;
    private static final long VECTOR_BYTES = (long) Products.SIDE * Float.BYTES;

    private final DeviceGrid grid;
    private final MatvecLaunch launch;

    /** Collective. */
    BlockMatvec(Rank rank, MatvecCase of, MatvecLaunch launch) {
        super(rank, of);
        this.grid = of.runs().grid(rank);
        this.launch = launch;
    }

    @Override
    public void run() {
        launch.launch(grid, matrix, source(), target(), of);
        grid.sync();
    }

    /** The example's own program. */
    static void launch(DeviceGrid grid, Buffer matrix, Buffer source, Buffer target, MatvecCase of) {
        grid.launch(program(matrix, source, target, of.vectors(), of.batches(), of.depth()));
    }

    /** Products and sums are of small whole numbers: it makes no difference whether they are rounded one by one. */
    private static GridKernel program(Buffer matrix, Buffer source, Buffer target, int vectors, int batches, int depth) {
        return (GridKernel & FastMath) self -> {
            int window = self.createWindow(Comm.WORLD, target);
            int block = (int) self.block();
            int server = 1 + block % (self.hostRanks() - 1);
            long first = (long) vectors * block / self.blocks();
            long count = (long) vectors * (block + 1) / self.blocks() - first;
            if (self.hostRank() == 0 && count > 0) {
                int partner = server * (int) self.blocks() + block;
                send(self, window, partner, source, first, count, vectors, batches, depth);
            } else if (self.hostRank() == server && count > 0) {
                serve(self, window, block, matrix, source, target, first, count, vectors, batches, depth);
            }
            self.freeWindow(window);
        };
    }

    /** The client's block: sends its share of each batch when the partner has room for it. */
    private static void send(GridRank self, int window, int partner, Buffer source, long first, long count, int vectors,
                             int batches, int depth) {
        for (int batch = 0; batch < batches + depth; batch++) {
            if (batch >= depth) {
                self.awaitNotifications(TAG, 1);
            }
            if (batch < batches) {
                long slot = (long) (batch % depth) * vectors + first;
                long from = (long) batch * vectors + first;
                self.putNotify(window, partner, slot * VECTOR_BYTES, source.slice(from * Products.SIDE, count * Products.SIDE),
                        count * VECTOR_BYTES, TAG);
            }
        }
    }

    /** A server's block: multiplies what comes, into the client's memory if it is within reach. */
    private static void serve(GridRank self, int window, int client, Buffer matrix, Buffer source, Buffer target, long first,
                              long count, int vectors, int batches, int depth) {
        float[] row = new float[Products.SIDE];
        if (self.lanes() == Products.SIDE) { // where a lane has one row, that stays in its registers
            Products.row(matrix, self.lane(), row);
        }
        Buffer there = self.part(window, client);
        for (int batch = 0; batch < batches; batch++) {
            long slot = (long) (batch % depth) * vectors + first;
            long result = there == null ? slot : (long) batch * vectors + first;
            self.awaitNotifications(TAG, 1);
            Products.multiply(self, matrix, row, target, slot, there == null ? source : there, result, count);
            if (there != null) {
                self.signal(Comm.WORLD, client, TAG);
            } else {
                self.putNotify(window, client, ((long) batch * vectors + first) * VECTOR_BYTES,
                        source.slice(slot * Products.SIDE, count * Products.SIDE), count * VECTOR_BYTES, TAG);
            }
        }
    }

    @Override
    public void close() {
        grid.close();
        super.close();
    }
}
