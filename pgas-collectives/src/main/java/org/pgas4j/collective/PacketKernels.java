package org.pgas4j.collective;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.ReduceOp;

/**
 * Kernels in which members send each other their elements as packets: 16-byte stores of 8 bytes of data, each half followed by
 * the epoch, into memory of the receiver, which looks at the epochs until they have come. No fence and no flag of its own is
 * needed, because each half is stored at once (NCCL calls it LL: Hu et al., Demystifying NCCL, 2025). Each member sends part
 * {@code m} of its source to member {@code m}, or the same to all where the parts have a stride of 0. Kernels in parts send twice,
 * and fewer bytes: each member has a part of the vector, which it combines, or receives from the root, and sends to all.
 *
 * <p>Arguments: destination, source, area of this member, areas of all, count of elements of a part, stride of the parts of the
 * source in elements, number of this member, limit of a wait in ns; of a broadcast also the root. Any thread.
 */
final class PacketKernels {

    static final int PACKET_BYTES = 16;
    static final int MAX_THREADS = 512;
    private static final int AREAS = 3;

    private static final Map<Long, Kernel> KERNELS = new ConcurrentHashMap<>();

    private enum Kind {
        COMBINE, MOVE, BROADCAST, COMBINE_PARTS, BROADCAST_PARTS;

        boolean combines() {
            return this == COMBINE || this == COMBINE_PARTS;
        }

        boolean hasRoot() {
            return this == BROADCAST || this == BROADCAST_PARTS;
        }

        /** Parts of the vector in a round. */
        int parts(int members) {
            return switch (this) {
                case COMBINE, MOVE, BROADCAST -> 1;
                case COMBINE_PARTS -> members;
                case BROADCAST_PARTS -> members - 1;
            };
        }
    }

    private PacketKernels() {
    }

    /** Combines what all have sent, in the order of the tree of {@link HostCombiner}. */
    static Kernel combining(ElementType type, ReduceOp op, int members) {
        return KERNELS.computeIfAbsent((long) type.code() << 32 | (long) op.code() << 16 | members,
                _ -> make("pgas_packets_" + type.name().toLowerCase(Locale.ROOT) + "_"
                        + op.name().toLowerCase(Locale.ROOT) + "_" + members, Kind.COMBINE, type, op, members));
    }

    /** Writes what member {@code m} has sent as part {@code m}. */
    static Kernel moving(ElementType type, int members) {
        return KERNELS.computeIfAbsent(-((long) type.bytes() << 16 | members),
                _ -> make("pgas_packets_move_" + type.bytes() + "_" + members, Kind.MOVE, type, null, members));
    }

    /** Writes what the root has sent. */
    static Kernel broadcasting(ElementType type, int members) {
        return KERNELS.computeIfAbsent(-(1L << 40 | (long) type.bytes() << 16 | members),
                _ -> make("pgas_packets_broadcast_" + type.bytes() + "_" + members, Kind.BROADCAST, type, null, members));
    }

    /** Combines a part of what all have in each member, which sends the result to all. */
    static Kernel combiningParts(ElementType type, ReduceOp op, int members) {
        return KERNELS.computeIfAbsent(1L << 40 | (long) type.code() << 32 | (long) op.code() << 16 | members,
                _ -> make("pgas_packets_parts_" + type.name().toLowerCase(Locale.ROOT) + "_"
                        + op.name().toLowerCase(Locale.ROOT) + "_" + members, Kind.COMBINE_PARTS, type, op, members));
    }

    /** Writes what the root has sent: a part of it to each member, which passes it on to all but the root. */
    static Kernel broadcastingParts(ElementType type, int members) {
        return KERNELS.computeIfAbsent(-(1L << 41 | (long) type.bytes() << 16 | members),
                _ -> make("pgas_packets_broadcast_parts_" + type.bytes() + "_" + members, Kind.BROADCAST_PARTS, type, null,
                        members));
    }

