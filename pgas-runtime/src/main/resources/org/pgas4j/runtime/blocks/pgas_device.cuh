// pgas4j's device library: blocks of GPUs as ranks. docs/device-api.md describes the functions, docs/notifications.md the model.
// Compiled at run time with the program that includes it; needs no CUDA headers. Offsets are those of BlockLayout.java.
#ifndef PGAS_DEVICE_CUH
#define PGAS_DEVICE_CUH

#define PGAS_WORLD 0
#define PGAS_DEVICE 1

typedef unsigned long long pgas_u64;
typedef unsigned int pgas_u32;

#define PGAS_FN static __device__ __forceinline__
#define PGAS_SLOW static __device__ __noinline__

// ---- layout

struct pgas_world_data {
    pgas_u32 host_rank, host_ranks, per_rank, forced_proxy;
    pgas_u64 timeout_ns;
    pgas_u64 segment;
    pgas_u64 segment_bytes;
    pgas_u64 area;
    pgas_u64 queue;
    pgas_u64 queue_head;
    pgas_u64 log;
    pgas_u64 log_head;
    pgas_u64 error;
    pgas_u32 queue_entries, log_entries;
    pgas_u64 windows_at;
    pgas_u64 blocks_at;
    pgas_u64 block_bytes;
    pgas_u64 first_count;
    pgas_u64 post, post_taken;  // post: 0 if nothing comes by it
};

typedef const pgas_world_data *pgas_world;

#define PGAS_ABORT 256
#define PGAS_QUEUE_TAIL 320
#define PGAS_QUEUE_SEEN 384
#define PGAS_LOG_TAIL 448
#define PGAS_ARRIVALS 512
#define PGAS_ERROR_CLAIM 576
#define PGAS_POST 640
#define PGAS_POST_ENTRIES 1024
#define PGAS_LEFT 704
#define PGAS_QUEUE_WATCH 768
#define PGAS_POSTMAN 0xffffu
#define PGAS_LETTERS 8  // read ahead at once
#define PGAS_NO_LETTER 0xffffffffu
#define PGAS_PEERS 1024

#define PGAS_DIRECT 0
#define PGAS_PROXY 2048
#define PGAS_OWN 4096
#define PGAS_CLAIMS 6144
#define PGAS_FLUSHED 6152
#define PGAS_STATE 6160
#define PGAS_HEADS 6208
#define PGAS_SOURCES 6272
#define PGAS_SENDS 6400
#define PGAS_CREDITS 6912
#define PGAS_LANE_SLOTS 7168

#define PGAS_TAGS 256
#define PGAS_LANES 16
#define PGAS_SLOTS 64
#define PGAS_TARGETS 32
#define PGAS_WINDOWS 32
#define PGAS_NO_LANE 0xfffffc00u
#define PGAS_NOWHERE 0xffffffffffffffffull

// Header of a message in a lane: tag:8 | length:4 | flags:4 | high part of the offset:16
#define PGAS_ACQUIRE 0x1000u
#define PGAS_SILENT 0x2000u
#define PGAS_CREDIT 0x4000u

#define PGAS_OP_NOTIFY 1
#define PGAS_OP_PUT_INLINE 2
#define PGAS_OP_PUT 3
#define PGAS_OP_HOST 4
#define PGAS_OP_TRIGGER 5
#define PGAS_OP_TIMER 6
#define PGAS_OP_WORD 7
#define PGAS_WITH_NOTIFY 0x80u

#define PGAS_LATE_NOTIFICATION 1
#define PGAS_LATE_BARRIER 2
#define PGAS_LATE_CREDIT 3
#define PGAS_LATE_FLUSH 4
#define PGAS_LATE_QUEUE 5
#define PGAS_BAD_PLACE 9
#define PGAS_NO_WINDOW 10
#define PGAS_NO_TARGET 11
#define PGAS_NO_TAG 12
#define PGAS_NO_HOST_RANK 13
#define PGAS_MANY_WINDOWS 14
#define PGAS_NOT_SHARED 15
#define PGAS_LATE_LOCK 17
#define PGAS_UNEQUAL_BARRIERS 18

// Purposes of a barrier.
#define PGAS_BARRIER_WORLD 1
#define PGAS_BARRIER_DEVICE 2
#define PGAS_BARRIER_END 3
#define PGAS_BARRIER_CREATE 4
#define PGAS_BARRIER_FREE 5

#define PGAS_PUT_ALONE ((int) 0x80000000)  // in place of a tag: a put without a notification

struct __align__(16) pgas_send_state {
    pgas_u32 target;  // world block + 1; 0 if unused
    pgas_u32 lane;    // and PGAS_NEAR
    pgas_u32 tail;    // number of the last message
    pgas_u32 limit;   // before which a message needs nothing but being stored
};

// Where the last small notified put went.
struct __align__(16) pgas_aim {
    int window, target;  // window -1: nowhere yet
    pgas_u32 world, spare;
    pgas_u64 place, bytes;
    char *segment;
};

// The lane of the last message: where a wait looks first. What is said here of it holds, not what heads and places say.
struct __align__(16) pgas_hot {
    const char *at;
    pgas_u32 next, lane;
};

// What a block knows, in shared memory: global memory would have to be read again after every acquire.
struct pgas_context {
    pgas_send_state sends[PGAS_TARGETS];
    pgas_u32 own[PGAS_TAGS];           // available by what has been looked at
    pgas_u32 seen[2][PGAS_TAGS];       // of the direct counters and of the host's
    const char *places[32];            // where each thread of the first warp looks: next slots, claims, counters
    char *to_slots[PGAS_TARGETS];
    char *to_record[PGAS_TARGETS];
    char *to_segment[PGAS_TARGETS];
    pgas_u64 low[PGAS_TARGETS], high[PGAS_TARGETS];  // where inline payloads under way go
    pgas_u32 plain[PGAS_TARGETS];                     // plain stores that no message has followed yet
    pgas_u32 credits[PGAS_TARGETS];                   // messages known to be taken
    pgas_u32 heads[PGAS_LANES];
    pgas_aim aim;
    pgas_hot hot;
    pgas_world world;
    char *area;
    char *record;
    char *segment;
    const pgas_u64 *entries[2];
    pgas_u64 world_epoch, device_epoch, bulk, first_count, timeout_ns;
    pgas_u32 per_rank, host_rank, host_ranks, first_block, blocks;
    pgas_u32 slots[2];
    pgas_u32 open;       // lanes in use
    pgas_u32 acquiring;  // the last message came after plain stores; and PGAS_WITH_POST
    uint2 order;      // not 0: a message to another device (x) or on this one (y) has to be ordered: PGAS_DIRTY, PGAS_ALWAYS
    pgas_u32 lock;
    pgas_u32 postman;     // this block takes the post
    pgas_u32 post_wrote;  // bytes since the host was told
    pgas_u64 post, post_head, post_told;
    pgas_u64 queue_taken;  // commands the host had taken when a thread of this block last asked
    volatile pgas_u32 dead;
    int window;
    int result;
    int barrier;  // what the last one was part of
    __align__(16) pgas_u64 letters[PGAS_LETTERS * 8];
};

#define PGAS_WITH_POST 2u  // of acquiring: waits have to look there too
#define PGAS_NEAR 0x100u  // of a lane: on this device
#define PGAS_DIRTY 1u
#define PGAS_ALWAYS 2u    // stores by pointers are possible
#define PGAS_BY_HOST 0xfffffe00u

// ---- memory

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

PGAS_FN void pgas_st_release(void *p, pgas_u64 v) {
    asm volatile("st.release.sys.global.u64 [%0], %1;" :: "l"(p), "l"(v) : "memory");
}

PGAS_FN void pgas_st2(void *p, pgas_u64 a, pgas_u64 b) {
    asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1, %2};" :: "l"(p), "l"(a), "l"(b) : "memory");
}

PGAS_FN void pgas_red(void *p, pgas_u64 v) {
    asm volatile("red.relaxed.sys.global.add.u64 [%0], %1;" :: "l"(p), "l"(v) : "memory");
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

PGAS_FN pgas_u64 pgas_now() {
    pgas_u64 v;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(v) :: "memory");
    return v;
}

PGAS_FN void pgas_exit_thread() {
    asm volatile("exit;");
}

// Hides a value from the compiler. Threads of a warp that leave a loop meet again behind it, and the compiler may move what follows an
// exit there: a thread would hold a lock, or the number of a message, while it waits for threads that wait for it. So loops in which
// threads wait for each other do the work inside and end by a condition that the compiler cannot follow.
PGAS_FN bool pgas_opaque(bool value) {
    pgas_u32 v = value;
    asm volatile("" : "+r"(v) :: "memory");
    return v != 0;
}

// ---- who is who

PGAS_FN int pgas_host_rank(pgas_context *c) {
    return (int) c->host_rank;
}

PGAS_FN int pgas_host_ranks(pgas_context *c) {
    return (int) c->host_ranks;
}

PGAS_FN int pgas_rank(pgas_context *c, int comm) {
    return (int) (comm == PGAS_DEVICE ? blockIdx.x : c->first_block + blockIdx.x);
}

PGAS_FN int pgas_size(pgas_context *c, int comm) {
    return (int) (comm == PGAS_DEVICE ? c->per_rank : c->blocks);
}

PGAS_FN int pgas_world_rank(pgas_context *c, int comm, int rank) {
    return comm == PGAS_DEVICE ? (int) c->first_block + rank : rank;
}

// The segment of a host rank as this device sees it; null if it does not, or is not to.
PGAS_FN char *pgas_segment(pgas_context *c, pgas_u32 host_rank) {
    return (char *) ((const pgas_u64 *) (c->area + PGAS_PEERS))[host_rank];
}

PGAS_FN char *pgas_record(pgas_context *c, char *segment, pgas_u32 block) {
    return segment + c->world->area + c->world->blocks_at + block * c->world->block_bytes;
}

// ---- failure

// The first of a device to fail tells the host why; everybody ends. BlockFailure.java says what the words of each kind are.
PGAS_SLOW void pgas_die(pgas_context *c, int kind, int tag, pgas_u64 expected, pgas_u64 seen, pgas_u64 detail = 0,
                        pgas_u64 missing = 0) {
    pgas_u64 *claim = (pgas_u64 *) (c->area + PGAS_ERROR_CLAIM);
    if (pgas_add(claim, 1) == 0) {
        char *error = (char *) c->world->error;
        pgas_st(error + 8, blockIdx.x);
        pgas_st(error + 16, (pgas_u64) (long long) c->window);
        pgas_st(error + 24, (pgas_u64) (long long) tag);
        pgas_st(error + 32, expected);
        pgas_st(error + 40, seen);
        pgas_st(error + 48, detail);
        pgas_st(error + 56, missing);
        pgas_fence_system();
        pgas_st(error, (pgas_u64) kind);
    }
    pgas_st(c->area + PGAS_ABORT, 1);
    c->dead = 1;
}

// True now and then when it is time to give up: past the deadline, or because others did.
PGAS_FN bool pgas_aborted(pgas_context *c) {
    return pgas_ld(c->area + PGAS_ABORT) != 0;
}

