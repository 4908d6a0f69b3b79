package org.pgas4j.array;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.ExceptionalExit;
import org.pgas4j.Gemm.Precision;
import org.pgas4j.GlobalDoubles;
import org.pgas4j.GlobalFloats;
import org.pgas4j.GlobalInts;
import org.pgas4j.GlobalLongs;
import org.pgas4j.Handle;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.Team;
import org.pgas4j.kernel.IndexKernel;
import org.pgas4j.kernel.IndexKernel2;
import org.pgas4j.kernel.IndexKernel3;
import org.pgas4j.kernel.IndexSpace;

/**
 * An array of 1 to {@value Distribution#MAX_DIMENSIONS} dimensions spread over a grid of ranks, in host or device memory, as in
 * Global Arrays and in Chapel's block and block-cyclic distributions. Single elements and sections are read and written
 * one-sidedly; operations on all elements are collective, with a barrier at their begin and at their end, as in Global Arrays.
 * Each rank keeps its elements with the last dimension fastest, ghost cells of a chosen width around them, at the same strides
 * on all ranks.
 *
 * <p>Elements are numbers of any type, records or booleans; {@link #add}, {@link #dot} and their like take numbers: those of HALF
 * and BFLOAT16 are computed as floats and rounded once. Elements and ghost cells are not set at first. Used by the rank's thread.
 */
public final class GlobalArray implements AutoCloseable {

    private final Rank owner;
    private final Team team;
    private final ArrayElement element;
    private final Distribution distribution;
    private final long[] ghosts;
    private final long[] strides;
    private final long origin;
    private final long localCount;
    private final SharedPointer memory;
    private final SharedPointer base;
    private final Section all;
    private final GhostExchange exchange = new GhostExchange(this);
    private final MatrixPlans products = new MatrixPlans(this);
    private final Redistribution.Plans copies = new Redistribution.Plans();

    private GlobalArray(Rank owner, Team team, ArrayElement element, MemoryKind kind, Distribution distribution, long[] ghosts) {
        this.owner = owner;
        this.team = team;
        this.element = element;
        this.distribution = distribution;
        this.ghosts = ghosts;
        int dimensions = distribution.dimensions();
        this.strides = new long[dimensions];
        long stride = 1;
        long first = 0;
        for (int dimension = dimensions - 1; dimension >= 0; dimension--) {
            strides[dimension] = stride;
            first += ghosts[dimension] * stride;
            stride = Math.multiplyExact(stride, distribution.axis(dimension).maxLength() + 2 * ghosts[dimension]);
        }
        this.origin = first;
        this.localCount = stride;
        try (Scope _ = kind == MemoryKind.DEVICE ? owner.onDevice() : owner.offDevice()) {
            this.memory = TeamMemory.allocate(owner, team, Math.max(1, Math.multiplyExact(localCount, element.bytes())),
                    element.code(), kind.code(), distribution.toString().hashCode(), Arrays.hashCode(ghosts));
        }
        this.base = memory.cast(0, element.bytes());
        Range[] whole = new Range[dimensions];
        Arrays.setAll(whole, dimension -> Range.of(0, distribution.length(dimension)));
        this.all = new Section(this, whole);
    }

    /**
     * Collective over all ranks, with the same arguments: an array without ghost cells.
     *
     * @param kind of the memory
     * @throws IllegalArgumentException if the distribution needs more ranks than there are
     */
    public static GlobalArray allocate(Rank rank, ElementType type, MemoryKind kind, Distribution distribution) {
        return allocate(rank, rank.world(), type, kind, distribution);
    }

    /**
     * As {@link #allocate(Rank, ElementType, MemoryKind, Distribution)}, with ghost cells.
     *
     * @param ghosts width at both ends of each dimension, or none for 0; not 0 only where each rank has one block
     */
    public static GlobalArray allocate(Rank rank, ElementType type, MemoryKind kind, Distribution distribution, long... ghosts) {
        return allocate(rank, rank.world(), type, kind, distribution, ghosts);
    }

