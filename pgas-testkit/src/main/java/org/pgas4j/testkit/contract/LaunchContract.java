package org.pgas4j.testkit.contract;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.CudaCode;
import org.pgas4j.DeviceException;
import org.pgas4j.DeviceGrid;
import org.pgas4j.DeviceGrid.Dims;
import org.pgas4j.ElementType;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Kernel;
import org.pgas4j.Layout;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedLongs;
import org.pgas4j.Stream;
import org.pgas4j.StreamGraph;
import org.pgas4j.testkit.program.Tally;

/**
 * Launches of programs' kernels in CUDA C++, which are what it tests: shapes, options, headers, arguments of all kinds, streams
 * and memory of other libraries.
 */
final class LaunchContract extends Contract {

    /** A box of doubles, x fastest. */
    record Box(short width, int height, int depth, double scale) {

        int points() {
            return width * height * depth;
        }
    }

    /** Words that a block stores: {@code factor} times its number, and further. */
    record Pattern(int count, long factor) {
    }

    private static final int ADDED = 3;
    private static final int WORDS = 100;
    private static final int BLOCKS = 4;
    private static final int TAG = 5;

    private static final Kernel SCALE = new Kernel("launch_scale", LaunchContract::scale, CudaCode.source("""
            #include "box.h"
            extern "C" __global__ void launch_scale(double *out, const double *in, box b, bool negative) {
                int x = blockIdx.x * blockDim.x + threadIdx.x;
                int y = blockIdx.y * blockDim.y + threadIdx.y;
                int z = blockIdx.z * blockDim.z + threadIdx.z;
                if (x >= b.width || y >= b.height || z >= b.depth) return;
                long long at = ((long long) z * b.height + y) * b.width + x;
                out[at] = (negative ? -1 : 1) * in[at] * b.scale + ADDED;
            }
            """).withHeader("box.h", "struct box { short width; int height; int depth; double scale; };\n")
            .withOptions("--fmad=false", "-DADDED=" + ADDED));

    private static final GridProgram FENCE = new GridProgram("launch_fence", """
            #include <pgas_device.cuh>
            struct pattern { int count; long long factor; };
            extern "C" __global__ void launch_fence(pgas_world world, long long *words, long long *seen, pattern p) {
                pgas_context *c = pgas_init(world);
                int me = pgas_rank(c, PGAS_DEVICE), all = pgas_size(c, PGAS_DEVICE);
                long long *mine = words + me * p.count;
                int w = pgas_win_create(c, PGAS_DEVICE, mine, p.count * 8);
                int to = (me + 1) % all;
                long long *there = (long long *) pgas_ptr(c, w, to);
                for (int i = threadIdx.x; i < p.count; i += blockDim.x) there[i] = p.factor * me + i;
                pgas_fence(c);
                pgas_notify(c, PGAS_DEVICE, to, TAG);
                pgas_wait_notifications(c, TAG, 1);
                for (int i = threadIdx.x; i < p.count; i += blockDim.x) seen[me * p.count + i] = mine[i];
                pgas_win_free(c, w);
                pgas_finish(c);
            }
            """, LaunchContract::fence).withOptions("-DTAG=" + TAG);

    LaunchContract(Rank rank, Tally check) {
        super(rank, check);
    }

    private static void scale(Kernel.At at, Kernel.Args args) {
        Box box = args.recordAt(2, Box.class);
        if (at.x() < box.width() && at.y() < box.height() && at.z() < box.depth()) {
            long index = (at.z() * box.height() + at.y()) * box.width() + at.x();
            double scaled = (args.booleanAt(3) ? -1 : 1) * args.segment(1).getAtIndex(ValueLayout.JAVA_DOUBLE, index) * box.scale();
            args.segment(0).setAtIndex(ValueLayout.JAVA_DOUBLE, index, scaled + ADDED);
        }
    }

    private static void fence(GridRank self, Kernel.Args args) {
        Pattern pattern = args.recordAt(2, Pattern.class);
        long bytes = (long) pattern.count() * Long.BYTES;
        int me = self.rank(Comm.DEVICE);
        int to = (me + 1) % self.ranks(Comm.DEVICE);
        MemorySegment mine = args.segment(0).asSlice(me * bytes, bytes);
        int window = self.createWindow(Comm.DEVICE, mine);
        MemorySegment there = self.ptr(window, to);
        for (int i = 0; i < pattern.count(); i++) {
            there.setAtIndex(ValueLayout.JAVA_LONG, i, pattern.factor() * me + i);
        }
        self.fence();
        self.signal(Comm.DEVICE, to, TAG);
        self.awaitNotifications(TAG, 1);
        MemorySegment.copy(mine, 0, args.segment(1), me * bytes, bytes);
        self.freeWindow(window);
    }

