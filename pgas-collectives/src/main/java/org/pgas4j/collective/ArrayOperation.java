package org.pgas4j.collective;

import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.ReduceOp;
import org.pgas4j.Reduction;
import org.pgas4j.SharedArray;
import org.pgas4j.Sync;
import org.pgas4j.space.sync.ScalarAllReduce;

/**
 * Combines elements of a shared array with each other: by the rank's device, if they are in device memory, it has room and can do
 * the operation, else on the host. Both have the same order, so each member chooses for itself.
 */
abstract class ArrayOperation extends CollectiveOperation {

    final SharedArray src;
    final ElementType type;
    final Reduction op;
    private DeviceFunction function; // of the program, for devices; null for others

    ArrayOperation(Group group, MemberAccess access, Sync sync, String name, SharedArray src, Reduction op,
                   Supplier<String> details, long... same) {
        super(group, access, sync, name, details, same);
        this.src = src;
        this.type = src.type();
        this.op = op;
    }

    @Override
    final ScalarAllReduce.Payload begin() {
        return null;
    }

    @Override
    final void settled() {
        if (function != null) {
            function.check();
        }
    }

    /** The rank's device for a step of the work; null if the host is to combine. */
    final DeviceTiles device() {
        if (src.kind() != MemoryKind.DEVICE) {
            return null;
        }
        function = access.function(op);
        if (!(op instanceof ReduceOp) && function == null || !access.scratch().hasLevels(DeviceTiles.LEVELS)) {
            return null;
        }
        return new DeviceTiles(access.accelerator(), access.stream(), access.scratch(), new Combination(type, op, function),
                DeviceTiles.fitting(type));
    }

    /** Whether a range has elements, and their combination. */
    final long[] combineRange(ArrayRange range) {
        DeviceTiles device = range.isEmpty() || !range.isReached(access, group, null) ? null : device();
        if (device == null) {
            return range.combine(op);
        }
        range.combine(device, access);
        return total(device);
    }

    /** The result of what a device was given, one element at least. */
    final long[] total(DeviceTiles device) {
        MemorySegment piece = access.piece();
        access.stream().copyOut(piece, 0, device.total(), 0, type.bytes());
        access.syncStream();
        return new long[] {1, ArrayElements.word(type, piece, 0)};
    }
}
