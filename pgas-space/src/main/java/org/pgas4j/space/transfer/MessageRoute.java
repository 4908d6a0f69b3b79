package org.pgas4j.space.transfer;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Supplier;
import org.pgas4j.MemoryKind;
import org.pgas4j.RankCounters;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.AtomicWords;
import org.pgas4j.fastpath.protocol.Operation;
import org.pgas4j.fastpath.protocol.Port;
import org.pgas4j.fastpath.protocol.Temporary;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.os.trace.TraceKind;

/** Messages that the owner of the memory, or a helper for it, carries out: small ones by fastpath, large ones by rendezvous. */
final class MessageRoute extends Route {

    private static final int UNKNOWN = -1;

    private final int target;
    private final MemoryKind own;
    private final MemoryKind remote;
    private final ProgressEngine progress;
    private final Accelerator accelerator;
    private final Completions completions;
    private final Supplier<Thresholds> thresholds;
    private final String reason;
    private final OperationCounts rendezvous = new OperationCounts();
    private volatile long putThreshold = UNKNOWN; // read by services
    private long getThreshold = UNKNOWN;

    /**
     * @param rank       that sends
     * @param thresholds requested when something is first sent
     * @param reason     transfers between these go by messages, for people
     */
    MessageRoute(int rank, int target, MemoryKind own, MemoryKind remote, ProgressEngine progress, Accelerator accelerator,
                 Completions completions, Supplier<Thresholds> thresholds, String reason) {
        super(rank, target);
        this.target = target;
        this.own = own;
        this.remote = remote;
        this.progress = progress;
        this.accelerator = accelerator;
        this.completions = completions;
        this.thresholds = thresholds;
        this.reason = reason;
    }

    /** From this number of bytes on transfers go by rendezvous. The rank's thread. */
    long threshold(boolean put) {
        if (getThreshold == UNKNOWN) {
            getThreshold = thresholds.get().of(false, own, remote);
            putThreshold = thresholds.get().of(true, own, remote);
        }
        return put ? putThreshold : getThreshold;
    }

    /** Connects to the peer, so that {@link #tryPut} finds a pair and a threshold. The rank's thread. */
    void connect() {
        threshold(true);
        Port port = progress.enter();
        try {
            port.connect(target);
        } finally {
            progress.exit();
        }
    }

    @Override
    long put(RmaDescriptor what, AcceleratorStream via) {
        long threshold = threshold(true);
        counts(what.bytes, threshold).put(what.bytes);
        Temporary staged = via == null || what.device == null ? null : stage(what.bytes);
        if (staged != null) {
            via.copyOut(staged.memory(), 0, what.device, what.localOffset, what.bytes);
        }
        completions.syncStream(via);
        Port port = progress.enter();
        long token;
        try {
            if (staged != null) {
                port.putStaged(target, remote, what.offset, staged, what.bytes, threshold);
                return Completions.COMPLETE;
            }
            MemorySegment host = what.host == null ? null : Unscoped.base(what.host); // a helper may be the one that copies
            token = completions.started(port.put(target, remote, what.offset, host, what.device, localOffset(what, host), what.bytes,
                    threshold, via != null || !what.sourceKept));
        } finally {
            progress.exit();
        }
        return via == null ? token : completions.finish(token);
    }

    /** Memory to which the device copies behind the work of a stream: the host then waits once, for both. */
    private Temporary stage(long bytes) {
        Port port = progress.enter();
        try {
            return port.stage(bytes);
        } finally {
            progress.exit();
        }
    }

    @Override
    long get(RmaDescriptor what, AcceleratorStream via) {
        completions.syncStream(via);
        long threshold = threshold(false);
        counts(what.bytes, threshold).get(what.bytes);
        MemorySegment host = what.host == null ? null : Unscoped.base(Unscoped.requireWritable(what.host));
        Port port = progress.enter();
        long token;
        try {
            token = completions.started(port.get(target, remote, what.offset, host, what.device, localOffset(what, host), what.bytes,
                    threshold));
        } finally {
            progress.exit();
        }
        return via == null ? token : completions.finish(token);
    }

    private OperationCounts counts(long bytes, long threshold) {
        return bytes >= threshold ? rendezvous : counts();
    }

    @Override
    void look(int peer, List<RankCounters.Traffic> into) {
        look(peer, "fastpath", reason, into);
        rendezvous.look(peer, "rendezvous", reason, into);
    }

    private static long localOffset(RmaDescriptor what, MemorySegment host) {
        return host == null ? what.localOffset : what.localOffset + Unscoped.start(what.host, host);
    }

    @Override
    long set(long offset, long bytes, byte value) {
        counts().set(bytes);
        long beginNs = traceBegin();
        Port port = progress.enter();
        try {
            port.set(target, remote, offset, bytes, value);
        } finally {
            progress.exit();
        }
        traced(TraceKind.SET, bytes, beginNs);
        return Completions.COMPLETE;
    }

    @Override
    long atomic(AtomicRequest what, MemorySegment result) {
        counts().atomic(what.type.bytes());
        long beginNs = traceBegin();
        Port port = progress.enter();
        try {
            return completions.started(port.atomic(target, remote, what.offset, what.op.code() | AtomicWords.code(what.type) << 8,
                    what.operand, what.comparand, result == null ? null : Unscoped.of(result)));
        } finally {
            progress.exit();
            traced(TraceKind.ATOMIC, what.type.bytes(), beginNs);
        }
    }

    @Override
    String atomicsBy() {
        return remote == MemoryKind.HOST ? "the owner's processor, by message" : "the owner's device, by message";
    }

    @Override
    Operation tryStartPut(RmaDescriptor what, AcceleratorStream on) {
        Port port = progress.tryEnter();
        if (port == null) {
            return null;
        }
        try {
            accelerator.bind();
            Operation started = port.tryPut(target, remote, what.offset, what.host, what.device, what.localOffset, what.bytes,
                    putThreshold);
            if (started != null) {
                counts(what.bytes, putThreshold).servicePut(what.bytes);
            }
            return started;
        } finally {
            progress.exit();
        }
    }

    @Override
    String label(long bytes) {
        return label(bytes, true);
    }

    @Override
    String labelOfGet(long bytes) {
        return label(bytes, false);
    }

    @Override
    String labelOfWord() {
        return "fastpath";
    }

    private String label(long bytes, boolean put) {
        return bytes >= threshold(put) ? "rendezvous" : "fastpath";
    }

    @Override
    String how(long bytes) {
        return "messages, which the owner or a helper carries out";
    }

    /** Protocol of each direction, with the thresholds that decide, and the reason for messages. */
    String explain(long bytes, boolean forced) {
        StringBuilder text = new StringBuilder();
        for (boolean put : new boolean[] {true, false}) {
            text.append(put ? "put by " : "; get by ").append(label(bytes, put));
            if (!forced) {
                text.append(" (").append(bytes).append(bytes >= threshold(put) ? " >= " : " < ").append(threshold(put)).append(", ")
                        .append(thresholds.get().origin()).append(')');
            }
        }
        return text.append("; by messages because ").append(reason).toString();
    }
}
