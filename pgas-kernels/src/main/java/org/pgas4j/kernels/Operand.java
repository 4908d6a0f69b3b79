package org.pgas4j.kernels;

import java.util.Set;

/** An entry of the operand stack of a method that is being translated. */
sealed interface Operand {

    /**
     * A value that C++ has.
     *
     * @param text  expression without effects
     * @param atom  whether it needs no parentheses
     * @param reads local variables that it reads, by their C++ names
     */
    record Value(Kind kind, String text, boolean atom, Set<String> reads) implements Operand {

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

    /** A string, which only exceptions take; values in it are question marks. */
    record Text(String value) implements Operand {
    }
}
