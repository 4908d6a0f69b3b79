// What a kernel of one block needs to run as C++ on the host: its threads are contexts of one thread, which take turns where they
// wait for each other. Test code puts it in front of a kernel's CUDA C++.

#include <ucontext.h>
#include <cstdlib>
#include <cstring>
#include <ctime>

#define __device__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ static

struct one_block_dim { unsigned int x, y, z; };
static one_block_dim threadIdx, blockIdx, blockDim;

struct one_block_barrier { int size; int arrived; long turn; };
struct one_block_thread { ucontext_t context; one_block_barrier *waits; long turn; bool ended; unsigned long long value; };

static const int one_block_max = 1024;
static const int one_block_stack = 64 * 1024;
static one_block_thread one_block_threads[one_block_max];
static one_block_barrier one_block_all, one_block_warps[one_block_max / 32];
static int one_block_count, one_block_left;
static ucontext_t one_block_caller;

static void one_block_next() {
    int now = (int) threadIdx.x, next = now;
    do {
        next = (next + 1) % one_block_count;
    } while (one_block_threads[next].ended
            || (one_block_threads[next].waits != 0 && one_block_threads[next].waits->turn == one_block_threads[next].turn));
    threadIdx.x = (unsigned int) next;
    if (next != now) {
        swapcontext(&one_block_threads[now].context, &one_block_threads[next].context);
    }
}

static void one_block_await(one_block_barrier *barrier) {
    one_block_thread *self = one_block_threads + threadIdx.x;
    if (++barrier->arrived == barrier->size) {
        barrier->arrived = 0;
        barrier->turn++;
        return;
    }
    self->waits = barrier;
    self->turn = barrier->turn;
    while (self->waits->turn == self->turn) {
        one_block_next();
    }
    self->waits = 0;
}

static void __syncthreads() { one_block_await(&one_block_all); }
static void __syncwarp() { one_block_await(one_block_warps + threadIdx.x / 32); }
static void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

template <typename T> static T __shfl_sync(unsigned int, T value, int lane) {
    unsigned long long bits = 0;
    memcpy(&bits, &value, sizeof value);
    one_block_threads[threadIdx.x].value = bits;
    __syncwarp();
    bits = one_block_threads[threadIdx.x / 32 * 32 + (lane & 31)].value;
    __syncwarp();
    memcpy(&value, &bits, sizeof value);
    return value;
}

template <typename T> static T __shfl_down_sync(unsigned int mask, T value, int by) {
    int lane = (int) threadIdx.x % 32;
    return __shfl_sync(mask, value, lane + by < 32 ? lane + by : lane);
}

static int __all_sync(unsigned int, bool value) {
    one_block_threads[threadIdx.x].value = value;
    __syncwarp();
    int all = 1;
    for (unsigned int lane = 0; lane < 32; lane++) {
        all &= (int) one_block_threads[threadIdx.x / 32 * 32 + lane].value;
    }
    __syncwarp();
    return all;
}

static long long one_block_now() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

template <typename T, typename S> static T one_block_as(S value) {
    T result;
    memcpy(&result, &value, sizeof result);
    return result;
}

static float __uint_as_float(unsigned int v) { return one_block_as<float>(v); }
static unsigned int __float_as_uint(float v) { return one_block_as<unsigned int>(v); }
static double __longlong_as_double(long long v) { return one_block_as<double>(v); }
static long long __double_as_longlong(double v) { return one_block_as<long long>(v); }

template <typename T, typename F> static T one_block_update(T *word, F next) {
    T old = *word; // threads of the block take turns, and tests have nobody else
    *word = next(old);
    return old;
}

template <typename T> static T atomicAdd_system(T *w, T v) { return one_block_update(w, [=](T o) { return (T) (o + v); }); }
template <typename T> static T atomicExch_system(T *w, T v) { return one_block_update(w, [=](T) { return v; }); }
template <typename T> static T atomicCAS_system(T *w, T c, T v) {
    return one_block_update(w, [=](T o) { return o == c ? v : o; });
}
template <typename T> static T atomicMin_system(T *w, T v) { return one_block_update(w, [=](T o) { return v < o ? v : o; }); }
template <typename T> static T atomicMax_system(T *w, T v) { return one_block_update(w, [=](T o) { return o < v ? v : o; }); }
template <typename T> static T atomicAnd_system(T *w, T v) { return one_block_update(w, [=](T o) { return (T) (o & v); }); }
template <typename T> static T atomicOr_system(T *w, T v) { return one_block_update(w, [=](T o) { return (T) (o | v); }); }
template <typename T> static T atomicXor_system(T *w, T v) { return one_block_update(w, [=](T o) { return (T) (o ^ v); }); }

typedef void (*one_block_body)(void *arguments);

static void one_block_enter(unsigned int body_high, unsigned int body_low, unsigned int args_high, unsigned int args_low) {
    one_block_body body = (one_block_body) ((unsigned long long) body_high << 32 | body_low);
    body((void *) ((unsigned long long) args_high << 32 | args_low));
    one_block_threads[threadIdx.x].ended = true;
    if (--one_block_left == 0) {
        setcontext(&one_block_caller);
    }
    one_block_next();
}

// Runs a block; one at a time.
static void one_block_run(int threads, one_block_body body, void *arguments) {
    char *stacks = (char *) malloc((size_t) threads * one_block_stack);
    unsigned long long b = (unsigned long long) body, a = (unsigned long long) arguments;
    one_block_count = one_block_left = threads;
    blockDim.x = (unsigned int) threads;
    one_block_all = {threads, 0, 0};
    for (int i = 0; i < threads; i++) {
        one_block_warps[i / 32] = {32, 0, 0};
        one_block_thread *thread = one_block_threads + i;
        thread->waits = 0;
        thread->ended = false;
        getcontext(&thread->context);
        thread->context.uc_stack.ss_sp = stacks + (size_t) i * one_block_stack;
        thread->context.uc_stack.ss_size = one_block_stack;
        thread->context.uc_link = 0;
        makecontext(&thread->context, (void (*)()) one_block_enter, 4, (unsigned int) (b >> 32), (unsigned int) b,
                    (unsigned int) (a >> 32), (unsigned int) a);
    }
    threadIdx.x = 0;
    swapcontext(&one_block_caller, &one_block_threads[0].context);
    free(stacks);
}
