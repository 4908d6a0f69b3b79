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
    MatrixAlgorithm choose(Precision precision, MatrixView a, MatrixView b) {
        if (chosenFor == null || !chosenFor.isOf(precision, a, b)) {
            chosenFor = new MatrixProduct(precision, a, b, c);
            chosen = chosenFor.choose();
        }
        return chosen;
    }

    /**
     * Collective: the plan for a product; it takes the place of the last one with other matrices.
     *
     * @throws IllegalArgumentException if the matrices do not fit each other, or the algorithm
     */
    MatrixPlan plan(MatrixAlgorithm algorithm, Precision precision, MatrixView a, MatrixView b) {
        Kept last = kept.get(algorithm);
        if (last != null && last.product.isOf(precision, a, b)) {
            return last.plan;
        }
        MatrixProduct product = new MatrixProduct(precision, a, b, c);
        product.require(algorithm);
        if (last != null) {
            kept.remove(algorithm);
            last.plan.close();
        }
        MatrixPlan plan = product.plan(algorithm);
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
