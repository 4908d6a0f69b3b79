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
struct pgas_split_data;
struct pgas_source_data;

// First parameter of a kernel.
typedef const pgas_world_data *pgas_world;

// A split, to its member.
typedef pgas_split_data *pgas_split;

// A window that counts notifications by source.
typedef pgas_source_data *pgas_source_window;

#define PGAS_FN static __device__ __forceinline__
#define PGAS_SLOW static __device__ __noinline__

// First line of a PGAS_SLOW function, which could not know otherwise that a context lies in shared memory: generic loads and stores
// take longer, and a register for each descriptor.
#define PGAS_IN_SHARED(c) __builtin_assume(__isShared(c))

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

// Shapes of the blocks of this host rank and of the threads of a block (DeviceGrid.Options), and the coordinates of this block
// and of the calling thread in them. A launch itself has one dimension.
PGAS_FN uint3 pgas_grid_shape(pgas_context *c);
PGAS_FN uint3 pgas_block_shape(pgas_context *c);
PGAS_FN uint3 pgas_block_index(pgas_context *c);
PGAS_FN uint3 pgas_thread_index(pgas_context *c);

// ---- memory that the threads of the block share, beside __shared__ variables: DeviceGrid.Options.shared. Any thread may
// call these.

PGAS_FN void *pgas_shared(pgas_context *c);
PGAS_FN pgas_u32 pgas_shared_bytes(pgas_context *c);

// ---- windows: memory that other blocks may write

// Makes a window and returns its number; a barrier of the communicator. Base and size may differ from block to block. Of
// PGAS_WORLD there may be as many at once as DeviceGrid.Options.windows says, of PGAS_DEVICE 64. The memory is in the rank's
// shared device segment. It may also be private memory of the rank's device, which stays allocated until the window is freed, if
// comm is PGAS_DEVICE, or if all ranks are of one JVM and their devices reach each other.
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

// ---- prepared puts, which are started as often as wanted; all threads of the block. A request has ended when its source may be
// reused. It is of this launch, and is freed before its window; a block has 32.

// Prepares a put and returns its request's number.
PGAS_FN int pgas_put_init(pgas_context *c, int window, int target, pgas_u64 offset, const void *src, pgas_u64 bytes);
PGAS_FN int pgas_put_notify_init(pgas_context *c, int window, int target, pgas_u64 offset, const void *src, pgas_u64 bytes,
                                 int tag);
PGAS_FN void pgas_request_free(pgas_context *c, int request);

// Starts it: as the put. It may be started again when a wait or a test has found that it has ended.
PGAS_FN void pgas_start(pgas_context *c, int request);

// Waits until a request has ended; one that is not started has.
PGAS_FN void pgas_wait_request(pgas_context *c, int request);
PGAS_FN bool pgas_test_request(pgas_context *c, int request);

// Waits until one of `count` requests has ended and returns the lowest index; -1 if none is started. The test returns -1 also if none
// has ended. Requests that are not started are passed over, as in all waits for several.
PGAS_FN int pgas_wait_any_request(pgas_context *c, const int *requests, int count);
PGAS_FN int pgas_test_any_request(pgas_context *c, const int *requests, int count);

// As before, and writes the indices of all that have ended. Returns their number; 0 if none is started.
PGAS_FN int pgas_wait_some_requests(pgas_context *c, const int *requests, int count, pgas_u64 *indices);

// Waits until all have ended.
PGAS_FN void pgas_wait_all_requests(pgas_context *c, const int *requests, int count);

// ---- gets. A get returns when the destination has the bytes; it may be anywhere. Through the host it is one copy into
// shared device memory, and goes in pieces of 8 bytes to other memory.

PGAS_FN void pgas_get(pgas_context *c, int window, int target, pgas_u64 offset, void *dst, pgas_u64 bytes);
PGAS_FN void pgas_get_warp(pgas_context *c, int window, int target, pgas_u64 offset, void *dst, pgas_u64 bytes);
PGAS_FN void pgas_get_thread(pgas_context *c, int window, int target, pgas_u64 offset, void *dst, pgas_u64 bytes);

