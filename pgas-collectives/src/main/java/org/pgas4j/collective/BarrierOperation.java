package org.pgas4j.collective;

import org.pgas4j.Sync;
import org.pgas4j.space.sync.ScalarAllReduce;

/** A barrier of a team, for one that is started and not waited for: the exchange at the begin of every operation is all of it. */
final class BarrierOperation extends CollectiveOperation {

    BarrierOperation(Group group, MemberAccess access) {
        super(group, access, Sync.ALL, "barrier", () -> "");
    }

    @Override
    ScalarAllReduce.Payload begin() {
        return null;
    }

    @Override
    boolean endsItself() {
        return true;
    }

    @Override
    boolean work(int number) {
        return true;
    }
}
