package org.pgas4j.runtime.blocks;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.GridRank.Comm;

/**
 * Windows of a block of the host device: which numbers are in use, and where each block's part lies. Its tables are those of all
 * blocks of the rank. Used by the block's thread.
 */
final class HostBlockWindows {

    private final HostBlock block;
    private final HostBlock.World world;
    private final BlockLayout layout;
    private final MemorySegment own;
    private final long record;
    private final HostBlockWaits waits;
    private final HostBlockCommands host;
    private final HostBlockBarriers barriers;
    private final long[] slots = new long[Comm.values().length]; // in use, a bit each

    /** @param record of the block, which keeps the numbers in use between launches */
    HostBlockWindows(HostBlock block, HostBlock.World world, long record, HostBlockWaits waits, HostBlockCommands host,
                     HostBlockBarriers barriers) {
        this.block = block;
        this.world = world;
        this.layout = world.layout();
        this.own = world.ownSegment();
        this.record = record;
        this.waits = waits;
        this.host = host;
        this.barriers = barriers;
        for (int comm = 0; comm < slots.length; comm++) {
            slots[comm] = own.get(ValueLayout.JAVA_LONG, open(comm));
        }
    }

    private long open(int comm) {
        return record + BlockLayout.OPEN_WINDOWS + (long) comm * Long.BYTES;
    }

    void save() {
        for (int comm = 0; comm < slots.length; comm++) {
            own.set(ValueLayout.JAVA_LONG, open(comm), slots[comm]);
        }
    }

    /** Communicator of a window. */
    static Comm comm(int number) {
        return (number & BlockLayout.DEVICE_WINDOW) != 0 ? Comm.DEVICE : Comm.WORLD;
    }

    /**
     * Shows memory to the blocks of a communicator.
     *
     * @param shared refuses private memory
     */
    int create(Comm comm, MemorySegment base, boolean shared) {
        waits.requireOperations();
        int most = layout.windows(comm);
        long free = ~slots[comm.ordinal()] & -1L >>> BlockLayout.WINDOWS - most;
        if (free == 0) {
            throw waits.fail(BlockFailure.MANY_WINDOWS, -1, most, 0, comm.ordinal(), 0);
        }
        MemorySegment shifts = host.reaches(base, base.byteSize()) ? null : shiftsOfPrivate(comm, base, shared);
        int made = Long.numberOfTrailingZeros(free) | (comm == Comm.DEVICE ? BlockLayout.DEVICE_WINDOW : 0);
        waits.window(made);
        slots[comm.ordinal()] |= Long.lowestOneBit(free);
        long offset = base.address() - own.address();
        int first = comm == Comm.DEVICE ? world.hostRank() : 0;
        int end = comm == Comm.DEVICE ? first + 1 : layout.hostRanks();
        for (int r = first; r < end; r++) {
            if (world.partners().has(r)) {
                long entry = world.area() + layout.windowEntry(made, world.partners().there(r), block.rank(Comm.DEVICE));
                host.writeWord(r, entry, shifts == null ? offset : offset + shifts.getAtIndex(ValueLayout.JAVA_LONG, r));
                host.writeWord(r, entry + BlockLayout.ENTRY_SIZE, base.byteSize());
            }
        }
        barriers.await(comm, BlockFailure.Barrier.CREATE);
        return made;
    }

    /** Shifts of memory outside the segment, for each host rank to add to an offset; null if the offset is the same for all. */
    private MemorySegment shiftsOfPrivate(Comm comm, MemorySegment base, boolean refused) {
        boolean mayBePrivate = base.isNative() && !refused;
        boolean isSameForAll = comm == Comm.DEVICE || world.privateWindows();
        MemorySegment shifts = mayBePrivate && !isSameForAll ? HostPlaces.shifts(world, base) : null;
        if (!mayBePrivate || !isSameForAll && shifts == null) {
            throw waits.fail(BlockFailure.NOT_SHARED, -1, base.byteSize(), 0);
        }
        return shifts;
    }

    void free(int number) {
        Comm comm = comm(number);
        require(number);
        waits.window(number);
        barriers.await(comm, BlockFailure.Barrier.FREE);
        slots[comm.ordinal()] &= ~(1L << (number & BlockLayout.WINDOWS - 1));
    }

    /** Size of a block's part, 0 for this rank if the block's is no partner. */
    long bytes(int number, int target) {
        long entry = entry(number, target);
        return entry == 0 ? 0 : own.get(ValueLayout.JAVA_LONG, entry + BlockLayout.ENTRY_SIZE);
    }

    /** Fails if there is no such window. */
    void require(int number) {
        waits.requireOperations();
        int slot = number & ~BlockLayout.DEVICE_WINDOW;
        if (slot < 0 || slot >= BlockLayout.WINDOWS || (slots[comm(number).ordinal()] >>> slot & 1) == 0) {
            waits.window(number);
            throw waits.fail(BlockFailure.NO_WINDOW, -1, 0, 0);
        }
    }

    /** Fails for a split of all blocks, in which all would write to all, if ranks have partners. */
    void requireSplit(Comm comm) {
        if (comm == Comm.WORLD && layout.partners() != 0) {
            throw waits.fail(BlockFailure.NO_PARTNER, -1, 0, 0);
        }
    }

    /** Offset of a block's entry; 0 if its rank is no partner. */
    private long entry(int number, int target) {
        require(number);
        Comm comm = comm(number);
        int blocks = block.ranks(comm);
        if (target < 0 || target >= blocks) {
            waits.window(number);
            throw waits.fail(BlockFailure.NO_TARGET, target, blocks, 0, comm.ordinal(), 0);
        }
        int hostRank = comm == Comm.DEVICE ? world.hostRank() : target / layout.perRank();
        return !world.partners().has(hostRank) ? 0
                : world.area() + layout.windowEntry(number, world.partners().here(hostRank), target % layout.perRank());
    }

    /** A place in a block's part, counted from the start of its rank's segment. */
    long place(int number, int target, long offset, long bytes) {
        long entry = entry(number, target);
        if (entry == 0) {
            waits.window(number);
            throw waits.fail(BlockFailure.NO_PARTNER, target, target / layout.perRank(), 0);
        }
        long size = own.get(ValueLayout.JAVA_LONG, entry + BlockLayout.ENTRY_SIZE);
        if (offset < 0 || bytes < 0 || offset > size - bytes) {
            waits.window(number);
            throw waits.fail(BlockFailure.BAD_PLACE, target, offset, bytes, size, 0);
        }
        return own.get(ValueLayout.JAVA_LONG, entry) + offset;
    }
}
