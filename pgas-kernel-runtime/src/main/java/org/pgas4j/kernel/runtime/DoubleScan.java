package org.pgas4j.kernel.runtime;

import java.io.Serializable;
import org.pgas4j.ElementType;
import org.pgas4j.KernelMemory;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedDoubles;
import org.pgas4j.kernel.DoubleCombiner;
import org.pgas4j.kernel.DoubleKernel;
import org.pgas4j.kernels.KernelForm;

/** A scan of values of type double. */
public final class DoubleScan extends Scan {

    private final SharedDoubles into;
    private final SharedDoubles of;
    private final ReduceOp op;         // null if the body is an operation
    private final DoubleKernel value;
    private final DoubleCombiner operation;
    private final double first;

    /** See {@link org.pgas4j.Stream#scan(SharedDoubles, ReduceOp, boolean, DoubleKernel)}. */
    public DoubleScan(SharedDoubles into, ReduceOp op, boolean exclusive, DoubleKernel body) {
        super(KernelForm.SCAN_DOUBLES, body, into, null, Reductions.code(op, ElementType.DOUBLE), exclusive);
        this.into = into;
        this.of = null;
        this.op = op;
        this.value = Reductions.isLogical(op) ? i -> body.at(i) != 0 ? 1 : 0 : body;
        this.operation = (a, b) -> op.apply(a, b);
        this.first = op == ReduceOp.SUM ? 0 : Reductions.neutral(op);
    }

    /** See {@link org.pgas4j.Stream#scan(SharedDoubles, SharedDoubles, boolean, double, DoubleCombiner)}. */
    public DoubleScan(SharedDoubles into, SharedDoubles of, boolean exclusive, double first, DoubleCombiner operation) {
        super(KernelForm.SCAN_DOUBLES_BY, operation, into, of, 0, exclusive);
        this.into = into;
        this.of = of;
        this.op = null;
        this.value = of::get;
        this.operation = operation;
        this.first = first;
    }

    @Override
    Scan with(Serializable own, KernelMemory memory) {
        SharedDoubles to = view(SharedDoubles.class, into, memory);
        return op != null ? new DoubleScan(to, op, isExclusive(), (DoubleKernel) own)
                : new DoubleScan(to, view(SharedDoubles.class, of, memory), isExclusive(), first, (DoubleCombiner) own);
    }

    @Override
    Object first() {
        return first;
    }

    @Override
    long combine(long a, long b) {
        return Double.doubleToRawLongBits(operation.combine(Double.longBitsToDouble(a), Double.longBitsToDouble(b)));
    }

    @Override
    long total(long from, long to) {
        double total = value.at(from);
        for (long i = from + 1; i < to; i++) {
            total = operation.combine(total, value.at(i));
        }
        return Double.doubleToRawLongBits(total);
    }

    @Override
    void write(long from, long to, boolean any, long carry) {
        boolean started = any;
        double before = any ? Double.longBitsToDouble(carry) : first;
        for (long i = from; i < to; i++) {
            double own = value.at(i);
            double with = started ? operation.combine(before, own) : own;
            into.put(i, isExclusive() ? before : with);
            before = with;
            started = true;
        }
    }
}
