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
import org.pgas4j.Rank;
import org.pgas4j.UsageException;
import org.pgas4j.examples.halo.Halo.HaloCase;

/**
 * {@code kernel}: one launch for each period, which communicates from within (GPUDirect Async's fused kernel). Block 0 waits for
 * the neighbours' faces and then raises a signal in the device's memory. The others draw work from a counter, in this order: pack
 * and send a part of the faces; compute a part of the interior; wait for the signal and compute a part of what needs the faces.
 * The launches do not wait for other ranks at their ends. Tags alternate with the periods, as parts of the next may come before
 * the last part of this one.
 */
final class FusedLoop extends HaloBox {

    private static final int TICKETS = 0;
    private static final int SIGNAL = 1;
    private static final int WINDOW = 2;
    /** A tag that nobody notifies: to test it ends a block if another has failed. */
    private static final int NEVER = 255;
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    private static final GridProgram OPEN = new GridProgram("halo_open", """
            #include <pgas_device.cuh>

            extern "C" __global__ void halo_open(pgas_world world, float *receive, int *control, int n) {
                pgas_context *c = pgas_init(world);
                const int window = pgas_win_create(c, PGAS_WORLD, receive, 4ull * n * n * sizeof(float));
                if (pgas_rank(c, PGAS_DEVICE) == 0 && threadIdx.x == 0) {
                    control[2] = window;
                }
                pgas_finish(c);
            }
            """, (self, args) -> {
                int window = self.createWindow(Comm.WORLD, args.segment(0));
                if (self.rank(Comm.DEVICE) == 0) {
                    args.segment(1).setAtIndex(ValueLayout.JAVA_INT, WINDOW, window);
                }
            });

    private static final GridProgram CLOSE = new GridProgram("halo_close", """
            #include <pgas_device.cuh>

            extern "C" __global__ void halo_close(pgas_world world, const int *control) {
                pgas_context *c = pgas_init(world);
                pgas_win_free(c, control[2]);
                pgas_finish(c);
            }
            """, (self, args) -> self.freeWindow(args.segment(0).getAtIndex(ValueLayout.JAVA_INT, WINDOW)));

    private static final String CUDA = """
            #include <pgas_device.cuh>

            """ + SevenPoint.CUDA + """

            extern "C" __global__ void __launch_bounds__(THREADS) halo_fused(pgas_world world, const float *u, float *next,
                    float *send, const float *receive, unsigned int *control, int n, int period, int packers, int parts,
                    int unpackers) {
                pgas_context *c = pgas_init(world);
                __shared__ unsigned int drawn;
                volatile unsigned int *signal = control + 1;
                const long long face = (long long) n * n;
                const int blocks = pgas_size(c, PGAS_DEVICE), host = pgas_host_rank(c), hosts = pgas_host_ranks(c);
                const int tag = period % 2 * 2;
                if (pgas_rank(c, PGAS_DEVICE) == 0) {
                    pgas_wait_notifications(c, tag, packers);
                    pgas_wait_notifications(c, tag + 1, packers);
                    if (threadIdx.x == 0) {
                        __threadfence();
                        *signal = period + 1;
                    }
                    pgas_leave(c);
                    return;
                }
                // Every block draws once in vain.
                const unsigned int items = packers + parts + unpackers, first = period * (items + blocks - 1);
                for (;;) {
                    __syncthreads();
                    if (threadIdx.x == 0) {
                        drawn = atomicAdd(control, 1u) - first;
                    }
                    __syncthreads();
                    const int item = drawn;
                    if (item < packers) {
                        const long long from = face * item / packers, to = face * (item + 1) / packers;
                        halo_pack(u, send, n, from + threadIdx.x, to, blockDim.x);
                        __syncthreads();
                        for (int side = 0; side < 2; side++) {
                            const int target = (host + (side == 0 ? hosts - 1 : 1)) % hosts * blocks;
                            pgas_put_notify(c, control[2], target, ((tag + 1 - side) * face + from) * sizeof(float),
                                            send + side * face + from, (to - from) * sizeof(float), tag + 1 - side);
                        }
                    } else if (item < packers + parts) {
                        const long long part = item - packers, from = face * part / parts, to = face * (part + 1) / parts;
                        halo_interior(u, next, n, from * (n - 2) + threadIdx.x, to * (n - 2), blockDim.x);
                    } else if (item < items) {
                        for (;;) {
                            __syncthreads();
                            if (threadIdx.x == 0) {
                                drawn = *signal == period + 1;
                            }
                            __syncthreads();
                            if (drawn) {
                                break;
                            }
                            pgas_test_notifications(c, 255, 1);   // ends the block if another has failed
                        }
                        __threadfence();
                        const long long part = item - packers - parts;
                        halo_unpack(u, next, receive, n, face * part / unpackers + threadIdx.x, face * (part + 1) / unpackers,
                                    blockDim.x);
                    } else {
                        break;
                    }
                }
                pgas_leave(c);
            }
            """;

