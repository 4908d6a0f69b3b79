package org.pgas4j.collective;

import org.pgas4j.ElementType;
import org.pgas4j.ReduceOp;

/** CUDA C++ of kernels that combine several vectors, in the order of the tree of {@link HostCombiner}. */
final class CombineText {

    /** {@code pgas_apply} of two elements, and {@code pgas_tree}, which combines {@code x[0]} to {@code x[sources - 1]}. */
    private static final String FUNCTIONS = """

            static __device__ __forceinline__ pgas_element pgas_apply(pgas_element a, pgas_element b) {
                return EXPRESSION;
            }

            static __device__ __forceinline__ pgas_element pgas_tree(pgas_element *x) {
                TREE
                return x[0];
            }
            """;

    /**
     * A loop over aligned vectors of 16 bytes, of which a thread has {@code BATCH} from each of its {@code SOURCES} under way. It
     * uses {@code sources}, {@code first}, {@code step} and {@code vectors}; {@code STORE} is what is done with {@code result},
     * vector {@code i + b * step}.
     */
    private static final String VECTORS = """
            for (long long i = first; i < vectors; i += step * BATCH) {
                pgas_vector loaded[BATCH][SOURCES];
                #pragma unroll
                for (int b = 0; b < BATCH; b++) {
                    if (i + b * step < vectors) {
                        #pragma unroll
                        for (int s = 0; s < SOURCES; s++) {
                            loaded[b][s].all = ((const uint4 *) sources[s])[i + b * step];
                        }
                    }
                }
                #pragma unroll
                for (int b = 0; b < BATCH; b++) {
                    if (i + b * step < vectors) {
                        pgas_vector result;
                        #pragma unroll
                        for (int e = 0; e < PER_VECTOR; e++) {
                            pgas_element x[SOURCES];
                            #pragma unroll
                            for (int s = 0; s < SOURCES; s++) {
                                x[s] = loaded[b][s].each[e];
                            }
                            result.each[e] = pgas_tree(x);
                        }
                        STORE
                    }
                }
            }
            """;

    private CombineText() {
    }

    /** The functions for a number of sources. */
    static String functions(ElementType type, ReduceOp op, int sources) {
        return FUNCTIONS.replace("EXPRESSION", CombineKernels.expression(type, op)).replace("TREE", CombineKernels.tree(sources));
    }

    /** The loop with what it does with each result, each of its lines {@code indent} columns further. */
    static String vectors(String store, int indent) {
        return VECTORS.replace("STORE", store).indent(indent).strip();
    }
}
