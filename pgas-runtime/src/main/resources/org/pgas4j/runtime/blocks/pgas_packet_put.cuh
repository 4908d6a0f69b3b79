// ---- notified puts whose payload travels as packets

// Writes what a message says about its packets: their place, and the bytes of the payload.
PGAS_FN pgas_u64 pgas_packets_word(pgas_u64 at, pgas_u32 bytes) {
    return ((at >> 32) << 16 | bytes) << 32 | (pgas_u32) at;
}

// Reserves packets of a ring: returns the first, or PGAS_NOWHERE if the half in which they would be is in use. Several
// threads may; each is a user of its half until pgas_packets_sent.
PGAS_SLOW pgas_u64 pgas_reserve_packets(pgas_context *c, int endpoint, pgas_u32 count) {
    pgas_pack *pack = &c->packs[endpoint];
    pgas_u64 next = ((volatile pgas_pack *) pack)->next;
    for (pgas_u32 tries = 0; tries < PGAS_SLOTS; tries++) {
        pgas_u64 at = pgas_fitting(c, next, count);
        pgas_u32 half = pgas_half_of(c, at);
        pgas_u32 users = atomicAdd(&c->pack_users[endpoint], 1u << (16 * half)) >> (16 * half) & 0xffff;
        __threadfence_block();
        bool free = true;
        if (pgas_starts_half(c, at)) {
            pgas_u32 last = ((volatile pgas_u32 *) pack->last)[half];
            if (!pgas_is_taken(c, endpoint, last, 0)) {
                pgas_read_credit(c, endpoint);
            }
            free = users == 0 && pgas_is_taken(c, endpoint, last, 0);
        }
        pgas_u64 there = free ? atomicCAS(&pack->next, next, at + count) : next;
        if (free && there == next) {
            return at;
        }
        atomicSub(&c->pack_users[endpoint], 1u << (16 * half));
        if (!free) {
            return PGAS_NOWHERE;
        }
        next = there;
    }
    return PGAS_NOWHERE;
}

// Notes the number of the message whose packets begin at a place. Of several threads each may have to try as often as there
// are others.
PGAS_SLOW void pgas_packets_sent(pgas_context *c, int endpoint, pgas_u64 at, pgas_u32 sequence) {
    pgas_u32 half = pgas_half_of(c, at);
    pgas_u32 *last = &c->packs[endpoint].last[half];
    pgas_u32 known = *(volatile pgas_u32 *) last;
    for (pgas_u32 tries = 0; tries < pgas_block_threads() && (int) (sequence - known) > 0; tries++) {
        pgas_u32 there = atomicCAS(last, known, sequence);
        known = there == known ? sequence : there;
    }
    c->packed = 1;
    __threadfence_block();
    atomicSub(&c->pack_users[endpoint], 1u << (16 * half));
}

#define PGAS_MAX_PACKETS_EACH 8  // of a thread

// Longest payload that n threads send as packets.
PGAS_FN pgas_u64 pgas_max_packet_bytes(pgas_context *c, pgas_u32 n) {
    pgas_u32 most = n * PGAS_MAX_PACKETS_EACH * PGAS_PACKET_PAYLOAD;
    return most < c->packet_bytes ? most : c->packet_bytes;
}

// The first thread's value, for a group.
PGAS_FN pgas_u64 pgas_group_value(pgas_context *c, pgas_u64 value, pgas_u32 i, pgas_u32 n) {
    if (n == 1) {
        return value;
    }
    if (n == 32) {
        return __shfl_sync(0xffffffffu, value, 0);
    }
    if (i == 0) {
        c->group_at = value;
    }
    __syncthreads();
    return c->group_at;
}

// Puts as packets; the threads of a group. False, and nothing is sent, if the payload is too long, the target has no ring,
// there is no room in it, or stores by pointers, which have no order with packets, are possible.
PGAS_SLOW bool pgas_put_packets(pgas_context *c, int endpoint, pgas_u64 place, const char *src, pgas_u64 bytes, pgas_u32 tag,
                                bool alone, pgas_u32 i, pgas_u32 n) {
    char *ring = c->to_rings[endpoint];
    if (ring == 0 || bytes > pgas_max_packet_bytes(c, n)) {
        return false;
    }
    pgas_u32 count = pgas_packets_for((pgas_u32) bytes);
    pgas_u64 at = PGAS_NOWHERE;
    if (i == 0 && !((c->order.x | c->order.y) & PGAS_ALWAYS)) {
        at = pgas_reserve_packets(c, endpoint, count);
    }
    at = pgas_group_value(c, at, i, n);
    if (at == PGAS_NOWHERE) {
        return false;
    }
    pgas_store_packets(pgas_packet(c, ring, at), pgas_lap(c, at), src, (pgas_u32) bytes, 0, i, n);
    if (i == 0) {
        pgas_u32 header = tag | PGAS_PACKETS | (pgas_starts_half(c, at) ? PGAS_CREDIT : 0);
        pgas_u32 sequence = pgas_send_message(c, endpoint, header, place, pgas_packets_word(at, (pgas_u32) bytes),
                                              (pgas_u32) bytes, alone);
        pgas_packets_sent(c, endpoint, at, sequence);
    }
    return true;
}

