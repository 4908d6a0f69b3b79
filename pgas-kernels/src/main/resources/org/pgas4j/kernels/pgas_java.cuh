// The part of C++ that kernels translated from Java stand on: Java's arithmetic, arrays of other ranks, faults.
// For GPUs, and for a host's compiler, which the tests use.

#ifdef __CUDACC__
#define PGAS_FUNCTION static __device__ __forceinline__
#define PGAS_FAR_FUNCTION static __device__ __noinline__
#define PGAS_MEMBER __device__ __forceinline__
#else
#include <math.h>
#include <string.h>
#define PGAS_FUNCTION static inline
#define PGAS_FAR_FUNCTION static __attribute__((noinline))
#define PGAS_MEMBER inline
#endif

// Two rounds of a loop at once, where one thread's loads would wait for each other and all others for it.
#ifdef __CUDACC__
#define PGAS_UNROLL _Pragma("unroll 2")
#else
#define PGAS_UNROLL
#endif

// A value that the compiler cannot follow any more.
#ifdef __CUDACC__
#define PGAS_HIDE_INT(value) asm volatile("" : "+r"(value))
#define PGAS_HIDE_LONG(value) asm volatile("" : "+l"(value))
#else
#define PGAS_HIDE_INT(value)
#define PGAS_HIDE_LONG(value)
#endif

// A condition that holds, for the compiler. Where cx is the thread's context; the tests' compiler checks it.
#ifdef __CUDACC__
#define PGAS_ASSUME(condition) __builtin_assume(condition)
#else
#define PGAS_ASSUME(condition) ((condition) ? (void) 0 : pgas_stop(cx, PGAS_THROWN, -1, 0, 0))
#endif

// Memory that a kernel only reads and that overlaps with nothing that it writes.
#ifndef PGAS_APART
#define PGAS_APART __restrict__
#endif

// ---- faults: the first of a launch is kept; the thread that had it ends

enum { PGAS_INDEX = 1, PGAS_DIVISION = 2, PGAS_UNREACHABLE = 3, PGAS_THROWN = 4, PGAS_MEMORY = 5 };

struct pgas_lines;

struct pgas_fault {
    int taken;
    int kind;
    int site;
    int kernel; // number of it, by the host
    long long first;
    long long second;
    long long thread;
    pgas_lines *lines; // by the host
};

#ifdef PGAS_BLOCK_PROGRAM
// Faults are failures of the block, by the device library.
struct pgas_context {
    ::pgas_context *block;
    int program;
};
#else
struct pgas_context {
    pgas_fault *fault;
};
#endif

// PGAS_THREADS is the number of threads of a block, where the compilation is for one number alone; PGAS_MAX_THREADS is the highest.
#if defined(PGAS_THREADS) && !defined(PGAS_MAX_THREADS)
#define PGAS_MAX_THREADS PGAS_THREADS
#endif

#ifdef __CUDACC__
#ifdef PGAS_MAX_THREADS
#define PGAS_KERNEL __global__ void __launch_bounds__(PGAS_MAX_THREADS)
#define PGAS_GATHERING_KERNEL __global__ void __launch_bounds__(PGAS_MAX_THREADS, (1024 + PGAS_MAX_THREADS - 1) / PGAS_MAX_THREADS)
#else
#define PGAS_KERNEL __global__ void
#define PGAS_GATHERING_KERNEL PGAS_KERNEL
#endif
#define PGAS_BEGIN
#define PGAS_END
PGAS_FUNCTION long long pgas_block() { return blockIdx.x; }
PGAS_FUNCTION long long pgas_blocks() { return gridDim.x; }
PGAS_FUNCTION int pgas_thread_index() {
    const int thread = (int) threadIdx.x;
#ifdef PGAS_MAX_THREADS
    __builtin_assume(thread >= 0 && thread < PGAS_MAX_THREADS);
#endif
    return thread;
}
PGAS_FUNCTION int pgas_threads() {
#ifdef PGAS_THREADS
    return PGAS_THREADS;
#else
    return (int) blockDim.x;
#endif
}
PGAS_FUNCTION void pgas_sync_threads() { __syncthreads(); }

static __device__ __noinline__ void pgas_write_fault(const pgas_context *cx, int kind, int site, long long first, long long second) {
#ifdef PGAS_BLOCK_PROGRAM
    ::pgas_fail(cx->block, PGAS_FAULTED, site, (unsigned long long) first, (unsigned long long) second, (unsigned long long) kind,
                (unsigned long long) cx->program);
    __threadfence_block();
#else
    pgas_fault *fault = cx->fault;
    if (atomicCAS(&fault->taken, 0, 1) == 0) {
        fault->kind = kind;
        fault->site = site;
        fault->first = first;
        fault->second = second;
        fault->thread = pgas_block() * pgas_threads() + pgas_thread_index();
        __threadfence_system();
        *(volatile int *) &fault->taken = 2;
    }
#endif
}

// Not to return is known where it is called, so that loops with checks are unrolled and what was loaded is kept.
[[noreturn]] PGAS_FUNCTION void pgas_stop(const pgas_context *cx, int kind, int site, long long first, long long second) {
    pgas_write_fault(cx, kind, site, first, second);
    asm volatile("exit;");
    __builtin_unreachable();
}
#else
#define PGAS_KERNEL void
#define PGAS_GATHERING_KERNEL PGAS_KERNEL
#define PGAS_BEGIN try {
#define PGAS_END } catch (pgas_stopped) { }
struct pgas_stopped {
};
static thread_local long long pgas_host_block = 0, pgas_host_blocks = 1;
PGAS_FUNCTION long long pgas_block() { return pgas_host_block; }
PGAS_FUNCTION long long pgas_blocks() { return pgas_host_blocks; }
PGAS_FUNCTION int pgas_thread_index() { return 0; }
PGAS_FUNCTION int pgas_threads() { return 1; }
PGAS_FUNCTION void pgas_sync_threads() { }

[[noreturn]] static void pgas_stop(const pgas_context *cx, int kind, int site, long long first, long long second) {
    *cx->fault = {2, kind, site, cx->fault->kernel, first, second, pgas_block(), cx->fault->lines};
    throw pgas_stopped();
}
#endif

