// ---- splits: some of the blocks of a communicator, with barriers and collectives of their own. The memory of a split is
// the program's (SplitLayout.java): proposals, flags and members, then two stages that are used in turn, and packets
// (pgas_split_packets.cuh). Who puts into a stage has passed the barrier before, so all have read what was in it two barriers ago.

struct pgas_split_data {
    int rank, size;      // of this block and of all; -1 and 0 if it is not in the split
    pgas_u32 piece;      // packets of each member in a round; 0 if some member is reached through the host
    pgas_u32 rounds;     // of collectives by packets, which read this and the three before in one load
    pgas_u64 packets;    // where in the split's memory they are: two rounds, each of all members in a row
    pgas_u64 all;        // blocks of the communicator
    pgas_u64 epoch;      // barriers
    pgas_u64 stage;      // bytes of each of the two
    int window, comm;
};

static_assert(sizeof(pgas_split_data) <= PGAS_SPLIT_HEADER_BYTES, "the header of a split is too small");

PGAS_FN pgas_u64 pgas_split_flags_at(pgas_u64 all) {
    return PGAS_SPLIT_HEADER_BYTES + all * PGAS_SPLIT_PROPOSAL_BYTES;
}

PGAS_FN pgas_u64 pgas_split_members_at(pgas_u64 all) {
    return pgas_split_flags_at(all) + all * PGAS_SPLIT_FLAG_BYTES;
}

PGAS_FN pgas_u64 pgas_split_stages_at(pgas_u64 all) {
    return (pgas_split_members_at(all) + all * PGAS_SPLIT_MEMBER_BYTES + 15) & ~15ull;
}

PGAS_FN pgas_u64 pgas_split_bytes(pgas_context *c, int comm, pgas_u64 stage) {
    return pgas_split_stages_at((pgas_u64) pgas_size(c, comm)) + PGAS_SPLIT_STAGES * ((stage + 15) & ~15ull);
}

PGAS_FN int pgas_split_rank(pgas_split s) {
    return s->rank;
}

PGAS_FN int pgas_split_size(pgas_split s) {
    return s->size;
}

// Rank of a member in the communicator.
PGAS_FN int pgas_split_member(pgas_split s, int rank) {
    return ((const int *) ((char *) s + pgas_split_members_at(s->all)))[rank];
}

// Offset of the stage in use from the start of the split's memory.
PGAS_FN pgas_u64 pgas_split_stage_at(pgas_split s) {
    return pgas_split_stages_at(s->all) + (s->epoch & 1) * s->stage;
}

// Stores a word in a segment, or has the host store it after what it was given before; one thread.
PGAS_FN void pgas_store_word(pgas_context *c, pgas_u32 host, pgas_u64 place, pgas_u64 value) {
    char *segment = pgas_segment(c, host);
    if (segment != 0) {
        pgas_st_release(segment + place, value);
    } else {
        pgas_fence_system();
        pgas_command(c, PGAS_COMMAND_WORD, 0, 8, host, place, value, 0);
    }
}

// Gives all blocks of the communicator this block's colour, key and bytes.
PGAS_FN void pgas_split_propose(pgas_context *c, pgas_split s, pgas_u64 word, pgas_u64 bytes) {
    pgas_u64 mine = PGAS_SPLIT_HEADER_BYTES + (pgas_u64) pgas_rank(c, s->comm) * PGAS_SPLIT_PROPOSAL_BYTES;
    for (pgas_u64 m = threadIdx.x; m < s->all; m += pgas_block_threads()) {
        pgas_u64 at = pgas_entry(c, s->window, (int) m)[0] + mine;
        pgas_u32 host = pgas_host_of(c, (pgas_u32) pgas_world_rank(c, s->comm, (int) m));
        pgas_store_word(c, host, at, word);
        pgas_store_word(c, host, at + PGAS_SPLIT_PROPOSED_BYTES, bytes);
    }
}

