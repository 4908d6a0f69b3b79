package org.pgas4j.examples.halo;

import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.ElementType;
import org.pgas4j.GridKernel;
import org.pgas4j.GridRank;
import org.pgas4j.Kernel;
import org.pgas4j.Prepared;
import org.pgas4j.Rank;
import org.pgas4j.Stream;
import org.pgas4j.Window;
import org.pgas4j.examples.halo.Halo.HaloCase;
import org.pgas4j.kernel.ThreadKernel;

/**
 * {@code triggered}: the host describes the puts of both faces once, for even and for odd periods; a kernel of each period packs,
 * and its block that packs last starts them (GPUDirect Async's descriptors, triggered by the kernel). The same kernel goes on with
 * the interior. A prepared put notifies the rank, not its blocks: the rank's stream waits, before a
 * kernel that unpacks.
 */
final class TriggeredLoop extends HaloBox {

    private final DeviceGrid grid;
    private final HaloLaunch launch;
    private final Window window;
    private final Prepared[][] puts = new Prepared[2][2];
    private final Buffer packed;
    private final Kernel.Shape faces;
    private final ThreadKernel[] unpacks = new ThreadKernel[2]; // of even and of odd periods

    /** Collective. */
    TriggeredLoop(Rank rank, HaloCase of, HaloLaunch launch) {
        super(rank, of);
        this.grid = grid();
        this.launch = launch;
        this.window = rank.createWindow(rank.world(), allReceive.pointer(), 4L * of.face() * Float.BYTES);
        this.packed = rank.device().alloc(ElementType.INT, 1);
        this.faces = HostLoop.faces(rank, of);
        for (int period = 0; period < 2; period++) {
            unpacks[period] = HaloKernels.unpack(u(period), u(period + 1), receive(period), of.side());
            for (int side = 0; side < 2; side++) {
                puts[period][side] = window.preparePutNotify(neighbour(side), place(period, 1 - side),
                        face(period, side), 1 - side);
            }
        }
    }

    @Override
    public void run() {
        Stream stream = rank.stream();
        int n = of.side();
        stream.fill(packed, 0);
        for (int period = 0; period < of.periods(); period++) {
            Prepared[] put = puts[period % 2];
            launch.triggered(stream, grid, u(period), u(period + 1), send(period), packed, n, put[0].id(), put[1].id());
            stream.awaitNotifications(0, 1);
            stream.awaitNotifications(1, 1);
            stream.launch(faces, unpacks[period % 2]);
        }
        stream.sync();
        grid.sync();
    }

    /** The program of a period. */
    static GridKernel program(Buffer u, Buffer next, Buffer send, Buffer packed, int n, int before, int after) {
        return self -> {
            self.leave();
            long face = (long) n * n;
            long from = face * self.block() / self.blocks();
            long to = face * (self.block() + 1) / self.blocks();
            HaloKernels.pack(u, send, n, from + self.thread(), to, self.threads());
            if (isLast(self, packed)) {
                self.trigger(before);
                self.trigger(after);
            }
            HaloKernels.interior(u, next, n, from * (n - 2) + self.thread(), to * (n - 2), self.threads());
        };
    }

    /** True for the block that is the last of a period to call this; it triggers what all have written before. */
    private static boolean isLast(GridRank self, Buffer count) {
        self.fence();   // what this block packed comes before its count
        long before = self.fromThread(self.thread() == 0 ? count.getAndAddInt(0, 1) : 0, 0);
        return (before + 1) % self.blocks() == 0;
    }

    @Override
    public void close() {
        for (Prepared[] both : puts) {
            for (Prepared put : both) {
                put.close();
            }
        }
        window.close();
        grid.close();
        packed.close();
        super.close();
    }
}
