package org.pgas4j.io;

import java.nio.file.Path;
import java.util.Arrays;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.SharedLongs;

/** Program of {@link SnapshotJobTest}: {@code save PATH} or {@code restore PATH}. */
final class SnapshotJob {

    private static final int LENGTH = 300_007;

    private SnapshotJob() {
    }

    public static void main(String[] args) {
        Pgas.run(args, rank -> {
            boolean saves = rank.args().get(0).equals("save");
            Path path = Path.of(rank.args().get(1));
            SharedLongs host = SharedFileTest.allocate(rank, MemoryKind.HOST, saves ? Layout.cyclic() : Layout.even(), LENGTH);
            SharedLongs device = SharedFileTest.allocate(rank, MemoryKind.DEVICE, Layout.blocked(saves ? 1000 : 77), LENGTH);
            if (saves) {
                SharedFileTest.fill(rank, host);
                SharedFileTest.fill(rank, device);
                Snapshot.save(rank, path, host, device);
            } else {
                Snapshot.restore(rank, path, host, device);
                long[] expected = SharedFileTest.values(LENGTH);
                if (!Arrays.equals(expected, SharedFileTest.contents(host))
                        || !Arrays.equals(expected, SharedFileTest.contents(device))) {
                    throw new AssertionError("other elements on rank " + rank.rank());
                }
            }
            rank.barrier();
            if (rank.rank() == 0) {
                System.out.println(rank.args().get(0) + " by " + rank.ranks() + " ranks in " + rank.processes() + " JVMs");
            }
        });
    }
}