    /**
     * Collective over a team, with the same arguments: an array that is spread over its members and used by them alone. The
     * numbers of ranks in distributions are those of members. Memory for it is allocated on all ranks of the job.
     *
     * @param team   stays open as long as the array
     * @param ghosts as of {@link #allocate(Rank, ElementType, MemoryKind, Distribution, long...)}
     */
    public static GlobalArray allocate(Rank rank, Team team, ElementType type, MemoryKind kind, Distribution distribution,
                                       long... ghosts) {
        return allocate(rank, team, new ArrayElement.OfNumber(type), kind, distribution, ghosts);
    }

    /**
     * As {@link #allocate(Rank, ElementType, MemoryKind, Distribution, long...)}, of records, structs of a fixed size. They are
     * moved whole, as they are in memory, in buffers of BYTE; {@link #field} is a pointer to a part of one. Arithmetic does not take
     * them.
     *
     * @param record layout of an element, which follow each other at its size: one with fields of larger alignment needs padding
     *               at its end
     * @throws IllegalArgumentException also if {@code record} has no bytes
     */
    public static GlobalArray allocateRecords(Rank rank, MemoryLayout record, MemoryKind kind, Distribution distribution,
                                              long... ghosts) {
        return allocateRecords(rank, rank.world(), record, kind, distribution, ghosts);
    }

    /** As {@link #allocateRecords(Rank, MemoryLayout, MemoryKind, Distribution, long...)}, collective over a team. */
    public static GlobalArray allocateRecords(Rank rank, Team team, MemoryLayout record, MemoryKind kind,
                                              Distribution distribution, long... ghosts) {
        return allocate(rank, team, new ArrayElement.OfRecord(record), kind, distribution, ghosts);
    }

    /**
     * As {@link #allocate(Rank, ElementType, MemoryKind, Distribution, long...)}, of booleans, a byte each: 0 is false. Buffers
     * have them as BYTE; sections also take arrays of {@code boolean}. Arithmetic does not take them.
     */
    public static GlobalArray allocateBooleans(Rank rank, MemoryKind kind, Distribution distribution, long... ghosts) {
        return allocateBooleans(rank, rank.world(), kind, distribution, ghosts);
    }

    /** As {@link #allocateBooleans(Rank, MemoryKind, Distribution, long...)}, collective over a team. */
    public static GlobalArray allocateBooleans(Rank rank, Team team, MemoryKind kind, Distribution distribution,
                                               long... ghosts) {
        return allocate(rank, team, new ArrayElement.OfBoolean(), kind, distribution, ghosts);
    }

    private static GlobalArray allocate(Rank rank, Team team, ArrayElement element, MemoryKind kind, Distribution distribution,
                                        long... ghosts) {
        long[] widths = ghosts.length == 0 ? new long[distribution.dimensions()] : ghosts.clone();
        boolean fits = widths.length == distribution.dimensions() && distribution.ranks() <= team.ranks();
        for (int dimension = 0; fits && dimension < widths.length; dimension++) {
            fits = widths[dimension] == 0 || widths[dimension] > 0 && distribution.axis(dimension).isOneBlock();
        }
        if (!fits) {
            throw new IllegalArgumentException("global array of rank " + rank.rank() + ": " + distribution + " ghosts="
                    + Arrays.toString(ghosts) + " ranks=" + team.ranks() + " (expected: a grid of " + team.ranks()
                    + " ranks or fewer, a width for each dimension, 0 unless each rank has one block)");
        }
        return new GlobalArray(rank, team, element, kind, distribution, widths);
    }

    // ---- shape and place

    /** The rank whose view this is. */
    Rank owner() {
        return owner;
    }

    /** Ranks that the array is spread over. */
    public Team team() {
        return team;
    }

    /** Element type; BYTE of records and booleans. */
    public ElementType type() {
        return element.type();
    }

    /** Size of an element, bytes. */
    public long elementBytes() {
        return element.bytes();
    }

    ArrayElement element() {
        return element;
    }

