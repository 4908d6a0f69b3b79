// ---- loads, stores and fences; their names are those of PTX

// As the program's own loads, but where the program has it.
PGAS_FN pgas_u64 pgas_ld_plain(const void *p) {
    pgas_u64 v;
    asm volatile("ld.global.u64 %0, [%1];" : "=l"(v) : "l"(p));
    return v;
}

// Tells the compiler that an address is one of global memory, where atomic operations are one instruction.
PGAS_FN char *pgas_global(char *p) {
    __builtin_assume(__isGlobal(p));
    return p;
}

PGAS_FN pgas_u64 pgas_ld(const void *p) {
    pgas_u64 v;
    asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}

PGAS_FN pgas_u64 pgas_ld_acquire(const void *p) {
    pgas_u64 v;
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}

PGAS_FN pgas_u64 pgas_ld_acquire_device(const void *p) {
    pgas_u64 v;
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}

PGAS_FN void pgas_ld2(const void *p, pgas_u64 &a, pgas_u64 &b) {
    asm volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];" : "=l"(a), "=l"(b) : "l"(p) : "memory");
}

PGAS_FN void pgas_st(void *p, pgas_u64 v) {
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" :: "l"(p), "l"(v) : "memory");
}

// Stores a word of 4 or 8 bytes.
PGAS_FN void pgas_st_word(void *p, pgas_u64 v, pgas_u32 bytes) {
    if (bytes == 8) {
        pgas_st(p, v);
    } else {
        *(volatile pgas_u32 *) p = (pgas_u32) v;
    }
}

PGAS_FN void pgas_st_release(void *p, pgas_u64 v) {
    asm volatile("st.release.sys.global.u64 [%0], %1;" :: "l"(p), "l"(v) : "memory");
}

PGAS_FN void pgas_st_release_device(void *p, pgas_u64 v) {
    asm volatile("st.release.gpu.global.u64 [%0], %1;" :: "l"(p), "l"(v) : "memory");
}

PGAS_FN void pgas_st2(void *p, pgas_u64 a, pgas_u64 b) {
    asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1, %2};" :: "l"(p), "l"(a), "l"(b) : "memory");
}

PGAS_FN void pgas_red(void *p, pgas_u64 v) {
    asm volatile("red.relaxed.sys.global.add.u64 [%0], %1;" :: "l"(p), "l"(v) : "memory");
}

// For this device, or those that copy from its memory after the launch.
PGAS_FN void pgas_red_device(void *p, pgas_u64 v) {
    asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" :: "l"(p), "l"(v) : "memory");
}

PGAS_FN void pgas_max(void *p, pgas_u64 v) {
    asm volatile("red.relaxed.sys.global.max.u64 [%0], %1;" :: "l"(p), "l"(v) : "memory");
}

PGAS_FN void pgas_red_release_device(void *p, pgas_u64 v) {
    asm volatile("red.release.gpu.global.add.u64 [%0], %1;" :: "l"(p), "l"(v) : "memory");
}

PGAS_FN pgas_u64 pgas_add(void *p, pgas_u64 v) {
    pgas_u64 old;
    asm volatile("atom.relaxed.sys.global.add.u64 %0, [%1], %2;" : "=l"(old) : "l"(p), "l"(v) : "memory");
    return old;
}

PGAS_FN void pgas_fence_system() {
    asm volatile("fence.acq_rel.sys;" ::: "memory");
}

PGAS_FN void pgas_fence_device() {
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

// Loads a word of shared memory where the program has it, and not later.
template <typename T>
PGAS_FN T pgas_ld_shared(const T *p) {
    static_assert(sizeof(T) == 8, "a word");
    pgas_u64 v;
    asm volatile("ld.shared.u64 %0, [%1];" : "=l"(v) : "r"((pgas_u32) __cvta_generic_to_shared(p)) : "memory");
    return (T) v;
}

PGAS_FN pgas_u64 pgas_now() {
    pgas_u64 v;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(v) :: "memory");
    return v;
}

PGAS_FN void pgas_exit_thread() {
    asm volatile("exit;");
}

// Hides a value from the compiler. Threads of a warp that leave a loop meet again behind it, and the compiler may move
// what follows an exit there: a thread would hold a lock, or the number of a message, while it waits for threads that
// wait for it. So loops in which threads wait for each other do the work inside and end by a condition that the
// compiler cannot follow.
PGAS_FN bool pgas_opaque(bool value) {
    pgas_u32 v = value;
    asm volatile("" : "+r"(v) :: "memory");
    return v != 0;
}

