package org.pgas4j.collective;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.ReduceOp;

/**
 * Kernels that combine vectors of all members and read nothing of their devices: a block writes a chunk of each other member's
 * part into memory of that member, meets the same block of all, combines what they have written with its own chunk, and writes the
 * result. Links carry a read in more packets than a write. While the flag that follows a chunk waits for it to arrive, the next
 * chunk is on its way. A flag also says that its block has combined the chunk before, so that memory for three chunks of each
 * sender and block would be enough; there are {@value DeviceArea#CHUNKS}.
 *
 * <p>Arguments: own area, areas of all, vectors of all, results of all, elements of a part, of a vector, 16-byte words of a chunk,
 * byte offset of the memory for chunks in an area, number of this member, limit of a wait in ns. All memory and all parts begin at
 * multiples of 16 bytes. Any thread.
 */
final class PushKernels {

    static final int THREADS = 512;

    /** Words of 16 bytes that a chunk may have. */
    static final int MAX_CHUNK = DeviceArea.CHUNK_BYTES / 16;

    private static final Map<Long, Kernel> KERNELS = new ConcurrentHashMap<>();

    private PushKernels() {
    }

    static Kernel combining(ElementType type, ReduceOp op, int members) {
        long key = (long) type.code() << 32 | (long) op.code() << 16 | members;
        return KERNELS.computeIfAbsent(key, _ -> {
            String name = "pgas_push_" + type.name().toLowerCase(Locale.ROOT) + "_" + op.name().toLowerCase(Locale.ROOT) + "_"
                    + members;
            String source = TeamKernelText.declarations(CombineKernels.cType(type), type.bytes(), members)
                    + TeamKernelText.meeting(members) + CombineText.functions(type, op, members)
                    + (PUSH + COMBINE + KERNEL).replace("PARAMETERS", TeamKernelText.list(members, "char *a", ", "))
                            .replace("ARGUMENTS", TeamKernelText.list(members, "a", ", "))
                            .replace("VECTORS_READ", TeamKernelText.list(members, "const pgas_element *s", ", "))
                            .replace("LIST_READ", TeamKernelText.list(members, "s", ", "))
                            .replace("VECTORS_WRITTEN", TeamKernelText.list(members, "pgas_element *d", ", "))
                            .replace("LIST_WRITTEN", TeamKernelText.list(members, "d", ", "))
                            .replace("BATCH", Integer.toString(MAX_CHUNK / THREADS)).replace("THREADS", Integer.toString(THREADS))
                            .replace("CHUNK_BYTES", Integer.toString(DeviceArea.CHUNK_BYTES))
                            .replace("CHUNKS", Integer.toString(DeviceArea.CHUNKS))
                            .replace("MEMBERS", Integer.toString(members)).replace("NAME", name);
            return new Kernel(name, source, (_, args) -> twin(args, members).push(type, op));
        });
    }

    private static HostDirect twin(Kernel.Args args, int members) {
        int numbers = 1 + 3 * members;
        return new HostDirect(args, members, args.longAt(numbers + 1), args.intAt(numbers + 4), args.longAt(numbers + 5));
    }

    private static final String PUSH = """

            // A member's part of a vector.
            struct pgas_part {
                long long begin;
                long long length;
            };

            static __device__ __forceinline__ pgas_part pgas_part_of(int member, long long each, long long count) {
                long long begin = min(each * member, count);
                return {begin, min(each, count - begin)};
            }

            static __device__ __forceinline__ uint4 *pgas_chunk(char *area, long long pushed, pgas_u32 epoch, int sender) {
                return (uint4 *) (area + pushed
                        + ((long long) (blockIdx.x * CHUNKS + epoch % CHUNKS) * MEMBERS + sender) * CHUNK_BYTES);
            }

            // Writes words first to first + chunk - 1 of each other member's part to that member.
            static __device__ __forceinline__ void pgas_push(char *const *areas, const pgas_element *mine, long long each,
                                                                 long long count, long long first, long long chunk,
                                                                 long long pushed, int me, pgas_u32 epoch) {
                uint4 words[MEMBERS][BATCH];
                #pragma unroll
                for (int k = 1; k < MEMBERS; k++) {
                    pgas_part part = pgas_part_of((me + k) % MEMBERS, each, count);
                    #pragma unroll
                    for (int b = 0; b < BATCH; b++) {
                        long long i = threadIdx.x + b * blockDim.x;
                        if (i < chunk && first + i < part.length / PER_VECTOR) {
                            words[k][b] = ((const uint4 *) (mine + part.begin))[first + i];
                        }
                    }
                }
                #pragma unroll
                for (int k = 1; k < MEMBERS; k++) {
                    int member = (me + k) % MEMBERS;
                    pgas_part part = pgas_part_of(member, each, count);
                    uint4 *to = pgas_chunk(areas[member], pushed, epoch, me);
                    #pragma unroll
                    for (int b = 0; b < BATCH; b++) {
                        long long i = threadIdx.x + b * blockDim.x;
                        if (i < chunk && first + i < part.length / PER_VECTOR) {
                            to[i] = words[k][b];
                        }
                    }
                }
            }
            """;

