package org.pgas4j;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * Atomic operations on words of one type ({@code upc_atomicdomain_t}). Values of INT and LONG are passed as {@code long}, those of
 * FLOAT and DOUBLE as {@code double}, and returned as such; the other forms are refused. Completion, order and errors are those of
 * {@link Atomics}. Used by the rank's thread; nothing has to be freed.
 */
public interface AtomicDomain {

    /** Type of the words. */
    ElementType type();

    /** Operations that are allowed. */
    Set<AtomicOp> operations();

    /**
     * Performs an operation and returns what was there.
     *
     * @param operand ignored by {@link AtomicOp#GET}
     */
    long fetch(AtomicOp op, SharedPointer word, long operand);

    /** As {@link #fetch(AtomicOp, SharedPointer, long)}, of FLOAT or DOUBLE. */
    double fetch(AtomicOp op, SharedPointer word, double operand);

    /** Performs an operation; complete at the target after a fence. */
    void apply(AtomicOp op, SharedPointer word, long operand);

    /** As {@link #apply(AtomicOp, SharedPointer, long)}, of FLOAT or DOUBLE. */
    void apply(AtomicOp op, SharedPointer word, double operand);

    /** Writes a word if it has the expected value; returns what was there. */
    long compareSwap(SharedPointer word, long expected, long value);

    /** As {@link #compareSwap(SharedPointer, long, long)}, of FLOAT or DOUBLE; values are equal if their bits are. */
    double compareSwap(SharedPointer word, double expected, double value);

    /**
     * Starts an operation that puts what was there into {@code result} ({@code upc_atomic_relaxed} with a fetch pointer).
     *
     * @param result native memory of 8 bytes, of every type; untouched until the handle is complete. An int is extended to 8 bytes
     */
    Handle start(AtomicOp op, SharedPointer word, long operand, MemorySegment result);

    /** As {@link #start(AtomicOp, SharedPointer, long, MemorySegment)}, of FLOAT or DOUBLE. */
    Handle start(AtomicOp op, SharedPointer word, double operand, MemorySegment result);

    /**
     * Starts a write of a word if it has the expected value; otherwise as {@link #start(AtomicOp, SharedPointer, long,
     * MemorySegment)}. It took place if {@code result} has the expected value at completion.
     */
    Handle startCompareSwap(SharedPointer word, long expected, long value, MemorySegment result);

    /** As {@link #startCompareSwap(SharedPointer, long, long, MemorySegment)}, of FLOAT or DOUBLE; values are equal if their bits are. */
    Handle startCompareSwap(SharedPointer word, double expected, double value, MemorySegment result);

    /**
     * True if the calling processor performs operations on this word by itself, with its own instructions in mapped host memory:
     * no message, no conduit, no other rank and no device has a part ({@code upc_atomic_isfast}). It stays so as long as the job
     * runs, and says nothing about the order.
     */
    boolean isFast(SharedPointer word);

    /** Place where operations on this word are carried out, and the reason, in one line. */
    String explain(SharedPointer word);
}
