package org.pgas4j.examples.halo;

import org.pgas4j.Kernel;
import org.pgas4j.Rank;
import org.pgas4j.Stream;
import org.pgas4j.Window;

/**
 * Three kernels a period. {@code sync}: the host waits for the packed faces, sends them, waits for the neighbours' faces and for
 * the device. {@code stream}: all of it is queued, sending and waiting too, and the host waits once at the end. Tag and window
 * place of a face are those of the side it arrives at, so that the two neighbours' notifications are told apart.
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
        return new Kernel.Shape(covering.blocks(), rank.device().backend().equals("host") ? 1 : threads);
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
        boolean sync = box.settings().style() == Settings.Style.SYNC;
        for (int period = 0; period < box.settings().periods(); period++) {
            if (sync) {
                synchronous(period);
            } else {
                enqueue(period);
            }
        }
        rank.stream().sync();
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

    @Override
    public void close() {
        window.close();
    }
}
