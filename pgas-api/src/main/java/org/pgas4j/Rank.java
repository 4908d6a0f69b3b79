package org.pgas4j;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;

/**
 * One rank of the job, as its program sees it. All methods are for the rank's own thread. Collective methods must be
 * called by every rank in the same order.
 *
 * <p><b>Completion.</b> Blocking puts return when the source may be reused (local completion), blocking gets when the bytes
 * are there; {@link #rma()} has the same operations with other points of completion. The bytes of a put are at the target (remote
 * completion) after a {@link #fence()}: another rank sees them for certain after the writer's {@link #barrier()}, or when it has
 * read a flag that the writer set after a fence. Transfers of one rank to one target by messages (fastpath and rendezvous) are applied
 * in the order they were started.
 *
 * <p><b>Collectives.</b> Every collective method is a {@link #barrier()} as well: it includes a {@link #fence()} and returns on
 * no rank before all have called it, so what any rank has put before it, all ranks read after it. Ranks that call different ones,
 * or with arguments that must be the same and are not, get a {@link CollectiveMismatchException} that names two of the calls and
 * their lines.
 *
 * <p><b>Bounds.</b> Every transfer checks its range against the pointer's allocation and the local memory; a range that
 * leaves one is an {@link IndexOutOfBoundsException} that names kind, rank, offset, length and size, and no byte moves. A
 * pointer to memory that was freed is a {@link StalePointerException}.
 *
 * <p><b>Memory.</b> Allocators do not set bytes, on the host and on devices: what an allocation holds at first is not defined.
 * Local memory of a transfer is any segment, native or {@code MemorySegment.ofArray(double[])}, of the non-blocking forms too;
 * streams take native memory. A {@code static} field belongs to the JVM, not to a rank: ranks that are threads of one JVM share it.
 *
 * <p><b>Waiting.</b> Nothing waits past the job's timeout ({@code pgas.timeout}); what passes it throws
 * {@link PgasTimeoutException} naming whom it waited for. If the job fails elsewhere, waits end with
 * {@link JobAbortedException} or {@link PeerLostException}, and so do loops that poll: {@link #progress()},
 * {@link Rma#trySyncAll()}, {@link Handle#trySync()} and {@link Notifications#test} look at each call, blocking puts and gets
 * now and then. A rank that computes does not notice.
 */
public interface Rank {

    /** This rank's number, 0..{@link #ranks()}-1 (UPC's MYTHREAD). */
    int rank();

    /** Number of ranks in the job (UPC's THREADS). */
    int ranks();

    /** Number of JVMs the ranks are spread over. */
    int processes();

    /** The node this rank is on, 0..{@link #nodes()}-1. */
    int node();

    /**
     * Number of nodes the ranks are on. Ranks of one node reach each other's memory directly, and their devices' memory
     * where these can; between nodes bytes go over the network.
     */
    int nodes();

    /**
     * The node a rank is on.
     *
     * @throws IndexOutOfBoundsException if the job has no such rank
     */
    int nodeOf(int rank);

    /** The program's arguments. */
    List<String> args();

    /** The device this rank is bound to. */
    Device device();

    /** This rank's own stream on its device. */
    Stream stream();

    /** The job's default deadline for one wait. */
    Duration timeout();

    /**
     * Ends the job with {@code cause} as this rank's failure, as if the program had thrown it, from wherever the program is:
     * it is printed or thrown by {@link Pgas#run}, reaches all ranks and gives the job its exit code. Never returns; declared
     * to, so that {@code throw rank.abort(e)} ends the caller's control flow. Any thread may call it. If the job has failed
     * before, that failure remains the first and {@code cause} is dropped.
     *
     * @throws JobAbortedException always, or PeerLostException if a rank's process was lost before
     */
    RuntimeException abort(Throwable cause);

    // ---- where shared allocations come from

    /**
     * Following shared allocations of this rank come from its device segment (UPC runtime's {@code upc_on_device}).
     * Closing the scope restores what was before; {@link #offDevice()} does as well.
     */
    Scope onDevice();

    /** Following shared allocations of this rank come from its host segment, the initial state. */
    Scope offDevice();

    // ---- UPC's allocators; addresses aligned to 256 bytes

    /**
     * Collective {@code upc_all_alloc}: {@code nblocks} blocks of {@code blockBytes} bytes dealt out to the ranks in
     * turn; all ranks get the same pointer, with element size 1 and block size {@code blockBytes}, to rank 0's first. A barrier
     * as well.
     *
     * @throws SegmentMemoryException      on every rank, if a segment cannot hold its share
     * @throws CollectiveMismatchException if the ranks ask for different things
     */
    SharedPointer allAlloc(long nblocks, long blockBytes);

    /** {@code upc_alloc}: bytes with affinity to this rank; indefinite block size. */
    SharedPointer alloc(long bytes);