// ---- starting a kernel again: its parameters, where they take no registers; the thread ends behind it

#ifdef __CUDACC__
#define PGAS_KEPT(type, name)
#define PGAS_KEEP(name)
#define PGAS_GIVEN(name, ptx, letter, kernel, number) asm("ld.param." #ptx " %0, [" #kernel "_param_" #number "];" : letter(name))
[[noreturn]] PGAS_FUNCTION void pgas_leave() {
    asm volatile("exit;");
    __builtin_unreachable();
}
#else
#define PGAS_KEPT(type, name) static thread_local type pgas_kept_##name;
#define PGAS_KEEP(name) (pgas_kept_##name = (decltype(pgas_kept_##name)) name)
#define PGAS_GIVEN(name, ptx, letter, kernel, number) (name = pgas_kept_##name)
[[noreturn]] static inline void pgas_leave() { throw pgas_stopped(); }
#endif

// ---- integers wrap, shifts count modulo the width

PGAS_FUNCTION int pgas_add(int a, int b) { return (int) ((unsigned) a + (unsigned) b); }
PGAS_FUNCTION int pgas_sub(int a, int b) { return (int) ((unsigned) a - (unsigned) b); }
PGAS_FUNCTION int pgas_mul(int a, int b) { return (int) ((unsigned) a * (unsigned) b); }
PGAS_FUNCTION int pgas_neg(int a) { return (int) (0u - (unsigned) a); }
PGAS_FUNCTION int pgas_shl(int a, int by) { return (int) ((unsigned) a << (by & 31)); }
PGAS_FUNCTION int pgas_shr(int a, int by) { return a >> (by & 31); }
PGAS_FUNCTION int pgas_ushr(int a, int by) { return (int) ((unsigned) a >> (by & 31)); }
PGAS_FUNCTION long long pgas_add(long long a, long long b) { return (long long) ((unsigned long long) a + (unsigned long long) b); }
PGAS_FUNCTION long long pgas_sub(long long a, long long b) { return (long long) ((unsigned long long) a - (unsigned long long) b); }
PGAS_FUNCTION long long pgas_mul(long long a, long long b) { return (long long) ((unsigned long long) a * (unsigned long long) b); }
PGAS_FUNCTION long long pgas_neg(long long a) { return (long long) (0ull - (unsigned long long) a); }
PGAS_FUNCTION long long pgas_shl(long long a, int by) { return (long long) ((unsigned long long) a << (by & 63)); }
PGAS_FUNCTION long long pgas_shr(long long a, int by) { return a >> (by & 63); }
PGAS_FUNCTION long long pgas_ushr(long long a, int by) { return (long long) ((unsigned long long) a >> (by & 63)); }

