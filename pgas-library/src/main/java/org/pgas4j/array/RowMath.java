package org.pgas4j.array;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.ReduceOp;
import org.pgas4j.Team;

/**
 * Loops over rows of contiguous elements, a class for each type, so that the compiler can vectorise them. Places count elements.
 */
abstract sealed class RowMath {

    /** A sum of products, in the wider of the two types. */
    static final class Sum {

        double real;
        long integral;

        /** The sum of all ranks' sums; collective. */
        double overRanks(Team team, boolean isIntegral) {
            return isIntegral ? team.collectives().allReduce(integral, ReduceOp.SUM)
                    : team.collectives().allReduce(real, ReduceOp.SUM);
        }

        /** Starts to sum up those of all ranks into an element of LONG or DOUBLE. */
        Handle startOverRanks(Team team, Buffer result) {
            MemorySegment own = result.type() == ElementType.LONG ? MemorySegment.ofArray(new long[] {integral})
                    : MemorySegment.ofArray(new double[] {real});
            return team.collectives().nonBlocking().allReduce(result, Buffer.ofHost(own, result.type()), ReduceOp.SUM);
        }
    }

    /** The loops for a type. */
    static RowMath of(ElementType type) {
        return switch (type) {
            case INT -> new Ints();
            case LONG -> new Longs();
            case FLOAT -> new Floats();
            case DOUBLE -> new Doubles();
            case HALF, BFLOAT16 -> new Halves(type);
            case BYTE -> new Bytes();
            case SHORT, CHAR -> new Shorts(type == ElementType.SHORT);
        };
    }

    /** True if sums are {@link Sum#integral}. */
    abstract boolean isIntegral();

    /** The number as kernels take it. */
    abstract Object scalar(Number value);

    abstract void fill(MemorySegment c, long at, long length, Number value);

    abstract void scale(MemorySegment c, long at, long length, Number factor);

    abstract void add(MemorySegment c, MemorySegment a, MemorySegment b, long at, long length, Number alpha, Number beta);

    abstract void dot(MemorySegment a, MemorySegment b, long at, long length, Sum sum);

    /** Integers of up to 32 bits: computed as ints, of which elements keep the low bits; sums of products are longs. */
    private abstract static sealed class UpToInts extends RowMath {

        @Override
        boolean isIntegral() {
            return true;
        }

        @Override
        Object scalar(Number value) {
            return value.intValue();
        }
    }

    private static final class Bytes extends UpToInts {

        @Override
        void fill(MemorySegment c, long at, long length, Number value) {
            c.asSlice(at, length).fill(value.byteValue());
        }

        @Override
        void scale(MemorySegment c, long at, long length, Number factor) {
            int x = factor.intValue();
            for (long i = at; i < at + length; i++) {
                c.set(ValueLayout.JAVA_BYTE, i, (byte) (x * c.get(ValueLayout.JAVA_BYTE, i)));
            }
        }

        @Override
        void add(MemorySegment c, MemorySegment a, MemorySegment b, long at, long length, Number alpha, Number beta) {
            int x = alpha.intValue();
            int y = beta.intValue();
            for (long i = at; i < at + length; i++) {
                c.set(ValueLayout.JAVA_BYTE, i,
                        (byte) (x * a.get(ValueLayout.JAVA_BYTE, i) + y * b.get(ValueLayout.JAVA_BYTE, i)));
            }
        }

        @Override
        void dot(MemorySegment a, MemorySegment b, long at, long length, Sum sum) {
            long total = 0;
            for (long i = at; i < at + length; i++) {
                total += a.get(ValueLayout.JAVA_BYTE, i) * b.get(ValueLayout.JAVA_BYTE, i);
            }
            sum.integral += total;
        }
    }

    /** Integers of 16 bits; sums and products have the same low bits with and without a sign. */
    private static final class Shorts extends UpToInts {

        private final boolean signed;

        Shorts(boolean signed) {
            this.signed = signed;
        }

        @Override
        void fill(MemorySegment c, long at, long length, Number value) {
            short x = (short) value.intValue();
            for (long i = at; i < at + length; i++) {
                c.setAtIndex(ElementType.LAYOUT_SHORT, i, x);
            }
        }

        @Override
        void scale(MemorySegment c, long at, long length, Number factor) {
            int x = factor.intValue();
            for (long i = at; i < at + length; i++) {
                c.setAtIndex(ElementType.LAYOUT_SHORT, i, (short) (x * c.getAtIndex(ElementType.LAYOUT_SHORT, i)));
            }
        }

