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

// Packets that a thread reads at once: of one member, n apart, or of several members, where each thread has one.
struct pgas_part {
    pgas_u32 k, n, count;  // first packet of the thread; of all
    bool many;             // of one member
    pgas_u64 own[PGAS_AT_ONCE];
};

// Reads those of members from `first` on. False if the wait has failed.
PGAS_FN bool pgas_read_part(pgas_context *c, pgas_split s, const pgas_round &r, const pgas_part &part, int first,
                            pgas_u64 *payloads) {
    pgas_deadline d = {0, 0};
    for (;;) {
        int missing = -1;
        pgas_u64 seen = 0;
#pragma unroll
        for (int j = 0; j < PGAS_AT_ONCE; j++) {
            int m = part.many ? first : first + j;
            pgas_u32 k = part.many ? part.k + j * part.n : part.k;
            pgas_u64 w0 = (pgas_u64) r.number << 32, w1 = w0;
            if (m < r.size && m != r.me && k < part.count) {
                pgas_ld2(r.packets + (pgas_u64) m * r.stride + k * PGAS_PACKET_BYTES, w0, w1);
            }
            payloads[j] = m == r.me ? (part.many ? part.own[j] : part.own[0]) : w1 << 32 | (pgas_u32) w0;
            if (!pgas_is_complete(w0, w1, r.number)) {
                missing = m;
                seen = w0 >> 32;
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

// Loads a part of an array and stores it in the memory of all other members.
PGAS_FN void pgas_push_part(const pgas_round &r, pgas_part &part, const char *src, pgas_u32 bytes) {
    pgas_u64 flag = (pgas_u64) r.number << 32, mine = r.at + (pgas_u64) r.me * r.stride;
#pragma unroll
    for (int j = 0; j < PGAS_AT_ONCE; j++) {
        pgas_u32 k = part.k + j * part.n;
        part.own[j] = k < part.count ? pgas_read_packet(src, bytes, k) : 0;
    }
    for (int m = 0; m < r.size; m++) {
        char *to = (char *) (r.addresses[m] + mine);
#pragma unroll
        for (int j = 0; j < PGAS_AT_ONCE; j++) {
            pgas_u32 k = part.k + j * part.n;
            if (k < part.count && m != r.me) {
                pgas_st2(to + k * PGAS_PACKET_BYTES, flag | (pgas_u32) part.own[j], flag | part.own[j] >> 32);
            }
        }
    }
}

// Combines a part of all members, in their order.
template <typename T>
PGAS_FN void pgas_combine_part(pgas_context *c, pgas_split s, const pgas_round &r, const pgas_part &part, char *dst, pgas_u32 bytes,
                               int op) {
    pgas_u64 sums[PGAS_AT_ONCE];
    bool ended = false;
    for (int first = 0; first < r.size && !ended; first += part.many ? 1 : PGAS_AT_ONCE) {
        pgas_u64 payloads[PGAS_AT_ONCE];
        ended = !pgas_read_part(c, s, r, part, first, payloads);
#pragma unroll
        for (int j = 0; j < PGAS_AT_ONCE; j++) {
            if (part.many) {
                sums[j] = first == 0 ? payloads[j] : pgas_combine_packets<T>(op, sums[j], payloads[j]);
            } else if (first + j < r.size) {
                sums[0] = first + j == 0 ? payloads[j] : pgas_combine_packets<T>(op, sums[0], payloads[j]);
            }
        }
    }
#pragma unroll
    for (int j = 0; j < PGAS_AT_ONCE; j++) {
        pgas_u32 k = part.k + j * part.n;
        if (k < part.count) {
            pgas_write_packet(dst, bytes, k, sums[j] & 0xffffffffu, sums[j] >> 32);
        }
    }
}

// One round, of no more bytes than a member's packets have payload.
template <typename T>
PGAS_FN void pgas_reduce_packets(pgas_context *c, pgas_split s, char *dst, const char *src, pgas_u32 bytes, int op) {
    pgas_round r = pgas_round_of(s);
    pgas_part part;
    part.n = pgas_block_threads();
    part.count = pgas_packets_for(bytes);
    part.many = part.count > part.n;
    for (pgas_u32 k = threadIdx.x; k < part.count; k += PGAS_AT_ONCE * part.n) {
        part.k = k;
        pgas_push_part(r, part, src, bytes);
        pgas_combine_part<T>(c, s, r, part, dst, bytes, op);
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
