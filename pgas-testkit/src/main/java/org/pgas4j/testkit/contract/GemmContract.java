package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Gemm;
import org.pgas4j.Gemm.Activation;
import org.pgas4j.Gemm.Precision;
import org.pgas4j.Rank;
import org.pgas4j.testkit.program.Tally;

/**
 * Products of matrices in every precision, transposed and not, with gaps, factors, bias and activation, against a triple loop.
 * Elements are small whole numbers, so that all sums are exact and the results equal bit for bit, but for GELU, and for 16-bit
 * results that are added to c.
 */
final class GemmContract extends Contract {

    private static final int[][] SHAPES = {{1, 1, 1}, {4, 8, 4}, {36, 20, 44}, {64, 32, 16}, {5, 3, 0}, {3, 5, 7},
        {33, 65, 17}, {1, 19, 2}};
    private static final int LARGEST = 8;
    private static final int MAX_TEXT = 200;
    private static final double GELU_TOLERANCE = 0.02;

    /** The elements of a matrix as one precision keeps them. */
    private record Form(Precision precision, ElementType type, int bytes) {

        static Form input(Precision precision) {
            return new Form(precision, precision.inputType(), precision.inputBytes());
        }

        static Form result(Precision precision, boolean wide) {
            ElementType type = wide ? ElementType.FLOAT : precision.resultType();
            return new Form(precision, type, precision.resultBytes(type));
        }

        double get(MemorySegment memory, long at) {
            return switch (type) {
                case DOUBLE -> memory.get(ElementType.LAYOUT_DOUBLE, at * bytes);
                case FLOAT -> memory.get(ElementType.LAYOUT_FLOAT, at * bytes);
                case INT -> memory.get(ElementType.LAYOUT_INT, at * bytes);
                default -> bytes == 1 ? memory.get(ValueLayout.JAVA_BYTE, at) : small(memory.get(ElementType.LAYOUT_SHORT,
                        at * bytes));
            };
        }

        /**
         * Largest distance of 16-bit floats from their neighbours, relative: where something is added to c, a library may round
         * the product before as well as the sum. Of others 0: the elements here are exact.
         */
        static double spacing(Precision precision) {
            return switch (precision) {
                case HALF -> 0x1p-10;
                case BFLOAT16 -> 0x1p-7;
                default -> 0;
            };
        }

        private double small(short bits) {
            return precision.inputType().toFloat(bits);
        }

        void set(MemorySegment memory, long at, double value) {
            switch (type) {
                case DOUBLE -> memory.set(ElementType.LAYOUT_DOUBLE, at * bytes, value);
                case FLOAT -> memory.set(ElementType.LAYOUT_FLOAT, at * bytes, (float) value);
                case INT -> memory.set(ElementType.LAYOUT_INT, at * bytes, (int) value);
                default -> {
                    if (bytes == 1) {
                        memory.set(ValueLayout.JAVA_BYTE, at, (byte) value);
                    } else {
                        memory.set(ElementType.LAYOUT_SHORT, at * bytes, precision.inputType().toBits((float) value));
                    }
                }
            }
        }