// Notifies the target when its bytes have been read.
PGAS_FN void pgas_get_notify(pgas_context *c, int window, int target, pgas_u64 offset, void *dst, pgas_u64 bytes, int tag);
PGAS_FN void pgas_get_notify_warp(pgas_context *c, int window, int target, pgas_u64 offset, void *dst, pgas_u64 bytes,
                                  int tag);
PGAS_FN void pgas_get_notify_thread(pgas_context *c, int window, int target, pgas_u64 offset, void *dst, pgas_u64 bytes,
                                    int tag);

// Starts a get, whose destination is not to be used before pgas_wait_gets.
PGAS_FN void pgas_get_start(pgas_context *c, int window, int target, pgas_u64 offset, void *dst, pgas_u64 bytes);
PGAS_FN void pgas_get_start_warp(pgas_context *c, int window, int target, pgas_u64 offset, void *dst, pgas_u64 bytes);
PGAS_FN void pgas_get_start_thread(pgas_context *c, int window, int target, pgas_u64 offset, void *dst, pgas_u64 bytes);

// Waits for all gets that the block, or at least the calling warp or thread, has started.
PGAS_FN void pgas_wait_gets(pgas_context *c);
PGAS_FN void pgas_wait_gets_warp(pgas_context *c);
PGAS_FN void pgas_wait_gets_thread(pgas_context *c);

// Puts and gets a value of up to 8 bytes, each thread that calls.
template <typename T>
PGAS_FN void pgas_p(pgas_context *c, int window, int target, pgas_u64 offset, T value);
template <typename T>
PGAS_FN T pgas_g(pgas_context *c, int window, int target, pgas_u64 offset);

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

// Waits for as many notifications of a tag, 2^31 - 1 at most, and consumes them.
PGAS_FN void pgas_wait_notifications(pgas_context *c, int tag, pgas_u64 count);

// Consumes as many notifications of a tag if they are there; else returns false.
PGAS_FN bool pgas_test_notifications(pgas_context *c, int tag, pgas_u64 count);

// Number of notifications of a tag that are there and not consumed; and the same, which consumes them.
PGAS_FN pgas_u64 pgas_available_notifications(pgas_context *c, int tag);
PGAS_FN pgas_u64 pgas_take_notifications(pgas_context *c, int tag);

// Waits for a notification of any of `tags` tags from `first` on, consumes one of the lowest that has some, and returns
// its tag. The test returns -1 if there is none.
PGAS_FN int pgas_wait_any_tag(pgas_context *c, int first, int tags);
PGAS_FN int pgas_test_any_tag(pgas_context *c, int first, int tags);

// Waits for a notification of any of the tags and consumes all that are there: counts[i] of tag first + i. Returns the
// number of tags that had some.
PGAS_FN int pgas_wait_some_tags(pgas_context *c, int first, int tags, pgas_u64 *counts);

// Waits until each of the tags has as many notifications and consumes them.
PGAS_FN void pgas_wait_all_tags(pgas_context *c, int first, int tags, pgas_u64 count);

// ---- windows that count their notifications by source: for each block of the communicator and each tag there is a counter of this
// window alone, as dCUDA's notifications name window, source and tag. Sources are ranks of the communicator, or PGAS_ANY_SOURCE.

// Bytes of memory that the counters of `tags` tags take, 1 to 256.
PGAS_FN pgas_u64 pgas_sources_bytes(pgas_context *c, int comm, int tags);

// Makes a window; a barrier of the communicator, all of whose blocks give the same number of tags. work is memory of the rank's
// shared device segment that belongs to the window until it is freed, aligned to 16 bytes; it takes a second window.
PGAS_SLOW pgas_source_window pgas_win_create_sources(pgas_context *c, int comm, void *base, pgas_u64 bytes, int tags, void *work,
                                                     pgas_u64 work_bytes);

// Frees it; a barrier of its communicator. What has arrived and is not consumed is lost.
PGAS_FN void pgas_win_free_sources(pgas_context *c, pgas_source_window w);

