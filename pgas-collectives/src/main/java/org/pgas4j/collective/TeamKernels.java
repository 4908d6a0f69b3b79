package org.pgas4j.collective;

import java.util.Arrays;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceMemory;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.ReduceOp;
import org.pgas4j.device.AcceleratorStream;

/**
 * Launches the kernels of one member that meet those of the others: {@link PacketKernels}, {@link DirectKernels} and {@link
 * PushKernels}. Shapes
 * depend on sizes and on what all members have in common, so that they are the same everywhere. Used by the rank's thread.
 */
final class TeamKernels {

    private static final int PACKET_THREADS = 256;
    private static final int MEETING_THREADS = 32;
    private static final long WORDS_OF_LINE = 8; // of 16 bytes
    /** Of a part that a member writes to several others: from here on a quarter of the blocks write it faster than half of them. */
    private static final long BYTES_FOR_FEWER_BLOCKS = 2 << 20;

    private final MemberAccess access;
    private final Group group;
    private final DeviceArea area;
    private final int directBlocks;
    private final long limitNs;
    private final boolean onHost;

    /**
     * @param directBlocks most blocks of a kernel that reads the members' memory
     * @param limitNs      of one wait of a kernel
     */
    TeamKernels(MemberAccess access, Group group, DeviceArea area, int directBlocks, long limitNs) {
        this.access = access;
        this.group = group;
        this.area = area;
        this.directBlocks = directBlocks;
        this.limitNs = limitNs;
        this.onHost = access.accelerator().backend().equals("host");
    }

    /** The other members' streams have come here. */
    void meet(AcceleratorStream stream) {
        Arguments args = new Arguments(group.size() + 3).add(area.of(group.index())).areas().add(group.index()).add(limitNs);
        launch(stream, DirectKernels.meeting(group.size()), shape(1, MEETING_THREADS), args);
    }

    // ---- packets

    /** @param stride of the parts of the source, in elements; 0 sends the same to all */
    void combinePackets(AcceleratorStream stream, ReduceOp op, Buffer dst, Buffer src, long stride) {
        launch(stream, PacketKernels.combining(dst.type(), op, group.size()), packetShape(dst.bytes()),
                packetArguments(dst, src, dst.length(), stride));
    }

    /** @param count of elements of a part */
    void movePackets(AcceleratorStream stream, Buffer dst, Buffer src, long count, long stride) {
        launch(stream, PacketKernels.moving(dst.type(), group.size()), packetShape(dst.type().bytes(count)),
                packetArguments(dst, src, count, stride));
    }

    void broadcastPackets(AcceleratorStream stream, Buffer buffer, int root) {
        launch(stream, PacketKernels.broadcasting(buffer.type(), group.size()), packetShape(buffer.bytes()),
                packetArguments(buffer, buffer, buffer.length(), 0).add(root));
    }

    void combinePacketsInParts(AcceleratorStream stream, ReduceOp op, Buffer dst, Buffer src) {
        launch(stream, PacketKernels.combiningParts(dst.type(), op, group.size()),
                packetShape(Math.ceilDiv(dst.bytes(), (long) group.size())), packetArguments(dst, src, dst.length(), 0));
    }

    void broadcastPacketsInParts(AcceleratorStream stream, Buffer buffer, int root) {
        launch(stream, PacketKernels.broadcastingParts(buffer.type(), group.size()),
                packetShape(Math.ceilDiv(buffer.bytes(), group.size() - 1L)),
                packetArguments(buffer, buffer, buffer.length(), 0).add(root));
    }

    private Arguments packetArguments(Buffer dst, Buffer src, long count, long stride) {
        return new Arguments(group.size() + 8).add(dst).add(src).add(area.of(group.index())).areas().add(count).add(stride)
                .add(group.index()).add(limitNs);
    }

    private Kernel.Shape packetShape(long bytes) {
        long words = Math.ceilDiv(bytes, (long) Long.BYTES);
        long blocks = Math.min(area.blocks(), Math.ceilDiv(words, (long) PACKET_THREADS));
        return shape(blocks, words > blocks * PACKET_THREADS ? PacketKernels.MAX_THREADS : PACKET_THREADS);
    }

    // ---- direct

    /**
     * Combines a range of the members' vectors.
     *
     * @param from  place of the vector in every member's heap
     * @param begin of the range, bytes
     * @param bytes of the range
     * @param most  bytes of the vector, the same on all members
     * @param to    place of the result in every member's heap
     * @param all   writes the range of the result at all members, else the whole of it at this one
     */
    void combineDirect(AcceleratorStream stream, ElementType type, ReduceOp op, long from, long begin, long bytes, long most,
                       long to, boolean all) {
        int n = group.size();
        int destinations = all ? n : 1;
        Arguments args = new Arguments(2 * n + destinations + 4).add(area.of(group.index())).areas();
        for (int m = 0; m < n; m++) {
            args.add(buffer(m, from, begin, type, bytes));
        }
        for (int d = 0; d < destinations; d++) {
            args.add(buffer(all ? group.after((d + 1) % n) : group.index(), to, all ? begin : 0, type, bytes));
        }
        args.add(bytes / type.bytes()).add(group.index()).add(limitNs);
        launch(stream, DirectKernels.combining(type, op, n, destinations),
                all ? directShape(most / n, 1) : directShape(most, 1, Math.ceilDiv(directBlocks, 2)), args);
    }

    /**
     * True if {@link #combinePushed} is faster, or on the host device, which is for tests of it, and takes vectors and results at
     * these places of every member's heap; the same on all members.
     */
    boolean pushes(long from, long to, long bytes) {
        return area.pushing() > 0 && (onHost || bytes >= CollectiveLimits.PUSH_BYTES) && areAligned(from, to);
    }

