// One block that carries out small transfers of the host: ResidentLayout.java draws the memory that both share. The first warp
// polls the ring and serves what fits into its words by itself; all threads copy what is staged. Bytes of the device are read and
// written by volatile accesses, which are relaxed ones of the scope system: no cache that is not coherent holds them.

typedef unsigned char pgas_resident_byte;
typedef unsigned int pgas_resident_u32;
typedef unsigned long long pgas_resident_u64;

#define PGAS_RESIDENT_FN static __device__ __forceinline__
#define PGAS_RESIDENT_ALL 0xffffffffu
#define PGAS_RESIDENT_BATCH 8

PGAS_RESIDENT_FN pgas_resident_u64 pgas_resident_load(const pgas_resident_byte *at) {
    return *(const volatile pgas_resident_u64 *) at;
}

PGAS_RESIDENT_FN void pgas_resident_store(pgas_resident_byte *at, pgas_resident_u64 value) {
    *(volatile pgas_resident_u64 *) at = value;
}

PGAS_RESIDENT_FN pgas_resident_u64 pgas_resident_word(pgas_resident_u32 data, pgas_resident_u32 tag) {
    return (pgas_resident_u64) tag << 32 | data;
}

PGAS_RESIDENT_FN long long pgas_resident_now() {
    long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

PGAS_RESIDENT_FN pgas_resident_u32 pgas_resident_tag(long long sequence) {
    return (pgas_resident_u32) (sequence / PGAS_RESIDENT_SLOTS % PGAS_RESIDENT_LAPS) + 1;
}

// Bytes of part i of an inline transfer, 0 to 4.
PGAS_RESIDENT_FN int pgas_resident_left(int bytes, int i) {
    int left = bytes - i * PGAS_RESIDENT_WORD_DATA;
    return i < 0 || left <= 0 ? 0 : left < PGAS_RESIDENT_WORD_DATA ? left : PGAS_RESIDENT_WORD_DATA;
}

// True if parts i and i ^ 1 are an aligned word of 8 bytes: it is read and written whole.
PGAS_RESIDENT_FN bool pgas_resident_paired(const pgas_resident_byte *at, int bytes, int i) {
    return i >= 0 && (pgas_resident_u64) at % 8 == 0 && bytes - (i & ~1) * PGAS_RESIDENT_WORD_DATA >= 8;
}

// Writes the bytes that the warp holds, 4 in each lane from lane HEADER_WORDS on.
PGAS_RESIDENT_FN void pgas_resident_put(pgas_resident_byte *to, int bytes, pgas_resident_u32 data, int lane) {
    pgas_resident_u32 next = __shfl_down_sync(PGAS_RESIDENT_ALL, data, 1);
    int i = lane - PGAS_RESIDENT_HEADER_WORDS;
    int left = pgas_resident_left(bytes, i);
    pgas_resident_byte *at = to + i * PGAS_RESIDENT_WORD_DATA;
    if (pgas_resident_paired(to, bytes, i)) {
        if ((i & 1) == 0) {
            pgas_resident_store(at, pgas_resident_word(data, next));
        }
    } else if (left == 4 && (pgas_resident_u64) at % 4 == 0) {
        *(volatile pgas_resident_u32 *) at = data;
    } else {
        for (int k = 0; k < left; k++) {
            *(volatile pgas_resident_byte *) (at + k) = (pgas_resident_byte) (data >> 8 * k);
        }
    }
}

// Reads the bytes; lane i + 1 returns part i.
PGAS_RESIDENT_FN pgas_resident_u32 pgas_resident_get(const pgas_resident_byte *from, int bytes, int lane) {
    int i = lane - 1;
    int left = pgas_resident_left(bytes, i);
    const pgas_resident_byte *at = from + i * PGAS_RESIDENT_WORD_DATA;
    bool paired = pgas_resident_paired(from, bytes, i);
    pgas_resident_u64 pair = 0;
    pgas_resident_u32 data = 0;
    if (paired) {
        if ((i & 1) == 0) {
            pair = pgas_resident_load(at);
        }
    } else if (left == 4 && (pgas_resident_u64) at % 4 == 0) {
        data = *(const volatile pgas_resident_u32 *) at;
    } else {
        for (int k = 0; k < left; k++) {
            data |= (pgas_resident_u32) *(const volatile pgas_resident_byte *) (at + k) << 8 * k;
        }
    }
    bool second = paired && (i & 1) != 0;
    pgas_resident_u64 whole = __shfl_sync(PGAS_RESIDENT_ALL, pair, second ? lane - 1 : lane);
    return paired ? (pgas_resident_u32) (second ? whole >> 32 : whole) : data;
}

template <typename T>
PGAS_RESIDENT_FN void pgas_resident_copy(pgas_resident_byte *to, const pgas_resident_byte *from, int bytes) {
    volatile T *target = (volatile T *) to;
    const volatile T *source = (const volatile T *) from;
    int count = bytes / (int) sizeof(T);
    int threads = (int) blockDim.x;
    for (int first = (int) threadIdx.x; first < count; first += threads * PGAS_RESIDENT_BATCH) {
        T held[PGAS_RESIDENT_BATCH];
        #pragma unroll
        for (int k = 0; k < PGAS_RESIDENT_BATCH; k++) {
            held[k] = first + k * threads < count ? source[first + k * threads] : (T) 0;
        }
        #pragma unroll
        for (int k = 0; k < PGAS_RESIDENT_BATCH; k++) {
            if (first + k * threads < count) {
                target[first + k * threads] = held[k];
            }
        }
    }
}

// Copies bytes with all threads, in the widest words that both ends are aligned to.
PGAS_RESIDENT_FN void pgas_resident_copy_all(pgas_resident_byte *to, const pgas_resident_byte *from, int bytes) {
    pgas_resident_u64 ends = (pgas_resident_u64) to | (pgas_resident_u64) from;
    int done = ends % 8 == 0 ? bytes / 8 * 8 : ends % 4 == 0 ? bytes / 4 * 4 : 0;
    if (ends % 8 == 0) {
        pgas_resident_copy<pgas_resident_u64>(to, from, done);
    } else if (ends % 4 == 0) {
        pgas_resident_copy<pgas_resident_u32>(to, from, done);
    }
    pgas_resident_copy<pgas_resident_byte>(to + done, from + done, bytes - done);
}

// Serves a request that fits into its words. Called by a warp.
PGAS_RESIDENT_FN void pgas_resident_serve(pgas_resident_byte *answer, pgas_resident_u32 head, int bytes,
                                          pgas_resident_u64 address, pgas_resident_u32 data, pgas_resident_u32 tag, int lane) {
    int op = (int) (head & 0xff);
    pgas_resident_byte *memory = (pgas_resident_byte *) address;
    pgas_resident_u32 found = 0;
    int parts = 0;
    if (op == PGAS_RESIDENT_OP_PUT) {
        pgas_resident_put(memory, bytes, data, lane);
    } else if (op == PGAS_RESIDENT_OP_GET) {
        found = pgas_resident_get(memory, bytes, lane);
        parts = (bytes + PGAS_RESIDENT_WORD_DATA - 1) / PGAS_RESIDENT_WORD_DATA;
    } else {
        pgas_resident_u32 low = __shfl_sync(PGAS_RESIDENT_ALL, data, 4), high = __shfl_sync(PGAS_RESIDENT_ALL, data, 5);
        pgas_resident_u64 operand = pgas_resident_word(low, high);
        low = __shfl_sync(PGAS_RESIDENT_ALL, data, 6);
        high = __shfl_sync(PGAS_RESIDENT_ALL, data, 7);
        pgas_resident_u64 old = 0;
        if (lane == 0) {
            old = pgas_atomic_bits(memory, (int) (head >> 24), (int) (head >> 16 & 0xff), operand, pgas_resident_word(low, high));
        }
        old = __shfl_sync(PGAS_RESIDENT_ALL, old, 0);
        found = (pgas_resident_u32) (lane == 2 ? old >> 32 : old);
        parts = 2;
    }
    __syncwarp();
    if (op != PGAS_RESIDENT_OP_GET && lane == 0) {
        __threadfence_system();  // what the warp wrote comes before the answer
    }
    __syncwarp();
    if (lane <= parts) {
        pgas_resident_store(answer + lane * 8, pgas_resident_word(lane == 0 ? 0 : found, tag));
    }
}

// Polls and serves until a staged request comes, which is returned as its bytes, or the block has to end: then 0.
PGAS_RESIDENT_FN int pgas_resident_poll(pgas_resident_byte *area, long long *next, long long launch, long long idle_ns,
                                        long long end_ns, pgas_resident_u32 *op, pgas_resident_u64 *address) {
    int lane = (int) threadIdx.x;
    long long last_ns = pgas_resident_now();
    for (;;) {
        int slot = (int) (*next % PGAS_RESIDENT_SLOTS);
        pgas_resident_u32 tag = pgas_resident_tag(*next);
        pgas_resident_u64 word = pgas_resident_load(area + PGAS_RESIDENT_REQUESTS + slot * PGAS_RESIDENT_SLOT_BYTES + lane * 8);
        long long stop = lane == 0 ? (long long) pgas_resident_load(area + PGAS_RESIDENT_STOP) : 0;
        long long now_ns = lane == 0 ? pgas_resident_now() : 0;
        pgas_resident_u32 data = (pgas_resident_u32) word;
        bool tagged = (pgas_resident_u32) (word >> 32) == tag;
        pgas_resident_u32 head = __shfl_sync(PGAS_RESIDENT_ALL, data, 0);
        int words = (int) (head >> 8 & 0xff);
        bool come = __shfl_sync(PGAS_RESIDENT_ALL, (int) tagged, 0) != 0;
        come = __all_sync(PGAS_RESIDENT_ALL, come && (tagged || lane >= words)) != 0;
        bool ends = stop == launch || now_ns - end_ns > 0 || (!come && now_ns - last_ns > idle_ns);
        if (__shfl_sync(PGAS_RESIDENT_ALL, (int) ends, 0) != 0) {
            return 0;
        }
        if (!come) {
            continue;
        }
        int bytes = (int) __shfl_sync(PGAS_RESIDENT_ALL, data, 1);
        pgas_resident_u32 low = __shfl_sync(PGAS_RESIDENT_ALL, data, 2), high = __shfl_sync(PGAS_RESIDENT_ALL, data, 3);
        if (bytes > PGAS_RESIDENT_INLINE_BYTES) {
            *op = head & 0xff;
            *address = pgas_resident_word(low, high);
            return bytes;
        }
        pgas_resident_serve(area + PGAS_RESIDENT_ANSWERS + slot * PGAS_RESIDENT_SLOT_BYTES, head, bytes,
                            pgas_resident_word(low, high), data, tag, lane);
        ++*next;
        last_ns = now_ns;
    }
}

// Arguments: the shared memory; number of the first request; number of this launch; time without a request and time in all
// after which the block ends; bytes of a slot's staging memory.
extern "C" __global__ void __launch_bounds__(PGAS_RESIDENT_THREADS, 1)
pgas_resident_block(unsigned char *area, long long first, long long launch, long long idle_ns, long long life_ns,
                    int staging_bytes) {
    __shared__ int bytes;
    __shared__ pgas_resident_u32 op;
    __shared__ pgas_resident_u64 address;
    __shared__ long long sequence;
    long long next = first;
    long long end_ns = pgas_resident_now() + life_ns;
    if (threadIdx.x == 0) {
        pgas_resident_store(area + PGAS_RESIDENT_STARTED, (pgas_resident_u64) launch);
    }
    for (;;) {
        if (threadIdx.x < PGAS_RESIDENT_WORDS) {
            pgas_resident_u32 seen_op = 0;
            pgas_resident_u64 seen_address = 0;
            int seen = pgas_resident_poll(area, &next, launch, idle_ns, end_ns, &seen_op, &seen_address);
            __threadfence_system();  // staged bytes come after the words that announced them
            if (threadIdx.x == 0) {
                bytes = seen;
                op = seen_op;
                address = seen_address;
                sequence = next;
            }
        }
        __syncthreads();
        if (bytes == 0) {
            break;
        }
        int slot = (int) (sequence % PGAS_RESIDENT_SLOTS);
        pgas_resident_byte *staging = area + PGAS_RESIDENT_STAGING + (long long) slot * staging_bytes;
        pgas_resident_byte *memory = (pgas_resident_byte *) address;
        bool put = op == PGAS_RESIDENT_OP_PUT;
        pgas_resident_copy_all(put ? memory : staging, put ? staging : memory, bytes);
        __threadfence_system();  // what each thread wrote comes before the answer
        __syncthreads();
        if (threadIdx.x == 0) {
            pgas_resident_store(area + PGAS_RESIDENT_ANSWERS + slot * PGAS_RESIDENT_SLOT_BYTES,
                                pgas_resident_word(0, pgas_resident_tag(sequence)));
        }
        next++;
    }
    if (threadIdx.x == 0) {
        __threadfence_system();  // the answers come before the end
        pgas_resident_store(area + PGAS_RESIDENT_PARKED, (pgas_resident_u64) launch);
    }
}
