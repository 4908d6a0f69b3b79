package org.pgas4j.array;

import java.util.List;
import java.util.Locale;
import org.pgas4j.ElementType;
import org.pgas4j.Gemm.Precision;
import org.pgas4j.MemoryKind;
import org.pgas4j.Team;

/** The matrices of a product, {@code c = alpha * a * b + beta * c}, and how much of them each algorithm moves between ranks. */
record MatrixProduct(Precision precision, GlobalArray a, GlobalArray b, GlobalArray c) {

    /** Bytes of a result that are added to others are read and written there. */
    private static final int COST_OF_ADDING = 2;

    MatrixProduct {
        boolean fits = precision.inputType() == a.type() && precision.makes(c.type()) && c.type() != ElementType.BYTE
                && a != c && b != c && a.type() == b.type();
        for (GlobalArray each : List.of(a, b, c)) {
            fits &= each.distribution().dimensions() == 2 && each.team() == c.team();
        }
        if (!fits || a.length(0) != c.length(0) || b.length(1) != c.length(1) || a.length(1) != b.length(0)) {
            throw new IllegalArgumentException("gemm of " + c + ", the " + precision + " product of " + a + " and " + b
                    + " (expected: m x n, of m x k and k x n; one team, FLOAT, DOUBLE, HALF, BFLOAT16, or INT of BYTE, other"
                    + " matrices than the product)");
        }
    }

    /** The product of elements of a's type. */
    static MatrixProduct of(GlobalArray a, GlobalArray b, GlobalArray c) {
        if (a.type() == ElementType.INT || a.type() == ElementType.LONG) {
            throw new IllegalArgumentException("gemm of " + c + ", the product of " + a + " and " + b
                    + " (expected: elements of type FLOAT, DOUBLE, HALF, BFLOAT16 or BYTE)");
        }
        return new MatrixProduct(Precision.of(a.type()), a, b, c);
    }

    boolean isOf(Precision otherPrecision, GlobalArray otherA, GlobalArray otherB) {
        return precision == otherPrecision && a == otherA && b == otherB;
    }

    long inner() {
        return a.length(1);
    }

    /** Inner indices that a member of the team multiplies by {@link MatrixAlgorithm#REDUCE}. */
    Range share(int member) {
        Axis shares = Axis.block(inner(), c.team().ranks());
        long from = Math.min(inner(), shares.block() * member);
        return Range.of(from, Math.min(inner(), from + shares.block()));
    }

    /** True if partial sums can pass from rank to rank on devices: c is there, in one block for each rank. */
    boolean isPassedOn() {
        return c.team().ranks() > 1 && c.kind() == MemoryKind.DEVICE && c.distribution().isOneBlock();
    }

    /** True if {@link MatrixAlgorithm#REDUCE} has a way for this type and distribution. */
    boolean isReducible() {
        return isPassedOn() || !c.type().is16BitFloat();
    }

    /** The one that moves fewer elements of the member that moves most; the reproducible one if they are alike. */
    MatrixAlgorithm choose() {
        return isReducible() && reduced() < pulled() ? MatrixAlgorithm.REDUCE : MatrixAlgorithm.PULL;
    }

    String explain() {
        return String.format(Locale.ROOT, "%s: pull reads %d bytes a rank, reduce moves %d (at most, of the largest share; what is"
                + " %s)", choose().name().toLowerCase(Locale.ROOT), pulled(), reduced(),
                isPassedOn() ? "passed on counts once" : "added counts twice");
    }

    private long pulled() {
        Team team = c.team();
        long most = 0;
        for (int member = 0; member < team.ranks(); member++) {
            long rows = c.distribution().lengthOn(member, 0);
            long columns = c.distribution().lengthOn(member, 1);
            if (rows > 0 && columns > 0) {
                long own = both(c, a, member, 0) * a.distribution().lengthOn(member, 1)
                        + b.distribution().lengthOn(member, 0) * both(c, b, member, 1);
                most = Math.max(most, (rows + columns) * inner() - own);
            }
        }
        return a.type().bytes(most);
    }

    private long reduced() {
        long most = 0;
        for (int member = 0; member < c.team().ranks(); member++) {
            Range share = share(member);
            if (share.length() > 0) {
                long own = within(a, member, 1, share) * a.distribution().lengthOn(member, 0)
                        + within(b, member, 0, share) * b.distribution().lengthOn(member, 1);
                long read = share.length() * (c.length(0) + c.length(1)) - own;
                long others = c.length(0) * c.length(1)
                        - c.distribution().lengthOn(member, 0) * c.distribution().lengthOn(member, 1);
                most = Math.max(most, a.type().bytes(read) + (isPassedOn() ? 1 : COST_OF_ADDING) * c.type().bytes(others));
            }
        }
        return most;
    }

    /** Number of indices of a dimension that a member owns in both arrays. */
    static long both(GlobalArray x, GlobalArray y, int member, int dimension) {
        if (member >= x.distribution().ranks() || member >= y.distribution().ranks()) {
            return 0;
        }
        return indices(side(x, member, dimension, 0), side(y, member, dimension, 0), x.length(dimension));
    }

    /** Number of indices of a range of a dimension that a member owns. */
    private static long within(GlobalArray x, int member, int dimension, Range range) {
        if (member >= x.distribution().ranks()) {
            return 0;
        }
        Overlap.Side side = side(x, member, dimension, range.from());
        return indices(side, new Overlap.Side(Axis.whole(x.length(dimension)), 0, range.from()), range.length());
    }

    private static Overlap.Side side(GlobalArray x, int member, int dimension, long start) {
        return new Overlap.Side(x.distribution().axis(dimension), x.distribution().coordinates(member)[dimension], start);
    }

    private static long indices(Overlap.Side x, Overlap.Side y, long count) {
        long sum = 0;
        for (Overlap overlap : Overlap.of(x, y, count)) {
            long each = 1;
            for (long level : overlap.counts()) {
                each *= level;
            }
            sum += each;
        }
        return sum;
    }
}
