// ---- state of a block

// Flags of the header of a message in a channel: tag:8 | length:4 | flags:4 | high part of the offset:16
#define PGAS_ACQUIRE 0x1000u
#define PGAS_SILENT 0x2000u
#define PGAS_CREDIT 0x4000u
#define PGAS_FAR 0x8000u  // with PGAS_ACQUIRE: the sender may be on another device
#define PGAS_PACKETS 0xf00u  // in place of a length: the payload is in the ring of packets

#define PGAS_READ_AHEAD 8  // messages of the mailbox read at once
#define PGAS_NOWHERE 0xffffffffffffffffull

// Of pgas_send_state.channel, beside the number.
#define PGAS_NEAR 0x100u             // a channel on this device
#define PGAS_NO_CHANNEL 0xfffffc00u  // all are in use: the target's counters
#define PGAS_BY_HOST 0xfffffe00u     // the device does not reach the target

// Of pgas_context.order.
#define PGAS_DIRTY 1u
#define PGAS_ALWAYS 2u  // stores by pointers are possible

#define PGAS_WATCH_MAILBOX 2u  // of pgas_context.acquiring: waits look there too

// Lanes of the first warp that wait for other things than messages of a channel.
#define PGAS_LANE_CLAIMS 29  // the number of channels in use
#define PGAS_LANE_DIRECT 30  // the counter of direct notifications
#define PGAS_LANE_PROXY 31   // the host's counter

struct __align__(16) pgas_send_state {
    pgas_u32 target;   // world block + 1; 0 if unused
    pgas_u32 channel;
    pgas_u32 tail;     // number of the last message
    pgas_u32 limit;    // messages before it need nothing but their store
};

static_assert(sizeof(pgas_send_state) * PGAS_TARGETS == PGAS_CREDITS - PGAS_SENDS, "sends do not fit the record");

// Sender's side of a ring of packets.
struct __align__(16) pgas_pack {
    pgas_u32 next;     // packet behind those of the last message
    pgas_u32 room;     // packets before this one may be stored
    pgas_u32 last[2];  // number of the last message with packets in each half
};

static_assert(sizeof(pgas_pack) * PGAS_TARGETS == PGAS_LANDING - PGAS_PACKS, "packs do not fit the record");

#define PGAS_UNCOMMON 0x40000000  // beside the number of a window: bytes for that target do not travel in messages

// Target of the last small notified put.
struct __align__(16) pgas_last_put {
    int window, target;  // window -1: none yet; or with PGAS_UNCOMMON
    pgas_u32 world, counted;  // counted: its host rank's place in tables
    pgas_u64 place, bytes;
    char *segment;
};

// Channel of the last message, which a wait reads first. Its values hold where heads and places have others.
struct __align__(16) pgas_hot {
    const char *at;
    pgas_u32 next, channel;
};

