package org.pgas4j.runtime.blocks;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.pgas4j.DeviceGrid;
import org.pgas4j.DeviceMemory;
import org.pgas4j.SharedPointer;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.host.HostDeviceMemory;
import org.pgas4j.fastpath.conduit.RankTable;
import org.pgas4j.space.memory.Peer;

/**
 * The area of a rank's blocks as their first launch finds it: world data, peers, a record for each block. Host segments of other ranks
 * are not reached for it, and of ranks on other nodes nothing is requested.
 */
final class WorldImage {

    private final BlockEnvironment env;
    private final DeviceGrid.Options options;
    private final BlockLayout layout;
    private final Partners partners;
    private final long area;
    private final long timeoutNs;
    private final Peer self;
    private final RankTable<DeviceMemory> reached; // by blocks themselves

    /**
     * @param area      offset in the device segment
     * @param timeoutNs of a wait in a launch
     */
    WorldImage(BlockEnvironment env, DeviceGrid.Options options, BlockLayout layout, Partners partners, long area, long timeoutNs) {
        this.env = env;
        this.options = options;
        this.layout = layout;
        this.partners = partners;
        this.area = area;
        this.timeoutNs = timeoutNs;
        this.self = env.peers().get(env.rank());
        this.reached = reached();
    }

    private RankTable<DeviceMemory> reached() {
        RankTable<DeviceMemory> table = new RankTable<>(env.ranks());
        table.put(env.rank(), self.device());
        for (int rank = 0; rank < env.ranks() && !options.forcedProxy(); rank++) {
            DeviceMemory memory = rank == env.rank() ? null : env.peers().device(rank);
            if (memory != null) {
                table.put(rank, memory);
            }
        }
        return table;
    }

    /** True if blocks here load and store in the memory of a rank by themselves. */
    boolean reaches(int rank) {
        return reached.get(rank) != null;
    }

    /** True if some of the messages for blocks here come through the host. */
    boolean usesMailbox() {
        return reached.size() < env.ranks();
    }

    private boolean hasAtomics() {
        for (int rank = 0; rank < env.ranks(); rank++) {
            if (rank != env.rank() && reaches(rank) && !env.segments().hasAtomics(rank, env.accelerator())) {
                return false;
            }
        }
        return true;
    }

    /** True if an address of one rank's device memory, also outside the segments, is that of the same memory for all blocks. */
    private boolean hasPrivateWindows(boolean throughHost) {
        boolean oneJvm = true;
        for (int rank = 0; rank < env.ranks() && oneJvm; rank++) {
            oneJvm = env.segments().isLocal(rank);
        }
        return oneJvm && !throughHost;
    }

    /** Writes the area and waits until it is there. */
    void write(HostPage page, Supplier<String> reason, boolean throughHost) {
        try (Arena arena = Arena.ofShared()) { // the stream may copy it on a thread of its own
            MemorySegment image = arena.allocate(layout.ringsAt(), Long.BYTES);
            fillWorldData(image, page, throughHost);
            for (int rank = 0; rank < env.ranks(); rank++) {
                DeviceMemory memory = reached.get(rank);
                put(image, BlockLayout.PEERS + (long) rank * Long.BYTES,
                        memory == null ? 0 : memory.address() + env.segments().deviceOffset(rank));
            }
            partners.write(image, layout.partner(0));
            for (int block = 0; block < options.perRank(); block++) {
                fillRecord(image, layout.record(block));
            }
            try (AcceleratorStream stream = env.accelerator().newStream()) {
                stream.copyIn(self.device(), self.deviceOffset() + area, image, 0, layout.ringsAt());
                if (layout.ringsBytes() != 0) {
                    stream.fill(self.device(), self.deviceOffset() + area + layout.ringsAt(), layout.ringsBytes(), (byte) 0);
                }
                env.await(stream, reason);
            }
        }
    }

    /** Collective, before the area is written: shows partners their places in the rank's tables, and finds its own in theirs. */
    void meet(SharedPointer memory, Supplier<String> reason) {
        long at = layout.partner(0);
        try (Arena arena = Arena.ofShared(); AcceleratorStream stream = env.accelerator().newStream()) {
            MemorySegment image = arena.allocate(layout.partner(env.ranks()) - at, Long.BYTES);
            partners.write(image, 0);
            stream.copyIn(self.device(), self.deviceOffset() + area + at, image, 0, image.byteSize());
            env.await(stream, reason);
            env.barrier().run();
            MemorySegment word = arena.allocate(ValueLayout.JAVA_INT);
            partners.meet((partner, rank) -> {
                env.fetch().accept(word, memory.onRank(partner).cast(0, 1).plus(layout.partner(rank)));
                return word.get(ValueLayout.JAVA_INT, 0) & BlockLayout.NO_PLACE;
            }, env.words());
        }
    }

    private DeviceGrid.Dims grid() {
        return options.grid() == null ? DeviceGrid.Dims.of(options.perRank()) : options.grid();
    }

