// Measures NVSHMEM for `scripts/bench peers`: one process for each PE, one GPU each; PE 0 prints one JSON object per line.
//
//     nvshmem PES SECONDS
//
// The first process starts the others before any of them uses CUDA, and all end after SECONDS at the latest. Times are those of
// the GPU. Samples are means of a batch; "bytes" are those of the longer vector of a PE; "wrong" counts elements that arrived
// wrong. NVLink multicast stays off.

#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <nvshmem.h>
#include <nvshmemx.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

const int SAMPLES = 100;
const int ROUND_TRIPS = 20;
const int CAPTURED = 50;
const int REPLAYS = 15;
const int CHECKED = 20;
const int COLD_LAUNCHES = 100; // until a GPU that was idle runs at its full clock
const int WARM_UPS = 10;
const size_t MAX_BYTES = 64u << 20;

int me;
int pes;
int partner;
bool failed;

// Memory of all processes.
struct Meeting {
    volatile int ready;
    long wrong;
    nvshmemx_uniqueid_t id;
};

Meeting *meeting;

[[noreturn]] void fail(const char *what, const char *why) {
    fprintf(stderr, "PE %d: %s: %s\n", me, what, why);
    _exit(2);
}

void cuda(cudaError_t status, const char *what) {
    if (status != cudaSuccess) {
        fail(what, cudaGetErrorString(status));
    }
}

double median(std::vector<double> &samples) {
    std::sort(samples.begin(), samples.end());
    return samples[samples.size() / 2];
}

// One line of PE 0; type is empty where there are no elements, and blocks 0 where their number does not matter.
void print(const char *op, const std::string &form, const std::string &type, size_t bytes, int blocks, std::vector<double> &us,
           int batch, long wrong) {
    failed = failed || wrong != 0;
    if (me != 0) {
        return;
    }
    double sum = 0;
    for (double sample : us) {
        sum += sample;
    }
    std::string more = type.empty() ? "" : ",\"type\":\"" + type + "\"";
    more += blocks == 0 ? "" : ",\"blocks\":" + std::to_string(blocks);
    printf("{\"peer\":\"nvshmem\",\"op\":\"%s\",\"form\":\"%s\"%s,\"bytes\":%zu,\"p50_us\":%.4f,\"mean_us\":%.4f,"
           "\"samples\":%zu,\"batch\":%d,\"wrong\":%ld}\n", op, form.c_str(), more.c_str(), bytes, median(us), sum / us.size(),
           us.size(), batch, wrong);
    fflush(stdout);
}

// ---- block to block