    /**
     * Layout of an element of {@link #allocateRecords records}.
     *
     * @throws IllegalArgumentException if the elements are no records
     */
    public MemoryLayout record() {
        if (element instanceof ArrayElement.OfRecord(MemoryLayout layout)) {
            return layout;
        }
        throw new IllegalArgumentException("record of " + this + " (expected: an array of records)");
    }

    /** HOST or DEVICE. */
    public MemoryKind kind() {
        return memory.kind();
    }

    /** Distribution of the elements over the ranks. */
    public Distribution distribution() {
        return distribution;
    }

    /** Number of indices of a dimension. */
    public long length(int dimension) {
        return distribution.length(dimension);
    }

    /** Width of the ghost cells at both ends of a dimension. */
    public long ghosts(int dimension) {
        return ghosts[dimension];
    }

    /** Elements between neighbours of a dimension in each rank's memory. */
    long stride(int dimension) {
        return strides[dimension];
    }

    /** Place of a rank's first own element in its memory, in elements. */
    long origin() {
        return origin;
    }

    /** Plans of copies from this array. */
    Redistribution.Plans copies() {
        return copies;
    }

    /** Elements of each rank's memory, ghost cells included. */
    long localCount() {
        return localCount;
    }

    /** A place in the memory of a member of the team, in elements. */
    SharedPointer pointer(int rank, long place) {
        return base.onRank(team.worldRank(rank)).plus(place);
    }

    /**
     * Pointer to an element, on the rank that owns it (Global Arrays' {@code NGA_Locate} and {@code NGA_Access} in one). Its
     * arithmetic stays on that rank.
     *
     * @throws IndexOutOfBoundsException if there is no such element
     */
    public SharedPointer locate(long... index) {
        int rank = distribution.rankOf(index);
        long place = origin;
        for (int dimension = 0; dimension < index.length; dimension++) {
            place += distribution.axis(dimension).local(index[dimension]) * strides[dimension];
        }
        return pointer(rank, place);
    }

    /**
     * Pointer to a field of a record, on the rank that owns it, with the field's size as element size; indefinite block size.
     *
     * @throws IndexOutOfBoundsException if there is no such element
     * @throws IllegalArgumentException  if the elements are no records, or the path selects no field of them
     */
    public SharedPointer field(long[] index, MemoryLayout.PathElement... path) {
        MemoryLayout record = record();
        return locate(index).cast(0, 1).plus(record.byteOffset(path)).cast(0, record.select(path).byteSize());
    }

    /** This rank's elements in memory. */
    public LocalPart local() {
        long[] lengths = new long[strides.length];
        for (int dimension = 0; dimension < lengths.length; dimension++) {
            lengths[dimension] = distribution.lengthOn(team.rank(), dimension);
        }
        long buffered = localCount * (elementBytes() / type().bytes());
        return new LocalPart(owner.memory().local(base.onRank(owner.rank()), type(), buffered), elementBytes(), origin, lengths,
                strides.clone());
    }

    /** Body of {@link #forAllLocal}. */
    @FunctionalInterface
    public interface IndexBody {

        /** @param index of the element; one array for all calls */
        void at(long[] index);
    }

    /** Calls {@code body} with the index of every element of this rank, in the order of its memory. */
    public void forAllLocal(IndexBody body) {
        if (local().count() > 0) {
            visit(0, new long[strides.length], distribution.coordinates(team.rank()), body);
        }
    }

    private void visit(int dimension, long[] index, int[] coordinates, IndexBody body) {
        if (dimension == index.length) {
            body.at(index);
            return;
        }
        Axis axis = distribution.axis(dimension);
        long count = axis.lengthOn(coordinates[dimension]);
        for (long local = 0; local < count; local++) {
            index[dimension] = axis.index(coordinates[dimension], local);
            visit(dimension + 1, index, coordinates, body);
        }
    }

    // ---- kernels

