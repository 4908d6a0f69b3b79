package org.pgas4j.examples.reduction;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.GridRank;
import org.pgas4j.DeviceGrid;
import org.pgas4j.Kernel;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.SharedLongs;

/**
 * One kernel: every block adds up its part of its device's values, then a binary tree over all blocks of all devices adds up
 * the blocks' sums. On level l a block either sends its sum to the block 2^l below, with a notification, and is done, or waits
 * for the one of the block 2^l above. A block has a slot for each level and one for its own sum.
 */
final class BlockReduction implements Way {

    /** Levels of the tree, enough for any number of blocks, and the block's own sum. */
    private static final int SLOTS = 32;
    private static final int OWN = SLOTS - 1;
    private static final long LONGS = Sums.BYTES / Long.BYTES;

    private static final GridProgram PROGRAM = new GridProgram("reduction", """
            #include <pgas_device.cuh>
            """ + Kernels.BLOCK_SUM + """

            #define SLOTS 32
            #define OWN (SLOTS - 1)

            extern "C" __global__ void __launch_bounds__(1024) reduction(pgas_world world, const long long *values,
                                                                        long long count, sums *slots) {
                pgas_context *c = pgas_init(world);
                const int rank = pgas_rank(c, PGAS_WORLD), ranks = pgas_size(c, PGAS_WORLD);
                const int block = pgas_rank(c, PGAS_DEVICE), blocks = pgas_size(c, PGAS_DEVICE);
                sums *mine = slots + block * SLOTS;
                const int window = pgas_win_create(c, PGAS_WORLD, mine, SLOTS * sizeof(sums));

                sums sum = block_sum(values, count * block / blocks, count * (block + 1) / blocks);
                for (int level = 0, distance = 1; distance < ranks; level++, distance *= 2) {
                    if (rank % (2 * distance) != 0) {
                        if (threadIdx.x == 0) {
                            mine[OWN] = sum;
                        }
                        __syncthreads();
                        pgas_put_notify(c, window, rank - distance, level * sizeof(sums), mine + OWN, sizeof(sums), level);
                        break;
                    }
                    if (rank + distance < ranks) {
                        pgas_wait_notifications(c, level, 1);
                        sum.whole += mine[level].whole;
                        sum.half += mine[level].half;
                    }
                }
                if (rank == 0 && threadIdx.x == 0) {
                    mine[OWN] = sum;
                }
                pgas_flush(c);
                pgas_win_free(c, window);
                pgas_finish(c);
            }
            """, BlockReduction::reduction);

    private final Rank rank;
    private final Settings settings;
    private final Buffer values;
    private final DeviceGrid blocks;
    private final SharedLongs slots;

    BlockReduction(Rank rank, Settings settings, Buffer values) {
        this.rank = rank;
        this.settings = settings;
        this.values = values;
        DeviceGrid.Options options = DeviceGrid.Options.of(settings.blocks(), settings.threads());
        this.blocks = rank.createGrid(settings.proxy() ? options.proxy() : options);
        long mine = settings.blocks() * SLOTS * LONGS;
        try (var _ = rank.onDevice()) {
            this.slots = rank.allAllocLongs(Layout.blocked(mine), mine * rank.ranks());
        }
    }

    @Override
    public Sums sum() {
        blocks.launch(PROGRAM, values, settings.values(), slots.local());
        blocks.sync();
        if (rank.rank() != 0) {
            return null;
        }
        byte[] bytes = new byte[(int) Sums.BYTES];
        MemorySegment own = MemorySegment.ofArray(bytes);
        rank.memget(own, slots.pointer(OWN * LONGS), Sums.BYTES);
        return Sums.get(own, 0);
    }

    @Override
    public void free() {
        rank.allFree(slots);
        blocks.close();
    }

    /** The same in Java. */
    private static void reduction(GridRank self, Kernel.Args args) {
        MemorySegment values = args.segment(0);
        long count = args.longAt(1);
        int rank = self.rank(Comm.WORLD);
        int ranks = self.ranks(Comm.WORLD);
        int block = self.rank(Comm.DEVICE);
        int blocks = self.ranks(Comm.DEVICE);
        MemorySegment mine = args.segment(2).asSlice(block * SLOTS * Sums.BYTES, SLOTS * Sums.BYTES);
        int window = self.createWindow(Comm.WORLD, mine);

        long first = count * block / blocks;
        Sums sum = Values.sum(values, first, count * (block + 1) / blocks - first);
        for (int level = 0, distance = 1; distance < ranks; level++, distance *= 2) {
            if (rank % (2 * distance) != 0) {
                sum.set(mine, OWN);
                self.putNotify(window, rank - distance, level * Sums.BYTES, mine.asSlice(OWN * Sums.BYTES), Sums.BYTES, level);
                break;
            }
            if (rank + distance < ranks) {
                self.awaitNotifications(level, 1);
                sum = sum.plus(Sums.get(mine, level));
            }
        }
        if (rank == 0) {
            sum.set(mine, OWN);
        }
        self.flush();
        self.freeWindow(window);
    }
}
