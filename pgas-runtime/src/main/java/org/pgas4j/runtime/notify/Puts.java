package org.pgas4j.runtime.notify;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.MemoryKind;
import org.pgas4j.device.Accelerator;
import org.pgas4j.space.memory.Segments;
import org.pgas4j.space.transfer.OpenBlocks;
import org.pgas4j.space.transfer.RouteTable;
import org.pgas4j.space.transfer.Unscoped;

/** Fills descriptors of puts to windows. Used by the rank's thread. */
final class Puts {

    private final int rank;
    private final RouteTable routes;
    private final Segments segments;
    private final Accelerator accelerator;

    Puts(int rank, RouteTable routes, Segments segments, Accelerator accelerator) {
        this.rank = rank;
        this.routes = routes;
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
        into.route = null;
        into.target = target;
        into.endpoint = routes.peer(target).endpoint();
        into.rma.remote(target, MemoryKind.HOST, 0, null, 0);
        into.noTag();
    }

    /** Fills in a put of a buffer to a checked place in a window. */
    void describe(Descriptor into, RankWindow window, int member, long offset, Buffer src) {
        describe(into, window.worldRank(member));
        if (src.bytes() == 0) {
            return;
        }
        window.remote(into.rma, member, offset, src.bytes());
        if (src.kind() == MemoryKind.HOST) {
            into.rma.local(nativeMemory(src), 0);
        } else {
            into.rma.local(OpenBlocks.require("put", rank, src), src.deviceOffset());
        }
        into.route = routes.connected(into.rma);
    }

    /** True if this rank's device reaches all of a rank's memory by itself, and nothing goes there by messages. */
    boolean reaches(int target) {
        return routes.isDirect(target);
    }

    /** A rank's host segment, in which streams of this rank's device write and wait for words. */
    MemorySegment wordsOf(int target) {
        segments.register(rank, target, accelerator);
        return routes.peer(target).endpoint().mapped();
    }

    private static MemorySegment nativeMemory(Buffer src) {
        MemorySegment memory = src.segment();
        if (!memory.isNative()) {
            throw new IllegalArgumentException("a stream puts native memory only, this is a Java array; allocate the segment "
                    + "from an Arena, or use Window.put");
        }
        return Unscoped.of(memory);
    }
}
