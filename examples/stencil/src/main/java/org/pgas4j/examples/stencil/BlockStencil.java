package org.pgas4j.examples.stencil;

import java.lang.foreign.MemorySegment;
import org.pgas4j.DeviceGrid;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Kernel;
import org.pgas4j.Rank;
import org.pgas4j.examples.stencil.Stencil.StencilCase;

/**
 * One kernel for all steps. Each block owns a strip of at least two rows. Its window of each array has the strip and two rows
 * on both sides, of all levels, so windows of neighbours overlap: what a block puts to a neighbour on the same device is there
 * already and is not copied; to another device it is a message for each level. A notification for each neighbour and step, of
 * a tag for each side, is all the synchronisation there is: a block that has it from both sides may read their
 * rows, and may overwrite what they have read in the step before.
 */
final class BlockStencil extends DiffusionField {

    private static final int FROM_BELOW = 0;
    private static final int FROM_ABOVE = 1;

    private static final GridProgram PROGRAM = new GridProgram("stencil", """
            #include <pgas_device.cuh>
            """ + Diffusion.CUDA + """

            #define HALO 2
            #define FROM_BELOW 0
            #define FROM_ABOVE 1

            // First row of a device's block, of `own` rows in memory after a halo.
            __device__ int strip(int own, int block, int blocks) {
                return HALO + (int) ((long long) own * block / blocks);
            }

            // Puts two rows of every level to a neighbour, each level by a warp, and notifies it.
            __device__ void send(pgas_context *c, int window, int target, int target_row, const float *rows_to_send, int levels,
                                 int isize, int rows, int tag) {
                for (int level = threadIdx.x / 32; level < levels; level += blockDim.x / 32) {
                    const unsigned long long start = (unsigned long long) level * rows * isize;
                    pgas_put_warp(c, window, target, (start + target_row * isize) * sizeof(float), rows_to_send + start,
                                  HALO * isize * sizeof(float));
                }
                __syncthreads();
                pgas_notify(c, PGAS_WORLD, target, tag);
            }

            extern "C" __global__ void __launch_bounds__(1024) stencil(pgas_world world, float *even, float *odd, int steps, int i,
                                                                      int width, int row, int height, int levels, int isize,
                                                                      int rows) {
                pgas_context *c = pgas_init(world);
                const int rank = pgas_rank(c, PGAS_WORLD), ranks = pgas_size(c, PGAS_WORLD);
                const int block = pgas_rank(c, PGAS_DEVICE), blocks = pgas_size(c, PGAS_DEVICE);
                const int own = rows - 2 * HALO;
                const int first = strip(own, block, blocks), last = strip(own, block + 1, blocks);
                const int below = (block + blocks - 1) % blocks;   // as all devices are split alike
                const int height_below = strip(own, below + 1, blocks) - strip(own, below, blocks);

                const unsigned long long bytes =
                    ((unsigned long long) (levels - 1) * rows + last - first + 2 * HALO) * isize * sizeof(float);
                float *arrays[2] = {even, odd};
                int windows[2];
                for (int n = 0; n < 2; n++) {
                    windows[n] = pgas_win_create(c, PGAS_WORLD, arrays[n] + (first - HALO) * isize, bytes);
                }

                const int from = row > first ? row : first;
                const int to = row + height < last ? row + height : last;
                const int lines = to > from ? (to - from) * levels : 0;
                for (int n = 0; n < steps; n++) {
                    const float *in = arrays[n % 2];
                    float *out = arrays[(n + 1) % 2];
                    const int window = windows[(n + 1) % 2];
                    // A warp takes a row of a level at a time: the division is once for a row.
                    for (int line = threadIdx.x / 32; line < lines; line += blockDim.x / 32) {
                        const int start = (line / (to - from) * rows + from + line % (to - from)) * isize + i;
                        for (int x = threadIdx.x % 32; x < width; x += 32) {
                            out[start + x] = diffused(in + start + x, isize);
                        }
                    }
                    __syncthreads();
                    if (rank > 0) {
                        send(c, window, rank - 1, height_below + HALO, out + first * isize, levels, isize, rows, FROM_ABOVE);
                    }
                    if (rank < ranks - 1) {
                        send(c, window, rank + 1, 0, out + (last - HALO) * isize, levels, isize, rows, FROM_BELOW);
                    }
                    if (rank > 0) {
                        pgas_wait_notifications(c, FROM_BELOW, 1);
                    }
                    if (rank < ranks - 1) {
                        pgas_wait_notifications(c, FROM_ABOVE, 1);
                    }
                }
                pgas_flush(c);
                pgas_win_free(c, windows[1]);
                pgas_win_free(c, windows[0]);
                pgas_finish(c);
            }
            """, BlockStencil::stencil);

