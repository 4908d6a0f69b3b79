package org.pgas4j.examples.matmul;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.SharedArray;
import org.pgas4j.UsageException;
import org.pgas4j.examples.matmul.io.MatrixSource;

/** What the programs share: arrays of a type known at run time only, and matrices on their way to the device. */
final class DeviceArrays {

    private static final long STAGING_BYTES = 64L << 20;

    private DeviceArrays() {
    }

    /**
     * Collective: an array of FLOAT or DOUBLE where the rank's allocations come from now.
     *
     * @throws UsageException if the heaps, whose size the matrices decide, were made too small by a setting
     */
    static SharedArray allAlloc(Rank rank, ElementType type, Layout layout, long length) {
        try {
            return switch (type) {
                case FLOAT -> rank.allAllocFloats(layout, length);
                case DOUBLE -> rank.allAllocDoubles(layout, length);
                default -> throw new IllegalArgumentException("type: " + type + " (expected: FLOAT or DOUBLE)");
            };
        } catch (SegmentMemoryException e) {
            throw new UsageException("no memory: " + e.getMessage(), e);
        }
    }

    /**
     * Private memory of this rank on its device.
     *
     * @param what it is for
     * @throws UsageException if the device has not that much free
     */
    static Buffer alloc(Rank rank, ElementType type, long length, String what) {
        long free = rank.device().freeBytes();
        if (free < type.bytes(length)) {
            throw new UsageException("no memory for " + what + ": it takes " + MemoryNeed.text(type.bytes(length))
                    + " more, " + MemoryNeed.text(free) + " are free on " + rank.device().name());
        }
        return rank.device().alloc(type, Math.max(1, length));
    }

    /**
     * Copies columns of a matrix to this rank's device.
     *
     * @param dst rows x columns.count() elements, column-major
     */
    static void upload(Rank rank, MatrixSource matrix, Columns columns, Buffer dst) {
        if (columns.count() == 0) {
            return;
        }
        ElementType type = dst.type();
        long columnBytes = type.bytes(matrix.rows());
        long together = Math.clamp(STAGING_BYTES / columnBytes, 1, columns.count());
        try (Arena arena = Arena.ofShared()) {
            MemorySegment staging = arena.allocate(together * columnBytes, Double.BYTES);
            for (long done = 0; done < columns.count(); done += together) {
                long count = Math.min(together, columns.count() - done);
                MemorySegment filled = staging.asSlice(0, count * columnBytes);
                matrix.columns(columns.first() + done, count, type, filled);
                rank.stream().copy(dst.slice(done * matrix.rows(), count * matrix.rows()), Buffer.ofHost(filled, type));
                rank.stream().sync();   // the staging memory is used again
            }
        }
    }
}
