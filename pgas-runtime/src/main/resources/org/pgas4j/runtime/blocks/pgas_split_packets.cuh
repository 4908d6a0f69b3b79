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

// Reads packet k of PGAS_AT_ONCE members, but this one, of which `own` is the payload. False if the wait has failed.
PGAS_FN bool pgas_read_members(pgas_context *c, pgas_split s, const pgas_round &r, int first, pgas_u32 k, pgas_u64 own,
                               pgas_u64 *payloads) {
    pgas_deadline d = {0, 0};
    for (;;) {
        int missing = -1;
        pgas_u64 seen = 0;
#pragma unroll
        for (int j = 0; j < PGAS_AT_ONCE; j++) {
            int m = first + j;
            pgas_u64 w0 = (pgas_u64) r.number << 32, w1 = w0;
            if (m < r.size && m != r.me) {
                pgas_ld2(r.packets + (pgas_u64) m * r.stride + k * PGAS_PACKET_BYTES, w0, w1);
            }
            payloads[j] = m == r.me ? own : w1 << 32 | (pgas_u32) w0;
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

// Stores this member's packets in the memory of the others.
PGAS_FN void pgas_push_packets(const pgas_round &r, const char *src, pgas_u32 bytes) {
    pgas_u64 flag = (pgas_u64) r.number << 32, mine = r.at + (pgas_u64) r.me * r.stride;
    for (pgas_u32 k = threadIdx.x; k < pgas_packets_for(bytes); k += pgas_block_threads()) {
        pgas_u64 own = pgas_read_packet(src, bytes, k);
        for (int m = 0; m < r.size; m++) {
            if (m != r.me) {
                pgas_st2((char *) (r.addresses[m] + mine) + k * PGAS_PACKET_BYTES, flag | (pgas_u32) own, flag | own >> 32);
            }
        }
    }
}

// One round, of no more bytes than a member's packets have payload.
template <typename T>
PGAS_FN void pgas_reduce_packets(pgas_context *c, pgas_split s, char *dst, const char *src, pgas_u32 bytes, int op) {
    pgas_round r = pgas_round_of(s);
    pgas_push_packets(r, src, bytes);
    for (pgas_u32 k = threadIdx.x; k < pgas_packets_for(bytes); k += pgas_block_threads()) {
        pgas_u64 own = pgas_read_packet(src, bytes, k), sum = 0;
        bool ended = false;
        for (int first = 0; first < r.size && !ended; first += PGAS_AT_ONCE) {
            pgas_u64 payloads[PGAS_AT_ONCE];
            ended = !pgas_read_members(c, s, r, first, k, own, payloads);
#pragma unroll
            for (int j = 0; j < PGAS_AT_ONCE; j++) {
                if (first + j < r.size) {
                    sum = first + j == 0 ? payloads[j] : pgas_combine_packets<T>(op, sum, payloads[j]);
                }
            }
        }
        pgas_write_packet(dst, bytes, k, sum & 0xffffffffu, sum >> 32);
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
