/*
 * A driver for tests: its one device is the host, each stream a thread that does what it was given in order. Kernels are known by
 * their names. Each call that queues something says so on standard error. The compiler's functions make images of nothing.
 */
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#define CALL extern "C" int

typedef unsigned long long u64;
typedef std::function<void()> Step;

struct Stream {
    std::mutex lock;
    std::condition_variable changed;
    std::deque<Step> steps;
    u64 queued = 0;
    std::atomic<u64> done{0};
    bool ended = false;
    int priority = 0;
    std::vector<Step> *captured = nullptr;

    explicit Stream(int priority) : priority(priority) {
        std::thread([this] { run(); }).detach();
    }

    void run() {
        while (true) {
            Step step;
            {
                std::unique_lock<std::mutex> held(lock);
                changed.wait(held, [this] { return ended || !steps.empty(); });
                if (steps.empty()) {
                    return;
                }
                step = steps.front();
                steps.pop_front();
            }
            step();
            done++;
        }
    }

    void add(const Step &step) {
        if (captured) {
            captured->push_back(step);
            return;
        }
        std::lock_guard<std::mutex> held(lock);
        steps.push_back(step);
        queued++;
        changed.notify_one();
    }
};

struct Graph { std::vector<Step> steps; };
struct Config { unsigned grid[3], block[3], shared, pad; Stream *stream; int *attribute; unsigned attributes; };
struct WordOperation { int kind, pad; u64 address, value; unsigned flags; char rest[20]; };

static thread_local void *current;
static std::mutex memory_lock;
static std::map<char *, size_t> memory;

static std::atomic<u64> *word(u64 address) { return (std::atomic<u64> *) address; }

static void await(u64 address, u64 value, bool any_bit) {
    while (any_bit ? (*word(address) & value) == 0 : (long long) (*word(address) - value) < 0) {
        std::this_thread::yield();
    }
}

// ---- devices and memory

CALL cuInit(unsigned) { return 0; }
CALL cuDriverGetVersion(int *version) { *version = 13000; return 0; }
CALL cuDeviceGetCount(int *count) { *count = 1; return 0; }
CALL cuDeviceGet(int *device, int ordinal) { *device = ordinal; return 0; }
CALL cuDeviceGetName(char *name, int length, int) { strncpy(name, "host", length); return 0; }
CALL cuDeviceTotalMem_v2(size_t *bytes, int) { *bytes = 1ul << 30; return 0; }
CALL cuDeviceGetAttribute(int *value, int attribute, int) {
    *value = attribute == 75 ? 9 : attribute == 76 ? 0 : 1; // compute capability 9.0
    return 0;
}
CALL cuDeviceCanAccessPeer(int *can, int device, int peer) { *can = device == peer; return 0; }
CALL cuDevicePrimaryCtxRetain(void **context, int) { *context = (void *) 16; return 0; }
CALL cuDevicePrimaryCtxRelease_v2(int) { return 0; }
CALL cuCtxGetCurrent(void **context) { *context = current; return 0; }
CALL cuCtxSetCurrent(void *context) { current = context; return 0; }
CALL cuCtxGetDevice(int *device) { *device = 0; return 0; }
CALL cuCtxGetStreamPriorityRange(int *least, int *greatest) { *least = 0; *greatest = -5; return 0; }
CALL cuMemAlloc_v2(u64 *address, size_t bytes) {
    char *made = (char *) aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    std::lock_guard<std::mutex> held(memory_lock);
    memory[made] = bytes;
    *address = (u64) made;
    return 0;
}
CALL cuMemFree_v2(u64 address) {
    std::lock_guard<std::mutex> held(memory_lock);
    memory.erase((char *) address);
    free((void *) address);
    return 0;
}
CALL cuMemHostAlloc(void **address, size_t bytes, unsigned) { return cuMemAlloc_v2((u64 *) address, bytes); }
CALL cuMemFreeHost(void *address) { return cuMemFree_v2((u64) address); }
CALL cuMemGetInfo_v2(size_t *free_bytes, size_t *total) { *free_bytes = *total = 1ul << 30; return 0; }

// ---- streams

CALL cuStreamCreate(Stream **stream, unsigned) { *stream = new Stream(0); return 0; }
CALL cuStreamCreateWithPriority(Stream **stream, unsigned, int priority) { *stream = new Stream(priority); return 0; }
CALL cuStreamDestroy_v2(Stream *stream) {
    std::lock_guard<std::mutex> held(stream->lock);
    stream->ended = true;
    stream->changed.notify_one();
    return 0;
}
CALL cuStreamQuery(Stream *stream) {
    std::lock_guard<std::mutex> held(stream->lock);
    return stream->done == stream->queued ? 0 : 600;
}
CALL cuMemcpyHtoDAsync_v2(u64 to, const void *from, size_t bytes, Stream *stream) {
    stream->add([=] { memcpy((void *) to, from, bytes); });
    return 0;
}
CALL cuMemcpyDtoHAsync_v2(void *to, u64 from, size_t bytes, Stream *stream) {
    stream->add([=] { memcpy(to, (void *) from, bytes); });
    return 0;
}
CALL cuMemcpyDtoDAsync_v2(u64 to, u64 from, size_t bytes, Stream *stream) {
    fprintf(stderr, "driver: copy of %zu\n", bytes);
    stream->add([=] { memmove((void *) to, (void *) from, bytes); });
    return 0;
}
CALL cuStreamWaitValue64_v2(Stream *stream, u64 address, u64 value, unsigned flags) {
    fprintf(stderr, "driver: wait\n");
    stream->add([=] { await(address, value, flags == 2); });
    return 0;
}
CALL cuStreamWriteValue64_v2(Stream *stream, u64 address, u64 value, unsigned) {
    fprintf(stderr, "driver: write\n");
    stream->add([=] { *word(address) = value; });
    return 0;
}
CALL cuStreamBatchMemOp_v2(Stream *stream, unsigned count, WordOperation *operations, unsigned) {
    for (unsigned i = 0; i < count; i++) {
        WordOperation each = operations[i];
        if (each.kind == 4) {
            cuStreamWaitValue64_v2(stream, each.address, each.value, each.flags);
        } else if (each.kind == 5) {
            cuStreamWriteValue64_v2(stream, each.address, each.value, 0);
        } else {
            return 1;
        }
    }
    return 0;
}

