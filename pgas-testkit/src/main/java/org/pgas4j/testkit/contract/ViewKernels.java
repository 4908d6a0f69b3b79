package org.pgas4j.testkit.contract;

import org.pgas4j.ArrayView;
import org.pgas4j.Backend;
import org.pgas4j.CudaCode;
import org.pgas4j.Kernel;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedDoubles;
import org.pgas4j.SharedLongs;
import org.pgas4j.Stream;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.Tally;

/** Kernels in CUDA C++ that use shared arrays by views, which are what it tests; on GPUs alone. */
final class ViewKernels extends Contract {

    private static final long LENGTH = 3000;
    private static final long BINS = 29;

    private static final String SOURCE = """
            #include "from.h"
            #include "to.h"
            #include "counts.h"
            extern "C" __global__ void view_mirror(from_array from, to_array to, counts_array counts) {
                for (long long k = blockIdx.x * blockDim.x + threadIdx.x; k < to.local_length(); k += gridDim.x * blockDim.x) {
                    long long i = to.index(k);
                    to.local()[k] = from.get(from.length() - 1 - i) * 10 + to.owner(i);
                    counts.add(i % counts.length(), 1);
                    counts.max(i % counts.length(), 1);
                }
            }
            """;

    private final Stream stream;

    ViewKernels(Rank rank, Tally check) {
        super(rank, check);
        this.stream = rank.stream();
    }

    @Override
    void run() {
        if (rank.device().backend() == Backend.CUDA) {
            mirror(Layout.even(), Layout.cyclic());
            mirror(Layout.blocked(7), Layout.onRank(rank.ranks() - 1));
            mirror(Layout.onRank(0), Layout.blocked(64));
        }
    }

    private void mirror(Layout first, Layout second) {
        try (Scope _ = Program.in(rank, MemoryKind.DEVICE)) {
            SharedDoubles from = rank.allAllocDoubles(first, LENGTH);
            SharedLongs to = rank.allAllocLongs(second, LENGTH);
            SharedLongs counts = rank.allAllocLongs(Layout.cyclic(), BINS);
            from.forAll(i -> from.put(i, i));
            counts.forAll(i -> counts.put(i, 0));
            stream.sync();
            rank.barrier();
            Kernel kernel = new Kernel("view_mirror", null, CudaCode.source(SOURCE).withHeader("from.h", ArrayView.header("from_array", from))
                    .withHeader("to.h", ArrayView.header("to_array", to)).withHeader("counts.h", ArrayView.header("counts_array", counts)));
            stream.launch(kernel, rank.device().stridedShape(LENGTH), rank.device().view(from), rank.device().view(to),
                    rank.device().view(counts));
            stream.sync();
            rank.barrier();
            long wrong = 0;
            for (long i = rank.rank(); i < LENGTH; i += rank.ranks()) {
                wrong += to.get(i) == (LENGTH - 1 - i) * 10 + to.rankOf(i) ? 0 : 1;
            }
            check.same(0L, wrong, "wrong elements by views of " + from + " and " + to);
            check.same((LENGTH + BINS - 1) / BINS, counts.get(0), "atomic additions by a view");
            rank.barrier();
            rank.allFree(counts);
            rank.allFree(to);
            rank.allFree(from);
        }
    }
}
