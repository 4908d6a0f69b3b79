package org.pgas4j.kernels;

import java.lang.classfile.Opcode;
import java.util.Set;

/** An entry of the operand stack of a method that is being translated. */
sealed interface Operand {

    /** Words that it has on the stack. */
    default int words() {
        return this instanceof Value value && (value.kind() == Kind.Number.LONG || value.kind() == Kind.Number.DOUBLE) ? 2 : 1;
    }

    /** True if it is the same wherever it is: small literals, constants of enums, texts and arguments that are collected. */
    default boolean isConstant() {
        return this instanceof Text || this instanceof Arguments || this instanceof Value value && value.isNamed();
    }

    /**
     * A value that C++ has.
     *
     * @param text  expression without effects
     * @param atom  whether it needs no parentheses
     * @param reads local variables that it reads, by their C++ names
     * @param exact of an int: an expression of 64 bits whose low 32 bits it is; null if there is only its text
     * @param plain of an int: what it is if nothing wraps, an expression of ints that the compiler knows not to wrap; null if there is
     *              only {@code exact}
     * @param from  of a long: the int that it was made of, or null
     * @param range of an int: what it may be
     */
    record Value(Kind kind, String text, boolean atom, Set<String> reads, String exact, String plain, Value from, IntRange range)
            implements Operand {

        private static final int MAX_EXACT = 240;

        Value(Kind kind, String text, boolean atom, Set<String> reads) {
            this(kind, text, atom, reads, null, null, null, IntRange.ALL);
        }

        /** The same with an expression in 64 bits, and with one in 32 bits or null. */
        Value withExact(String wide, String narrow) {
            return wide == null || wide.length() > MAX_EXACT ? this : new Value(kind, text, atom, reads, wide, narrow, null, range);
        }

        /** The value after a conversion. */
        Value converted(Opcode opcode) {
            return new Value(Arithmetic.target(opcode), Arithmetic.conversion(opcode, this), false, reads, null,
                    null, opcode == Opcode.I2L ? this : null, IntRange.ALL);
        }

        /** The same, of which it is known what it may be. */
        Value within(IntRange values) {
            return new Value(kind, text, atom, reads, exact, plain, from, values);
        }

        /** An expression for an index that is known to be within bounds, so that it does not wrap. */
        String place() {
            return from != null ? from.place() : plain != null ? plain : index();
        }

        /** An expression of 64 bits for a part of an index that is known not to wrap. */
        String index() {
            return from != null ? from.index() : kind != Kind.Number.INT ? part() : exact != null ? exact : "(long long) " + part();
        }

        /** True for an int of which {@link #index} has all bits: a literal, a local variable, or made of such. */
        boolean isExact() {
            return kind == Kind.Number.INT && (exact != null || atom && (isLiteral() || reads.equals(Set.of(text))));
        }

        private boolean isLiteral() {
            return text.matches("\\d+|\\(-\\d+\\)");
        }

        /** True for an int literal by which C++ divides as Java does. */
        boolean isDivisor() {
            return kind == Kind.Number.INT && isLiteral() && !text.equals("0") && !text.equals("(-1)");
        }

        /** True for a small literal. */
        boolean isFactor() {
            return text.matches("\\d{1,4}") && Integer.parseInt(text) <= LinearForm.MAX_FACTOR;
        }

        /** True for a literal without a sign, and a constant of an enum, by whose name the translator decides. */
        private boolean isNamed() {
            return kind == Kind.Number.INT ? text.matches("\\d+") : kind instanceof Kind.Known known && known.type().isConstant()
                    && text.startsWith("PGAS_");
        }

        /** The int that it is, if it was one. */
        Value narrow() {
            return from == null ? this : from;
        }

        /** A variable that never changes, or a literal. */
        static Value fixed(Kind kind, String text) {
            return new Value(kind, text, true, Set.of());
        }

        /** The text as part of an expression. */
        String part() {
            return atom ? text : "(" + text + ")";
        }
    }

    /**
     * What lcmp, fcmpl and their like leave: -1, 0 or 1.
     *
     * @param nan what it is if one is NaN; 0 for longs
     */
    record Comparison(Value left, Value right, int nan) implements Operand {
    }

    /** An object between its allocation and its constructor. */
    record Allocated(Class<?> type) implements Operand {
    }

    /** The record whose constructor is being translated: a reference to it sees what is assigned later. */
    record Self(Kind kind) implements Operand {
    }

    /**
     * An array that was just made.
     *
     * @param text of its value
     * @param time of its making, counted by {@link LocalArrays}
     */
    record Fresh(Kind kind, String text, int time) implements Operand {
    }

    /** An exception that a kernel is about to throw. */
    record Exception(Class<?> type, String message) implements Operand {
    }

    /**
     * A string, which exceptions and lines take; values in it are question marks.
     *
     * @param isWhole whether it has no values
     */
    record Text(String value, boolean isWhole) implements Operand {
    }

    /**
     * The array of the last arguments of a call of printf, while it is filled.
     *
     * @param name of the variables that keep the values
     */
    record Arguments(String name, Boxed[] values) implements Operand {
    }

    /** A box that is about to be such an argument. @param type its class */
    record Boxed(Value value, String type) implements Operand {
    }
}
