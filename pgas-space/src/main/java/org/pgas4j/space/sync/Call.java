package org.pgas4j.space.sync;

import java.util.Locale;
import org.pgas4j.ElementType;
import org.pgas4j.ReduceOp;

/**
 * A collective operation, with what all ranks must give alike, as an exchange compares it: one word.
 *
 * @param name   tells operations from each other; one {@code %d} stands for the number
 * @param number root, window or 0
 */
public record Call(String name, int number) {

    /** The word of calls that differ. */
    static final long DIFFERENT = 0;
    /** A further exchange of an operation that all ranks are known to be in. */
    static final Call STEP = new Call("a step of a collective operation", 0);
    /** The pseudo-call in which ranks tell each other that their calls differ. */
    static final Call EXPLANATION = new Call("an explanation", 0);

    private static final Call[] DOUBLES = reductions(ElementType.DOUBLE);
    private static final Call[] LONGS = reductions(ElementType.LONG);

    private static Call[] reductions(ElementType type) {
        Call[] calls = new Call[ReduceOp.values().length];
        for (ReduceOp op : ReduceOp.values()) {
            calls[op.ordinal()] = new Call("allReduce(" + type.name().toLowerCase(Locale.ROOT) + ", " + op + ")", 0);
        }
        return calls;
    }

    static Call allReduceDouble(ReduceOp op) {
        return DOUBLES[op.ordinal()];
    }

    static Call allReduceLong(ReduceOp op) {
        return LONGS[op.ordinal()];
    }

    static Call broadcast(int root) {
        return new Call("broadcast(long, root %d)", root);
    }

    /** The same on all ranks for the same call, another for any other. */
    long word() {
        return (long) name.hashCode() << 32 | number & 0xffffffffL;
    }

    /** As messages name it. */
    String text() {
        return name.replace("%d", Integer.toString(number));
    }
}
