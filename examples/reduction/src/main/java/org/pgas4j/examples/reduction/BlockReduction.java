package org.pgas4j.examples.reduction;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.DeviceGrid;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Kernel;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.SharedLongs;
import org.pgas4j.examples.common.RunSettings;

/**
 * One kernel: every block adds up its part of its device's values, then a binary tree over all blocks of all devices adds up
 * the blocks' sums. On level l a block either sends its sum to the block 2^l below, with a notification, and is done, or waits
 * for the one of the block 2^l above. A block has a slot for each level and one for its own sum.
 */
final class BlockReduction extends Summation {

    /** Levels of the tree, enough for any number of blocks, and the block's own sum. */
    private static final int SLOTS = 32;
    private static final int OWN = SLOTS - 1;

    private static final GridProgram PROGRAM = new GridProgram("reduction", """
            #include <pgas_device.cuh>
            """ + Summation.CUDA + """

            #define SLOTS 32
            #define OWN (SLOTS - 1)

            extern "C" __global__ void __launch_bounds__(1024) reduction(pgas_world world, const long long *values,
                                                                        long long count, long long *slots) {
                pgas_context *c = pgas_init(world);
                const int rank = pgas_rank(c, PGAS_WORLD), ranks = pgas_size(c, PGAS_WORLD);
                const int block = pgas_rank(c, PGAS_DEVICE), blocks = pgas_size(c, PGAS_DEVICE);
                long long *mine = slots + block * SLOTS;
                const int window = pgas_win_create(c, PGAS_WORLD, mine, SLOTS * sizeof(long long));

                long long sum = block_sum(values, count * block / blocks, count * (block + 1) / blocks);
                for (int level = 0, distance = 1; distance < ranks; level++, distance *= 2) {
                    if (rank % (2 * distance) != 0) {
                        if (threadIdx.x == 0) {
                            mine[OWN] = sum;
                        }
                        __syncthreads();
                        pgas_put_notify(c, window, rank - distance, level * sizeof(sum), mine + OWN, sizeof(sum), level);
                        break;
                    }
                    if (rank + distance < ranks) {
                        pgas_wait_notifications(c, level, 1);
                        sum += mine[level];
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

    private final DeviceGrid grid;
    private final SharedLongs slots;

    /** Collective. */
    BlockReduction(Rank rank, long count, RunSettings settings) {
        super(rank, count);
        this.grid = settings.grid(rank);
        long mine = (long) settings.blocks() * SLOTS;
        try (var _ = rank.onDevice()) {
            this.slots = rank.allAllocLongs(Layout.blocked(mine), mine * rank.ranks());
        }
    }

    @Override
    long add() {
        grid.launch(PROGRAM, values, values.length(), slots.local());
        grid.sync();
        return rank.rank() == 0 ? slots.get(OWN) : 0;
    }

    /** The same in Java. */
    private static void reduction(GridRank self, Kernel.Args args) {
        MemorySegment values = args.segment(0);
        long count = args.longAt(1);
        int rank = self.rank(Comm.WORLD);
        int ranks = self.ranks(Comm.WORLD);
        int block = self.rank(Comm.DEVICE);
        int blocks = self.ranks(Comm.DEVICE);
        MemorySegment mine = args.segment(2).asSlice((long) block * SLOTS * Long.BYTES, SLOTS * Long.BYTES);
        int window = self.createWindow(Comm.WORLD, mine);

        long sum = sum(values, count * block / blocks, count * (block + 1) / blocks);
        for (int level = 0, distance = 1; distance < ranks; level++, distance *= 2) {
            if (rank % (2 * distance) != 0) {
                mine.setAtIndex(ValueLayout.JAVA_LONG, OWN, sum);
                self.putNotify(window, rank - distance, (long) level * Long.BYTES, mine.asSlice((long) OWN * Long.BYTES), Long.BYTES,
                        level);
                break;
            }
            if (rank + distance < ranks) {
                self.awaitNotifications(level, 1);
                sum += mine.getAtIndex(ValueLayout.JAVA_LONG, level);
            }
        }
        if (rank == 0) {
            mine.setAtIndex(ValueLayout.JAVA_LONG, OWN, sum);
        }
        self.flush();
        self.freeWindow(window);
    }
    @Override
    public void close() {
        rank.allFree(slots);
        grid.close();
        super.close();
    }
}