struct pgas_deadline {
    pgas_u64 start;
    pgas_u32 looks;
};

// 0: go on; 1: the deadline has passed, and so much more; 2: somebody else failed.
PGAS_FN int pgas_late(pgas_context *c, pgas_deadline &d, pgas_u64 more = 0) {
    if ((++d.looks & 63) != 0) {
        return 0;
    }
    pgas_u64 now = pgas_now();
    if (d.start == 0) {
        d.start = now;
    }
    return pgas_aborted(c) ? 2 : now - d.start > c->timeout_ns + more ? 1 : 0;
}

// ---- lanes: what one block sends another, in order, payloads of up to 8 bytes with their notification

PGAS_FN char *pgas_slot(char *record, pgas_u32 lane, pgas_u32 sequence) {
    return record + PGAS_LANE_SLOTS + ((pgas_u64) (lane * PGAS_SLOTS + (sequence & (PGAS_SLOTS - 1))) << 5);
}

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

// Tells a sender how far its lane has been taken.
PGAS_SLOW void pgas_report(pgas_context *c, pgas_u32 lane, pgas_u32 sequence) {
    pgas_u64 source = pgas_ld(c->record + PGAS_SOURCES + lane * 8);
    pgas_u32 block = (pgas_u32) (source >> 8) - 1;
    pgas_u32 per_rank = c->per_rank;
    char *record = pgas_record(c, pgas_segment(c, block / per_rank), block % per_rank);
    pgas_st(record + PGAS_CREDITS + (source & 0xff) * 8, sequence);
}

// Does what the message in a lane says; the words are those of its slot.
PGAS_SLOW void pgas_apply(pgas_context *c, pgas_u64 w0, pgas_u64 w1, pgas_u64 w2, pgas_u64 w3) {
    pgas_u32 header = (pgas_u32) w0;
    pgas_u32 bytes = header >> 8 & 15;
    if (bytes != 0) {
        pgas_u64 offset = (pgas_u64) (header >> 16) << 32 | (pgas_u32) w3;
        pgas_write_payload(c->segment + offset, (pgas_u64) (pgas_u32) w2 << 32 | (pgas_u32) w1, bytes);
    }
}

// Threads of the warp take messages of different lanes: none reads what another writes.
PGAS_FN pgas_u32 pgas_head(pgas_context *c, pgas_u32 lane) {
    volatile pgas_hot *hot = &c->hot;
    return lane == hot->lane ? hot->next - 1 : c->heads[lane];
}

// A message of a lane has been taken: sequence is its number.
PGAS_FN void pgas_advance(pgas_context *c, pgas_u32 lane, pgas_u32 sequence, pgas_u32 header) {
    char *at = pgas_slot(c->record, lane, sequence + 1);
    if (lane == ((volatile pgas_hot *) &c->hot)->lane) {
        c->hot.at = at;
        c->hot.next = sequence + 1;
    } else {
        c->heads[lane] = sequence;
        c->places[lane] = at;
    }
    if ((header & PGAS_CREDIT) || (sequence & (PGAS_SLOTS / 2 - 1)) == 0) {
        pgas_report(c, lane, sequence);
    }
}

// Takes one message of a lane if it is there.
PGAS_SLOW bool pgas_take(pgas_context *c, pgas_u32 lane) {
    pgas_u32 expected = pgas_head(c, lane) + 1;
    char *slot = pgas_slot(c->record, lane, expected);
    pgas_u64 w0, w1, w2, w3;
    pgas_ld2(slot, w0, w1);
    pgas_ld2(slot + 16, w2, w3);
    pgas_u32 header = (pgas_u32) w0;
    if ((pgas_u32) (w0 >> 32) != expected || (header >> 8 & 15) != 0 && ((pgas_u32) (w1 >> 32) != expected
            || (pgas_u32) (w2 >> 32) != expected || (pgas_u32) (w3 >> 32) != expected)) {
        return false;
    }
    if (header & PGAS_ACQUIRE) {
        pgas_ld_acquire(slot);
    }
    pgas_apply(c, w0, w1, w2, w3);
    if (!(header & PGAS_SILENT)) {
        atomicAdd(&c->own[header & 0xff], 1u);
    }
    pgas_advance(c, lane, expected, header);
    return true;
}

// Takes what a lane holds, and not what comes meanwhile: senders may be faster.
PGAS_FN void pgas_take_lane(pgas_context *c, pgas_u32 lane) {
    for (int k = 0; k < PGAS_SLOTS && pgas_take(c, lane); k++) {
    }
}

// ---- the post: what the host brings the blocks of this device. One of those that wait takes it for all: a thread that polls host
// memory is no burden, many are.

// The host may go on behind what is delivered. What the block before this one has told may be on its way still: the greater number holds.
PGAS_SLOW void pgas_post_tell(pgas_context *c) {
    if (c->post_wrote) {
        pgas_fence_system();
        c->post_wrote = 0;
    }
    pgas_max((void *) c->world->post_taken, c->post_head);
    c->post_told = c->post_head;
}

// Leaves the post to others.
PGAS_SLOW void pgas_post_end(pgas_context *c) {
    if (c->post_told != c->post_head) {
        pgas_post_tell(c);
    }
    c->postman = 0;
    pgas_st(c->area + PGAS_POST, c->post_head << 16);
}

// Tries to become the block that takes the post; one thread.
PGAS_SLOW void pgas_post_begin(pgas_context *c) {
    pgas_u64 *word = (pgas_u64 *) (c->area + PGAS_POST);
    pgas_u64 taken = pgas_ld(word);
    if ((taken & PGAS_POSTMAN) == 0 && atomicCAS(word, taken, taken | (blockIdx.x + 1)) == taken) {
        pgas_ld_acquire_device(word);  // what the one before delivered
        c->postman = 1;
        c->post_wrote = 0;
        c->post_head = c->post_told = taken >> 16;
    }
}

// Address of the letter that comes so many after the next.
PGAS_FN const char *pgas_letter(pgas_context *c, pgas_u32 after = 0) {
    return (const char *) c->post + ((c->post_head + after) & (PGAS_POST_ENTRIES - 1)) * 64;
}

// The words of a letter that say something, each with its number: the first two are all of a notification alone.
struct pgas_words {
    pgas_u64 w0, w1, w3, w4, w5, w6;
};

PGAS_FN pgas_words pgas_letter_words(pgas_context *c) {
    const char *at = pgas_letter(c);
    pgas_words w;
    pgas_u64 unused;
    pgas_ld2(at, w.w0, w.w1);
    pgas_ld2(at + 16, unused, w.w3);
    pgas_ld2(at + 32, w.w4, w.w5);
    pgas_ld2(at + 48, w.w6, unused);
    return w;
}

PGAS_FN bool pgas_has_bytes(const pgas_words &w) {
    return (w.w0 & 0xffff0000u) != 0;
}

// True if all words are those of the letter that comes so many after the next.
PGAS_FN bool pgas_is_letter(pgas_context *c, const pgas_words &w, pgas_u32 after = 0) {
    pgas_u32 flag = (pgas_u32) c->post_head + after + 1;
    pgas_u32 wrong = ((pgas_u32) (w.w0 >> 32) ^ flag) | ((pgas_u32) (w.w1 >> 32) ^ flag);
    if (pgas_has_bytes(w)) {
        wrong |= ((pgas_u32) (w.w3 >> 32) ^ flag) | ((pgas_u32) (w.w4 >> 32) ^ flag) | ((pgas_u32) (w.w5 >> 32) ^ flag)
                | ((pgas_u32) (w.w6 >> 32) ^ flag);
    }
    return wrong == 0;
}

// True if a letter brings a word for which blocks wait: what came before it has to be there first.
PGAS_FN bool pgas_is_awaited_word(const pgas_words &w) {
    return (w.w0 & PGAS_WITH_NOTIFY) == 0 && ((pgas_u32) w.w0 >> 16 & 0xffff) == 8 && ((pgas_u32) w.w3 & 7) == 0;
}

PGAS_FN void pgas_post_bytes(pgas_context *c, const pgas_words &w) {
    char *to = c->segment + (w.w4 << 32 | (pgas_u32) w.w3);
    pgas_u64 value = w.w6 << 32 | (pgas_u32) w.w5;
    c->post_wrote = 1;
    if (pgas_is_awaited_word(w)) {
        pgas_fence_device();
        pgas_st(to, value);
    } else {
        pgas_write_payload(to, value, (pgas_u32) w.w0 >> 16 & 0xffff);
    }
}

// Counts what a letter notifies of, whose bytes are there. Returns how often this block is notified with the tag `wanted`.
PGAS_FN pgas_u32 pgas_post_count(pgas_context *c, const pgas_words &w, pgas_u32 wanted) {
    pgas_u32 tag = (pgas_u32) w.w0 >> 8 & 0xff, block = (pgas_u32) w.w1 & 0xffff, count = (pgas_u32) w.w1 >> 16;
    if (!(w.w0 & PGAS_WITH_NOTIFY)) {
        return 0;
    }
    if (block != blockIdx.x) {
        pgas_red(pgas_record(c, c->segment, block) + PGAS_DIRECT + tag * 8, count);
        return 0;
    }
    if (tag == wanted) {
        return count;
    }
    atomicAdd(&c->own[tag], count);
    return 0;
}

// Reads letters ahead, many on their way at once and without a register for each. Such loads may see less than there is, which their
// numbers tell.
PGAS_FN void pgas_read_letters(pgas_context *c) {
    pgas_u32 to = (pgas_u32) __cvta_generic_to_shared(c->letters);
#pragma unroll 1
    for (pgas_u32 k = 0; k < PGAS_LETTERS; k++) {
        const char *from = pgas_letter(c, k);
#pragma unroll
        for (pgas_u32 j = 0; j < 64; j += 16) {
#if __CUDA_ARCH__ >= 800
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to + k * 64 + j), "l"(from + j) : "memory");
#else
            pgas_ld2(from + j, c->letters[k * 8 + j / 8], c->letters[k * 8 + j / 8 + 1]);
#endif
        }
    }
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

PGAS_FN pgas_words pgas_words_ahead(pgas_context *c, pgas_u32 k) {
    const volatile pgas_u64 *at = c->letters + k * 8;
    pgas_words w = {at[0], at[1], at[3], at[4], at[5], at[6]};
    return w;
}

// Takes some letters at once, as most of the time goes into the way to host memory and into fences. Returns how often this block is
// notified with the tag `wanted`, PGAS_NO_LETTER if none was there.
PGAS_SLOW pgas_u32 pgas_post_take_more(pgas_context *c, pgas_u32 wanted) {
    pgas_read_letters(c);
    pgas_u32 count = 0;
    for (; count < PGAS_LETTERS; count++) {
        pgas_words w = pgas_words_ahead(c, count);
        if (!pgas_is_letter(c, w, count) || count != 0 && pgas_is_awaited_word(w)) {
            break;
        }
    }
    if (count == 0) {
        return PGAS_NO_LETTER;
    }
    pgas_fence_system();
#pragma unroll 1
    for (pgas_u32 k = 0; k < count; k++) {
        pgas_words w = pgas_words_ahead(c, k);
        if (pgas_has_bytes(w)) {
            pgas_post_bytes(c, w);
        }
    }
    pgas_fence_device();
    pgas_u32 found = 0;
#pragma unroll 1
    for (pgas_u32 k = 0; k < count; k++) {
        found += pgas_post_count(c, pgas_words_ahead(c, k), wanted);
    }
    c->post_head += count;
    return found;
}