// Number of blocks of the colour of block j that come before it: by key, then by rank.
PGAS_FN int pgas_split_place(pgas_split s, const pgas_u64 *proposals, pgas_u64 j) {
    int place = 0, key = (int) (pgas_u32) proposals[2 * j];
    for (pgas_u64 k = 0; k < s->all; k++) {
        int other = (int) (pgas_u32) proposals[2 * k];
        place += proposals[2 * k] >> 32 == proposals[2 * j] >> 32 && (other < key || other == key && k < j);
    }
    return place;
}

// Finds the members of this block's colour and the stage that all have room for.
PGAS_SLOW void pgas_split_choose(pgas_context *c, pgas_split s) {
    PGAS_IN_SHARED(c);
    const pgas_u64 *proposals = (const pgas_u64 *) ((char *) s + PGAS_SPLIT_HEADER_BYTES);
    int *members = (int *) ((char *) s + pgas_split_members_at(s->all));
    pgas_u64 me = (pgas_u64) pgas_rank(c, s->comm);
    pgas_u64 colour = proposals[2 * me] >> 32;
    for (pgas_u64 j = threadIdx.x; j < s->all; j += pgas_block_threads()) {
        if (proposals[2 * j] >> 32 == colour) {
            members[pgas_split_place(s, proposals, j)] = (int) j;
        }
    }
    if (threadIdx.x == 0) {
        int size = 0;
        pgas_u64 bytes = proposals[2 * me + 1];
        for (pgas_u64 j = 0; j < s->all; j++) {
            bool same = proposals[2 * j] >> 32 == colour;
            size += same;
            bytes = same && proposals[2 * j + 1] < bytes ? proposals[2 * j + 1] : bytes;
        }
        bool in = (int) (pgas_u32) colour >= 0;
        s->size = in ? size : 0;
        s->rank = in ? pgas_split_place(s, proposals, me) : -1;
        s->stage = in ? (bytes - pgas_split_stages_at(s->all)) / PGAS_SPLIT_STAGES & ~15ull : 0;
    }
    __syncthreads();
}

// Notes the addresses of the members' packets in place of the proposals, which all threads have read.
PGAS_SLOW void pgas_split_find_packets(pgas_context *c, pgas_split s) {
    PGAS_IN_SHARED(c);
    pgas_u64 *addresses = (pgas_u64 *) ((char *) s + PGAS_SPLIT_HEADER_BYTES);
    pgas_u32 piece = s->size == 0 || c->world->through_host ? 0 : (pgas_u32) (s->stage / PGAS_PACKET_PAYLOAD) / (pgas_u32) s->size;
    __syncthreads();
    for (int m = (int) threadIdx.x; m < s->size; m += (int) pgas_block_threads()) {
        int rank = pgas_split_member(s, m);
        char *segment = pgas_segment(c, pgas_host_of(c, (pgas_u32) pgas_world_rank(c, s->comm, rank)));
        addresses[m] = (pgas_u64) segment + pgas_entry(c, s->window, rank)[0];
    }
    if (threadIdx.x == 0) {
        s->piece = piece < PGAS_SPLIT_MAX_PACKETS ? piece : PGAS_SPLIT_MAX_PACKETS;
        s->packets = pgas_split_stages_at(s->all) + 2 * s->stage;
    }
    __syncthreads();
}

