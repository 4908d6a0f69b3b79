package org.pgas4j.examples.halo;

import org.pgas4j.Backend;
import org.pgas4j.Kernel;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.Stream;
import org.pgas4j.StreamGraph;
import org.pgas4j.Window;

/**
 * Three kernels a period. {@code sync}: the host waits for the packed faces, sends them, waits for the neighbours' faces and for
 * the device. {@code stream}: all of it is queued, sending and waiting too, and the host waits once at the end. {@code graph}: an even
 * and an odd period are captured once and launched again and again; notifications have values, which devices set and wait for by
 * themselves. Tag and window place of a face are those of the side it arrives at, so that the two neighbours' notifications are told
 * apart.
 */
final class HostLoop implements Loop {

    private static final int POINTS_OF_THREAD = 4;

    private static final Kernel PACK = new Kernel("halo_pack_faces", Stencil.CUDA + """

            extern "C" __global__ void halo_pack_faces(const float *u, float *send, int n) {
                halo_pack(u, send, n, (long long) blockIdx.x * blockDim.x + threadIdx.x, (long long) n * n,
                          (long long) gridDim.x * blockDim.x);
            }
            """, (at, args) -> Stencil.pack(args.segment(0), args.segment(1), args.intAt(2), from(at, args.intAt(2)),
                    from(at, args.intAt(2), 1)));

    private static final Kernel INTERIOR = new Kernel("halo_compute_interior", Stencil.CUDA + """

            extern "C" __global__ void halo_compute_interior(const float *u, float *next, int n) {
                halo_interior(u, next, n, (long long) blockIdx.x * blockDim.x + threadIdx.x, (long long) n * n * (n - 2),
                              (long long) gridDim.x * blockDim.x);
            }
            """, (at, args) -> Stencil.interior(args.segment(0), args.segment(1), args.intAt(2), from(at, args.intAt(2)),
                    from(at, args.intAt(2), 1)));

    static final Kernel UNPACK = new Kernel("halo_unpack_faces", Stencil.CUDA + """

            extern "C" __global__ void halo_unpack_faces(const float *u, float *next, const float *receive, int n) {
                halo_unpack(u, next, receive, n, (long long) blockIdx.x * blockDim.x + threadIdx.x, (long long) n * n,
                            (long long) gridDim.x * blockDim.x);
            }
            """, (at, args) -> Stencil.unpack(args.segment(0), args.segment(1), args.segment(2), args.intAt(3),
                    from(at, args.intAt(3)), from(at, args.intAt(3), 1)));

    private final Rank rank;
    private final Box box;
    private final Window window;
    private final Kernel.Shape faces;
    private final Kernel.Shape points;
    private StreamGraph both; // an even and an odd period

    /** Collective. */
    HostLoop(Rank rank, Box box) {
        Settings settings = box.settings();
        int threads = settings.threads();
        this.rank = rank;
        this.box = box;
        this.window = rank.createWindow(rank.world(), box.allReceive().pointer(), 4L * settings.face() * Float.BYTES);
        this.faces = faces(rank, settings);
        this.points = shape(rank, Kernel.Shape.covering(settings.box(), threads * POINTS_OF_THREAD), threads);
    }

    /** A thread for each row; on the host device as many blocks, of one thread. */
    static Kernel.Shape faces(Rank rank, Settings settings) {
        return shape(rank, Kernel.Shape.covering(settings.face(), settings.threads()), settings.threads());
    }

    private static Kernel.Shape shape(Rank rank, Kernel.Shape covering, int threads) {
        return new Kernel.Shape(covering.blocks(), rank.device().backend() == Backend.HOST ? 1 : threads);
    }

    /** First row of a block; on the host device it has one thread. */
    private static long from(Kernel.At at, int n) {
        return from(at, n, 0);
    }

    private static long from(Kernel.At at, int n, int further) {
        return (long) n * n * (at.block() + further) / at.shape().blocks();
    }

    @Override
    public void run() {
        Stream stream = rank.stream();
        int periods = box.settings().periods();
        int period = 0;
        switch (box.settings().style()) {
            case SYNC -> {
                for (; period < periods; period++) {
                    synchronous(period);
                }
            }
            case GRAPH -> {
                if (both == null && isByDevice()) {
                    both = stream.capture(captured -> {
                        byDevice(captured, 0);
                        byDevice(captured, 1);
                    });
                }
                for (; both != null && period + 1 < periods; period += 2) {
                    stream.launch(both);
                }
                for (; period < periods; period++) {
                    byDevice(stream, period);
                }
            }
            default -> {
                for (; period < periods; period++) {
                    enqueue(period);
                }
            }
        }
        stream.sync();
    }

    /** Elsewhere, as between hosts, periods are queued one by one. */
    private boolean isByDevice() {
        for (int side = 0; side < 2; side++) {
            String route = rank.diagnostics().route(MemoryKind.DEVICE, window.pointer(box.neighbour(side), 0), box.face(0, side).bytes());
            if (!route.equals("local") && !route.equals("direct-device")) {
                return false;
            }
        }
        return true;
    }

    private void synchronous(int period) {
        Stream stream = rank.stream();
        int n = box.settings().side();
        stream.launch(PACK, faces, box.u(period), box.send(period), n);
        stream.sync();
        for (int side = 0; side < 2; side++) {
            window.putNotify(box.neighbour(side), box.place(period, 1 - side), box.face(period, side), 1 - side);
        }
        stream.launch(INTERIOR, points, box.u(period), box.u(period + 1), n);
        rank.notifications().await(0, 1);
        rank.notifications().await(1, 1);
        stream.launch(UNPACK, faces, box.u(period), box.u(period + 1), box.receive(period), n);
        stream.sync();
    }

    private void enqueue(int period) {
        Stream stream = rank.stream();
        int n = box.settings().side();
        stream.launch(PACK, faces, box.u(period), box.send(period), n);
        for (int side = 0; side < 2; side++) {
            stream.putNotify(window, box.neighbour(side), box.place(period, 1 - side), box.face(period, side), 1 - side);
        }
        stream.launch(INTERIOR, points, box.u(period), box.u(period + 1), n);
        stream.awaitNotifications(0, 1);
        stream.awaitNotifications(1, 1);
        stream.launch(UNPACK, faces, box.u(period), box.u(period + 1), box.receive(period), n);
    }

    /**
     * As {@link #enqueue} with values. Even and odd periods have tags of their own: a neighbour is in the next period but one only after
     * it got this rank's faces of the next, which were sent after its values of this one were taken.
     */
    private void byDevice(Stream stream, int period) {
        int n = box.settings().side();
        int tags = 2 * (period % 2);
        stream.launch(PACK, faces, box.u(period), box.send(period), n);
        for (int side = 0; side < 2; side++) {
            stream.putNotifySet(window, box.neighbour(side), box.place(period, 1 - side), box.face(period, side), tags + 1 - side, 1);
        }
        stream.launch(INTERIOR, points, box.u(period), box.u(period + 1), n);
        stream.awaitValue(tags);
        stream.awaitValue(tags + 1);
        stream.launch(UNPACK, faces, box.u(period), box.u(period + 1), box.receive(period), n);
    }

    @Override
    public void close() {
        if (both != null) {
            both.close();
        }
        window.close();
    }
}
