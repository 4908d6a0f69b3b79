package org.pgas4j.examples.halo;

import java.lang.foreign.MemorySegment;
import org.pgas4j.DeviceGrid;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Kernel;
import org.pgas4j.Rank;
import org.pgas4j.examples.halo.Halo.HaloCase;

/**
 * {@code blocks}: one launch for all periods. A block has some of the rows; it packs and sends its part of both faces to the blocks
 * with the same number beside it, computes what needs no face, waits for theirs, and computes the rest. A barrier of the device
 * ends the period, since rows of other blocks are read in the next.
 */
final class BlockLoop extends HaloBox {

    private static final String CUDA = """
            #include <pgas_device.cuh>

            """ + SevenPoint.CUDA + """

            extern "C" __global__ void __launch_bounds__(THREADS) halo_blocks(pgas_world world, float *u, float *send,
                    float *receive, int n, int periods) {
                pgas_context *c = pgas_init(world);
                const long long face = (long long) n * n, box = face * n;
                const int window = pgas_win_create(c, PGAS_WORLD, receive, 4 * face * sizeof(float));
                const int block = pgas_rank(c, PGAS_DEVICE), blocks = pgas_size(c, PGAS_DEVICE);
                const int host = pgas_host_rank(c), hosts = pgas_host_ranks(c);
                const long long from = face * block / blocks, to = face * (block + 1) / blocks;
                for (int period = 0; period < periods; period++) {
                    const float *old = u + period % 2 * box;
                    float *next = u + (period + 1) % 2 * box;
                    const long long slot = period % 2 * 2 * face;
                    if (from < to) {
                        halo_pack(old, send + slot, n, from + threadIdx.x, to, blockDim.x);
                        __syncthreads();
                        for (int side = 0; side < 2; side++) {
                            const int target = (host + (side == 0 ? hosts - 1 : 1)) % hosts * blocks + block;
                            pgas_put_notify(c, window, target, (slot + (1 - side) * face + from) * sizeof(float),
                                            send + slot + side * face + from, (to - from) * sizeof(float), 1 - side);
                        }
                        halo_interior(old, next, n, from * (n - 2) + threadIdx.x, to * (n - 2), blockDim.x);
                        pgas_wait_notifications(c, 0, 1);
                        pgas_wait_notifications(c, 1, 1);
                        halo_unpack(old, next, receive + slot, n, from + threadIdx.x, to, blockDim.x);
                    }
                    pgas_barrier(c, PGAS_DEVICE);
                }
                pgas_win_free(c, window);
                pgas_finish(c);
            }
            """;

    private final DeviceGrid grid;
    private final GridProgram program;

    /** Collective. */
    BlockLoop(Rank rank, HaloCase of) {
        super(rank, of);
        this.grid = grid();
        this.program = program(of.runs().threads());
    }

    /** Compiled for the number of threads: as many registers as those leave. */
    static GridProgram program(int threads) {
        return new GridProgram("halo_blocks", "#define THREADS " + threads + "\n" + CUDA, BlockLoop::block);
    }

    @Override
    public void run() {
        grid.launch(program, allU.local(), allSend.local(), allReceive.local(), of.side(),
                of.periods());
        grid.sync();
    }

    /** The Java form of the program. */
    private static void block(GridRank self, Kernel.Args args) {
        MemorySegment u = args.segment(0);
        MemorySegment send = args.segment(1);
        MemorySegment receive = args.segment(2);
        int n = args.intAt(3);
        long face = (long) n * n * Float.BYTES;
        int window = self.createWindow(Comm.WORLD, receive);
        int block = self.rank(Comm.DEVICE);
        int blocks = self.ranks(Comm.DEVICE);
        long from = (long) n * n * block / blocks;
        long to = (long) n * n * (block + 1) / blocks;
        for (int period = 0; period < args.intAt(4); period++) {
            MemorySegment old = u.asSlice(period % 2 * face * n, face * n);
            MemorySegment next = u.asSlice((period + 1) % 2 * face * n, face * n);
            long slot = period % 2 * 2 * face;
            if (from < to) {
                SevenPoint.pack(old, send.asSlice(slot, 2 * face), n, from, to);
                long bytes = (to - from) * Float.BYTES;
                for (int side = 0; side < 2; side++) {
                    int host = (self.hostRank() + (side == 0 ? self.hostRanks() - 1 : 1)) % self.hostRanks();
                    self.putNotify(window, host * blocks + block, slot + (1 - side) * face + from * Float.BYTES,
                            send.asSlice(slot + side * face + from * Float.BYTES, bytes), bytes, 1 - side);
                }
                SevenPoint.interior(old, next, n, from, to);
                self.awaitNotifications(0, 1);
                self.awaitNotifications(1, 1);
                SevenPoint.unpack(old, next, receive.asSlice(slot, 2 * face), n, from, to);
            }
            self.barrier(Comm.DEVICE);
        }
        self.freeWindow(window);
    }

    @Override
    public void close() {
        grid.close();
        super.close();
    }
}
