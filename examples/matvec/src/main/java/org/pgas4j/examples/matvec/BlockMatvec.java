package org.pgas4j.examples.matvec;

import java.lang.foreign.MemorySegment;
import org.pgas4j.DeviceGrid;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Kernel;
import org.pgas4j.Rank;
import org.pgas4j.examples.matvec.Matvec.MatvecCase;

/**
 * Run by the blocks of the devices, in one launch; no host takes part. Block b of the client has as partner block b of a server,
 * the servers in turn: it sends its share of each batch, notified, and the partner sends the products back, notified. The matrix
 * stays in the server's registers. With a result the partner's memory for that batch is free again, so no more than
 * {@link MatvecCase#depth()} batches are under way, and nothing needs to be flushed.
 */
final class BlockMatvec extends MatvecService {

    private static final int TAG = 0;

    private static final String CUDA = """
            #include <pgas_device.cuh>

            """ + MatvecService.CUDA + """

            extern "C" __global__ void __launch_bounds__(THREADS) matvec_blocks(pgas_world world, const float *a, float *source,
                    float *target, long long targetBytes, int vectors, int batches, int depth) {
                pgas_context *c = pgas_init(world);
                const int window = pgas_win_create(c, PGAS_WORLD, target, targetBytes);
                const int block = pgas_rank(c, PGAS_DEVICE), blocks = pgas_size(c, PGAS_DEVICE), host = pgas_host_rank(c);
                const int server = 1 + block % (pgas_host_ranks(c) - 1);
                const long long first = (long long) vectors * block / blocks;
                const int count = (int) ((long long) vectors * (block + 1) / blocks - first);
                const long long vectorBytes = 32 * sizeof(float);
                if (host == 0 && count > 0) {
                    for (int batch = 0; batch < batches + depth; batch++) {
                        if (batch >= depth) {
                            pgas_wait_notifications(c, 0, 1);
                        }
                        if (batch < batches) {
                            const long long slot = (long long) (batch % depth) * vectors + first;
                            pgas_put_notify(c, window, server * blocks + block, slot * vectorBytes,
                                            source + 32 * ((long long) batch * vectors + first), count * vectorBytes, 0);
                        }
                    }
                } else if (host == server && count > 0) {
                    float row[32];
                    matvec_row(a, row);
                    float *there = (float *) pgas_ptr(c, window, block);
                    for (int batch = 0; batch < batches; batch++) {
                        const long long slot = (long long) (batch % depth) * vectors + first;
                        const long long result = (long long) batch * vectors + first;
                        pgas_wait_notifications(c, 0, 1);
                        if (there != 0) {
                            matvec_products(row, target + 32 * slot, there + 32 * result, count);
                            pgas_notify(c, PGAS_WORLD, block, 0);
                        } else {
                            matvec_products(row, target + 32 * slot, source + 32 * slot, count);
                            pgas_put_notify(c, window, block, result * vectorBytes, source + 32 * slot, count * vectorBytes, 0);
                        }
                    }
                }
                pgas_win_free(c, window);
                pgas_finish(c);
            }
            """;

    private final DeviceGrid grid;
    private final GridProgram program;

    /** Collective. */
    BlockMatvec(Rank rank, MatvecCase of) {
        super(rank, of);
        this.grid = of.runs().grid(rank);
        this.program = program(of.runs().threads());
    }

    /** Compiled for the number of threads: as many registers as those leave. */
    static GridProgram program(int threads) {
        return new GridProgram("matvec_blocks", "#define THREADS " + threads + "\n" + CUDA, BlockMatvec::block);
    }

    @Override
    public void run() {
        grid.launch(program, matrix, source(), target(), bytes(), of.vectors(),
                of.batches(), of.depth());
        grid.sync();
    }

    /** The Java form of the program. */
    private static void block(GridRank self, Kernel.Args args) {
        MemorySegment source = args.segment(1);
        MemorySegment target = args.segment(2);
        int vectors = args.intAt(4);
        int batches = args.intAt(5);
        int depth = args.intAt(6);
        int window = self.createWindow(Comm.WORLD, target);
        int block = self.rank(Comm.DEVICE);
        int blocks = self.ranks(Comm.DEVICE);
        int server = 1 + block % (self.hostRanks() - 1);
        long first = (long) vectors * block / blocks;
        long count = (long) vectors * (block + 1) / blocks - first;
        long vectorBytes = (long) Products.SIDE * Float.BYTES;
        if (self.hostRank() == 0 && count > 0) {
            for (int batch = 0; batch < batches + depth; batch++) {
                if (batch >= depth) {
                    self.awaitNotifications(TAG, 1);
                }
                if (batch < batches) {
                    long slot = (long) (batch % depth) * vectors + first;
                    self.putNotify(window, server * blocks + block, slot * vectorBytes,
                            source.asSlice(((long) batch * vectors + first) * vectorBytes, count * vectorBytes),
                            count * vectorBytes, TAG);
                }
            }
        } else if (self.hostRank() == server && count > 0) {
            for (int batch = 0; batch < batches; batch++) {
                long slot = (long) (batch % depth) * vectors + first;
                self.awaitNotifications(TAG, 1);
                Products.multiply(args.segment(0), target, slot * Products.SIDE, source, slot * Products.SIDE, count);
                self.putNotify(window, block, ((long) batch * vectors + first) * vectorBytes,
                        source.asSlice(slot * vectorBytes, count * vectorBytes), count * vectorBytes, TAG);
            }
        }
        self.freeWindow(window);
    }

    @Override
    public void close() {
        grid.close();
        super.close();
    }
}
