package org.pgas4j.examples.reduction;

import java.lang.foreign.ValueLayout;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedPointer;
import org.pgas4j.examples.common.RunSettings;

/** A normal kernel adds up for each block; the host copies the blocks' sums, adds them up and combines them with other ranks'. */
final class HostReduction extends Summation {

    private static final Kernel KERNEL = new Kernel("reduction_partials", Summation.CUDA + """

            extern "C" __global__ void reduction_partials(const long long *values, long long count, long long *partials) {
                const long long block = blockIdx.x, blocks = gridDim.x;
                const long long sum = block_sum(values, count * block / blocks, count * (block + 1) / blocks);
                if (threadIdx.x == 0) {
                    partials[block] = sum;
                }
            }
            """, (at, args) -> {
                if (at.thread() == 0) {   // for all of its block
                    long count = args.longAt(1);
                    int blocks = at.shape().blocks();
                    args.segment(2).setAtIndex(ValueLayout.JAVA_LONG, at.block(),
                            sum(args.segment(0), count * at.block() / blocks, count * (at.block() + 1) / blocks));
                }
            });

    private final Kernel.Shape shape;
    private final Buffer partials;
    private final SharedPointer hostMemory;
    private final Buffer host;

    HostReduction(Rank rank, long count, RunSettings settings) {
        super(rank, count);
        this.shape = new Kernel.Shape(settings.blocks(), settings.threads());
        this.partials = rank.device().alloc(ElementType.LONG, settings.blocks());
        this.hostMemory = rank.alloc(partials.bytes());   // in the shared host heap, which copies to a GPU are fast from
        this.host = rank.memory().local(hostMemory, ElementType.LONG, settings.blocks());
    }

    @Override
    long add() {
        rank.stream().launch(KERNEL, shape, values, values.length(), partials);
        rank.stream().copy(host, partials);
        rank.stream().sync();
        return rank.allReduce(sum(host.segment(), 0, host.length()), ReduceOp.SUM);
    }

    @Override
    public void close() {
        rank.free(hostMemory);
        partials.close();
        super.close();
    }
}
