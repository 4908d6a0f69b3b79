package org.pgas4j;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.pgas4j.kernel.DoubleKernel;
import org.pgas4j.kernel.IndexKernel;
import org.pgas4j.kernel.LongKernel;

/**
 * An array spread over the ranks, indexable by all of them. Every operation is one-sided; the object belongs to the
 * rank that allocated it. Elements are read and written by its thread only: in another thread, such as one of a parallel
 * stream, {@code get} and {@code put} throw an {@link IllegalStateException}. Threads of the program's own compute on
 * {@link #local()}, or on arrays that {@link Rank#memget(java.lang.foreign.MemorySegment, SharedPointer, long)} has filled.
 */
public abstract sealed class SharedArray permits SharedFloats, SharedDoubles, SharedInts, SharedLongs, SharedBytes,
        SharedShorts, SharedChars, SharedBooleans, SharedRecords {

    /** Body of {@link #forAllLocal(IndexBody)}. */
    @FunctionalInterface
    public interface IndexBody {
        void at(long index);
    }

    private final Rank owner;
    private final Thread thread = Thread.currentThread();
    private final ElementType type;
    private final long elementBytes;
    private final Layout layout;
    private final long length;
    private final SharedPointer base;
    private final long start; // of a slice: its first element in the whole array
    private final KernelElements kernel; // of a view for a kernel on the host device; else null

    SharedArray(Rank owner, ElementType type, Layout layout, long length, SharedPointer base) {
        this.owner = owner;
        this.type = type;
        this.elementBytes = base.elementBytes();
        this.layout = layout;
        this.length = length;
        this.base = base;
        this.start = 0;
        this.kernel = null;
    }

    /** A slice of an array, or of a slice. */
    SharedArray(SharedArray of, long from, long count) {
        Objects.checkFromIndexSize(from, count, of.length);
        this.owner = of.owner;
        this.type = of.type;
        this.elementBytes = of.elementBytes;
        this.layout = of.layout;
        this.length = count;
        this.base = of.base;
        this.start = of.start + from;
        this.kernel = null;
    }

    /** An array as a thread of a kernel on the host device sees it. */
    SharedArray(SharedArray of, KernelElements kernel) {
        this.owner = of.owner;
        this.type = of.type;
        this.elementBytes = of.elementBytes;
        this.layout = of.layout;
        this.length = of.length;
        this.base = of.base;
        this.start = of.start;
        this.kernel = kernel;
    }

    /** Element type; BYTE for elements that are none: booleans and records are their bytes to transfers. */
    public final ElementType type() {
        return type;
    }

    /** Size of an element in bytes. */
    public final long elementBytes() {
        return elementBytes;
    }

    /** Distribution of the elements over the ranks; of a slice that of the whole array. */
    public final Layout layout() {
        return layout;
    }

    /** Number of elements; of one copy if replicated. */
    public final long length() {
        return length;
    }

    /** HOST or DEVICE. */
    public final MemoryKind kind() {
        return base.kind();
    }

    /** The rank whose view this is. */
    protected final Rank owner() {
        return owner;
    }

    /** Pointer to element 0; the caller's own copy if replicated. */
    public final SharedPointer pointer() {
        return start == 0 ? base : base.plus(start);
    }

    /**
     * Pointer to an element.
     *
     * @param index 0..length; length itself is one past the end
     */
    public final SharedPointer pointer(long index) {
        if (index < 0 || index > length) {
            throw outOfBounds(index);
        }
        return base.plus(start + index);
    }

    /** The rank that element {@code index} has affinity to. */
    public final int rankOf(long index) {
        return pointer(Objects.checkIndex(index, length)).rank();
    }

    /** Number of elements with affinity to {@code rank}. */
    public final long lengthOn(int rank) {
        return before(start + length, rank) - before(start, rank);
    }

    /** Number of elements with affinity to a rank among the first {@code count} of the whole array. */
    private long before(long count, int rank) {
        return switch (layout) {
            case Layout.Replicated _ -> count;
            case Layout.OnRank on -> on.rank() == rank ? count : 0;
            case Layout.Blocked _, Layout.Even _ -> SharedPointer.affinityBytes(count, base.blockElements(), base.ranks(), rank);
        };
    }

    /**
     * The lowest index with affinity to {@code rank}, or -1.
     *
     * @throws IndexOutOfBoundsException if the job has no such rank
     */
    public final long firstOn(int rank) {
        Objects.checkIndex(rank, base.ranks());
        if (lengthOn(rank) == 0) {
            return -1;
        }
        if (!isDealt()) {
            return 0;
        }
        long block = start / base.blockElements();
        long behind = Math.floorMod(rank - block, (long) base.ranks());
        return behind == 0 ? 0 : (block + behind) * base.blockElements() - start;
    }

    /** True if blocks of the elements go to the ranks in turn. */
    private boolean isDealt() {
        return layout instanceof Layout.Blocked || layout instanceof Layout.Even;
    }

    /** This rank's elements, contiguous in memory in index order; elements that are no {@link #type} as bytes. */
    public final Buffer local() {
        int rank = owner.rank();
        long mine = lengthOn(rank);
        if (layout instanceof Layout.OnRank && mine == 0) {
            return Buffer.ofHost(MemorySegment.NULL, type);
        }
        long items = elementBytes / type.bytes();
        long skipped = before(start, rank);
        return owner.memory().local(base.resetPhase().onRank(rank), type, (skipped + mine) * items)
                .slice(skipped * items, mine * items);
    }

    /**
     * Place of the elements, for runtimes.
     *
     * @param offset of the array in the segment of each rank that has a part, bytes
     * @param length elements
     * @param start  of a slice, in the whole array
     * @param block  elements that a rank has in a row, whose blocks go to the ranks in turn from rank 0 on; 0: all are on one
     * @param ranks  number of ranks
     * @param rank   the calling rank; that of all elements if block is 0
     */
    public record Place(long offset, long length, long start, long block, int ranks, int rank) {
    }

    /** Place of the elements, for runtimes. */
    public final Place place() {
        int rank = layout instanceof Layout.OnRank on ? on.rank() : owner.rank();
        return new Place(base.addrField(), length, start, isDealt() ? base.blockElements() : 0, base.ranks(), rank);
    }

    /**
     * Number of elements before the {@code index}-th of the part of the whole array that this rank has; for runtimes.
     *
     * @param index 0..length
     */
    public final long placesBefore(long index) {
        return layout instanceof Layout.OnRank on && on.rank() != owner.rank() ? 0 : before(start + index, owner.rank());
    }

    /**
     * Runs {@code body} on this rank's device for every index that has affinity to this rank ({@code upc_forall}), as work of
     * {@link Rank#stream()}: {@link Stream#forAll(SharedArray, long, long, long, IndexKernel)}.
     */
    public final void forAll(IndexKernel body) {
        forAll(owner.stream(), body);
    }

    /** As {@link #forAll(IndexKernel)}, on a stream of this rank. */
    public final void forAll(Stream stream, IndexKernel body) {
        stream.forAll(this, 0, length, 1, body);
    }

    /**
     * Combines the values of {@code body} for all indices of this array, each computed on the device of the rank that the element
     * has affinity to, behind what is queued on {@code stream}. Collective over all ranks, each of which gets the result. For a given
     * number of ranks and kind of device the order of combination is always the same.
     *
     * @param op SUM, PRODUCT, MIN, MAX, LOGICAL_AND or LOGICAL_OR
     */
    public final double reduce(Stream stream, ReduceOp op, DoubleKernel body) {
        double own = stream.reduce(this, op, body);
        if (layout instanceof Layout.Replicated) { // all ranks have all elements
            return Double.longBitsToDouble(owner.collectives().broadcast(Double.doubleToRawLongBits(own), 0));
        }
        return owner.collectives().allReduce(own, op);
    }

    /** As {@link #reduce}, for integers, which wrap, with all operations. */
    public final long reduceLongs(Stream stream, ReduceOp op, LongKernel body) {
        long own = stream.reduceLongs(this, op, body);
        return layout instanceof Layout.Replicated ? owner.collectives().broadcast(own, 0) : owner.collectives().allReduce(own, op);
    }

    /** Calls {@code body} with every index that has affinity to this rank, in ascending order ({@code upc_forall}). */
    public final void forAllLocal(IndexBody body) {
        forAllLocal(0, length, 1, body);
    }

    /**
     * Calls {@code body} with those of the indices {@code from}, {@code from + step}, ... below {@code to} that have affinity to
     * this rank, in ascending order. Of a matrix by rows with {@code step} elements each, these are the first elements of the
     * rows that begin on this rank.
     *
     * @throws IndexOutOfBoundsException if the range leaves the array
     * @throws IllegalArgumentException  if {@code step} is below 1
     */
    public final void forAllLocal(long from, long to, long step, IndexBody body) {
        Objects.checkFromToIndex(from, to, length);
        if (step < 1) {
            throw new IllegalArgumentException("forAllLocal of " + this + ": step=" + step + " (expected: >= 1)");
        }
        long most = Math.min(step, Math.max(1, to)); // a longer step ends the loop as well
        if (layout instanceof Layout.Replicated || layout instanceof Layout.OnRank on && on.rank() == owner.rank()) {
            forRange(from, from, to, most, body);
        } else if (isDealt()) {
            forBlocks(from, to, most, body);
        }
    }

    private void forBlocks(long from, long to, long step, IndexBody body) {
        long block = base.blockElements();
        long stride = Math.multiplyExact(block, (long) base.ranks());
        long number = (start + from) / block;
        long first = (number + Math.floorMod(owner.rank() - number, (long) base.ranks())) * block - start;
        while (first < to) {
            forRange(from, Math.max(from, first), Math.min(to - first, block) + first, step, body);
            if (first > Long.MAX_VALUE - stride) {
                return;
            }
            first += stride;
        }
    }

    /** The indices {@code origin + n * step} from {@code from} to {@code to - 1}. */
    private static void forRange(long origin, long from, long to, long step, IndexBody body) {
        long skipped = Math.ceilDiv(from - origin, step) * step;
        for (long index = origin + skipped; index < to; index += step) {
            body.at(index);
        }
    }

    /** Elements as a kernel on the host device finds them; null outside of kernels. */
    final KernelElements kernel() {
        return kernel;
    }

    /** Error of an access to an element whose rank's memory a kernel's device does not reach. */
    final DeviceException outOfReach(long index, int rank) {
        return new DeviceException("element " + index + " of " + this + " is on rank " + rank + ", whose memory the device of "
                + "rank " + owner.rank() + " does not reach; use a window, or memget before the kernel");
    }

    /**
     * A pointer to {@code index}, which must be an element, for the rank's thread to read or write it.
     *
     * @throws IllegalStateException in another thread
     */
    protected final SharedPointer element(long index) {
        OwnThread.require(thread, owner.rank(), this, "; let other threads work on local(), or on what memget() has copied");
        if (index < 0 || index >= length) {
            throw outOfBounds(index);
        }
        return base.plus(start + index);
    }

    /**
     * Reads elements {@code from} to {@code from + count - 1}, as the bytes that they are in the array, to the start of host
     * memory. One transfer reads all whole blocks of a rank; a block that the range begins or ends in is one more. Complete at
     * return. Of a replicated array it is the caller's own copy.
     *
     * @param into native memory, or that of a Java array
     * @throws IndexOutOfBoundsException if they are not all in this array, or do not fit
     * @throws IllegalStateException     in another thread than the rank's
     */
    public final void get(long from, long count, MemorySegment into) {
        transfer(false, from, count, Buffer.ofHost(into, ElementType.BYTE));
    }

    /**
     * Reads elements to the start of a buffer of the host or of this rank's device; otherwise as
     * {@link #get(long, long, MemorySegment)}.
     */
    public final void get(long from, long count, Buffer into) {
        transfer(false, from, count, into.as(ElementType.BYTE));
    }

    /**
     * Writes {@code count} elements from the start of host memory to those from {@code from} on; otherwise as
     * {@link #get(long, long, MemorySegment)}. The memory may be reused at return (local completion).
     *
     * @throws IndexOutOfBoundsException if they are not all in this array, or not that many are given
     */
    public final void put(long from, long count, MemorySegment values) {
        transfer(true, from, count, Buffer.ofHost(values, ElementType.BYTE));
    }

    /**
     * Writes elements from the start of a buffer of the host or of this rank's device; otherwise as
     * {@link #put(long, long, MemorySegment)}.
     */
    public final void put(long from, long count, Buffer values) {
        transfer(true, from, count, values.as(ElementType.BYTE));
    }

    /** The begun block at the front, the whole blocks by owner, the begun block at the end. */
    private void transfer(boolean put, long index, long count, Buffer local) {
        if (index < 0 || count < 0 || index > length - count) {
            throw new IndexOutOfBoundsException("elements out of bounds: rank=" + owner.rank() + " array=" + this + " index=" + index
                    + " count=" + count + " length=" + length);
        }
        if (count * elementBytes > local.bytes()) {
            throw new IndexOutOfBoundsException((local.kind() == MemoryKind.HOST ? "host" : "device") + " memory out of bounds: rank="
                    + owner.rank() + " array=" + this + " count=" + count + " elementBytes=" + elementBytes + " localBytes="
                    + local.bytes());
        }
        if (count == 0 || !isDealt() || base.ranks() == 1) {
            transferRun(put, index, count, local, 0);
            return;
        }
        long block = base.blockElements();
        long front = Math.min(count, Math.floorMod(-(start + index), block));
        transferRun(put, index, front, local, 0);
        long blocks = (count - front) / block;
        int ranks = base.ranks();
        for (int number = 0; number < Math.min(blocks, ranks); number++) {
            long at = front + number * block;
            long ofOwner = Math.ceilDiv(blocks - number, (long) ranks);
            if (ofOwner == 1) {
                transferRun(put, index + at, block, local, at);
            } else {
                transferBlocks(put, index + at, ofOwner, local, at);
            }
        }
        long done = front + blocks * block;
        transferRun(put, index + done, count - done, local, done);
    }

    /** Elements that are contiguous on a rank; {@code at} is the number of elements before them in {@code local}. */
    private void transferRun(boolean put, long index, long count, Buffer local, long at) {
        if (count == 0) {
            return;
        }
        Buffer part = local.slice(at * elementBytes, count * elementBytes);
        boolean isHost = local.kind() == MemoryKind.HOST;
        if (put && isHost) {
            owner.memput(element(index), part.segment(), part.bytes());
        } else if (put) {
            owner.memput(element(index), part);
        } else if (isHost) {
            owner.memget(part.segment(), element(index), part.bytes());
        } else {
            owner.memget(part, element(index));
        }
    }

    /** Blocks of one owner, which are contiguous there, and between which local memory has those of all other ranks. */
    private void transferBlocks(boolean put, long index, long blocks, Buffer local, long at) {
        long run = base.blockElements() * elementBytes;
        Strided shape = Strided.rows(run, blocks, run * base.ranks(), run);
        Buffer part = local.slice(at * elementBytes, shape.dstExtent());
        if (put) {
            owner.rma().put(element(index), part, shape.reversed(), Completion.LOCAL);
        } else {
            owner.rma().get(part, element(index), shape, Completion.LOCAL);
        }
    }

    final IndexOutOfBoundsException outOfBounds(long index) {
        return new IndexOutOfBoundsException("index out of bounds: rank=" + owner.rank() + " array=" + this + " index="
                + index + " length=" + length);
    }

    @Override
    public final String toString() {
        return getClass().getSimpleName() + "[" + length + ", " + layout + ", " + base.kind() + "]";
    }
}
