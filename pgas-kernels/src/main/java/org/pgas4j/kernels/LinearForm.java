package org.pgas4j.kernels;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * An integer as a constant and a sum of terms with constant factors. Limits of their sizes keep bounds that are computed of it in 64
 * bits: 2^44 for a term times 2^12 for its factor times 2^3 terms.
 */
record LinearForm(long constant, Map<Term, Long> terms) {

    /** Greatest factor of a term. */
    static final long MAX_FACTOR = 1 << 12;

    private static final int MAX_TERMS = 8;
    private static final long MAX_CONSTANT = 1L << 40;

    static LinearForm of(long constant) {
        return new LinearForm(constant, Map.of());
    }

    static LinearForm of(Term term) {
        return new LinearForm(0, Map.of(term, 1L));
    }

    boolean isConstant() {
        return terms.isEmpty();
    }

    /** True if no term has more than one value. */
    boolean isFixed() {
        return terms.keySet().stream().allMatch(Term::isFixed);
    }

    /** This and {@code factor} times another; null if it is beyond the limits. */
    LinearForm plus(LinearForm other, long factor) {
        if (Math.abs(factor) > MAX_FACTOR) {
            return null;
        }
        Map<Term, Long> sum = new LinkedHashMap<>(terms);
        other.terms.forEach((term, count) -> sum.merge(term, count * factor, Long::sum));
        sum.values().removeIf(count -> count == 0);
        long all = constant + factor * other.constant;
        boolean isSmall = sum.size() <= MAX_TERMS && Math.abs(all) <= MAX_CONSTANT
                && sum.values().stream().allMatch(count -> Math.abs(count) <= MAX_FACTOR);
        return isSmall ? new LinearForm(all, sum) : null;
    }

    /** {@code factor} times this; null if it is beyond the limits. */
    LinearForm times(long factor) {
        return of(0).plus(this, factor);
    }

    /** C++ expression of the lowest value. */
    String low() {
        return bound(true);
    }

    /** C++ expression of the highest value. */
    String high() {
        return bound(false);
    }

    private String bound(boolean isLow) {
        String sum = terms.entrySet().stream().map(entry -> {
            String value = entry.getValue() > 0 == isLow ? entry.getKey().low() : entry.getKey().high();
            return entry.getValue() == 1 ? value : Literals.of((long) entry.getValue()) + " * " + value;
        }).collect(Collectors.joining(" + "));
        return sum.isEmpty() ? Literals.of(constant) : constant == 0 ? sum : sum + " + " + Literals.of(constant);
    }
}
