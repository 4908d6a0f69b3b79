// ---- notified puts whose payload travels as packets

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

// Puts as packets; a thread or a warp. False, and nothing is sent, if the payload is too long, the target has no ring, there is
// no room in it, or stores by pointers, which have no order with packets, are possible.
PGAS_SLOW bool pgas_put_packets(pgas_context *c, int endpoint, pgas_u64 place, const char *src, pgas_u32 bytes, pgas_u32 tag,
                                bool alone, pgas_u32 i, pgas_u32 n) {
    char *ring = c->to_rings[endpoint];
    if (ring == 0 || bytes > c->packet_bytes) {
        return false;
    }
    pgas_u64 at = PGAS_NOWHERE;
    if (i == 0 && !((c->order.x | c->order.y) & PGAS_ALWAYS)) {
        at = pgas_reserve_packets(c, endpoint, pgas_packets_for(bytes));
    }
    at = n == 1 ? at : __shfl_sync(0xffffffffu, at, 0);
    if (at == PGAS_NOWHERE) {
        return false;
    }
    pgas_store_packets(pgas_packet(c, ring, at), pgas_lap(c, at), src, bytes, i, n);
    if (i == 0) {
        pgas_u32 header = tag | PGAS_PACKETS | (pgas_starts_half(c, at) ? PGAS_CREDIT : 0);
        pgas_u32 sequence = pgas_send_message(c, endpoint, header, place, pgas_packets_word(at, bytes), bytes, alone);
        pgas_packets_sent(c, endpoint, at, sequence);
    }
    return true;
}

// Notes where the packets of the next put of so many bytes come, if there is room for them. One thread, when the last put is on
// its way: nobody waits for it.
PGAS_SLOW void pgas_expect_put(pgas_context *c, pgas_u32 endpoint, pgas_u32 world, pgas_u32 bytes) {
    if (c->to_rings[endpoint] == 0) {
        return;
    }
    pgas_u64 next = c->packs[endpoint].next;
    pgas_u64 at = pgas_fitting(c, next, pgas_packets_for(bytes)), word = pgas_packets_word(at, bytes);
    bool starts = pgas_starts_half(c, at), free = true;
    if (starts) {
        pgas_u32 last = c->packs[endpoint].last[pgas_half_of(c, at)];
        if (!pgas_is_taken(c, (int) endpoint, last, 0)) {
            pgas_read_credit(c, (int) endpoint);
        }
        free = pgas_is_taken(c, (int) endpoint, last, 0);
    }
    c->next_put.to = pgas_packet(c, c->to_rings[endpoint], at);
    c->next_put.at = at;
    c->next_put.next = next;
    c->next_put.low = (pgas_u32) word;
    c->next_put.high = (pgas_u32) (word >> 32);
    c->next_put.lap = pgas_lap(c, at);
    c->next_put.flags = PGAS_PACKETS | (starts ? PGAS_CREDIT : 0);
    c->next_put.target = free ? world + 1 : 0;
}

// What decides whether a payload is sent as packets by stores alone, and the lane's first packet.
struct pgas_packet_route {
    pgas_next_put put;
    pgas_u64 next, payload;
    pgas_route route;
};

PGAS_FN pgas_packet_route pgas_packet_route_to(pgas_context *c, pgas_u32 world, const char *src, pgas_u32 bytes) {
    pgas_packet_route r;
    r.put = c->next_put;
    r.next = c->packs[world % PGAS_TARGETS].next;
    r.payload = threadIdx.x * PGAS_PACKET_PAYLOAD < bytes ? pgas_read_packet(src, bytes, threadIdx.x) : 0;
    r.route = pgas_route_to(c, world);
    return r;
}

// Sends a payload as packets; the first warp. False, and nothing is sent, if that needs more than stores, or the last put was of
// other length or to another block.
PGAS_FN bool pgas_send_packets_fast(pgas_context *c, const pgas_packet_route &route, pgas_u32 world, pgas_u64 place,
                                    pgas_u32 bytes, pgas_u32 tag) {
    const pgas_next_put &p = route.put;
    const pgas_route &r = route.route;
    pgas_u32 k = threadIdx.x, sequence = r.tail + 1;
    if ((p.target ^ (world + 1)) | (r.there ^ (world + 1)) | ((p.high & 0xffff) ^ bytes) | (pgas_u32) (p.next != route.next)
            | ((r.channel & PGAS_NEAR) ? r.near : r.far) | (pgas_u32) ((int) (r.limit - sequence) < 0)) {
        return false;
    }
    if (k * PGAS_PACKET_PAYLOAD < bytes) {
        pgas_u64 flag = (pgas_u64) p.lap << 32;
        pgas_st2(p.to + k * PGAS_PACKET_BYTES, flag | (pgas_u32) route.payload, flag | route.payload >> 32);
    }
    if (k == 0) {
        pgas_u64 flag = (pgas_u64) sequence << 32;
        char *slot = r.slots + (sequence & (PGAS_SLOTS - 1)) * PGAS_SLOT_BYTES;
        pgas_st2(slot, flag | (pgas_u32) (tag | p.flags | (pgas_u32) (place >> 32) << 16), flag | p.low);
        pgas_st2(slot + PGAS_SLOT_BYTES / 2, flag | p.high, flag | (pgas_u32) place);
        c->sends[r.endpoint].tail = sequence;
        c->packs[r.endpoint].next = p.at + pgas_packets_for(bytes);
        c->packs[r.endpoint].last[pgas_half_of(c, p.at)] = sequence;
        c->packed = 1;
        pgas_widen(c, r.endpoint, place, place + bytes);
        pgas_expect_put(c, r.endpoint, world, bytes);
    }
    return true;
}