__device__ unsigned long long now() {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

__device__ char value(int round, long i, int of) {
    return (char) (round * 31 + i * 7 + of * 101 + 1);
}

enum Form { SIGNAL, BY_THREAD, BY_WARP, BY_BLOCK };

__device__ void send(int form, char *to, const char *from, size_t bytes, uint64_t *signal, uint64_t round, int pe) {
    if (form == BY_BLOCK) {
        nvshmemx_putmem_signal_block(to, from, bytes, signal, round, NVSHMEM_SIGNAL_SET, pe);
    } else if (form == BY_WARP) {
        nvshmemx_putmem_signal_warp(to, from, bytes, signal, round, NVSHMEM_SIGNAL_SET, pe);
    } else if (threadIdx.x == 0) {
        if (form == SIGNAL) {
            nvshmemx_signal_op(signal, round, NVSHMEM_SIGNAL_SET, pe);
        } else {
            nvshmem_putmem_signal(to, from, bytes, signal, round, NVSHMEM_SIGNAL_SET, pe);
        }
    }
}

__device__ void await(uint64_t *signal, uint64_t round) {
    if (threadIdx.x == 0) {
        nvshmem_signal_wait_until(signal, NVSHMEM_CMP_GE, round);
    }
    __syncthreads();
}

// Half round trips between PE 0 and another, ns.
__global__ void pingpong(char *to, const char *from, size_t bytes, uint64_t *signal, uint64_t before, int form, int samples,
                         int batch, int me, int pe, double *times) {
    uint64_t round = before;
    for (int s = -samples / 4; s < samples; s++) {
        unsigned long long start = now();
        for (int i = 0; i < batch; i++) {
            round++;
            if (me == 0) {
                send(form, to, from, bytes, signal, round, pe);
            }
            await(signal, round);
            if (me != 0) {
                send(form, to, from, bytes, signal, round, pe);
            }
        }
        if (threadIdx.x == 0 && s >= 0) {
            times[s] = (double) (now() - start) / (2 * batch);
        }
    }
}

// The same with other bytes each time, which the receiver compares.
__global__ void pingpong_checked(char *to, char *from, size_t bytes, uint64_t *signal, uint64_t before, int form, int rounds,
                                 int me, int pe, unsigned long long *wrong) {
    for (int r = 0; r < rounds; r++) {
        for (size_t i = threadIdx.x; i < bytes; i += blockDim.x) {
            from[i] = value(r, i, me);
        }
        __syncthreads();
        if (me == 0) {
            send(form, to, from, bytes, signal, before + r + 1, pe);
        }
        await(signal, before + r + 1);
        for (size_t i = threadIdx.x; i < bytes; i += blockDim.x) {
            if (((volatile char *) to)[i] != value(r, i, pe)) {
                atomicAdd(wrong, 1ull);
            }
        }
        __syncthreads();
        if (me != 0) {
            send(form, to, from, bytes, signal, before + r + 1, pe);
        }
        __syncthreads();
    }
}

struct Memory {
    char *in;
    char *out;
    uint64_t *signal;
    double *times;
    unsigned long long *wrong;
};

long before;

// Elements that arrived wrong at any PE, of the current measurement.
long wrongOf(const Memory &m) {
    unsigned long long wrong;
    cuda(cudaMemcpy(&wrong, m.wrong, sizeof wrong, cudaMemcpyDeviceToHost), "cudaMemcpy");
    __sync_fetch_and_add(&meeting->wrong, (long) wrong);
    nvshmem_barrier_all();
    long all = meeting->wrong - before;
    nvshmem_barrier_all();
    before += all;
    return all;
}

std::vector<double> timesOf(const Memory &m, int count) {
    std::vector<double> ns(count);
    cuda(cudaMemcpy(ns.data(), m.times, count * sizeof(double), cudaMemcpyDeviceToHost), "cudaMemcpy");
    for (double &sample : ns) {
        sample /= 1e3;
    }
    return ns;
}

uint64_t sent;

void measurePut(const Memory &m, const char *op, int form, const std::string &name, int threads, size_t bytes) {
    bool takesPart = me == 0 || me == partner;
    int pe = me == 0 ? partner : 0;
    cuda(cudaMemset(m.wrong, 0, sizeof *m.wrong), "cudaMemset");
    nvshmem_barrier_all();
    if (takesPart) {
        pingpong_checked<<<1, threads>>>(m.in, m.out, bytes, m.signal, sent, form, CHECKED, me, pe, m.wrong);
        cuda(cudaDeviceSynchronize(), op);
    }
    sent += CHECKED;
    nvshmem_barrier_all();
    for (int launch = form == SIGNAL ? -COLD_LAUNCHES : -1; launch <= 0; launch++) { // the last is measured
        if (takesPart) {
            pingpong<<<1, threads>>>(m.in, m.out, bytes, m.signal, sent, form, SAMPLES, ROUND_TRIPS, me, pe, m.times);
            cuda(cudaDeviceSynchronize(), op);
        }
        sent += (uint64_t) (SAMPLES + SAMPLES / 4) * ROUND_TRIPS;
        nvshmem_barrier_all();
    }
    std::vector<double> us = timesOf(m, SAMPLES);
    print(op, name, "", bytes, 0, us, 2 * ROUND_TRIPS, wrongOf(m));
}

void measurePuts(const Memory &m) {
    measurePut(m, "notify", SIGNAL, "thread", 32, 0);
    for (size_t bytes : {4, 8, 64, 256, 1024, 4096, 8192, 16384}) {
        if (bytes <= 64) {
            measurePut(m, "put-notify", BY_THREAD, "thread", 32, bytes);
        }
        if (bytes <= 1024) {
            measurePut(m, "put-notify", BY_WARP, "warp", 32, bytes);
        }
        for (int threads : {128, 512, 1024}) {
            if (bytes >= (size_t) threads) {
                measurePut(m, "put-notify", BY_BLOCK, "block of " + std::to_string(threads), threads, bytes);
            }
        }
    }
}

// ---- barriers

enum Barrier { THREAD, BLOCK, GRID };

__device__ void barrier(int form) {
    if (form == GRID) {
        cooperative_groups::this_grid().sync();
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            nvshmem_barrier_all();
        }
        cooperative_groups::this_grid().sync();
    } else if (form == BLOCK) {
        nvshmemx_barrier_all_block();
    } else {
        if (threadIdx.x == 0) {
            nvshmem_barrier_all();
        }
        __syncthreads();
    }
}

