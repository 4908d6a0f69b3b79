package org.pgas4j.examples.halo;

import org.pgas4j.Kernel;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.Stream;
import org.pgas4j.StreamGraph;
import org.pgas4j.Window;
import org.pgas4j.examples.halo.Halo.HaloCase;
import org.pgas4j.examples.halo.Halo.HaloStyle;
import org.pgas4j.kernel.ThreadKernel;

/**
 * Three kernels a period. {@code sync}: the host waits for the packed faces, sends them, waits for the neighbours' faces and for
 * the device. {@code stream}: all of it is queued, sending and waiting too, and the host waits once at the end. {@code graph}: an even
 * and an odd period are captured once and launched again and again; notifications have values, which devices set and wait for by
 * themselves. Tag and window place of a face are those of the side it arrives at: each neighbour has its own.
 */
final class HostLoop extends HaloBox {

    private static final int POINTS_OF_THREAD = 4;

    private final Window window;
    private final Kernel.Shape faces;
    private final Kernel.Shape points;
    private final ThreadKernel[] packs = new ThreadKernel[2]; // of even and of odd periods: launches know an object again
    private final ThreadKernel[] interiors = new ThreadKernel[2];
    private final ThreadKernel[] unpacks = new ThreadKernel[2];
    private StreamGraph both; // an even and an odd period

    /** Collective. */
    HostLoop(Rank rank, HaloCase of) {
        super(rank, of);
        int threads = of.runs().threads();
        this.window = rank.createWindow(rank.world(), allReceive.pointer(), 4L * of.face() * Float.BYTES);
        this.faces = faces(rank, of);
        this.points = shape(rank, Kernel.Shape.covering(of.box(), threads * POINTS_OF_THREAD), threads);
        for (int period = 0; period < 2; period++) {
            packs[period] = HaloKernels.pack(u(period), send(period), of.side());
            interiors[period] = HaloKernels.interior(u(period), u(period + 1), of.side());
            unpacks[period] = HaloKernels.unpack(u(period), u(period + 1), receive(period), of.side());
        }
    }

    /** A thread for each row; on the host device as many blocks, of one thread. */
    static Kernel.Shape faces(Rank rank, HaloCase of) {
        return shape(rank, Kernel.Shape.covering(of.face(), of.runs().threads()), of.runs().threads());
    }

    private static Kernel.Shape shape(Rank rank, Kernel.Shape covering, int threads) {
        return rank.device().blockShape(covering.blocks(), threads);
    }

    @Override
    public void run() {
        Stream stream = rank.stream();
        int period = 0;
        if (of.style() == HaloStyle.GRAPH && isByDevice()) {
            if (both == null) {
                both = stream.capture(captured -> {
                    period(captured, 0);
                    period(captured, 1);
                });
            }
            for (; period + 1 < of.periods(); period += 2) {
                stream.launch(both);
            }
        }
        for (; period < of.periods(); period++) {
            period(stream, period);
        }
        stream.sync();
    }

    /**
     * With values, even and odd periods have tags of their own: a neighbour is in the next period but one only after it got this
     * rank's faces of the next, which were sent after its values of this one were taken.
     */
    private void period(Stream stream, int period) {
        int tags = of.style() == HaloStyle.GRAPH ? 2 * (period % 2) : 0;
        stream.launch(faces, packs[period % 2]);
        if (of.style() == HaloStyle.SYNC) {
            stream.sync();
        }
        for (int side = 0; side < 2; side++) {
            int to = neighbour(side);
            long place = place(period, 1 - side);
            switch (of.style()) {
                case SYNC -> window.putNotify(to, place, face(period, side), 1 - side);
                case STREAM -> stream.putNotify(window, to, place, face(period, side), 1 - side);
                default -> stream.putNotifySet(window, to, place, face(period, side), tags + 1 - side, 1);
            }
        }
        stream.launch(points, interiors[period % 2]);
        for (int side = 0; side < 2; side++) {
            switch (of.style()) {
                case SYNC -> rank.notifications().await(side, 1);
                case STREAM -> stream.awaitNotifications(side, 1);
                default -> stream.awaitValue(tags + side);
            }
        }
        stream.launch(faces, unpacks[period % 2]);
        if (of.style() == HaloStyle.SYNC) {
            stream.sync();
        }
    }

    /** Elsewhere, as between hosts, periods are queued one by one. */
    private boolean isByDevice() {
        for (int side = 0; side < 2; side++) {
            String route = rank.diagnostics().route(MemoryKind.DEVICE, window.pointer(neighbour(side), 0), face(0, side).bytes());
            if (!route.equals("local") && !route.equals("direct-device")) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() {
        if (both != null) {
            both.close();
        }
        window.close();
        super.close();
    }
}
