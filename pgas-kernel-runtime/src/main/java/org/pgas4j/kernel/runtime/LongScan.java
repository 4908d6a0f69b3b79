package org.pgas4j.kernel.runtime;

import java.io.Serializable;
import org.pgas4j.ElementType;
import org.pgas4j.KernelMemory;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedLongs;
import org.pgas4j.kernel.LongCombiner;
import org.pgas4j.kernel.LongKernel;
import org.pgas4j.kernels.KernelForm;

/** A scan of values of type long. */
public final class LongScan extends Scan {

    private final SharedLongs into;
    private final SharedLongs of;
    private final ReduceOp op;         // null if the body is an operation
    private final LongKernel value;
    private final LongCombiner operation;
    private final long first;

    /** See {@link org.pgas4j.Stream#scan(SharedLongs, ReduceOp, boolean, LongKernel)}. */
    public LongScan(SharedLongs into, ReduceOp op, boolean exclusive, LongKernel body) {
        super(KernelForm.SCAN_LONGS, body, into, null, Reductions.code(op, ElementType.LONG), exclusive);
        this.into = into;
        this.of = null;
        this.op = op;
        this.value = Reductions.isLogical(op) ? i -> body.at(i) != 0 ? 1 : 0 : body;
        this.operation = (a, b) -> op.apply(a, b);
        this.first = Reductions.neutralLong(op);
    }

    /** See {@link org.pgas4j.Stream#scan(SharedLongs, SharedLongs, boolean, long, LongCombiner)}. */
    public LongScan(SharedLongs into, SharedLongs of, boolean exclusive, long first, LongCombiner operation) {
        super(KernelForm.SCAN_LONGS_BY, operation, into, of, 0, exclusive);
        this.into = into;
        this.of = of;
        this.op = null;
        this.value = of::get;
        this.operation = operation;
        this.first = first;
    }

    @Override
    Scan with(Serializable own, KernelMemory memory) {
        SharedLongs to = view(SharedLongs.class, into, memory);
        return op != null ? new LongScan(to, op, isExclusive(), (LongKernel) own)
                : new LongScan(to, view(SharedLongs.class, of, memory), isExclusive(), first, (LongCombiner) own);
    }

    @Override
    Object first() {
        return first;
    }

    @Override
    long combine(long a, long b) {
        return operation.combine(a, b);
    }

    @Override
    long total(long from, long to) {
        long total = value.at(from);
        for (long i = from + 1; i < to; i++) {
            total = operation.combine(total, value.at(i));
        }
        return total;
    }

    @Override
    void write(long from, long to, boolean any, long carry) {
        boolean started = any;
        long before = any ? carry : first;
        for (long i = from; i < to; i++) {
            long own = value.at(i);
            long with = started ? operation.combine(before, own) : own;
            into.put(i, isExclusive() ? before : with);
            before = with;
            started = true;
        }
    }
}
