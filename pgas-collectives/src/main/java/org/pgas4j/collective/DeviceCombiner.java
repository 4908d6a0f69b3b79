package org.pgas4j.collective;

import org.pgas4j.Buffer;
import org.pgas4j.DeviceMemory;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;

/**
 * Combines the sources of all members by the rank's device, which reads their memory directly, in the order of {@link
 * HostCombiner}. Work is queued on a stream.
 */
final class DeviceCombiner {

    private static final int BLOCKS_PER_PROCESSOR = 2;

    private final MemberAccess access;
    private final AcceleratorStream stream;
    private final DeviceScratch scratch;
    private final Group group;
    private final ElementType type;
    private final Combination combination;
    private final Object[] further;
    private final long[] places;

    /** @param places of the sources of all members, in device memory */
    DeviceCombiner(MemberAccess access, AcceleratorStream stream, DeviceScratch scratch, Group group,
                   Combination combination, long[] places) {
        this.access = access;
        this.stream = stream;
        this.scratch = scratch;
        this.group = group;
        this.type = combination.type();
        this.combination = combination;
        this.further = combination.further();
        this.places = places;
    }

    /** Combines bytes {@code from} to {@code from + bytes - 1} of all sources; {@code to} may be the memory of a peer. */
    void combine(long from, long bytes, DeviceMemory to, long at) {
        if (places.length <= CombineKernels.MAX_SOURCES) {
            combineRun(0, places.length, from, bytes, to, at, 0);
            return;
        }
        // Runs of members are combined in memory of this rank, one piece of the vector after the other.
        for (long done = 0; done < bytes; done += CollectiveLimits.DEVICE_SCRATCH_BYTES) {
            long part = Math.min(CollectiveLimits.DEVICE_SCRATCH_BYTES, bytes - done);
            combineRun(0, places.length, from + done, part, to, at + done, 0);
        }
    }

    private void combineRun(int first, int members, long from, long bytes, DeviceMemory to, long at, int level) {
        if (members == 1) {
            stream.copy(to, at, access.device(group.world(first)), start(first) + from, bytes);
        } else if (members <= CombineKernels.MAX_SOURCES) {
            Buffer[] sources = new Buffer[members];
            for (int i = 0; i < members; i++) {
                sources[i] = source(first + i, from, bytes);
            }
            launch(buffer(to, at, bytes), bytes, sources);
        } else {
            int half = Integer.highestOneBit(members - 1);
            // The destination may be a source of the second half: nothing is written to it before both are combined.
            DeviceMemory left = scratch.level(2 * level);
            DeviceMemory right = scratch.level(2 * level + 1);
            combineRun(first, half, from, bytes, left, 0, level + 1);
            combineRun(first + half, members - half, from, bytes, right, 0, level + 1);
            launch(buffer(to, at, bytes), bytes, buffer(left, 0, bytes), buffer(right, 0, bytes));
        }
    }

    /** Combines the sources of members 0, 0 and 1, and so on, into their destinations. */
    void scan(long from, long bytes, long[] destinations) {
        Buffer before = null;
        for (int member = 0; member < places.length; member++) {
            int world = group.world(member);
            DeviceMemory memory = access.device(world);
            long at = access.deviceStart(world, destinations[member]) + from;
            if (before != null) {
                Buffer into = buffer(memory, at, bytes);
                launch(into, bytes, before, source(member, from, bytes));
                before = into;
            } else {
                if (places[0] != destinations[0]) {
                    stream.copy(memory, at, memory, start(0) + from, bytes);
                }
                before = buffer(memory, at, bytes);
            }
        }
    }

    private void launch(Buffer into, long bytes, Buffer... sources) {
        long count = bytes / type.bytes();
        Object[] args = new Object[sources.length + 2 + further.length];
        args[0] = into;
        System.arraycopy(sources, 0, args, 1, sources.length);
        args[sources.length + 1] = count;
        System.arraycopy(further, 0, args, sources.length + 2, further.length);
        stream.launch(combination.kernel(sources.length), shape(count), args);
        access.keepUp(stream);
    }

    private Kernel.Shape shape(long count) {
        Accelerator accelerator = access.accelerator();
        int processors = accelerator.multiprocessors();
        if (accelerator.backend().equals("host")) {
            return new Kernel.Shape(processors, 1);
        }
        long vectors = Math.max(1, Math.ceilDiv(type.bytes(count), 16L));
        long blocks = Math.min((long) processors * BLOCKS_PER_PROCESSOR, Math.ceilDiv(vectors, (long) CombineKernels.THREADS));
        return new Kernel.Shape((int) blocks, CombineKernels.THREADS);
    }

    private long start(int member) {
        return access.deviceStart(group.world(member), places[member]);
    }

    private Buffer source(int member, long from, long bytes) {
        return buffer(access.device(group.world(member)), start(member) + from, bytes);
    }

    private Buffer buffer(DeviceMemory memory, long at, long bytes) {
        return Buffer.ofDevice(memory, at, type, bytes / type.bytes());
    }
}
