package org.pgas4j.collective;

import java.lang.foreign.MemorySegment;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.pgas4j.CudaCode;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.ReduceOp;
import org.pgas4j.Reduction;

/**
 * Kernels that combine consecutive elements of a vector, in the order of {@link HostTiles}: a block of threads has a tile at a
 * time, a thread a run. Any thread.
 */
final class TileKernels {

    /** Threads of a block: one for each run of a tile. */
    static final int THREADS = HostTiles.RUNS;

    /** The work of a kernel. */
    enum Work {
        /** Combines each tile into one element. Arguments: results, elements, count of elements. */
        COMBINE,
        /**
         * Combines results of tiles one after the other. Arguments: what comes before each tile and, behind, before the next;
         * results, count of results, an int that is not 0 if the first is given.
         */
        CHAIN,
        /**
         * Combines the elements of each tile up to each. Arguments: prefixes, elements, which may be the same; what comes before
         * each tile, count of elements, an int that is not 0 if the first tile has something before it.
         */
        PREFIX
    }

    /** Loads the tile {@code number}, with a gap behind each run so that threads use different banks, and combines runs. */
    private static final String RUNS = """
            const long long begin = number * TILE;
            const int length = (int) (count - begin < TILE ? count - begin : TILE);
            pgas_element loaded[RUN];
            #pragma unroll
            for (int k = 0; k < RUN; k++) {
                const int i = k * RUNS + thread;
                if (i < length) {
                    loaded[k] = from[begin + i];
                }
            }
            __syncthreads(); // all are through with the tile before
            #pragma unroll
            for (int k = 0; k < RUN; k++) {
                const int i = k * RUNS + thread;
                if (i < length) {
                    tile[i + i / RUN] = loaded[k];
                }
            }
            __syncthreads();
            const int runs = (length + RUN - 1) / RUN;
            const int mine = thread * (RUN + 1);
            const int own = length - thread * RUN < RUN ? length - thread * RUN : RUN;
            if (own > 0) {
                pgas_element x = tile[mine];
                for (int j = 1; j < own; j++) {
                    x = pgas_apply(x, tile[mine + j]);
                }
                results[thread] = x;
            }
            """;

    private static final String COMBINE = """
            for (int s = 1; s < runs; s *= 2) {
                __syncthreads();
                if (thread % (2 * s) == 0 && thread + s < runs) {
                    results[thread] = pgas_apply(results[thread], results[thread + s]);
                }
            }
            if (thread == 0) {
                to[number] = results[0];
            }
            """;

    private static final String PREFIX = """
            const bool any = number > 0 || first != 0;
            __syncthreads();
            if (thread == 0) {
                pgas_element total = any ? before[number] : (pgas_element) 0;
                for (int r = 0; r < runs; r++) {
                    pgas_element result = results[r];
                    results[r] = total;
                    total = any || r > 0 ? pgas_apply(total, result) : result;
                }
            }
            __syncthreads();
            if (own > 0) {
                pgas_element x = tile[mine];
                if (any || thread > 0) {
                    x = pgas_apply(results[thread], x);
                }
                tile[mine] = x;
                for (int j = 1; j < own; j++) {
                    x = pgas_apply(x, tile[mine + j]);
                    tile[mine + j] = x;
                }
            }
            __syncthreads();
            #pragma unroll
            for (int k = 0; k < RUN; k++) {
                const int i = k * RUNS + thread;
                if (i < length) {
                    to[begin + i] = tile[i + i / RUN];
                }
            }
            """;

    private static final String OF_TILES = """
            __shared__ pgas_element tile[RUNS * (RUN + 1)];
            __shared__ pgas_element results[RUNS];
            for (long long number = blockIdx.x; number * TILE < count; number += gridDim.x) {
            WORK
            }
            """;

    /** By one block; of which one thread combines what the others bring and take away. */
    private static final String CHAIN = """
            __shared__ pgas_element results[RUNS];
            pgas_element total = first != 0 ? to[0] : (pgas_element) 0;
            for (long long begin = 0; begin < count; begin += RUNS) {
                const int length = (int) (count - begin < RUNS ? count - begin : RUNS);
                if (thread < length) {
                    results[thread] = from[begin + thread];
                }
                __syncthreads();
                if (thread == 0) {
                    for (int r = 0; r < length; r++) {
                        total = first != 0 || begin + r > 0 ? pgas_apply(total, results[r]) : results[r];
                        results[r] = total;
                    }
                }
                __syncthreads();
                if (thread < length) {
                    to[begin + thread + 1] = results[thread];
                }
            }
            """;

    private static final Map<Long, Kernel> KERNELS = new ConcurrentHashMap<>();

    private TileKernels() {
    }

    /** The kernel for an operation. */
    static Kernel of(Work work, ElementType type, ReduceOp op) {
        long key = (long) type.code() << 32 | (long) op.code() << 16 | work.ordinal();
        return KERNELS.computeIfAbsent(key, _ -> make(work, type, op));
    }