        @Override
        void add(MemorySegment c, MemorySegment a, MemorySegment b, long at, long length, Number alpha, Number beta) {
            int x = alpha.intValue();
            int y = beta.intValue();
            for (long i = at; i < at + length; i++) {
                c.setAtIndex(ElementType.LAYOUT_SHORT, i, (short) (x * a.getAtIndex(ElementType.LAYOUT_SHORT, i)
                        + y * b.getAtIndex(ElementType.LAYOUT_SHORT, i)));
            }
        }

        @Override
        void dot(MemorySegment a, MemorySegment b, long at, long length, Sum sum) {
            sum.integral += signed ? dotSigned(a, b, at, length) : dotUnsigned(a, b, at, length);
        }

        private static long dotSigned(MemorySegment a, MemorySegment b, long at, long length) {
            long total = 0;
            for (long i = at; i < at + length; i++) {
                total += a.getAtIndex(ElementType.LAYOUT_SHORT, i) * b.getAtIndex(ElementType.LAYOUT_SHORT, i);
            }
            return total;
        }

        private static long dotUnsigned(MemorySegment a, MemorySegment b, long at, long length) {
            long total = 0;
            for (long i = at; i < at + length; i++) {
                total += (long) (char) a.getAtIndex(ElementType.LAYOUT_SHORT, i)
                        * (char) b.getAtIndex(ElementType.LAYOUT_SHORT, i);
            }
            return total;
        }
    }

    private static final class Ints extends UpToInts {

        @Override
        void fill(MemorySegment c, long at, long length, Number value) {
            int x = value.intValue();
            for (long i = at; i < at + length; i++) {
                c.setAtIndex(ElementType.LAYOUT_INT, i, x);
            }
        }

        @Override
        void scale(MemorySegment c, long at, long length, Number factor) {
            int x = factor.intValue();
            for (long i = at; i < at + length; i++) {
                c.setAtIndex(ElementType.LAYOUT_INT, i, x * c.getAtIndex(ElementType.LAYOUT_INT, i));
            }
        }

        @Override
        void add(MemorySegment c, MemorySegment a, MemorySegment b, long at, long length, Number alpha, Number beta) {
            int x = alpha.intValue();
            int y = beta.intValue();
            for (long i = at; i < at + length; i++) {
                c.setAtIndex(ElementType.LAYOUT_INT, i, x * a.getAtIndex(ElementType.LAYOUT_INT, i)
                        + y * b.getAtIndex(ElementType.LAYOUT_INT, i));
            }
        }

        @Override
        void dot(MemorySegment a, MemorySegment b, long at, long length, Sum sum) {
            long total = 0;
            for (long i = at; i < at + length; i++) {
                total += (long) a.getAtIndex(ElementType.LAYOUT_INT, i) * b.getAtIndex(ElementType.LAYOUT_INT, i);
            }
            sum.integral += total;
        }
    }

    private static final class Longs extends RowMath {

        @Override
        boolean isIntegral() {
            return true;
        }

        @Override
        Object scalar(Number value) {
            return value.longValue();
        }

        @Override
        void fill(MemorySegment c, long at, long length, Number value) {
            long x = value.longValue();
            for (long i = at; i < at + length; i++) {
                c.setAtIndex(ElementType.LAYOUT_LONG, i, x);
            }
        }

        @Override
        void scale(MemorySegment c, long at, long length, Number factor) {
            long x = factor.longValue();
            for (long i = at; i < at + length; i++) {
                c.setAtIndex(ElementType.LAYOUT_LONG, i, x * c.getAtIndex(ElementType.LAYOUT_LONG, i));
            }
        }

        @Override
        void add(MemorySegment c, MemorySegment a, MemorySegment b, long at, long length, Number alpha, Number beta) {
            long x = alpha.longValue();
            long y = beta.longValue();
            for (long i = at; i < at + length; i++) {
                c.setAtIndex(ElementType.LAYOUT_LONG, i, x * a.getAtIndex(ElementType.LAYOUT_LONG, i)
                        + y * b.getAtIndex(ElementType.LAYOUT_LONG, i));
            }
        }

        @Override
        void dot(MemorySegment a, MemorySegment b, long at, long length, Sum sum) {
            long total = 0;
            for (long i = at; i < at + length; i++) {
                total += a.getAtIndex(ElementType.LAYOUT_LONG, i) * b.getAtIndex(ElementType.LAYOUT_LONG, i);
            }
            sum.integral += total;
        }
    }

    private static final class Floats extends RowMath {

        @Override
        boolean isIntegral() {
            return false;
        }

        @Override
        Object scalar(Number value) {
            return value.floatValue();
        }

        @Override
        void fill(MemorySegment c, long at, long length, Number value) {
            float x = value.floatValue();
            for (long i = at; i < at + length; i++) {
                c.setAtIndex(ElementType.LAYOUT_FLOAT, i, x);
            }
        }