// A product of two ints in 64 bits, by one instruction: the compiler takes three where it has made one of them wide elsewhere.
PGAS_FUNCTION long long pgas_wide(int a, int b) {
#ifdef __CUDACC__
    long long product;
    asm("mul.wide.s32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
    return product;
#else
    return (long long) a * b;
#endif
}

// Without a branch but for 0: a quotient and a remainder of the same numbers are then one division. By -1 C++ cannot divide all
// numbers, by 1 the remainder is the same.
template <typename T> PGAS_FUNCTION T pgas_divisor(T b, const pgas_context *cx, int site) {
    if (b == 0) {
        pgas_stop(cx, PGAS_DIVISION, site, 0, 0);
    }
    return b == -1 ? 1 : b;
}

template <typename T> PGAS_FUNCTION T pgas_div(T a, T b, const pgas_context *cx, int site) {
    const T quotient = a / pgas_divisor(b, cx, site);
    return b == -1 ? pgas_neg(a) : quotient;
}

template <typename T> PGAS_FUNCTION T pgas_rem(T a, T b, const pgas_context *cx, int site) {
    return a % pgas_divisor(b, cx, site);
}

// Of ints by their magnitudes, which has no case apart for -1 and costs nothing more: a GPU divides ints in the same way.
PGAS_FUNCTION unsigned pgas_magnitude(int a) { return a < 0 ? 0u - (unsigned) a : (unsigned) a; }

PGAS_FUNCTION int pgas_div(int a, int b, const pgas_context *cx, int site) {
    if (b == 0) {
        pgas_stop(cx, PGAS_DIVISION, site, 0, 0);
    }
    const unsigned quotient = pgas_magnitude(a) / pgas_magnitude(b);
    return (int) ((a ^ b) < 0 ? 0u - quotient : quotient);
}

PGAS_FUNCTION int pgas_rem(int a, int b, const pgas_context *cx, int site) {
    return (int) ((unsigned) a - (unsigned) pgas_div(a, b, cx, site) * (unsigned) b);
}

template <typename T> PGAS_FUNCTION int pgas_compare(T a, T b, int nan) {
    return a < b ? -1 : a > b ? 1 : a == b ? 0 : nan;
}

template <typename T> PGAS_FUNCTION int pgas_to_int(T a) {
    return a != a ? 0 : a >= (T) 2147483648.0 ? 2147483647 : a < (T) -2147483648.0 ? -2147483647 - 1 : (int) a;
}

template <typename T> PGAS_FUNCTION long long pgas_to_long(T a) {
    return a != a ? 0 : a >= (T) 9223372036854775808.0 ? 9223372036854775807LL
            : a < (T) -9223372036854775808.0 ? -9223372036854775807LL - 1 : (long long) a;
}

#ifdef __CUDACC__
PGAS_FUNCTION int pgas_bits(float a) { return __float_as_int(a); }
PGAS_FUNCTION long long pgas_bits(double a) { return __double_as_longlong(a); }
PGAS_FUNCTION float pgas_float_of(int a) { return __int_as_float(a); }
// -0.0f that the assembler of CUDA 13.0 does not know: of a choice between -1.0f and -0.0f it makes a conversion from int, which
// gives 0.0f. There are less than 2^31 blocks, which it does not make use of (that a lane is less than 32 it does).
PGAS_FUNCTION float pgas_negative_zero() {
    unsigned blocks;
    asm("mov.u32 %0, %%nctaid.x;" : "=r"(blocks));
    return __uint_as_float(0x80000000u | blocks >> 31);
}
PGAS_FUNCTION double pgas_double_of(long long a) { return __longlong_as_double(a); }
PGAS_FUNCTION int pgas_bit_count(int a) { return __popc((unsigned) a); }
PGAS_FUNCTION int pgas_bit_count(long long a) { return __popcll((unsigned long long) a); }
PGAS_FUNCTION int pgas_leading_zeros(int a) { return __clz(a); }
PGAS_FUNCTION int pgas_leading_zeros(long long a) { return __clzll(a); }
PGAS_FUNCTION long long pgas_multiply_high(long long a, long long b) { return __mul64hi(a, b); }
PGAS_FUNCTION long long pgas_unsigned_multiply_high(long long a, long long b) {
    return (long long) __umul64hi((unsigned long long) a, (unsigned long long) b);
}
#else
template <typename To, typename From> PGAS_FUNCTION To pgas_same_bits(From from) {
    To to;
    memcpy(&to, &from, sizeof(To));
    return to;
}
PGAS_FUNCTION int pgas_bits(float a) { return pgas_same_bits<int>(a); }
PGAS_FUNCTION long long pgas_bits(double a) { return pgas_same_bits<long long>(a); }
PGAS_FUNCTION float pgas_float_of(int a) { return pgas_same_bits<float>(a); }
PGAS_FUNCTION float pgas_negative_zero() { return -0.0f; }
PGAS_FUNCTION double pgas_double_of(long long a) { return pgas_same_bits<double>(a); }
PGAS_FUNCTION int pgas_bit_count(int a) { return __builtin_popcount((unsigned) a); }
PGAS_FUNCTION int pgas_bit_count(long long a) { return __builtin_popcountll((unsigned long long) a); }
PGAS_FUNCTION int pgas_leading_zeros(int a) { return a == 0 ? 32 : __builtin_clz((unsigned) a); }
PGAS_FUNCTION int pgas_leading_zeros(long long a) { return a == 0 ? 64 : __builtin_clzll((unsigned long long) a); }
PGAS_FUNCTION long long pgas_multiply_high(long long a, long long b) { return (long long) (((__int128) a * b) >> 64); }
PGAS_FUNCTION long long pgas_unsigned_multiply_high(long long a, long long b) {
    return (long long) (((unsigned __int128) (unsigned long long) a * (unsigned long long) b) >> 64);
}
#endif

// As Math.min and Math.max: NaN wins, -0 is below 0.
template <typename T> PGAS_FUNCTION T pgas_min(T a, T b) { return a != a || a < b || (a == b && pgas_bits(a) < 0) ? a : b; }
template <typename T> PGAS_FUNCTION T pgas_max(T a, T b) { return a != a || a > b || (a == b && pgas_bits(a) >= 0) ? a : b; }

PGAS_FUNCTION long long pgas_check_index(long long index, long long length, const pgas_context *cx, int site) {
    if ((unsigned long long) index >= (unsigned long long) length) {
        pgas_stop(cx, PGAS_INDEX, site, index, length);
    }
    return index;
}

// ---- checks before a part of a method, for all indices in it

PGAS_FUNCTION bool pgas_small(long long a) { return (unsigned long long) a + (1ull << 44) <= 1ull << 45; }
PGAS_FUNCTION bool pgas_is_int(long long a) { return a == (int) a; }
PGAS_FUNCTION long long pgas_capped(long long length) { return length < 2147483648LL ? length : 2147483648LL; }

// Whether low..high times by, which is not negative, goes from low * by to high * by, both small.
PGAS_FUNCTION bool pgas_scales(long long low, long long high, long long by) {
    return ((unsigned long long) by <= 2147483647ull) & pgas_is_int(low) & pgas_is_int(high)
            & pgas_small(pgas_mul(low, by)) & pgas_small(pgas_mul(high, by));
}

// ---- arrays of all ranks

// Elements near..near+count-1 are at own, so that they need no division; the rest is found by the layout.
template <typename T> struct pgas_array {
    char *const *bases; // segments of the ranks as this device reaches them; 0 if it does not
    long long offset;   // of the array in each, bytes
    long long length;
    long long start;    // of a slice, in the whole array
    long long block;    // elements that a rank has in a row; 0: all are on one rank
    int ranks;
    int rank;           // own, or that of all elements
    long long near;
    unsigned long long count;
    T *own;
    char *base; // own segment, from the array on
};

template <typename T> PGAS_FUNCTION void pgas_place(const pgas_array<T> *a, long long i, int *rank, long long *at) {
    long long whole = i + a->start;
    if (a->block == 0) {
        *rank = a->rank;
        *at = whole;
    } else {
        unsigned long long number = (unsigned long long) whole / (unsigned long long) a->block;
        *rank = (int) (number % (unsigned) a->ranks);
        *at = (long long) (number / (unsigned) a->ranks) * a->block + whole % a->block;
    }
}

template <typename T> PGAS_FUNCTION T *pgas_far(const pgas_array<T> *a, long long i, const pgas_context *cx, int site) {
    if ((unsigned long long) i >= (unsigned long long) a->length) {
        pgas_stop(cx, PGAS_INDEX, site, i, a->length);
    }
    int rank;
    long long at;
    pgas_place(a, i, &rank, &at);
    char *base = a->bases[rank];
    if (base == 0) {
        pgas_stop(cx, PGAS_UNREACHABLE, site, i, rank);
    }
    return (T *) (base + a->offset) + at;
}

template <typename T> PGAS_FUNCTION T *pgas_at(const pgas_array<T> *a, long long i, const pgas_context *cx, int site) {
    unsigned long long near = (unsigned long long) i - (unsigned long long) a->near;
    return near < a->count ? a->own + near : pgas_far(a, i, cx, site);
}

// An element that is known to be near.
template <typename T> PGAS_FUNCTION T *pgas_at(const pgas_array<T> *a, long long i) { return a->own + (i - a->near); }

// An index below length, which is 1 at least; outside is no longer 0 if it is another than i.
PGAS_FUNCTION unsigned pgas_kept(int i, unsigned length, unsigned &outside) {
    const unsigned last = length - 1;
    const unsigned kept = (unsigned) i < last ? (unsigned) i : last;
    outside |= kept ^ (unsigned) i;
    return kept;
}

PGAS_FUNCTION unsigned long long pgas_kept(unsigned long long i, unsigned long long length, unsigned &outside) {
    const bool is = i < length;
    outside |= is ? 0 : 1;
    return is ? i : 0;
}

// An element that is near, or another one and outside is no longer 0.
template <typename T> PGAS_FUNCTION T *pgas_at(const pgas_array<T> *a, long long i, unsigned &outside) {
    return a->own + pgas_kept((unsigned long long) i - (unsigned long long) a->near, a->count, outside);
}

template <typename T> PGAS_FUNCTION bool pgas_has(const pgas_array<T> *a) { return a->count > 0; }

template <typename T> PGAS_FUNCTION int pgas_rank_of(const pgas_array<T> *a, long long i, const pgas_context *cx, int site) {
    pgas_check_index(i, a->length, cx, site);
    int rank;
    long long at;
    pgas_place(a, i, &rank, &at);
    return rank;
}

// Makes the elements that rank `rank` has in its block number `number`, counted from 0, the near ones.
template <typename T> PGAS_FUNCTION void pgas_near_block(pgas_array<T> *a, long long number) {
    long long first = (a->block == 0 ? 0 : (number * a->ranks + a->rank) * a->block) - a->start;
    long long end = a->block == 0 || first > a->length - a->block ? a->length : first + a->block;
    long long low = first < 0 ? 0 : first;
    a->near = low;
    a->count = a->base == 0 || end < low ? 0 : (unsigned long long) (end - low);
    a->own = (T *) a->base + (number * a->block + low - first);
}

template <typename T> PGAS_FUNCTION void pgas_open(pgas_array<T> *a, char *const *bases, long long offset, long long length,
                                                   long long start, long long block, int ranks, int rank,
                                                   const void *base) {
    *a = {bases, offset, length, start, block, ranks, rank, 0, 0, 0, (char *) base};
    pgas_near_block(a, 0); // the only one where each rank has one
}

// ---- memory of the own device

struct pgas_buffer {
    char *start;
    long long bytes;
    long long length;
    char *plain; // start, of which the compiler does not know that it is a kernel's parameter and that nobody writes there

    // A buffer is a value; what reads it takes its address.
    PGAS_MEMBER operator const pgas_buffer *() const { return this; }
    PGAS_MEMBER const pgas_buffer *operator->() const { return this; }
};

template <typename T> PGAS_FUNCTION long long pgas_count(const pgas_buffer *b) {
    return (long long) ((unsigned long long) b->bytes / sizeof(T)); // bytes are not negative, so that this is a shift
}

template <typename T> PGAS_FUNCTION T *pgas_in(const pgas_buffer *b, long long i, const pgas_context *cx, int site) {
    pgas_check_index(i, pgas_count<T>(b), cx, site);
    return (T *) b->start + i;
}

PGAS_FUNCTION pgas_buffer pgas_memory(char *start, long long bytes, long long length) { return {start, bytes, length, start}; }

// Gives a buffer the address that is parameter `number` of the kernel, by its name in PTX.
#ifdef __CUDACC__
#define PGAS_PLAIN(buffer, kernel, number) asm("ld.param.u64 %0, [" #kernel "_param_" #number "];" : "=l"((buffer).plain))
#else
#define PGAS_PLAIN(buffer, kernel, number) ((buffer).plain = (buffer).start)
#endif

// As Objects.checkFromIndexSize; the fault has the first index that is out of bounds.
PGAS_FUNCTION pgas_buffer pgas_slice(pgas_buffer b, long long from, long long count, const pgas_context *cx, int site) {
    if (from < 0 || count < 0 || from > b.length - count) {
        pgas_stop(cx, PGAS_INDEX, site, from < 0 || from > b.length ? from : count < 0 ? count : b.length, b.length);
    }
    long long element = b.length == 0 ? 0 : b.bytes / b.length;
    return {b.start + from * element, count * element, count, b.plain + from * element};
}

template <typename T> PGAS_FUNCTION bool pgas_has(const pgas_buffer *b) { return b->bytes >= (long long) sizeof(T); }
template <typename T> PGAS_FUNCTION T *pgas_in(const pgas_buffer *b, long long i) { return (T *) b->start + i; }

template <typename T> PGAS_FUNCTION T *pgas_in(const pgas_buffer *b, long long i, unsigned &outside) {
    return (T *) b->start + pgas_kept((unsigned long long) i, (unsigned long long) pgas_count<T>(b), outside);
}

template <typename T> PGAS_FUNCTION T *pgas_in(const pgas_buffer *b, int i, unsigned &outside) {
    return (T *) b->start + pgas_kept(i, (unsigned) pgas_capped(pgas_count<T>(b)), outside);
}

// ---- memory of the block

template <typename T> struct pgas_local {
    T *start;
    int length;
};

#ifdef __CUDACC__
extern __shared__ uint4 pgas_block_memory[];
#else
static thread_local double pgas_block_memory[6144];
#endif

template <typename T> PGAS_FUNCTION pgas_local<T> pgas_shared(int offset, int length) {
    return {(T *) ((char *) pgas_block_memory + offset), length};
}

template <typename T> PGAS_FUNCTION T *pgas_element(pgas_local<T> a, int i, const pgas_context *cx, int site) {
    if ((unsigned) i >= (unsigned) a.length) {
        pgas_stop(cx, PGAS_INDEX, site, i, a.length);
    }
    return a.start + i;
}

// With an index between 0 and `most`: no check is left if that is less than a length that the compiler knows.
template <typename T> PGAS_FUNCTION T *pgas_element(pgas_local<T> a, int i, int most, const pgas_context *cx, int site) {
    return most < a.length ? a.start + i : pgas_element(a, i, cx, site);
}

template <typename T> PGAS_FUNCTION T *pgas_element(pgas_local<T> a, long long i) { return a.start + i; }

template <typename T> PGAS_FUNCTION T *pgas_element(pgas_local<T> a, int i, unsigned &outside) {
    return a.start + pgas_kept(i, (unsigned) a.length, outside);
}

template <typename T> PGAS_FUNCTION bool pgas_has(pgas_local<T> a) { return a.length > 0; }

// ---- arrays of a method

template <typename T> PGAS_FUNCTION pgas_local<T> pgas_made(T *memory, int length) {
    for (int i = 0; i < length; i++) {
        memory[i] = 0;
    }
    return {memory, length};
}

// The same that is no candidate for registers: of forms with all checks, which would else take more than the others.
template <typename T> PGAS_FUNCTION pgas_local<T> pgas_made_in_memory(T *memory, int length) {
#ifdef __CUDACC__
    asm volatile("" : "+l"(memory));
#endif
    return pgas_made(memory, length);
}

// The thread itself has no state.
struct pgas_thread {
    int unused;
};

// ---- atomic additions

#ifdef __CUDACC__
PGAS_FUNCTION int pgas_fetch_add(int *at, int value) { return atomicAdd_system(at, value); }
PGAS_FUNCTION long long pgas_fetch_add(long long *at, long long value) {
    return (long long) atomicAdd_system((unsigned long long *) at, (unsigned long long) value);
}
PGAS_FUNCTION float pgas_fetch_add(float *at, float value) { return atomicAdd_system(at, value); }
PGAS_FUNCTION double pgas_fetch_add(double *at, double value) { return atomicAdd_system(at, value); }

// The same where nobody wants the old value: the compiler takes the faster instruction in straight code only.
PGAS_FUNCTION void pgas_add_to(int *at, int value) {
    asm volatile("red.relaxed.sys.global.add.u32 [%0], %1;" :: "l"(__cvta_generic_to_global(at)), "r"(value) : "memory");
}
PGAS_FUNCTION void pgas_add_to(long long *at, long long value) {
    asm volatile("red.relaxed.sys.global.add.u64 [%0], %1;" :: "l"(__cvta_generic_to_global(at)), "l"(value) : "memory");
}
PGAS_FUNCTION void pgas_add_to(float *at, float value) {
    asm volatile("red.relaxed.sys.global.add.f32 [%0], %1;" :: "l"(__cvta_generic_to_global(at)), "f"(value) : "memory");
}
PGAS_FUNCTION void pgas_add_to(double *at, double value) {
    asm volatile("red.relaxed.sys.global.add.f64 [%0], %1;" :: "l"(__cvta_generic_to_global(at)), "d"(value) : "memory");
}
#else
template <typename T> PGAS_FUNCTION T pgas_fetch_add(T *at, T value) {
    T old = *at;
    *at = old + value;
    return old;
}
template <typename T> PGAS_FUNCTION void pgas_add_to(T *at, T value) { *at = *at + value; }
#endif

// ---- what atomic operations leave; their numbers are those of AtomicOp, which pgas_atomic.cuh defines, too

#ifndef PGAS_ATOMIC_GET
enum { PGAS_ATOMIC_GET, PGAS_ATOMIC_SET, PGAS_ATOMIC_SWAP, PGAS_ATOMIC_COMPARE_SWAP, PGAS_ATOMIC_ADD, PGAS_ATOMIC_MULTIPLY,
       PGAS_ATOMIC_MIN, PGAS_ATOMIC_MAX, PGAS_ATOMIC_AND, PGAS_ATOMIC_OR, PGAS_ATOMIC_XOR, PGAS_ATOMIC_UNSIGNED_MIN,
       PGAS_ATOMIC_UNSIGNED_MAX };
#endif

template <typename T> PGAS_FUNCTION T pgas_atomic_real(T old, int op, T value) {
    return op == PGAS_ATOMIC_GET ? old : op == PGAS_ATOMIC_ADD ? old + value : op == PGAS_ATOMIC_MULTIPLY ? old * value
            : op == PGAS_ATOMIC_MIN ? pgas_min(old, value) : op == PGAS_ATOMIC_MAX ? pgas_max(old, value) : value;
}

template <typename T> PGAS_FUNCTION T pgas_atomic_integer(T old, int op, T value) {
    return op == PGAS_ATOMIC_GET ? old : op == PGAS_ATOMIC_ADD ? pgas_add(old, value)
            : op == PGAS_ATOMIC_MULTIPLY ? pgas_mul(old, value) : op == PGAS_ATOMIC_MIN ? (old < value ? old : value)
            : op == PGAS_ATOMIC_MAX ? (old > value ? old : value) : op == PGAS_ATOMIC_AND ? old & value
            : op == PGAS_ATOMIC_OR ? old | value : op == PGAS_ATOMIC_XOR ? old ^ value
            : op == PGAS_ATOMIC_UNSIGNED_MIN ? ((unsigned long long) old < (unsigned long long) value ? old : value)
            : op == PGAS_ATOMIC_UNSIGNED_MAX ? ((unsigned long long) old > (unsigned long long) value ? old : value) : value;
}

PGAS_FUNCTION int pgas_atomic_leaves(int old, int op, int value) { return pgas_atomic_integer(old, op, value); }
PGAS_FUNCTION long long pgas_atomic_leaves(long long old, int op, long long value) { return pgas_atomic_integer(old, op, value); }
PGAS_FUNCTION float pgas_atomic_leaves(float old, int op, float value) { return pgas_atomic_real(old, op, value); }
PGAS_FUNCTION double pgas_atomic_leaves(double old, int op, double value) { return pgas_atomic_real(old, op, value); }

// ---- other atomic operations on elements: scope system, relaxed; in front of their users is pgas_atomic.cuh

#ifdef __CUDACC__
PGAS_FUNCTION void pgas_fence_all() { __threadfence_system(); }
#ifdef PGAS_ATOMIC
PGAS_FUNCTION int pgas_atomic_at(int *at, int op, int value, int expected) {
    return (int) ::pgas_atomic_bits(at, op, PGAS_ATOMIC_INT, (unsigned int) value, (unsigned int) expected);
}
PGAS_FUNCTION long long pgas_atomic_at(long long *at, int op, long long value, long long expected) {
    return (long long) ::pgas_atomic_bits(at, op, PGAS_ATOMIC_LONG, (unsigned long long) value, (unsigned long long) expected);
}
PGAS_FUNCTION float pgas_atomic_at(float *at, int op, float value, int) {
    return __uint_as_float((unsigned int) ::pgas_atomic_bits(at, op, PGAS_ATOMIC_FLOAT, __float_as_uint(value), 0));
}
PGAS_FUNCTION double pgas_atomic_at(double *at, int op, double value, int) {
    return __longlong_as_double((long long) ::pgas_atomic_bits(at, op, PGAS_ATOMIC_DOUBLE,
            (unsigned long long) __double_as_longlong(value), 0));
}
#endif
#else
PGAS_FUNCTION void pgas_fence_all() { }
template <typename T> PGAS_FUNCTION T pgas_atomic_stored(T *at, T value) {
    T old = *at;
    *at = value;
    return old;
}
PGAS_FUNCTION int pgas_atomic_at(int *at, int op, int value, int expected) {
    return op == PGAS_ATOMIC_COMPARE_SWAP && *at != expected ? *at : pgas_atomic_stored(at, pgas_atomic_leaves(*at, op, value));
}
PGAS_FUNCTION long long pgas_atomic_at(long long *at, int op, long long value, long long expected) {
    return op == PGAS_ATOMIC_COMPARE_SWAP && *at != expected ? *at : pgas_atomic_stored(at, pgas_atomic_leaves(*at, op, value));
}
PGAS_FUNCTION float pgas_atomic_at(float *at, int op, float value, int) {
    return pgas_atomic_stored(at, pgas_atomic_leaves(*at, op, value));
}
PGAS_FUNCTION double pgas_atomic_at(double *at, int op, double value, int) {
    return pgas_atomic_stored(at, pgas_atomic_leaves(*at, op, value));
}
#endif

// ---- reductions: each block leaves one value, which the host combines in the order of the blocks

// The operations, in the order of ReduceOp; the device library defines them, too.
#ifndef PGAS_REDUCE_SUM
enum { PGAS_REDUCE_SUM, PGAS_REDUCE_PRODUCT, PGAS_REDUCE_MIN, PGAS_REDUCE_MAX, PGAS_REDUCE_AND, PGAS_REDUCE_OR, PGAS_REDUCE_XOR,
       PGAS_REDUCE_LOGICAL_AND, PGAS_REDUCE_LOGICAL_OR, PGAS_REDUCE_UNSIGNED_MIN, PGAS_REDUCE_UNSIGNED_MAX };
#endif

template <typename T> PGAS_FUNCTION T pgas_combine_logical(T a, T b, int op) {
    return op == PGAS_REDUCE_LOGICAL_AND ? (T) ((a != 0) & (b != 0)) : (T) ((a != 0) | (b != 0));
}

// Of signed integers without their signs: the same order with the highest bit turned over.
template <typename T> PGAS_FUNCTION T pgas_combine_bits(T a, T b, int op) {
    const T low = (T) ((T) 1 << (sizeof(T) * 8 - 2)) * -2;
    return op == PGAS_REDUCE_AND ? a & b : op == PGAS_REDUCE_OR ? a | b : op == PGAS_REDUCE_XOR ? a ^ b
            : op == PGAS_REDUCE_UNSIGNED_MIN ? ((a ^ low) < (b ^ low) ? a : b)
            : op == PGAS_REDUCE_UNSIGNED_MAX ? ((a ^ low) > (b ^ low) ? a : b) : pgas_combine_logical(a, b, op);
}

template <typename T> PGAS_FUNCTION T pgas_combine_integers(T a, T b, int op) {
    return op == PGAS_REDUCE_SUM ? pgas_add(a, b) : op == PGAS_REDUCE_PRODUCT ? pgas_mul(a, b)
            : op == PGAS_REDUCE_MIN ? (a < b ? a : b) : op == PGAS_REDUCE_MAX ? (a > b ? a : b) : pgas_combine_bits(a, b, op);
}

template <typename T> PGAS_FUNCTION T pgas_combine_reals(T a, T b, int op) {
    return op == PGAS_REDUCE_SUM ? a + b : op == PGAS_REDUCE_PRODUCT ? a * b : op == PGAS_REDUCE_MIN ? pgas_min(a, b)
            : op == PGAS_REDUCE_MAX ? pgas_max(a, b) : pgas_combine_logical(a, b, op);
}

PGAS_FUNCTION int pgas_combine(int a, int b, int op) { return pgas_combine_integers(a, b, op); }
PGAS_FUNCTION long long pgas_combine(long long a, long long b, int op) { return pgas_combine_integers(a, b, op); }
PGAS_FUNCTION float pgas_combine(float a, float b, int op) { return pgas_combine_reals(a, b, op); }
PGAS_FUNCTION double pgas_combine(double a, double b, int op) { return pgas_combine_reals(a, b, op); }

// A value that is not combined with another one: what is true is 1, as where it is.
template <typename T> PGAS_FUNCTION T pgas_reduced(T value, int op) {
    return op == PGAS_REDUCE_LOGICAL_AND || op == PGAS_REDUCE_LOGICAL_OR ? (T) (value != 0) : value;
}

template <typename T> PGAS_FUNCTION void pgas_reduce_block(T value, int op, T *results) {
#ifdef __CUDACC__
    __shared__ T parts[32];
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        value = pgas_combine(value, __shfl_down_sync(0xffffffffu, value, lanes), op);
    }
    if (threadIdx.x % 32 == 0) {
        parts[threadIdx.x / 32] = value;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < (int) blockDim.x / 32; warp++) {
            value = pgas_combine(value, parts[warp], op);
        }
    }
    if (threadIdx.x != 0) {
        return;
    }
