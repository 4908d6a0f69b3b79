package org.pgas4j.collective;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.ElementType;
import org.pgas4j.ReduceOp;
import org.pgas4j.Reduction;

/**
 * Blocks of elements that are combined with each other: Java arrays, whose loops the compiler vectorises, which it does not
 * do for memory segments that may overlap. Copies to and from them stay in the first-level cache. Used by one thread.
 */
abstract class Accumulators {

    private final int count;
    private final int blockBytes;

    Accumulators(int count, int blockBytes) {
        this.count = count;
        this.blockBytes = blockBytes;
    }

    /** Number of blocks. */
    final int count() {
        return count;
    }

    /** Size of each. */
    final int blockBytes() {
        return blockBytes;
    }

    /** Makes {@code count} blocks of up to {@code bytes} bytes. */
    static Accumulators of(ElementType type, int count, int bytes) {
        int length = bytes / type.bytes();
        return switch (type) {
            case BYTE -> new Bytes(count, length);
            case INT -> new Ints(count, length);
            case LONG -> new Longs(count, length);
            case FLOAT -> new Floats(count, length);
            case DOUBLE -> new Doubles(count, length);
            case SHORT, CHAR -> new ShortAccumulators(type, count, length);
            case HALF, BFLOAT16 -> new HalfAccumulators(type, count, length);
        };
    }

    /** Copies {@code n} elements into a block. */
    abstract void load(int block, MemorySegment from, long offset, int n);

    /** {@code into[i] = from[first + i * step]} for {@code n} elements. */
    abstract void gather(int into, int from, int first, int n, int step);

    /** Copies {@code n} elements out of a block. */
    abstract void store(int block, MemorySegment to, long offset, int n);

    /** {@code into[i] = into[i] op from[i]} for {@code n} elements. */
    abstract void combine(int into, int from, int n, Reduction op);

    private static final class Doubles extends Accumulators {

        private final double[][] blocks;

        Doubles(int count, int length) {
            super(count, length * Double.BYTES);
            blocks = new double[count][length];
        }

        @Override
        void load(int block, MemorySegment from, long offset, int n) {
            MemorySegment.copy(from, ElementType.LAYOUT_DOUBLE, offset, blocks[block], 0, n);
        }

        @Override
        void gather(int into, int from, int first, int n, int step) {
            double[] a = blocks[into];
            double[] b = blocks[from];
            for (int i = 0; i < n; i++) {
                a[i] = b[first + i * step];
            }
        }

        @Override
        void store(int block, MemorySegment to, long offset, int n) {
            MemorySegment.copy(blocks[block], 0, to, ElementType.LAYOUT_DOUBLE, offset, n);
        }

        @Override
        void combine(int into, int from, int n, Reduction op) {
            double[] a = blocks[into];
            double[] b = blocks[from];
            switch (op) {
                case ReduceOp.SUM -> {
                    for (int i = 0; i < n; i++) {
                        a[i] += b[i];
                    }
                }
                case ReduceOp.PRODUCT -> {
                    for (int i = 0; i < n; i++) {
                        a[i] *= b[i];
                    }
                }
                case ReduceOp.MIN -> {
                    for (int i = 0; i < n; i++) {
                        a[i] = Math.min(a[i], b[i]);
                    }
                }
                case ReduceOp.MAX -> {
                    for (int i = 0; i < n; i++) {
                        a[i] = Math.max(a[i], b[i]);
                    }
                }
                default -> {
                    for (int i = 0; i < n; i++) {
                        a[i] = op.apply(a[i], b[i]);
                    }
                }
            }
        }
    }

    private static final class Floats extends Accumulators {

        private final float[][] blocks;

        Floats(int count, int length) {
            super(count, length * Float.BYTES);
            blocks = new float[count][length];
        }

        @Override
        void load(int block, MemorySegment from, long offset, int n) {
            MemorySegment.copy(from, ElementType.LAYOUT_FLOAT, offset, blocks[block], 0, n);
        }

        @Override
        void gather(int into, int from, int first, int n, int step) {
            float[] a = blocks[into];
            float[] b = blocks[from];
            for (int i = 0; i < n; i++) {
                a[i] = b[first + i * step];
            }
        }

        @Override
        void store(int block, MemorySegment to, long offset, int n) {
            MemorySegment.copy(blocks[block], 0, to, ElementType.LAYOUT_FLOAT, offset, n);
        }

        @Override
        void combine(int into, int from, int n, Reduction op) {
            float[] a = blocks[into];
            float[] b = blocks[from];
            switch (op) {
                case ReduceOp.SUM -> {
                    for (int i = 0; i < n; i++) {
                        a[i] += b[i];
                    }
                }
                case ReduceOp.PRODUCT -> {
                    for (int i = 0; i < n; i++) {
                        a[i] *= b[i];
                    }
                }
                case ReduceOp.MIN -> {
                    for (int i = 0; i < n; i++) {
                        a[i] = Math.min(a[i], b[i]);
                    }
                }
                case ReduceOp.MAX -> {
                    for (int i = 0; i < n; i++) {
                        a[i] = Math.max(a[i], b[i]);
                    }
                }
                default -> {
                    for (int i = 0; i < n; i++) {
                        a[i] = (float) op.apply((double) a[i], (double) b[i]);
                    }
                }
            }
        }
    }

    private static final class Longs extends Accumulators {

        private final long[][] blocks;

        Longs(int count, int length) {
            super(count, length * Long.BYTES);
            blocks = new long[count][length];
        }

        @Override
        void load(int block, MemorySegment from, long offset, int n) {
            MemorySegment.copy(from, ElementType.LAYOUT_LONG, offset, blocks[block], 0, n);
        }

