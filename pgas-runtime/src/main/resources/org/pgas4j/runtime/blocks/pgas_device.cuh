// pgas4j's device library: blocks of GPUs as ranks. This file is what programs call; docs/device-api.md is its manual,
// docs/notifications.md the memory model. It is compiled at run time with the program that includes it and needs no
// CUDA headers.
//
// Functions without a suffix are called by all threads of the block, those with _warp by all threads of a warp, those
// with _thread by one. Internals are in the other files of this folder, in the order of DeviceLibrary.java.

typedef unsigned long long pgas_u64;
typedef unsigned int pgas_u32;

struct pgas_context;
struct pgas_world_data;

// First parameter of a kernel.
typedef const pgas_world_data *pgas_world;

#define PGAS_FN static __device__ __forceinline__
#define PGAS_SLOW static __device__ __noinline__

// ---- begin and end

// Makes the block's context; the first call of every thread. Waits for no other block.
PGAS_FN pgas_context *pgas_init(pgas_world world);

// Ends with a barrier of all blocks.
PGAS_FN void pgas_finish(pgas_context *c);

// Ends without a barrier: whatever other blocks send from then on is for the next launch.
PGAS_SLOW void pgas_leave(pgas_context *c);

// ---- ranks; comm is PGAS_WORLD, all blocks of all host ranks, or PGAS_DEVICE, those of this host rank. Any thread may
// call these.

PGAS_FN int pgas_rank(pgas_context *c, int comm);
PGAS_FN int pgas_size(pgas_context *c, int comm);
PGAS_FN int pgas_host_rank(pgas_context *c);
PGAS_FN int pgas_host_ranks(pgas_context *c);

// ---- windows: memory of the rank's shared device segment that other blocks may write

// Makes a window and returns its number; a barrier of the communicator. Base and size may differ from block to block.
PGAS_FN int pgas_win_create(pgas_context *c, int comm, void *base, pgas_u64 bytes);

// Frees a window; a barrier of its communicator.
PGAS_FN void pgas_win_free(pgas_context *c, int window);

// Size of the target's part of a window. Any thread may call it.
PGAS_FN pgas_u64 pgas_win_bytes(pgas_context *c, int window, int target);

// Address of the target's part for plain loads and stores, or null where this device does not reach it. Any thread may
// call it.
PGAS_FN void *pgas_ptr(pgas_context *c, int window, int target);

// ---- puts. The source may be anywhere and may be reused after pgas_flush.

PGAS_FN void pgas_put(pgas_context *c, int window, int target, pgas_u64 offset, const void *src, pgas_u64 bytes);
PGAS_FN void pgas_put_warp(pgas_context *c, int window, int target, pgas_u64 offset, const void *src, pgas_u64 bytes);
PGAS_FN void pgas_put_thread(pgas_context *c, int window, int target, pgas_u64 offset, const void *src, pgas_u64 bytes);

// Puts and then notifies the target, which sees the bytes before the notification. Up to 8 bytes travel with it.
PGAS_FN void pgas_put_notify(pgas_context *c, int window, int target, pgas_u64 offset, const void *src, pgas_u64 bytes,
                             int tag);
PGAS_FN void pgas_put_notify_warp(pgas_context *c, int window, int target, pgas_u64 offset, const void *src,
                                  pgas_u64 bytes, int tag);
PGAS_FN void pgas_put_notify_thread(pgas_context *c, int window, int target, pgas_u64 offset, const void *src,
                                    pgas_u64 bytes, int tag);

// Returns when the sources of earlier puts may be reused.
PGAS_FN void pgas_flush(pgas_context *c);

// ---- atomic operations on words of windows, by each thread that calls: int, long long, float, double

// Performs PGAS_ATOMIC_ADD, _SWAP, _COMPARE_SWAP, _GET, _SET, _MULTIPLY, _MIN, _MAX, _AND, _OR or _XOR and returns what was
// there. Relaxed, scope system: atomic among all devices, streams and host calls; later notifications of the block come
// after it. The target's memory must be reached by this device; where puts go through the host there are none.
template <typename T>
PGAS_FN T pgas_atomic(pgas_context *c, int window, int target, pgas_u64 offset, int op, T value);

// With PGAS_ATOMIC_COMPARE_SWAP writes value if the word equals comparand, bit by bit.
template <typename T>
PGAS_FN T pgas_atomic(pgas_context *c, int window, int target, pgas_u64 offset, int op, T value, T comparand);

// ---- notifications; tags are 0 to 255

PGAS_FN void pgas_notify(pgas_context *c, int comm, int target, int tag);
PGAS_FN void pgas_notify_warp(pgas_context *c, int comm, int target, int tag);
PGAS_FN void pgas_notify_thread(pgas_context *c, int comm, int target, int tag);

// Notifies a host rank: its Notifications and its streams.
PGAS_FN void pgas_notify_host(pgas_context *c, int host_rank, int tag);

// Orders everything the block has written, by whatever means, before its later notifications.
PGAS_FN void pgas_fence(pgas_context *c);

// Waits for as many notifications of a tag and consumes them.
PGAS_FN void pgas_wait_notifications(pgas_context *c, int tag, pgas_u64 count);

// Consumes as many notifications of a tag if they are there; else returns false.
PGAS_FN bool pgas_test_notifications(pgas_context *c, int tag, pgas_u64 count);

PGAS_FN void pgas_barrier(pgas_context *c, int comm);

// ---- done by the host

// Prints a line while the launch runs: up to 96 bytes of text, and a number.
PGAS_FN void pgas_log(pgas_context *c, const char *text, double value);

// Timers 0 to 15 of the block, kept by the CPU: DeviceGrid.timerNanos.
PGAS_FN void pgas_timer_start(pgas_context *c, int timer);
PGAS_FN void pgas_timer_stop(pgas_context *c, int timer);

// Starts a Prepared communication of the host rank.
PGAS_FN void pgas_trigger(pgas_context *c, int prepared);
