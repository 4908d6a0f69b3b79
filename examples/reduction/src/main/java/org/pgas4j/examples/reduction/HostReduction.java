package org.pgas4j.examples.reduction;

import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedPointer;
import org.pgas4j.examples.common.RunSettings;
import org.pgas4j.kernel.KernelThread;
import org.pgas4j.kernel.ThreadKernel;

/** A normal kernel adds up for each block; the host copies the blocks' sums, adds them up and combines them with other ranks'. */
final class HostReduction extends Summation {

    private static final int MAX_THREADS = 1024;

    private final Kernel.Shape shape;
    private final Buffer partials;
    private final SharedPointer hostMemory;
    private final Buffer host;
    private final ThreadKernel addUp;

    HostReduction(Rank rank, long count, RunSettings settings) {
        super(rank, count);
        this.shape = rank.device().blockShape(settings.blocks(), settings.threads());
        this.partials = rank.device().alloc(ElementType.LONG, settings.blocks());
        this.hostMemory = rank.alloc(partials.bytes());   // in the shared host heap, which copies to a GPU are fast from
        this.host = rank.memory().local(hostMemory, ElementType.LONG, settings.blocks());
        this.addUp = addUp(values, partials);
    }

    /** Each block adds up its share, a contiguous part. */
    private static ThreadKernel addUp(Buffer values, Buffer partials) {
        return self -> addUp(self, values, partials);
    }

    private static void addUp(KernelThread self, Buffer values, Buffer partials) {
        long[] part = self.sharedLongs(MAX_THREADS);
        int thread = self.thread();
        long last = values.length() * (self.block() + 1) / self.blocks();
        long mine = 0;
        for (long i = values.length() * self.block() / self.blocks() + thread; i < last; i += self.threads()) {
            mine += values.getLong(i);
        }
        part[thread] = mine;
        self.sync();
        for (int n = self.threads(); n > 1; n = (n + 1) / 2) {
            int upper = (n + 1) / 2 + thread;
            if (upper < n) {
                part[thread] += part[upper];
            }
            self.sync();
        }
        if (thread == 0) {
            partials.putLong(self.block(), part[0]);
        }
    }

    @Override
    long add() {
        rank.stream().launch(shape, addUp);
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