        @Override
        void gather(int into, int from, int first, int n, int step) {
            long[] a = blocks[into];
            long[] b = blocks[from];
            for (int i = 0; i < n; i++) {
                a[i] = b[first + i * step];
            }
        }

        @Override
        void store(int block, MemorySegment to, long offset, int n) {
            MemorySegment.copy(blocks[block], 0, to, ElementType.LAYOUT_LONG, offset, n);
        }

        @Override
        void combine(int into, int from, int n, Reduction op) {
            long[] a = blocks[into];
            long[] b = blocks[from];
            switch (op) {
                case ReduceOp.SUM -> {
                    for (int i = 0; i < n; i++) {
                        a[i] += b[i];
                    }
                }
                case ReduceOp.MIN -> {
                    for (int i = 0; i < n; i++) {
                        a[i] = Math.min(a[i], b[i]);
                    }
                }
                case ReduceOp.MAX -> {
                    for (int i = 0; i < n; i++) {
                        a[i] = Math.max(a[i], b[i]);
                    }
                }
                case ReduceOp.AND -> {
                    for (int i = 0; i < n; i++) {
                        a[i] &= b[i];
                    }
                }
                case ReduceOp.OR -> {
                    for (int i = 0; i < n; i++) {
                        a[i] |= b[i];
                    }
                }
                case ReduceOp.XOR -> {
                    for (int i = 0; i < n; i++) {
                        a[i] ^= b[i];
                    }
                }
                default -> {
                    for (int i = 0; i < n; i++) {
                        a[i] = op.apply(a[i], b[i]);
                    }
                }
            }
        }
    }

    private static final class Ints extends Accumulators {

        private final int[][] blocks;

        Ints(int count, int length) {
            super(count, length * Integer.BYTES);
            blocks = new int[count][length];
        }

        @Override
        void load(int block, MemorySegment from, long offset, int n) {
            MemorySegment.copy(from, ElementType.LAYOUT_INT, offset, blocks[block], 0, n);
        }

        @Override
        void gather(int into, int from, int first, int n, int step) {
            int[] a = blocks[into];
            int[] b = blocks[from];
            for (int i = 0; i < n; i++) {
                a[i] = b[first + i * step];
            }
        }

        @Override
        void store(int block, MemorySegment to, long offset, int n) {
            MemorySegment.copy(blocks[block], 0, to, ElementType.LAYOUT_INT, offset, n);
        }

        @Override
        void combine(int into, int from, int n, Reduction op) {
            int[] a = blocks[into];
            int[] b = blocks[from];
            switch (op) {
                case ReduceOp.SUM -> {
                    for (int i = 0; i < n; i++) {
                        a[i] += b[i];
                    }
                }
                case ReduceOp.PRODUCT -> {
                    for (int i = 0; i < n; i++) {
                        a[i] *= b[i];
                    }
                }
                case ReduceOp.MIN -> {
                    for (int i = 0; i < n; i++) {
                        a[i] = Math.min(a[i], b[i]);
                    }
                }
                case ReduceOp.MAX -> {
                    for (int i = 0; i < n; i++) {
                        a[i] = Math.max(a[i], b[i]);
                    }
                }
                case ReduceOp.AND -> {
                    for (int i = 0; i < n; i++) {
                        a[i] &= b[i];
                    }
                }
                case ReduceOp.OR -> {
                    for (int i = 0; i < n; i++) {
                        a[i] |= b[i];
                    }
                }
                case ReduceOp.XOR -> {
                    for (int i = 0; i < n; i++) {
                        a[i] ^= b[i];
                    }
                }
                default -> {
                    for (int i = 0; i < n; i++) {
                        a[i] = (int) op.apply((long) a[i], (long) b[i]);
                    }
                }
            }
        }
    }

    private static final class Bytes extends Accumulators {

        private final byte[][] blocks;

        Bytes(int count, int length) {
            super(count, length * Byte.BYTES);
            blocks = new byte[count][length];
        }

        @Override
        void load(int block, MemorySegment from, long offset, int n) {
            MemorySegment.copy(from, ValueLayout.JAVA_BYTE, offset, blocks[block], 0, n);
        }

        @Override
        void gather(int into, int from, int first, int n, int step) {
            byte[] a = blocks[into];
            byte[] b = blocks[from];
            for (int i = 0; i < n; i++) {
                a[i] = b[first + i * step];
            }
        }

        @Override
        void store(int block, MemorySegment to, long offset, int n) {
            MemorySegment.copy(blocks[block], 0, to, ValueLayout.JAVA_BYTE, offset, n);
        }

        @Override
        void combine(int into, int from, int n, Reduction op) {
            byte[] a = blocks[into];
            byte[] b = blocks[from];
            switch (op) {
                case ReduceOp.SUM -> {
                    for (int i = 0; i < n; i++) {
                        a[i] += b[i];
                    }
                }
                case ReduceOp.MIN -> {
                    for (int i = 0; i < n; i++) {
                        a[i] = (byte) Math.min(a[i], b[i]);
                    }
                }
                case ReduceOp.MAX -> {
                    for (int i = 0; i < n; i++) {
                        a[i] = (byte) Math.max(a[i], b[i]);
                    }
                }
                case ReduceOp.AND -> {
                    for (int i = 0; i < n; i++) {
                        a[i] &= b[i];
                    }
                }
                case ReduceOp.OR -> {
                    for (int i = 0; i < n; i++) {
                        a[i] |= b[i];
                    }
                }
                case ReduceOp.XOR -> {
                    for (int i = 0; i < n; i++) {
                        a[i] ^= b[i];
                    }
                }
                default -> {
                    for (int i = 0; i < n; i++) {
                        a[i] = (byte) op.apply((long) a[i], (long) b[i]);
                    }
                }
            }
        }
    }
}
