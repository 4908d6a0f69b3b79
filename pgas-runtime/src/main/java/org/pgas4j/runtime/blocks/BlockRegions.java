package org.pgas4j.runtime.blocks;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.DeviceMemory;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.os.CloseHelper;
import org.pgas4j.space.memory.Peer;
import org.pgas4j.space.transfer.SharedRegion;

/**
 * Private memory of the rank that windows of all blocks may lie over, as a launch finds it: a table in device memory, which
 * {@link WorldField} names, with a {@linkplain BlockLayout#REGION_SHIFTS record} for each range. Nothing is launched while it
 * changes. Used by the rank's thread.
 */
final class BlockRegions implements AutoCloseable {

    private final BlockEnvironment env;
    private final long area;
    private final Peer self;
    private final List<Shown> all = new ArrayList<>();
    private DeviceMemory table;

    private record Shown(SharedRegion region, long bytes) {
    }

    /** @param area offset in the device segment */
    BlockRegions(BlockEnvironment env, long area) {
        this.env = env;
        this.area = area;
        this.self = env.peers().get(env.rank());
    }

    /** Collective: shows a range, or none if {@code bytes} is 0. */
    SharedRegion add(long address, long bytes) {
        SharedRegion region = new SharedRegion(env.rank(), env.ranks(), env.segments(), env.peers(), env.accelerator(), env.words(),
                address, bytes);
        all.add(new Shown(region, bytes));
        write();
        return region;
    }

    /** True if a range has not been removed yet. */
    boolean has(SharedRegion region) {
        return all.stream().anyMatch(shown -> shown.region() == region);
    }

    /** Unmaps what the others have shown with a range; between two barriers. */
    void remove(SharedRegion region) {
        all.removeIf(shown -> shown.region() == region);
        write();
        region.close();
    }

    private void write() {
        List<Shown> own = all.stream().filter(shown -> shown.bytes() > 0).toList();
        long record = BlockLayout.REGION_SHIFTS + (long) env.ranks() * Long.BYTES;
        DeviceMemory made = own.isEmpty() ? null : env.accelerator().allocate(own.size() * record, false);
        try (Arena arena = Arena.ofShared(); AcceleratorStream stream = env.accelerator().newStream()) {
            MemorySegment image = arena.allocate(Math.max(1, own.size() * record), Long.BYTES);
            for (int i = 0; i < own.size(); i++) {
                put(image, i * record + BlockLayout.REGION_BASE, own.get(i).region().address());
                put(image, i * record + BlockLayout.REGION_BYTES, own.get(i).bytes());
                for (int by = 0; by < env.ranks(); by++) {
                    put(image, i * record + BlockLayout.REGION_SHIFTS + (long) by * Long.BYTES, own.get(i).region().shift(by));
                }
            }
            MemorySegment fields = arena.allocate(3 * Long.BYTES, Long.BYTES);
            put(fields, 0, made == null ? 0 : made.address());
            put(fields, Long.BYTES, own.size());
            put(fields, 2 * Long.BYTES, all.stream().allMatch(shown -> shown.region().isOneJvm()) ? -1L : self.deviceBytes());
            if (made != null) {
                stream.copyIn(made, 0, image, 0, own.size() * record);
            }
            stream.copyIn(self.device(), self.deviceOffset() + area + WorldField.REGIONS.offset(), fields, 0, fields.byteSize());
            env.await(stream, () -> "DeviceGrid.register of rank " + env.rank());
        }
        if (table != null) {
            table.close();
        }
        table = made;
    }

    private static void put(MemorySegment image, long offset, long value) {
        image.set(ValueLayout.JAVA_LONG, offset, value);
    }

    /** Unmaps everything; no block uses it any more. */
    @Override
    public void close() {
        List<AutoCloseable> closing = new ArrayList<>();
        all.forEach(shown -> closing.add(shown.region()));
        if (table != null) {
            closing.add(table);
        }
        all.clear();
        table = null;
        CloseHelper.closeAll(closing);
    }
}
