package org.pgas4j.collective;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceMemory;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;

/**
 * Combines consecutive elements of device memory by {@link TileKernels}, in the order of {@link HostTiles}. Work is queued on a
 * stream. Used by the rank's thread.
 */
final class DeviceTiles {

    private static final int BLOCKS_PER_PROCESSOR = 8;
    private static final int LOWER = 1;
    private static final int UPPER = 2;

    /** Memory of the scratch that this needs; the first is for elements that were fetched. */
    static final int LEVELS = 3;

    private final Accelerator accelerator;
    private final AcceleratorStream stream;
    private final DeviceScratch scratch;
    private final Combination combination;
    private final ElementType type;
    private final Object[] further;
    private final long room;
    private long lower; // results of tiles of elements
    private long upper; // results of tiles of those
    private boolean hasBefore;

    /**
     * @param scratch has {@value #LEVELS} levels
     * @param room    results of tiles that are kept, a multiple of {@value HostTiles#TILE}; more are combined before
     */
    DeviceTiles(Accelerator accelerator, AcceleratorStream stream, DeviceScratch scratch, Combination combination, long room) {
        this.accelerator = accelerator;
        this.stream = stream;
        this.scratch = scratch;
        this.combination = combination;
        this.type = combination.type();
        this.further = combination.further();
        this.room = room;
    }

    /** Elements that have room in a level. */
    static long fitting(ElementType type) {
        return CollectiveLimits.DEVICE_SCRATCH_BYTES / type.bytes();
    }

    /** Memory for elements that were fetched. */
    DeviceMemory fetched() {
        return scratch.level(0);
    }

    // ---- one result

    /** Adds elements behind those before; their number is a multiple of {@value HostTiles#TILE}, but for the last ones. */
    void add(DeviceMemory memory, long start, long count) {
        for (long i = 0; i < count;) {
            if (lower == room) {
                combine(scratch.level(UPPER), upper, scratch.level(LOWER), 0, lower);
                upper += Math.ceilDiv(lower, HostTiles.TILE);
                lower = 0;
            }
            long part = Math.min(count - i, (room - lower) * HostTiles.TILE);
            combine(scratch.level(LOWER), lower, memory, start + type.bytes(i), part);
            lower += Math.ceilDiv(part, HostTiles.TILE);
            i += part;
        }
    }

    /** Combines what was added, one element at least; gives the memory that begins with the result. */
    DeviceMemory total() {
        if (upper > 0) {
            combine(scratch.level(UPPER), upper, scratch.level(LOWER), 0, lower);
            upper += Math.ceilDiv(lower, HostTiles.TILE);
        }
        int from = upper > 0 ? UPPER : LOWER;
        for (long count = upper > 0 ? upper : lower; count > 1; count = Math.ceilDiv(count, HostTiles.TILE)) {
            int to = LOWER + UPPER - from;
            combine(scratch.level(to), 0, scratch.level(from), 0, count);
            from = to;
        }
        return scratch.level(from);
    }

    private void combine(DeviceMemory to, long index, DeviceMemory from, long start, long count) {
        long tiles = Math.ceilDiv(count, HostTiles.TILE);
        launch(TileKernels.Work.COMBINE, tiles, Buffer.ofDevice(to, type.bytes(index), type, tiles),
                Buffer.ofDevice(from, start, type, count), count);
    }

    // ---- prefixes

    /**
     * Sets what comes before the elements of which prefixes are made first.
     *
     * @param element holds it; unchanged until the stream has been synchronised
     */
    void before(MemorySegment element) {
        stream.copyIn(scratch.level(UPPER), 0, element, 0, type.bytes());
        hasBefore = true;
    }

    /**
     * Sets elements to the combinations of those up to each and of all before. The two memories may be the same.
     *
     * @param count up to {@code TILE * (TILE - 1)}; a multiple of {@value HostTiles#TILE}, but for the last ones
     */
    void prefixes(DeviceMemory to, long at, DeviceMemory from, long start, long count) {
        long tiles = Math.ceilDiv(count, HostTiles.TILE);
        int first = hasBefore ? 1 : 0;
        combine(scratch.level(LOWER), 0, from, start, count);
        Buffer before = Buffer.ofDevice(scratch.level(UPPER), 0, type, tiles + 1);
        launch(TileKernels.Work.CHAIN, 1, before, Buffer.ofDevice(scratch.level(LOWER), 0, type, tiles), tiles, first);
        launch(TileKernels.Work.PREFIX, tiles, Buffer.ofDevice(to, at, type, count), Buffer.ofDevice(from, start, type, count),
                before, count, first);
        stream.copy(scratch.level(UPPER), 0, scratch.level(UPPER), type.bytes(tiles), type.bytes());
        hasBefore = true;
    }

    private void launch(TileKernels.Work work, long tiles, Object... own) {
        Object[] args = new Object[own.length + further.length];
        System.arraycopy(own, 0, args, 0, own.length);
        System.arraycopy(further, 0, args, own.length, further.length);
        int processors = accelerator.multiprocessors();
        boolean isHost = accelerator.backend().equals("host");
        int blocks = (int) Math.min(tiles, isHost ? processors : (long) processors * BLOCKS_PER_PROCESSOR);
        stream.launch(combination.kernel(work), new Kernel.Shape(blocks, isHost ? 1 : TileKernels.THREADS), args);
    }
}