    /**
     * Collective {@code upc_all_free}; a barrier as well: frees what {@link #allAlloc} or {@link Memory#globalAlloc} gave, once, after
     * all have come. Null, on all ranks, frees nothing.
     */
    void allFree(SharedPointer pointer);

    /**
     * {@code upc_free}: frees what any allocator gave to any rank, called by one rank. Null does nothing.
     *
     * @throws IllegalArgumentException if nothing is allocated there (freed twice, say)
     */
    void free(SharedPointer pointer);

    // ---- shared arrays; all ranks give the same layout, length and allocation kind; elements are not set

    /** Collective, and a barrier as well: an array in memory as {@link #allAlloc} gives it. */
    SharedFloats allAllocFloats(Layout layout, long length);

    /** As {@link #allAllocFloats}. */
    SharedDoubles allAllocDoubles(Layout layout, long length);

    /** As {@link #allAllocFloats}. */
    SharedInts allAllocInts(Layout layout, long length);

    /** As {@link #allAllocFloats}. */
    SharedLongs allAllocLongs(Layout layout, long length);

    /** As {@link #allAllocFloats}. */
    SharedBytes allAllocBytes(Layout layout, long length);

    /** As {@link #allAllocFloats}. */
    SharedShorts allAllocShorts(Layout layout, long length);

    /** As {@link #allAllocFloats}. */
    SharedChars allAllocChars(Layout layout, long length);

    /** As {@link #allAllocFloats}. */
    SharedBooleans allAllocBooleans(Layout layout, long length);

    /**
     * As {@link #allAllocFloats}; elements follow each other at the size of {@code record}, so that a layout with fields of
     * larger alignment needs padding at its end.
     *
     * @throws IllegalArgumentException if {@code record} has no bytes
     */
    SharedRecords allAllocRecords(MemoryLayout record, Layout layout, long length);

    /** Collective, and a barrier as well: frees an array. Null, on all ranks, frees nothing. */
    void allFree(SharedArray array);

    // ---- local access

    /**
     * The pointed-to memory, from the pointer to the end of its allocation. It is not checked again after that: it must not be
     * used after the allocation was freed.
     *
     * @throws IllegalStateException if it is device memory or has affinity to another rank; the message names the call
     *                               to use instead
     */
    MemorySegment local(SharedPointer pointer);

    // ---- transfer, complete locally when the call returns

    /** Writes the first {@code bytes} bytes of {@code src} to {@code dst}, all with affinity to {@code dst.rank()}. */
    void memput(SharedPointer dst, MemorySegment src, long bytes);

    /** Writes a block, of the host or of this rank's device. */
    void memput(SharedPointer dst, Buffer src);

    /**
     * Reads {@code bytes} bytes, all with affinity to {@code src.rank()}, to the start of {@code dst}. Behind the end of a block
     * comes the next block of that rank, not the next block of the array ({@code upc_memget}); {@code memput} likewise.
     */
    void memget(MemorySegment dst, SharedPointer src, long bytes);

    /** Reads a block's worth of bytes into a block of the host or of this rank's device. */
    void memget(Buffer dst, SharedPointer src);

    /** Copies between two shared places, either of which may be remote; the ranges must not overlap. */
    void memcpy(SharedPointer dst, SharedPointer src, long bytes);

    /** Sets {@code bytes} bytes to the low 8 bits of {@code value}. */
    void memset(SharedPointer dst, int value, long bytes);

    // ---- ordering

    /**
     * UPC's {@code upc_fence}: every transfer of this rank before it, implicit ones included, is complete at its target
     * before any after it begins.
     */
    void fence();

    /**
     * Collective: returns when every rank has called it. Includes {@link #fence()}, also of what the rank's streams transfer: all
     * ranks read after it what any rank has put before it.
     *
     * @throws CollectiveMismatchException if a rank is in another collective operation, or has ended its program
     * @throws IllegalStateException       if the caller is not the rank's own thread
     */
    void barrier();

    /**
     * As {@link #barrier()}, with a label that must be the same on all ranks that give one; a barrier without a label fits any.
     *
     * @throws CollectiveMismatchException on at least one rank if labels differ
     */
    void barrier(int label);

    // ---- collectives, O(log n)

    /**
     * Combines one value of every rank; every rank gets the result. A barrier as well.
     *
     * @throws CollectiveMismatchException on every rank, if a rank gives another operation or another type
     */
    double allReduce(double value, ReduceOp op);

    /** As {@link #allReduce(double, ReduceOp)}. */
    long allReduce(long value, ReduceOp op);

    // ---- teams, windows, notifications, blocks

    /** All ranks of the job. */
    Team world();

