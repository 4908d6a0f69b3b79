package org.pgas4j.examples.matmul;

import org.pgas4j.ElementType;
import org.pgas4j.examples.matmul.io.MatrixSource;
import org.pgas4j.examples.matmul.io.SparseMatrix;

/** Chooses how a product is checked: in full where that takes seconds, by probing otherwise. */
final class References {

    /** Largest n whose whole product is kept for comparison, 512 MiB of doubles. */
    static final int LARGEST_STORED = 8192;
    private static final int LARGEST_DENSE = 2500;
    private static final double MAX_SPARSE_PRODUCTS = 2e10;

    private References() {
    }

    static Reference of(MatrixSource a, MatrixSource b) {
        int n = a.columns();
        if (a instanceof SparseMatrix sparse && n <= LARGEST_STORED
                && (double) sparse.stored() * n <= MAX_SPARSE_PRODUCTS) {
            return FullReference.sparse(sparse, b);
        }
        return n <= LARGEST_DENSE ? FullReference.dense(a, b) : new ProbeReference(a, b);
    }

    /**
     * What a correct product may differ by. Rounding gives at most {@code gamma(n) |A| |B|} in the Frobenius norm, in
     * practice about {@code u sqrt(n)} times |A| |B| / sqrt(n); where A * B is small beside that, because much
     * cancelled, the allowance relative to |A * B| grows with it.
     */
    static double tolerance(ElementType type, int n, double normA, double normB, double normC) {
        double unitRoundoff = type == ElementType.FLOAT ? 0x1p-24 : 0x1p-53;
        double least = type == ElementType.FLOAT ? 1e-5 : 1e-12;
        double growth = normC > 0 ? Math.max(1, normA * normB / (normC * Math.sqrt(n))) : 1;
        return Math.max(least, 2 * unitRoundoff * Math.sqrt(n)) * growth;
    }

    /** {@code distance / normC}; relative to |A| |B| where A * B is zero. */
    static double relative(double distance, double normA, double normB, double normC) {
        double scale = normC > 0 ? normC : normA * normB;
        return distance == 0 ? 0 : distance / scale;
    }
}
