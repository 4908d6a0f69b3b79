package org.pgas4j.array;

import org.pgas4j.Buffer;
import org.pgas4j.Gemm;
import org.pgas4j.Gemm.Activation;
import org.pgas4j.Gemm.Precision;
import org.pgas4j.MemoryKind;
import org.pgas4j.SharedPointer;
import org.pgas4j.Stream;

/**
 * A box of an operand of a product of matrices, and the ways to its elements on this rank's device: in place, by one copy of
 * contiguous memory of its owner, or gathered from all owners.
 *
 * @param matrix  operand
 * @param rows    its rows, without steps
 * @param columns its columns, likewise
 */
record MatrixBox(MatrixView matrix, Range rows, Range columns) {

    /** Elements on the device: row i begins at {@code i * leading}, or column i if they are transposed. */
    record Elements(Buffer buffer, long leading, boolean transposed) {

        Elements(Buffer buffer, long leading) {
            this(buffer, leading, false);
        }
    }

    /** A copy may have one element in so many that nobody needs. */
    private static final long ELEMENTS_FOR_A_GAP = 8;

    long count() {
        return rows.length() * columns.length();
    }

    /** True if one rank has all of it, with the same distance between all of its rows. */
    private boolean isOfOneOwner() {
        return count() > 0 && matrix.axis(0).blockEnd(rows.from()) >= rows.to()
                && matrix.axis(1).blockEnd(columns.from()) >= columns.to();
    }

    /** The member that has its first element. */
    int owner() {
        return matrix.member(matrix.axis(0).owner(rows.from()), matrix.axis(1).owner(columns.from()));
    }

    private GlobalArray array() {
        return matrix.array();
    }

    /** Indices of the array's first dimension. */
    private Range lines() {
        return matrix.transposed() ? columns : rows;
    }

    /** Indices of the array's last dimension. */
    private Range withinLines() {
        return matrix.transposed() ? rows : columns;
    }

    private long place() {
        Distribution distribution = array().distribution();
        return array().origin() + distribution.axis(0).local(lines().from()) * array().stride(0)
                + distribution.axis(1).local(withinLines().from());
    }

    /** Elements from its first to its last one in its owner's memory. */
    private long span() {
        return (lines().length() - 1) * array().stride(0) + withinLines().length();
    }

    /** True if the rank has it on its device. */
    boolean isLocal() {
        return matrix.kind() == MemoryKind.DEVICE && isOfOneOwner() && owner() == array().team().rank();
    }

    /** True if it is one run of memory of another rank, but for a few elements in between. */
    boolean isOneRun() {
        return isOfOneOwner() && span() - count() <= count() / ELEMENTS_FOR_A_GAP;
    }

    /** Elements that a buffer for it has; 0 where it is used in place. */
    long room() {
        return isLocal() ? 0 : isOneRun() ? span() : count();
    }

    /** The elements of a box that {@link #isLocal()}. */
    Elements inPlace() {
        Buffer local = array().local().buffer();
        return elements(local.slice(place(), local.length() - place()), array().stride(0));
    }

    /** Queues the copy of a box that {@link #isOneRun()}. */
    Elements copy(Stream stream, Buffer into) {
        SharedPointer from = array().pointer(owner(), place());
        Buffer run = into.slice(0, span());
        stream.memget(run, from);
        return elements(run, array().stride(0));
    }

    /** Reads it, complete at return. */
    Elements gather(Buffer into) {
        Buffer dense = into.slice(0, count());
        matrix.section(rows, columns).get(dense);
        return elements(dense, withinLines().length());
    }

    private Elements elements(Buffer buffer, long leading) {
        return new Elements(buffer, leading, matrix.transposed());
    }

    /**
     * Queues {@code c = alpha * a * b + beta * c} of row-major matrices, m x k and k x n: those are the transposed ones of
     * column-major BLAS, so that the operands change places.
     */
    static void multiply(Stream stream, Precision precision, long m, long n, long k, double alpha, Elements a, Elements b,
                         double beta, Elements c) {
        stream.gemm(new Gemm(precision, n, m, k, b.transposed(), a.transposed(), alpha, beta, b.leading(), a.leading(),
                c.leading(), null, Activation.NONE), b.buffer(), a.buffer(), c.buffer());
    }
}
