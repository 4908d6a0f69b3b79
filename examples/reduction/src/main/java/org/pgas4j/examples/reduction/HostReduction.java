package org.pgas4j.examples.reduction;

import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedPointer;

/** A normal kernel adds up for each block; the host copies the blocks' sums, adds them up and combines them with other ranks'. */
final class HostReduction implements Way {

    private static final Kernel KERNEL = new Kernel("reduction_partials", Kernels.BLOCK_SUM + """

            extern "C" __global__ void reduction_partials(const long long *values, long long count, sums *partials) {
                const long long block = blockIdx.x, blocks = gridDim.x;
                const sums sum = block_sum(values, count * block / blocks, count * (block + 1) / blocks);
                if (threadIdx.x == 0) {
                    partials[block] = sum;
                }
            }
            """, (at, args) -> {
                if (at.thread() == 0) {   // for all of its block
                    int blocks = at.shape().blocks();
                    long count = args.longAt(1);
                    long first = count * at.block() / blocks;
                    Values.sum(args.segment(0), first, count * (at.block() + 1) / blocks - first).set(args.segment(2), at.block());
                }
            });

    private final Rank rank;
    private final Settings settings;
    private final Buffer values;
    private final Kernel.Shape shape;
    private final Buffer partials;
    private final SharedPointer hostMemory;
    private final Buffer host;

    HostReduction(Rank rank, Settings settings, Buffer values) {
        this.rank = rank;
        this.settings = settings;
        this.values = values;
        this.shape = new Kernel.Shape(settings.blocks(), settings.threads());
        long longs = settings.blocks() * Sums.BYTES / Long.BYTES;
        this.partials = rank.device().alloc(ElementType.LONG, longs);
        this.hostMemory = rank.alloc(partials.bytes());   // in the shared host heap, which copies to a GPU are fast from
        this.host = rank.memory().local(hostMemory, ElementType.LONG, longs);
    }

    @Override
    public Sums sum() {
        rank.stream().launch(KERNEL, shape, values, settings.values(), partials);
        rank.stream().copy(host, partials);
        rank.stream().sync();
        Sums sum = Sums.ZERO;
        for (int block = 0; block < settings.blocks(); block++) {
            sum = sum.plus(Sums.get(host.segment(), block));
        }
        return new Sums(rank.allReduce(sum.whole(), ReduceOp.SUM), rank.allReduce(sum.half(), ReduceOp.SUM));
    }

    @Override
    public void free() {
        rank.free(hostMemory);
        partials.close();
    }
}
