package org.pgas4j.runtime;

import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.Set;
import java.util.function.Supplier;
import org.pgas4j.AtomicDomain;
import org.pgas4j.AtomicOp;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.MemoryKind;
import org.pgas4j.SharedPointer;
import org.pgas4j.space.transfer.Completions;
import org.pgas4j.space.transfer.HostRoute;
import org.pgas4j.space.transfer.RouteTable;
import org.pgas4j.space.transfer.Transfers;

/** A rank's atomic operations on words of one type. Used by the rank's thread. */
final class RankAtomicDomain implements AtomicDomain {

    private final ElementType type;
    private final Set<AtomicOp> operations;
    private final Supplier<Transfers> own;
    private final RouteTable routes;
    private final Completions completions;
    private final boolean integers;

    RankAtomicDomain(ElementType type, Set<AtomicOp> operations, Supplier<Transfers> own, RouteTable routes, Completions completions) {
        this.type = type;
        this.operations = Collections.unmodifiableSet(operations);
        this.own = own;
        this.routes = routes;
        this.completions = completions;
        this.integers = type == ElementType.INT || type == ElementType.LONG;
    }

    @Override
    public ElementType type() {
        return type;
    }

    @Override
    public Set<AtomicOp> operations() {
        return operations;
    }

    private Transfers allowed(AtomicOp op, boolean ofIntegers) {
        if (!operations.contains(op) || ofIntegers != integers) {
            throw new IllegalArgumentException("atomic domain of " + type + " with " + operations + ": " + op + " of a "
                    + (ofIntegers ? "long" : "double"));
        }
        return own.get();
    }

    private long bits(double value) {
        return type == ElementType.DOUBLE ? Double.doubleToRawLongBits(value) : Float.floatToRawIntBits((float) value);
    }

    private double value(long bits) {
        return type == ElementType.DOUBLE ? Double.longBitsToDouble(bits) : Float.intBitsToFloat((int) bits);
    }

    @Override
    public long fetch(AtomicOp op, SharedPointer word, long operand) {
        return allowed(requireOperand(op), true).fetch(word, type, op, operand, 0);
    }

    @Override
    public double fetch(AtomicOp op, SharedPointer word, double operand) {
        return value(allowed(requireOperand(op), false).fetch(word, type, op, bits(operand), 0));
    }

    private static AtomicOp requireOperand(AtomicOp op) {
        if (op == AtomicOp.COMPARE_SWAP) {
            throw new IllegalArgumentException("COMPARE_SWAP needs two values; use compareSwap() or startCompareSwap()");
        }
        return op;
    }

    @Override
    public void apply(AtomicOp op, SharedPointer word, long operand) {
        completions.drop(allowed(requireOperand(op), true).atomic(word, type, op, operand, 0, null));
    }

    @Override
    public void apply(AtomicOp op, SharedPointer word, double operand) {
        completions.drop(allowed(requireOperand(op), false).atomic(word, type, op, bits(operand), 0, null));
    }

    @Override
    public long compareSwap(SharedPointer word, long expected, long value) {
        return allowed(AtomicOp.COMPARE_SWAP, true).fetch(word, type, AtomicOp.COMPARE_SWAP, value, expected);
    }

    @Override
    public double compareSwap(SharedPointer word, double expected, double value) {
        return value(allowed(AtomicOp.COMPARE_SWAP, false).fetch(word, type, AtomicOp.COMPARE_SWAP, bits(value), bits(expected)));
    }

    @Override
    public Handle start(AtomicOp op, SharedPointer word, long operand, MemorySegment result) {
        return allowed(requireOperand(op), true).start(word, type, op, operand, 0, room(result));
    }

    @Override
    public Handle start(AtomicOp op, SharedPointer word, double operand, MemorySegment result) {
        return allowed(requireOperand(op), false).start(word, type, op, bits(operand), 0, room(result));
    }

    @Override
    public Handle startCompareSwap(SharedPointer word, long expected, long value, MemorySegment result) {
        return allowed(AtomicOp.COMPARE_SWAP, true).start(word, type, AtomicOp.COMPARE_SWAP, value, expected, room(result));
    }

    @Override
    public Handle startCompareSwap(SharedPointer word, double expected, double value, MemorySegment result) {
        return allowed(AtomicOp.COMPARE_SWAP, false).start(word, type, AtomicOp.COMPARE_SWAP, bits(value), bits(expected), room(result));
    }

    private MemorySegment room(MemorySegment result) {
        if (!result.isNative() || result.byteSize() < Long.BYTES) {
            throw new IllegalArgumentException("result of an atomic operation: " + result
                    + " (expected: native memory of 8 bytes, of any type of word)");
        }
        return result;
    }

    @Override
    public boolean isFast(SharedPointer word) {
        return word.kind() == MemoryKind.HOST && routes.atomics(word.rank(), MemoryKind.HOST) instanceof HostRoute
                && routes.peer(word.rank()).endpoint().mapped() != null;
    }

    @Override
    public String explain(SharedPointer word) {
        return "atomic operations on " + type + " words in the " + word.kind() + " segment of rank " + word.rank() + ": by "
                + routes.atomicsBy(word.rank(), word.kind());
    }
}