PGAS_SLOW pgas_split pgas_split_create(pgas_context *c, int comm, int colour, int key, void *work, pgas_u64 bytes) {
    PGAS_IN_SHARED(c);
    pgas_split s = (pgas_split) work;
    pgas_u64 all = (pgas_u64) pgas_size(c, comm), least = pgas_split_bytes(c, comm, 0);
    bool strangers = comm == PGAS_WORLD && c->partners != 0;  // all blocks write to all
    __syncthreads();
    if (strangers || bytes < least || ((pgas_u64) work & 15) != 0) {
        if (threadIdx.x == 0 && strangers) {
            pgas_fail(c, PGAS_NO_PARTNER, -1, 0, 0);
        } else if (threadIdx.x == 0) {
            pgas_fail(c, PGAS_SMALL_SPLIT, -1, least, bytes, (pgas_u64) work & 15);
        }
        __syncthreads();
        pgas_exit_thread();
    }
    int window = pgas_win_create_in(c, comm, work, bytes, true);  // fails if the memory is not shared
    for (pgas_u64 i = pgas_split_stages_at(all) / 8 + threadIdx.x; i < bytes / 8; i += pgas_block_threads()) {
        ((pgas_u64 *) s)[i] = 0;  // no packets of round 0
    }
    for (pgas_u64 i = threadIdx.x; i < all; i += pgas_block_threads()) {
        ((pgas_u64 *) ((char *) s + pgas_split_flags_at(all)))[i] = 0;
    }
    if (threadIdx.x == 0) {
        s->window = window;
        s->comm = comm;
        s->all = all;
        s->epoch = 0;
        s->rounds = 0;
    }
    __syncthreads();
    pgas_split_propose(c, s, (pgas_u64) (pgas_u32) colour << 32 | (pgas_u32) key, bytes);
    pgas_barrier(c, comm);
    pgas_split_choose(c, s);
    pgas_split_find_packets(c, s);
    return s;
}

PGAS_FN void pgas_split_free(pgas_context *c, pgas_split s) {
    pgas_win_free(c, s->window);
}

// Waits for the flags of all members; the first warp.
PGAS_FN void pgas_split_flags(pgas_context *c, pgas_split s, pgas_u64 epoch) {
    const char *flags = (char *) s + pgas_split_flags_at(s->all);
    pgas_deadline d = {0, 0};
    for (int first = 0; first < s->size; first += 32) {
        int m = first + (int) threadIdx.x;
        pgas_u64 seen = epoch;
        for (;;) {
            if (m < s->size) {
                seen = pgas_ld_acquire(flags + m * PGAS_SPLIT_FLAG_BYTES);
            }
            pgas_u32 behind = __ballot_sync(0xffffffffu, (long long) (seen - epoch) < 0);
            if (behind == 0) {
                break;
            }
            int late = pgas_late_warp(c, d, c->timeout_ns / PGAS_BARRIER_GRACE);
            if (late == 1 && (int) threadIdx.x == __ffs((int) behind) - 1) {
                pgas_fail(c, PGAS_LATE_SPLIT, pgas_world_rank(c, s->comm, pgas_split_member(s, m)), epoch, seen);
            }
            if (late != 0) {
                c->dead = 1;
                return;
            }
        }
    }
}

PGAS_SLOW void pgas_split_barrier(pgas_context *c, pgas_split s) {
    PGAS_IN_SHARED(c);
    __syncthreads();
    pgas_u64 epoch = s->epoch + 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        s->epoch = epoch;
    }
    pgas_u64 mine = pgas_split_flags_at(s->all) + (pgas_u64) s->rank * PGAS_SPLIT_FLAG_BYTES;
    for (int m = (int) threadIdx.x; m < s->size; m += (int) pgas_block_threads()) {
        int rank = pgas_split_member(s, m);
        pgas_u32 host = pgas_host_of(c, (pgas_u32) pgas_world_rank(c, s->comm, rank));
        pgas_store_word(c, host, pgas_entry(c, s->window, rank)[0] + mine, epoch);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        pgas_split_flags(c, s, epoch);
        __syncwarp();
        pgas_drain_warp(c);
    }
    __syncthreads();
    pgas_check(c);
}

// ---- collectives of a split

