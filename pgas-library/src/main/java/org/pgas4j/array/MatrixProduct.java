package org.pgas4j.array;

import java.util.List;
import java.util.Locale;
import org.pgas4j.ElementType;
import org.pgas4j.Gemm.Precision;
import org.pgas4j.MemoryKind;
import org.pgas4j.Team;

/** The matrices of a product, {@code c = alpha * a * b + beta * c}, and how much of them each algorithm moves between ranks. */
record MatrixProduct(Precision precision, MatrixView a, MatrixView b, GlobalArray c) {

    /** Bytes of a result that are added to others are read and written there. */
    private static final int COST_OF_ADDING = 2;

    MatrixProduct {
        for (GlobalArray each : List.of(a.array(), b.array(), c)) {
            each.requireNumbers("gemm");
        }
        boolean fits = precision.inputType() == a.type() && precision.makes(c.type()) && c.type() != ElementType.BYTE
                && a.array() != c && b.array() != c && a.type() == b.type() && a.array().team() == c.team()
                && b.array().team() == c.team() && c.distribution().dimensions() == 2;
        if (!fits || a.rows() != c.length(0) || b.columns() != c.length(1) || a.columns() != b.rows()) {
            throw new IllegalArgumentException("gemm of " + c + ", the " + precision + " product of " + a + " and " + b
                    + " (expected: m x n, of m x k and k x n; one team, FLOAT, DOUBLE, HALF, BFLOAT16, or INT of BYTE, other"
                    + " matrices than the product)");
        }
    }

    /** The product of elements of a's type. */
    static MatrixProduct of(MatrixView a, MatrixView b, GlobalArray c) {
        if (a.type() == ElementType.INT || a.type() == ElementType.LONG) {
            throw new IllegalArgumentException("gemm of " + c + ", the product of " + a + " and " + b
                    + " (expected: elements of type FLOAT, DOUBLE, HALF, BFLOAT16 or BYTE)");
        }
        return new MatrixProduct(Precision.of(a.type()), a, b, c);
    }

    boolean isOf(Precision otherPrecision, MatrixView otherA, MatrixView otherB) {
        return precision == otherPrecision && a.equals(otherA) && b.equals(otherB);
    }

    long inner() {
        return a.columns();
    }

    /** Inner indices that a member of the team multiplies by {@link MatrixAlgorithm#REDUCE}. */
    Range share(int member) {
        Axis shares = Axis.block(inner(), c.team().ranks());
        long from = Math.min(inner(), shares.block() * member);
        return Range.of(from, Math.min(inner(), from + shares.block()));
    }

    // ---- what algorithms need

    /** True if partial sums can pass from rank to rank on devices: c is there, in one block for each rank. */
    boolean isPassedOn() {
        return c.team().ranks() > 1 && c.kind() == MemoryKind.DEVICE && c.distribution().isOneBlock();
    }

    /** True if {@link MatrixAlgorithm#REDUCE} has a way for this type and distribution. */
    boolean isReducible() {
        return isPassedOn() || !c.type().is16BitFloat();
    }

    /** True if a's rows and b's columns lie over the grid as c's do: a rank needs those of its row and column. */
    boolean isOnGrid() {
        return a.axis(0).equals(c.distribution().axis(0)) && b.axis(1).equals(c.distribution().axis(1));
    }

    /** True if the grid is square and the inner dimension lies over its columns in a as over its rows in b. */
    boolean isOnSquareGrid() {
        return isOnGrid() && a.axis(1).equals(b.axis(0)) && a.axis(0).ranks() == a.axis(1).ranks()
                && b.axis(0).ranks() == b.axis(1).ranks();
    }

    /**
     * Requires that an algorithm has a way for these matrices.
     *
     * @throws IllegalArgumentException if it has none
     */
    void require(MatrixAlgorithm algorithm) {
        boolean has = switch (algorithm) {
            case PULL -> true;
            case REDUCE -> isReducible();
            case SUMMA -> isOnGrid();
            case CANNON -> isOnSquareGrid();
        };
        if (!has) {
            throw new IllegalArgumentException("gemm of " + c + ", the product of " + a + " and " + b + ", by " + algorithm
                    + " (expected: " + switch (algorithm) {
                        case SUMMA -> "rows of a and columns of b over the grid as those of the product";
                        case CANNON -> "a square grid, rows of a and columns of b over it as those of the product, columns"
                                + " of a as rows of b";
                        default -> "a matrix of 16-bit floats in device memory, one block for each rank, on more than one rank";
                    } + "; PULL takes any)");
        }
    }

