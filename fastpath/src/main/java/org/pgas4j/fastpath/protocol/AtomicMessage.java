package org.pgas4j.fastpath.protocol;

import org.pgas4j.AtomicOp;
import org.pgas4j.ElementType;

/**
 * An atomic operation on a word of this rank's memory, as a peer asks for it.
 *
 * @param offset    in the shared heap, bytes
 * @param operand   bits of the operand
 * @param comparand bits of the comparand
 * @param request   number that the answer carries; 0 for no answer
 */
record AtomicMessage(AtomicOp op, ElementType type, long offset, long operand, long comparand, long request) {
}