// Copies into a member's stage; all threads.
PGAS_FN void pgas_stage(pgas_context *c, pgas_split s, int member, pgas_u64 at, const char *src, pgas_u64 bytes) {
    int rank = pgas_split_member(s, member);
    pgas_u64 place = pgas_entry(c, s->window, rank)[0] + pgas_split_stage_at(s) + at;
    pgas_u32 world = (pgas_u32) pgas_world_rank(c, s->comm, rank);
    char *segment = pgas_segment(c, pgas_host_of(c, world));
    if (segment != 0) {
        pgas_copy(segment + place, src, bytes, threadIdx.x, pgas_block_threads());
    } else if (threadIdx.x == 0) {
        pgas_put_by_host(c, world, place, src, bytes, PGAS_PUT_ALONE);
    }
}

// Ends a round of a collective: the stages are there, and the sources may change.
PGAS_FN void pgas_staged(pgas_context *c, pgas_split s) {
    pgas_flush(c);
    pgas_split_barrier(c, s);
}

// Begins a collective whose rounds take `least` bytes of the stage at least, and whose root is a member.
PGAS_SLOW void pgas_split_begin(pgas_context *c, pgas_split s, pgas_u64 least, int root) {
    PGAS_IN_SHARED(c);
    __syncthreads();
    if (threadIdx.x == 0) {
        if (root < 0 || root >= s->size) {
            c->window = -1;
            pgas_fail(c, PGAS_NO_TARGET, root, (pgas_u64) s->size, 0, (pgas_u64) s->comm);
        } else if (s->stage < least) {
            pgas_fail(c, PGAS_SMALL_SPLIT, -1, pgas_split_bytes(c, s->comm, least), pgas_split_bytes(c, s->comm, s->stage));
        }
    }
    __syncthreads();
    pgas_check(c);
}

PGAS_SLOW void pgas_broadcast(pgas_context *c, pgas_split s, int root, void *data, pgas_u64 bytes) {
    PGAS_IN_SHARED(c);
    pgas_split_begin(c, s, 1, root);
    for (pgas_u64 done = 0; done < bytes; done += s->stage) {
        pgas_u64 part = bytes - done < s->stage ? bytes - done : s->stage;
        const char *stage = (char *) s + pgas_split_stage_at(s);
        for (int m = 0; m < (s->rank == root ? s->size : 0); m++) {
            if (m != root) {
                pgas_stage(c, s, m, 0, (char *) data + done, part);
            }
        }
        pgas_staged(c, s);
        if (s->rank != root) {
            pgas_copy((char *) data + done, stage, part, threadIdx.x, pgas_block_threads());
        }
    }
    __syncthreads();
}

// Elements of each member in a round, of whole words of 16 bytes where there is room for that: others are copied by 4 bytes.
template <typename T> PGAS_FN pgas_u64 pgas_piece(pgas_split s) {
    pgas_u64 bytes = s->stage / (pgas_u64) s->size;
    return (bytes < 16 ? bytes : bytes & ~15ull) / sizeof(T);
}

PGAS_SLOW void pgas_all_to_all(pgas_context *c, pgas_split s, void *dst, const void *src, pgas_u64 bytes) {
    PGAS_IN_SHARED(c);
    pgas_split_begin(c, s, 16 * (pgas_u64) s->size, 0);
    pgas_u64 piece = pgas_piece<char>(s);
    for (pgas_u64 done = 0; done < bytes; done += piece) {
        pgas_u64 part = bytes - done < piece ? bytes - done : piece;
        const char *stage = (char *) s + pgas_split_stage_at(s);
        for (int m = 0; m < s->size; m++) {
            pgas_stage(c, s, m, (pgas_u64) s->rank * piece, (const char *) src + (pgas_u64) m * bytes + done, part);
        }
        pgas_staged(c, s);
        for (int m = 0; m < s->size; m++) {
            pgas_copy((char *) dst + (pgas_u64) m * bytes + done, stage + (pgas_u64) m * piece, part, threadIdx.x,
                      pgas_block_threads());
        }
    }
    __syncthreads();
}

