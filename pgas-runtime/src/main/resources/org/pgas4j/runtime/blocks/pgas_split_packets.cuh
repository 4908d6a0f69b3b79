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
    pgas_u32 number;
    pgas_u64 at, stride;          // at: of the first member's packets in the memory of each
    const char *packets;          // of this one
    const pgas_u64 *addresses;    // of the members' memory
};

PGAS_FN pgas_round pgas_round_of(pgas_split s) {
    pgas_round r;
    r.me = s->rank;
    r.size = s->size;
    r.number = s->rounds + 1;
    r.at = pgas_split_packets_at(s, r.number);
    r.stride = (pgas_u64) s->piece * PGAS_PACKET_BYTES;
    r.packets = (const char *) s + r.at;
    r.addresses = (const pgas_u64 *) ((const char *) s + PGAS_SPLIT_HEADER_BYTES);
    return r;
}

// Packets of a thread: P of each member, n apart. It reads those of `members` at once, so that it waits for several together.
template <int P> struct pgas_share {
    static const int members = P == PGAS_AT_ONCE ? 1 : PGAS_AT_ONCE;
    static const int packets = members * P;
    pgas_u32 k, n, count;  // first packet of the thread; of all
    pgas_u64 own[P];

    // True if packet i of those of members from `first` on comes from another.
    __device__ __forceinline__ bool has(const pgas_round &r, int first, int i) const {
        return first + i / P < r.size && first + i / P != r.me && k + i % P * n < count;
    }
};

// Reads those of members from `first` on. False if the wait has failed.
template <int P>
PGAS_FN bool pgas_read_share(pgas_context *c, pgas_split s, const pgas_round &r, const pgas_share<P> &share, int first,
                             pgas_u64 *payloads) {
    pgas_deadline d = {0, 0};
    for (;;) {
        pgas_u64 w0[pgas_share<P>::packets], w1[pgas_share<P>::packets];
        // All loads before the first look. Those that nothing is wanted of are of a packet that another load reads too.
#pragma unroll
        for (int i = 0; i < pgas_share<P>::packets; i++) {
            bool has = share.has(r, first, i);
            pgas_u64 m = has ? first + i / P : 0;
            pgas_u32 k = has ? share.k + i % P * share.n : share.k;
            pgas_ld2(r.packets + m * r.stride + k * PGAS_PACKET_BYTES, w0[i], w1[i]);
        }
        int missing = -1;
        pgas_u64 seen = 0;
#pragma unroll
        for (int i = 0; i < pgas_share<P>::packets; i++) {
            payloads[i] = first + i / P == r.me ? share.own[i % P] : w1[i] << 32 | (pgas_u32) w0[i];
            if (share.has(r, first, i) && !pgas_is_complete(w0[i], w1[i], r.number)) {
                missing = first + i / P;
                seen = w0[i] >> 32;
            }
        }
        if (missing < 0) {
            return true;
        }
        int late = pgas_late(c, d, c->timeout_ns / PGAS_BARRIER_GRACE);
        if (late == 1) {
            pgas_fail(c, PGAS_LATE_SPLIT, pgas_world_rank(c, s->comm, pgas_split_member(s, missing)), r.number, seen);
        }
        if (late != 0) {
            c->dead = 1;
            return false;
        }
    }
}

// Loads a share of an array and stores it in the memory of all other members.
template <int P> PGAS_FN void pgas_push_share(const pgas_round &r, pgas_share<P> &share, const char *src, pgas_u32 bytes) {
    pgas_u64 flag = (pgas_u64) r.number << 32, mine = r.at + (pgas_u64) r.me * r.stride;
    bool words = (((pgas_u64) src | bytes) & (PGAS_PACKET_PAYLOAD - 1)) == 0;
#pragma unroll
    for (int j = 0; j < P; j++) {
        pgas_u32 k = share.k + j * share.n;
        share.own[j] = words ? ((const pgas_u64 *) src)[k < share.count ? k : share.k]
                : k < share.count ? pgas_read_packet(src, bytes, k) : 0;
    }
    for (int m = 0; m < r.size; m++) {
        char *to = (char *) (r.addresses[m] + mine);
#pragma unroll
        for (int j = 0; j < P; j++) {
            pgas_u32 k = share.k + j * share.n;
            if (k < share.count && m != r.me) {
                pgas_st2(to + k * PGAS_PACKET_BYTES, flag | (pgas_u32) share.own[j], flag | share.own[j] >> 32);
            }
        }
    }
}

// Combines a share of all members, in their order.
template <typename T, int P>
PGAS_FN void pgas_combine_share(pgas_context *c, pgas_split s, const pgas_round &r, const pgas_share<P> &share, char *dst,
                                pgas_u32 bytes, int op) {
    pgas_u64 sums[P];
    bool ended = false;
    for (int first = 0; first < r.size && !ended; first += pgas_share<P>::members) {
        pgas_u64 payloads[pgas_share<P>::packets];
        ended = !pgas_read_share(c, s, r, share, first, payloads);
#pragma unroll
        for (int i = 0; i < pgas_share<P>::packets; i++) {
            if (first + i / P < r.size) {
                sums[i % P] = first + i / P == 0 ? payloads[i] : pgas_combine_packets<T>(op, sums[i % P], payloads[i]);
            }
        }
    }
#pragma unroll
    for (int j = 0; j < P; j++) {
        pgas_u32 k = share.k + j * share.n;
        if (k < share.count) {
            pgas_write_packet(dst, bytes, k, sums[j] & 0xffffffffu, sums[j] >> 32);
        }
    }
}

template <typename T, int P>
PGAS_FN void pgas_reduce_shares(pgas_context *c, pgas_split s, const pgas_round &r, char *dst, const char *src, pgas_u32 bytes,
                                int op) {
    pgas_share<P> share;
    share.n = pgas_block_threads();
    share.count = pgas_packets_for(bytes);
    for (pgas_u32 k = threadIdx.x; k < share.count; k += P * share.n) {
        share.k = k;
        pgas_push_share(r, share, src, bytes);
        pgas_combine_share<T>(c, s, r, share, dst, bytes, op);
    }
}

// One round, of no more bytes than a member's packets have payload. A thread with two packets of each member has no loads for four.
template <typename T>
PGAS_FN void pgas_reduce_packets(pgas_context *c, pgas_split s, char *dst, const char *src, pgas_u32 bytes, int op) {
    pgas_round r = pgas_round_of(s);
    pgas_u32 packets = pgas_packets_for(bytes), threads = pgas_block_threads();
    if (packets <= threads) {
        pgas_reduce_shares<T, 1>(c, s, r, dst, src, bytes, op);
    } else if (packets <= 2 * threads) {
        pgas_reduce_shares<T, 2>(c, s, r, dst, src, bytes, op);
    } else {
        pgas_reduce_shares<T, PGAS_AT_ONCE>(c, s, r, dst, src, bytes, op);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        s->rounds = r.number;
    }
    pgas_check(c);
}

template <typename T>
PGAS_FN void pgas_all_reduce(pgas_context *c, pgas_split s, T *dst, const T *src, pgas_u64 count, int op) {
    __syncthreads();  // the stores of the block to the source are there
    if (s->rank >= 0 && count * sizeof(T) <= (pgas_u64) s->piece * PGAS_PACKET_PAYLOAD) {
        pgas_reduce_packets<T>(c, s, (char *) dst, (const char *) src, (pgas_u32) (count * sizeof(T)), op);
        return;
    }
    pgas_split_begin(c, s, (pgas_u64) s->size * sizeof(T), 0);
    pgas_reduce_to(c, s, 0, s->size, s->size, dst, src, count, op);
}