// A word that the compiler does not know, in programs whose threads have few registers: what follows from it is not computed ahead of
// a loop, and kept in local memory until it is used, which takes longer than to compute it.
template <typename T> PGAS_FN T pgas_not_ahead(T word) {
#ifdef PGAS_FEW_REGISTERS
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a word");
    if constexpr (sizeof(T) == 8) {
        asm volatile("" : "+l"(word));
    } else {
        asm volatile("" : "+r"(word));
    }
#endif
    return word;
}

// ---- copies

// Copies as thread i of n.
PGAS_FN void pgas_copy(char *dst, const char *src, pgas_u64 bytes, pgas_u32 i, pgas_u32 n) {
    pgas_u64 both = (pgas_u64) dst | (pgas_u64) src;
    pgas_u64 done = 0;
    if ((both & 15) == 0) {
        pgas_u64 vectors = bytes / 16;
        pgas_u64 k = i;
        const uint4 *from = (const uint4 *) src;
        uint4 *to = (uint4 *) dst;
        for (; k + 3 * (pgas_u64) n < vectors; k += 4 * (pgas_u64) n) {
            uint4 a = from[k], b = from[k + n], d = from[k + 2 * (pgas_u64) n], e = from[k + 3 * (pgas_u64) n];
            to[k] = a;
            to[k + n] = b;
            to[k + 2 * (pgas_u64) n] = d;
            to[k + 3 * (pgas_u64) n] = e;
        }
        for (; k < vectors; k += n) {
            to[k] = from[k];
        }
        done = vectors * 16;
    } else if ((both & 3) == 0) {
        pgas_u64 words = bytes / 4;
        for (pgas_u64 k = i; k < words; k += n) {
            ((pgas_u32 *) dst)[k] = ((const pgas_u32 *) src)[k];
        }
        done = words * 4;
    }
    for (pgas_u64 k = done + i; k < bytes; k += n) {
        dst[k] = src[k];
    }
}

#define PGAS_HOST_WORDS 5  // of 16 bytes that a thread has on their way from host memory

// Copies what the host has written, from byte `first` to before byte `end`, as thread i of n; dst and src are multiples of 16.
PGAS_FN void pgas_copy_from_host(char *dst, const char *src, pgas_u32 first, pgas_u32 end, pgas_u32 i, pgas_u32 n) {
    pgas_u32 word = (first + 15) / 16, words = end / 16;  // whole ones
#pragma unroll 1
    for (pgas_u32 k = word + i; k < words; k += PGAS_HOST_WORDS * n) {
        ulonglong2 w[PGAS_HOST_WORDS] = {};
#pragma unroll
        for (pgas_u32 j = 0; j < PGAS_HOST_WORDS; j++) {
            if (k + j * n < words) {
                pgas_ld2(src + 16 * (pgas_u64) (k + j * n), w[j].x, w[j].y);
            }
        }
#pragma unroll
        for (pgas_u32 j = 0; j < PGAS_HOST_WORDS; j++) {
            if (k + j * n < words) {
                ((ulonglong2 *) dst)[k + j * n] = w[j];
            }
        }
    }
    pgas_u32 before = min(16 * word, end), behind = max(16 * words, before);  // where whole words begin and end
#pragma unroll 1
    for (pgas_u32 k = i; k < before - first + end - behind; k += n) {
        pgas_u32 at = k < before - first ? first + k : behind + k - (before - first);
        dst[at] = *(const volatile char *) (src + at);
    }
}

// ---- values of up to 8 bytes

PGAS_FN void pgas_write_payload(char *at, pgas_u64 value, pgas_u32 bytes) {
    pgas_u64 address = (pgas_u64) at;
    if (bytes == 8 && (address & 7) == 0) {
        *(pgas_u64 *) at = value;
    } else if (bytes == 4 && (address & 3) == 0) {
        *(pgas_u32 *) at = (pgas_u32) value;
    } else {
        for (pgas_u32 i = 0; i < bytes; i++) {
            at[i] = (char) (value >> (8 * i));
        }
    }
}

PGAS_SLOW pgas_u64 pgas_read_bytes(const char *at, pgas_u32 bytes) {
    pgas_u64 value = 0;
    for (pgas_u32 i = 0; i < bytes; i++) {
        value |= (pgas_u64) (unsigned char) at[i] << (8 * i);
    }
    return value;
}

PGAS_FN pgas_u64 pgas_read_payload(const char *at, pgas_u32 bytes) {
    if (bytes == 4 && ((pgas_u64) at & 3) == 0) {
        return *(const pgas_u32 *) at;
    }
    if (bytes == 8 && ((pgas_u64) at & 7) == 0) {
        return *(const pgas_u64 *) at;
    }
    return pgas_read_bytes(at, bytes);
}