    /**
     * The elements for kernels, and for the rank's thread, by their coordinates.
     *
     * @throws IllegalArgumentException if they are not of type DOUBLE, if there are more than {@value
     *                                  org.pgas4j.GlobalPlace#MAX_DIMENSIONS} dimensions, or if the ranks of the team's members are
     *                                  at irregular distances; so do all of these
     */
    public GlobalDoubles doubles() {
        return new GlobalDoubles(owner, KernelPlaces.of(this, ElementType.DOUBLE));
    }

    /** As {@link #doubles()}, of type FLOAT. */
    public GlobalFloats floats() {
        return new GlobalFloats(owner, KernelPlaces.of(this, ElementType.FLOAT));
    }

    /** As {@link #doubles()}, of type INT. */
    public GlobalInts ints() {
        return new GlobalInts(owner, KernelPlaces.of(this, ElementType.INT));
    }

    /** As {@link #doubles()}, of type LONG. */
    public GlobalLongs longs() {
        return new GlobalLongs(owner, KernelPlaces.of(this, ElementType.LONG));
    }

    /**
     * Runs {@code body} on this rank's device for every index that this rank owns, as work of {@link Rank#stream()}: an array of one
     * dimension. In the order of the rank's memory, many at once; see {@link org.pgas4j.Stream#forAll(IndexSpace, IndexKernel)}.
     * {@link #section} gives loops over a part of the array.
     */
    public void forAll(IndexKernel body) {
        all().forAll(owner.stream(), body);
    }

    /** As {@link #forAll(IndexKernel)}, of two dimensions. */
    public void forAll(IndexKernel2 body) {
        all().forAll(owner.stream(), body);
    }

    /** As {@link #forAll(IndexKernel)}, of three dimensions. */
    public void forAll(IndexKernel3 body) {
        all().forAll(owner.stream(), body);
    }

    // ---- sections

    /**
     * A box of the array.
     *
     * @throws IndexOutOfBoundsException if it is not inside
     */
    public Section section(Range... ranges) {
        return new Section(this, ranges);
    }

    /** All of the array. */
    public Section all() {
        return all;
    }

    // ---- ghost cells

    /**
     * Collective over the ranks of the array: reads the ghost cells of every rank, faces, edges and corners, from the
     * owners of their elements. Those beyond the array's ends keep their values.
     */
    public void exchangeGhosts() {
        exchangeGhosts(new boolean[strides.length]);
    }

    /**
     * As {@link #exchangeGhosts()}; beyond an end of a periodic dimension the elements of its other end follow.
     *
     * @param periodic for each dimension
     */
    public void exchangeGhosts(boolean... periodic) {
        if (periodic.length != strides.length) {
            throw new IllegalArgumentException("exchangeGhosts of " + this + ": periodic=" + Arrays.toString(periodic) + " (expected: "
                    + strides.length + " values)");
        }
        team.barrier();
        exchange.run(owner, periodic);
        team.barrier();
    }

    // ---- whole arrays

    /** Collective: copies all elements to an array of the same lengths, whatever its distribution. */
    public void copyTo(GlobalArray dst) {
        all().copyTo(dst.all());
    }

    /** Collective: copies the elements to {@code dst}, another array, with the dimensions in reverse order. */
    public void transposeTo(GlobalArray dst) {
        int[] order = new int[strides.length];
        Arrays.setAll(order, dimension -> strides.length - 1 - dimension);
        all().copyTo(dst.all(), order);
    }

    /** Collective: sets all elements, of integral types to the value's low bits. */
    public void fill(Number value) {
        requireNumbers("fill");
        team.barrier();
        Arithmetic.of(this).fill(value);
        team.barrier();
    }

    /**
     * Collective: sets all elements of an array of booleans.
     *
     * @throws IllegalArgumentException if it is none
     */
    public void fill(boolean value) {
        requireBooleans("fill");
        fill(MemorySegment.ofArray(new byte[] {(byte) (value ? 1 : 0)}));
    }

    /**
     * Collective: sets all elements, of any type, to copies of one in host memory.
     *
     * @throws IllegalArgumentException if it has another size than an element
     */
    public void fill(MemorySegment value) {
        if (value.byteSize() != elementBytes()) {
            throw new IllegalArgumentException("fill of " + this + ": the value has " + value.byteSize() + " bytes (expected: "
                    + elementBytes() + ")");
        }
        team.barrier();
        ElementFill.fill(this, value);
        team.barrier();
    }

