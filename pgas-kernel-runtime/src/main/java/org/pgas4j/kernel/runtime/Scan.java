package org.pgas4j.kernel.runtime;

import java.io.Serializable;
import org.pgas4j.KernelMemory;
import org.pgas4j.Layout;
import org.pgas4j.SharedArray;
import org.pgas4j.kernels.KernelForm;

/** A scan of one rank, with values as bits. */
public abstract sealed class Scan permits DoubleScan, LongScan {

    /** Indices that a rank does, which may be none. */
    record Part(long from, long to) {
    }

    private final KernelForm form;
    private final Serializable body;
    private final SharedArray into;
    private final SharedArray of;
    private final int op;
    private final boolean exclusive;

    /**
     * A scan.
     *
     * @param of null if the body gives values
     * @param op number of the operation if it does
     */
    Scan(KernelForm form, Serializable body, SharedArray into, SharedArray of, int op, boolean exclusive) {
        if (of != null && of.length() != into.length()) {
            throw new IllegalArgumentException("scan of " + of + " into " + into + " (expected: the same length)");
        }
        this.form = form;
        this.body = body;
        this.into = into;
        this.of = of;
        this.op = op;
        this.exclusive = exclusive;
    }

    final KernelForm form() {
        return form;
    }

    final Serializable body() {
        return body;
    }

    final SharedArray into() {
        return into;
    }

    /** Null if the body gives values. */
    final SharedArray of() {
        return of;
    }

    final int op() {
        return op;
    }

    final boolean isExclusive() {
        return exclusive;
    }

    /** True if each rank has all elements, and nobody else's values come before them. */
    final boolean isAlone() {
        return into.layout() instanceof Layout.Replicated;
    }

    /** The indices of one rank: its own elements if they are one run, else an even part of all. */
    final Part part(int rank, int ranks) {
        long length = into.length();
        if (into.layout() instanceof Layout.Replicated) {
            return new Part(0, length);
        }
        SharedArray.Place place = into.place();
        boolean runs = length == 0 || place.block() == 0
                || (place.start() + length - 1) / place.block() - place.start() / place.block() < ranks;
        if (runs) {
            long first = Math.max(0, into.firstOn(rank));
            return new Part(first, first + into.lengthOn(rank));
        }
        long each = Math.ceilDiv(length, (long) ranks);
        return new Part(Math.min(length, rank * each), Math.min(length, (rank + 1) * each));
    }

    /** This scan with a copy of its body, and views of its arrays, for a thread of the host device. */
    abstract Scan with(Serializable own, KernelMemory memory);

    /** A view of an array. */
    static <T extends SharedArray> T view(Class<T> type, T array, KernelMemory memory) {
        return array == null ? null : type.cast(memory.view(array));
    }

    /** Value before all others of an exclusive scan. */
    abstract Object first();

    /** Combination of two values. */
    abstract long combine(long a, long b);

    /** On the host device: combination of the values of indices, at least one. */
    abstract long total(long from, long to);

    /**
     * On the host device: writes the prefixes of indices.
     *
     * @param any   whether there are values before them
     * @param carry combination of those
     */
    abstract void write(long from, long to, boolean any, long carry);
}
