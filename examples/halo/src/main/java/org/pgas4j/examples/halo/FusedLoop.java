package org.pgas4j.examples.halo;

import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.ElementType;
import org.pgas4j.GridKernel;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.GridRank.Comparison;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.SharedInts;
import org.pgas4j.UsageException;
import org.pgas4j.examples.halo.Halo.HaloCase;

/**
 * {@code kernel}: one launch for each period, which communicates from within (GPUDirect Async's fused kernel). Block 0 waits for
 * the neighbours' faces and then sets a word in the device's memory. The others draw work from a counter, in this order: pack and
 * send a part of the faces; compute a part of the interior; wait for the word and compute a part of what needs the faces. The
 * launches do not wait for other ranks at their ends. Tags alternate with the periods, as parts of the next may come before the
 * last part of this one.
 */
final class FusedLoop extends HaloBox {

    private static final int TICKETS = 0;
    private static final int ARRIVED = 1;
    private static final int FACES = 2;
    private static final int WORDS = 3;

    private final DeviceGrid grid;
    private final HaloLaunch launch;
    private final SharedInts control;
    private final FusedPeriod first;

    /** Collective. */
    FusedLoop(Rank rank, HaloCase of, HaloLaunch launch) {
        super(rank, of);
        this.grid = grid();
        this.launch = launch;
        int workers = grid.perRank() - 1;
        if (workers == 0) {
            throw new UsageException("style kernel with one block of each rank (expected: 2 or more)");
        }
        int some = 8;
        int packers = Math.clamp(workers / some, 1, of.face());
        this.first = new FusedPeriod(of.side(), 0, packers, Math.clamp(2L * workers, 1, of.face()), packers);
        try (var _ = rank.onDevice()) {
            this.control = rank.allAllocInts(Layout.replicated(), WORDS + 1);
        }
        grid.launch(opening(allReceive.local(), control.local()));
        grid.sync();
    }

    /** Makes the windows of all blocks; later launches use them by their numbers, which are the same in all. */
    private static GridKernel opening(Buffer receive, Buffer control) {
        return self -> {
            int faces = self.createWindow(Comm.WORLD, receive);
            int words = self.createWindow(Comm.WORLD, control);
            if (self.block() == 0 && self.thread() == 0) {
                control.putInt(FACES, faces);
                control.putInt(WORDS, words);
            }
        };
    }

    private static GridKernel closing(Buffer control) {
        return self -> {
            self.freeWindow(control.getInt(WORDS));
            self.freeWindow(control.getInt(FACES));
        };
    }

    @Override
    public void run() {
        rank.stream().fill(control.local().slice(TICKETS, FACES), 0);
        rank.stream().sync();
        for (int period = 0; period < of.periods(); period++) {
            launch.fused(grid, u(period), u(period + 1), send(period), receive(period), control.local(),
                    new FusedPeriod(first.n(), period, first.packers(), first.parts(), first.unpackers()));
        }
        grid.sync();
    }

    /** The program of a period. */
    static GridKernel program(Buffer u, Buffer next, Buffer send, Buffer receive, Buffer control, FusedPeriod of) {
        return self -> {
            self.leave();
            if (self.block() == 0) {
                arrive(self, control, of);
            } else {
                work(self, u, next, send, receive, control, of);
            }
        };
    }

    /** Tag of the face from the rank before in a period; that from the rank after has the next. */
    private static int tag(FusedPeriod of) {
        return of.period() % 2 * 2;
    }

    /** Block 0: what it has seen arrive, the blocks see that see the word. */
    private static void arrive(GridRank self, Buffer control, FusedPeriod of) {
        self.awaitNotifications(tag(of), of.packers());
        self.awaitNotifications(tag(of) + 1, of.packers());
        self.putSet(control.getInt(WORDS), self.rank(Comm.WORLD), 0, control, 0, ARRIVED * Integer.BYTES, ElementType.INT,
                of.period() + 1);
    }

    /** The other blocks: each draws once in vain. */
    private static void work(GridRank self, Buffer u, Buffer next, Buffer send, Buffer receive, Buffer control,
                             FusedPeriod of) {
        int n = of.n();
        long face = (long) n * n;
        int drawn = of.period() * (of.items() + (int) self.blocks() - 1);   // by all periods before
        for (int item = draw(self, control) - drawn; item < of.items(); item = draw(self, control) - drawn) {
            if (item < of.packers()) {
                send(self, u, send, control.getInt(FACES), face * item / of.packers(), face * (item + 1) / of.packers(), of);
            } else if (item < of.packers() + of.parts()) {
                long part = item - of.packers();
                HaloKernels.interior(u, next, n, face * part / of.parts() * (n - 2) + self.thread(),
                        face * (part + 1) / of.parts() * (n - 2), self.threads());
            } else {
                self.awaitValue(control.getInt(WORDS), ARRIVED * Integer.BYTES, ElementType.INT, Comparison.EQUAL,
                        of.period() + 1);
                long part = item - of.packers() - of.parts();
                HaloKernels.unpack(u, next, receive, n, face * part / of.unpackers() + self.thread(),
                        face * (part + 1) / of.unpackers(), self.threads());
            }
        }
    }

    /** Number of tickets before this block's, the same for all its threads. */
    private static int draw(GridRank self, Buffer control) {
        return (int) self.fromThread(self.thread() == 0 ? control.getAndAddInt(TICKETS, 1) : 0, 0);
    }

    /** Packs rows and sends them. */
    private static void send(GridRank self, Buffer u, Buffer send, int window, long from, long to, FusedPeriod of) {
        long face = (long) of.n() * of.n();
        HaloKernels.pack(u, send, of.n(), from + self.thread(), to, self.threads());
        for (int side = 0; side < 2; side++) {
            int host = (self.hostRank() + (side == 0 ? self.hostRanks() - 1 : 1)) % self.hostRanks();
            self.putNotify(window, host * (int) self.blocks(), ((tag(of) + 1 - side) * face + from) * Float.BYTES,
                    send.slice(side * face + from, to - from), (to - from) * Float.BYTES, tag(of) + 1 - side);
        }
    }

    @Override
    public void close() {
        grid.launch(closing(control.local()));
        grid.sync();
        grid.close();
        rank.allFree(control);
        super.close();
    }
}
