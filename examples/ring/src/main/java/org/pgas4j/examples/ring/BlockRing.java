package org.pgas4j.examples.ring;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.ElementType;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Kernel;
import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;
import org.pgas4j.examples.common.RunSettings;

/** One kernel: each block waits for the token, adds one and puts it to the next block, whichever device that is on. */
final class BlockRing extends Token {

    private static final int TAG = 0;
    private static final long ALIGNMENT = 256;

    private static final GridProgram PROGRAM = new GridProgram("ring", """
            #include <pgas_device.cuh>

            #define TAG 0

            extern "C" __global__ void __launch_bounds__(1024) ring(pgas_world world, char *tokens, long long stride,
                                                                   long long bytes, int rounds) {
                pgas_context *c = pgas_init(world);
                const int rank = pgas_rank(c, PGAS_WORLD);
                const int next = (rank + 1) % pgas_size(c, PGAS_WORLD);
                int *token = (int *) (tokens + stride * pgas_rank(c, PGAS_DEVICE));
                const int window = pgas_win_create(c, PGAS_WORLD, token, bytes);

                for (int round = 0; round < rounds; round++) {
                    if (rank != 0) {
                        pgas_wait_notifications(c, TAG, 1);
                    }
                    if (threadIdx.x == 0) {
                        ++*token;
                    }
                    __syncthreads();
                    pgas_put_notify(c, window, next, 0, token, bytes, TAG);
                    if (rank == 0) {
                        pgas_wait_notifications(c, TAG, 1);
                    }
                }
                pgas_flush(c);
                pgas_win_free(c, window);
                pgas_finish(c);
            }
            """, BlockRing::ring);

    private final DeviceGrid grid;
    private final long stride;
    private final SharedPointer pointer;
    private final Buffer memory;

    /** Collective. */
    BlockRing(Rank rank, int bytes, int rounds, RunSettings settings) {
        super(rank, bytes, rounds);
        this.grid = settings.grid(rank);
        this.stride = Math.ceilDiv(bytes, ALIGNMENT) * ALIGNMENT;
        try (var _ = rank.onDevice()) {
            this.pointer = rank.alloc(stride * grid.perRank());
        }
        this.memory = rank.memory().local(pointer, ElementType.BYTE, stride * grid.perRank());
    }

    @Override
    Buffer memory() {
        return memory;
    }

    @Override
    long hops() {
        return (long) rounds * grid.ranks();
    }

    @Override
    public void run() {
        grid.launch(PROGRAM, memory, stride, (long) bytes, rounds);
        grid.sync();
    }

    @Override
    public void close() {
        grid.close();
        rank.free(pointer);
    }

    /** The same in Java. */
    private static void ring(GridRank self, Kernel.Args args) {
        long stride = args.longAt(1);
        long bytes = args.longAt(2);
        int rounds = args.intAt(3);
        int rank = self.rank(Comm.WORLD);
        int next = (rank + 1) % self.ranks(Comm.WORLD);
        MemorySegment token = args.segment(0).asSlice(stride * self.rank(Comm.DEVICE), bytes);
        int window = self.createWindow(Comm.WORLD, token);

        for (int round = 0; round < rounds; round++) {
            if (rank != 0) {
                self.awaitNotifications(TAG, 1);
            }
            addOne(token);
            self.putNotify(window, next, 0, token, bytes, TAG);
            if (rank == 0) {
                self.awaitNotifications(TAG, 1);
            }
        }
        self.flush();
        self.freeWindow(window);
    }
}