// In shared memory: global memory would have to be read again after every acquire.
struct pgas_context {
    pgas_send_state sends[PGAS_TARGETS];
    pgas_u32 own[PGAS_TAGS];           // available as far as has been read
    pgas_u32 seen[2][PGAS_TAGS];       // of the direct counters and of the host's
    const char *places[32];            // read by each thread of the first warp: next slots, claims, counters
    char *to_slots[PGAS_TARGETS];
    char *to_record[PGAS_TARGETS];
    char *to_segment[PGAS_TARGETS];
    pgas_u64 low[PGAS_TARGETS], high[PGAS_TARGETS];  // range of inline payloads in flight
    pgas_u32 plain[PGAS_TARGETS];                     // plain stores that no message has followed yet
    pgas_u32 credits[PGAS_TARGETS];                   // messages known to be taken
    pgas_u32 heads[PGAS_CHANNELS];
    pgas_pack packs[PGAS_TARGETS];
    pgas_u32 pack_users[PGAS_TARGETS];  // threads that have packets and no number yet, 16 bits for each half of the ring
    char *to_rings[PGAS_TARGETS];       // of packets at the target; null if the channel has none
    char *to_credits[PGAS_CHANNELS];    // words that report to the senders; null if not known yet
    char *rings;                        // of this block
    pgas_u32 last_packet;               // packet behind those of the last message that a wait has found with some
    pgas_u32 last_bytes;                // of its payload; 0 if the next message is not expected to be like it
    pgas_u32 last_channel;              // its channel
    pgas_u32 stop;                      // not 0: the first warp waits without the others
    pgas_u32 packet_bytes;              // longest payload that travels as packets; 0 if none does
    pgas_u32 ring_shift;                // logarithm of the packets of a ring
    pgas_u32 packed;                    // not 0: this block has sent packets
    pgas_u32 sent;                      // 1 if it has sent payloads in messages since its last barrier
    pgas_u32 payloads;                  // upper half of the arrivals at the last barrier; of a block alone, its own
    pgas_u32 untaken;                   // not 0: blocks have sent payloads since the barrier before
    pgas_u32 unpacked;                  // endpoints that had packets in flight at the last fence, a bit each
    pgas_last_put last_put;
    pgas_hot hot;
    pgas_world world;
    char *area;
    char *record;
    char *segment;
    char *counts;                       // of this block's transfers, by places in tables
    const pgas_u64 *entries[2];
    const pgas_u32 *partners;           // places in tables by host rank; null if all ranks are in all
    pgas_u32 windows[2];                // of a communicator at once
    pgas_u64 common_end;                // places behind it do not travel in messages
    pgas_u64 world_payloads;            // of all devices, at the last barrier of all
    pgas_u64 flag_at;                   // of this device, for barriers, in the segment of each host rank
    pgas_u32 through_host;              // not 0: some host rank is reached through the host
    pgas_u64 world_epoch, device_epoch, bulk, gets, first_count, timeout_ns;
    pgas_u32 per_rank, host_rank, host_ranks, first_block, blocks;
    pgas_u32 table_blocks;              // that a window of all blocks has entries for
    pgas_u64 slots[2];   // windows in use, a bit each
    pgas_u32 open;       // channels in use
    pgas_u32 acquiring;  // 1 if the last message came after plain stores; and PGAS_WATCH_MAILBOX
    uint2 order;         // not 0: a message to another device (x) or on this one (y) has to be ordered
    pgas_u32 lock;
    pgas_u32 reads_mailbox;  // this block reads the mailbox
    pgas_u32 mailbox_wrote;  // bytes since the last report to the host
    pgas_u64 mailbox, mailbox_head, mailbox_reported;
    pgas_u64 queue_taken;  // commands the host had taken when a thread of this block last looked
    volatile pgas_u32 dead;
    pgas_u64 found, first_found;  // by the first warp, for all
    int window;
    int result;
    int barrier;  // purpose of the last one
    pgas_u32 atomics;         // 1 if this device has atomic operations in all memory that it reaches
    float per_rank_inverse;
    pgas_u32 requests;        // in use, a bit each
    __align__(16) pgas_u64 read_ahead[PGAS_READ_AHEAD * (PGAS_PAGE_COMMAND_BYTES / 8)];
};

// ---- ranks and segments

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

// Host rank of a block: a division by a number that the compiler does not know takes several times as long.
PGAS_FN pgas_u32 pgas_host_of(pgas_context *c, pgas_u32 world) {
    pgas_u32 host = (pgas_u32) ((float) world * c->per_rank_inverse);  // one too many or too few at most
    int rest = (int) (world - host * c->per_rank);
    return rest < 0 ? host - 1 : rest >= (int) c->per_rank ? host + 1 : host;
}

// Number of a block among those of its host rank.
PGAS_FN pgas_u32 pgas_local_of(pgas_context *c, pgas_u32 world, pgas_u32 host) {
    return world - host * c->per_rank;
}

// Place of a host rank in the tables here; PGAS_NO_PLACE if it is no partner.
PGAS_FN pgas_u32 pgas_here(const pgas_u32 *partners, pgas_u32 host) {
    return partners == 0 ? host : partners[host] & PGAS_NO_PLACE;
}

// Whether this block may use the windows of a block: its host rank is a partner.
PGAS_FN bool pgas_is_partner(pgas_context *c, pgas_u32 world) {
    return c->partners == 0 || pgas_here(c->partners, pgas_host_of(c, world)) != PGAS_NO_PLACE;
}

