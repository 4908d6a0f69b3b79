// ---- packets: payloads of messages in a ring beside the channel. A packet has two words, each with 4 bytes of payload and
// the ring's lap, so that it is complete when both have the lap: no fence, and no order of the stores. This is the protocol
// LL of NCCL (Hu et al., Demystifying NCCL, 2025), with a header in the channel. A message's packets lie in one half of the
// ring, in a row; a half is used again when all messages of its last lap have been taken.

#define PGAS_PACKET_BYTES 16
#define PGAS_PACKET_PAYLOAD 8

// Ring of a channel; rings: those of its block.
PGAS_FN char *pgas_ring(pgas_context *c, char *rings, pgas_u32 channel) {
    return rings + ((pgas_u64) (PGAS_PACKET_BYTES * channel) << c->ring_shift);
}

// Rings of a block of the host rank whose segment this is.
PGAS_FN char *pgas_rings(pgas_context *c, char *segment, pgas_u32 block) {
    return pgas_ring(c, segment + c->world->area + c->world->rings_at, block * c->world->rings);
}

PGAS_FN char *pgas_packet(pgas_context *c, char *ring, pgas_u64 at) {
    return ring + (at & ((1ull << c->ring_shift) - 1)) * PGAS_PACKET_BYTES;
}

PGAS_FN pgas_u32 pgas_lap(pgas_context *c, pgas_u64 at) {
    return (pgas_u32) (at >> c->ring_shift);
}

// Packets of a half.
PGAS_FN pgas_u32 pgas_half(pgas_context *c) {
    return 1u << (c->ring_shift - 1);
}

// Number of the half in which a packet is.
PGAS_FN pgas_u32 pgas_half_of(pgas_context *c, pgas_u64 at) {
    return (pgas_u32) (at >> (c->ring_shift - 1)) & 1;
}

// True if a packet is the first of its half.
PGAS_FN bool pgas_starts_half(pgas_context *c, pgas_u64 at) {
    return ((pgas_u32) at & (pgas_half(c) - 1)) == 0;
}

// First of `count` packets that come at `next` or, where they do not fit the half, in the other half.
PGAS_FN pgas_u64 pgas_fitting(pgas_context *c, pgas_u64 next, pgas_u32 count) {
    pgas_u32 half = pgas_half(c);
    return ((pgas_u32) next & (half - 1)) + count > half ? (next | (half - 1)) + 1 : next;
}

PGAS_FN pgas_u32 pgas_packets_for(pgas_u32 bytes) {
    return (bytes + PGAS_PACKET_PAYLOAD - 1) / PGAS_PACKET_PAYLOAD;
}

// What a message says about its packets: their place, and the bytes of the payload.
PGAS_FN pgas_u64 pgas_packets_word(pgas_u64 at, pgas_u32 bytes) {
    return ((at >> 32) << 16 | bytes) << 32 | (pgas_u32) at;
}

PGAS_FN bool pgas_is_complete(pgas_u64 w0, pgas_u64 w1, pgas_u32 lap) {
    return (((pgas_u32) (w0 >> 32) ^ lap) | ((pgas_u32) (w1 >> 32) ^ lap)) == 0;
}

// Payload k of a message of so many bytes.
PGAS_FN pgas_u64 pgas_read_packet(const char *src, pgas_u32 bytes, pgas_u32 k) {
    const char *at = src + PGAS_PACKET_PAYLOAD * k;
    pgas_u32 rest = bytes - PGAS_PACKET_PAYLOAD * k;
    if (rest >= PGAS_PACKET_PAYLOAD && ((pgas_u64) at & 7) == 0) {
        return *(const pgas_u64 *) at;
    }
    if (rest >= PGAS_PACKET_PAYLOAD && ((pgas_u64) at & 3) == 0) {
        return ((const pgas_u32 *) at)[0] | (pgas_u64) ((const pgas_u32 *) at)[1] << 32;
    }
    return pgas_read_bytes(at, rest < PGAS_PACKET_PAYLOAD ? rest : PGAS_PACKET_PAYLOAD);
}

PGAS_FN void pgas_write_bytes(char *at, pgas_u64 value, pgas_u32 bytes) {
    for (pgas_u32 i = 0; i < bytes; i++) {
        at[i] = (char) (value >> (8 * i));
    }
}

PGAS_FN void pgas_write_packet(char *dst, pgas_u32 bytes, pgas_u32 k, pgas_u64 w0, pgas_u64 w1) {
    char *at = dst + PGAS_PACKET_PAYLOAD * k;
    pgas_u32 rest = bytes - PGAS_PACKET_PAYLOAD * k;
    if (rest >= PGAS_PACKET_PAYLOAD && ((pgas_u64) at & 7) == 0) {
        *(pgas_u64 *) at = w1 << 32 | (pgas_u32) w0;
    } else if (rest >= PGAS_PACKET_PAYLOAD && ((pgas_u64) at & 3) == 0) {
        ((pgas_u32 *) at)[0] = (pgas_u32) w0;
        ((pgas_u32 *) at)[1] = (pgas_u32) w1;
    } else {
        pgas_write_bytes(at, w1 << 32 | (pgas_u32) w0, rest < PGAS_PACKET_PAYLOAD ? rest : PGAS_PACKET_PAYLOAD);
    }
}

// Stores packets of a message as thread i of n.
PGAS_FN void pgas_store_packets(char *to, pgas_u32 lap, const char *src, pgas_u32 bytes, pgas_u32 i, pgas_u32 n) {
    pgas_u64 flag = (pgas_u64) lap << 32;
    for (pgas_u32 k = i; k < pgas_packets_for(bytes); k += n) {
        pgas_u64 payload = pgas_read_packet(src, bytes, k);
        pgas_st2(to + k * PGAS_PACKET_BYTES, flag | (pgas_u32) payload, flag | payload >> 32);
    }
}

// Stores the payload of the message that has arrived on a channel, as thread i of n. Packets may still be in flight.
PGAS_SLOW void pgas_unpack(pgas_context *c, pgas_u32 channel, pgas_u32 i, pgas_u32 n) {
    const pgas_packets *p = &c->arrived[channel];
    pgas_deadline d = {0, 0};
    for (pgas_u32 k = i; k < pgas_packets_for(p->bytes);) {
        pgas_u64 w0, w1;
        pgas_ld2(p->from + k * PGAS_PACKET_BYTES, w0, w1);
        if (pgas_is_complete(w0, w1, p->lap)) {
            pgas_write_packet(p->to, p->bytes, k, w0, w1);
            k += n;
            continue;
        }
        int late = pgas_late(c, d);
        if (late == 1) {
            pgas_fail(c, PGAS_LATE_PACKETS, -1, p->lap, w0 >> 32);
        }
        if (late != 0) {
            c->dead = 1;
            return;
        }
    }
}

// Unpacks a message of a channel as a warp.
PGAS_FN void pgas_unpack_warp(pgas_context *c, pgas_u32 channel, const pgas_packets &p) {
    if ((threadIdx.x & 31) == 0) {
        c->arrived[channel] = p;
    }
    __syncwarp();
    pgas_unpack(c, channel, threadIdx.x & 31, 32);
    __syncwarp();
}