    private static Kernel make(String name, Kind kind, ElementType type, ReduceOp op, int members) {
        Kernel.Body body = switch (kind) {
            case COMBINE -> (_, args) -> twin(args, type, members).combine(op);
            case MOVE -> (_, args) -> twin(args, type, members).move();
            case BROADCAST -> (_, args) -> twin(args, type, members).broadcast(args.intAt(AREAS + members + 4));
            case COMBINE_PARTS -> (_, args) -> twin(args, type, members).combineParts(op);
            case BROADCAST_PARTS -> (_, args) -> twin(args, type, members).broadcastParts(args.intAt(AREAS + members + 4));
        };
        return new Kernel(name, source(name, kind, type, op, members), body);
    }

    private static HostPackets twin(Kernel.Args args, ElementType type, int members) {
        int after = AREAS + members;
        return new HostPackets(args, AREAS, type, members, args.longAt(after), args.longAt(after + 1), args.intAt(after + 2),
                args.longAt(after + 3));
    }

    private static String source(String name, Kind kind, ElementType type, ReduceOp op, int members) {
        String declarations = TeamKernelText.declarations(
                kind.combines() ? CombineKernels.cType(type) : TeamKernelText.moved(type), type.bytes(), members);
        String rounds = switch (kind) {
            case COMBINE -> COMBINE;
            case MOVE -> MOVE;
            case BROADCAST -> BROADCAST;
            case COMBINE_PARTS -> PARTS + COMBINE_PARTS;
            case BROADCAST_PARTS -> PARTS + BROADCAST_PARTS;
        };
        return declarations + PACKETS.replace("MEMBERS", Integer.toString(members))
                + (kind.combines() ? CombineText.functions(type, op, members) : "")
                + (HEAD + rounds + TAIL).replace("ROOT", kind.hasRoot() ? ", int root" : "")
                .replace("BEFORE", kind.hasRoot() ? "" : BEFORE)
                .replace("AFTER", kind.hasRoot() ? AFTER_BROADCAST : "")
                .replace("COMBINED", COMBINED.indent(12).strip())
                .replace("PARTS", Integer.toString(kind.parts(members)))
                .replace("LED_OFFSET", Integer.toString(DeviceArea.LED))
                .replace("PARAMETERS", TeamKernelText.list(members, "char *a", ", "))
                .replace("ARGUMENTS", TeamKernelText.list(members, "a", ", "))
                .replace("MEMBERS", Integer.toString(members)).replace("NAME", name)
                .replace("THREADS", Integer.toString(MAX_THREADS))
                .replace("CAPACITY", Integer.toString(DeviceArea.REGION_BYTES / PACKET_BYTES));
    }

    private static final String PACKETS = """

            static __device__ __forceinline__ void pgas_put(char *to, pgas_u64 data, pgas_u32 epoch) {
                pgas_word word;
                word.all = data;
                asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};"
                        :: "l"(to), "r"(word.half[0]), "r"(epoch), "r"(word.half[1]), "r"(epoch) : "memory");
            }

            // True if a packet of the epoch is there.
            static __device__ __forceinline__ bool pgas_take(const char *from, pgas_u32 epoch, pgas_word *data) {
                pgas_u32 first, second;
                asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                        : "=r"(data->half[0]), "=r"(first), "=r"(data->half[1]), "=r"(second) : "l"(from) : "memory");
                return first == epoch && second == epoch;
            }

            // All but two have begun the round, and need no packets of those before it. Each warp finds out by itself.
            static __device__ __forceinline__ void pgas_await_begun(char *own, pgas_u32 block, int me, int other, pgas_u32 epoch,
                                                                    pgas_wait *w) {
                int lane = threadIdx.x & 31;
                bool begun;
                do {
                    pgas_u32 found = lane < MEMBERS && lane != me && lane != other
                            ? pgas_read_flag(pgas_flag(own, block, lane)) : epoch;
                    begun = __all_sync(0xffffffffu, (int) (found - epoch) >= 0);
                } while (!begun && !__any_sync(0xffffffffu, pgas_again(w)));
                __syncwarp();
            }
            """;

