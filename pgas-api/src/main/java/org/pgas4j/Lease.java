package org.pgas4j;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * One JVM's record of an allocation: generation, place, and whether it still lives. Pointers into the
 * allocation carry it, so using one is checked without a look anywhere else. The runtime makes leases and ends them before
 * the memory can be given to anybody else. Any thread.
 */
public final class Lease {

    /** {@link #rank()} of what is allocated on every rank. */
    public static final int EVERY_RANK = -1;

    private static final VarHandle LIVE;

    static {
        try {
            LIVE = MethodHandles.lookup().findVarHandle(Lease.class, "live", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final MemoryKind kind;
    private final long generation;
    private final int rank;
    private final long start;
    private final long bytes;
    private boolean live = true;

    /**
     * @param kind       of the memory
     * @param generation of the allocation: no other in the job has it, none is 0
     * @param rank       whose segment, or {@link #EVERY_RANK}
     * @param start      byte offset in the segment
     * @param bytes      of each rank's part
     */
    public Lease(MemoryKind kind, long generation, int rank, long start, long bytes) {
        this.kind = kind;
        this.generation = generation;
        this.rank = rank;
        this.start = start;
        this.bytes = bytes;
    }

    /** HOST or DEVICE. */
    public MemoryKind kind() {
        return kind;
    }

    /** The allocation's generation. */
    public long generation() {
        return generation;
    }

    /** Rank of the segment, or {@link #EVERY_RANK}. */
    public int rank() {
        return rank;
    }

    /** Byte offset of the allocation in the segment. */
    public long start() {
        return start;
    }

    /** Bytes of each rank's part. */
    public long bytes() {
        return bytes;
    }

    /** False once the memory was freed or the job has ended. */
    public boolean isLive() {
        // opaque: read at every use; what orders it with the free is what orders the two ranks
        return (boolean) LIVE.getOpaque(this);
    }

    /** No pointer of this generation is good from here on. */
    public void end() {
        LIVE.setRelease(this, false);
    }

    /** True if these bytes of {@code target}'s segment are not all in the living allocation. Nothing overflows. */
    public boolean refuses(int target, long address, long length) {
        return length < 0 || address < start || address - start > bytes - length
                || rank != EVERY_RANK && rank != target || !isLive();
    }

    @Override
    public String toString() {
        return "generation " + generation + (rank == EVERY_RANK ? " on every rank" : " on rank " + rank) + " at " + start + "+"
                + bytes + (isLive() ? "" : ", freed");
    }
}
