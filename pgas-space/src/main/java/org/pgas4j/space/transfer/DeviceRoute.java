package org.pgas4j.space.transfer;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceMemory;
import org.pgas4j.MemoryKind;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.AtomicWords;
import org.pgas4j.device.HostBuffers;
import org.pgas4j.fastpath.protocol.Operation;
import org.pgas4j.os.trace.TraceKind;
import org.pgas4j.space.memory.Peer;
import org.pgas4j.space.memory.Segments;

/** Copies by the rank's device, which reaches both ends: host memory of its node, and device memory of peers it can address. */
sealed class DeviceRoute extends Route permits ResidentRoute {

    private final int rank;
    private final Peer peer;
    private final MemoryKind remote;
    private final Segments segments;
    private final Accelerator accelerator;
    private final Completions completions;

    DeviceRoute(int rank, Peer peer, MemoryKind remote, Segments segments, Accelerator accelerator, Completions completions) {
        super(rank, peer.rank());
        this.rank = rank;
        this.peer = peer;
        this.remote = remote;
        this.segments = segments;
        this.accelerator = accelerator;
        this.completions = completions;
    }

    /** Device memory that holds the peer's segment. */
    final DeviceMemory memory() {
        return peer.device();
    }

    /** Offset of the peer's shared heap in {@link #memory}. */
    final long memoryOffset() {
        return peer.deviceOffset();
    }

    /** Offset of the remote range in the memory that holds the peer's segment. */
    final long start(RmaDescriptor what) {
        return (remote == MemoryKind.HOST ? peer.heapStart() : peer.deviceOffset()) + what.offset;
    }

    /** Makes a peer's host memory usable by the device. */
    void register() {
        if (remote == MemoryKind.HOST) {
            segments.register(rank, peer.rank(), accelerator);
        }
    }

    /** Queues a put on a stream; a source on the host is native memory. */
    void queuePut(RmaDescriptor what, AcceleratorStream stream) {
        if (what.word == null) {
            queueCopy(what, stream);
        } else if (remote == MemoryKind.DEVICE && what.host == null) {
            stream.copyAndWrite(peer.device(), start(what), what.device, what.localOffset, what.bytes, what.word, what.wordOffset,
                    what.wordValue);
        } else {
            queueCopy(what, stream);
            stream.writeValue(what.word, what.wordOffset, what.wordValue);
        }
    }

    private void queueCopy(RmaDescriptor what, AcceleratorStream stream) {
        if (remote == MemoryKind.HOST) {
            stream.copyOut(peer.endpoint().mapped(), start(what), what.device, what.localOffset, what.bytes);
        } else if (what.host != null) {
            stream.copyIn(peer.device(), start(what), HostBuffers.requireOpen(what.host, "memput"), what.localOffset, what.bytes);
        } else {
            stream.copy(peer.device(), start(what), what.device, what.localOffset, what.bytes);
        }
    }

    @Override
    long put(RmaDescriptor what, AcceleratorStream via) {
        counts().put(what.bytes);
        if (what.host != null && !what.host.isNative()) {
            completions.syncStream(via);
            return inPieces(what, true);
        }
        register();
        if (what.host != null && via == null) {
            completions.stream().copyInWritten(memory(), start(what), HostBuffers.requireOpen(what.host, "memput"), what.localOffset,
                    what.bytes);
        } else {
            queuePut(what, completions.streamOr(via));
        }
        return completions.queued(via);
    }

    @Override
    long get(RmaDescriptor what, AcceleratorStream via) {
        counts().get(what.bytes);
        if (what.host == null) {
            register();
            AcceleratorStream stream = completions.streamOr(via);
            if (remote == MemoryKind.DEVICE) {
                stream.copy(what.device, what.localOffset, peer.device(), start(what), what.bytes);
            } else {
                stream.copyIn(what.device, what.localOffset, peer.endpoint().mapped(), start(what), what.bytes);
            }
            return completions.queued(via);
        }
        completions.syncStream(via); // host memory that a stream fills is complete when the call returns
        if (!what.host.isNative()) {
            return inPieces(what, false);
        }
        MemorySegment dst = HostBuffers.requireOpen(Unscoped.requireWritable(what.host), "memget");
        if (HostBuffers.isConfined(dst)) {
            completions.completeQueued(); // this thread copies
        }
        completions.stream().copyOut(dst, what.localOffset, peer.device(), start(what), what.bytes);
        long token = completions.queued(null);
        return via == null ? token : completions.finish(token);
    }