template <typename T> PGAS_FN T pgas_combine_two(int op, T a, T b) {
    switch (op) {
        case PGAS_REDUCE_SUM:
            return a + b;
        case PGAS_REDUCE_PRODUCT:
            return a * b;
        case PGAS_REDUCE_MIN:
            return a != a || a < b ? a : b;
        case PGAS_REDUCE_MAX:
            return a != a || a > b ? a : b;
        case PGAS_REDUCE_AND:
            return pgas_word<T>::value(pgas_word<T>::bits(a) & pgas_word<T>::bits(b));
        case PGAS_REDUCE_OR:
            return pgas_word<T>::value(pgas_word<T>::bits(a) | pgas_word<T>::bits(b));
        case PGAS_REDUCE_XOR:
            return pgas_word<T>::value(pgas_word<T>::bits(a) ^ pgas_word<T>::bits(b));
        case PGAS_REDUCE_LOGICAL_AND:
            return (T) (a != 0 && b != 0);
        case PGAS_REDUCE_UNSIGNED_MIN:
            return pgas_word<T>::bits(a) < pgas_word<T>::bits(b) ? a : b;
        case PGAS_REDUCE_UNSIGNED_MAX:
            return pgas_word<T>::bits(a) > pgas_word<T>::bits(b) ? a : b;
        default:
            return (T) (a != 0 || b != 0);
    }
}

#define PGAS_COMBINED_AT_ONCE 8  // elements that a thread reads at once

// Combines what the first `until` members staged, in their order, so that the result is the same in every run.
template <typename T>
PGAS_FN void pgas_combine(const T *stage, pgas_u64 piece, int until, T *dst, pgas_u64 count, int op) {
    pgas_u64 n = pgas_block_threads();
    for (pgas_u64 e = threadIdx.x; e < count; e += PGAS_COMBINED_AT_ONCE * n) {
        T v[PGAS_COMBINED_AT_ONCE];
        for (int m = 0; m < until; m++) {
#pragma unroll
            for (int k = 0; k < PGAS_COMBINED_AT_ONCE; k++) {
                T its = stage[(pgas_u64) m * piece + (e + k * n < count ? e + k * n : e)];
                v[k] = m == 0 ? its : pgas_combine_two(op, v[k], its);
            }
        }
#pragma unroll
        for (int k = 0; k < PGAS_COMBINED_AT_ONCE; k++) {
            if (e + k * n < count) {
                dst[e + k * n] = v[k];
            }
        }
    }
}

// Members first..end-1 get this block's elements. It combines those of the first `until`, unless that is 0.
template <typename T>
PGAS_FN void pgas_reduce_to(pgas_context *c, pgas_split s, int first, int end, int until, T *dst, const T *src, pgas_u64 count,
                            int op) {
    pgas_u64 piece = pgas_piece<T>(s);
    for (pgas_u64 done = 0; done < count; done += piece) {
        pgas_u64 part = count - done < piece ? count - done : piece;
        const T *stage = (const T *) ((char *) s + pgas_split_stage_at(s));
        for (int m = first; m < end; m++) {
            pgas_stage(c, s, m, (pgas_u64) s->rank * piece * sizeof(T), (const char *) (src + done), part * sizeof(T));
        }
        pgas_staged(c, s);
        if (until != 0) {
            pgas_combine(stage, piece, until, dst + done, part, op);
        }
    }
    __syncthreads();
}

template <typename T>
PGAS_FN void pgas_reduce(pgas_context *c, pgas_split s, int root, T *dst, const T *src, pgas_u64 count, int op) {
    pgas_split_begin(c, s, (pgas_u64) s->size * sizeof(T), root);
    pgas_reduce_to(c, s, root, root + 1, s->rank == root ? s->size : 0, dst, src, count, op);
}

template <typename T>
PGAS_FN void pgas_scan(pgas_context *c, pgas_split s, T *dst, const T *src, pgas_u64 count, int op) {
    pgas_split_begin(c, s, (pgas_u64) s->size * sizeof(T), 0);
    pgas_reduce_to(c, s, s->rank, s->size, s->rank + 1, dst, src, count, op);
}