    /** Of all kernels, up to the first statement of a round, in which each block sends and takes its share, n packets at s. */
    private static final String HEAD = """

            extern "C" __global__ void __launch_bounds__(THREADS) NAME(pgas_element *dst, pgas_element *src, char *own, PARAMETERS,
                                                                       long long count, long long stride, int me,
                                                                       long long limitROOT) {
                pgas_begin();
                char *const areas[MEMBERS] = {ARGUMENTS};
                pgas_u32 block = blockIdx.x;
                pgas_u32 epoch = ((const pgas_u32 *) own)[block];
                pgas_wait wait = {own, limit, 0, 0, false};
                long long words = (count + PER_WORD - 1) / PER_WORD;
                long long each = (words + gridDim.x - 1) / gridDim.x;
                long long begin = min(each * block, words);
                long long end = min(begin + each, words);
                bool aligned = (((pgas_u64) dst | (pgas_u64) src | (pgas_u64) (count * sizeof(pgas_element))
                        | (pgas_u64) (stride * sizeof(pgas_element))) & 7) == 0;
                BEFORE
                for (long long s = begin; s < end; s += CAPACITY * PARTS) {
                    epoch++;
                    int n = (int) min((long long) CAPACITY * PARTS, end - s);
            """;

    private static final String TAIL = """
                }
                __syncthreads();
                if (threadIdx.x == 0) {
                    ((pgas_u32 *) own)[block] = epoch;
                    AFTER
                }
            }
            """;

    /** Of those in which all send: one that has led the last round knows only that the others have begun the one before it. */
    private static final String BEFORE = """
            if (((const pgas_u32 *) (own + LED_OFFSET))[block] == epoch) {
                    pgas_await_begun(own, block, me, me, epoch, &wait);
                }""";

    private static final String AFTER_BROADCAST = """
            if (me == root && begin < end) {
                        ((pgas_u32 *) (own + LED_OFFSET))[block] = epoch;
                    }""";

    /** A thread that has no packets in the last round would not know that the others have taken those of the one before. */
    private static final String LAST = """
                    if (s != begin && n < CAPACITY) {
                        __syncthreads();
                    }
            """;

    /** Takes the packets of all others at j, and combines them with the own word {@code mine}. */
    private static final String COMBINED = """
            pgas_word found[MEMBERS];
            bool all;
            do {
                all = true;
                #pragma unroll
                for (int m = 0; m < MEMBERS; m++) {
                    if (m != me) {
                        all &= pgas_take(pgas_region(own, block, epoch, m) + j * 16, epoch, &found[m]);
                    } else {
                        found[m].all = mine;
                    }
                }
            } while (!all && !pgas_again(&wait));
            pgas_word result;
            #pragma unroll
            for (int e = 0; e < PER_WORD; e++) {
                pgas_element x[MEMBERS];
                #pragma unroll
                for (int m = 0; m < MEMBERS; m++) {
                    x[m] = found[m].each[e];
                }
                result.each[e] = pgas_tree(x);
            }
            """;

    /**
     * Takes packets of several members, and stores them.
     *
     * @param count of the places j that some have
     * @param has   whether m has one at j
     * @param to    of it
     * @param word  its number there, behind s
     */
    private static String taking(String count, String has, String to, String word) {
        return """
                for (int j = threadIdx.x; j < COUNT; j += blockDim.x) {
                    pgas_word found[MEMBERS];
                    bool all;
                    do {
                        all = true;
                        #pragma unroll
                        for (int m = 0; m < MEMBERS; m++) {
                            if (HAS) {
                                all &= pgas_take(pgas_region(own, block, epoch, m) + j * 16, epoch, &found[m]);
                            }
                        }
                    } while (!all && !pgas_again(&wait));
                    #pragma unroll
                    for (int m = 0; m < MEMBERS; m++) {
                        if (HAS) {
                            pgas_store(TO, (s + PLACE) * PER_WORD, count, aligned, found[m]);
                        }
                    }
                }
                """.replace("COUNT", count).replace("HAS", has).replace("TO", to).replace("PLACE", word).indent(8);
    }