// Times of barriers, ns; before that, barriers between which each PE writes a number to all others.
__global__ void barriers(int form, int samples, int batch, int me, int pes, int *slots, double *times,
                         unsigned long long *wrong) {
    bool first = blockIdx.x == 0 && threadIdx.x == 0;
    for (int r = 1; r <= 10; r++) {
        for (int pe = 0; first && pe < pes; pe++) {
            nvshmem_int_p(slots + me, r, pe);
        }
        barrier(form);
        for (int pe = 0; first && pe < pes; pe++) {
            if (((volatile int *) slots)[pe] != r) {
                atomicAdd(wrong, 1ull);
            }
        }
        barrier(form);
    }
    for (int s = -samples / 4; s < samples; s++) {
        unsigned long long start = now();
        for (int i = 0; i < batch; i++) {
            barrier(form);
        }
        if (first && s >= 0) {
            times[s] = (double) (now() - start) / batch;
        }
    }
}

void measureBarrier(Memory m, int form, const char *name, int blocks, int threads) {
    cuda(cudaMemset(m.wrong, 0, sizeof *m.wrong), "cudaMemset");
    cuda(cudaMemset(m.in, 0, 4096), "cudaMemset");
    int samples = SAMPLES;
    int batch = ROUND_TRIPS;
    int *slots = (int *) m.in;
    cuda(cudaDeviceSynchronize(), "cudaMemset");
    nvshmem_barrier_all();
    void *args[] = {&form, &samples, &batch, &me, &pes, &slots, &m.times, &m.wrong};
    for (int launch = 0; launch < 2; launch++) { // the last is measured
        int status = nvshmemx_collective_launch((const void *) barriers, dim3(blocks), dim3(threads), args, 0, 0);
        if (status != 0) {
            fail("nvshmemx_collective_launch of barriers", std::to_string(status).c_str());
        }
        cuda(cudaDeviceSynchronize(), "barriers");
    }
    std::vector<double> us = timesOf(m, samples);
    print("barrier", name, "", 0, blocks * pes, us, batch, wrongOf(m));
}

// ---- collectives on a stream

template<typename T>
__global__ void fill(T *to, size_t count, int pe) {
    for (size_t i = blockIdx.x * (size_t) blockDim.x + threadIdx.x; i < count; i += (size_t) gridDim.x * blockDim.x) {
        to[i] = (T) (float) (i % 17 + pe);
    }
}

enum Result { SUM, SUM_OF_PART, GATHERED, OF_ROOT, EXCHANGED };

// Compares a result with what it has to be; all sums are small whole numbers, which both types hold exactly.
template<typename T>
__global__ void check(const T *result, size_t count, int kind, int me, int pes, unsigned long long *wrong) {
    size_t part = kind == GATHERED || kind == EXCHANGED ? count / pes : count;
    for (size_t i = blockIdx.x * (size_t) blockDim.x + threadIdx.x; i < count; i += (size_t) gridDim.x * blockDim.x) {
        float expected = 0;
        if (kind == SUM || kind == SUM_OF_PART) {
            size_t index = kind == SUM ? i : me * part + i;
            expected = (float) (index % 17) * pes + pes * (pes - 1) / 2;
        } else if (kind == GATHERED) {
            expected = (float) (i % part % 17 + i / part);
        } else if (kind == OF_ROOT) {
            expected = (float) (i % 17);
        } else {
            expected = (float) ((me * part + i % part) % 17 + i / part);
        }
        if ((float) result[i] != expected) {
            atomicAdd(wrong, 1ull);
        }
    }
}

