package org.pgas4j.collective;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.ReduceOp;

/**
 * Kernels that read the members' memory, and write it, between two meetings: each block meets the same block of all other members
 * by flags, moves its share with 16-byte loads of which a thread always has several under way, and meets again, so that no member
 * goes on while others read its memory. Arguments are listed at each. Any thread.
 */
final class DirectKernels {

    static final int THREADS = 512;
    private static final int VECTORS_IN_FLIGHT = 8; // and as many that are stored

    private static final Map<Long, Kernel> KERNELS = new ConcurrentHashMap<>();

    private DirectKernels() {
    }

    /** Meets: own area, areas of all, number of this member, limit of a wait in ns. */
    static Kernel meeting(int members) {
        return KERNELS.computeIfAbsent(-(1L << 40 | members), _ -> {
            String name = "pgas_direct_meet_" + members;
            return new Kernel(name, TeamKernelText.declarations("unsigned", Integer.BYTES, members)
                    + text(MEET, name, members, 0, 0),
                    (_, args) -> new HostDirect(args, members, 0, args.intAt(1 + members), args.longAt(2 + members)).meet());
        });
    }

    /**
     * Combines one vector of each member, in the order of the tree of {@link HostCombiner}, and writes the result to several
     * vectors: own area, areas of all, sources, destinations, count of elements, number of this member, limit.
     */
    static Kernel combining(ElementType type, ReduceOp op, int members, int destinations) {
        long key = (long) type.code() << 32 | (long) op.code() << 16 | (long) members << 8 | destinations;
        return KERNELS.computeIfAbsent(key, _ -> {
            String name = "pgas_direct_" + type.name().toLowerCase(Locale.ROOT) + "_" + op.name().toLowerCase(Locale.ROOT)
                    + "_" + members + "_" + destinations;
            String source = TeamKernelText.declarations(CombineKernels.cType(type), type.bytes(), members)
                    + text(CombineText.functions(type, op, members)
                            + COMBINE.replace("COMBINED_VECTORS", CombineText.vectorsAhead(STORE, 4)), name, members, members,
                            destinations)
                            .replace("BATCH", Integer.toString(Math.max(1, VECTORS_IN_FLIGHT / members)));
            return new Kernel(name, source, (_, args) -> twin(args, 1 + members + members + destinations, members)
                    .combine(type, op, 1 + members, destinations));
        });
    }

    /**
     * Copies one vector of each of {@code parts} members one behind the other: own area, areas of all, sources, destinations that
     * each get them all, count of elements of a vector, number of this member, limit. The number of blocks is a multiple of
     * {@code parts}.
     */
    static Kernel moving(ElementType type, int members, int parts, int destinations) {
        long key = -((long) type.bytes() << 24 | (long) members << 16 | (long) parts << 8 | destinations);
        return KERNELS.computeIfAbsent(key, _ -> {
            String name = "pgas_direct_move_" + type.bytes() + "_" + members + "_" + parts + "_" + destinations;
            String source = TeamKernelText.declarations(TeamKernelText.moved(type), type.bytes(), members)
                    + text(MOVE, name, members, parts, destinations).replace("BATCH", Integer.toString(VECTORS_IN_FLIGHT / 2));
            return new Kernel(name, source, (_, args) -> twin(args, 1 + members + parts + destinations, members)
                    .move(type, 1 + members, parts, destinations));
        });
    }

    /** @param numbers place of the first argument that is no memory */
    private static HostDirect twin(Kernel.Args args, int numbers, int members) {
        return new HostDirect(args, members, args.longAt(numbers), args.intAt(numbers + 1), args.longAt(numbers + 2));
    }

    private static String text(String body, String name, int members, int sources, int destinations) {
        return (TeamKernelText.meeting(members) + body).replace("PARAMETERS", TeamKernelText.list(members, "char *a", ", "))
                .replace("ARGUMENTS", TeamKernelText.list(members, "a", ", "))
                .replace("VECTORS_READ", TeamKernelText.list(sources, "const pgas_element *s", ", "))
                .replace("LIST_READ", TeamKernelText.list(sources, "s", ", "))
                .replace("VECTORS_WRITTEN", TeamKernelText.list(destinations, "pgas_element *d", ", "))
                .replace("LIST_WRITTEN", TeamKernelText.list(destinations, "d", ", "))
                .replace("THREADS", Integer.toString(THREADS)).replace("SOURCES", Integer.toString(sources))
                .replace("DESTINATIONS", Integer.toString(destinations)).replace("MEMBERS", Integer.toString(members))
                .replace("NAME", name);
    }

    private static final String MEET = """

            extern "C" __global__ void __launch_bounds__(32) NAME(char *own, PARAMETERS, int me, long long limit) {
                pgas_begin();
                char *const areas[MEMBERS] = {ARGUMENTS};
                pgas_u32 epoch = ((const pgas_u32 *) own)[blockIdx.x] + 1;
                pgas_wait wait = {own, limit, 0, 0, false};
                pgas_meet(own, areas, me, epoch, &wait);
                if (threadIdx.x == 0) {
                    ((pgas_u32 *) own)[blockIdx.x] = epoch;
                }
            }
            """;

