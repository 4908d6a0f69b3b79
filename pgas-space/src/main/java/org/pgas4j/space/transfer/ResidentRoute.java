package org.pgas4j.space.transfer;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.pgas4j.MemoryKind;
import org.pgas4j.RankCounters;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.HostBuffers;
import org.pgas4j.helper.resident.ResidentBlock;
import org.pgas4j.os.trace.TraceKind;
import org.pgas4j.space.memory.Peer;
import org.pgas4j.space.memory.Segments;

/**
 * Small transfers between host memory and device memory by the rank's resident block, in order with those that its streams
 * carry. It is a {@link DeviceRoute} for all others: large ones, those of the program's streams and of services, those started
 * while a stream has work left, and the ones before the block runs.
 */
final class ResidentRoute extends DeviceRoute {

    private static final String LABEL = "resident";

    private final Completions completions;
    private final int maxBytes;
    private final OperationCounts small = new OperationCounts();

    ResidentRoute(int rank, Peer peer, Segments segments, Accelerator accelerator, Completions completions) {
        super(rank, peer, MemoryKind.DEVICE, segments, accelerator, completions);
        this.completions = completions;
        this.maxBytes = completions.residentOptions().maxBytes();
    }

    @Override
    long put(RmaDescriptor what, AcceleratorStream via) {
        ResidentBlock block = via == null && what.host != null ? completions.residentFor(what.bytes) : null;
        if (block == null) {
            return super.put(what, via);
        }
        small.put(what.bytes);
        block.put(memory(), start(what), HostBuffers.requireOpen(what.host, "memput"), what.localOffset, (int) what.bytes);
        return completions.posted();
    }

    @Override
    long get(RmaDescriptor what, AcceleratorStream via) {
        ResidentBlock block = via == null && what.host != null ? completions.residentFor(what.bytes) : null;
        if (block == null) {
            return super.get(what, via);
        }
        small.get(what.bytes);
        block.get(HostBuffers.requireOpen(Unscoped.requireWritable(what.host), "memget"), what.localOffset, memory(), start(what),
                (int) what.bytes);
        return completions.posted();
    }

    @Override
    long atomic(AtomicRequest what, MemorySegment result) {
        ResidentBlock block = completions.residentFor(Long.BYTES);
        if (block == null) {
            return super.atomic(what, result);
        }
        small.atomic(what.type.bytes());
        long beginNs = traceBegin();
        block.atomic(memory(), memoryOffset() + what.offset, what.type, what.op, what.operand, what.comparand, result);
        traced(TraceKind.ATOMIC, what.type.bytes(), beginNs);
        return completions.posted();
    }

    @Override
    String atomicsBy() {
        return "the resident block on this rank's device";
    }

    @Override
    void look(int peer, List<RankCounters.Traffic> into) {
        look(peer, super.label(Long.MAX_VALUE), "", into);
        small.look(peer, LABEL, "", into);
    }

    @Override
    String label(long bytes) {
        return bytes <= maxBytes ? LABEL : super.label(bytes);
    }

    @Override
    String how(long bytes) {
        return bytes <= maxBytes ? "a block that stays on the rank's device moves up to " + maxBytes + " bytes; until it runs, "
                + super.label(bytes) : super.how(bytes);
    }
}
