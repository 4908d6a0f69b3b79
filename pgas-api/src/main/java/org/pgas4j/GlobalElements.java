package org.pgas4j;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pgas4j.GlobalPlace.GridAxis;

/**
 * Elements of a global array of one to three dimensions, by their coordinates, for kernels and for the rank's thread. In kernels,
 * elements of ranks that the device reaches are loads and stores; others end the kernel with an error. In the rank's thread each
 * access is a transfer.
 *
 * <p>Made by the array, for as long as that is open.
 */
public abstract sealed class GlobalElements permits GlobalDoubles, GlobalFloats, GlobalInts, GlobalLongs {

    private final Rank owner;
    private final Thread thread = Thread.currentThread();
    private final ElementType type;
    private final GlobalPlace place;
    private final GridAxis outer;
    private final GridAxis middle;
    private final GridAxis inner;
    private final MemorySegment cell;
    private final long[] addresses; // of the segments by rank, for a kernel on the host device; else null

    GlobalElements(Rank owner, ElementType type, GlobalPlace place) {
        if (place.base().elementBytes() != type.bytes()) {
            throw new IllegalArgumentException("elements of " + place.base().elementBytes() + " bytes as " + type + " of rank "
                    + owner.rank());
        }
        this.owner = owner;
        this.type = type;
        this.place = place;
        this.outer = place.axis(0);
        this.middle = place.axis(1);
        this.inner = place.axis(2);
        this.cell = Arena.ofAuto().allocate(type.bytes(), Long.BYTES);
        this.addresses = null;
    }

    /**
     * Elements as a thread of a kernel on the host device reaches them.
     *
     * @param addresses of the segments by rank, 0 for those out of reach
     */
    GlobalElements(GlobalElements of, long... addresses) {
        this.owner = of.owner;
        this.type = of.type;
        this.place = of.place;
        this.outer = of.outer;
        this.middle = of.middle;
        this.inner = of.inner;
        this.cell = of.cell;
        this.addresses = addresses;
    }

    /** Element type. */
    public final ElementType type() {
        return type;
    }

    /** HOST or DEVICE. */
    public final MemoryKind kind() {
        return place.base().kind();
    }

    /** Number of dimensions. */
    public final int dimensions() {
        return place.axes().size();
    }

    /** Number of indices of a dimension. */
    public final long length(int dimension) {
        return place.axes().get(dimension).length();
    }

    /** Place of the elements, for runtimes. */
    public final GlobalPlace place() {
        return place;
    }

    /** This rank's memory of the array, ghost cells included; for runtimes. */
    public final Buffer local() {
        return owner.memory().local(place.base().onRank(owner.rank()), type, place.count());
    }

    /** The rank that owns an element of an array of one dimension. */
    public final int rankOf(long i) {
        return rank(1, 0, 0, i);
    }

    /** The rank that owns an element of an array of two dimensions. */
    public final int rankOf(long i, long j) {
        return rank(2, 0, i, j);
    }

    /** The rank that owns an element of an array of three dimensions. */
    public final int rankOf(long i, long j, long k) {
        return rank(3, i, j, k);
    }

    private int rank(int given, long i, long j, long k) {
        if (given != place.axes().size() || i < 0 || i >= outer.length() || j < 0 || j >= middle.length() || k < 0
                || k >= inner.length()) {
            throw outOfBounds(given, i, j, k);
        }
        int number = (outer.owner(i) * middle.ranks() + middle.owner(j)) * inner.ranks() + inner.owner(k);
        return place.firstRank() + number * place.rankStep();
    }

    private long local(long i, long j, long k) {
        return outer.local(i) * outer.stride() + middle.local(j) * middle.stride() + inner.local(k) * inner.stride();
    }

    /** True for elements as a kernel on the host device has them. */
    final boolean isInKernel() {
        return addresses != null;
    }

    /**
     * Address of an element, in a kernel on the host device.
     *
     * @param given number of coordinates
     * @throws IndexOutOfBoundsException if the array has no such element, or another number of dimensions
     * @throws DeviceException           if its memory is out of reach
     */
    final long address(int given, long i, long j, long k) {
        int rank = rank(given, i, j, k);
        if (addresses[rank] == 0) {
            throw new DeviceException("element " + text(given, i, j, k) + " of " + this + " is on rank " + rank
                    + ", whose memory the device of rank " + owner.rank()
                    + " does not reach; use a window, or get a section before the kernel");
        }
        return addresses[rank] + place.offset() + type.bytes(local(i, j, k));
    }

    private SharedPointer element(int given, long i, long j, long k) {
        OwnThread.require(thread, owner.rank(), this, "; let other threads work on the array's local part");
        return place.base().onRank(rank(given, i, j, k)).plus(place.origin() + local(i, j, k));
    }

    /** Reads an element in the rank's thread. */
    final MemorySegment read(int given, long i, long j, long k) {
        owner.memget(cell, element(given, i, j, k), type.bytes());
        return cell;
    }

    /** Memory for a value that {@link #write} puts; in the rank's thread. */
    final MemorySegment cell() {
        OwnThread.require(thread, owner.rank(), this, "; let other threads work on the array's local part");
        return cell;
    }

    /** Writes an element in the rank's thread; local completion. */
    final void write(int given, long i, long j, long k) {
        owner.memput(element(given, i, j, k), cell, type.bytes());
    }

    /** Error of a call that only kernels have. */
    final IllegalStateException outsideKernels(String call) {
        return new IllegalStateException(call + " of " + this + " outside of a kernel; rank.atomics().domain(...) gives atomic "
                + "operations to host code");
    }

    private IndexOutOfBoundsException outOfBounds(int given, long i, long j, long k) {
        return new IndexOutOfBoundsException("index out of bounds: rank=" + owner.rank() + " index=" + text(given, i, j, k) + " of "
                + this);
    }

    private static String text(int given, long i, long j, long k) {
        return given == 1 ? "(" + k + ")" : given == 2 ? "(" + j + ", " + k + ")" : "(" + i + ", " + j + ", " + k + ")";
    }

    @Override
    public final String toString() {
        return getClass().getSimpleName() + place.axes() + " " + kind();
    }
}