    private static final String COMBINE = LAST + """
                    for (int j = threadIdx.x; j < n; j += blockDim.x) {
                        #pragma unroll
                        for (int m = 0; m < MEMBERS; m++) {
                            if (m != me) {
                                pgas_put(pgas_region(areas[m], block, epoch, me) + j * 16,
                                        pgas_load(src + m * stride, (s + j) * PER_WORD, count, aligned), epoch);
                            }
                        }
                    }
                    for (int j = threadIdx.x; j < n; j += blockDim.x) {
                        pgas_u64 mine = pgas_load(src + me * stride, (s + j) * PER_WORD, count, aligned);
                        COMBINED
                        pgas_store(dst, (s + j) * PER_WORD, count, aligned, result);
                    }
            """;

    private static final String MOVE = LAST + """
                    for (int j = threadIdx.x; j < n; j += blockDim.x) {
                        #pragma unroll
                        for (int m = 0; m < MEMBERS; m++) {
                            pgas_word data;
                            data.all = pgas_load(src + m * stride, (s + j) * PER_WORD, count, aligned);
                            if (m != me) {
                                pgas_put(pgas_region(areas[m], block, epoch, me) + j * 16, data.all, epoch);
                            } else {
                                pgas_store(dst + me * count, (s + j) * PER_WORD, count, aligned, data);
                            }
                        }
                    }
            """ + taking("n", "m != me", "dst + m * count", "j");

    private static final String BROADCAST = """
                    int j = threadIdx.x;
                    pgas_word data;
                    if (me == root) {
                        data.all = j < n ? pgas_load(src, (s + j) * PER_WORD, count, aligned) : 0;
                        pgas_await_begun(own, block, me, me, epoch - 1, &wait);  // packets go where those of the last but one were
                        while (j < n) {
                            #pragma unroll
                            for (int m = 0; m < MEMBERS; m++) {
                                if (m != me) {
                                    pgas_put(pgas_region(areas[m], block, epoch, me) + j * 16, data.all, epoch);
                                }
                            }
                            j += blockDim.x;
                            data.all = j < n ? pgas_load(src, (s + j) * PER_WORD, count, aligned) : 0;
                        }
                    } else {
                        if (s != begin) {
                            __syncthreads();
                        }
                        if (threadIdx.x == blockDim.x - 1) {
                            pgas_set_flag(pgas_flag(areas[root], block, me), epoch);
                        }
                        for (; j < n; j += blockDim.x) {
                            const char *from = pgas_region(own, block, epoch, root) + j * 16;
                            while (!pgas_take(from, epoch, &data) && !pgas_again(&wait)) {
                            }
                            pgas_store(dst, (s + j) * PER_WORD, count, aligned, data);
                        }
                    }
            """;

    /** Of rounds in two steps, each of which has an epoch: part p is width packets at p * width, or those that are left. */
    private static final String PARTS = """
                    int width = ((n + PARTS - 1) / PARTS + 15) & ~15;
            """;