    @Override
    void run() {
        Box box = new Box((short) 37, 11, 5, 0.5 + rank.rank());
        int points = box.points();
        Kernel.Shape shape = Kernel.Shape.covering(box.width(), box.height(), box.depth(), new Dims(16, 4, 2));
        try (Buffer in = rank.device().allocPinned(ElementType.DOUBLE, points);
                Buffer out = rank.device().allocPinned(ElementType.DOUBLE, points); Buffer device = rank.device().allocDoubles(points)) {
            for (int i = 0; i < points; i++) {
                in.segment().setAtIndex(ValueLayout.JAVA_DOUBLE, i, i);
            }
            Buffer foreign = PgasUnsafe.deviceBuffer(PgasUnsafe.address(device), ElementType.DOUBLE, points);
            rank.stream().launch(SCALE, shape, out, in, box, false);
            compare(out, points, box.scale(), "a kernel of pinned memory");
            rank.stream().launch(SCALE, shape, foreign, in, box, true);
            rank.stream().copy(out, device);
            compare(out, points, -box.scale(), "a kernel of memory known by its address");
            graph(shape, out, in, box);
            foreignStream(shape, out, in, box);
        }
        refusals();
        fences();
    }

    private void compare(Buffer out, int points, double scale, String what) {
        rank.stream().sync();
        for (int i = 0; i < points; i++) {
            double seen = out.segment().getAtIndex(ValueLayout.JAVA_DOUBLE, i);
            if (seen != i * scale + ADDED) {
                check.same(i * scale + ADDED, seen, "element " + i + " of " + what);
                break;
            }
        }
        out.segment().fill((byte) 0);
    }

    private void graph(Kernel.Shape shape, Buffer out, Buffer in, Box box) {
        try (StreamGraph graph = rank.stream().capture(on -> on.launch(SCALE, shape, out, in, box, false))) {
            rank.stream().launch(graph);
            compare(out, box.points(), box.scale(), "a captured kernel");
        }
    }

    /** Wraps the rank's own stream, as that of a library. */
    private void foreignStream(Kernel.Shape shape, Buffer out, Buffer in, Box box) {
        if (rank.device().backend() == Backend.HOST) {
            return;
        }
        try (Stream wrapped = rank.device().wrapStream(rank.stream().nativeHandle())) {
            wrapped.fill(out, 1);
            wrapped.launch(SCALE, shape, out, in, box, true);
            check.same(rank.stream().nativeHandle(), wrapped.nativeHandle(), "handle of a stream that is wrapped");
            compare(out, box.points(), -box.scale(), "a kernel on a stream of another library");
        }
    }

    private void refusals() {
        Kernel noEntry = new Kernel("launch_other", null, SCALE.code());
        boolean host = rank.device().backend() == Backend.HOST;
        check.refuses(DeviceException.class, host ? "no Java body" : "launch_other", () -> {
            rank.stream().launch(noEntry, new Kernel.Shape(1, 1));
            rank.stream().sync();
        }, "a kernel that its code lacks");
        GridProgram ptx = new GridProgram("launch_ptx", null, CudaCode.ptx(".visible .entry launch_ptx()"));
        check.refuses(IllegalArgumentException.class, "is given as PTX", () -> rank.device().residentBlocks(ptx, 32),
                "a block program that is compiled already");
    }

    /** Blocks store to each other; what they see goes to page-locked memory. */
    private void fences() {
        Pattern pattern = new Pattern(WORDS, 1000);
        SharedLongs words;
        try (Scope _ = rank.onDevice()) {
            words = rank.allAllocLongs(Layout.blocked(BLOCKS * WORDS), (long) BLOCKS * WORDS * rank.ranks());
        }
        try (DeviceGrid grid = rank.createGrid(DeviceGrid.Options.of(BLOCKS, 64));
                Buffer seen = rank.device().allocPinned(ElementType.LONG, BLOCKS * WORDS)) {
            seen.segment().fill((byte) -1);
            grid.launch(FENCE, words.local(), seen, pattern);
            grid.sync();
            for (int i = 0; i < BLOCKS * WORDS; i++) {
                long from = (i / WORDS + BLOCKS - 1) % BLOCKS;
                long word = seen.segment().getAtIndex(ValueLayout.JAVA_LONG, i);
                if (word != pattern.factor() * from + i % WORDS) {
                    check.same(pattern.factor() * from + i % WORDS, word, "word " + i + " stored before a fence");
                    break;
                }
            }
            check.that(seen.isDeviceAccessible(), "page-locked memory");
        }
        rank.allFree(words);
    }
}
