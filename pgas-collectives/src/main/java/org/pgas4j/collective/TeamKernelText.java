package org.pgas4j.collective;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.pgas4j.ElementType;

/** CUDA C++ that kernels of several members have in common: words of elements, and bounded waits for flags and packets. */
final class TeamKernelText {

    private TeamKernelText() {
    }

    /** Declarations before a kernel for {@code members} members. */
    static String declarations(String type, int elementBytes, int members) {
        return """
                typedef TYPE pgas_element;
                typedef UNSIGNED pgas_unsigned;
                typedef unsigned pgas_u32;
                typedef unsigned long long pgas_u64;
                static const int PER_WORD = 8 / sizeof(pgas_element);
                static const int PER_VECTOR = 16 / sizeof(pgas_element);

                union pgas_word {
                    pgas_u64 all;
                    pgas_u32 half[2];
                    pgas_element each[PER_WORD];
                };

                union pgas_vector {
                    uint4 all;
                    pgas_element each[PER_VECTOR];
                };

                // Begins a kernel: it may have been launched before the one before it has ended, and the next may be, too.
                static __device__ __forceinline__ void pgas_begin() {
                #if __CUDA_ARCH__ >= 900
                    asm volatile("griddepcontrol.wait;" ::: "memory");
                    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
                #endif
                }

                // Ends a wait that was stopped; one that is late ends the kernel with an error.
                struct pgas_wait {
                    const char *own;
                    long long limit;
                    pgas_u64 until;
                    int spins;
                    bool stopped;
                };

                static __device__ __noinline__ void pgas_look(pgas_wait *w) {
                    pgas_u64 now;
                    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
                    w->until = w->until == 0 ? now + (pgas_u64) w->limit : w->until;
                    w->stopped = *(const volatile pgas_u32 *) (w->own + STOP_OFFSET) != 0;
                    if (now > w->until && !w->stopped) {
                        __trap();
                    }
                }

                // True if the caller is to give up.
                static __device__ __forceinline__ bool pgas_again(pgas_wait *w) {
                    if ((++w->spins & 1023) == 0) {
                        pgas_look(w);
                    }
                    return w->stopped;
                }

                static __device__ __forceinline__ char *pgas_region(char *area, pgas_u32 block, pgas_u32 epoch, int sender) {
                    return area + REGIONS_OFFSET + ((long long) (block * 2 + (epoch & 1)) * MEMBERS + sender) * REGION_BYTES;
                }

                static __device__ __forceinline__ pgas_u32 *pgas_flag(char *area, pgas_u32 block, int member) {
                    return (pgas_u32 *) (area + FLAGS_OFFSET) + block * MAX_MEMBERS + member;
                }

                // release: pairs with pgas_await_flag; what the threads of the block wrote before a barrier comes first
                static __device__ __forceinline__ void pgas_set_flag(pgas_u32 *flag, pgas_u32 epoch) {
                    asm volatile("st.release.sys.global.u32 [%0], %1;" :: "l"(flag), "r"(epoch) : "memory");
                }

                // acquire: pairs with pgas_set_flag
                static __device__ __forceinline__ pgas_u32 pgas_read_flag(const pgas_u32 *flag) {
                    pgas_u32 found;
                    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(found) : "l"(flag) : "memory");
                    return found;
                }

                static __device__ __forceinline__ void pgas_await_flag(const pgas_u32 *flag, pgas_u32 epoch, pgas_wait *w) {
                    while ((int) (pgas_read_flag(flag) - epoch) < 0 && !pgas_again(w)) {
                    }
                }

                static __device__ __forceinline__ pgas_u64 pgas_load(const pgas_element *from, long long i, long long count,
                                                                     bool aligned) {
                    if (aligned && i + PER_WORD <= count) {
                        return *(const pgas_u64 *) (from + i);
                    }
                    pgas_word word;
                    word.all = 0;
                    for (int e = 0; e < PER_WORD; e++) {
                        if (i + e < count) {
                            word.each[e] = from[i + e];
                        }
                    }
                    return word.all;
                }

                static __device__ __forceinline__ void pgas_store(pgas_element *to, long long i, long long count, bool aligned,
                                                                  pgas_word word) {
                    if (aligned && i + PER_WORD <= count) {
                        *(pgas_u64 *) (to + i) = word.all;
                        return;
                    }
                    for (int e = 0; e < PER_WORD; e++) {
                        if (i + e < count) {
                            to[i + e] = word.each[e];
                        }
                    }
                }
                """.replace("STOP_OFFSET", Integer.toString(DeviceArea.STOP))
                .replace("REGIONS_OFFSET", Integer.toString(DeviceArea.REGIONS))
                .replace("FLAGS_OFFSET", Integer.toString(DeviceArea.FLAGS))
                .replace("REGION_BYTES", Integer.toString(DeviceArea.REGION_BYTES))
                .replace("MAX_MEMBERS", Integer.toString(DeviceArea.MAX_MEMBERS))
                .replace("MEMBERS", Integer.toString(members))
                .replace("UNSIGNED", elementBytes == Long.BYTES ? "unsigned long long" : "unsigned").replace("TYPE", type);
    }

    /** A meeting of a block with the same block of all other members, behind the declarations. */
    static String meeting(int members) {
        return """

                // Sets the flags of the other members, a thread each: what threads of the block wrote before a barrier is seen by
                // who hears of it.
                static __device__ __forceinline__ void pgas_tell(char *const *areas, int me, pgas_u32 epoch) {
                    int member = threadIdx.x;
                    if (member < MEMBERS && member != me) {
                        char *there = areas[0];
                        #pragma unroll
                        for (int m = 1; m < MEMBERS; m++) {
                            there = member == m ? areas[m] : there;
                        }
                        pgas_set_flag(pgas_flag(there, blockIdx.x, me), epoch);
                    }
                }

                // Waits for the flags of the other members; a barrier follows.
                static __device__ __forceinline__ void pgas_hear(char *own, int me, pgas_u32 epoch, pgas_wait *wait) {
                    int member = threadIdx.x;
                    if (member < MEMBERS && member != me) {
                        pgas_await_flag(pgas_flag(own, blockIdx.x, member), epoch, wait);
                    }
                }

                // The block and the same block of all others have come here; what they wrote before is seen after. All flags are
                // on their way before the first is waited for.
                static __device__ __forceinline__ void pgas_meet(char *own, char *const *areas, int me, pgas_u32 epoch,
                                                                     pgas_wait *wait) {
                    __syncthreads();
                    pgas_tell(areas, me, epoch);
                    pgas_hear(own, me, epoch, wait);
                    __syncthreads();
                }
                """.replace("MEMBERS", Integer.toString(members));
    }

    /** The type in which elements are moved. */
    static String moved(ElementType type) {
        return switch (type.bytes()) {
            case Byte.BYTES -> "unsigned char";
            case Short.BYTES -> "unsigned short";
            case Integer.BYTES -> "unsigned";
            default -> "unsigned long long";
        };
    }

    /** {@code before0, before1, ...} with something between. */
    static String list(int count, String before, String between) {
        return IntStream.range(0, count).mapToObj(i -> before + i).collect(Collectors.joining(between));
    }
}
