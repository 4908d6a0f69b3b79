package org.pgas4j.space.transfer;

import org.pgas4j.AtomicOp;
import org.pgas4j.ElementType;
import org.pgas4j.device.AtomicWords;
import org.pgas4j.fastpath.conduit.Endpoint;

/**
 * Atomic operations in memory that is not mapped, from the two that every conduit has: addition to and compare-and-swap of aligned
 * words of 8 bytes. A word of 4 bytes is changed as half of one. The others of a node see both as one processor's.
 */
final class EndpointAtomics {

    private EndpointAtomics() {
    }

    /** Performs an operation; arguments and result are those of {@link AtomicWords#apply}, memory counts from {@code offset} 0. */
    static long apply(Endpoint endpoint, long offset, ElementType type, AtomicOp op, long operand, long comparand) {
        if (type == ElementType.LONG && op == AtomicOp.ADD) {
            return endpoint.fetchAndAddWord(offset, operand);
        }
        long place = offset & -Long.BYTES;
        int shift = (int) (offset - place) * Byte.SIZE;
        boolean half = type.bytes() == Integer.BYTES;
        while (true) {
            long word = endpoint.fetchAndAddWord(place, 0);
            long old = half ? (int) (word >>> shift) : word;
            long next = next(type, op, old, operand, comparand);
            if (op == AtomicOp.GET || next == old) {
                return old; // nothing to write: the word was read whole
            }
            long changed = half ? word & ~(0xffffffffL << shift) | (next & 0xffffffffL) << shift : next;
            if (endpoint.compareAndSetWord(place, word, changed)) {
                return old;
            }
        }
    }

    private static long next(ElementType type, AtomicOp op, long old, long operand, long comparand) {
        if (op != AtomicOp.COMPARE_SWAP) {
            return AtomicWords.combine(type, op, old, type.bytes() == Integer.BYTES ? (int) operand : operand);
        }
        boolean equal = type.bytes() == Integer.BYTES ? (int) old == (int) comparand : old == comparand;
        return !equal ? old : type.bytes() == Integer.BYTES ? (int) operand : operand;
    }
}