    /** Heaps begin at multiples of 16 bytes. */
    static boolean areAligned(long from, long to) {
        return ((Group.offset(from) | Group.offset(to)) & 15) == 0;
    }

    /**
     * Combines the members' vectors by writes alone, a part of them each, and writes the result at all.
     *
     * @param from  place of the vector in every member's heap
     * @param bytes of the vector
     * @param part  bytes of a part
     * @param to    place of the result in every member's heap
     */
    void combinePushed(AcceleratorStream stream, ElementType type, ReduceOp op, long from, long bytes, long part, long to) {
        int n = group.size();
        Arguments args = new Arguments(3 * n + 7).add(area.of(group.index())).areas();
        for (int m = 0; m < n; m++) {
            args.add(buffer(m, from, 0, type, bytes));
        }
        for (int d = 0; d < n; d++) {
            args.add(buffer(group.after((d + 1) % n), to, 0, type, bytes));
        }
        long words = Math.ceilDiv(part, 16L);
        Kernel.Shape shape = shape(Math.min(area.pushing(), Math.ceilDiv(words, (long) PushKernels.THREADS)), PushKernels.THREADS);
        long steps = Math.ceilDiv(Math.max(1, words), (long) shape.blocks() * PushKernels.MAX_CHUNK);
        long chunk = Math.ceilDiv(Math.ceilDiv(words, shape.blocks() * steps), WORDS_OF_LINE) * WORDS_OF_LINE;
        args.add(part / type.bytes()).add(bytes / type.bytes()).add(chunk).add(area.pushed()).add(group.index()).add(limitNs);
        launch(stream, PushKernels.combining(type, op, n), shape, args);
    }

    /**
     * Copies a vector of each member one behind the other.
     *
     * @param to     receives them
     * @param from   place of memory in every member's heap
     * @param begin  of the first member's vector there, bytes
     * @param apart  bytes by which that of the next member is further
     * @param bytes  of one vector
     */
    void moveDirect(AcceleratorStream stream, Buffer to, long from, long begin, long apart, long bytes) {
        int n = group.size();
        Arguments args = new Arguments(2 * n + 5).add(area.of(group.index())).areas();
        for (int m = 0; m < n; m++) {
            args.add(buffer(m, from, begin + m * apart, to.type(), bytes));
        }
        args.add(to).add(bytes / to.type().bytes()).add(group.index()).add(limitNs);
        launch(stream, DirectKernels.moving(to.type(), n, n, 1), directShape(bytes, n), args);
    }

    /**
     * Copies a vector of one member to all others: each of them reads a part, and writes it to all of them.
     *
     * @param place of the vector in every member's heap
     */
    void broadcastDirect(AcceleratorStream stream, ElementType type, long place, long bytes, int root) {
        int parts = group.size() - 1;
        boolean isRoot = group.index() == root;
        int part = Math.floorMod(group.index() - root - 1, group.size()); // the root has none
        long begin = isRoot ? 0 : CollectiveOperation.partStart(type, bytes, part, parts);
        long mine = isRoot ? 0 : CollectiveOperation.partStart(type, bytes, part + 1, parts) - begin;
        Arguments args = new Arguments(group.size() + parts + 5).add(area.of(group.index())).areas();
        args.add(buffer(root, place, begin, type, mine));
        for (int i = 1; i <= group.size(); i++) {
            int member = group.after(i % group.size()); // this one last
            if (member != root) {
                args.add(buffer(member, place, begin, type, mine));
            }
        }
        args.add(mine / type.bytes()).add(group.index()).add(limitNs);
        boolean few = parts > 1 && bytes / parts >= BYTES_FOR_FEWER_BLOCKS;
        launch(stream, DirectKernels.moving(type, group.size(), 1, parts),
                directShape(bytes / parts, 1, Math.ceilDiv(directBlocks, few ? 4 : 2)), args);
    }

    private Kernel.Shape directShape(long bytes, int parts) {
        return directShape(bytes, parts, directBlocks);
    }

    private Kernel.Shape directShape(long bytes, int parts, int most) {
        long vectors = Math.ceilDiv(bytes, 16L);
        long blocks = Math.min(Math.min(most, area.blocks()) / parts, Math.ceilDiv(vectors, (long) DirectKernels.THREADS));
        return shape(Math.max(1, blocks) * parts, DirectKernels.THREADS);
    }

    private Buffer buffer(int member, long place, long offset, ElementType type, long bytes) {
        int world = group.world(member);
        DeviceMemory memory = access.device(world);
        return Buffer.ofDevice(memory, access.deviceStart(world, place) + offset, type, bytes / type.bytes());
    }

    // ---- launches

    private Kernel.Shape shape(long blocks, int threads) {
        return onHost ? new Kernel.Shape(1, 1) : new Kernel.Shape((int) Math.max(1, blocks), threads);
    }

    private void launch(AcceleratorStream stream, Kernel kernel, Kernel.Shape shape, Arguments args) {
        stream.launchEarly(kernel, shape, args.values());
        access.keepUp(stream);
    }

    private final class Arguments {

        private final Object[] values;
        private int count;

        /** @param capacity greater than the number of arguments is good */
        Arguments(int capacity) {
            this.values = new Object[capacity];
        }

        Arguments add(Object value) {
            values[count++] = value;
            return this;
        }

        /** The areas of all members. */
        Arguments areas() {
            for (int m = 0; m < group.size(); m++) {
                add(area.of(m));
            }
            return this;
        }

        Object[] values() {
            return count == values.length ? values : Arrays.copyOf(values, count);
        }
    }
}
