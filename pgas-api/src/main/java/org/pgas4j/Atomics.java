package org.pgas4j;

import java.util.Set;

/**
 * Atomic operations on single words of shared memory, among all that use them: host threads of any process and node, streams and
 * kernels ({@code upc_atomic.h}, OpenSHMEM's {@code shmem_atomic_*}). The short forms here work on words of 8 bytes, but for
 * additions named after another type; {@link #domain} gives the other operations of the other types. Used by the rank's thread.
 *
 * <p><b>Place of execution.</b> Words of host memory are changed by processors: by the caller's where the memory is mapped, by the
 * owner's otherwise. Words of device memory are changed by devices: by the caller's where it reaches the memory with atomics, by the
 * owner's otherwise. So all ways to one word agree with each other. Kernels change words of device memory only.
 *
 * <p><b>Order.</b> A fetching operation is complete when it returns, and orders: it sees what was written before the operation that
 * it follows. The others are complete at the target after {@link Rank#fence()}. Between plain transfers and an operation orders a
 * fence only.
 *
 * <p>A pointer that is not aligned to the word is an {@link IllegalArgumentException}, a range outside its allocation an
 * {@link IndexOutOfBoundsException}, as {@link Rank} says.
 */
public interface Atomics {

    /** Reads a word. */
    long get(SharedPointer word);

    /** Writes a word. */
    void set(SharedPointer word, long value);

    /** Writes a word and returns what was there. */
    long swap(SharedPointer word, long value);

    /** Writes a word if it has the expected value; returns what was there. */
    long compareSwap(SharedPointer word, long expected, long value);

    /** Adds; returns what was there. */
    long fetchAdd(SharedPointer word, long value);

    /** Adds to a word of 4 bytes; returns what was there. */
    int fetchAddInt(SharedPointer word, int value);

    /** Adds to a float; returns what was there. */
    float fetchAddFloat(SharedPointer word, float value);

    /** Adds to a double; returns what was there. */
    double fetchAddDouble(SharedPointer word, double value);

    /** Adds; complete at the target after a fence. */
    void add(SharedPointer word, long value);

    /** Bitwise and; returns what was there. */
    long fetchAnd(SharedPointer word, long value);

    /** Bitwise and; complete at the target after a fence. */
    void and(SharedPointer word, long value);

    /** Bitwise or; returns what was there. */
    long fetchOr(SharedPointer word, long value);

    /** Bitwise or; complete at the target after a fence. */
    void or(SharedPointer word, long value);

    /** Bitwise exclusive or; returns what was there. */
    long fetchXor(SharedPointer word, long value);

    /** Bitwise exclusive or; complete at the target after a fence. */
    void xor(SharedPointer word, long value);

    /**
     * Collective, and a barrier as well ({@code upc_all_atomicdomain_alloc}): operations on words of one type.
     *
     * @param operations that the program uses on these words; others are refused
     * @throws IllegalArgumentException    if the type lacks one of them, or is BYTE
     * @throws CollectiveMismatchException if the ranks give different ones
     */
    AtomicDomain domain(ElementType type, Set<AtomicOp> operations);
}
