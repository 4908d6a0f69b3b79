package org.pgas4j.kernels;

import java.util.List;

/** An entry of the operand stack or a local variable of a method, as {@link SymbolicRun} knows it. */
sealed interface Symbol {

    /** Words that it has on the stack. */
    int words();

    /** Anything else. */
    record Unknown(int words) implements Symbol {
    }

    /**
     * A shared array, buffer, or array of numbers that a variable holds throughout the region.
     *
     * @param text C++ variable
     */
    record Array(KnownType type, String text) implements Symbol {

        @Override
        public int words() {
            return 1;
        }
    }

    /**
     * An int or a long.
     *
     * @param form    of its value
     * @param text    C++ expression of the value before the region; null if it changes there
     * @param wraps   whether it is the low 32 bits of the form, as an int
     * @param assumed forms that are ints, or else {@code form} is wrong
     */
    record Integral(int words, LinearForm form, String text, boolean wraps, List<LinearForm> assumed) implements Symbol {

        private static final int MAX_TEXT = 200;

        public Integral {
            text = text == null || text.length() > MAX_TEXT || !form.isFixed() ? null : text;
        }

        static Integral constant(int words, long value) {
            return new Integral(words, LinearForm.of(value), words == 1 ? Literals.of((int) value) : Literals.of(value), false,
                    List.of());
        }

        static Integral of(int words, Term term, String text) {
            return new Integral(words, LinearForm.of(term), text, false, List.of());
        }

        boolean isConstant() {
            return form.isConstant() && !wraps;
        }

        /** The same value as a form that does not wrap. */
        Integral unwrapped() {
            if (!wraps) {
                return this;
            }
            List<LinearForm> all = new java.util.ArrayList<>(assumed);
            all.add(form);
            return new Integral(words, form, text, false, all);
        }
    }

    /** The result of lcmp. */
    record Order(Symbol left, Symbol right) implements Symbol {

        @Override
        public int words() {
            return 1;
        }
    }
}
