package org.pgas4j.runtime.check;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.MemoryKind;
import org.pgas4j.Lease;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.SharedPointer;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.runtime.memory.Peers;
import org.pgas4j.runtime.memory.Segments;
import org.pgas4j.runtime.sync.CallSite;
import org.pgas4j.runtime.sync.Waiter;
import org.pgas4j.runtime.transfer.Bounds;
import org.pgas4j.runtime.transfer.RouteTable;
import org.pgas4j.runtime.transfer.Transfers;

/**
 * One rank's transfers, each looked at by {@link RaceDetector} before it is started: the shared range, and local memory that is
 * a view of shared memory. What a stream does later is not looked at.
 */
public final class WatchedTransfers extends Transfers {

    private final int rank;
    private final Checks checks;
    private final Segments segments;
    private int unwatched;

    public WatchedTransfers(int rank, Checks checks, Peers peers, RouteTable routes, Segments segments, ProgressEngine progress,
                            Accelerator accelerator, Waiter waiter) {
        super(rank, peers, routes, segments, progress, accelerator, waiter);
        this.rank = rank;
        this.checks = checks;
        this.segments = segments;
    }

    @Override
    public boolean watches() {
        return true;
    }

    @Override
    public void unwatched(Runnable transfers) {
        unwatched++;
        try {
            transfers.run();
        } finally {
            unwatched--;
        }
    }

    private void uses(SharedPointer pointer, long bytes, boolean write, String operation) {
        Lease lease = PgasUnsafe.lease(pointer);
        if (unwatched == 0 && lease != null && !Bounds.refuses(pointer, bytes, segments.heapBytes(pointer.kind()))) {
            checks.uses(rank, lease, pointer.rank(), pointer.addrField(), bytes, write, what(operation));
        }
    }

    private void usesLocal(MemorySegment memory, long bytes, boolean write, String operation) {
        if (unwatched > 0 || !memory.isNative() || bytes <= 0 || bytes > memory.byteSize()) {
            return;
        }
        LocalViews.Place place = checks.views().placeOf(memory.address());
        if (place != null && bytes <= place.lease().start() + place.lease().bytes() - place.offset()) {
            checks.uses(rank, place.lease(), place.rank(), place.offset(), bytes, write, what(operation));
        }
    }

    private static String what(String operation) {
        return operation + " at " + CallSite.find();
    }

    @Override
    public boolean put(SharedPointer dst, MemorySegment src, long bytes) {
        usesLocal(src, bytes, false, "put");
        uses(dst, bytes, true, "put");
        return super.put(dst, src, bytes);
    }

    @Override
    public boolean put(SharedPointer dst, Buffer src, AcceleratorStream via) {
        if (via == null && src.kind() == MemoryKind.DEVICE) { // of the host: as the one above
            uses(dst, src.bytes(), true, "put");
        }
        return super.put(dst, src, via);
    }

    @Override
    public boolean get(MemorySegment dst, SharedPointer src, long bytes) {
        uses(src, bytes, false, "get");
        usesLocal(dst, bytes, true, "get");
        return super.get(dst, src, bytes);
    }

    @Override
    public boolean get(Buffer dst, SharedPointer src, AcceleratorStream via) {
        if (via == null && dst.kind() == MemoryKind.DEVICE) {
            uses(src, dst.bytes(), false, "get");
        }
        return super.get(dst, src, via);
    }

    @Override
    public boolean copy(SharedPointer dst, SharedPointer src, long bytes) {
        uses(src, bytes, false, "copy");
        uses(dst, bytes, true, "copy");
        boolean[] complete = new boolean[1];
        unwatched(() -> complete[0] = super.copy(dst, src, bytes));
        return complete[0];
    }

    @Override
    public boolean set(SharedPointer dst, int value, long bytes) {
        uses(dst, bytes, true, "set");
        return super.set(dst, value, bytes);
    }
}
