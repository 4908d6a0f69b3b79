package org.pgas4j.examples.reduction;

import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.GridKernel;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
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

    private final DeviceGrid grid;
    private final SharedLongs slots;
    private final GridKernel program;

    /** Collective. */
    BlockReduction(Rank rank, long count, RunSettings settings) {
        super(rank, count);
        this.grid = settings.grid(rank);
        long mine = (long) settings.blocks() * SLOTS;
        try (var _ = rank.onDevice()) {
            this.slots = rank.allAllocLongs(Layout.blocked(mine), mine * rank.ranks());
        }
        this.program = program(values, slots.local());
    }

    @Override
    long add() {
        grid.launch(program);
        grid.sync();
        return rank.rank() == 0 ? slots.get(OWN) : 0;
    }

    private static GridKernel program(Buffer values, Buffer slots) {
        return self -> reduction(values, slots, self);
    }

    /** The program of a block. */
    private static void reduction(Buffer values, Buffer slots, GridRank self) {
        int rank = self.rank(Comm.WORLD);
        int ranks = self.ranks(Comm.WORLD);
        Buffer mine = slots.slice(self.block() * SLOTS, SLOTS);
        int window = self.createWindow(Comm.WORLD, mine);

        long sum = 0;
        long last = values.length() * (self.block() + 1) / self.blocks();
        for (long i = values.length() * self.block() / self.blocks() + self.thread(); i < last; i += self.threads()) {
            sum += values.getLong(i);
        }
        sum = self.blockSum(sum);
        for (int level = 0, distance = 1; distance < ranks; level++, distance *= 2) {
            if (rank % (2 * distance) != 0) {
                if (self.thread() == 0) {
                    mine.putLong(OWN, sum);
                }
                self.putNotify(window, rank - distance, (long) level * Long.BYTES, mine.slice(OWN, 1), Long.BYTES, level);
                break;
            }
            if (rank + distance < ranks) {
                self.awaitNotifications(level, 1);
                sum += mine.getLong(level);
            }
        }
        if (rank == 0 && self.thread() == 0) {
            mine.putLong(OWN, sum);
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