        /** The value as it is after it was kept. */
        double rounded(double value) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment element = arena.allocate(bytes, bytes);
                set(element, 0, value);
                return get(element, 0);
            }
        }
    }

    /** A matrix on the device and its elements as they were sent there. */
    private final class Matrix implements AutoCloseable {

        private final Form form;
        private final double[] values;
        private final Buffer buffer;

        Matrix(Form form, long elements, Random random) {
            this.form = form;
            this.values = new double[Math.toIntExact(elements)];
            this.buffer = rank.device().alloc(form.type, elements * form.bytes / form.type.bytes());
            fill(random);
        }

        /** New elements in the same memory. */
        void fill(Random random) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment host = arena.allocate(Math.max(1, (long) values.length * form.bytes), 8);
                for (int i = 0; i < values.length; i++) {
                    values[i] = random.nextInt(-LARGEST, LARGEST + 1);
                    form.set(host, i, values[i]);
                }
                rank.stream().copy(buffer, Buffer.ofHost(host.asSlice(0, (long) values.length * form.bytes), form.type));
                rank.stream().sync();
            }
        }

        double[] read() {
            double[] seen = new double[values.length];
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment host = arena.allocate((long) seen.length * form.bytes, 8);
                rank.stream().copy(Buffer.ofHost(host, form.type), buffer);
                rank.stream().sync();
                for (int i = 0; i < seen.length; i++) {
                    seen[i] = form.get(host, i);
                }
            }
            return seen;
        }

        @Override
        public void close() {
            buffer.close();
        }
    }

    GemmContract(Rank rank, Tally check) {
        super(rank, check);
    }

    @Override
    void run() {
        for (Precision precision : Precision.values()) {
            for (boolean wide : precision.is16Bit() ? new boolean[] {false, true} : new boolean[] {false}) {
                for (int[] shape : SHAPES) {
                    forms(Gemm.of(precision, shape[0], shape[1], shape[2]), wide);
                }
            }
            repeated(Gemm.of(precision, 20, 12, 4).factors(1, 1));
        }
        refusals();
    }

    private void forms(Gemm gemm, boolean wide) {
        compare(gemm, wide);
        compare(gemm.transposeA().factors(2, 0), wide);
        compare(gemm.transposeB().factors(-1, 1), wide);
        compare(gemm.transposeA().transposeB(), wide);
        compare(gemm.factors(1, 2).leading(4 * Math.ceilDiv(gemm.m(), 4L) + 4, 4 * Math.ceilDiv(gemm.k(), 4L) + 8, gemm.m() + 3),
                wide);
        if (gemm.precision() != Precision.INT8) {
            for (Activation activation : Activation.values()) {
                compare(gemm.then(activation), wide);
            }
            Form form = Form.result(gemm.precision(), wide);
            try (Matrix bias = new Matrix(form, gemm.m(), new Random(rank.rank()))) {
                compare(gemm.plus(bias.buffer).then(Activation.RELU), bias, wide);
            }
        }
    }

    /** The same product again and again in the same memory, which holds other elements each time but the first few. */
    private void repeated(Gemm gemm) {
        Random random = new Random(rank.rank());
        Form input = Form.input(gemm.precision());
        try (Matrix a = new Matrix(input, gemm.lda() * gemm.columnsA(), random);
                Matrix b = new Matrix(input, gemm.ldb() * gemm.columnsB(), random);
                Matrix c = new Matrix(Form.result(gemm.precision(), gemm.precision().is16Bit()), gemm.ldc() * gemm.n(), random)) {
            for (int times : new int[] {4, 1, 1}) {
                for (int i = 0; i < times; i++) {
                    rank.stream().gemm(gemm, a.buffer, b.buffer, c.buffer);
                }
                double[] expected = expected(gemm.factors(times, 1), a.values, b.values, c, null, false);
                check.same("", difference(c.read(), expected, expected, 0),
                        gemm + " " + times + " times in the same memory: wrong elements");
                a.fill(random);
                c.fill(random);
            }
        }
    }

    /** Elements that differ, as text, beside their exact values; {@code tolerance} is relative. */
    private static String difference(double[] seen, double[] expected, double[] exact, double tolerance) {
        StringBuilder wrong = new StringBuilder();
        for (int i = 0; i < seen.length && wrong.length() < MAX_TEXT; i++) {
            if (!(Math.abs(seen[i] - expected[i]) <= tolerance * Math.max(1, Math.abs(expected[i])))) {
                wrong.append(i).append(" is ").append(seen[i]).append(", not ").append(exact[i]).append("; ");
            }
        }
        return wrong.toString();
    }

    private void compare(Gemm gemm, boolean wide) {
        compare(gemm, null, wide);
    }

    private void compare(Gemm gemm, Matrix bias, boolean wide) {
        Random random = new Random(gemm.m() * 31 + gemm.n() * 17 + gemm.k() + rank.rank());
        Form input = Form.input(gemm.precision());
        try (Matrix a = new Matrix(input, gemm.lda() * gemm.columnsA(), random);
                Matrix b = new Matrix(input, gemm.ldb() * gemm.columnsB(), random);
                Matrix c = new Matrix(Form.result(gemm.precision(), wide), gemm.ldc() * gemm.n(), random)) {
            rank.stream().gemm(gemm, a.buffer, b.buffer, c.buffer);
            double[] seen = c.read();
            double[] expected = expected(gemm, a.values, b.values, c, bias, true);
            double[] exact = expected(gemm, a.values, b.values, c, bias, false);
            double tolerance = gemm.activation() == Activation.GELU ? GELU_TOLERANCE
                    : gemm.beta() != 0 && !wide ? Form.spacing(gemm.precision()) : 0;
            check.same("", difference(seen, expected, exact, tolerance),
                    gemm + (wide ? " to floats" : "") + " transposed=" + gemm.transposedA() + ","
                    + gemm.transposedB() + " factors=" + gemm.alpha() + "," + gemm.beta() + " ldc=" + gemm.ldc() + " activation=" + gemm.activation()
                    + " bias=" + (bias != null) + ": wrong elements");
        }
    }

    private static double[] expected(Gemm gemm, double[] a, double[] b, Matrix c, Matrix bias, boolean rounded) {
        double[] expected = c.values.clone();
        for (int column = 0; column < gemm.n(); column++) {
            for (int row = 0; row < gemm.m(); row++) {
                double sum = 0;
                for (int inner = 0; inner < gemm.k(); inner++) {
                    sum += a[(int) (gemm.transposedA() ? row * gemm.lda() + inner : inner * gemm.lda() + row)]
                            * b[(int) (gemm.transposedB() ? inner * gemm.ldb() + column : column * gemm.ldb() + inner)];
                }
                int at = (int) (column * gemm.ldc() + row);
                double exact = gemm.alpha() * sum + (gemm.beta() == 0 ? 0 : gemm.beta() * c.values[at]);
                double value = rounded ? c.form.rounded(exact) : exact;
                double last = activated(gemm.activation(), value + (bias == null ? 0 : bias.values[row]));
                expected[at] = rounded ? c.form.rounded(last) : last;
            }
        }
        return expected;
    }

    private static double activated(Activation activation, double x) {
        return switch (activation) {
            case NONE -> x;
            case RELU -> Math.max(0, x);
            case GELU -> x / 2 * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x)));
        };
    }

    private void refusals() {
        try (Buffer floats = rank.device().allocFloats(16); Buffer bytes = rank.device().alloc(ElementType.BYTE, 32)) {
            check.refuses(IllegalArgumentException.class, "gemm of HALF: a=FLOAT", () -> rank.stream().gemm(
                    Gemm.of(Precision.HALF, 4, 4, 4), floats, bytes, bytes), "floats as 16-bit floats");
            check.refuses(IllegalArgumentException.class, "c does not fit: 4 x 5", () -> rank.stream().gemm(
                    Gemm.of(Precision.BFLOAT16, 4, 5, 1), bytes, bytes, bytes), "too small a result");
            check.refuses(IllegalArgumentException.class, "bias does not fit", () -> rank.stream().gemm(
                    Gemm.of(Precision.HALF, 4, 4, 1).plus(floats), bytes, bytes, bytes), "a bias of another type");
            check.refuses(IllegalArgumentException.class, "whole factors", () -> Gemm.of(Precision.INT8, 1, 1, 1).factors(0.5, 0),
                    "half a factor of bytes");
        }
        overlaps();
    }

    /** Blocks of one array of 8 rows: the result may lie between the operands' columns, not in them. */
    private void overlaps() {
        Gemm gemm = Gemm.of(Precision.FLOAT, 4, 4, 4).leading(8, 8, 8).factors(1, 1);
        try (Buffer array = rank.device().allocFloats(64); Buffer other = rank.device().allocFloats(32)) {
            Buffer upper = array.slice(0, 28);
            rank.stream().fill(array, 0);
            rank.stream().gemm(gemm, upper, array.slice(32, 28), array.slice(4, 28));
            rank.stream().sync();
            check.refuses(IllegalArgumentException.class, "c is in the memory of a: column 0", () -> rank.stream().gemm(
                    gemm, upper, other, upper), "a result in the place of a");
            check.refuses(IllegalArgumentException.class, "c is in the memory of b: column 0", () -> rank.stream().gemm(
                    gemm, other, array.slice(3, 28), array.slice(4, 28)), "a result that begins within a column of b");
            check.refuses(IllegalArgumentException.class, "c is in the memory of a: column 0 of", () -> rank.stream().gemm(
                    gemm.leading(4, 8, 8), array.slice(28, 16), other, array.slice(36, 28)), "a result among columns of a");
        }
    }
}