#endif
    results[pgas_block()] = value;
}

// ---- warps: all threads of one call these together

PGAS_FUNCTION int pgas_lanes() {
#ifdef PGAS_WHOLE_WARPS
    return 32;
#else
    int left = pgas_threads() - (pgas_thread_index() & ~31);
    return left < 32 ? left : 32;
#endif
}

#ifdef __CUDACC__
PGAS_FUNCTION unsigned pgas_warp_mask() { return 0xffffffffu >> (32 - pgas_lanes()); }

// The own value where there is no thread of that lane.
template <typename T> PGAS_FUNCTION T pgas_shuffle(T value, int lane) {
    int own = pgas_thread_index() & 31;
    return __shfl_sync(pgas_warp_mask(), value, (unsigned) lane < (unsigned) pgas_lanes() ? lane : own);
}

PGAS_FUNCTION int pgas_ballot(int value) { return (int) __ballot_sync(pgas_warp_mask(), value); }

PGAS_FUNCTION long long pgas_from_thread(long long value, int thread) {
    __shared__ long long place;
    if (pgas_thread_index() == thread) {
        place = value;
    }
    __syncthreads();
    long long given = place;
    __syncthreads();
    return given;
}
#else
template <typename T> PGAS_FUNCTION T pgas_shuffle(T value, int) { return value; }
PGAS_FUNCTION int pgas_ballot(int value) { return value != 0; }
PGAS_FUNCTION long long pgas_from_thread(long long value, int) { return value; }
#endif

