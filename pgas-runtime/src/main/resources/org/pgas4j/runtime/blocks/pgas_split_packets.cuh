// ---- all-reduce of a split by packets: every member stores its elements in the memory of all others, each 8 bytes in two words that
// have the number of the round, and combines what it reads there in the order of the members. No fence and no barrier: who begins a
// round has seen packets of all members of the one before, so that all have read what was in this half of the memory two rounds ago.

// Combines two payloads of a packet.
template <typename T> PGAS_FN pgas_u64 pgas_combine_packets(int op, pgas_u64 a, pgas_u64 b) {
    if (sizeof(T) == 8) {
        return pgas_word<T>::bits(pgas_combine_two(op, pgas_word<T>::value(a), pgas_word<T>::value(b)));
    }
    pgas_u64 low = pgas_word<T>::bits(pgas_combine_two(op, pgas_word<T>::value(a), pgas_word<T>::value(b)));
    return low | pgas_word<T>::bits(pgas_combine_two(op, pgas_word<T>::value(a >> 32), pgas_word<T>::value(b >> 32))) << 32;
}

// A round of a member, in registers: the split itself would have to be read again after every packet.
struct pgas_round {
    int me, size;
    pgas_u32 piece, number;
    pgas_u64 at, stride;          // at: of the first member's packets in the memory of each
    const char *packets;          // of this one
    const pgas_u64 *addresses;    // of the members' memory
};

// Two loads, one beside the other: the block has just stored the number of the round, so that each load behind another takes a fifth of
// a microsecond.
PGAS_FN pgas_round pgas_round_of(pgas_split s) {
    uint4 head = *(const uint4 *) s;
    pgas_u64 packets = s->packets;
    pgas_round r;
    r.me = (int) head.x;
    r.size = (int) head.y;
    r.piece = head.z;
    r.number = head.w + 1;
    r.stride = (pgas_u64) r.piece * PGAS_PACKET_BYTES;
    r.at = packets + (r.number & 1) * (pgas_u32) r.size * r.stride;
    r.packets = (const char *) s + r.at;
    r.addresses = (const pgas_u64 *) ((const char *) s + PGAS_SPLIT_HEADER_BYTES);
    return r;
}

// Number of the member that is o-th among the others.
PGAS_FN int pgas_other(const pgas_round &r, int o) {
    return o + (o >= r.me ? 1 : 0);
}

// Packet k of an array: two elements of 4 bytes or one of 8.
template <typename T> PGAS_FN pgas_u64 pgas_packet_of(const T *src, pgas_u32 count, pgas_u32 k) {
    if (sizeof(T) == 8) {
        return ((const pgas_u64 *) src)[k];
    }
    const pgas_u32 *at = (const pgas_u32 *) src + 2 * k;
    return at[0] | (pgas_u64) (2 * k + 1 < count ? at[1] : 0) << 32;
}

template <typename T> PGAS_FN void pgas_set_packet(T *dst, pgas_u32 count, pgas_u32 k, pgas_u64 value) {
    if (sizeof(T) == 8) {
        ((pgas_u64 *) dst)[k] = value;
    } else {
        pgas_u32 *at = (pgas_u32 *) dst + 2 * k;
        at[0] = (pgas_u32) value;
        if (2 * k + 1 < count) {
            at[1] = (pgas_u32) (value >> 32);
        }
    }
}

// Stores the packets of this thread in the memory of all others: k, k + n, ...
template <typename T>
PGAS_FN void pgas_push_packets(const pgas_round &r, const T *src, pgas_u32 count, pgas_u32 k, pgas_u32 n, pgas_u32 end) {
    pgas_u64 flag = (pgas_u64) r.number << 32, mine = r.at + (pgas_u64) r.me * r.stride;
#pragma unroll 1
    for (; k < end; k += n) {
        pgas_u64 own = pgas_packet_of(src, count, k);
#pragma unroll 1
        for (int o = 0; o < r.size - 1; o++) {
            char *to = (char *) (r.addresses[pgas_other(r, o)] + mine);
            pgas_st2(to + k * PGAS_PACKET_BYTES, flag | (pgas_u32) own, flag | own >> 32);
        }
    }
}