PGAS_FN void pgas_count_at(char *counts, pgas_u32 place, int operation, pgas_u64 bytes) {
    char *at = counts + place * PGAS_COUNTS_BYTES + operation;
    pgas_red_device(at, 1);
    pgas_red_device(at + PGAS_COUNTED_BYTES, bytes);
}

// Adds a transfer with a block of a host rank to this block's counts, after what it does: nobody waits for it. One thread, or
// several each for itself.
PGAS_FN void pgas_count(pgas_context *c, pgas_u32 host, int operation, pgas_u64 bytes) {
    pgas_count_at(c->counts, pgas_here(c->partners, host), operation, bytes);
}

// Segment of a host rank on this device; null if it is not reached, or is not to be.
PGAS_FN char *pgas_segment(pgas_context *c, pgas_u32 host_rank) {
    return (char *) ((const pgas_u64 *) (c->area + PGAS_PEERS))[host_rank];
}

PGAS_FN char *pgas_record(pgas_context *c, char *segment, pgas_u32 block) {
    return segment + c->world->area + c->world->blocks_at + block * c->world->block_bytes;
}

// Words of the block's record that are kept between launches.
PGAS_FN pgas_u64 *pgas_state(char *record, int offset) {
    return (pgas_u64 *) (record + offset);
}

// ---- failure

// Records the first failure of a device for the host and ends all waits. BlockFailure.java has the words of each kind.
PGAS_SLOW void pgas_fail(pgas_context *c, int kind, int tag, pgas_u64 expected, pgas_u64 seen, pgas_u64 detail = 0,
                        pgas_u64 missing = 0) {
    PGAS_IN_SHARED(c);
    pgas_u64 *claim = (pgas_u64 *) (c->area + PGAS_ERROR_CLAIM);
    if (pgas_add(claim, 1) == 0) {
        char *page = (char *) c->world->error - PGAS_PAGE_ERROR;
        pgas_st(page + PGAS_PAGE_ERROR_BLOCK, blockIdx.x);
        pgas_st(page + PGAS_PAGE_ERROR_WINDOW, (pgas_u64) (long long) c->window);
        pgas_st(page + PGAS_PAGE_ERROR_TAG, (pgas_u64) (long long) tag);
        pgas_st(page + PGAS_PAGE_ERROR_EXPECTED, expected);
        pgas_st(page + PGAS_PAGE_ERROR_SEEN, seen);
        pgas_st(page + PGAS_PAGE_ERROR_DETAIL, detail);
        pgas_st(page + PGAS_PAGE_ERROR_MISSING, missing);
        pgas_fence_system();
        pgas_st(page + PGAS_PAGE_ERROR, (pgas_u64) kind);
    }
    pgas_st(c->area + PGAS_ABORT, 1);
    c->dead = 1;
}

PGAS_FN bool pgas_aborted(pgas_context *c) {
    return pgas_ld(c->area + PGAS_ABORT) != 0;
}

PGAS_FN void pgas_check(pgas_context *c) {
    if (c->dead) {
        pgas_exit_thread();
    }
}

struct pgas_deadline {
    pgas_u64 start;
    pgas_u32 looks;
};

// Checks the deadline at every 64th call: 0 to go on; 1 if it has passed, and as much more; 2 if another block has
// failed.
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

// ---- groups: thread i of n

// Number of threads of the block; programs in Java are compiled for one number alone.
PGAS_FN pgas_u32 pgas_block_threads() {
#ifdef PGAS_THREADS
    return PGAS_THREADS;
#else
    return blockDim.x;
#endif
}

#define PGAS_GROUP_BLOCK threadIdx.x, pgas_block_threads()
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

// Barrier of the block; a warp alone needs less for that.
PGAS_FN void pgas_block_sync() {
    if (pgas_block_threads() == 32) {
        __syncwarp();
    } else {
        __syncthreads();
    }
}

// Behind the barrier with which an operation of the block begins: a thread of a program in Java that has had a fault is
// gone, and the others end here.
PGAS_FN void pgas_check_faults(pgas_context *c) {
#ifdef PGAS_BLOCK_PROGRAM
    pgas_check(c);
#endif
}