template <typename T> PGAS_FUNCTION T pgas_shuffle_up(T value, int by) {
    return pgas_shuffle(value, pgas_sub(pgas_thread_index() & 31, by));
}

template <typename T> PGAS_FUNCTION T pgas_shuffle_down(T value, int by) {
    return pgas_shuffle(value, pgas_add(pgas_thread_index() & 31, by));
}

// As KernelThread.warpSum and its kin.
template <typename T> PGAS_FUNCTION T pgas_warp_all(T value, int op) {
    int lane = pgas_thread_index() & 31;
    int lanes = pgas_lanes();
    for (int by = 16; by > 0; by >>= 1) {
        T other = pgas_shuffle_down(value, by);
        value = lane + by < lanes ? pgas_combine(value, other, op) : value;
    }
    return pgas_shuffle(value, 0);
}

// As KernelThread.blockSum and its kin.
template <typename T> PGAS_FUNCTION T pgas_block_all(T value, int op) {
    value = pgas_warp_all(value, op);
#ifdef __CUDACC__
    __shared__ T parts[32];
    if ((threadIdx.x & 31) == 0) {
        parts[threadIdx.x >> 5] = value;
    }
    __syncthreads();
    value = parts[0];
    for (int warp = 1; warp < ((int) blockDim.x + 31) >> 5; warp++) {
        value = pgas_combine(value, parts[warp], op);
    }
    __syncthreads();
#endif
    return value;
}

