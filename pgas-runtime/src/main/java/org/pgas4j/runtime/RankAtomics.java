package org.pgas4j.runtime;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.Supplier;
import org.pgas4j.AtomicDomain;
import org.pgas4j.AtomicOp;
import org.pgas4j.Atomics;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.SharedPointer;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.collective.CollectiveEngine;
import org.pgas4j.device.AtomicWords;
import org.pgas4j.space.transfer.Completions;
import org.pgas4j.space.transfer.HostRoute;
import org.pgas4j.space.transfer.RouteTable;
import org.pgas4j.space.transfer.Transfers;

/** A rank's atomic operations. Used by the rank's thread. */
final class RankAtomics implements Atomics {

    private final Supplier<Transfers> own;
    private final RouteTable routes;
    private final Completions completions;
    private final CollectiveEngine collectives;

    /** @param own the transfers, for the rank's thread; throws in another */
    RankAtomics(Supplier<Transfers> own, RouteTable routes, Completions completions, CollectiveEngine collectives) {
        this.own = own;
        this.routes = routes;
        this.completions = completions;
        this.collectives = collectives;
    }

    private long fetch(SharedPointer word, AtomicOp op, long operand) {
        return fetch(word, op, operand, 0);
    }

    private long fetch(SharedPointer word, AtomicOp op, long operand, long comparand) {
        Transfers transfers = own.get();
        HostRoute direct = direct(word);
        return direct != null ? direct.fetch(word.addrField(), op, operand, comparand)
                : transfers.fetch(word, ElementType.LONG, op, operand, comparand);
    }

    private void apply(SharedPointer word, AtomicOp op, long operand) {
        Transfers transfers = own.get();
        HostRoute direct = direct(word);
        if (direct != null) {
            direct.fetch(word.addrField(), op, operand, 0);
        } else {
            completions.drop(transfers.atomic(word, ElementType.LONG, op, operand, 0, null));
        }
    }

    /** The route to a good word of host memory that needs no observer; else null. */
    private HostRoute direct(SharedPointer word) {
        return word.kind() == MemoryKind.HOST && word.covers(Long.BYTES) && (word.addrField() & Long.BYTES - 1) == 0
                ? routes.direct(word.rank()) : null;
    }

    @Override
    public long get(SharedPointer word) {
        return fetch(word, AtomicOp.GET, 0);
    }

    @Override
    public void set(SharedPointer word, long value) {
        apply(word, AtomicOp.SET, value);
    }

    @Override
    public long swap(SharedPointer word, long value) {
        return fetch(word, AtomicOp.SWAP, value);
    }

    @Override
    public long compareSwap(SharedPointer word, long expected, long value) {
        return fetch(word, AtomicOp.COMPARE_SWAP, value, expected);
    }

    @Override
    public long fetchAdd(SharedPointer word, long value) {
        return fetch(word, AtomicOp.ADD, value);
    }

    @Override
    public int fetchAddInt(SharedPointer word, int value) {
        return (int) own.get().fetch(word, ElementType.INT, AtomicOp.ADD, value, 0);
    }

    @Override
    public float fetchAddFloat(SharedPointer word, float value) {
        long bits = own.get().fetch(word, ElementType.FLOAT, AtomicOp.ADD, Float.floatToRawIntBits(value), 0);
        return Float.intBitsToFloat((int) bits);
    }

    @Override
    public double fetchAddDouble(SharedPointer word, double value) {
        long bits = own.get().fetch(word, ElementType.DOUBLE, AtomicOp.ADD, Double.doubleToRawLongBits(value), 0);
        return Double.longBitsToDouble(bits);
    }

    @Override
    public void add(SharedPointer word, long value) {
        apply(word, AtomicOp.ADD, value);
    }

    @Override
    public long fetchAnd(SharedPointer word, long value) {
        return fetch(word, AtomicOp.AND, value);
    }

    @Override
    public void and(SharedPointer word, long value) {
        apply(word, AtomicOp.AND, value);
    }

    @Override
    public long fetchOr(SharedPointer word, long value) {
        return fetch(word, AtomicOp.OR, value);
    }

    @Override
    public void or(SharedPointer word, long value) {
        apply(word, AtomicOp.OR, value);
    }

    @Override
    public long fetchXor(SharedPointer word, long value) {
        return fetch(word, AtomicOp.XOR, value);
    }

    @Override
    public void xor(SharedPointer word, long value) {
        apply(word, AtomicOp.XOR, value);
    }

    @Override
    public AtomicDomain domain(ElementType type, Set<AtomicOp> operations) {
        own.get();
        Set<AtomicOp> allowed = operations.isEmpty() ? EnumSet.noneOf(AtomicOp.class) : EnumSet.copyOf(operations);
        int code = AtomicWords.code(type);
        long bits = 0;
        for (AtomicOp op : allowed) {
            if (!op.isOf(type)) {
                throw new IllegalArgumentException("atomic domain of " + type + ": there is no " + op + " of it");
            }
            bits |= 1L << op.code();
        }
        long words = bits;
        collectives.during(Phase.ALLOCATION, () -> collectives.requireSame("atomic domain", () -> type + ", " + allowed, code, words));
        return new RankAtomicDomain(type, allowed, own, routes, completions);
    }
}