// ---- graphs

CALL cuStreamBeginCapture_v2(Stream *stream, int) { stream->captured = new std::vector<Step>; return 0; }
CALL cuStreamEndCapture(Stream *stream, Graph **graph) {
    *graph = new Graph{*stream->captured};
    delete stream->captured;
    stream->captured = nullptr;
    return 0;
}
CALL cuGraphInstantiateWithFlags(Graph **made, Graph *graph, u64 flags) {
    fprintf(stderr, "driver: graph of %zu, flags %llu\n", graph->steps.size(), flags);
    *made = new Graph(*graph);
    return 0;
}
CALL cuGraphUpload(Graph *, Stream *) { return 0; }
CALL cuGraphLaunch(Graph *graph, Stream *stream) {
    for (const Step &step : graph->steps) {
        stream->add(step);
    }
    return 0;
}
CALL cuGraphDestroy(Graph *graph) { delete graph; return 0; }
CALL cuGraphExecDestroy(Graph *graph) { delete graph; return 0; }

// ---- kernels

CALL cuModuleLoadDataEx(void **module, ...) { *module = (void *) 32; return 0; }
CALL cuModuleUnload(void *) { return 0; }
CALL cuModuleGetFunction(void **function, void *, const char *name) { *function = strdup(name); return 0; }
CALL cuFuncGetAttribute(int *value, int attribute, void *) { *value = attribute == 0 ? 1024 : 0; return 0; }
CALL cuFuncSetAttribute(void *, int, int) { return 0; }

static int launch(const char *how, const char *name, unsigned blocks, unsigned threads, Stream *stream, void **parameters) {
    auto parameter = [=](int i) { return *(u64 *) parameters[i]; };
    fprintf(stderr, "driver: %s %s of %u x %u, priority %d\n", how, name, blocks, threads, stream->priority);
    u64 first = parameter(0), second = parameter(1), third = parameter(2);
    if (!strcmp(name, "pgas_copy")) {
        stream->add([=] { memmove((void *) first, (void *) second, third); });
    } else if (!strcmp(name, "pgas_message_send")) {
        u64 address = parameter(3), value = parameter(4);
        stream->add([=] {
            memmove((void *) first, (void *) second, third);
            *word(address) = value;
        });
    } else if (!strcmp(name, "pgas_message_await")) {
        u64 limit = parameter(3);
        if (limit != 20000000000ull) {
            return 1;
        }
        stream->add([=] {
            await(first, third ? ~0ull : second, third != 0);
            if (third) {
                *word(first) = 0;
            }
        });
    } else {
        return 1;
    }
    return 0;
}

CALL cuLaunchKernel(char *name, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned, unsigned, unsigned, Stream *stream,
                    void **parameters, void **) {
    return launch("kernel", name, blocks, threads, stream, parameters);
}
CALL cuLaunchKernelEx(Config *config, char *name, void **parameters, void **) {
    bool early = config->attributes == 1 && *config->attribute == 6;
    return launch(early ? "early kernel" : "kernel", name, config->grid[0], config->block[0], config->stream, parameters);
}

// ---- what is looked up, and used by none of the tests

#define UNUSED(name) CALL name() { return 999; }
UNUSED(cuCtxEnablePeerAccess) UNUSED(cuEventCreate) UNUSED(cuEventDestroy_v2) UNUSED(cuEventElapsedTime) UNUSED(cuEventQuery)
UNUSED(cuEventRecord) UNUSED(cuIpcCloseMemHandle) UNUSED(cuIpcGetMemHandle) UNUSED(cuIpcOpenMemHandle_v2)
UNUSED(cuLaunchCooperativeKernel) UNUSED(cuMemGetAddressRange_v2) UNUSED(cuMemHostRegister_v2) UNUSED(cuMemHostUnregister)
UNUSED(cuMemsetD8Async) UNUSED(cuOccupancyMaxActiveBlocksPerMultiprocessor) UNUSED(cuStreamGetCtx) UNUSED(cuStreamWaitEvent)
UNUSED(cuStreamWriteValue32_v2)

// ---- compiler

CALL nvrtcVersion(int *major, int *minor) { *major = 13; *minor = 0; return 0; }
CALL nvrtcCreateProgram(void **program, ...) { *program = malloc(1); return 0; }
CALL nvrtcDestroyProgram(void **program) { free(*program); return 0; }
CALL nvrtcCompileProgram(void *, int, const char *const *) { return 0; }
CALL nvrtcGetCUBINSize(void *, size_t *bytes) { *bytes = 64; return 0; }
CALL nvrtcGetCUBIN(void *, char *image) { memset(image, 1, 64); return 0; }
CALL nvrtcGetProgramLogSize(void *, size_t *bytes) { *bytes = 1; return 0; }
CALL nvrtcGetProgramLog(void *, char *log) { *log = 0; return 0; }
