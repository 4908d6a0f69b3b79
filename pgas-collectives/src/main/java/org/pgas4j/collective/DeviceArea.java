package org.pgas4j.collective;

import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;

/**
 * Memory of every member's device segment by which kernels of a team meet and send each other packets: at the same offset of
 * every heap, zero at first.
 *
 * <pre>
 *   0       epoch of each block, i32
 *   {@value #STOP}     not 0: waits end
 *   {@value #FLAGS}    of each block, one epoch set by each member, i32
 *   {@value #LED}   of each block, epoch of the last broadcast by packets whose root this member was, i32
 *   {@value #REGIONS}   of each block and parity of the epoch, one region of {@value #REGION_BYTES} bytes for each sender's packets
 *   behind  of each block and epoch modulo {@value #CHUNKS}, {@value #CHUNK_BYTES} bytes for what each sender pushes: no packet
 *           may be looked for where anything else was written
 * </pre>
 *
 * <p>An epoch counts the rounds of a block. It is kept here and not in arguments, so that a graph may hold the kernels. A member
 * sends packets only when the receiver has begun the round before, so that two parities are enough. In a round in which all send,
 * the packets of the others say so. The root of a broadcast receives none: it looks at flags, which the others set as they begin
 * a round, or before all send again. In two shots a round has two epochs; the others set the flags of all as it begins, and that
 * of the root when they have taken all packets.
 */
final class DeviceArea {

    static final int MAX_BLOCKS = 128;

    /** More members take the copies of {@link QueuedCollectives}. */
    static final int MAX_MEMBERS = 8;

    static final int STOP = 512;
    static final int FLAGS = 1024;
    static final int LED = 5120;
    static final int REGIONS = 8192;
    static final int REGION_BYTES = 16 << 10;
    static final int CHUNKS = 4;
    static final int CHUNK_BYTES = 16 << 10;
    static final int ALIGNMENT = 256;

    private final MemberAccess access;
    private final Buffer[] areas;
    private final Buffer own;
    private final int blocks;
    private final int pushing;

    /**
     * @param offset  in every member's shared heap of the device, a multiple of {@value #ALIGNMENT}
     * @param pushing blocks of kernels that push; 0 if none do
     */
    DeviceArea(MemberAccess access, Group group, long offset, int blocks, int pushing) {
        this.access = access;
        this.blocks = blocks;
        this.pushing = pushing;
        this.areas = new Buffer[group.size()];
        for (int member = 0; member < areas.length; member++) {
            int world = group.world(member);
            long start = access.deviceStart(world, Group.place(MemoryKind.DEVICE, offset));
            areas[member] = Buffer.ofDevice(access.device(world), start, ElementType.BYTE, bytes(areas.length, blocks, pushing));
        }
        this.own = areas[group.index()];
    }

    /** Bytes of every member's heap. */
    static long bytes(int members, int blocks, int pushing) {
        return pushed(members, blocks) + (long) CHUNKS * pushing * members * CHUNK_BYTES;
    }

    /** Byte offset of the memory for chunks. */
    long pushed() {
        return pushed(areas.length, blocks);
    }

    private static long pushed(int members, int blocks) {
        return REGIONS + 2L * blocks * members * REGION_BYTES;
    }

    /** Number of blocks that kernels may have. */
    int blocks() {
        return blocks;
    }

    /** Number of blocks that kernels that push may have, 0 if there is no memory for them. */
    int pushing() {
        return pushing;
    }

    /** The area of a member as the argument of a kernel. */
    Buffer of(int member) {
        return areas[member];
    }

    /** Fills the own area with zeros and waits for it. */
    void clear() {
        access.stream().fill(own.deviceMemory(), own.deviceOffset(), own.bytes(), (byte) 0);
        access.syncStream();
    }

    /** Ends the waits of kernels of this rank, now and later. */
    void stop() {
        access.writeApart(own.deviceMemory(), own.deviceOffset() + STOP, 1);
    }

    /** Byte offset of the region for packets of a sender. */
    static long region(int members, int block, int epoch, int sender) {
        return REGIONS + ((long) (block * 2 + (epoch & 1)) * members + sender) * REGION_BYTES;
    }

    /** Byte offset of the memory for a chunk of a sender, from where such memory begins. */
    static long chunk(long pushed, int members, int block, int epoch, int sender) {
        return pushed + ((long) (block * CHUNKS + Integer.remainderUnsigned(epoch, CHUNKS)) * members + sender) * CHUNK_BYTES;
    }

    /** Byte offset of the flag that a member sets. */
    static long flag(int block, int member) {
        return FLAGS + ((long) block * MAX_MEMBERS + member) * Integer.BYTES;
    }
}