// Takes what is there; one thread of the block that does. Begins with the words of the next letter. Returns how often this block is
// notified with the tag `wanted`, which the caller counts and which has waited for as long as it is less than `enough`.
PGAS_SLOW pgas_u32 pgas_post_take(pgas_context *c, pgas_u32 wanted, pgas_u32 enough, pgas_words w) {
    if (!pgas_is_letter(c, w)) {
        if (c->post_told != c->post_head) {
            pgas_post_tell(c);
        }
        return 0;
    }
    // Copies of streams are seen behind a letter. As each look would wait for an acquiring load, it is the fence that acquires.
    pgas_fence_system();
    if (pgas_has_bytes(w)) {
        pgas_post_bytes(c, w);
    }
    if (((pgas_u32) w.w1 & 0xffff) != blockIdx.x) {
        pgas_fence_device();
    }
    pgas_u32 found = pgas_post_count(c, w, wanted);
    c->post_head++;
    for (int i = 0; i < 16 && found < enough; i++) {  // the host is to hear of the room
        pgas_u32 more = pgas_post_take_more(c, wanted);
        if (more == PGAS_NO_LETTER) {
            break;
        }
        found += more;
    }
    return found;
}

// Takes what is there unless another block does, and leaves the rest to others; one thread.
PGAS_SLOW void pgas_post_visit(pgas_context *c) {
    pgas_post_begin(c);
    if (c->postman) {
        pgas_post_take(c, PGAS_TAGS, 1, pgas_letter_words(c));
        pgas_post_end(c);
    }
}

// Commands that the host has taken. One thread of the device at a time asks host memory, for all: when many do, they slow all else.
PGAS_SLOW pgas_u64 pgas_queue_taken(pgas_context *c) {
    pgas_u64 *watch = (pgas_u64 *) (c->area + PGAS_QUEUE_WATCH);
    if (atomicCAS(watch, 0ull, 1ull) != 0) {
        return pgas_ld(c->area + PGAS_QUEUE_SEEN);
    }
    pgas_u64 taken = pgas_ld((const void *) c->world->queue_head);
    pgas_st(c->area + PGAS_QUEUE_SEEN, taken);
    pgas_fence_device();
    pgas_st(watch, 0);
    return taken;
}

// Takes whatever has come; one thread. At the host's queue: and sees how far the host is.
PGAS_SLOW void pgas_drain_thread(pgas_context *c, bool at_queue = false) {
    if (atomicCAS(&c->lock, 0u, 1u) != 0u) {
        return;  // another thread of the block does
    }
    __threadfence_block();
    if (at_queue) {
        *(volatile pgas_u64 *) &c->queue_taken = pgas_queue_taken(c);
    }
    if (c->post != 0) {
        pgas_post_visit(c);
    }
    pgas_u32 open = (pgas_u32) pgas_ld(c->record + PGAS_CLAIMS);
    for (pgas_u32 lane = 0; lane < open && lane < PGAS_LANES; lane++) {
        pgas_take_lane(c, lane);
    }
    __threadfence_block();
    atomicExch(&c->lock, 0u);
}

// Takes whatever has come; the first warp.
PGAS_FN void pgas_drain_warp(pgas_context *c) {
    pgas_u64 open = pgas_ld(c->record + PGAS_CLAIMS);
    if (threadIdx.x < PGAS_LANES && threadIdx.x < open) {
        pgas_take_lane(c, threadIdx.x);
    }
    __syncwarp();
}

// Fills in what follows from a way's target and lane.
PGAS_SLOW void pgas_way_details(pgas_context *c, int way, pgas_u32 target) {
    pgas_u32 host = target / c->per_rank;
    char *segment = pgas_segment(c, host);
    char *record = segment == 0 ? 0 : pgas_record(c, segment, target % c->per_rank);
    c->to_segment[way] = segment;
    c->to_record[way] = record;
    c->to_slots[way] = record + PGAS_LANE_SLOTS + (pgas_u64) (c->sends[way].lane & (PGAS_LANES - 1)) * (PGAS_SLOTS * 32);
    c->plain[way] = 1;
    c->credits[way] = (pgas_u32) pgas_ld(c->record + PGAS_CREDITS + way * 8);
}

// Makes a way in an entry that is free, and there is one; the thread that has the block's lock. Returns its index.
PGAS_SLOW int pgas_make_way(pgas_context *c, pgas_u32 target) {
    pgas_u32 i = target % PGAS_TARGETS;
    for (pgas_u32 k = 0; k < PGAS_TARGETS && c->sends[i].target != 0; k++) {
        i = (i + 1) % PGAS_TARGETS;
    }
    char *segment = pgas_segment(c, target / c->per_rank);
    pgas_u32 way_lane = PGAS_BY_HOST;
    if (segment != 0) {
        char *record = pgas_record(c, segment, target % c->per_rank);
        pgas_u64 lane = pgas_add(record + PGAS_CLAIMS, 1);
        if (lane < PGAS_LANES) {
            pgas_st(record + PGAS_SOURCES + lane * 8, (pgas_u64) (c->first_block + blockIdx.x + 1) << 8 | i);
            pgas_fence_system();
        }
        way_lane = lane >= PGAS_LANES ? PGAS_NO_LANE
                : (pgas_u32) lane | (target / c->per_rank == c->host_rank ? PGAS_NEAR : 0);
    }
    c->sends[i].lane = way_lane;
    c->sends[i].tail = (pgas_u32) c->first_count;
    c->sends[i].limit = (pgas_u32) c->first_count;
    c->low[i] = ~0ull;
    c->high[i] = 0;
    pgas_way_details(c, (int) i, target);
    __threadfence_block();  // others find it from here on
    ((volatile pgas_send_state *) c->sends)[i].target = target + 1;
    return (int) i;
}

#define PGAS_NOT_MADE -1  // there is no way yet
#define PGAS_NO_WAY -2    // and no room for one: the block talks to too many

// The way to a block: an index of sends, or one of the two.
PGAS_SLOW int pgas_search(pgas_context *c, pgas_u32 target) {
    pgas_u32 i = target % PGAS_TARGETS;
    for (pgas_u32 k = 0; k < PGAS_TARGETS; k++) {
        pgas_u32 there = ((volatile pgas_send_state *) c->sends)[i].target;
        if (there == target + 1) {
            return (int) i;
        }
        if (there == 0) {
            return PGAS_NOT_MADE;
        }
        i = (i + 1) % PGAS_TARGETS;
    }
    return PGAS_NO_WAY;
}

// The way to a block if it is made.
PGAS_FN int pgas_find(pgas_context *c, pgas_u32 target) {
    pgas_u32 i = target % PGAS_TARGETS;
    return ((volatile pgas_send_state *) c->sends)[i].target == target + 1 ? (int) i : pgas_search(c, target);
}

// Makes the way to a block unless another thread did: its index, or PGAS_NO_WAY.
PGAS_SLOW int pgas_open(pgas_context *c, pgas_u32 target) {
    pgas_u64 start = 0;
    int way = PGAS_NOT_MADE;
    bool waits = true;
    while (waits) {
        if (atomicCAS(&c->lock, 0u, 1u) == 0u) {
            __threadfence_block();
            way = pgas_search(c, target);
            if (way == PGAS_NOT_MADE) {
                way = pgas_make_way(c, target);
            }
            __threadfence_block();
            atomicExch(&c->lock, 0u);
            waits = false;
        } else {
            pgas_u64 now = pgas_now();
            start = start == 0 ? now : start;
            if (now - start > c->timeout_ns) {
                pgas_die(c, PGAS_LATE_LOCK, (int) target, 0, 0);
            }
            if (c->dead || pgas_aborted(c)) {
                c->dead = 1;
                way = PGAS_NO_WAY;
                waits = false;
            }
        }
        waits = pgas_opaque(waits);
    }
    return way;
}

// As pgas_find, made if need be; one thread, or several each for itself.
PGAS_FN int pgas_way(pgas_context *c, pgas_u32 target) {
    int way = pgas_find(c, target);
    return way == PGAS_NOT_MADE ? pgas_open(c, target) : way;
}

// Looks how far a lane's receiver is, and takes what has come meanwhile. Returns when the wait began, 0 if it has failed; `start` is 0
// at first.
PGAS_SLOW pgas_u64 pgas_look_for_credit(pgas_context *c, int way, pgas_u32 sequence, pgas_u64 start) {
    pgas_u32 credit = (pgas_u32) pgas_ld(c->record + PGAS_CREDITS + way * 8);
    pgas_u64 now = pgas_now();
    if (start == 0) {
        start = now;
    }
    if ((int) (credit - ((volatile pgas_u32 *) c->credits)[way]) > 0) {
        ((volatile pgas_u32 *) c->credits)[way] = credit;
        return start;
    }
    pgas_drain_thread(c);
    if (now - start > c->timeout_ns) {
        pgas_die(c, PGAS_LATE_CREDIT, (int) c->sends[way].target - 1, sequence, credit);
    }
    // Others' failure is looked for in a part of the time: it takes as long as the rest.
    if ((now >> 12 & 15) == 0 && pgas_aborted(c)) {
        c->dead = 1;
    }
    return c->dead ? 0 : start;
}

// True if the lane's receiver has taken all but `most` of the messages up to `sequence`, as far as is known here.
PGAS_FN bool pgas_is_taken(pgas_context *c, int way, pgas_u32 sequence, pgas_u32 most) {
    return (int) (sequence - ((volatile pgas_u32 *) c->credits)[way]) <= (int) most;
}

PGAS_FN void pgas_store_message(pgas_context *c, int way, pgas_u32 sequence, pgas_u32 header, pgas_u64 place, pgas_u64 payload) {
    pgas_u64 flag = (pgas_u64) sequence << 32;
    char *slot = c->to_slots[way] + ((sequence & (PGAS_SLOTS - 1)) << 5);
    if (header & 0xf00) {
        pgas_st2(slot, flag | header | (pgas_u32) (place >> 32) << 16, flag | (pgas_u32) payload);
        pgas_st2(slot + 16, flag | (pgas_u32) (payload >> 32), flag | (pgas_u32) place);
    } else {
        pgas_st(slot, flag | header);
    }
}

// Stores a message as soon as its slot is free. Several threads may have taken numbers and wait here; each stores inside the loop, for
// the receiver takes messages in their order.
PGAS_SLOW void pgas_store_later(pgas_context *c, int way, pgas_u32 sequence, pgas_u32 header, pgas_u64 place, pgas_u64 payload) {
    pgas_u64 start = 0;
    bool waits = true;
    while (waits) {
        if (pgas_is_taken(c, way, sequence, PGAS_SLOTS)) {
            pgas_store_message(c, way, sequence, header, place, payload);
            waits = false;
        } else {
            start = pgas_look_for_credit(c, way, sequence, start);
            waits = start != 0;
        }
        waits = pgas_opaque(waits);
    }
}

