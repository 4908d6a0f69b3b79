package org.pgas4j.kernel.runtime;

import org.pgas4j.ReduceOp;
import org.pgas4j.kernel.DoubleKernel;
import org.pgas4j.kernel.IndexKernel;
import org.pgas4j.kernel.LongKernel;
import org.pgas4j.kernel.ThreadKernel;

/** The loops that are copied for each kernel; it refers to itself nowhere, so that a copy calls its own methods. */
final class BodyLoops implements HostLoops {

    BodyLoops() {
    }

    @Override
    public void forAll(IndexKernel body, LoopRange range, long from, long to) {
        long index = range.index(from);
        long run = range.run(from);
        for (long place = from; place < to; ) {
            long count = Math.min(run, to - place);
            each(body, range, index, index + count);
            place += count;
            index += run + range.gap();
            run = range.block();
        }
    }

    private void each(IndexKernel body, LoopRange range, long from, long to) {
        long stride = range.stride();
        if (stride == 1) {
            for (long i = from; i < to; i++) {
                body.at(i);
            }
            return;
        }
        for (long i = range.iterationFrom(from); i < to; i = stride < to - i ? i + stride : to) {
            body.at(i);
        }
    }

    @Override
    public double reduce(DoubleKernel body, LoopRange range, long from, long to, ReduceOp op) {
        double value = Reductions.neutral(op);
        long index = range.index(from);
        long run = range.run(from);
        for (long place = from; place < to; ) {
            long count = Math.min(run, to - place);
            value = reduce(body, index, index + count, op, value);
            place += count;
            index += run + range.gap();
            run = range.block();
        }
        return value;
    }

    private double reduce(DoubleKernel body, long from, long to, ReduceOp op, double before) {
        double value = before;
        if (op == ReduceOp.SUM) {
            for (long i = from; i < to; i++) {
                value += body.at(i);
            }
            return value;
        }
        for (long i = from; i < to; i++) {
            value = op.apply(value, body.at(i));
        }
        return value;
    }

    @Override
    public long reduceLongs(LongKernel body, LoopRange range, long from, long to, ReduceOp op) {
        long value = Reductions.neutralLong(op);
        long index = range.index(from);
        long run = range.run(from);
        for (long place = from; place < to; ) {
            long count = Math.min(run, to - place);
            value = reduceLongs(body, index, index + count, op, value);
            place += count;
            index += run + range.gap();
            run = range.block();
        }
        return value;
    }

    private long reduceLongs(LongKernel body, long from, long to, ReduceOp op, long before) {
        long value = before;
        if (op == ReduceOp.SUM) {
            for (long i = from; i < to; i++) {
                value += body.at(i);
            }
            return value;
        }
        for (long i = from; i < to; i++) {
            value = op.apply(value, body.at(i));
        }
        return value;
    }

    @Override
    public void block(ThreadKernel body, HostThread self, long block) {
        for (int thread = 0; thread < self.threads(); thread++) {
            self.enter(block, thread);
            body.run(self);
        }
    }
}