// Reads packets k, k + n, ..., P of them, of M others from `first` on, all loads before the first look. Where there are fewer, it reads
// some twice. False if the wait has failed.
template <int P, int M>
PGAS_FN bool pgas_read_others(pgas_context *c, pgas_split s, const pgas_round &r, int first, pgas_u32 k, pgas_u32 n, pgas_u32 end,
                              pgas_u64 *payloads) {
    const char *at[P * M];
#pragma unroll
    for (int i = 0; i < P * M; i++) {
        int o = M > 1 && first + i / P < r.size - 1 ? first + i / P : first;
        pgas_u32 its = P > 1 && k + i % P * n < end ? k + i % P * n : k;
        at[i] = r.packets + (pgas_u64) pgas_other(r, o) * r.stride + its * PGAS_PACKET_BYTES;
    }
    pgas_deadline d = {0, 0};
    for (;;) {
        pgas_u64 w0[P * M], w1[P * M];
        bool complete = true;
#pragma unroll
        for (int i = 0; i < P * M; i++) {
            pgas_ld2(at[i], w0[i], w1[i]);
        }
#pragma unroll
        for (int i = 0; i < P * M; i++) {
            complete = complete && pgas_is_complete(w0[i], w1[i], r.number);
            payloads[i] = w1[i] << 32 | (pgas_u32) w0[i];
        }
        if (complete) {
            return true;
        }
        int late = pgas_late(c, d, c->timeout_ns / PGAS_BARRIER_GRACE);
        if (late == 1) {
            int missing = -1;
            pgas_u64 seen = 0;
#pragma unroll
            for (int i = 0; i < P * M; i++) {
                if (missing < 0 && !pgas_is_complete(w0[i], w1[i], r.number)) {
                    missing = first + i / P;
                    seen = w0[i] >> 32;
                }
            }
            int member = pgas_split_member(s, pgas_other(r, missing));
            pgas_fail(c, PGAS_LATE_SPLIT, pgas_world_rank(c, s->comm, member), r.number, seen);
        }
        if (late != 0) {
            c->dead = 1;
            return false;
        }
    }
}

// Combines packets k, k + n, ..., P of them, of all members, in their order, and stores the results. It waits for M others at once; M
// is 1 if there is one.
template <typename T, int P, int M>
PGAS_FN bool pgas_combine_members(pgas_context *c, pgas_split s, const pgas_round &r, T *dst, const T *src, pgas_u32 count,
                                  pgas_u32 k, pgas_u32 n, pgas_u32 end, int op) {
    int others = M == 1 ? 1 : r.size - 1;
    pgas_u64 own[P], sums[P];
#pragma unroll
    for (int j = 0; j < P; j++) {
        own[j] = pgas_packet_of(src, count, k + j * n < end ? k + j * n : k);
        sums[j] = own[j];
    }
    for (int first = 0; first < others; first += M) {
        pgas_u64 its[P * M];
        if (!pgas_read_others<P, M>(c, s, r, first, k, n, end, its)) {
            return false;
        }
#pragma unroll
        for (int i = 0; i < P * M; i++) {
            int o = first + i / P, j = i % P;
            if (M == 1) {
                bool mine = r.me == 0;
                sums[j] = pgas_combine_packets<T>(op, mine ? own[j] : its[i], mine ? its[i] : own[j]);
            } else if (o == 0 && r.me != 0) {
                sums[j] = its[i];
            } else if (o < others) {
                sums[j] = o == r.me && o != 0 ? pgas_combine_packets<T>(op, sums[j], own[j]) : sums[j];
                sums[j] = pgas_combine_packets<T>(op, sums[j], its[i]);
            }
        }
    }
#pragma unroll
    for (int j = 0; j < P; j++) {
        if (M > 1 && r.me != 0 && r.me == others) {
            sums[j] = pgas_combine_packets<T>(op, sums[j], own[j]);
        }
        if (j == 0 || k + j * n < end) {
            pgas_set_packet(dst, count, k + j * n, sums[j]);
        }
    }
    return true;
}

