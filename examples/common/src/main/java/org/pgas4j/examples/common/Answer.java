package org.pgas4j.examples.common;

/**
 * An answer beside the one that is known.
 *
 * @param expected the known one
 * @param found    by the run
 * @param right    true if they agree as closely as the problem demands
 * @param ns       time of the computation between two barriers, without its preparation and its check
 * @param more     what else the run has measured, shown behind its time
 */
public record Answer(String expected, String found, boolean right, long ns, JsonLine more) {

    /** Of a run that has measured its time alone. */
    public Answer(String expected, String found, boolean right, long ns) {
        this(expected, found, right, ns, new JsonLine());
    }

    /** Of whole numbers, which must be equal. */
    public static Answer exact(long expected, long found, long ns) {
        return new Answer(Long.toString(expected), Long.toString(found), expected == found, ns);
    }

    /** Of numbers that may differ by {@code relative} times the known one; NaN is wrong. */
    public static Answer near(double expected, double found, double relative, long ns) {
        return new Answer(Double.toString(expected), Double.toString(found),
                Math.abs(found - expected) <= relative * Math.abs(expected), ns);
    }

    /** Of a sum of absolute errors, which must be below {@code limit}; NaN is wrong. */
    public static Answer error(double limit, double found, long ns) {
        return new Answer("< " + limit, Double.toString(found), found < limit, ns);
    }
}