    /**
     * Ranks whose processes were lost while the job goes on ({@code pgas.lost=event}), in ascending order; none otherwise. Their
     * loss ends no wait of this rank any more, and what would reach their memory throws {@link PeerLostException}. Not collective:
     * GASPI's state vector.
     */
    List<Integer> lostRanks();

    /**
     * Collective over the ranks that live: the team of those, with {@code pgas.lost=event}, after a rank was lost. Every rank that
     * lives calls it, as soon as an operation has thrown {@link PeerLostException}. All get the same members; it waits for them by
     * the control plane and needs no memory of a rank that is lost. The members go on with the team: its collective operations,
     * splits of it, windows, arrays over it ({@code GlobalArrays}), transfers between them, allocations of one rank. What is
     * collective over all ranks is over, arrays and teams that had a lost rank among them are read where they are, and locks that
     * it held or waited for are lost. A member that is lost in turn ends waits again. After ULFM's {@code MPI_Comm_shrink}.
     *
     * <p>The process of rank 0 has the table of the shared heaps: its loss ends the job.
     *
     * @throws UnsupportedOperationException if the job ends when a rank is lost
     * @throws PgasTimeoutException          naming the processes that have not come
     * @throws CollectiveMismatchException   if a rank that lives has ended its program
     */
    Team survivors();

    /**
     * Collective over {@code team}, and a barrier of its members as well: shows {@code bytes} bytes at {@code base} to its
     * members.
     *
     * @param base with affinity to this rank
     * @throws IllegalArgumentException  if it has affinity to another
     * @throws IndexOutOfBoundsException if the range leaves the segment
     */
    Window createWindow(Team team, SharedPointer base, long bytes);

    /**
     * As {@link #createWindow(Team, SharedPointer, long)}, over memory that the program has: a Java array, or native memory of a
     * shared, automatic or global arena, which stays open until the window is closed. All members are threads of one JVM. Host
     * code alone puts and gets, with notifications, and each is complete when it returns; pointers, puts by streams and prepared
     * ones are refused, and {@code pgas.check=full} does not look.
     *
     * @param memory may differ in size from member to member
     * @throws IllegalArgumentException      if other threads may not write the memory
     * @throws UnsupportedOperationException if a member is of another process, on all members
     */
    Window createWindow(Team team, MemorySegment memory);

    /**
     * As {@link #createWindow(Team, MemorySegment)}, over a buffer of either kind, of which members may show different ones: host
     * memory, memory of this rank's device, or memory there of another library ({@link PgasUnsafe#deviceBuffer}), which stays
     * allocated until the window is closed. The device of the rank that puts or gets copies; the program orders that
     * behind work of streams.
     *
     * @throws IllegalArgumentException      also if the buffer's address is none of this rank's device, or the memory ends
     *                                       before the buffer does; the host device does not know
     * @throws DeviceException               if the buffer is closed; so do puts and gets once it is
     * @throws UnsupportedOperationException also if the device of a member does not reach the memory
     */
    Window createWindow(Team team, Buffer memory);

    /**
     * As {@link #createWindow(Team, SharedPointer, long)}, of a window that counts its notifications by source. Takes 2 KiB of
     * the rank's host heap for each member of the team until it is closed.
     *
     * @throws SegmentMemoryException if there is no room for the counters
     */
    SourceWindow createSourceWindow(Team team, SharedPointer base, long bytes);

    /**
     * Collective over all ranks, with the same options, and a barrier as well: makes the blocks of the devices ranks of their
     * own.
     */
    DeviceGrid createGrid(DeviceGrid.Options options);

    // ---- progress

    /**
     * Marks this rank as busy until the scope is closed: it computes or waits for something outside and does not look after
     * its own endpoint, so a helper thread may serve other ranks' requests for its memory at once. The runtime marks a
     * rank itself while it waits for a stream. Scopes may nest.
     */
    Scope busy();

    /** Serves what other ranks have asked of this one until nothing is left to do; never blocks. True if anything was done. */
    boolean progress();

    // ---- the rest, by subject

    /** Shared memory of this rank: its heaps, pointers from other ranks, buffers. */
    Memory memory();

    /** One-sided transfers with a choice of completion. */
    Rma rma();

    /** Collective operations on values and memory, split-phase barriers, teams. */
    Collectives collectives();

    /** Atomic operations on words of shared memory. */
    Atomics atomics();

    /** Locks and semaphores of all ranks. */
    Locks locks();

    /**
     * Collective, and a barrier as well: makes functions of every rank callable by all.
     *
     * @param functions the same names, sizes and capacity on all ranks
     * @throws SegmentMemoryException if a host segment has no room for {@code capacity * (maxBytes + 64)} bytes, twice
     */
    RemoteCalls remote(RemoteFunctions functions);

    /** Notifications of this rank's host code. */
    Notifications notifications();

    /** Routes and helper threads. */
    Diagnostics diagnostics();
}