    private final DeviceGrid grid;
    private final GridProgram program;
    private final Buffer control;
    private final int packers;
    private final int parts;
    private final int unpackers;

    /** Collective. */
    FusedLoop(Rank rank, HaloCase of) {
        super(rank, of);
        this.grid = grid();
        this.program = program(of.runs().threads());
        int workers = grid.perRank() - 1;
        if (workers == 0) {
            throw new UsageException("style kernel with one block of each rank (expected: 2 or more)");
        }
        int some = 8;
        this.packers = Math.clamp(workers / some, 1, of.face());
        this.unpackers = packers;
        this.parts = Math.clamp(2L * workers, 1, of.face());
        this.control = rank.device().alloc(ElementType.INT, WINDOW + 1);
        grid.launch(OPEN, allReceive.local(), control, of.side());
        grid.sync();
    }

    /** Compiled for the number of threads: as many registers as those leave. */
    static GridProgram program(int threads) {
        return new GridProgram("halo_fused", "#define THREADS " + threads + "\n" + CUDA, FusedLoop::period);
    }

    @Override
    public void run() {
        rank.stream().fill(control.slice(TICKETS, WINDOW), 0);
        rank.stream().sync();
        for (int period = 0; period < of.periods(); period++) {
            grid.launch(program, u(period), u(period + 1), send(period), receive(period), control,
                    of.side(), period, packers, parts, unpackers);
        }
        grid.sync();
    }

    /** The Java form of the program. */
    private static void period(GridRank self, Kernel.Args args) {
        MemorySegment u = args.segment(0);
        MemorySegment next = args.segment(1);
        MemorySegment control = args.segment(4);
        int n = args.intAt(5);
        int period = args.intAt(6);
        int packers = args.intAt(7);
        int parts = args.intAt(8);
        int unpackers = args.intAt(9);
        long face = (long) n * n;
        int tag = period % 2 * 2;
        self.leave();
        if (self.rank(Comm.DEVICE) == 0) {
            self.awaitNotifications(tag, packers);
            self.awaitNotifications(tag + 1, packers);
            INT.setRelease(control, (long) SIGNAL * Integer.BYTES, period + 1);
            return;
        }
        int items = packers + parts + unpackers;
        int first = period * (items + self.ranks(Comm.DEVICE) - 1);   // every block draws once in vain
        for (int item = draw(control, first); item < items; item = draw(control, first)) {
            if (item < packers) {
                send(self, args, face * item / packers, face * (item + 1) / packers);
            } else if (item < packers + parts) {
                long part = item - packers;
                SevenPoint.interior(u, next, n, face * part / parts, face * (part + 1) / parts);
            } else {
                while ((int) INT.getAcquire(control, (long) SIGNAL * Integer.BYTES) != period + 1) {
                    self.testNotifications(NEVER, 1);
                    Thread.yield();
                }
                long part = item - packers - parts;
                SevenPoint.unpack(u, next, args.segment(3), n, face * part / unpackers, face * (part + 1) / unpackers);
            }
        }
    }

    private static int draw(MemorySegment control, int first) {
        return (int) INT.getAndAdd(control, (long) TICKETS * Integer.BYTES, 1) - first;
    }

    /** Packs rows and sends them. */
    private static void send(GridRank self, Kernel.Args args, long from, long to) {
        MemorySegment send = args.segment(2);
        int n = args.intAt(5);
        int tag = args.intAt(6) % 2 * 2;
        long face = (long) n * n;
        long bytes = (to - from) * Float.BYTES;
        int window = args.segment(4).getAtIndex(ValueLayout.JAVA_INT, WINDOW);
        SevenPoint.pack(args.segment(0), send, n, from, to);
        for (int side = 0; side < 2; side++) {
            int host = (self.hostRank() + (side == 0 ? self.hostRanks() - 1 : 1)) % self.hostRanks();
            self.putNotify(window, host * self.ranks(Comm.DEVICE), ((tag + 1 - side) * face + from) * Float.BYTES,
                    send.asSlice((side * face + from) * Float.BYTES, bytes), bytes, tag + 1 - side);
        }
    }

    @Override
    public void close() {
        grid.launch(CLOSE, control);
        grid.sync();
        grid.close();
        control.close();
        super.close();
    }
}
