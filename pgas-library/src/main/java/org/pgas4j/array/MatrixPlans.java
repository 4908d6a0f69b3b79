package org.pgas4j.array;

import java.util.EnumMap;
import java.util.Map;
import org.pgas4j.Gemm.Precision;

/** Plans of the last products of a matrix, one for each algorithm; members of its team make the same ones. */
final class MatrixPlans implements AutoCloseable {

    private record Kept(MatrixProduct product, MatrixPlan plan) {
    }

    private final GlobalArray c;
    private final Map<MatrixAlgorithm, Kept> kept = new EnumMap<>(MatrixAlgorithm.class);
    private MatrixProduct chosenFor;
    private MatrixAlgorithm chosen;

    MatrixPlans(GlobalArray c) {
        this.c = c;
    }

    /** The algorithm that moves less between ranks. */
    MatrixAlgorithm choose(Precision precision, GlobalArray a, GlobalArray b) {
        if (chosenFor == null || !chosenFor.isOf(precision, a, b)) {
            chosenFor = new MatrixProduct(precision, a, b, c);
            chosen = chosenFor.choose();
        }
        return chosen;
    }

    /**
     * Collective: the plan for a product; it takes the place of the last one with other matrices.
     *
     * @throws IllegalArgumentException if the matrices do not fit
     */
    MatrixPlan plan(MatrixAlgorithm algorithm, Precision precision, GlobalArray a, GlobalArray b) {
        Kept last = kept.get(algorithm);
        if (last != null && last.product.isOf(precision, a, b)) {
            return last.plan;
        }
        MatrixProduct product = new MatrixProduct(precision, a, b, c);
        if (algorithm == MatrixAlgorithm.REDUCE && !product.isReducible()) {
            throw new IllegalArgumentException("gemm of " + c + " by REDUCE (expected: a matrix of 16-bit floats in device memory,"
                    + " one block for each rank, on more than one rank; PULL takes any)");
        }
        if (last != null) {
            kept.remove(algorithm);
            last.plan.close();
        }
        MatrixPlan plan = algorithm == MatrixAlgorithm.PULL ? new PulledProduct(product)
                : product.isPassedOn() ? new PassedProduct(product) : new ReducedProduct(product);
        kept.put(algorithm, new Kept(product, plan));
        return plan;
    }

    /** Collective. */
    @Override
    public void close() {
        kept.values().forEach(each -> each.plan.close());
        kept.clear();
    }
}
