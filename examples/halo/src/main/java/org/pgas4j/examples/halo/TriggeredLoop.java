package org.pgas4j.examples.halo;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.ElementType;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Kernel;
import org.pgas4j.Prepared;
import org.pgas4j.Rank;
import org.pgas4j.Stream;
import org.pgas4j.Window;
import org.pgas4j.examples.halo.Halo.HaloCase;

/**
 * {@code triggered}: the host describes the puts of both faces once, for even and for odd periods; a kernel of each period packs,
 * and its block that packs last starts them (GPUDirect Async's descriptors, triggered by the kernel). The same kernel goes on with
 * the interior. A prepared put notifies the rank, not its blocks: the rank's stream waits, before a
 * kernel that unpacks.
 */
final class TriggeredLoop extends HaloBox {

    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    private static final String CUDA = """
            #include <pgas_device.cuh>

            """ + SevenPoint.CUDA + """

            extern "C" __global__ void __launch_bounds__(THREADS) halo_triggered(pgas_world world, const float *u, float *next,
                    float *send, unsigned int *packed, int n, int before, int after) {
                pgas_context *c = pgas_init(world);
                __shared__ bool last;
                const long long face = (long long) n * n;
                const int block = pgas_rank(c, PGAS_DEVICE), blocks = pgas_size(c, PGAS_DEVICE);
                const long long from = face * block / blocks, to = face * (block + 1) / blocks;
                halo_pack(u, send, n, from + threadIdx.x, to, blockDim.x);
                __syncthreads();
                if (threadIdx.x == 0) {
                    __threadfence();   // what this block packed comes before its count,
                    last = (atomicAdd(packed, 1u) + 1) % blocks == 0;
                    __threadfence();   // and what all packed before the last one triggers
                }
                __syncthreads();
                if (last) {
                    pgas_trigger(c, before);
                    pgas_trigger(c, after);
                }
                halo_interior(u, next, n, from * (n - 2) + threadIdx.x, to * (n - 2), blockDim.x);
                pgas_leave(c);
            }
            """;

    private final DeviceGrid grid;
    private final GridProgram program;
    private final Window window;
    private final Prepared[][] puts = new Prepared[2][2];
    private final Buffer packed;
    private final Kernel.Shape faces;

    /** Collective. */
    TriggeredLoop(Rank rank, HaloCase of) {
        super(rank, of);
        this.grid = grid();
        this.program = program(of.runs().threads());
        this.window = rank.createWindow(rank.world(), allReceive.pointer(), 4L * of.face() * Float.BYTES);
        this.packed = rank.device().alloc(ElementType.INT, 1);
        this.faces = HostLoop.faces(rank, of);
        for (int period = 0; period < 2; period++) {
            for (int side = 0; side < 2; side++) {
                puts[period][side] = window.preparePutNotify(neighbour(side), place(period, 1 - side),
                        face(period, side), 1 - side);
            }
        }
    }

    /** Compiled for the number of threads: as many registers as those leave. */
    static GridProgram program(int threads) {
        return new GridProgram("halo_triggered", "#define THREADS " + threads + "\n" + CUDA, TriggeredLoop::period);
    }

    @Override
    public void run() {
        Stream stream = rank.stream();
        int n = of.side();
        stream.fill(packed, 0);
        for (int period = 0; period < of.periods(); period++) {
            Prepared[] put = puts[period % 2];
            grid.launch(stream, program, u(period), u(period + 1), send(period), packed, n, put[0].id(), put[1].id());
            stream.awaitNotifications(0, 1);
            stream.awaitNotifications(1, 1);
            stream.launch(faces, HaloKernels.unpack(u(period), u(period + 1), receive(period), n));
        }
        stream.sync();
        grid.sync();
    }

    /** The Java form of the program. */
    private static void period(GridRank self, Kernel.Args args) {
        MemorySegment u = args.segment(0);
        int n = args.intAt(4);
        long face = (long) n * n;
        int block = self.rank(Comm.DEVICE);
        int blocks = self.ranks(Comm.DEVICE);
        long from = face * block / blocks;
        long to = face * (block + 1) / blocks;
        self.leave();
        SevenPoint.pack(u, args.segment(2), n, from, to);
        if (((int) INT.getAndAdd(args.segment(3), 0L, 1) + 1) % blocks == 0) {
            self.trigger(args.intAt(5));
            self.trigger(args.intAt(6));
        }
        SevenPoint.interior(u, args.segment(1), n, from, to);
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