    private static final String STORE = """
            #pragma unroll
                        for (int d = 0; d < DESTINATIONS; d++) {
                            ((uint4 *) results[d])[i + b * step] = result.all;
                        }""";

    private static final String COMBINE = """

            extern "C" __global__ void __launch_bounds__(THREADS) NAME(char *own, PARAMETERS, VECTORS_READ, VECTORS_WRITTEN,
                                                                       long long count, int me, long long limit) {
                pgas_begin();
                char *const areas[MEMBERS] = {ARGUMENTS};
                const pgas_element *const sources[SOURCES] = {LIST_READ};
                pgas_element *const results[DESTINATIONS] = {LIST_WRITTEN};
                pgas_u32 epoch = ((const pgas_u32 *) own)[blockIdx.x];
                pgas_wait wait = {own, limit, 0, 0, false};
                long long first = (long long) blockIdx.x * blockDim.x + threadIdx.x;
                long long step = (long long) gridDim.x * blockDim.x;
                pgas_u64 bits = 0;
                #pragma unroll
                for (int s = 0; s < SOURCES; s++) {
                    bits |= (pgas_u64) sources[s];
                }
                #pragma unroll
                for (int d = 0; d < DESTINATIONS; d++) {
                    bits |= (pgas_u64) results[d];
                }
                long long vectors = (bits & 15) == 0 ? count / PER_VECTOR : 0;
                pgas_meet(own, areas, me, epoch + 1, &wait);
                COMBINED_VECTORS
                for (long long i = vectors * PER_VECTOR + first; i < count; i += step) {
                    pgas_element x[SOURCES];
                    #pragma unroll
                    for (int s = 0; s < SOURCES; s++) {
                        x[s] = sources[s][i];
                    }
                    pgas_element result = pgas_tree(x);
                    #pragma unroll
                    for (int d = 0; d < DESTINATIONS; d++) {
                        results[d][i] = result;
                    }
                }
                pgas_meet(own, areas, me, epoch + 2, &wait);
                if (threadIdx.x == 0) {
                    ((pgas_u32 *) own)[blockIdx.x] = epoch + 2;
                }
            }
            """;

    private static final String MOVE = """

            extern "C" __global__ void __launch_bounds__(THREADS) NAME(char *own, PARAMETERS, VECTORS_READ, VECTORS_WRITTEN,
                                                                       long long count, int me, long long limit) {
                pgas_begin();
                char *const areas[MEMBERS] = {ARGUMENTS};
                const pgas_element *const sources[SOURCES] = {LIST_READ};
                pgas_u32 epoch = ((const pgas_u32 *) own)[blockIdx.x];
                pgas_wait wait = {own, limit, 0, 0, false};
                int part = (blockIdx.x + me) % SOURCES;
                const pgas_element *from = sources[0];
                #pragma unroll
                for (int s = 1; s < SOURCES; s++) {
                    from = part == s ? sources[s] : from;
                }
                pgas_element *to[DESTINATIONS] = {LIST_WRITTEN};
                pgas_u64 bits = (pgas_u64) from;
                #pragma unroll
                for (int d = 0; d < DESTINATIONS; d++) {
                    to[d] += part * count;
                    bits |= (pgas_u64) to[d];
                }
                long long first = (long long) (blockIdx.x / SOURCES) * blockDim.x + threadIdx.x;
                long long step = (long long) (gridDim.x / SOURCES) * blockDim.x;
                long long vectors = (bits & 15) == 0 ? count / PER_VECTOR : 0;
                auto load = [&](uint4 (&loaded)[BATCH], long long i) {
                    #pragma unroll
                    for (int b = 0; b < BATCH; b++) {
                        if (i + b * step < vectors) {
                            loaded[b] = ((const uint4 *) from)[i + b * step];
                        }
                    }
                };
                auto finish = [&](uint4 (&loaded)[BATCH], long long i) {
                    #pragma unroll
                    for (int b = 0; b < BATCH; b++) {
                        if (i + b * step < vectors) {
                            #pragma unroll
                            for (int d = 0; d < DESTINATIONS; d++) {
                                ((uint4 *) to[d])[i + b * step] = loaded[b];
                            }
                        }
                    }
                };
                pgas_meet(own, areas, me, epoch + 1, &wait);
                if (from != to[0]) {
                    uint4 now[BATCH], next[BATCH];
                    AHEAD
                    for (long long i = vectors * PER_VECTOR + first; i < count; i += step) {
                        pgas_element element = from[i];
                        #pragma unroll
                        for (int d = 0; d < DESTINATIONS; d++) {
                            to[d][i] = element;
                        }
                    }
                }
                pgas_meet(own, areas, me, epoch + 2, &wait);
                if (threadIdx.x == 0) {
                    ((pgas_u32 *) own)[blockIdx.x] = epoch + 2;
                }
            }
            """.replace("AHEAD\n", CombineText.AHEAD.indent(8).stripLeading());
}