// The packets of this thread, P of M others at a time, until a wait fails.
template <typename T, int P, int M>
PGAS_FN void pgas_combine_shares(pgas_context *c, pgas_split s, const pgas_round &r, T *dst, const T *src, pgas_u32 count,
                                 pgas_u32 n, pgas_u32 end, int op) {
    bool going = true;
#pragma unroll 1
    for (pgas_u32 k = pgas_not_ahead(threadIdx.x); k < end && going; k += P * n) {
        going = pgas_combine_members<T, P, M>(c, s, r, dst, src, count, k, n, end, op);
    }
}

#define PGAS_OTHERS_AT_ONCE 3  // all of four members

// One round, of no more bytes than a member's packets have payload. Threads read as much at once as they have, and no more: what
// all of them load in vain takes as long as what they need.
template <typename T>
PGAS_FN void pgas_reduce_packets(pgas_context *c, pgas_split s, const pgas_round &r, T *dst, const T *src, pgas_u32 count, int op) {
    dst = pgas_not_ahead(dst);
    src = pgas_not_ahead(src);
    count = pgas_not_ahead(count);
    pgas_u32 n = pgas_not_ahead(pgas_block_threads()), end = pgas_packets_for(count * (pgas_u32) sizeof(T));
    pgas_push_packets(r, src, count, pgas_not_ahead(threadIdx.x), n, end);
    if (r.size != 2 && end <= n) {
        pgas_combine_shares<T, 1, PGAS_OTHERS_AT_ONCE>(c, s, r, dst, src, count, n, end, op);
    } else if (r.size != 2) {
        pgas_combine_shares<T, 2, PGAS_OTHERS_AT_ONCE>(c, s, r, dst, src, count, n, end, op);
    } else if (end <= n) {
        pgas_combine_shares<T, 1, 1>(c, s, r, dst, src, count, n, end, op);
    } else if (end <= 2 * n) {
        pgas_combine_shares<T, 2, 1>(c, s, r, dst, src, count, n, end, op);
    } else {
        pgas_combine_shares<T, 4, 1>(c, s, r, dst, src, count, n, end, op);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        s->rounds = r.number;
    }
    pgas_check(c);
}

#define PGAS_PACKET_ROUNDS 8     // of an all-reduce at most: larger arrays go through the stages, in half the bytes
#define PGAS_PACKETS_OF_THREAD 4  // in a round, where there are several and more than two members

// An all-reduce of more bytes than a member's packets have payload.
template <typename T>
PGAS_SLOW void pgas_all_reduce_large(pgas_context *c, pgas_split s, T *dst, const T *src, pgas_u64 count, int op) {
    PGAS_IN_SHARED(c);
    pgas_u32 piece = s->rank < 0 ? 0 : s->piece;
    pgas_u64 room = (pgas_u64) piece * (PGAS_PACKET_PAYLOAD / sizeof(T));
    if (room == 0 || count > PGAS_PACKET_ROUNDS * room || s->size != 2 && piece > PGAS_PACKETS_OF_THREAD * pgas_block_threads()) {
        pgas_split_begin(c, s, (pgas_u64) s->size * sizeof(T), 0);
        pgas_reduce_to(c, s, 0, s->size, s->size, dst, src, count, op);
        return;
    }
    for (pgas_u64 done = 0; done < count; done += room) {
        __syncthreads();  // the number of the round is there
        pgas_u32 part = (pgas_u32) (count - done < room ? count - done : room);
        pgas_reduce_packets(c, s, pgas_round_of(s), dst + done, src + done, part, op);
    }
}

template <typename T>
PGAS_FN void pgas_all_reduce(pgas_context *c, pgas_split s, T *dst, const T *src, pgas_u64 count, int op) {
    __syncthreads();  // the stores of the block to the source are there
    pgas_round r = pgas_round_of(s);
    if (r.me < 0 || count > (pgas_u64) r.piece * (PGAS_PACKET_PAYLOAD / sizeof(T))) {
        pgas_all_reduce_large(c, s, dst, src, count, op);
    } else if (count != 0) {  // a round in which nobody waits would let a member run ahead
        pgas_reduce_packets(c, s, r, dst, src, (pgas_u32) count, op);
    }
}
