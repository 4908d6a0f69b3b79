package org.pgas4j.kernels;

import java.lang.classfile.Opcode;
import java.util.stream.LongStream;

/** Values that an int may have, both ends included. */
record IntRange(int least, int most) {

    /** All of them. */
    static final IntRange ALL = new IntRange(Integer.MIN_VALUE, Integer.MAX_VALUE);

    static IntRange of(int value) {
        return new IntRange(value, value);
    }

    /** All values of an operator of two ints, which wrap; {@link #ALL} if they are not found out. */
    static IntRange of(Opcode opcode, IntRange left, IntRange right) {
        return switch (opcode) {
            case IADD -> between((long) left.least + right.least, (long) left.most + right.most);
            case ISUB -> between((long) left.least - right.most, (long) left.most - right.least);
            case IMUL -> product(left, right);
            case IDIV -> right.isOne() && right.least > 0 ? new IntRange(left.least / right.least, left.most / right.least) : ALL;
            case IREM -> right.isOne() && right.least > 0 ? left.remainder(right.least - 1) : ALL;
            case IAND -> left.least < 0 && right.least < 0 ? ALL : new IntRange(0, left.least < 0 ? right.most
                    : right.least < 0 ? left.most : Math.min(left.most, right.most));
            case ISHR -> right.isShift() ? new IntRange(left.least >> right.least, left.most >> right.least) : ALL;
            case IUSHR -> right.isShift() && left.least >= 0 ? new IntRange(left.least >> right.least, left.most >> right.least) : ALL;
            case ISHL -> right.isShift() && right.least < 31 ? product(left, of(1 << right.least)) : ALL;
            default -> ALL;
        };
    }

    private static IntRange product(IntRange left, IntRange right) {
        long[] ends = LongStream.of((long) left.least * right.least, (long) left.least * right.most, (long) left.most * right.least,
                (long) left.most * right.most).sorted().toArray();
        return between(ends[0], ends[3]);
    }

    private static IntRange between(long least, long most) {
        return least < Integer.MIN_VALUE || most > Integer.MAX_VALUE ? ALL : new IntRange((int) least, (int) most);
    }

    /** Remainders of a division whose greatest is {@code end}. */
    private IntRange remainder(int end) {
        return new IntRange(least >= 0 ? 0 : Math.max(least, -end), most <= 0 ? 0 : Math.min(most, end));
    }

    /** Those of these values for which a comparison with a value of {@code other} may hold; at least one is taken to be left. */
    IntRange where(String relation, IntRange other) {
        return switch (relation) {
            case "<" -> other.most == Integer.MIN_VALUE ? this : within(Integer.MIN_VALUE, other.most - 1);
            case "<=" -> within(Integer.MIN_VALUE, other.most);
            case ">" -> other.least == Integer.MAX_VALUE ? this : within(other.least + 1, Integer.MAX_VALUE);
            case ">=" -> within(other.least, Integer.MAX_VALUE);
            case "==" -> within(other.least, other.most);
            default -> this;
        };
    }

    private IntRange within(int low, int high) {
        return low > most || high < least ? this : new IntRange(Math.max(least, low), Math.min(most, high));
    }

    /** These values and others. */
    IntRange or(IntRange other) {
        return new IntRange(Math.min(least, other.least), Math.max(most, other.most));
    }

    private boolean isOne() {
        return least == most;
    }

    private boolean isShift() {
        return isOne() && least >= 0 && least <= 31;
    }
}