// Takes the next number of a lane and stores a message there, at once or later. Returns the number.
PGAS_FN pgas_u32 pgas_message(pgas_context *c, int way, pgas_u32 header, pgas_u64 place, pgas_u64 payload) {
    pgas_u32 sequence = atomicAdd(&c->sends[way].tail, 1u) + 1;
    if (pgas_is_taken(c, way, sequence, PGAS_SLOTS)) {
        pgas_store_message(c, way, sequence, header, place, payload);
    } else {
        pgas_store_later(c, way, sequence, header, place, payload);
    }
    return sequence;
}

// ---- command queue: what only the host can do

// op: with tag and length. The queue has a power of two of entries.
PGAS_FN void pgas_store_command(char *queue, pgas_u32 entries, pgas_u64 index, pgas_u32 op, pgas_u32 target, pgas_u64 offset,
                                pgas_u64 value, pgas_u32 bytes) {
    pgas_u64 flag = (index + 1) << 32;
    char *slot = queue + ((pgas_u32) index & (entries - 1)) * 64;
    pgas_st2(slot, flag | op, flag | blockIdx.x);
    pgas_st2(slot + 16, flag | target, flag | (pgas_u32) offset);
    pgas_st2(slot + 32, flag | (pgas_u32) (offset >> 32), flag | (pgas_u32) value);
    pgas_st2(slot + 48, flag | (pgas_u32) (value >> 32), flag | bytes);
}

// Gives the host a command that is numbered as soon as there is room. As with messages each thread stores inside the loop: the host
// takes commands in the order of their numbers.
PGAS_SLOW void pgas_command_later(pgas_context *c, pgas_u64 index, pgas_u32 op, pgas_u32 target, pgas_u64 offset, pgas_u64 value,
                                  pgas_u32 bytes) {
    pgas_u64 start = 0;
    bool waits = true;
    while (waits) {
        pgas_drain_thread(c, true);
        pgas_u64 taken = *(volatile pgas_u64 *) &c->queue_taken;
        if ((long long) (index - taken) < (long long) c->world->queue_entries) {
            pgas_store_command((char *) c->world->queue, c->world->queue_entries, index, op, target, offset, value, bytes);
            waits = false;
        } else {
            __nanosleep(2000);
            pgas_u64 now = pgas_now();
            start = start == 0 ? now : start;
            if (now - start > c->timeout_ns) {
                pgas_die(c, PGAS_LATE_QUEUE, (int) (op >> 8 & 0xff), index, taken);
            }
            if (c->dead || pgas_aborted(c)) {
                c->dead = 1;
                waits = false;
            }
        }
        waits = pgas_opaque(waits);
    }
}

PGAS_SLOW void pgas_command(pgas_context *c, pgas_u32 op, pgas_u32 tag, pgas_u32 length, pgas_u32 target, pgas_u64 offset,
                            pgas_u64 value, pgas_u32 bytes) {
    pgas_u64 taken = pgas_ld(c->area + PGAS_QUEUE_SEEN);
    char *queue = (char *) c->world->queue;
    pgas_u32 entries = c->world->queue_entries;
    pgas_u64 index = pgas_add(c->area + PGAS_QUEUE_TAIL, 1);
    op |= tag << 8 | length << 16;
    if ((long long) (index - taken) < (long long) entries) {
        pgas_store_command(queue, entries, index, op, target, offset, value, bytes);
    } else {
        pgas_command_later(c, index, op, target, offset, value, bytes);
    }
}

// ---- windows

PGAS_FN const pgas_u64 *pgas_entry(pgas_context *c, int window, int target) {
    int comm = window >> 8 & 1;
    return c->entries[comm] + 2 * ((pgas_u32) (window & 0xff) * (comm ? c->per_rank : c->blocks) + (pgas_u32) target);
}

PGAS_FN int pgas_window_world(pgas_context *c, int window, int target) {
    return (window & 0x100) ? (int) c->first_block + target : target;
}

PGAS_FN pgas_u64 pgas_win_bytes(pgas_context *c, int window, int target) {
    return pgas_entry(c, window, target)[1];
}

// Place of a put, as offset in the target's segment; PGAS_NOWHERE if it is out of range.
PGAS_FN pgas_u64 pgas_place(pgas_context *c, int window, int target, pgas_u64 offset, pgas_u64 bytes) {
    bool known = window >= 0 && (window & ~0x11f) == 0 && target >= 0
            && target < pgas_size(c, (window & 0x100) ? PGAS_DEVICE : PGAS_WORLD);
    const pgas_u64 *entry = pgas_entry(c, known ? window : 0, known ? target : 0);
    pgas_u64 size = entry[1];
    return !known || offset > size || bytes > size - offset ? PGAS_NOWHERE : entry[0] + offset;
}

// A place that there is not ends the job; one thread.
PGAS_SLOW void pgas_misplaced(pgas_context *c, int window, int target, pgas_u64 offset, pgas_u64 bytes) {
    int comm = window >= 0 && (window & 0x100) ? PGAS_DEVICE : PGAS_WORLD;
    c->window = window;
    if (window < 0 || (window & ~0x11f) != 0 || !(c->slots[comm] >> (window & 31) & 1)) {
        pgas_die(c, PGAS_NO_WINDOW, -1, 0, 0);
    } else if (target < 0 || target >= pgas_size(c, comm)) {
        pgas_die(c, PGAS_NO_TARGET, target, (pgas_u64) pgas_size(c, comm), 0, (pgas_u64) comm);
    } else {
        pgas_die(c, PGAS_BAD_PLACE, target, offset, bytes, pgas_win_bytes(c, window, target));
    }
}

// ---- copies; i of n threads

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

// ---- sending; one thread each

// What this thread has seen written comes before what it sends next. Only a thread that sends alone says that this is done: others
// may write meanwhile.
PGAS_FN void pgas_order(pgas_context *c, bool near, bool alone) {
    uint2 order = c->order;
    if (near) {
        if (order.y != 0) {
            pgas_fence_device();
            if (alone) {
                c->order.y = order.y & PGAS_ALWAYS;
            }
        }
    } else if (order.x != 0) {
        pgas_fence_system();
        if (alone) {
            c->order.x = c->order.y = order.x & PGAS_ALWAYS;
        }
    }
}

PGAS_FN void pgas_dirty(pgas_context *c) {
    c->order.x |= PGAS_DIRTY;
    c->order.y |= PGAS_DIRTY;
}

PGAS_SLOW void pgas_send_otherwise(pgas_context *c, pgas_u32 target, pgas_u32 tag, pgas_u32 length, pgas_u64 place,
                                   pgas_u64 payload, bool alone, bool by_host) {
    char *segment = by_host ? 0 : pgas_segment(c, target / c->per_rank);
    if (segment == 0) {
        pgas_order(c, false, alone);
        pgas_command(c, length == 0 ? PGAS_OP_NOTIFY : PGAS_OP_PUT_INLINE | PGAS_WITH_NOTIFY, tag, length, target, place, payload,
                     0);
        return;
    }
    if (length != 0) {
        pgas_write_payload(segment + place, payload, length);
        pgas_dirty(c);
    }
    pgas_order(c, target / c->per_rank == c->host_rank, false);
    pgas_red(pgas_record(c, segment, target % c->per_rank) + PGAS_DIRECT + tag * 8, 1);
}

// Inline payloads will be under way to these bytes of a way's target.
PGAS_FN void pgas_note_payload(pgas_context *c, int way, pgas_u64 from, pgas_u64 to, bool alone) {
    if (alone) {
        c->low[way] = from < c->low[way] ? from : c->low[way];
        c->high[way] = to > c->high[way] ? to : c->high[way];
    } else {
        atomicMin(&c->low[way], from);
        atomicMax(&c->high[way], to);
    }
}

// Sends a notification, with a payload if length is not 0. alone: no other thread of the block sends meanwhile.
PGAS_SLOW void pgas_send(pgas_context *c, pgas_u32 target, pgas_u32 tag, pgas_u32 length, pgas_u64 place, pgas_u64 payload,
                         bool alone) {
    int way = pgas_way(c, target);
    if (way < 0 || (c->sends[way].lane & ~PGAS_NEAR) >= PGAS_LANES) {
        pgas_send_otherwise(c, target, tag, length, place, payload, alone, way >= 0 && c->sends[way].lane == PGAS_BY_HOST);
        return;
    }
    bool near = c->sends[way].lane & PGAS_NEAR;
    bool acquire = c->plain[way] || ((near ? c->order.y : c->order.x) & PGAS_ALWAYS);
    if (alone) {
        c->plain[way] = 0;
    }
    pgas_order(c, near, alone);
    if (length != 0) {
        pgas_note_payload(c, way, place, place + length, alone);
    }
    pgas_message(c, way, tag | length << 8 | (acquire ? PGAS_ACQUIRE : 0), place, payload);
    if (alone) {
        c->sends[way].limit = ((volatile pgas_u32 *) c->credits)[way] + PGAS_SLOTS;
    }
}

// What decides how a message to a block goes, loaded at once.
struct pgas_route {
    pgas_u32 way, there, lane, tail, limit, far, near;
    char *slots;
};

PGAS_FN pgas_route pgas_route_to(pgas_context *c, pgas_u32 target) {
    pgas_route r;
    r.way = target % PGAS_TARGETS;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(r.there), "=r"(r.lane), "=r"(r.tail), "=r"(r.limit)
                 : "r"((pgas_u32) __cvta_generic_to_shared(&c->sends[r.way])) : "memory");
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(r.far), "=r"(r.near)
                 : "r"((pgas_u32) __cvta_generic_to_shared(&c->order)) : "memory");
    asm volatile("ld.shared.u64 %0, [%1];" : "=l"(r.slots) : "r"((pgas_u32) __cvta_generic_to_shared(&c->to_slots[r.way])) : "memory");
    __syncwarp();  // before the first thread changes it
    return r;
}

// Inline payloads are under way to these bytes. Not before what is written above it: the message comes first.
PGAS_FN void pgas_widen(pgas_context *c, pgas_u32 way, pgas_u64 from, pgas_u64 to) {
    pgas_u64 low, high;
    asm volatile("ld.shared.u64 %0, [%1];" : "=l"(low) : "r"((pgas_u32) __cvta_generic_to_shared(&c->low[way])) : "memory");
    asm volatile("ld.shared.u64 %0, [%1];" : "=l"(high) : "r"((pgas_u32) __cvta_generic_to_shared(&c->high[way])) : "memory");
    c->low[way] = from < low ? from : low;
    c->high[way] = to > high ? to : high;
}