// Number of the window, for all that does not count by source. Any thread may call it.
PGAS_FN int pgas_sources_window(pgas_source_window w);

// As the puts and notifications of other windows, in order with them; they count for this window alone.
PGAS_FN void pgas_put_notify(pgas_context *c, pgas_source_window w, int target, pgas_u64 offset, const void *src, pgas_u64 bytes,
                             int tag);
PGAS_FN void pgas_put_notify_warp(pgas_context *c, pgas_source_window w, int target, pgas_u64 offset, const void *src,
                                  pgas_u64 bytes, int tag);
PGAS_FN void pgas_put_notify_thread(pgas_context *c, pgas_source_window w, int target, pgas_u64 offset, const void *src,
                                    pgas_u64 bytes, int tag);
PGAS_FN void pgas_notify(pgas_context *c, pgas_source_window w, int target, int tag);
PGAS_FN void pgas_notify_warp(pgas_context *c, pgas_source_window w, int target, int tag);
PGAS_FN void pgas_notify_thread(pgas_context *c, pgas_source_window w, int target, int tag);

// Waits for as many notifications of a tag from a source, or from all together, and consumes them.
PGAS_FN void pgas_wait_source(pgas_context *c, pgas_source_window w, int source, int tag, pgas_u64 count);

// Consumes them if they are there; else returns false.
PGAS_FN bool pgas_test_source(pgas_context *c, pgas_source_window w, int source, int tag, pgas_u64 count);

// Number of notifications that are there and not consumed.
PGAS_FN pgas_u64 pgas_available_source(pgas_context *c, pgas_source_window w, int source, int tag);

// Waits for a notification of a tag from any source, consumes one and returns its source; sources take turns. The test returns -1 if
// there is none.
PGAS_FN int pgas_wait_any_source(pgas_context *c, pgas_source_window w, int tag);
PGAS_FN int pgas_test_any_source(pgas_context *c, pgas_source_window w, int tag);

// Waits for a notification of a tag from any source and consumes all that are there: counts[i] from source i. Returns the number of
// sources that had some.
PGAS_FN int pgas_wait_some_sources(pgas_context *c, pgas_source_window w, int tag, pgas_u64 *counts);

// ---- values of words in the block's own part of a window, of type int or long long, whoever writes them: puts, atomic
// operations, stores. comparison is PGAS_EQUAL, _NOT_EQUAL, _GREATER, _GREATER_EQUAL, _LESS or _LESS_EQUAL: of the word
// with value.

// Puts and then sets a word of the target's part, at `at`: who sees the value sees the bytes, and those of puts before.
template <typename T>
PGAS_FN void pgas_put_set(pgas_context *c, int window, int target, pgas_u64 offset, const void *src, pgas_u64 bytes, pgas_u64 at,
                          T value);
template <typename T>
PGAS_FN void pgas_put_set_warp(pgas_context *c, int window, int target, pgas_u64 offset, const void *src, pgas_u64 bytes,
                               pgas_u64 at, T value);
template <typename T>
PGAS_FN void pgas_put_set_thread(pgas_context *c, int window, int target, pgas_u64 offset, const void *src, pgas_u64 bytes,
                                 pgas_u64 at, T value);

// Waits until the comparison holds for a word.
template <typename T>
PGAS_FN void pgas_wait_value(pgas_context *c, int window, pgas_u64 offset, int comparison, T value);
template <typename T>
PGAS_FN bool pgas_test_value(pgas_context *c, int window, pgas_u64 offset, int comparison, T value);

// Waits until it holds for any of `count` words in a row. Returns the lowest index.
template <typename T>
PGAS_FN pgas_u64 pgas_wait_any_value(pgas_context *c, int window, pgas_u64 offset, pgas_u64 count, int comparison, T value);

// As before, and writes the indices of all words for which it holds. Returns their number.
template <typename T>
PGAS_FN pgas_u64 pgas_wait_some_values(pgas_context *c, int window, pgas_u64 offset, pgas_u64 count, int comparison, T value,
                                       pgas_u64 *indices);