    /** Between the device and an array of Java's heap, through page-locked memory. */
    private long inPieces(RmaDescriptor what, boolean put) {
        MemorySegment piece = completions.piece();
        for (long done = 0; done < what.bytes; done += piece.byteSize()) {
            long part = Math.min(piece.byteSize(), what.bytes - done);
            if (put) {
                MemorySegment.copy(what.host, what.localOffset + done, piece, 0, part);
                completions.stream().copyIn(peer.device(), start(what) + done, piece, 0, part);
                completions.finish(completions.queued(null));
            } else {
                completions.stream().copyOut(piece, 0, peer.device(), start(what) + done, part);
                completions.finish(completions.queued(null));
                MemorySegment.copy(piece, 0, what.host, what.localOffset + done, part);
            }
        }
        return Completions.COMPLETE;
    }

    /** A device sets its own memory only: to a peer's the bytes are copied. */
    @Override
    long set(long offset, long bytes, byte value) {
        counts().set(bytes);
        long beginNs = traceBegin();
        long token = startSet(offset, bytes, value);
        traced(TraceKind.SET, bytes, beginNs);
        return token;
    }

    private long startSet(long offset, long bytes, byte value) {
        long start = peer.deviceOffset() + offset;
        if (peer.rank() == rank) {
            completions.stream().fill(peer.device(), start, bytes, value);
            return completions.queued(null);
        }
        MemorySegment piece = completions.piece();
        piece.asSlice(0, Math.min(piece.byteSize(), bytes)).fill(value);
        for (long done = 0; done < bytes; done += piece.byteSize()) {
            completions.stream().copyIn(peer.device(), start + done, piece, 0, Math.min(piece.byteSize(), bytes - done));
            completions.finish(completions.queued(null));
        }
        return Completions.COMPLETE;
    }

    @Override
    long atomic(AtomicRequest what, MemorySegment result) {
        AcceleratorStream stream = completions.stream();
        Buffer old = completions.atomicResult();
        queueAtomic(what, result == null ? null : old, stream);
        if (result != null) {
            // The next operation on this stream overwrites the word after this copy.
            stream.copyOut(result, 0, old.deviceMemory(), old.deviceOffset(), Long.BYTES);
        }
        return completions.queued(null);
    }

    /** Queues an atomic operation; what was there goes to {@code result}, or nowhere if that is null. */
    void queueAtomic(AtomicRequest what, Buffer result, AcceleratorStream stream) {
        counts().atomic(what.type.bytes());
        long beginNs = traceBegin();
        stream.launch(AtomicWords.KERNEL, AtomicWords.SHAPE,
                arguments(what, result == null ? completions.atomicResult() : result, result != null));
        traced(TraceKind.ATOMIC, what.type.bytes(), beginNs);
    }

    private Object[] arguments(AtomicRequest what, Buffer old, boolean fetches) {
        Buffer word = Buffer.ofDevice(peer.device(), peer.deviceOffset() + what.offset, what.type, 1);
        return new Object[] {word, what.op.code(), AtomicWords.code(what.type), what.operand, what.comparand, old, fetches ? 1 : 0};
    }

    @Override
    String atomicsBy() {
        return "this rank's device";
    }

    @Override
    Operation tryStartPut(RmaDescriptor what, AcceleratorStream on) {
        counts().servicePut(what.bytes);
        accelerator.bind();
        queuePut(what, on);
        return Operation.COMPLETE;
    }

    @Override
    String label(long bytes) {
        return peer.rank() == rank ? "local" : "direct-device";
    }

    @Override
    String how(long bytes) {
        return peer.rank() == rank ? "copy inside the rank's memory" : "copy by the rank's device, straight between the ends";
    }
}