// Reads how far the receiver is, where the next message as long as the last needs to know that. After the barrier that ends
// a put: nobody waits for it.
PGAS_FN void pgas_prefetch_credit(pgas_context *c, pgas_u32 endpoint, pgas_u64 next, pgas_u32 count) {
    if (threadIdx.x == 0 && pgas_starts_half(c, pgas_fitting(c, next, count))) {
        pgas_read_credit(c, (int) endpoint);
    }
}

// As pgas_put_notify to the place of the last put, as packets, if that needs nothing but stores. False, and nothing is
// sent, if it does. Begins with a barrier of the block, and ends with one if it is true.
PGAS_SLOW bool pgas_put_packets_fast(pgas_context *c, int window, int target, pgas_u64 offset, const char *src,
                                     pgas_u32 bytes, int tag) {
    pgas_block_sync();
    pgas_last_put last = c->last_put;
    pgas_route r = pgas_route_to(c, last.world);
    pgas_pack pack = c->packs[r.endpoint];
    char *ring = c->to_rings[r.endpoint];
    pgas_u32 credit = c->credits[r.endpoint];
    pgas_u64 place = last.place + offset;
    pgas_u32 sequence = r.tail + 1, count = pgas_packets_for(bytes);
    pgas_u64 at = pgas_fitting(c, pack.next, count);
    pgas_u32 half = pgas_half_of(c, at);
    bool starts = pgas_starts_half(c, at);
    bool same = ((last.window ^ window) | (last.target ^ target)) == 0 && offset <= last.bytes && bytes <= last.bytes - offset
            && last.segment + place != src && (pgas_u32) tag < PGAS_TAGS;
    pgas_check_faults(c);
    if (!same || ring == 0
            || ((r.there ^ (last.world + 1)) | ((r.channel & PGAS_NEAR) ? r.near : r.far)
            | (pgas_u32) ((int) (r.limit - sequence) < 0)) != 0
            || starts && (int) ((half ? pack.last[1] : pack.last[0]) - credit) > 0) {
        return false;
    }
    pgas_batch first = pgas_load_batch(src, bytes, threadIdx.x, pgas_block_threads());
    pgas_block_sync();  // all have read what the first thread changes; their loads arrive meanwhile
    if (threadIdx.x == 0) {
        pgas_u64 flag = (pgas_u64) sequence << 32, word = pgas_packets_word(at, bytes);
        char *slot = r.slots + (sequence & (PGAS_SLOTS - 1)) * PGAS_SLOT_BYTES;
        pgas_u32 header = (pgas_u32) tag | PGAS_PACKETS | (starts ? PGAS_CREDIT : 0);
        pgas_st2(slot, flag | (pgas_u32) (header | (pgas_u32) (place >> 32) << 16), flag | (pgas_u32) word);
        pgas_st2(slot + PGAS_SLOT_BYTES / 2, flag | word >> 32, flag | (pgas_u32) place);
        c->sends[r.endpoint].tail = sequence;
        c->packs[r.endpoint].next = at + count;
        c->packs[r.endpoint].last[half] = sequence;
        c->packed = 1;
        pgas_widen(c, r.endpoint, place, place + bytes);
    }
    char *to = pgas_packet(c, ring, at);
    pgas_store_batch(to, pgas_lap(c, at), first, bytes, threadIdx.x, pgas_block_threads());
    pgas_store_packets(to, pgas_lap(c, at), src, bytes, 1, threadIdx.x, pgas_block_threads());
    pgas_block_sync();
    if (threadIdx.x == 0) {
        pgas_count(c, last.host, PGAS_COUNTED_PUTS, bytes);
    }
    pgas_prefetch_credit(c, r.endpoint, at + count, count);
    return true;
}