// As pgas_send of the block's first thread, by its whole first warp, if that needs nothing but a store. False, and nothing is sent, if
// it does.
PGAS_FN bool pgas_send_fast(pgas_context *c, const pgas_route &r, pgas_u32 target, pgas_u32 tag, pgas_u32 length, pgas_u64 place,
                            pgas_u64 payload) {
    pgas_u32 sequence = r.tail + 1;
    char *slot = r.slots + ((sequence & (PGAS_SLOTS - 1)) << 5);
    pgas_u32 order = (r.lane & PGAS_NEAR) ? r.near : r.far;
    if ((r.there ^ (target + 1)) | order | (pgas_u32) ((int) (r.limit - sequence) < 0)) {
        return false;
    }
    pgas_u64 flag = (pgas_u64) sequence << 32;
    if (threadIdx.x == 0) {
        if (length == 0) {
            pgas_st(slot, flag | tag);
        } else {
            pgas_st2(slot, flag | (pgas_u32) (tag | length << 8 | (pgas_u32) (place >> 32) << 16), flag | (pgas_u32) payload);
            pgas_st2(slot + 16, flag | (pgas_u32) (payload >> 32), flag | (pgas_u32) place);
            pgas_widen(c, r.way, place, place + length);
        }
        c->sends[r.way].tail = sequence;
    }
    return true;
}

// Waits until the lane's receiver has taken all that was sent before.
PGAS_SLOW void pgas_wait_for_payloads(pgas_context *c, int way) {
    pgas_u32 sequence = pgas_message(c, way, PGAS_SILENT | PGAS_CREDIT, 0, 0);
    pgas_u64 start = 0;
    do {
        start = pgas_look_for_credit(c, way, sequence, start);
    } while (start != 0 && !pgas_is_taken(c, way, sequence, 0));
}

// Before plain stores to a block: inline payloads under way to the same bytes must have arrived. alone: no other thread of the block
// sends meanwhile.
PGAS_FN void pgas_before_stores(pgas_context *c, int way, pgas_u64 place, pgas_u64 bytes, bool alone) {
    pgas_dirty(c);
    if (way < 0) {
        return;
    }
    c->plain[way] = 1;
    if ((c->sends[way].lane & ~PGAS_NEAR) >= PGAS_LANES) {
        return;
    }
    c->sends[way].limit = ((volatile pgas_send_state *) c->sends)[way].tail;
    if (place >= ((volatile pgas_u64 *) c->high)[way] || ((volatile pgas_u64 *) c->low)[way] >= place + bytes) {
        return;
    }
    pgas_wait_for_payloads(c, way);
    if (alone) {
        c->low[way] = ~0ull;
        c->high[way] = 0;
    }
}

// tag: or PGAS_PUT_ALONE. A source that the host cannot reach goes in pieces of 8 bytes, with the commands.
PGAS_SLOW void pgas_put_by_host(pgas_context *c, pgas_u32 target, pgas_u64 place, const char *src, pgas_u64 bytes, int tag) {
    pgas_u32 with = tag >= 0 ? PGAS_WITH_NOTIFY : 0;
    pgas_u32 low = tag >= 0 ? (pgas_u32) tag : 0;
    if (bytes == 0) {
        if (tag >= 0) {
            pgas_send_otherwise(c, target, low, 0, 0, 0, false, true);
        }
        return;
    }
    if (bytes > 8) {
        pgas_fence_system();
    }
    pgas_u64 from = (pgas_u64) (src - c->segment);
    pgas_u64 done = 0;
    if (bytes <= 8 || from > c->world->segment_bytes || bytes > c->world->segment_bytes - from) {
        for (; done + 8 < bytes; done += 8) {
            pgas_command(c, PGAS_OP_PUT_INLINE, 0, 8, target, place + done, pgas_read_payload(src + done, 8), 0);
        }
        pgas_u32 rest = (pgas_u32) (bytes - done);
        pgas_command(c, PGAS_OP_PUT_INLINE | with, low, rest, target, place + done, pgas_read_payload(src + done, rest), 0);
        return;
    }
    for (; done + 0x40000000ull < bytes; done += 0x40000000ull) {
        atomicAdd(&c->bulk, 1ull);
        pgas_command(c, PGAS_OP_PUT, 0, 0, target, place + done, from + done, 0x40000000u);
    }
    atomicAdd(&c->bulk, 1ull);
    pgas_command(c, PGAS_OP_PUT | with, low, 0, target, place + done, from + done, (pgas_u32) (bytes - done));
}

// ---- what programs call: groups of i of n threads, whose first sends

#define PGAS_GROUP_BLOCK threadIdx.x, blockDim.x
#define PGAS_GROUP_WARP (threadIdx.x & 31), 32u
#define PGAS_GROUP_THREAD 0u, 1u

PGAS_FN void pgas_group_sync(pgas_u32 n) {
    if (n == 1) {
        return;
    }
    if (n == 32) {
        __syncwarp();
    } else {
        __syncthreads();
    }
}

PGAS_FN void pgas_check(pgas_context *c) {
    if (c->dead) {
        pgas_exit_thread();
    }
}

// All threads of the block have come here; a warp alone needs less for that.
PGAS_FN void pgas_block_sync() {
    if (blockDim.x == 32) {
        __syncwarp();
    } else {
        __syncthreads();
    }
}

// Makes the way to a block for a group. Some of its threads may have found it already, if another warp made it meanwhile: only those
// of one warp, or all that send by themselves, can come here without the others.
PGAS_SLOW int pgas_group_way(pgas_context *c, pgas_u32 world, pgas_u32 i, pgas_u32 n) {
    if (n == 1 || n == 32) {
        return pgas_way(c, world);  // the first of them makes it, the others find it
    }
    int way = pgas_find(c, world);  // the same for all that have not found it before the block met
    if (way == PGAS_NOT_MADE) {
        __syncthreads();  // all have looked
        if (i == 0) {
            pgas_open(c, world);
        }
        __syncthreads();
        way = pgas_find(c, world);
    }
    return way;
}

PGAS_FN void pgas_put_group(pgas_context *c, int window, int target, pgas_u64 offset, const void *source, pgas_u64 bytes,
                            int tag, pgas_u32 i, pgas_u32 n) {
    pgas_u64 place = pgas_place(c, window, target, offset, bytes);
    int found = pgas_find(c, (pgas_u32) pgas_window_world(c, window, target));
    // The group's stores to the source are there, and none of its threads still sends by itself.
    pgas_group_sync(n);
    bool bad_tag = tag != PGAS_PUT_ALONE && (pgas_u32) tag >= PGAS_TAGS;
    if (bad_tag || place == PGAS_NOWHERE) {
        if (i == 0 && bad_tag) {
            pgas_die(c, PGAS_NO_TAG, tag, PGAS_TAGS, 0);
        } else if (i == 0) {
            pgas_misplaced(c, window, target, offset, bytes);
        }
    } else {
        pgas_u32 world = (pgas_u32) pgas_window_world(c, window, target);
        const char *src = (const char *) source;
        bool alone = n == blockDim.x;
        int way = found == PGAS_NOT_MADE ? pgas_group_way(c, world, i, n) : found;
        char *segment = way >= 0 ? c->to_segment[way] : pgas_segment(c, world / c->per_rank);
        if (segment == 0) {
            if (i == 0) {
                pgas_put_by_host(c, world, place, src, bytes, tag);
            }
        } else if (tag >= 0 && bytes <= 8 && bytes > 0 && segment + place != src) {
            if (alone) {
                if (i == 0) {
                    c->aim.target = target;
                    c->aim.world = world;
                    c->aim.place = place - offset;
                    c->aim.bytes = pgas_win_bytes(c, window, target);
                    c->aim.segment = segment;
                    c->aim.window = window;
                }
                if (i < 32) {
                    pgas_u64 payload = pgas_read_payload(src, (pgas_u32) bytes);
                    if (!pgas_send_fast(c, pgas_route_to(c, world), world, (pgas_u32) tag, (pgas_u32) bytes, place, payload) && i == 0) {
                        pgas_send(c, world, (pgas_u32) tag, (pgas_u32) bytes, place, payload, true);
                    }
                }
            } else if (i == 0) {
                pgas_send(c, world, (pgas_u32) tag, (pgas_u32) bytes, place, pgas_read_payload(src, (pgas_u32) bytes), false);
            }
        } else {
            if (i == 0) {
                pgas_before_stores(c, way, place, bytes, alone);
            }
            if (segment + place != src) {
                pgas_group_sync(n);
                pgas_copy(segment + place, src, bytes, i, n);
            }
            if (tag >= 0) {
                pgas_group_sync(n);
                if (i == 0) {
                    pgas_send(c, world, (pgas_u32) tag, 0, 0, 0, alone);
                }
            }
        }
    }
    pgas_group_sync(n);
    if (n == blockDim.x) {
        pgas_check(c);
    }
}

PGAS_FN void pgas_put(pgas_context *c, int window, int target, pgas_u64 offset, const void *src, pgas_u64 bytes) {
    pgas_put_group(c, window, target, offset, src, bytes, PGAS_PUT_ALONE, PGAS_GROUP_BLOCK);
}

PGAS_FN void pgas_put_warp(pgas_context *c, int window, int target, pgas_u64 offset, const void *src, pgas_u64 bytes) {
    pgas_put_group(c, window, target, offset, src, bytes, PGAS_PUT_ALONE, PGAS_GROUP_WARP);
}

PGAS_FN void pgas_put_thread(pgas_context *c, int window, int target, pgas_u64 offset, const void *src, pgas_u64 bytes) {
    pgas_put_group(c, window, target, offset, src, bytes, PGAS_PUT_ALONE, PGAS_GROUP_THREAD);
}

PGAS_FN void pgas_put_notify(pgas_context *c, int window, int target, pgas_u64 offset, const void *src, pgas_u64 bytes,
                             int tag) {
    if (bytes - 1 < 8) {
        pgas_block_sync();  // what the block wrote to the source is there
        pgas_route route;
        if (threadIdx.x < 32) {
            route = pgas_route_to(c, (pgas_u32) pgas_window_world(c, window, target));
        }
        pgas_aim aim = c->aim;
        pgas_u64 payload = pgas_read_payload((const char *) src, (pgas_u32) bytes);
        pgas_u64 place = aim.place + offset;
        if (((aim.window ^ window) | (aim.target ^ target)) == 0 && offset <= aim.bytes && bytes <= aim.bytes - offset
                && aim.segment + place != (const char *) src && (pgas_u32) tag < PGAS_TAGS) {
            if (threadIdx.x < 32 && !pgas_send_fast(c, route, aim.world, (pgas_u32) tag, (pgas_u32) bytes, place, payload)
                    && threadIdx.x == 0) {
                pgas_send(c, aim.world, (pgas_u32) tag, (pgas_u32) bytes, place, payload, true);
            }
            pgas_block_sync();
            return;
        }
    }
    pgas_put_group(c, window, target, offset, src, bytes, tag, PGAS_GROUP_BLOCK);
}

PGAS_FN void pgas_put_notify_warp(pgas_context *c, int window, int target, pgas_u64 offset, const void *src, pgas_u64 bytes,
                                  int tag) {
    pgas_put_group(c, window, target, offset, src, bytes, tag, PGAS_GROUP_WARP);
}

PGAS_FN void pgas_put_notify_thread(pgas_context *c, int window, int target, pgas_u64 offset, const void *src, pgas_u64 bytes,
                                    int tag) {
    pgas_put_group(c, window, target, offset, src, bytes, tag, PGAS_GROUP_THREAD);
}