    private void fillWorldData(MemorySegment image, HostPage page, boolean throughHost) {
        long host = page.memory().address();
        DeviceGrid.Dims grid = grid();
        DeviceGrid.Dims block = options.block() == null ? DeviceGrid.Dims.of(options.threads()) : options.block();
        for (WorldField field : WorldField.values()) {
            field.set(image, switch (field) {
                case HOST_RANK -> env.rank();
                case HOST_RANKS -> env.ranks();
                case PER_RANK -> options.perRank();
                case FORCED_PROXY -> options.forcedProxy() ? 1 : 0;
                case TIMEOUT_NS -> timeoutNs;
                case SEGMENT -> self.device().address() + self.deviceOffset();
                case SEGMENT_BYTES -> self.deviceBytes();
                case AREA -> area;
                case QUEUE -> host + HostPage.QUEUE;
                case QUEUE_HEAD -> host + HostPage.QUEUE_HEAD;
                case LOG -> host + HostPage.LOG;
                case LOG_HEAD -> host + HostPage.LOG_HEAD;
                case ERROR -> host + HostPage.ERROR;
                case QUEUE_ENTRIES -> HostPage.QUEUE_ENTRIES;
                case LOG_ENTRIES -> HostPage.LOG_ENTRIES;
                case WINDOWS_AT -> layout.windowsAt();
                case WINDOWS -> layout.windows();
                case PARTNERS -> layout.partners();
                case BLOCKS_AT -> layout.blocksAt();
                case BLOCK_BYTES -> BlockLayout.RECORD_BYTES;
                case FIRST_COUNT -> env.firstCount();
                case MAILBOX -> usesMailbox() ? host + HostPage.MAILBOX : 0;
                case MAILBOX_TAKEN -> host + HostPage.MAILBOX_TAKEN;
                case ATOMICS -> hasAtomics() ? 1 : 0;
                case PACKET_BYTES -> layout.rings().bytes();
                case RING_SHIFT -> layout.rings().shift();
                case RINGS -> layout.rings().count();
                case RINGS_AT -> layout.ringsAt();
                case COUNTS_AT -> layout.countsAt();
                case THROUGH_HOST -> throughHost ? 1 : 0;
                case PRIVATE_WINDOWS -> hasPrivateWindows(throughHost) ? 1 : 0;
                case REGIONS, REGION_COUNT -> 0;
                case COMMON_END -> -1L;
                case GRID_X -> grid.x();
                case GRID_Y -> grid.y();
                case GRID_Z -> grid.z();
                case BLOCK_X -> block.x();
                case BLOCK_Y -> block.y();
                case BLOCK_Z -> block.z();
            });
        }
    }

    private void fillRecord(MemorySegment image, long record) {
        long first = env.firstCount();
        for (int tag = 0; tag < BlockLayout.TAGS; tag++) {
            put(image, record + BlockLayout.DIRECT + (long) tag * Long.BYTES, first);
            put(image, record + BlockLayout.OWN + (long) tag * Long.BYTES, -first);
        }
        for (int channel = 0; channel < BlockLayout.CHANNELS; channel++) {
            image.set(ValueLayout.JAVA_INT, record + BlockLayout.HEADS + (long) channel * Integer.BYTES, (int) first);
        }
        for (int slot = 0; slot < BlockLayout.CHANNELS * BlockLayout.SLOTS; slot++) {
            // As if a message had been there a whole round ago: the number of a slot is never that of its first
            // message.
            int next = (int) first + 1 + (slot - (int) first - 1 & BlockLayout.SLOTS - 1);
            for (int word = 0; word < BlockLayout.SLOT_BYTES / Long.BYTES; word++) {
                put(image, record + BlockLayout.CHANNEL_SLOTS + (long) slot * BlockLayout.SLOT_BYTES
                        + (long) word * Long.BYTES, (long) (next - BlockLayout.SLOTS) << 32);
            }
        }
        for (int target = 0; target < BlockLayout.TARGETS; target++) {
            put(image, record + BlockLayout.CREDITS + (long) target * Long.BYTES, first);
        }
    }

    private static void put(MemorySegment image, long offset, long value) {
        image.set(ValueLayout.JAVA_LONG, offset, value);
    }

    /** The same for blocks of the host device. */
    HostBlock.World hostWorld(HostPage page, AtomicReference<Throwable> thrown, boolean throughHost) {
        MemorySegment[] segments = new MemorySegment[env.ranks()];
        for (int rank = 0; rank < env.ranks(); rank++) {
            DeviceMemory memory = reached.get(rank);
            if (memory != null) {
                segments[rank] = HostDeviceMemory.segmentOf(memory).asSlice(env.segments().deviceOffset(rank), self.deviceBytes());
            }
        }
        return new HostBlock.World(env.rank(), layout, partners, area, segments, segments[env.rank()], page, usesMailbox(),
                throughHost, hasPrivateWindows(throughHost), options.sharedBytes(), grid(), timeoutNs,
                layout.blocks() <= Runtime.getRuntime().availableProcessors(), thrown);
    }
}
