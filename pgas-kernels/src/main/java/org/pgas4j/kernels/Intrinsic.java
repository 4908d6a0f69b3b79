package org.pgas4j.kernels;

import java.util.List;
import java.util.function.Supplier;

/**
 * A method that kernels have in C++.
 *
 * @param template expression: $0, $1 ... are the arguments, the receiver first, $S the number of the place
 * @param isPure   whether it reads nothing but its arguments, so that it may be evaluated later
 */
record Intrinsic(String template, boolean isPure) {

    /** Begins the templates of atomic operations that stand on pgas_atomic.cuh. */
    static final String ATOMIC = "pgas_atomic_at(";

    /** True if the source needs pgas_atomic.cuh. */
    boolean isAtomic() {
        return template.startsWith(ATOMIC);
    }

    /** Begins the template of a line of a thread. */
    static final String PRINT = "pgas_thread_printf(";

    /** True if it is a line of a thread, for which threads do not wait for each other. */
    boolean isPrint() {
        return template.startsWith(PRINT);
    }

    /** Number of the argument that is an array whose element the method uses, before the index of it; -1 if there is none. */
    int arrayArgument() {
        return template.contains("pgas_element($1, $2, cx, $S)") ? 1
                : template.contains("pgas_at($0, $1, cx, $S)") || template.contains("pgas_in<") ? 0 : -1;
    }

    /** The same for callers that drop the result: atomic additions need not wait for the old value. */
    Intrinsic dropped() {
        return new Intrinsic(template.replaceFirst("^pgas_fetch_add\\(", "pgas_add_to("), isPure);
    }

    /** C++ type of an element of a buffer. */
    String element() {
        return template.substring(template.indexOf('<') + 1, template.indexOf('>'));
    }

    /** True if the method does nothing to the element but read it. */
    boolean isRead() {
        return template.startsWith("*") && !template.contains("=");
    }

    /**
     * The expression.
     *
     * @param check of the index of an element
     * @param site  makes the number of the place, if the template has one
     */
    String expression(List<Operand.Value> arguments, IndexCheck check, Supplier<String> site) {
        int index = arrayArgument() + 1;
        boolean isElement = index > 0;
        String used = isElement ? template.replace(", cx, $S)", check.arguments() + ")") : template;
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < used.length(); i++) {
            char c = used.charAt(i);
            if (c != '$') {
                text.append(c);
                continue;
            }
            char which = used.charAt(++i);
            text.append(which == 'S' ? site.get() : isElement && which - '0' == index ? check.index(arguments.get(index))
                    : arguments.get(which - '0').part());
        }
        return text.toString();
    }
}
