// ---- notified puts whose payload travels as packets

// True if packets before `end` may be stored. Makes room if the half of the ring that comes next is no longer in use. Several
// threads may call it.
PGAS_SLOW bool pgas_make_room(pgas_context *c, int endpoint, pgas_u32 end) {
    PGAS_IN_SHARED(c);
    pgas_u32 room = ((volatile pgas_pack *) c->packs)[endpoint].room;
    if ((int) (room - end) >= 0) {
        return true;
    }
    pgas_u32 half = pgas_half_of(c, room);
    bool unused = (((volatile pgas_u32 *) c->pack_users)[endpoint] >> (16 * half) & 0xffff) == 0;
    __threadfence_block();
    pgas_u32 last = ((volatile pgas_pack *) c->packs)[endpoint].last[half];
    if (!pgas_is_taken(c, endpoint, last, 0)) {
        pgas_read_credit(c, endpoint);
    }
    if (!unused || !pgas_is_taken(c, endpoint, last, 0)) {
        return false;
    }
    atomicCAS(&c->packs[endpoint].room, room, room + pgas_half(c));  // unless another thread has made it
    return (int) (room + pgas_half(c) - end) >= 0;
}

// A user of each half in which packets are.
PGAS_FN pgas_u32 pgas_users(pgas_context *c, pgas_u32 at, pgas_u32 count) {
    return 1u << (16 * pgas_half_of(c, at)) | 1u << (16 * pgas_half_of(c, at + count - 1));
}

// Reserves packets of a ring: returns the first, or PGAS_NOWHERE if there is no room. Several threads may; each is a user of its
// halves until pgas_packets_sent.
PGAS_SLOW pgas_u64 pgas_reserve_packets(pgas_context *c, int endpoint, pgas_u32 count) {
    PGAS_IN_SHARED(c);
    pgas_u32 *place = &c->packs[endpoint].next;
    pgas_u32 next = *(volatile pgas_u32 *) place;
    for (pgas_u32 tries = 0; tries < PGAS_SLOTS; tries++) {
        if (!pgas_make_room(c, endpoint, next + count)) {
            return PGAS_NOWHERE;
        }
        pgas_u32 users = pgas_users(c, next, count);
        atomicAdd(&c->pack_users[endpoint], users);
        __threadfence_block();
        pgas_u32 there = atomicCAS(place, next, next + count);
        if (there == next) {
            return next;
        }
        atomicSub(&c->pack_users[endpoint], users);
        next = there;
    }
    return PGAS_NOWHERE;
}

// Notes the number of a message with packets in a half. Of several threads each may have to try as often as there are others.
PGAS_FN void pgas_note_last(pgas_context *c, int endpoint, pgas_u32 half, pgas_u32 sequence) {
    pgas_u32 *last = &c->packs[endpoint].last[half];
    pgas_u32 known = *(volatile pgas_u32 *) last;
    for (pgas_u32 tries = 0; tries < pgas_block_threads() && (int) (sequence - known) > 0; tries++) {
        pgas_u32 there = atomicCAS(last, known, sequence);
        known = there == known ? sequence : there;
    }
}

// Notes the number of the message that has these packets.
PGAS_SLOW void pgas_packets_sent(pgas_context *c, int endpoint, pgas_u32 at, pgas_u32 count, pgas_u32 sequence) {
    PGAS_IN_SHARED(c);
    pgas_note_last(c, endpoint, pgas_half_of(c, at), sequence);
    pgas_note_last(c, endpoint, pgas_half_of(c, at + count - 1), sequence);
    c->packed = 1;
    __threadfence_block();
    atomicSub(&c->pack_users[endpoint], pgas_users(c, at, count));
}

// Number of the first of the packets that the first of n threads reserves for all; PGAS_NOWHERE if there is no room, or stores by
// pointers, which have no order with packets, are possible.
PGAS_FN pgas_u64 pgas_reserve_for_all(pgas_context *c, int endpoint, pgas_u32 count, pgas_u32 i, pgas_u32 n) {
    pgas_u64 at = PGAS_NOWHERE;
    if (i == 0 && !((c->order.x | c->order.y) & PGAS_ALWAYS)) {
        at = pgas_reserve_packets(c, endpoint, count);
    }
    if (n <= 32) {
        return n == 1 ? at : __shfl_sync(0xffffffffu, at, 0);
    }
    if (i == 0) {
        c->found = at;
    }
    __syncthreads();
    return c->found;
}

