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

    /** @param site makes the number of the place, if the template has one */
    String expression(List<Operand.Value> arguments, Supplier<String> site) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < template.length(); i++) {
            char c = template.charAt(i);
            if (c != '$') {
                text.append(c);
                continue;
            }
            char which = template.charAt(++i);
            text.append(which == 'S' ? site.get() : arguments.get(which - '0').part());
        }
        return text.toString();
    }
}