    private static final String COMBINE = """

            // Combines words first to first + chunk - 1 of the own part with what the others have written.
            static __device__ __forceinline__ void pgas_combine(char *own, const pgas_element *mine, pgas_element *const *results,
                                                                    pgas_part part, long long first, long long chunk,
                                                                    long long pushed, int me, pgas_u32 epoch) {
                pgas_vector loaded[BATCH][MEMBERS];
                #pragma unroll
                for (int b = 0; b < BATCH; b++) {
                    long long i = threadIdx.x + b * blockDim.x;
                    if (i < chunk && first + i < part.length / PER_VECTOR) {
                        #pragma unroll
                        for (int m = 0; m < MEMBERS; m++) {
                            const uint4 *from = m == me ? (const uint4 *) (mine + part.begin) + first
                                    : pgas_chunk(own, pushed, epoch, m);
                            loaded[b][m].all = from[i];
                        }
                    }
                }
                #pragma unroll
                for (int b = 0; b < BATCH; b++) {
                    long long i = threadIdx.x + b * blockDim.x;
                    if (i < chunk && first + i < part.length / PER_VECTOR) {
                        pgas_vector result;
                        #pragma unroll
                        for (int e = 0; e < PER_VECTOR; e++) {
                            pgas_element x[MEMBERS];
                            #pragma unroll
                            for (int m = 0; m < MEMBERS; m++) {
                                x[m] = loaded[b][m].each[e];
                            }
                            result.each[e] = pgas_tree(x);
                        }
                        #pragma unroll
                        for (int d = 0; d < MEMBERS; d++) {
                            ((uint4 *) (results[d] + part.begin))[first + i] = result.all;
                        }
                    }
                }
            }
            """;

    private static final String KERNEL = """

            extern "C" __global__ void __launch_bounds__(THREADS) NAME(char *own, PARAMETERS, VECTORS_READ, VECTORS_WRITTEN,
                                                                       long long each, long long count, long long chunk,
                                                                       long long pushed, int me, long long limit) {
                pgas_begin();
                char *const areas[MEMBERS] = {ARGUMENTS};
                const pgas_element *const sources[MEMBERS] = {LIST_READ};
                pgas_element *const results[MEMBERS] = {LIST_WRITTEN};
                pgas_u32 epoch = ((const pgas_u32 *) own)[blockIdx.x];
                pgas_wait wait = {own, limit, 0, 0, false};
                const pgas_part part = pgas_part_of(me, each, count);
                const long long most = (each + PER_VECTOR - 1) / PER_VECTOR;
                const long long step = gridDim.x * chunk;
                long long first = blockIdx.x * chunk;
                if (first < most) {
                    pgas_push(areas, sources[me], each, count, first, chunk, pushed, me, epoch + 1);
                }
                for (; first < most; first += step) {
                    epoch++;
                    __syncthreads();
                    pgas_tell(areas, me, epoch);
                    if (first + step < most) {
                        pgas_push(areas, sources[me], each, count, first + step, chunk, pushed, me, epoch + 1);
                    }
                    pgas_hear(own, me, epoch, &wait);
                    __syncthreads();
                    pgas_combine(own, sources[me], results, part, first, chunk, pushed, me, epoch);
                }
                // Less than a word at the end of the last part is read where it is: all have begun, and wait below.
                long long rest = part.length / PER_VECTOR * PER_VECTOR + threadIdx.x;
                if (blockIdx.x == 0 && rest < part.length) {
                    pgas_element x[MEMBERS];
                    #pragma unroll
                    for (int m = 0; m < MEMBERS; m++) {
                        x[m] = sources[m][part.begin + rest];
                    }
                    pgas_element result = pgas_tree(x);
                    #pragma unroll
                    for (int d = 0; d < MEMBERS; d++) {
                        results[d][part.begin + rest] = result;
                    }
                }
                pgas_meet(own, areas, me, epoch + 1, &wait);
                if (threadIdx.x == 0) {
                    ((pgas_u32 *) own)[blockIdx.x] = epoch + 1;
                }
            }
            """;
}
