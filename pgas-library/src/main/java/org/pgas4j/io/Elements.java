package org.pgas4j.io;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.SharedArray;
import org.pgas4j.SharedPointer;
import org.pgas4j.SharedRecords;
import org.pgas4j.array.GlobalArray;
import org.pgas4j.array.Section;

/**
 * The elements of an array in global order, in which files hold them, whatever the layout: those of a shared array by index,
 * those of a section with the last dimension fastest. Values are little-endian, as in memory.
 */
public abstract sealed class Elements permits LinearArray, LinearSection {

    /** Takes a run of elements. */
    @FunctionalInterface
    interface RunBody {
        void run(long from, long count);
    }

    Elements() {
    }

    /** Elements of a shared array or of a slice. A replicated array counts once: its copies must be equal to be written. */
    public static Elements of(SharedArray array) {
        return new LinearArray(array);
    }

    /**
     * Elements from a pointer on, as its block size deals them ({@code buffer}, {@code blocksize} and {@code size} of {@code
     * upc_io}'s shared transfers): elements of the pointer's size, all of them with affinity to its rank if the block size is
     * indefinite.
     *
     * @throws IllegalArgumentException if {@code count} is negative
     */
    public static Elements of(Rank rank, SharedPointer start, long count) {
        if (count < 0) {
            throw new IllegalArgumentException("elements of rank " + rank.rank() + " from " + start + ": count=" + count
                    + " (expected: 0 or more)");
        }
        long block = start.blockElements();
        long phase = start.phase();
        Layout layout = block == 0 ? Layout.onRank(start.rank()) : Layout.blocked(block);
        MemoryLayout element = MemoryLayout.sequenceLayout(start.elementBytes(), ValueLayout.JAVA_BYTE);
        return new LinearArray(new SharedRecords(rank, element, layout, Math.addExact(phase, count), start.minus(phase))
                .slice(phase, count));
    }

    /** Elements of a section. */
    public static Elements of(Section section) {
        return new LinearSection(section);
    }

    /** Elements of a global array, without its ghost cells. */
    public static Elements of(GlobalArray array) {
        return of(array.all());
    }

    /** Element type; BYTE for elements that are none. */
    public abstract ElementType type();

    /** Size of an element, bytes. */
    public abstract long elementBytes();

    /** Number of indices of each dimension. */
    public abstract List<Long> lengths();

    /** Number of elements. */
    public final long count() {
        long count = 1;
        for (long length : lengths()) {
            count = Math.multiplyExact(count, length);
        }
        return count;
    }

    /** Size of all, bytes. */
    public final long bytes() {
        return Math.multiplyExact(count(), elementBytes());
    }

    /**
     * Refuses an array whose memory is freed.
     *
     * @throws org.pgas4j.StalePointerException if it is
     */
    abstract void requireLive(Rank rank);

    /** Reads elements {@code from} to {@code from + count - 1} into native memory. */
    abstract void get(Rank rank, long from, long count, MemorySegment into);

    /** Writes elements; complete locally. */
    abstract void put(Rank rank, long from, long count, MemorySegment values);

    /**
     * Calls {@code body} with the runs that this rank moves between memory and file, which all ranks together cover once: here an
     * equal share of the global order.
     *
     * @param max elements of a run
     */
    void forEachRun(Rank rank, long max, RunBody body) {
        long count = count();
        long share = Math.ceilDiv(count, (long) rank.ranks());
        long from = Math.min(count, share * rank.rank());
        cut(from, Math.min(count - from, share), max, body);
    }

    static void cut(long from, long count, long max, RunBody body) {
        for (long done = 0; done < count; done += max) {
            body.run(from + done, Math.min(max, count - done));
        }
    }

    /** Type and lengths, for errors and for comparison. */
    final String shape() {
        return type() + "(" + elementBytes() + " bytes)" + lengths();
    }
}
