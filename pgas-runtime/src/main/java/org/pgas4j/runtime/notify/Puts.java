package org.pgas4j.runtime.notify;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.MemoryKind;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.fastpath.protocol.Port;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.runtime.memory.Peer;
import org.pgas4j.runtime.memory.Peers;
import org.pgas4j.runtime.memory.Segments;
import org.pgas4j.runtime.transfer.OpenBlocks;
import org.pgas4j.runtime.transfer.Transfers;
import org.pgas4j.runtime.transfer.Unscoped;

/** Writes down puts to windows, and queues on streams those that a device does by itself. Used by the rank's thread. */
final class Puts {

    private final int rank;
    private final Peers peers;
    private final Transfers transfers;
    private final ProgressEngine progress;
    private final Segments segments;
    private final Accelerator accelerator;

    Puts(int rank, Peers peers, Transfers transfers, ProgressEngine progress, Segments segments, Accelerator accelerator) {
        this.rank = rank;
        this.peers = peers;
        this.transfers = transfers;
        this.progress = progress;
        this.segments = segments;
        this.accelerator = accelerator;
    }

    Accelerator accelerator() {
        return accelerator;
    }

    Segments segments() {
        return segments;
    }

    /** Fills in a notification without bytes. */
    void describe(Descriptor into, int target) {
        into.way = Descriptor.Way.NONE;
        into.target = target;
        into.endpoint = peers.get(target).endpoint();
        into.bytes = 0;
        into.noTag();
    }

    /** Fills in a put of a block to a checked place in a window. */
    void describe(Descriptor into, RankWindow window, int member, long offset, Buffer src) {
        int target = window.worldRank(member);
        describe(into, target);
        if (src.bytes() == 0) {
            return;
        }
        Peer peer = peers.get(target);
        MemoryKind kind = window.kind(member);
        into.kind = kind;
        into.bytes = src.bytes();
        into.heapOffset = window.base(member) + offset;
        if (src.kind() == MemoryKind.HOST) {
            into.host = nativeMemory(src);
            into.device = null;
            into.srcOffset = 0;
        } else {
            into.host = null;
            into.device = OpenBlocks.require("put", rank, src);
            into.srcOffset = src.deviceOffset();
        }
        into.offset = (kind == MemoryKind.HOST ? peer.heapStart() : peer.deviceOffset()) + into.heapOffset;
        into.targetDevice = kind == MemoryKind.DEVICE ? peer.device() : null;
        if (transfers.byMessages(target, src.kind(), kind)) {
            into.way = Descriptor.Way.MESSAGES;
            into.threshold = transfers.putThreshold(src.kind(), kind);
            connect(target);
        } else if (src.kind() == MemoryKind.HOST && kind == MemoryKind.HOST) {
            into.way = Descriptor.Way.CONDUIT;
        } else {
            into.way = Descriptor.Way.DEVICE;
            if (kind == MemoryKind.HOST) {
                segments.register(rank, target, accelerator);
            }
        }
    }

    /** True if this rank's device reaches all of a rank's memory by itself, and nothing goes there by messages. */
    boolean reaches(int target) {
        return transfers.isDirect(target) && peers.get(target).endpoint().mapped() != null;
    }

    /** A rank's host segment, in which streams of this rank's device write and wait for words. */
    MemorySegment wordsOf(int target) {
        segments.register(rank, target, accelerator);
        return peers.get(target).endpoint().mapped();
    }

    private static MemorySegment nativeMemory(Buffer src) {
        MemorySegment memory = src.segment();
        if (!memory.isNative()) {
            throw new IllegalArgumentException("a stream puts native memory only, this is a Java array; allocate the segment "
                    + "from an Arena, or use Window.put");
        }
        return Unscoped.of(memory);
    }

    private void connect(int target) {
        Port port = progress.enter();
        try {
            port.connect(target);
        } finally {
            progress.exit();
        }
    }

    /** Queues on a stream what its device copies by itself. */
    static void queue(Descriptor what, AcceleratorStream stream) {
        if (what.kind == MemoryKind.HOST) {
            stream.copyOut(what.endpoint.mapped(), what.offset, what.device, what.srcOffset, what.bytes);
        } else if (what.device == null) {
            stream.copyIn(what.targetDevice, what.offset, what.host, what.srcOffset, what.bytes);
        } else {
            stream.copy(what.targetDevice, what.offset, what.device, what.srcOffset, what.bytes);
        }
    }
}
