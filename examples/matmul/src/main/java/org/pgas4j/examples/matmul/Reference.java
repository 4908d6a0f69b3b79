package org.pgas4j.examples.matmul;

import org.pgas4j.ElementType;
import org.pgas4j.examples.matmul.io.MatrixSource;

/** Knows C = A * B without BLAS, in double, from the values of A and B before any rounding to float. Any thread. */
interface Reference {

    /** {@code full}, {@code sparse} or {@code probes}. */
    String method();

    /** {@code |c - A * B| / |A * B|} in the Frobenius norm; NaN if c has a NaN. */
    double relativeError(MatrixSource c);

    /** The largest relative error of a correct product computed in {@code type}. */
    double tolerance(ElementType type);
}