// Whether all threads of a warp are within bounds, before a loop in which they meet: in one copy of it. If it runs, all come here.
PGAS_FUNCTION bool pgas_together(bool runs, bool inside) {
#ifdef __CUDACC__
    return runs && __all_sync(pgas_warp_mask(), inside);
#else
    return inside;
#endif
}

// Whether all threads that are here together are within bounds, before a loop: they stay together in it, which the compiler makes use of.
PGAS_FUNCTION bool pgas_alike(bool inside) {
#ifdef __CUDACC__
    return __all_sync(__activemask(), inside);
#else
    return inside;
#endif
}

// ---- atomic operations on memory of the block

#ifdef __CUDACC__
PGAS_FUNCTION int pgas_block_add(int *at, int value) { return atomicAdd_block(at, value); }
PGAS_FUNCTION long long pgas_block_add(long long *at, long long value) {
    return (long long) atomicAdd_block((unsigned long long *) at, (unsigned long long) value);
}
PGAS_FUNCTION float pgas_block_add(float *at, float value) { return atomicAdd_block(at, value); }
PGAS_FUNCTION double pgas_block_add(double *at, double value) { return atomicAdd_block(at, value); }
PGAS_FUNCTION int pgas_block_set(int *at, int value) { return atomicExch_block(at, value); }
PGAS_FUNCTION long long pgas_block_set(long long *at, long long value) {
    return (long long) atomicExch_block((unsigned long long *) at, (unsigned long long) value);
}
template <typename T> PGAS_FUNCTION T pgas_block_min(T *at, T value) { return atomicMin_block(at, value); }
template <typename T> PGAS_FUNCTION T pgas_block_max(T *at, T value) { return atomicMax_block(at, value); }
PGAS_FUNCTION int pgas_block_exchange(int *at, int expected, int value) { return atomicCAS_block(at, expected, value); }
PGAS_FUNCTION long long pgas_block_exchange(long long *at, long long expected, long long value) {
    return (long long) atomicCAS_block((unsigned long long *) at, (unsigned long long) expected, (unsigned long long) value);
}
PGAS_FUNCTION float pgas_block_set(float *at, float value) { return atomicExch_block(at, value); }
PGAS_FUNCTION double pgas_block_set(double *at, double value) {
    return pgas_double_of(pgas_block_set((long long *) at, pgas_bits(value)));
}
PGAS_FUNCTION float pgas_block_exchange(float *at, float expected, float value) {
    return pgas_float_of(pgas_block_exchange((int *) at, pgas_bits(expected), pgas_bits(value)));
}
PGAS_FUNCTION double pgas_block_exchange(double *at, double expected, double value) {
    return pgas_double_of(pgas_block_exchange((long long *) at, pgas_bits(expected), pgas_bits(value)));
}
PGAS_FUNCTION int pgas_bits(int a) { return a; }
PGAS_FUNCTION long long pgas_bits(long long a) { return a; }

