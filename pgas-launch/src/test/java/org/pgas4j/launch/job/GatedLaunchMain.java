package org.pgas4j.launch.job;

import org.pgas4j.DeviceGrid;
import org.pgas4j.GridKernel;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.Stream;

/**
 * A program that {@link BlockTest} launches: blocks of rank 0 notify a block of rank 1 and then its host code, through the host,
 * while the launch there waits in its stream for rank 0, which notifies that later.
 */
public final class GatedLaunchMain {

    private static final int BLOCK = 3;
    private static final int GATE = 5;
    private static final int HOST = 9;

    private GatedLaunchMain() {
    }

    public static void main(String[] args) {
        Pgas.run(new PgasConfig().hostHeap(1 << 20).deviceHeap(1 << 20), GatedLaunchMain::run);
    }

    private static void run(Rank rank) throws InterruptedException {
        GridKernel body = self -> {
            if (self.hostRank() == 0) {
                self.signal(Comm.WORLD, 1, BLOCK);
                self.notifyHost(1, HOST);
            } else {
                self.awaitNotifications(BLOCK, 1);
            }
        };
        try (DeviceGrid grid = rank.createGrid(DeviceGrid.Options.of(1, 32).proxy()); Stream stream = rank.device().newStream()) {
            if (rank.rank() == 1) {
                stream.awaitNotifications(GATE, 1);
                grid.launch(stream, body);
                rank.barrier();
                rank.notifications().await(HOST, 1);
            } else {
                rank.barrier();
                grid.launch(body);
                Thread.sleep(200); // the commands of the block are at rank 1 long before the signal
                rank.notifications().signal(1, GATE);
            }
            grid.sync();
        }
        System.out.println("rank " + rank.rank() + " is done");
    }
}
