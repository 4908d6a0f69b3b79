package org.pgas4j.examples.matmul;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Event;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.SharedArray;
import org.pgas4j.Stream;
import org.pgas4j.UsageException;
import org.pgas4j.examples.matmul.io.MatrixSource;

/** Arrays of a type known at run time only, matrices on their way to the device, and a timed product. */
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
     * @param purpose for the message
     * @throws UsageException if the device has not that much free
     */
    static Buffer alloc(Rank rank, ElementType type, long length, String purpose) {
        long free = rank.device().freeBytes();
        if (free < type.bytes(length)) {
            throw new UsageException("no memory for " + purpose + ": it takes " + MemoryNeed.text(type.bytes(length))
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

    /** {@code c = a * b} with n x n, n x columns; milliseconds the device spent on it. */
    static double multiplyMs(Stream stream, long n, long columns, Buffer a, Buffer b, Buffer c) {
        try (Event start = stream.record()) {
            stream.gemm(n, columns, n, 1, a, n, b, n, 0, c, n);
            try (Event end = stream.record()) {
                stream.sync();
                return end.millisSince(start);
            }
        }
    }
}