    private static Kernel make(Work work, ElementType type, ReduceOp op) {
        String name = name(work, type) + "_" + op.name().toLowerCase(Locale.ROOT);
        return new Kernel(name, source(name, work, type, CombineText.apply(type, op), ""),
                (at, args) -> run(at, args, work, type, op));
    }

    /** The same for a function of the program, whose arguments come behind the others. */
    static Kernel of(Work work, ElementType type, Reduction op, DeviceFunction function) {
        String name = name(work, type) + "_by";
        // The program's own text comes last: it may have the words that are replaced here.
        CudaCode code = FunctionCodes.of(function, name, THREADS,
                () -> source(name, work, type, "", CombineText.localApply(type, "@CALL@"))
                        .replace("@PARAMETERS@", function.parameters()).replace("@OPENING@", function.opening())
                        .replace("@CALL@", function.call()));
        return new Kernel(name, (at, args) -> {
            try {
                run(at, args, work, type, op);
            } catch (RuntimeException | Error e) {
                function.failed(at.block(), e);
            }
        }, code);
    }

    private static String name(Work work, ElementType type) {
        return "pgas_tiles_" + work.name().toLowerCase(Locale.ROOT) + "_" + type.name().toLowerCase(Locale.ROOT);
    }

    // ---- CUDA

    /**
     * The kernel.
     *
     * @param function {@code pgas_apply}, or nothing
     * @param local    the same as a statement of the kernel, with further parameters; or nothing
     */
    private static String source(String name, Work work, ElementType type, String function, String local) {
        String parameters = switch (work) {
            case COMBINE -> ", long long count";
            case CHAIN -> ", long long count, int first";
            case PREFIX -> ", const pgas_element *before, long long count, int first";
        };
        String body = switch (work) {
            case COMBINE -> OF_TILES.replace("WORK\n", (RUNS + COMBINE).indent(4));
            case CHAIN -> CHAIN;
            case PREFIX -> OF_TILES.replace("WORK\n", (RUNS + PREFIX).indent(4));
        };
        return """
                typedef TYPE pgas_element;
                typedef UNSIGNED pgas_unsigned;
                FUNCTION
                extern "C" __global__ void __launch_bounds__(THREADS) NAME(pgas_element *to, const pgas_element *from\
                PARAMETERS) {
                LOCAL\
                    enum { RUN = RUN_ELEMENTS, RUNS = THREADS, TILE = RUN * RUNS };
                    const int thread = (int) threadIdx.x;
                    BODY
                }
                """.replace("BODY", body.indent(4).strip())
                .replace("PARAMETERS", parameters + (local.isEmpty() ? "" : "@PARAMETERS@"))
                .replace("FUNCTION", function).replace("LOCAL", local).replace("NAME", name)
                .replace("RUN_ELEMENTS", Integer.toString(HostTiles.RUN)).replace("THREADS", Integer.toString(THREADS))
                .replace("UNSIGNED", type == ElementType.LONG ? "unsigned long long" : "unsigned")
                .replace("TYPE", CombineKernels.cType(type));
    }

    // ---- Java

    private static void run(Kernel.At at, Kernel.Args args, Work work, ElementType type, Reduction op) {
        if (at.thread() > 0) {
            return;
        }
        switch (work) {
            case COMBINE -> {
                HostTiles tiles = new HostTiles(type, op);
                long count = args.longAt(2);
                for (long tile = at.block(); tile * HostTiles.TILE < count; tile += at.shape().blocks()) {
                    tiles.combine(args.segment(1), type.bytes(tile * HostTiles.TILE), length(tile, count), args.segment(0),
                            type.bytes(tile));
                }
            }
            case CHAIN -> {
                if (at.block() == 0) {
                    chain(args.segment(0), args.segment(1), args.longAt(2), args.intAt(3) != 0, type, op);
                }
            }
            case PREFIX -> {
                HostTiles tiles = new HostTiles(type, op);
                long count = args.longAt(3);
                for (long tile = at.block(); tile * HostTiles.TILE < count; tile += at.shape().blocks()) {
                    boolean any = tile > 0 || args.intAt(4) != 0;
                    long before = any ? ArrayElements.word(type, args.segment(2), tile) : 0;
                    tiles.prefixes(args.segment(1), type.bytes(tile * HostTiles.TILE), length(tile, count), args.segment(0),
                            type.bytes(tile * HostTiles.TILE), before, any);
                }
            }
        }
    }

    private static int length(long tile, long count) {
        return (int) Math.min(HostTiles.TILE, count - tile * HostTiles.TILE);
    }

    private static void chain(MemorySegment to, MemorySegment from, long count, boolean hasFirst, ElementType type, Reduction op) {
        for (long i = 0; i < count; i++) {
            long word = ArrayElements.word(type, from, i);
            boolean any = hasFirst || i > 0;
            ArrayElements.set(type, to, i + 1, any ? ArrayElements.apply(type, op, ArrayElements.word(type, to, i), word) : word);
        }
    }
}