    /** Collective: multiplies all elements by {@code factor}; those of integral types wrap around. */
    public void scale(Number factor) {
        requireNumbers("scale");
        team.barrier();
        Arithmetic.of(this).scale(factor);
        team.barrier();
    }

    /**
     * Collective: sets every element to {@code alpha * a + beta * b}. BYTE, SHORT and CHAR are computed as ints, with int
     * factors, and keep the low bits.
     *
     * @param a of this array's type, kind, distribution and ghost width, as {@code b}; either may be this array
     */
    public void add(Number alpha, GlobalArray a, Number beta, GlobalArray b) {
        requireAlike("add", a);
        requireAlike("add", b);
        team.barrier();
        Arithmetic.of(this).add(alpha, a, beta, b);
        team.barrier();
    }

    /**
     * Collective: the sum of the products of all elements; of integral types it wraps around as a long
     * and is converted. The order of additions depends on the distribution and the device alone.
     *
     * @param other of this array's type, kind, distribution and ghost width
     */
    public double dot(GlobalArray other) {
        requireAlike("dot", other);
        team.barrier();
        return Arithmetic.of(this).products(other).overRanks(team, RowMath.of(type()).isIntegral());
    }

    /**
     * Collective: starts {@link #dot}, and does not wait for other ranks. This rank's products are summed before it returns, and its
     * elements may be written again then; what other ranks write to them must be there before the call, by a barrier. Started among
     * other {@link Team#collectives() operations} of the team in the same order on all ranks.
     *
     * @param result one element of host memory, LONG for integral types and DOUBLE for others; untouched until the handle is
     *        complete
     * @return complete when {@code result} is the sum over all ranks
     */
    public Handle startDot(GlobalArray other, Buffer result) {
        requireAlike("startDot", other);
        ElementType wide = RowMath.of(type()).isIntegral() ? ElementType.LONG : ElementType.DOUBLE;
        if (result.kind() != MemoryKind.HOST || result.type() != wide || result.length() != 1) {
            throw new IllegalArgumentException("startDot of " + this + " into " + result + " (expected: one " + wide
                    + " of host memory)");
        }
        return Arithmetic.of(this).products(other).startOverRanks(team, result);
    }

    /**
     * Collective: sets this matrix to {@code alpha * a * b + beta} times itself, by the algorithm that moves less between ranks
     * ({@link #explainGemm}). The matrices may have any distributions and be in host or device memory. Sums of 16-bit floats are
     * floats. What the product needs, device memory among it, is kept for the next one of the same matrices, until this matrix is
     * multiplied from others or closed.
     *
     * @param a m x k; FLOAT, DOUBLE, HALF, BFLOAT16, or BYTE, of which this matrix is INT
     * @param b k x n, of the same type and team; this matrix is of that type, too, or FLOAT where that has 16 bits
     * @throws IllegalArgumentException if types, teams or lengths do not fit, or {@code a} or {@code b} is this matrix
     */
    public void gemm(double alpha, GlobalArray a, GlobalArray b, double beta) {
        gemm(alpha, MatrixView.of(a), MatrixView.of(b), beta);
    }

    /** Collective: the same of matrices that may be transposed. */
    public void gemm(double alpha, MatrixView a, MatrixView b, double beta) {
        Precision precision = MatrixProduct.of(a, b, this).precision();
        run(products.choose(precision, a, b), precision, alpha, a, b, beta);
    }

    /** Collective: the same by an algorithm that the program chooses, one for all ranks. */
    public void gemm(MatrixAlgorithm algorithm, double alpha, GlobalArray a, GlobalArray b, double beta) {
        MatrixView left = MatrixView.of(a);
        MatrixView right = MatrixView.of(b);
        gemm(algorithm, MatrixProduct.of(left, right, this).precision(), alpha, left, right, beta);
    }