// For what the device has no instruction: compares until no other thread came between.
template <typename T> PGAS_FUNCTION T pgas_block_change(T *at, int op, T value) {
    T old = *(volatile T *) at;
    if (op == PGAS_ATOMIC_GET) {
        return old;
    }
    T found = pgas_block_exchange(at, old, pgas_atomic_leaves(old, op, value));
    while (pgas_bits(found) != pgas_bits(old)) {
        old = found;
        found = pgas_block_exchange(at, old, pgas_atomic_leaves(old, op, value));
    }
    return old;
}

// W is T without a sign.
template <typename W, typename T> PGAS_FUNCTION T pgas_block_integer(T *at, int op, T value) {
    switch (op) {
        case PGAS_ATOMIC_SET:
        case PGAS_ATOMIC_SWAP:
            return pgas_block_set(at, value);
        case PGAS_ATOMIC_ADD:
            return pgas_block_add(at, value);
        case PGAS_ATOMIC_MIN:
            return pgas_block_min(at, value);
        case PGAS_ATOMIC_MAX:
            return pgas_block_max(at, value);
        case PGAS_ATOMIC_AND:
            return (T) atomicAnd_block((W *) at, (W) value);
        case PGAS_ATOMIC_OR:
            return (T) atomicOr_block((W *) at, (W) value);
        case PGAS_ATOMIC_XOR:
            return (T) atomicXor_block((W *) at, (W) value);
        case PGAS_ATOMIC_UNSIGNED_MIN:
            return (T) atomicMin_block((W *) at, (W) value);
        case PGAS_ATOMIC_UNSIGNED_MAX:
            return (T) atomicMax_block((W *) at, (W) value);
        default:
            return pgas_block_change(at, op, value);
    }
}