    private final DeviceGrid grid;

    BlockStencil(Rank rank, StencilCase of) {
        super(rank, of);
        this.grid = of.runs().grid(rank);
    }

    @Override
    void steps(int count) {
        grid.launch(PROGRAM, domain.inner().args(in(0).local(), out(0).local(), count));
        grid.sync();
    }

    @Override
    public void close() {
        grid.close();
        super.close();
    }

    /** The same in Java. */
    private static void stencil(GridRank self, Kernel.Args args) {
        MemorySegment[] arrays = {args.segment(0), args.segment(1)};
        int steps = args.intAt(2);
        PointBox inner = PointBox.of(args, 3);
        int rank = self.rank(Comm.WORLD);
        int ranks = self.ranks(Comm.WORLD);
        int block = self.rank(Comm.DEVICE);
        int blocks = self.ranks(Comm.DEVICE);
        int own = inner.rows() - 2 * Domain.HALO;
        int first = strip(own, block, blocks);
        int last = strip(own, block + 1, blocks);
        int below = (block + blocks - 1) % blocks;   // as all devices are split alike
        int heightBelow = strip(own, below + 1, blocks) - strip(own, below, blocks);

        int isize = inner.isize();
        long bytes = ((inner.levels() - 1L) * inner.rows() + last - first + 2 * Domain.HALO) * isize * Float.BYTES;
        int[] windows = new int[2];
        for (int n = 0; n < 2; n++) {
            long start = (long) (first - Domain.HALO) * isize * Float.BYTES;
            windows[n] = self.createWindow(Comm.WORLD, arrays[n].asSlice(start, bytes));
        }

        PointBox mine = inner.within(first, last);
        for (int n = 0; n < steps; n++) {
            MemorySegment in = arrays[n % 2];
            MemorySegment out = arrays[(n + 1) % 2];
            int window = windows[(n + 1) % 2];
            for (int point = 0; point < mine.points(); point++) {
                int at = mine.place(point);
                Diffusion.set(out, at, Diffusion.diffused(in, at, isize));
            }
            if (rank > 0) {
                send(self, window, rank - 1, heightBelow + Domain.HALO, out, first, inner, FROM_ABOVE);
            }
            if (rank < ranks - 1) {
                send(self, window, rank + 1, 0, out, last - Domain.HALO, inner, FROM_BELOW);
            }
            if (rank > 0) {
                self.awaitNotifications(FROM_BELOW, 1);
            }
            if (rank < ranks - 1) {
                self.awaitNotifications(FROM_ABOVE, 1);
            }
        }
        self.flush();
        self.freeWindow(windows[1]);
        self.freeWindow(windows[0]);
    }

    private static int strip(int own, int block, int blocks) {
        return Domain.HALO + (int) ((long) own * block / blocks);
    }

    /** Puts two rows of every level to a neighbour and notifies it. */
    private static void send(GridRank self, int window, int target, int targetRow, MemorySegment array, int row, PointBox box,
                             int tag) {
        long rowBytes = (long) box.isize() * Float.BYTES;
        for (int level = 0; level < box.levels(); level++) {
            long start = level * box.rows() * rowBytes;
            MemorySegment rows = array.asSlice(start + row * rowBytes, Domain.HALO * rowBytes);
            self.put(window, target, start + targetRow * rowBytes, rows, rows.byteSize());
        }
        self.signal(Comm.WORLD, target, tag);
    }
}