    /**
     * Collective: the same in a precision that the program chooses: FLOAT matrices may be multiplied as TF32.
     *
     * @throws IllegalArgumentException also if the matrices are not of that precision, or the algorithm does not take them
     */
    public void gemm(MatrixAlgorithm algorithm, Precision precision, double alpha, GlobalArray a, GlobalArray b, double beta) {
        gemm(algorithm, precision, alpha, MatrixView.of(a), MatrixView.of(b), beta);
    }

    /** Collective: the same of matrices that may be transposed. */
    public void gemm(MatrixAlgorithm algorithm, Precision precision, double alpha, MatrixView a, MatrixView b, double beta) {
        run(Objects.requireNonNull(algorithm, "algorithm"), Objects.requireNonNull(precision, "precision"), alpha, a, b, beta);
    }

    /** Collective: the same by the algorithm that moves less. */
    public void gemm(Precision precision, double alpha, GlobalArray a, GlobalArray b, double beta) {
        gemm(precision, alpha, MatrixView.of(a), MatrixView.of(b), beta);
    }

    /** Collective: the same of matrices that may be transposed. */
    public void gemm(Precision precision, double alpha, MatrixView a, MatrixView b, double beta) {
        run(products.choose(Objects.requireNonNull(precision, "precision"), a, b), precision, alpha, a, b, beta);
    }

    private void run(MatrixAlgorithm algorithm, Precision precision, double alpha, MatrixView a, MatrixView b, double beta) {
        MatrixPlan plan = products.plan(algorithm, precision, a, b);
        team.barrier();
        plan.run(alpha, beta);
        team.barrier();
    }

    /** The algorithm that {@link #gemm(double, GlobalArray, GlobalArray, double)} takes, and how much each of them moves. */
    public String explainGemm(GlobalArray a, GlobalArray b) {
        return explainGemm(MatrixView.of(a), MatrixView.of(b));
    }

    /** As {@link #explainGemm(GlobalArray, GlobalArray)}, of matrices that may be transposed. */
    public String explainGemm(MatrixView a, MatrixView b) {
        return MatrixProduct.of(a, b, this).explain();
    }

    /**
     * Adds to an element and returns what it was, in one step among all ranks (Global Arrays' {@code NGA_Read_inc}); one-sided.
     *
     * @throws IllegalArgumentException  if the elements are not LONG
     * @throws IndexOutOfBoundsException if there is no such element
     */
    public long fetchAdd(long value, long... index) {
        if (type() != ElementType.LONG) {
            throw new IllegalArgumentException("fetchAdd of " + this + " (expected: elements of type LONG)");
        }
        return owner.atomics().fetchAdd(locate(index), value);
    }

    /** Refuses records and booleans. */
    void requireNumbers(String operation) {
        if (!(element instanceof ArrayElement.OfNumber)) {
            throw new IllegalArgumentException(operation + " of " + this + " (expected: elements that are numbers)");
        }
    }

    void requireBooleans(String operation) {
        if (!(element instanceof ArrayElement.OfBoolean)) {
            throw new IllegalArgumentException(operation + " of " + this + " (expected: elements that are booleans)");
        }
    }

    private void requireAlike(String operation, GlobalArray other) {
        requireNumbers(operation);
        if (!other.element.equals(element) || other.team != team || other.kind() != kind()
                || !other.distribution.equals(distribution) || !Arrays.equals(other.ghosts, ghosts)) {
            throw new IllegalArgumentException(operation + " of " + this + " and " + other
                    + " (expected: the same type, team, kind, distribution and ghost width; copyTo() changes a distribution)");
        }
    }

    /** Collective, and a barrier as well: frees the array. {@link ExceptionalExit On the way of an exception} it does nothing. */
    @Override
    public void close() {
        if (!ExceptionalExit.isTaken()) {
            products.close();
            TeamMemory.free(owner, team, memory);
        }
    }

    @Override
    public String toString() {
        return "GlobalArray[" + element + " " + kind() + " " + distribution + " ghosts=" + Arrays.toString(ghosts) + "]";
    }
}