// Waits until it holds for all.
template <typename T>
PGAS_FN void pgas_wait_all_values(pgas_context *c, int window, pgas_u64 offset, pgas_u64 count, int comparison, T value);

// Number of words for which it holds.
template <typename T>
PGAS_FN pgas_u64 pgas_test_values(pgas_context *c, int window, pgas_u64 offset, pgas_u64 count, int comparison, T value);

// ---- barriers

PGAS_FN void pgas_barrier(pgas_context *c, int comm);

// ---- splits: the blocks of a communicator with the same colour, with barriers and collectives of their own. All
// collectives are called by all threads of all members. Elements are int, long long, float or double.

// Bytes of memory that a split of the communicator takes with stages of `stage` bytes. Collectives move their data in
// rounds: a broadcast as many bytes as a stage has, others that number divided by the members.
PGAS_FN pgas_u64 pgas_split_bytes(pgas_context *c, int comm, pgas_u64 stage);

// Makes a split; a barrier of the communicator, all of whose blocks take part. Members are numbered by key, then by rank. A
// block with a negative colour is in none. work is memory of the rank's shared device segment that belongs to the split
// until it is freed, aligned to 16 bytes; it takes one window of the communicator.
PGAS_SLOW pgas_split pgas_split_create(pgas_context *c, int comm, int colour, int key, void *work, pgas_u64 bytes);

// Frees a split; a barrier of the communicator.
PGAS_FN void pgas_split_free(pgas_context *c, pgas_split s);

// This block's number, -1 if it is in none; the number of members; a member's rank in the communicator. Any thread may call
// these.
PGAS_FN int pgas_split_rank(pgas_split s);
PGAS_FN int pgas_split_size(pgas_split s);
PGAS_FN int pgas_split_member(pgas_split s, int rank);

PGAS_SLOW void pgas_split_barrier(pgas_context *c, pgas_split s);

// Data of the root to all members.
PGAS_SLOW void pgas_broadcast(pgas_context *c, pgas_split s, int root, void *data, pgas_u64 bytes);

// Member i's src[j * bytes] to member j's dst[i * bytes]; they must not overlap.
PGAS_SLOW void pgas_all_to_all(pgas_context *c, pgas_split s, void *dst, const void *src, pgas_u64 bytes);

// Elements of all members, combined in the order of the members: at the root, at all, and at each those up to its own. op is
// PGAS_REDUCE_SUM, _PRODUCT, _MIN, _MAX, _AND, _OR, _XOR, _LOGICAL_AND, _LOGICAL_OR, _UNSIGNED_MIN or _UNSIGNED_MAX, the last two
// of int and long long. dst may be src.
template <typename T>
PGAS_FN void pgas_reduce(pgas_context *c, pgas_split s, int root, T *dst, const T *src, pgas_u64 count, int op);
template <typename T>
PGAS_FN void pgas_all_reduce(pgas_context *c, pgas_split s, T *dst, const T *src, pgas_u64 count, int op);
template <typename T>
PGAS_FN void pgas_scan(pgas_context *c, pgas_split s, T *dst, const T *src, pgas_u64 count, int op);

// ---- done by the host

// Prints a line while the launch runs: up to 160 bytes of text, and a number.
PGAS_FN void pgas_log(pgas_context *c, const char *text, double value);

// Prints a line with up to 8 numbers, which the host formats: C's conversions d, i, u, x, o, c, f, e, g and p, with flags, width
// and precision. The block prints the values of its first thread; the second form is for each thread that calls.
template <typename... A> PGAS_FN void pgas_printf(pgas_context *c, const char *format, A... values);
template <typename... A> PGAS_FN void pgas_printf_thread(pgas_context *c, const char *format, A... values);

// Timers 0 to 15 of the block, kept by the CPU: DeviceGrid.timerNanos.
PGAS_FN void pgas_timer_start(pgas_context *c, int timer);
PGAS_FN void pgas_timer_stop(pgas_context *c, int timer);

// Starts a Prepared communication of the host rank.
PGAS_FN void pgas_trigger(pgas_context *c, int prepared);