PGAS_SLOW void pgas_notify_group(pgas_context *c, int comm, int target, int tag, bool alone) {
    pgas_u32 world = (pgas_u32) pgas_world_rank(c, comm, target);
    if ((pgas_u32) tag >= PGAS_TAGS) {
        pgas_die(c, PGAS_NO_TAG, tag, PGAS_TAGS, 0);
        return;
    }
    if (c->sends[world % PGAS_TARGETS].target != world + 1 && (target < 0 || target >= pgas_size(c, comm))) {
        c->window = -1;
        pgas_die(c, PGAS_NO_TARGET, target, (pgas_u64) pgas_size(c, comm), 0, (pgas_u64) comm);
        return;
    }
    pgas_send(c, world, (pgas_u32) tag, 0, 0, 0, alone);
}

PGAS_FN void pgas_notify_thread(pgas_context *c, int comm, int target, int tag) {
    pgas_notify_group(c, comm, target, tag, false);
}

PGAS_FN void pgas_notify(pgas_context *c, int comm, int target, int tag) {
    pgas_u32 world = (pgas_u32) pgas_world_rank(c, comm, target);
    pgas_block_sync();
    if (threadIdx.x < 32) {
        bool sent = (pgas_u32) tag < PGAS_TAGS && pgas_send_fast(c, pgas_route_to(c, world), world, (pgas_u32) tag, 0, 0, 0);
        if (!sent && threadIdx.x == 0) {
            pgas_notify_group(c, comm, target, tag, true);
        }
    }
    pgas_block_sync();
}

PGAS_FN void pgas_notify_warp(pgas_context *c, int comm, int target, int tag) {
    __syncwarp();
    if ((threadIdx.x & 31) == 0) {
        pgas_notify_group(c, comm, target, tag, false);
    }
    __syncwarp();
}

// Everything the block has written, in whatever way, comes before its later notifications.
PGAS_FN void pgas_fence(pgas_context *c) {
    __syncthreads();
    if (threadIdx.x == 0) {
        pgas_dirty(c);
        for (int i = 0; i < PGAS_TARGETS; i++) {
            c->plain[i] = 1;
            c->sends[i].limit = c->sends[i].tail;
        }
    }
    __syncthreads();
}

PGAS_FN void pgas_notify_host(pgas_context *c, int host_rank, int tag) {
    __syncthreads();
    if (threadIdx.x == 0) {
        if ((pgas_u32) tag >= PGAS_TAGS) {
            pgas_die(c, PGAS_NO_TAG, tag, PGAS_TAGS, 0);
        } else if (host_rank < 0 || host_rank >= pgas_host_ranks(c)) {
            pgas_die(c, PGAS_NO_HOST_RANK, host_rank, (pgas_u64) pgas_host_ranks(c), 0);
        } else {
            pgas_fence_system();  // the host and its copies see what the block wrote
            pgas_command(c, PGAS_OP_HOST, (pgas_u32) tag, 0, (pgas_u32) host_rank, 0, 0, 0);
        }
    }
    __syncthreads();
    pgas_check(c);
}

PGAS_FN void pgas_trigger(pgas_context *c, int prepared) {
    __syncthreads();
    if (threadIdx.x == 0) {
        pgas_fence_system();
        pgas_command(c, PGAS_OP_TRIGGER, 0, 0, (pgas_u32) prepared, 0, 0, 0);
    }
    __syncthreads();
    pgas_check(c);
}

PGAS_FN void pgas_timer(pgas_context *c, int timer, int start) {
    __syncthreads();
    if (threadIdx.x == 0) {
        pgas_command(c, PGAS_OP_TIMER, (pgas_u32) timer & 15, 0, (pgas_u32) start, 0, 0, 0);
    }
    __syncthreads();
    pgas_check(c);
}

PGAS_FN void pgas_timer_start(pgas_context *c, int timer) {
    pgas_timer(c, timer, 1);
}

PGAS_FN void pgas_timer_stop(pgas_context *c, int timer) {
    pgas_timer(c, timer, 0);
}

PGAS_FN void *pgas_ptr(pgas_context *c, int window, int target) {
    pgas_u64 place = pgas_place(c, window, target, 0, 0);
    if (place == PGAS_NOWHERE) {
        pgas_misplaced(c, window, target, 0, 0);
        return (void *) 0;
    }
    char *segment = pgas_segment(c, (pgas_u32) pgas_window_world(c, window, target) / c->per_rank);
    c->order.x = c->order.y = PGAS_DIRTY | PGAS_ALWAYS;  // stores through the pointer come before later notifications
    return segment == 0 ? (void *) 0 : (void *) (segment + place);
}

// ---- waiting

// The place after a message's.
PGAS_FN const char *pgas_after(const char *at, pgas_u32 sequence) {
    return (sequence & (PGAS_SLOTS - 1)) == PGAS_SLOTS - 1 ? at - (PGAS_SLOTS - 1) * 32 : at + 32;
}

PGAS_FN void pgas_keep(pgas_context *c, pgas_u32 lane, const char *at, pgas_u32 next) {
    c->hot.at = at;
    c->hot.next = next;
    c->hot.lane = lane;
}

// Takes what comes by lanes until `count` notifications of a tag are there, and consumes them; the first warp. Once: looks once.
// Returns 1 if they are there, 0 if not, -1 if the wait has failed.
PGAS_SLOW int pgas_await_any(pgas_context *c, pgas_u32 tag, pgas_u64 count, bool once) {
    pgas_u32 lane = threadIdx.x;
    pgas_u32 hot = c->hot.lane;
    if (lane == hot) {
        c->heads[hot] = c->hot.next - 1;
        c->places[hot] = c->hot.at;
    }
    __syncwarp();
    if (c->dead) {
        return -1;
    }
    const char *at = c->places[lane];
    pgas_u32 next = c->heads[lane & (PGAS_LANES - 1)] + 1;
    pgas_u32 open = c->open;
    pgas_u32 own = c->own[tag];
    pgas_u32 counted_before = c->seen[lane & 1][tag];
    bool acquiring = c->acquiring & 1;
    bool post = c->acquiring & PGAS_WITH_POST;
    bool counter = lane >= 30;
    if (counter) {
        at += tag * 8;
    }
    // The mask keeps pairs of words aligned; of a counter's pair the odd word is the second.
    const char *aligned = counter ? (const char *) ((pgas_u64) at & ~15ull) : at;
    bool odd = counter && (tag & 1);
    pgas_deadline d = {0, 0};
    pgas_u32 rounds = 0;
    const char *hot_at = c->places[hot];
    pgas_u32 hot_next = c->heads[hot] + 1;
    __syncwarp();  // before the first thread changes any of it
    for (;;) {
        pgas_u64 word = 0;
        bool postman = post && c->postman;
        if (postman && lane < 8) {
            word = pgas_ld(pgas_letter(c) + lane * 8);  // a letter at once, and it comes while the warp looks elsewhere
        }
        if (post) {
            __syncwarp();  // before the first thread changes any of it
        }
        // First where the last message came from: all threads look at the same words, and need not tell each other.
        for (int k = 0; k < (once ? 1 : 2); k++) {
            pgas_u64 w0, w1, w2, w3;
            pgas_ld2(hot_at, w0, w1);
            pgas_ld2(hot_at + 16, w2, w3);
            if ((pgas_u32) (w0 >> 32) == hot_next && (hot_next & (PGAS_SLOTS / 2 - 1)) != 0
                    && (int) (own + 1 - (pgas_u32) count) >= 0 && ((pgas_u32) w0 & (PGAS_SILENT | PGAS_CREDIT | 0xff)) == tag) {
                pgas_u32 bytes = (pgas_u32) w0 >> 8 & 15;
                if (bytes != 0 && (bytes != 4 && bytes != 8 || ((pgas_u32) w3 & (bytes - 1)) != 0
                        || (pgas_u32) (w1 >> 32) != hot_next || (pgas_u32) (w2 >> 32) != hot_next
                        || (pgas_u32) (w3 >> 32) != hot_next)) {
                    break;
                }
                if ((pgas_u32) w0 & PGAS_ACQUIRE) {
                    pgas_ld_acquire(hot_at);
                }
                if (lane == 0) {
                    char *to = c->segment + ((w0 & 0xffff0000u) << 16 | (pgas_u32) w3);
                    if (bytes == 4) {
                        *(pgas_u32 *) to = (pgas_u32) w1;
                    } else if (bytes == 8) {
                        *(pgas_u64 *) to = w2 << 32 | (pgas_u32) w1;
                    }
                    pgas_keep(c, hot, pgas_after(hot_at, hot_next), hot_next + 1);
                    c->own[tag] = own + 1 - (pgas_u32) count;
                    if (c->postman) {
                        pgas_post_end(c);
                    }
                }
                return 1;
            }
        }
        pgas_u64 w0, w1, w2 = 0, w3 = 0;
        if (acquiring) {
            // What is awaited comes after plain stores, most likely: the look itself acquires.
            w0 = pgas_ld_acquire(at);
            w1 = w0;
            if (lane < open && (pgas_u32) (w0 >> 32) == next && ((pgas_u32) w0 >> 8 & 15) != 0) {
                pgas_ld2(at, w0, w1);
                pgas_ld2(at + 16, w2, w3);
            }
        } else {
            pgas_ld2(aligned, w0, w1);
            pgas_ld2(aligned + 16, w2, w3);
        }
        pgas_u32 header = (pgas_u32) w0;
        // A payload is there when all its words are.
        bool hit = lane < open && (pgas_u32) (w0 >> 32) == next && ((header >> 8 & 15) == 0
                || (pgas_u32) (w1 >> 32) == next && (pgas_u32) (w2 >> 32) == next && (pgas_u32) (w3 >> 32) == next);
        bool change = counter ? (pgas_u32) (odd ? w1 : w0) != counted_before : lane == 29 && header != open && open < PGAS_LANES;
        pgas_u32 hits = __ballot_sync(0xffffffffu, hit);
        pgas_u32 changes = __ballot_sync(0xffffffffu, change);
        if (hits != 0) {
            hot = __ffs((int) hits) - 1;
            bool wanted = hit && (header & (PGAS_SILENT | 0xff)) == tag;
            bool acquire = hit && (header & PGAS_ACQUIRE);
            bool simple = !hit || wanted && !(header & PGAS_CREDIT) && (next & (PGAS_SLOTS / 2 - 1)) != 0
                    && ((header >> 8 & 15) == 0 || (header >> 8 & 15) == 4 && ((pgas_u32) w3 & 3) == 0);
            own += __popc(__ballot_sync(0xffffffffu, wanted));
            pgas_u32 acquires = __ballot_sync(0xffffffffu, acquire);
            if (acquires != 0 && !acquiring) {
                pgas_ld_acquire(at);
            }
            acquiring = acquires != 0;
            if (__all_sync(0xffffffffu, simple)) {
                if (hit && (header >> 8 & 15) != 0) {
                    *(pgas_u32 *) (c->segment + ((pgas_u64) (header >> 16) << 32 | (pgas_u32) w3)) = (pgas_u32) w1;
                }
            } else if (hit) {
                pgas_apply(c, w0, w1, w2, w3);
                if (!wanted && !(header & PGAS_SILENT)) {
                    atomicAdd(&c->own[header & 0xff], 1u);
                }
                if ((header & PGAS_CREDIT) || (next & (PGAS_SLOTS / 2 - 1)) == 0) {
                    pgas_report(c, lane, next);
                }
            }
            if (hit) {
                at = pgas_after(at, next);
                aligned = at;
                c->heads[lane] = next;
                c->places[lane] = at;
                next++;
            }
            hot_at = (const char *) __shfl_sync(0xffffffffu, (pgas_u64) at, (int) hot);
            hot_next = __shfl_sync(0xffffffffu, next, (int) hot);
        }
        if (changes != 0) {
            pgas_u32 counted = (pgas_u32) (odd ? w1 : w0);
            pgas_u32 delta = counter ? counted - counted_before : 0;
            own += __shfl_sync(0xffffffffu, delta, 30) + __shfl_sync(0xffffffffu, delta, 31);
            if (counter && delta != 0) {
                pgas_ld_acquire(at);  // what others or the host counted comes after their bytes
                counted_before = counted;
                c->seen[lane & 1][tag] = counted;
            }
            pgas_u32 claims = __shfl_sync(0xffffffffu, header, 29);
            open = claims < PGAS_LANES ? claims : PGAS_LANES;
            if (lane == 29) {
                c->open = open;
            }
            __syncwarp();
        }
        if (post && (int) (own - (pgas_u32) count) < 0) {
            pgas_u32 found = 0;
            if (postman) {
                pgas_words w;
                w.w0 = word;
                w.w1 = __shfl_sync(0xffffffffu, word, 1);
                w.w3 = __shfl_sync(0xffffffffu, word, 3);
                w.w4 = __shfl_sync(0xffffffffu, word, 4);
                w.w5 = __shfl_sync(0xffffffffu, word, 5);
                w.w6 = __shfl_sync(0xffffffffu, word, 6);
                if (lane == 0) {
                    found = pgas_post_take(c, tag, (pgas_u32) count - own, w);
                }
            } else if (lane == 0) {
                pgas_post_begin(c);
                if (once && c->postman) {
                    found = pgas_post_take(c, tag, (pgas_u32) count - own, pgas_letter_words(c));
                }
            }
            __syncwarp();
            own += __shfl_sync(0xffffffffu, found, 0);
        }
        if ((int) (own - (pgas_u32) count) >= 0) {
            if (lane == 0) {
                pgas_keep(c, hot, hot_at, hot_next);
                c->own[tag] = own - (pgas_u32) count;
                c->acquiring = acquiring | post * PGAS_WITH_POST;
                if (c->postman) {
                    pgas_post_end(c);
                }
            }
            return 1;
        }
        if ((hits | changes) != 0 && (++rounds & 63) != 0) {
            continue;  // others may send without end what is not waited for
        }
        int late = once ? 3 : __shfl_sync(0xffffffffu, pgas_late(c, d), 0);
        if (late != 0) {
            if (lane == 0) {
                pgas_keep(c, hot, hot_at, hot_next);
                c->own[tag] = own;
                c->acquiring = acquiring | post * PGAS_WITH_POST;
                if (c->postman) {
                    pgas_post_end(c);
                }
                if (late == 1) {
                    pgas_die(c, PGAS_LATE_NOTIFICATION, (int) tag, count, (pgas_u64) (long long) (int) own);
                }
                if (late != 3 || pgas_aborted(c)) {
                    c->dead = 1;
                }
            }
            return once ? 0 : -1;
        }
    }
}

