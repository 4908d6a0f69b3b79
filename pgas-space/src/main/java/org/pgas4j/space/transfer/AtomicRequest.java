package org.pgas4j.space.transfer;

import org.pgas4j.AtomicOp;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;

/** An atomic operation on a checked word of a rank's segment. Mutable, because each initiator reuses one. */
public final class AtomicRequest {

    int target;
    MemoryKind kind;
    long offset;
    ElementType type;
    AtomicOp op;
    long operand;
    long comparand;

    /**
     * Sets the word.
     *
     * @param rank   that owns it
     * @param memory kind of its segment
     * @param place  byte offset in the shared heap of that segment, aligned
     */
    public AtomicRequest word(int rank, MemoryKind memory, long place, ElementType elements) {
        target = rank;
        kind = memory;
        offset = place;
        type = elements;
        return this;
    }

    /** Sets the operation; values are bits. */
    public AtomicRequest operation(AtomicOp operation, long value, long expected) {
        op = operation;
        operand = value;
        comparand = expected;
        return this;
    }
}
