package org.pgas4j.examples.halo;

import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.GridKernel;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Rank;
import org.pgas4j.examples.halo.Halo.HaloCase;

/**
 * {@code blocks}: one launch for all periods. A block has some of the rows; it packs and sends its part of both faces to the blocks
 * with the same number beside it, computes what needs no face, waits for theirs, and computes the rest. A barrier of the device
 * ends the period, since rows of other blocks are read in the next.
 */
final class BlockLoop extends HaloBox {

    private final DeviceGrid grid;
    private final GridKernel program;

    /** Collective. */
    BlockLoop(Rank rank, HaloCase of) {
        super(rank, of);
        this.grid = grid();
        this.program = program(allU.local(), allSend.local(), allReceive.local(), of.side(), of.periods());
    }

    @Override
    public void run() {
        grid.launch(program);
        grid.sync();
    }

    private static GridKernel program(Buffer u, Buffer send, Buffer receive, int n, int periods) {
        return self -> {
            int window = self.createWindow(Comm.WORLD, receive);
            for (int period = 0; period < periods; period++) {
                period(window, u, send, receive, n, period, self);
                self.barrier(Comm.DEVICE);
            }
            self.freeWindow(window);
        };
    }

    /** The rows of one block. */
    private static void period(int window, Buffer u, Buffer send, Buffer receive, int n, int period, GridRank self) {
        long face = (long) n * n;
        long from = face * self.block() / self.blocks();
        long to = face * (self.block() + 1) / self.blocks();
        if (from == to) {
            return;
        }
        Buffer old = u.slice(period % 2 * face * n, face * n);
        Buffer next = u.slice((period + 1) % 2 * face * n, face * n);
        long slot = period % 2 * 2 * face;
        Buffer faces = send.slice(slot, 2 * face);
        HaloKernels.pack(old, faces, n, from + self.thread(), to, self.threads());
        for (int side = 0; side < 2; side++) {
            int host = (self.hostRank() + (side == 0 ? self.hostRanks() - 1 : 1)) % self.hostRanks();
            self.putNotify(window, host * (int) self.blocks() + (int) self.block(), (slot + (1 - side) * face + from) * Float.BYTES,
                    faces.slice(side * face + from, to - from), (to - from) * Float.BYTES, 1 - side);
        }
        HaloKernels.interior(old, next, n, from * (n - 2) + self.thread(), to * (n - 2), self.threads());
        self.awaitNotifications(0, 1);
        self.awaitNotifications(1, 1);
        HaloKernels.unpack(old, next, receive.slice(slot, 2 * face), n, from + self.thread(), to, self.threads());
    }

    @Override
    public void close() {
        grid.close();
        super.close();
    }
}