// The same, not once, for the usual case that one more message of the lane of the last one ends the wait.
PGAS_FN int pgas_await(pgas_context *c, pgas_u32 tag, pgas_u64 count) {
    pgas_hot hot = c->hot;
    if ((hot.next & (PGAS_SLOTS / 2 - 1)) != 0 && c->own[tag] + 1 == (pgas_u32) count && !c->acquiring) {
        pgas_u32 lane = threadIdx.x;
        bool counter = lane >= 30;
        const char *at = c->places[lane] + (counter ? tag * 8 : 0);
        // A message of another lane, a count or a claim shows by one word that is no longer, or has become, this one.
        pgas_u32 open = c->open;
        pgas_u32 known = counter ? c->seen[lane & 1][tag] : lane == 29 ? open : c->heads[lane & (PGAS_LANES - 1)] + 1;
        bool watched = counter || lane == 29 && open < PGAS_LANES || lane < open && lane != hot.lane;
        __syncwarp();  // before the first thread changes any of it
        char *segment = c->segment;
        pgas_u64 other = 0;
        for (int looks = 0; looks < 32; looks++) {
            pgas_u64 w0, w1, w2, w3;
            pgas_ld2(hot.at, w0, w1);
            pgas_ld2(hot.at + 16, w2, w3);
            if (looks & 1) {
                other = pgas_ld(at);
            }
            if ((pgas_u32) (w0 >> 32) == hot.next) {
                pgas_u32 rest = ((pgas_u32) w0 ^ tag) & 0xffff;
                if (rest != 0) {
                    if (((pgas_u32) (w1 >> 32) ^ hot.next) | ((pgas_u32) (w2 >> 32) ^ hot.next) | ((pgas_u32) (w3 >> 32) ^ hot.next)) {
                        if ((rest & 0xf00) != 0) {
                            continue;  // its other words are under way
                        }
                        break;
                    }
                    // All threads write the same, which is one write, and need not part.
                    char *to = segment + ((w0 & 0xffff0000u) << 16 | (pgas_u32) w3);
                    if (rest == 0x400 && ((pgas_u32) w3 & 3) == 0) {
                        *(pgas_u32 *) to = (pgas_u32) w1;
                    } else if (rest == 0x800 && ((pgas_u32) w3 & 7) == 0) {
                        *(pgas_u64 *) to = w2 << 32 | (pgas_u32) w1;
                    } else {
                        break;
                    }
                }
                pgas_keep(c, hot.lane, pgas_after(hot.at, hot.next), hot.next + 1);
                c->own[tag] = 0;
                return 1;
            }
            if ((looks & 1) == 0) {
                continue;
            }
            pgas_u32 word = lane < 29 ? (pgas_u32) (other >> 32) : (pgas_u32) other;
            if (__any_sync(0xffffffffu, watched && (word == known) == (lane < 29))) {
                break;
            }
        }
    }
    return pgas_await_any(c, tag, count, false);
}

PGAS_FN bool pgas_test_notifications(pgas_context *c, int tag, pgas_u64 count) {
    __syncthreads();
    if (threadIdx.x < 32) {
        bool known = (pgas_u32) tag < PGAS_TAGS;
        int found = known ? pgas_await_any(c, (pgas_u32) tag, count, true) : 0;
        if (threadIdx.x == 0) {
            c->result = found;
            if (!known) {
                pgas_die(c, PGAS_NO_TAG, tag, PGAS_TAGS, 0);
            }
        }
    }
    __syncthreads();
    bool result = c->result != 0;
    pgas_check(c);
    __syncthreads();
    return result;
}

PGAS_FN void pgas_wait_notifications(pgas_context *c, int tag, pgas_u64 count) {
    pgas_block_sync();
    int found = 1;
    if (threadIdx.x < 32) {
        if (tag >= 0 && tag < PGAS_TAGS) {
            found = pgas_await(c, (pgas_u32) tag, count);
        } else {
            found = -1;
            if (threadIdx.x == 0) {
                pgas_die(c, PGAS_NO_TAG, tag, PGAS_TAGS, 0);
            }
        }
    }
    pgas_block_sync();
    if (found < 0 || blockDim.x != 32) {
        pgas_check(c);
    }
}

// Sources of puts may be reused: direct ones are when they return, those by the host when it has said so.
PGAS_FN void pgas_flush(pgas_context *c) {
    __syncthreads();
    if (threadIdx.x == 0) {
        pgas_deadline d = {0, 0};
        while ((long long) (pgas_ld(c->record + PGAS_FLUSHED) - c->bulk) < 0) {
            pgas_drain_thread(c);
            int late = pgas_late(c, d);
            if (late != 0) {
                if (late == 1) {
                    pgas_die(c, PGAS_LATE_FLUSH, -1, c->bulk, pgas_ld(c->record + PGAS_FLUSHED));
                }
                c->dead = 1;
                break;
            }
        }
    }
    __syncthreads();
    pgas_check(c);
}

// ---- barrier: arrivals on the device, then a flag of each device pushed to all; nobody reads remote memory

PGAS_FN char *pgas_checked_in(char *area, pgas_u64 host_ranks, pgas_u64 host_rank) {
    return area + PGAS_PEERS + (host_ranks * 8 + 63) / 64 * 64 + host_rank * 64;
}

// first: of the host ranks whose barriers the warp looks at, one each; -1 if it waits for blocks of this device.
PGAS_FN bool pgas_barrier_late(pgas_context *c, pgas_deadline &d, pgas_u64 expected, pgas_u64 seen, int first) {
    pgas_drain_warp(c);
    // Rather a block that waits for a notification: it has it at once.
    if (c->post != 0 && (d.looks & 15) == 15 && threadIdx.x == 0) {
        pgas_post_visit(c);
    }
    // A block that waits in vain for a notification does not come here either: it is to say so first.
    int late = __shfl_sync(0xffffffffu, pgas_late(c, d, c->timeout_ns / 8), 0);
    if (late != 0) {
        pgas_u64 behind = __ballot_sync(0xffffffffu, (long long) (seen - expected) < 0);
        if (threadIdx.x == 0) {
            if (late == 1) {
                pgas_die(c, PGAS_LATE_BARRIER, -1, expected, seen, c->barrier, first < 0 || first > 63 ? 0 : behind << first);
            }
            c->dead = 1;
        }
    }
    return late != 0;
}

PGAS_SLOW void pgas_barrier_of(pgas_context *c, int comm, int part) {
    __syncthreads();
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0) {
            c->barrier = part;
            c->device_epoch++;
            c->world_epoch += comm == PGAS_WORLD;
            pgas_red_release_device(c->area + PGAS_ARRIVALS, 1);
        }
        __syncwarp();
        pgas_u32 hosts = c->host_ranks;
        pgas_deadline d = {0, 0};
        bool ended = false;
        if (comm == PGAS_DEVICE || hosts == 1 || blockIdx.x == 0) {
            pgas_u64 all = c->device_epoch * c->per_rank;
            for (;;) {
                pgas_u64 seen = pgas_ld_acquire_device(c->area + PGAS_ARRIVALS);
                // All look, so that all acquire; they go on together.
                if (__all_sync(0xffffffffu, (long long) (seen - all) >= 0)) {
                    break;
                }
                if (pgas_barrier_late(c, d, all, seen, -1)) {
                    ended = true;
                    break;
                }
            }
        }
        if (comm == PGAS_WORLD && hosts > 1 && !ended) {
            pgas_u64 epoch = c->world_epoch;
            if (blockIdx.x == 0) {
                for (pgas_u32 r = threadIdx.x; r < hosts; r += 32) {
                    char *segment = pgas_segment(c, r);
                    char *mine = pgas_checked_in((char *) c->world->area, hosts, c->host_rank);
                    if (segment != 0) {
                        pgas_st_release(segment + (pgas_u64) mine, epoch);
                    } else {
                        pgas_fence_system();
                        pgas_command(c, PGAS_OP_WORD, 0, 8, r, (pgas_u64) mine, epoch, 0);
                    }
                }
                __syncwarp();
            }
            for (pgas_u32 first = 0; first < hosts && !ended; first += 32) {
                pgas_u32 r = first + threadIdx.x;
                pgas_u64 seen = epoch;
                for (;;) {
                    if (r < hosts) {
                        seen = pgas_ld_acquire(pgas_checked_in(c->area, hosts, r));
                    }
                    if (__all_sync(0xffffffffu, (long long) (seen - epoch) >= 0)) {
                        break;
                    }
                    if (pgas_barrier_late(c, d, epoch, seen, (int) first)) {
                        ended = true;
                        break;
                    }
                }
            }
        }
        pgas_drain_warp(c);
    }
    __syncthreads();
    pgas_check(c);
}

