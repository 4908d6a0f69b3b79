package org.pgas4j.kernels;

/**
 * An integer in an index, with what is known of it before a region of code: one value, or the lowest and highest that it has there.
 *
 * @param name     tells it from others
 * @param low      C++ expression of 64 bits, of 2^44 at most if {@code guard} holds
 * @param high     the same; equal to {@code low} if it does not change
 * @param guard    C++ condition under which both are right, or null
 * @param isSteady whether it is a parameter of the method, so that it may be expected not to be negative
 */
record Term(String name, String low, String high, String guard, boolean isSteady) {

    /** A value that does not change. */
    static Term of(String text, boolean isLong, boolean isSteady) {
        return isLong ? new Term(text, "(" + text + ")", "(" + text + ")", "pgas_small(" + text + ")", isSteady)
                : new Term(text, "(long long) (" + text + ")", "(long long) (" + text + ")", null, isSteady);
    }

    boolean isFixed() {
        return low.equals(high);
    }
}