// Puts as packets; a thread, a warp or the block. False, and nothing is sent, if the target has no ring or there is no room in it.
PGAS_SLOW bool pgas_put_packets(pgas_context *c, int endpoint, pgas_u64 place, const char *src, pgas_u32 bytes, pgas_u32 tag,
                                bool alone, pgas_u32 i, pgas_u32 n) {
    PGAS_IN_SHARED(c);
    char *ring = c->to_rings[endpoint];
    if (ring == 0) {
        return false;
    }
    pgas_u32 count = pgas_packets_for(bytes);
    pgas_u64 reserved = pgas_reserve_for_all(c, endpoint, count, i, n);
    if (reserved == PGAS_NOWHERE) {
        return false;
    }
    pgas_u32 at = (pgas_u32) reserved;
    pgas_store_packets(c, ring, at, src, bytes, i, n);
    if (i == 0) {
        pgas_u32 header = tag | PGAS_PACKETS | (pgas_enters_half(c, at, count) ? PGAS_CREDIT : 0);
        pgas_u32 sequence = pgas_send_message(c, endpoint, header, place, pgas_packets_word(at, bytes), bytes, alone);
        pgas_packets_sent(c, endpoint, at, count, sequence);
    }
    return true;
}

// State that decides whether a payload is sent as packets by stores alone, loaded at once.
struct pgas_packet_route {
    char *ring, *counts;
    pgas_pack pack;
    pgas_u32 shift;
    pgas_u64 low, high;
    pgas_route route;
};

PGAS_FN pgas_packet_route pgas_packet_route_to(pgas_context *c, pgas_u32 world) {
    pgas_packet_route r;
    pgas_u32 endpoint = world % PGAS_TARGETS;
    r.shift = c->ring_shift;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(r.pack.next), "=r"(r.pack.room), "=r"(r.pack.last[0]),
                 "=r"(r.pack.last[1]) : "r"((pgas_u32) __cvta_generic_to_shared(&c->packs[endpoint])) : "memory");
    r.ring = pgas_ld_shared(&c->to_rings[endpoint]);
    r.route = pgas_route_to(c, world);
    r.counts = c->counts;
    r.low = c->low[endpoint];
    r.high = c->high[endpoint];
    return r;
}

// True if packets are sent to a block by stores alone.
PGAS_FN bool pgas_is_fast(const pgas_packet_route &route, pgas_u32 world, pgas_u32 count) {
    const pgas_route &r = route.route;
    return ((r.there ^ (world + 1)) | ((r.channel & PGAS_NEAR) ? r.near : r.far) | (pgas_u32) (route.ring == 0)
            | (pgas_u32) ((int) (r.limit - r.tail - 1) < 0) | (pgas_u32) ((int) (route.pack.room - route.pack.next - count) < 0)) == 0;
}

// Sends the thread's packet, if i < count, and as the first thread the message. Everything is computed before the first store.
PGAS_FN void pgas_store_fast(const pgas_packet_route &p, pgas_u32 i, pgas_u32 count, pgas_u64 payload, pgas_u64 place,
                             pgas_u32 bytes, pgas_u32 tag) {
    pgas_u32 next = p.pack.next, at = next + i, sequence = p.route.tail + 1;
    char *to = p.ring + (at & ((1u << p.shift) - 1)) * PGAS_PACKET_BYTES;
    char *slot = p.route.slots + (sequence & (PGAS_SLOTS - 1)) * PGAS_SLOT_BYTES;
    pgas_u64 lap = (pgas_u64) (at >> p.shift) << 32, flag = (pgas_u64) sequence << 32;
    pgas_u32 credit = ((next - 1) ^ (next + count - 1)) >> (p.shift - 1) != 0 ? PGAS_CREDIT : 0;
    pgas_u32 header = tag | PGAS_PACKETS | credit | (pgas_u32) (place >> 32) << 16;
    if (i < count) {
        pgas_st2(to, lap | (pgas_u32) payload, lap | payload >> 32);
    }
    if (i == 0) {
        pgas_st2(slot, flag | header, flag | next);
        pgas_st2(slot + PGAS_SLOT_BYTES / 2, flag | bytes, flag | (pgas_u32) place);
    }
}

// Goes on behind a message with packets, which is on its way; the block's first thread, when all have read what changes here. Loads
// nothing: the block waits for this thread.
PGAS_FN void pgas_pass_packets(pgas_context *c, const pgas_packet_route &route, pgas_u64 place, pgas_u32 bytes) {
    pgas_u32 endpoint = route.route.endpoint, sequence = route.route.tail + 1, count = pgas_packets_for(bytes);
    pgas_pack pack = route.pack;
    pgas_u32 first = pack.next >> (route.shift - 1) & 1, last = (pack.next + count - 1) >> (route.shift - 1) & 1;
    pack.next += count;
    pack.last[0] = (first & last) != 0 ? pack.last[0] : sequence;
    pack.last[1] = (first | last) != 0 ? sequence : pack.last[1];
    c->sends[endpoint].tail = sequence;
    c->packs[endpoint] = pack;
    c->packed = 1;
    pgas_widen_from(c, endpoint, route.low, route.high, place, place + bytes);
    if ((int) (pack.room - pack.next - count) < 0) {
        pgas_make_room(c, (int) endpoint, pack.next + count);  // for the next, most likely, which does not wait for it then
    }
}