PGAS_FN void pgas_barrier(pgas_context *c, int comm) {
    pgas_barrier_of(c, comm, comm == PGAS_WORLD ? PGAS_BARRIER_WORLD : PGAS_BARRIER_DEVICE);
}

// ---- windows, made and freed

PGAS_FN void pgas_win_free(pgas_context *c, int window) {
    int comm = (window & 0x100) ? PGAS_DEVICE : PGAS_WORLD;
    if (threadIdx.x == 0) {
        c->window = window;
    }
    pgas_barrier_of(c, comm, PGAS_BARRIER_FREE);
    if (threadIdx.x == 0) {
        c->slots[comm] &= ~(1u << (window & 31));
        c->aim.window = -1;
    }
    __syncthreads();
}

PGAS_FN int pgas_win_create(pgas_context *c, int comm, void *base, pgas_u64 bytes) {
    __syncthreads();
    pgas_u32 free = ~c->slots[comm];
    pgas_u64 offset = (pgas_u64) base - c->world->segment;
    if (free == 0 || offset > c->world->segment_bytes || bytes > c->world->segment_bytes - offset) {
        if (threadIdx.x == 0) {
            if (free == 0) {
                pgas_die(c, PGAS_MANY_WINDOWS, -1, PGAS_WINDOWS, 0, (pgas_u64) comm);
            } else {
                pgas_die(c, PGAS_NOT_SHARED, -1, bytes, 0);
            }
        }
        __syncthreads();
        pgas_exit_thread();
    }
    int window = (__ffs((int) free) - 1) | (comm == PGAS_DEVICE ? 0x100 : 0);
    pgas_u64 entry = (pgas_u64) pgas_entry(c, window, pgas_rank(c, comm)) - c->world->segment;
    __syncthreads();
    if (threadIdx.x == 0) {
        c->slots[comm] |= free & (0u - free);
        c->window = window;
    }
    if (threadIdx.x < 32) {
        pgas_u32 first = comm == PGAS_DEVICE ? c->host_rank : 0;
        pgas_u32 end = comm == PGAS_DEVICE ? first + 1 : c->host_ranks;
        for (pgas_u32 r = first + threadIdx.x; r < end; r += 32) {
            char *segment = pgas_segment(c, r);
            if (r == c->host_rank) {
                segment = (char *) c->world->segment;
            }
            if (segment != 0) {
                pgas_st2(segment + entry, offset, bytes);
            } else {
                pgas_command(c, PGAS_OP_WORD, 0, 8, r, entry, offset, 0);
                pgas_command(c, PGAS_OP_WORD, 0, 8, r, entry + 8, bytes, 0);
            }
        }
    }
    pgas_barrier_of(c, comm, PGAS_BARRIER_CREATE);
    return window;
}

// ---- log

PGAS_SLOW void pgas_log_write(pgas_context *c, pgas_u64 index, const char *text, double value) {
    char *slot = (char *) c->world->log + (index % c->world->log_entries) * 128;
    pgas_u32 length = 0;
    for (; length < 96 && text[length] != 0; length++) {
        *(volatile char *) (slot + 32 + length) = text[length];
    }
    pgas_st(slot + 8, (pgas_u64) length << 32 | blockIdx.x);
    pgas_st(slot + 16, (pgas_u64) __double_as_longlong(value));
    pgas_fence_system();
    pgas_st(slot, index + 1);
}

PGAS_FN void pgas_log(pgas_context *c, const char *text, double value) {
    __syncthreads();
    if (threadIdx.x == 0) {
        pgas_u64 *tail = (pgas_u64 *) (c->area + PGAS_LOG_TAIL);
        pgas_u64 index = pgas_ld(tail);
        bool written = false;
        // Another block was first, as often as all its lines: then there is no place.
        for (pgas_u32 k = 0; !written && k < c->world->log_entries
                && index - pgas_ld((const void *) c->world->log_head) < c->world->log_entries; k++) {
            pgas_u64 now = atomicCAS(tail, index, index + 1);
            written = now == index;
            if (written) {
                pgas_log_write(c, index, text, value);
            }
            index = now;
        }
        if (!written) {
            pgas_add((char *) c->world->log_head + 8, 1);
        }
    }
    __syncthreads();
}

// ---- begin and end

PGAS_FN pgas_context *pgas_init(pgas_world world) {
    __shared__ pgas_context context;
    pgas_context *c = &context;
    if (threadIdx.x == 0) {
        c->world = world;
        c->area = (char *) world;
        c->record = (char *) world + world->blocks_at + blockIdx.x * world->block_bytes;
        c->segment = (char *) world->segment;
        c->per_rank = world->per_rank;
        c->host_rank = world->host_rank;
        c->host_ranks = world->host_ranks;
        c->first_block = world->host_rank * world->per_rank;
        c->blocks = world->host_ranks * world->per_rank;
        c->first_count = world->first_count;
        c->timeout_ns = world->timeout_ns;
        c->entries[PGAS_WORLD] = (const pgas_u64 *) (c->area + world->windows_at);
        c->entries[PGAS_DEVICE] = c->entries[PGAS_WORLD] + 2 * (pgas_u64) PGAS_WINDOWS * c->blocks;
        const pgas_u64 *state = (const pgas_u64 *) (c->record + PGAS_STATE);
        c->world_epoch = state[0];
        c->device_epoch = state[1];
        c->bulk = state[2];
        c->slots[0] = (pgas_u32) state[3];
        c->slots[1] = (pgas_u32) (state[3] >> 32);
        c->open = 0;
        c->post = world->post;
        c->queue_taken = 0;
        c->postman = 0;
        c->acquiring = world->post != 0 ? PGAS_WITH_POST : 0;
        c->hot.lane = 0;
        c->aim.window = -1;
        c->order.x = c->order.y = PGAS_DIRTY;  // what earlier launches and copies wrote
        c->lock = 0;
        c->dead = pgas_aborted(c);
        c->window = -1;
    }
    __syncthreads();
    pgas_check(c);
    for (pgas_u32 i = threadIdx.x; i < PGAS_TAGS; i += blockDim.x) {
        pgas_u64 own = ((const pgas_u64 *) (c->record + PGAS_OWN))[i];
        c->own[i] = (pgas_u32) own + (pgas_u32) c->first_count;
        c->seen[0][i] = (pgas_u32) c->first_count;
        c->seen[1][i] = 0;
    }
    for (pgas_u32 i = threadIdx.x; i < PGAS_TARGETS; i += blockDim.x) {
        c->sends[i] = ((const pgas_send_state *) (c->record + PGAS_SENDS))[i];
        c->low[i] = 0;  // of earlier launches nothing is known
        c->high[i] = ~0ull;
        if (c->sends[i].target != 0) {
            c->sends[i].limit = c->sends[i].tail;
            pgas_way_details(c, (int) i, c->sends[i].target - 1);
        }
    }
    for (pgas_u32 i = threadIdx.x; i < PGAS_LANES; i += blockDim.x) {
        c->heads[i] = ((const pgas_u32 *) (c->record + PGAS_HEADS))[i];
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        c->places[threadIdx.x] = threadIdx.x < PGAS_LANES ? pgas_slot(c->record, threadIdx.x, c->heads[threadIdx.x] + 1)
                : c->record + (threadIdx.x == 29 ? PGAS_CLAIMS : threadIdx.x == 31 ? PGAS_PROXY : PGAS_DIRECT);
        if (threadIdx.x == 0) {
            c->hot.at = c->places[0];
            c->hot.next = c->heads[0] + 1;
        }
    }
    __syncthreads();
    // Else each use would work out again where in shared memory it is, which takes as long as a load.
    asm volatile("" : "+l"(c));
    __builtin_assume(__isShared(c));
    return c;
}

// The last block of a launch to leave looks whether all have come to as many barriers: a block that skips one lets another through too
// early, in this launch or the next.
PGAS_SLOW void pgas_compare_barriers(pgas_context *c) {
    pgas_fence_device();
    for (pgas_u32 i = threadIdx.x; i < c->per_rank; i += blockDim.x) {
        const char *state = c->area + c->world->blocks_at + i * c->world->block_bytes + PGAS_STATE;
        pgas_u64 world = pgas_ld(state), device = pgas_ld(state + 8);
        bool of_device = device != c->device_epoch;
        if (of_device || world != c->world_epoch) {
            pgas_die(c, PGAS_UNEQUAL_BARRIERS, (int) (2 * i + of_device), of_device ? c->device_epoch : c->world_epoch,
                     of_device ? device : world);
        }
    }
}

// Ends without waiting for others: what they send from now on is taken by the next launch.
PGAS_SLOW void pgas_leave(pgas_context *c) {
    __syncthreads();
    if (threadIdx.x < 32) {
        pgas_drain_warp(c);
    }
    __syncthreads();
    for (pgas_u32 i = threadIdx.x; i < PGAS_TAGS; i += blockDim.x) {
        ((pgas_u64 *) (c->record + PGAS_OWN))[i] = c->own[i] - c->seen[0][i] - c->seen[1][i];
    }
    for (pgas_u32 i = threadIdx.x; i < PGAS_TARGETS; i += blockDim.x) {
        ((pgas_send_state *) (c->record + PGAS_SENDS))[i] = c->sends[i];
    }
    for (pgas_u32 i = threadIdx.x; i < PGAS_LANES; i += blockDim.x) {
        ((pgas_u32 *) (c->record + PGAS_HEADS))[i] = pgas_head(c, i);
    }
    if (threadIdx.x == 0) {
        pgas_u64 *state = (pgas_u64 *) (c->record + PGAS_STATE);
        state[0] = c->world_epoch;
        state[1] = c->device_epoch;
        state[2] = c->bulk;
        state[3] = (pgas_u64) c->slots[1] << 32 | c->slots[0];
        pgas_fence_device();
        c->result = (pgas_add(c->area + PGAS_LEFT, 1) + 1) % c->per_rank == 0;
    }
    __syncthreads();
    if (c->result && !c->dead) {
        pgas_compare_barriers(c);
    }
}

// Ends when all blocks have come to their end.
PGAS_FN void pgas_finish(pgas_context *c) {
    pgas_barrier_of(c, PGAS_WORLD, PGAS_BARRIER_END);
    pgas_leave(c);
}

#endif