    /** Collective: the plan of an algorithm that has a way. */
    MatrixPlan plan(MatrixAlgorithm algorithm) {
        return switch (algorithm) {
            case PULL -> new PulledProduct(this);
            case REDUCE -> isPassedOn() ? new PassedProduct(this) : new ReducedProduct(this);
            case SUMMA -> new GridProduct(this);
            case CANNON -> new ShiftedProduct(this);
        };
    }

    // ---- costs

    /**
     * The one that moves fewer elements of the member that moves most; the reproducible one if they are alike. SUMMA reads as
     * much as PULL: the one that calls the library less often, for larger products.
     */
    MatrixAlgorithm choose() {
        if (isReducible() && reduced() < pulled()) {
            return MatrixAlgorithm.REDUCE;
        }
        return isOnGrid() && productsOfGrid() < productsOfPull() ? MatrixAlgorithm.SUMMA : MatrixAlgorithm.PULL;
    }

    String explain() {
        String grid = isOnGrid() ? String.format(Locale.ROOT, "; summa reads as much as pull in %d products for %d",
                productsOfGrid(), productsOfPull()) : "";
        return String.format(Locale.ROOT, "%s: pull reads %d bytes a rank, reduce moves %d (at most, of the largest share; what is"
                + " %s)%s", choose().name().toLowerCase(Locale.ROOT), pulled(), reduced(),
                isPassedOn() ? "passed on counts once" : "added counts twice", grid);
    }

    private long pulled() {
        Team team = c.team();
        MatrixView result = MatrixView.of(c);
        long most = 0;
        for (int member = 0; member < team.ranks(); member++) {
            long rows = result.lengthOn(member, 0);
            long columns = result.lengthOn(member, 1);
            if (rows > 0 && columns > 0) {
                long own = both(result, a, member, 0) * a.lengthOn(member, 1)
                        + b.lengthOn(member, 0) * both(result, b, member, 1);
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
                long own = within(a, member, 1, share) * a.lengthOn(member, 0)
                        + within(b, member, 0, share) * b.lengthOn(member, 1);
                long read = share.length() * (c.length(0) + c.length(1)) - own;
                long others = c.length(0) * c.length(1)
                        - c.distribution().lengthOn(member, 0) * c.distribution().lengthOn(member, 1);
                most = Math.max(most, a.type().bytes(read) + (isPassedOn() ? 1 : COST_OF_ADDING) * c.type().bytes(others));
            }
        }
        return most;
    }

    /** Products by PULL of the first member: of each run of its rows with each of its columns, in each panel. */
    private long productsOfPull() {
        List<Range> panels = PulledPanel.cut(Range.of(0, inner()), PulledProduct.MAX_WIDTH, a.axis(1), b.axis(0));
        return panels.size() * runs(c.distribution().axis(0)) * runs(c.distribution().axis(1));
    }

    private static long runs(Axis axis) {
        return axis.ranks() == 1 ? 1 : Math.ceilDiv(axis.maxLength(), axis.block());
    }

    private long productsOfGrid() {
        long products = 0;
        for (int column = 0; column < a.axis(1).ranks(); column++) {
            for (int row = 0; row < b.axis(0).ranks(); row++) {
                products += GridPanel.cut(inner(this, column, row), GridPanel.MAX_WIDTH).size();
            }
        }
        return products;
    }

    /** Inner indices that are in a column of a's grid and in a row of b's: places in a and in b. */
    static List<Overlap> inner(MatrixProduct product, int columnOfA, int rowOfB) {
        return Overlap.of(new Overlap.Side(product.a.axis(1), columnOfA, 0), new Overlap.Side(product.b.axis(0), rowOfB, 0),
                product.inner());
    }

    /** Number of indices of a dimension that a member owns in both matrices. */
    static long both(MatrixView x, MatrixView y, int member, int dimension) {
        if (!x.isInGrid(member) || !y.isInGrid(member)) {
            return 0;
        }
        return indices(side(x, member, dimension, 0), side(y, member, dimension, 0), x.length(dimension));
    }

    /** Number of indices of a range of a dimension that a member owns. */
    private static long within(MatrixView x, int member, int dimension, Range range) {
        if (!x.isInGrid(member)) {
            return 0;
        }
        Overlap.Side side = side(x, member, dimension, range.from());
        return indices(side, new Overlap.Side(Axis.whole(x.length(dimension)), 0, range.from()), range.length());
    }

    private static Overlap.Side side(MatrixView x, int member, int dimension, long start) {
        return new Overlap.Side(x.axis(dimension), x.coordinate(member, dimension), start);
    }

    private static long indices(Overlap.Side x, Overlap.Side y, long count) {
        return Overlap.of(x, y, count).stream().mapToLong(Overlap::count).sum();
    }
}