template <typename T> PGAS_FUNCTION T pgas_block_real(T *at, int op, T value) {
    return op == PGAS_ATOMIC_SET || op == PGAS_ATOMIC_SWAP ? pgas_block_set(at, value)
            : op == PGAS_ATOMIC_ADD ? pgas_block_add(at, value) : pgas_block_change(at, op, value);
}

PGAS_FUNCTION int pgas_block_atomic(int *at, int op, int value) { return pgas_block_integer<unsigned>(at, op, value); }
PGAS_FUNCTION long long pgas_block_atomic(long long *at, int op, long long value) {
    return pgas_block_integer<unsigned long long>(at, op, value);
}
PGAS_FUNCTION float pgas_block_atomic(float *at, int op, float value) { return pgas_block_real(at, op, value); }
PGAS_FUNCTION double pgas_block_atomic(double *at, int op, double value) { return pgas_block_real(at, op, value); }
#else
template <typename T> PGAS_FUNCTION T pgas_block_set(T *at, T value) {
    T old = *at;
    *at = value;
    return old;
}
template <typename T> PGAS_FUNCTION T pgas_block_add(T *at, T value) { return pgas_fetch_add(at, value); }
template <typename T> PGAS_FUNCTION T pgas_block_min(T *at, T value) { return pgas_block_set(at, value < *at ? value : *at); }
template <typename T> PGAS_FUNCTION T pgas_block_max(T *at, T value) { return pgas_block_set(at, value > *at ? value : *at); }
template <typename T> PGAS_FUNCTION T pgas_block_exchange(T *at, T expected, T value) {
    return pgas_block_set(at, *at == expected ? value : *at);
}
template <typename T> PGAS_FUNCTION T pgas_block_atomic(T *at, int op, T value) {
    return pgas_block_set(at, pgas_atomic_leaves(*at, op, value));
}
#endif

// ---- lines of a thread: of a block program in its log; else in page-locked memory, whose lines the host writes when it has waited

#ifdef PGAS_BLOCK_PROGRAM
#define PGAS_LINE(number, format) format
template <typename... A> PGAS_FUNCTION void pgas_thread_printf(const pgas_context *cx, const char *format, A... values) {
    ::pgas_printf_thread(cx->block, format, values...);
}
#else
#define PGAS_LINE(number, format) number
enum { PGAS_MAX_LINES = 1024, PGAS_LINE_VALUES = 8 };

// Laid out as KernelLines.java reads it.
struct pgas_line {
    unsigned long long number; // plus one, written last
    int kernel;
    int line;
    long long block;
    int thread;
    int unused;
    long long values[PGAS_LINE_VALUES];
};

struct pgas_lines {
    unsigned long long head; // by the host
    unsigned long long tail;
    unsigned long long dropped;
    unsigned long long unused;
    pgas_line lines[PGAS_MAX_LINES];
};

PGAS_FUNCTION long long pgas_line_bits(int value) { return value; }
PGAS_FUNCTION long long pgas_line_bits(long long value) { return value; }
PGAS_FUNCTION long long pgas_line_bits(float value) { return pgas_bits((double) value); }
PGAS_FUNCTION long long pgas_line_bits(double value) { return pgas_bits(value); }

#ifdef __CUDACC__
PGAS_FUNCTION unsigned long long pgas_take(unsigned long long *at, unsigned long long old) { return atomicCAS(at, old, old + 1); }
PGAS_FUNCTION void pgas_count_one(unsigned long long *at) { atomicAdd(at, 1ull); }
#else
PGAS_FUNCTION unsigned long long pgas_take(unsigned long long *at, unsigned long long old) { *at = old + 1; return old; }
PGAS_FUNCTION void pgas_count_one(unsigned long long *at) { ++*at; }
#endif

// Another thread may take each place first, as often as there are lines: then there is none left. A template, so that kernels without
// lines do not have it.
template <typename B> PGAS_FAR_FUNCTION void pgas_write_line(const pgas_context *cx, int number, int count, const B *bits) {
    pgas_lines *all = cx->fault->lines;
    unsigned long long index = *(volatile unsigned long long *) &all->tail;
    bool taken = false;
    for (int k = 0; !taken && k < PGAS_MAX_LINES && index - *(volatile unsigned long long *) &all->head < PGAS_MAX_LINES; k++) {
        const unsigned long long now = pgas_take(&all->tail, index);
        taken = now == index;
        index = taken ? index : now;
    }
    if (!taken) {
        pgas_count_one(&all->dropped);
        return;
    }
    volatile pgas_line *line = &all->lines[index % PGAS_MAX_LINES];
    line->kernel = cx->fault->kernel;
    line->line = number;
    line->block = pgas_block();
    line->thread = pgas_thread_index();
    for (int i = 0; i < count; i++) {
        line->values[i] = bits[i];
    }
    pgas_fence_all();
    line->number = index + 1;
}

template <typename... A> PGAS_FUNCTION void pgas_thread_printf(const pgas_context *cx, int number, A... values) {
    const long long bits[sizeof...(A) + 1] = {pgas_line_bits(values)..., 0};
    pgas_write_line(cx, number, (int) sizeof...(A), bits);
}
#endif