        @Override
        void scale(MemorySegment c, long at, long length, Number factor) {
            float x = factor.floatValue();
            for (long i = at; i < at + length; i++) {
                c.setAtIndex(ElementType.LAYOUT_FLOAT, i, x * c.getAtIndex(ElementType.LAYOUT_FLOAT, i));
            }
        }

        @Override
        void add(MemorySegment c, MemorySegment a, MemorySegment b, long at, long length, Number alpha, Number beta) {
            float x = alpha.floatValue();
            float y = beta.floatValue();
            for (long i = at; i < at + length; i++) {
                c.setAtIndex(ElementType.LAYOUT_FLOAT, i, x * a.getAtIndex(ElementType.LAYOUT_FLOAT, i)
                        + y * b.getAtIndex(ElementType.LAYOUT_FLOAT, i));
            }
        }

        @Override
        void dot(MemorySegment a, MemorySegment b, long at, long length, Sum sum) {
            double total = 0;
            for (long i = at; i < at + length; i++) {
                total += (double) a.getAtIndex(ElementType.LAYOUT_FLOAT, i) * b.getAtIndex(ElementType.LAYOUT_FLOAT, i);
            }
            sum.real += total;
        }
    }

    /** Elements of 16 bits, computed as floats and rounded once; sums of products are doubles. */
    private static final class Halves extends RowMath {

        private final ElementType type;

        Halves(ElementType type) {
            this.type = type;
        }

        @Override
        boolean isIntegral() {
            return false;
        }

        @Override
        Object scalar(Number value) {
            return value.floatValue();
        }

        private float get(MemorySegment memory, long at) {
            return type.toFloat(memory.getAtIndex(ElementType.LAYOUT_SHORT, at));
        }

        @Override
        void fill(MemorySegment c, long at, long length, Number value) {
            short x = type.toBits(value.floatValue());
            for (long i = at; i < at + length; i++) {
                c.setAtIndex(ElementType.LAYOUT_SHORT, i, x);
            }
        }

        @Override
        void scale(MemorySegment c, long at, long length, Number factor) {
            float x = factor.floatValue();
            for (long i = at; i < at + length; i++) {
                c.setAtIndex(ElementType.LAYOUT_SHORT, i, type.toBits(x * get(c, i)));
            }
        }

        @Override
        void add(MemorySegment c, MemorySegment a, MemorySegment b, long at, long length, Number alpha, Number beta) {
            float x = alpha.floatValue();
            float y = beta.floatValue();
            for (long i = at; i < at + length; i++) {
                c.setAtIndex(ElementType.LAYOUT_SHORT, i, type.toBits(x * get(a, i) + y * get(b, i)));
            }
        }

        @Override
        void dot(MemorySegment a, MemorySegment b, long at, long length, Sum sum) {
            double total = 0;
            for (long i = at; i < at + length; i++) {
                total += (double) get(a, i) * get(b, i);
            }
            sum.real += total;
        }
    }

    private static final class Doubles extends RowMath {

        @Override
        boolean isIntegral() {
            return false;
        }

        @Override
        Object scalar(Number value) {
            return value.doubleValue();
        }

        @Override
        void fill(MemorySegment c, long at, long length, Number value) {
            double x = value.doubleValue();
            for (long i = at; i < at + length; i++) {
                c.setAtIndex(ElementType.LAYOUT_DOUBLE, i, x);
            }
        }

        @Override
        void scale(MemorySegment c, long at, long length, Number factor) {
            double x = factor.doubleValue();
            for (long i = at; i < at + length; i++) {
                c.setAtIndex(ElementType.LAYOUT_DOUBLE, i, x * c.getAtIndex(ElementType.LAYOUT_DOUBLE, i));
            }
        }

        @Override
        void add(MemorySegment c, MemorySegment a, MemorySegment b, long at, long length, Number alpha, Number beta) {
            double x = alpha.doubleValue();
            double y = beta.doubleValue();
            for (long i = at; i < at + length; i++) {
                c.setAtIndex(ElementType.LAYOUT_DOUBLE, i, x * a.getAtIndex(ElementType.LAYOUT_DOUBLE, i)
                        + y * b.getAtIndex(ElementType.LAYOUT_DOUBLE, i));
            }
        }

        @Override
        void dot(MemorySegment a, MemorySegment b, long at, long length, Sum sum) {
            double total = 0;
            for (long i = at; i < at + length; i++) {
                total += a.getAtIndex(ElementType.LAYOUT_DOUBLE, i) * b.getAtIndex(ElementType.LAYOUT_DOUBLE, i);
            }
            sum.real += total;
        }
    }
}