template<typename T>
void measureCollective(const Memory &m, cudaStream_t stream, const char *op, const char *type, size_t bytes, int kind,
                       const std::function<int(T *, const T *, size_t)> &operation) {
    T *to = (T *) m.in;
    T *from = (T *) m.out;
    size_t count = bytes / sizeof(T);
    size_t input = kind == GATHERED ? count / pes : count;
    size_t output = kind == SUM_OF_PART ? count / pes : count;
    if (kind != SUM && kind != OF_ROOT && count % pes != 0) {
        if (me == 0) {
            printf("{\"peer\":\"nvshmem\",\"missing\":\"%s of %zu bytes: not the same number of elements for each of %d PEs\"}\n",
                   op, bytes, pes);
            fflush(stdout);
        }
        return;
    }
    cuda(cudaMemsetAsync(m.wrong, 0, sizeof *m.wrong, stream), "cudaMemset");
    cuda(cudaMemsetAsync(to, 0xff, output * sizeof(T), stream), "cudaMemset");
    fill<<<64, 256, 0, stream>>>(from, input, me);
    nvshmemx_barrier_all_on_stream(stream);
    if (operation(to, from, count) != 0) {
        fail(op, "the call failed");
    }
    check<<<64, 256, 0, stream>>>(to, output, kind, me, pes, m.wrong);
    cuda(cudaStreamSynchronize(stream), op);
    nvshmem_barrier_all();

    // Not every version's calls can be captured: then they are queued one by one.
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    bool captured = cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) == cudaSuccess;
    if (captured) {
        for (int i = 0; i < CAPTURED; i++) {
            captured = operation(to, from, count) == 0 && captured;
        }
        captured = cudaStreamEndCapture(stream, &graph) == cudaSuccess && captured && graph != nullptr
                && cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess;
    }
    cudaGetLastError();
    cudaEvent_t begin;
    cudaEvent_t end;
    cuda(cudaEventCreate(&begin), "cudaEventCreate");
    cuda(cudaEventCreate(&end), "cudaEventCreate");
    std::vector<double> us;
    int replays = bytes >= (16u << 20) ? 5 : REPLAYS;
    for (int replay = -WARM_UPS; replay < replays; replay++) {
        nvshmemx_barrier_all_on_stream(stream);
        cuda(cudaEventRecord(begin, stream), "cudaEventRecord");
        if (captured) {
            cuda(cudaGraphLaunch(executable, stream), op);
        } else {
            for (int i = 0; i < CAPTURED; i++) {
                operation(to, from, count);
            }
        }
        cuda(cudaEventRecord(end, stream), "cudaEventRecord");
        cuda(cudaStreamSynchronize(stream), op);
        float ms;
        cuda(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
        if (replay >= 0) {
            us.push_back(ms * 1e3 / CAPTURED);
        }
    }
    check<<<64, 256, 0, stream>>>(to, output, kind, me, pes, m.wrong);
    cuda(cudaStreamSynchronize(stream), op);
    print(op, captured ? "graph" : "stream", type, bytes, 0, us, CAPTURED, wrongOf(m));
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    if (executable != nullptr) {
        cudaGraphExecDestroy(executable);
    }
    if (graph != nullptr) {
        cudaGraphDestroy(graph);
    }
    nvshmem_barrier_all();
}

void measureCollectives(const Memory &m) {
    cudaStream_t stream;
    cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    for (size_t bytes : {(size_t) 8, (size_t) 1 << 10, (size_t) 8 << 10, (size_t) 64 << 10, (size_t) 256 << 10, (size_t) 1 << 20,
                         (size_t) 8 << 20, MAX_BYTES}) {
        measureCollective<float>(m, stream, "allReduce", "f32", bytes, SUM, [=](float *to, const float *from, size_t count) {
            return nvshmemx_float_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, to, from, count, stream);
        });
        measureCollective<__nv_bfloat16>(m, stream, "allReduce", "bf16", bytes, SUM,
                                         [=](__nv_bfloat16 *to, const __nv_bfloat16 *from, size_t count) {
            return nvshmemx_bfloat16_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, to, from, count, stream);
        });
        measureCollective<float>(m, stream, "reduceScatter", "f32", bytes, SUM_OF_PART,
                                 [=](float *to, const float *from, size_t count) {
            return nvshmemx_float_sum_reducescatter_on_stream(NVSHMEM_TEAM_WORLD, to, from, count / pes, stream);
        });
        measureCollective<float>(m, stream, "allGather", "f32", bytes, GATHERED, [=](float *to, const float *from, size_t count) {
            return nvshmemx_float_fcollect_on_stream(NVSHMEM_TEAM_WORLD, to, from, count / pes, stream);
        });
        measureCollective<float>(m, stream, "broadcast", "f32", bytes, OF_ROOT, [=](float *to, const float *from, size_t count) {
            return nvshmemx_float_broadcast_on_stream(NVSHMEM_TEAM_WORLD, to, from, count, 0, stream);
        });
        measureCollective<float>(m, stream, "exchange", "f32", bytes, EXCHANGED, [=](float *to, const float *from, size_t count) {
            return nvshmemx_float_alltoall_on_stream(NVSHMEM_TEAM_WORLD, to, from, count / pes, stream);
        });
    }
}