    /** A member's results say that it has taken what was sent to it, each packet of them that of its place. */
    private static final String COMBINE_PARTS = """
                    int length = min(width, n - min(me * width, n));
                    for (int j = threadIdx.x; j < width; j += blockDim.x) {
                        #pragma unroll
                        for (int m = 0; m < MEMBERS; m++) {
                            if (m != me && m * width + j < n) {
                                pgas_put(pgas_region(areas[m], block, epoch, me) + j * 16,
                                        pgas_load(src, (s + m * width + j) * PER_WORD, count, aligned), epoch);
                            }
                        }
                    }
                    for (int j = threadIdx.x; j < length; j += blockDim.x) {
                        pgas_u64 mine = pgas_load(src, (s + me * width + j) * PER_WORD, count, aligned);
                        COMBINED
                        #pragma unroll
                        for (int m = 0; m < MEMBERS; m++) {
                            if (m != me) {
                                pgas_put(pgas_region(areas[m], block, epoch + 1, me) + j * 16, result.all, epoch + 1);
                            }
                        }
                        pgas_store(dst, (s + me * width + j) * PER_WORD, count, aligned, result);
                    }
                    epoch++;
            """ + taking("width", "m != me && m * width + j < n", "dst", "m * width + j");

    /**
     * The root is answered when all packets have been taken, of its own and of the others: what it sends next tells them so. Those
     * who pass packets on know by flags that the others have begun the round, which come while the root's packets do.
     */
    private static final String BROADCAST_PARTS = """
                    int flagged = (int) (blockDim.x - 1 - threadIdx.x);
                    if (me == root) {
                        int j = threadIdx.x;
                        pgas_u64 words_of[MEMBERS];
                        #pragma unroll
                        for (int m = 0; m < MEMBERS; m++) {
                            int at = (m < root ? m : m - 1) * width + j;
                            words_of[m] = m != me && j < width && at < n ? pgas_load(src, (s + at) * PER_WORD, count, aligned) : 0;
                        }
                        pgas_await_begun(own, block, me, me, epoch - 1, &wait);
                        while (j < width) {
                            #pragma unroll
                            for (int m = 0; m < MEMBERS; m++) {
                                if (m != me && (m < root ? m : m - 1) * width + j < n) {
                                    pgas_put(pgas_region(areas[m], block, epoch, me) + j * 16, words_of[m], epoch);
                                }
                            }
                            j += blockDim.x;
                            #pragma unroll
                            for (int m = 0; m < MEMBERS; m++) {
                                int at = (m < root ? m : m - 1) * width + j;
                                words_of[m] = m != me && j < width && at < n
                                        ? pgas_load(src, (s + at) * PER_WORD, count, aligned) : 0;
                            }
                        }
                        epoch++;
                    } else {
                        if (s != begin) {
                            __syncthreads();
                        }
                        char *there = areas[0];
                        #pragma unroll
                        for (int m = 1; m < MEMBERS; m++) {
                            there = flagged == m ? areas[m] : there;
                        }
                        if (flagged < MEMBERS && flagged != me) {
                            pgas_set_flag(pgas_flag(there, block, me), epoch);
                        }
                        pgas_await_begun(own, block, me, root, epoch, &wait);
                        int first = (me < root ? me : me - 1) * width;
                        int mine = min(width, n - min(first, n));
                        for (int j = threadIdx.x; j < mine; j += blockDim.x) {
                            const char *from = pgas_region(own, block, epoch, root) + j * 16;
                            pgas_word data;
                            while (!pgas_take(from, epoch, &data) && !pgas_again(&wait)) {
                            }
                            #pragma unroll
                            for (int m = 0; m < MEMBERS; m++) {
                                if (m != me && m != root) {
                                    pgas_put(pgas_region(areas[m], block, epoch + 1, me) + j * 16, data.all, epoch + 1);
                                }
                            }
                            pgas_store(dst, (s + first + j) * PER_WORD, count, aligned, data);
                        }
                        epoch++;
            """ + taking("width", "m != me && m != root && (m < root ? m : m - 1) * width + j < n", "dst",
                    "(m < root ? m : m - 1) * width + j").indent(4) + """
                        __syncthreads();
                        if (flagged == root) {
                            pgas_set_flag(pgas_flag(there, block, me), epoch);
                        }
                    }
            """;
}
