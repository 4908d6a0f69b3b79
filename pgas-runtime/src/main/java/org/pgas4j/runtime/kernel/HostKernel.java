package org.pgas4j.runtime.kernel;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceException;
import org.pgas4j.Kernel;
import org.pgas4j.KernelMemory;
import org.pgas4j.MemoryKind;

/**
 * A launch on the host device: its arguments are the segments of the ranks that the device reaches, then the captured buffers, so
 * that elements are found where they are.
 */
final class HostKernel extends KernelMemory {

    private final Kernel.Args args;
    private final RankSegments segments;
    private final int first;      // argument of the first buffer
    private final List<Buffer> buffers;

    HostKernel(Kernel.Args args, RankSegments segments, int first, List<Buffer> buffers) {
        this.args = args;
        this.segments = segments;
        this.first = first;
        this.buffers = buffers;
    }

    @Override
    protected MemorySegment segment(int rank, MemoryKind kind) {
        if (kind == MemoryKind.HOST) {
            return segments.host(rank);
        }
        int argument = segments.places()[rank];
        return argument < 0 ? null : args.segment(argument);
    }

    @Override
    protected MemorySegment memory(Buffer buffer) {
        for (int i = 0; i < buffers.size(); i++) {
            if (buffers.get(i) == buffer) {
                return args.segment(first + i);
            }
        }
        throw new DeviceException(buffer + " in a kernel (expected: one that the kernel has captured)");
    }
}