// ---- processes

int run() {
    int gpus = 0;
    cudaError_t status = cudaGetDeviceCount(&gpus);
    if (gpus < pes) {
        if (me == 0) {
            printf("{\"peer\":\"nvshmem\",\"missing\":\"a GPU for each of %d PEs: %d here (%s)\"}\n", pes, gpus,
                   cudaGetErrorString(status));
            fflush(stdout);
        }
        return 0;
    }
    cuda(cudaSetDevice(me), "cudaSetDevice");
    if (me == 0) {
        nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
        if (nvshmemx_get_uniqueid(&id) != 0) {
            fail("nvshmemx_get_uniqueid", "the call failed");
        }
        memcpy((void *) &meeting->id, &id, sizeof id);
        __sync_synchronize();
        meeting->ready = 1;
    }
    while (!meeting->ready) {
        usleep(100); // the alarm ends it
    }
    __sync_synchronize();
    nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
    if (nvshmemx_set_attr_uniqueid_args(me, pes, &meeting->id, &attributes) != 0
            || nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attributes) != 0) {
        fail("nvshmemx_init_attr", "the call failed");
    }
    int major;
    int minor;
    nvshmem_info_get_version(&major, &minor);
    cudaDeviceProp properties;
    cuda(cudaGetDeviceProperties(&properties, me), "cudaGetDeviceProperties");
    if (me == 0) {
        printf("{\"peer\":\"nvshmem\",\"version\":\"%s, specification %d.%d\",\"device\":\"%s\"}\n", NVSHMEM_VENDOR_STRING, major,
               minor, properties.name);
        fflush(stdout);
    }
    partner = 1;
    Memory m;
    m.in = (char *) nvshmem_malloc(MAX_BYTES);
    m.out = (char *) nvshmem_malloc(MAX_BYTES);
    m.signal = (uint64_t *) nvshmem_calloc(1, sizeof(uint64_t));
    if (m.in == nullptr || m.out == nullptr || m.signal == nullptr) {
        fail("nvshmem_malloc", "no memory");
    }
    cuda(cudaMalloc(&m.times, SAMPLES * sizeof(double)), "cudaMalloc");
    cuda(cudaMalloc(&m.wrong, sizeof *m.wrong), "cudaMalloc");
    measurePuts(m);
    int processors;
    cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, me), "cudaDeviceGetAttribute");
    measureBarrier(m, THREAD, "thread", 1, 32);
    measureBarrier(m, BLOCK, "block of 128", 1, 128);
    measureBarrier(m, GRID, "grid of 128", processors, 128);
    measureCollectives(m);
    return failed ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
    pes = argc > 1 ? atoi(argv[1]) : 2;
    int seconds = argc > 2 ? atoi(argv[2]) : 60;
    if (pes < 2 || seconds < 1) {
        fprintf(stderr, "usage: %s PES SECONDS (at least 2 PEs, 1 s)\n", argv[0]);
        return 2;
    }
    setenv("NVSHMEM_DISABLE_NVLS", "1", 1); // multicast stays off
    setenv("NVSHMEM_REMOTE_TRANSPORT", "none", 0);
    setenv("NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME", "lo", 0);
    setenv("NVSHMEM_SYMMETRIC_SIZE", "512M", 0);
    void *shared = mmap(nullptr, sizeof(Meeting), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        perror("mmap");
        return 2;
    }
    meeting = (Meeting *) shared;
    std::vector<pid_t> children;
    for (int pe = 0; pe < pes; pe++) {
        pid_t child = fork();
        if (child < 0) {
            perror("fork");
            return 2;
        }
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            alarm(seconds);
            me = pe;
            int status = run();
            fflush(stdout);
            _exit(status); // what NVSHMEM holds ends with the process
        }
        children.push_back(child);
    }
    // The first that fails ends the others: they would wait for it.
    int status = 0;
    while (!children.empty()) {
        int how;
        pid_t child = wait(&how);
        if (child < 0) {
            perror("wait");
            return 2;
        }
        children.erase(std::remove(children.begin(), children.end(), child), children.end());
        int code = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
        if (code > 1) {
            for (pid_t other : children) {
                kill(other, SIGKILL);
            }
        }
        status = status > 1 ? status : std::max(status, code);
    }
    if (status == 128 + SIGALRM) {
        fprintf(stderr, "not ready after %d s\n", seconds);
    }
    return status;
}
