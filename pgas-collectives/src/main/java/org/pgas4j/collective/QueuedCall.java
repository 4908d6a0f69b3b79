package org.pgas4j.collective;

import java.util.Arrays;
import org.pgas4j.ElementType;
import org.pgas4j.ReduceOp;

/** Collective operations on streams, and calls of them as one word that members compare: what of a call must be the same. */
enum QueuedCall {
    BARRIER("barrier"),
    BROADCAST("broadcast"),
    ALL_GATHER("allGather"),
    EXCHANGE("exchange"),
    ALL_REDUCE("allReduce"),
    REDUCE_SCATTER("reduceScatter"),
    SCATTER("scatter"),
    GATHER("gather"),
    REDUCE("reduce"),
    SCAN("scan");

    private static final int BITS = 8;
    private static final int MASK = (1 << BITS) - 1;
    private static final int ROOT_SHIFT = 3 * BITS;

    private final String text;

    QueuedCall(String text) {
        this.text = text;
    }

    /**
     * The word of a call.
     *
     * @param type of the elements; null if there are none
     * @param op   null if nothing is combined
     * @param root a member; -1 if there is none
     */
    long word(ElementType type, ReduceOp op, int root) {
        return ordinal() | (type == null ? 0L : type.ordinal() + 1L) << BITS | (op == null ? 0L : op.ordinal() + 1L) << 2 * BITS
                | (root + 1L) << ROOT_SHIFT;
    }

    /** A call as messages show it. */
    static String text(long word, long count) {
        QueuedCall call = values()[(int) word & MASK];
        int type = (int) (word >> BITS) & MASK;
        int op = (int) (word >> 2 * BITS) & MASK;
        long root = (word >> ROOT_SHIFT) - 1;
        String[] parts = {
            type == 0 ? "" : count + " elements of " + ElementType.values()[type - 1],
            op == 0 ? "" : ReduceOp.values()[op - 1].toString(),
            root < 0 ? "" : "root " + root};
        return call.text + "(" + String.join(", ", Arrays.stream(parts).filter(part -> !part.isEmpty()).toList()) + ")";
    }
}
