package org.pgas4j.runtime.blocks;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.pgas4j.GridRank;

/** Barriers of a block of the host device, with the numbers of those it has been in. Used by the block's thread. */
final class HostBlockBarriers {

    private static final VarHandle LONG = HostPage.LONG;

    private final HostBlock.World world;
    private final BlockLayout layout;
    private final int block;
    private final MemorySegment own;
    private final long record;
    private final HostBlockWaits waits;
    private final HostBlockCommands host;
    private long worldEpoch;
    private long deviceEpoch;

    HostBlockBarriers(HostBlock.World world, int block, HostBlockWaits waits, HostBlockCommands host) {
        this.world = world;
        this.layout = world.layout();
        this.block = block;
        this.own = world.ownSegment();
        this.record = world.area() + layout.record(block);
        this.waits = waits;
        this.host = host;
        worldEpoch = own.get(ValueLayout.JAVA_LONG, record + BlockLayout.WORLD_EPOCH);
        deviceEpoch = own.get(ValueLayout.JAVA_LONG, record + BlockLayout.DEVICE_EPOCH);
    }

    /** Keeps the numbers for the next launch. */
    void save() {
        own.set(ValueLayout.JAVA_LONG, record + BlockLayout.WORLD_EPOCH, worldEpoch);
        own.set(ValueLayout.JAVA_LONG, record + BlockLayout.DEVICE_EPOCH, deviceEpoch);
    }

    /** Waits for all blocks of the communicator; {@code what} names the barrier in a failure. */
    void await(GridRank.Comm comm, BlockFailure.Barrier what) {
        waits.requireOperations();
        waits.barrier(what);
        deviceEpoch++;
        LONG.getAndAdd(own, world.area() + BlockLayout.ARRIVALS, 1L);
        int hosts = layout.hostRanks();
        if (comm == GridRank.Comm.DEVICE || hosts == 1 || block == 0) {
            waits.await(BlockFailure.LATE_BARRIER, -1, deviceEpoch * layout.perRank(),
                    () -> word(world.area() + BlockLayout.ARRIVALS));
        }
        if (comm == GridRank.Comm.DEVICE) {
            return;
        }
        worldEpoch++;
        if (hosts == 1) {
            return;
        }
        long flag = 2 * worldEpoch;
        if (block == 0) {
            if (world.throughHost()) {
                // All that the host carries has arrived at all once all have these flags: a get of what others put finds it.
                pushFlag(flag - 1);
                awaitFlags(flag - 1);
            }
            pushFlag(flag);
        }
        awaitFlags(flag);
    }

    private void pushFlag(long flag) {
        for (int r = 0; r < layout.hostRanks(); r++) {
            host.writeWord(r, world.area() + layout.checkedIn(world.hostRank()), flag);
        }
    }

    private void awaitFlags(long flag) {
        waits.awaited(flag);
        for (int r = 0; r < layout.hostRanks(); r++) {
            long at = world.area() + layout.checkedIn(r);
            waits.await(BlockFailure.LATE_BARRIER, -1, flag, () -> word(at));
        }
        waits.awaited(0);
    }

    /**
     * Compares the barriers of all blocks, as the last to end: one that skips a barrier lets others through too early,
     * now or later.
     */
    void compare() {
        for (int other = 0; other < layout.perRank(); other++) {
            long its = world.area() + layout.record(other);
            long itsWorld = own.get(ValueLayout.JAVA_LONG, its + BlockLayout.WORLD_EPOCH);
            long itsDevice = own.get(ValueLayout.JAVA_LONG, its + BlockLayout.DEVICE_EPOCH);
            boolean ofDevice = itsDevice != deviceEpoch;
            if (ofDevice || itsWorld != worldEpoch) {
                throw waits.fail(BlockFailure.UNEQUAL_BARRIERS, 2 * other + (ofDevice ? 1 : 0),
                        ofDevice ? deviceEpoch : worldEpoch, ofDevice ? itsDevice : itsWorld);
            }
        }
    }

    private long word(long offset) {
        return (long) LONG.getAcquire(own, offset);
    }
}
