package org.pgas4j.space.check;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Lease;
import org.pgas4j.space.sync.CallSite;
import org.pgas4j.space.transfer.TransferObserver;

/**
 * Reports one rank's transfers to the {@link RaceDetector} before they start: the shared range, and local memory that is a view
 * of shared memory. Work that a stream does later is not reported.
 */
public final class WatchedTransfers implements TransferObserver {

    private final int rank;
    private final Checks checks;
    private int suspended;

    public WatchedTransfers(int rank, Checks checks) {
        this.rank = rank;
        this.checks = checks;
    }

    @Override
    public void suspend(Runnable transfers) {
        suspended++;
        try {
            transfers.run();
        } finally {
            suspended--;
        }
    }

    @Override
    public void uses(Lease lease, int owner, long offset, long bytes, boolean write, String operation) {
        if (suspended == 0 && lease != null) {
            checks.uses(rank, lease, owner, offset, bytes, write, operation + " at " + CallSite.find());
        }
    }

    @Override
    public void beforeAtomic(Lease lease, int owner, long offset) {
        if (lease != null) {
            checks.races().gives(rank, lease.generation(), owner, offset);
        }
    }

    @Override
    public void afterAtomic(Lease lease, int owner, long offset) {
        if (lease != null) {
            checks.races().joins(rank, lease.generation(), owner, offset);
        }
    }

    @Override
    public void usesLocal(MemorySegment memory, long bytes, boolean write, String operation) {
        if (suspended > 0 || !memory.isNative() || bytes <= 0) {
            return;
        }
        LocalViews.Place place = checks.views().placeOf(memory.address());
        if (place != null && bytes <= place.lease().start() + place.lease().bytes() - place.offset()) {
            checks.uses(rank, place.lease(), place.rank(), place.offset(), bytes, write, operation + " at " + CallSite.find());
        }
    }
}
