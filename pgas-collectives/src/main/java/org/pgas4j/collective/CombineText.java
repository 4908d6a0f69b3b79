package org.pgas4j.collective;

import org.pgas4j.ElementType;
import org.pgas4j.ReduceOp;

/** CUDA C++ of kernels that combine several vectors, in the order of the tree of {@link HostCombiner}. */
final class CombineText {

    /** {@code pgas_apply} of two elements. */
    private static final String APPLY = """

            static __device__ __forceinline__ pgas_element pgas_apply(pgas_element a, pgas_element b) {
                return EXPRESSION;
            }
            """;

    /** {@code pgas_tree}, which combines {@code x[0]} to {@code x[sources - 1]}. */
    private static final String TREE = """

            static __device__ __forceinline__ pgas_element pgas_tree(pgas_element *x) {
                TREE
                return x[0];
            }
            """;

    /** {@code pgas_apply} within a kernel, by a function of the program. */
    private static final String LOCAL_APPLY = """
            @OPENING@\
                auto pgas_apply = [&](pgas_element a, pgas_element b) -> pgas_element {
                    return EXPRESSION;
                };
            """;

    private static final String LOCAL_TREE = """
                auto pgas_tree = [&](pgas_element *x) -> pgas_element {
                    TREE
                    return x[0];
                };
            """;

    /** Loads vectors {@code i} to {@code i + (BATCH - 1) * step} of each source. */
    private static final String LOAD = """
            #pragma unroll
            for (int b = 0; b < BATCH; b++) {
                if (i + b * step < vectors) {
                    #pragma unroll
                    for (int s = 0; s < SOURCES; s++) {
                        loaded[b][s].all = ((const uint4 *) sources[s])[i + b * step];
                    }
                }
            }
            """;

    /** Combines what was loaded. */
    private static final String RESULTS = """
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
            """;

    private static final String VECTORS = """
            for (long long i = first; i < vectors; i += step * BATCH) {
                pgas_vector loaded[BATCH][SOURCES];
            LOAD
            RESULTS
            }
            """.replace("LOAD\n", LOAD.indent(4)).replace("RESULTS\n", RESULTS.indent(4));

    /** Loads to {@code now} and to {@code next} in turn, and finishes each while the other comes. */
    static final String AHEAD = """
            load(now, first);
            for (long long i = first; i < vectors; i += 2 * BATCH * step) {
                load(next, i + BATCH * step);
                finish(now, i);
                load(now, i + 2 * BATCH * step);
                finish(next, i + BATCH * step);
            }
            """;

    private static final String VECTORS_AHEAD = """
            auto load = [&](pgas_vector (&loaded)[BATCH][SOURCES], long long i) {
            LOAD
            };
            auto finish = [&](pgas_vector (&loaded)[BATCH][SOURCES], long long i) {
            RESULTS
            };
            pgas_vector now[BATCH][SOURCES], next[BATCH][SOURCES];
            AHEAD
            """.replace("AHEAD\n", AHEAD).replace("LOAD\n", LOAD.indent(4)).replace("RESULTS\n", RESULTS.indent(4));

    private CombineText() {
    }

    /** {@code pgas_apply}, which combines two elements. */
    static String apply(ElementType type, ReduceOp op) {
        return APPLY.replace("EXPRESSION", CombineKernels.expression(type, op));
    }

    /** The same, and {@code pgas_tree} for a number of sources. */
    static String functions(ElementType type, ReduceOp op, int sources) {
        return apply(type, op) + TREE.replace("TREE", CombineKernels.tree(sources));
    }

    /** As {@link #functions}, as statements of a kernel; otherwise as {@link #localApply}. */
    static String localFunctions(ElementType type, String call, int sources) {
        return localApply(type, call) + LOCAL_TREE.replace("TREE", CombineKernels.tree(sources));
    }

    /**
     * {@code pgas_apply} as a statement of a kernel, behind the token {@code @OPENING@}.
     *
     * @param call combines {@code a} and {@code b} as {@code long long} or {@code double}
     */
    static String localApply(ElementType type, String call) {
        String value = switch (type) {
            case HALF, BFLOAT16 -> CombineKernels.ofHalves(type, "(float) " + call, "&");
            case FLOAT, DOUBLE, BYTE, SHORT, CHAR, INT, LONG -> "(pgas_element) " + call;
        };
        return LOCAL_APPLY.replace("EXPRESSION", value);
    }

    /**
     * A loop over aligned vectors of 16 bytes, of which a thread has {@code BATCH} from each of its {@code SOURCES} under way. It
     * uses {@code sources}, {@code first}, {@code step} and {@code vectors}.
     *
     * @param store  what is done with {@code result}, vector {@code i + b * step}
     * @param indent columns by which the lines are further
     */
    static String vectors(String store, int indent) {
        return VECTORS.replace("STORE", store).indent(indent).strip();
    }

    /** As {@link #vectors}, with the loads that follow under way while results are stored: never do all of a thread's end. */
    static String vectorsAhead(String store, int indent) {
        return VECTORS_AHEAD.replace("STORE", store).indent(indent).strip();
    }
}
