package org.pgas4j;

/** How a reduction combines two elements. */
public enum ReduceOp {
    SUM,
    PRODUCT,
    MIN,
    MAX;

    /** {@code a op b}; MIN and MAX follow {@link Math#min(double, double)}, so a NaN wins. */
    public double apply(double a, double b) {
        return switch (this) {
            case SUM -> a + b;
            case PRODUCT -> a * b;
            case MIN -> Math.min(a, b);
            case MAX -> Math.max(a, b);
        };
    }

    /** {@code a op b}; SUM and PRODUCT wrap as Java's operators do. */
    public long apply(long a, long b) {
        return switch (this) {
            case SUM -> a + b;
            case PRODUCT -> a * b;
            case MIN -> Math.min(a, b);
            case MAX -> Math.max(a, b);
        };
    }
}
