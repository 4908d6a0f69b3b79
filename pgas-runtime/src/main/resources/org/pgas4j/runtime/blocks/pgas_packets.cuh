// ---- packets: payloads of messages in a ring beside the channel. A packet has two words, each with 4 bytes of payload and
// the ring's lap, so that it is complete when both have the lap: no fence, and no order of the stores. This is the protocol
// LL of NCCL (Hu et al., Demystifying NCCL, 2025), with a header in the channel. Packets are numbered from 1 lap on, modulo 2^32;
// those of a message lie in a row, over the end of the ring if need be. A half of the ring is used again when all messages of
// its last lap have been taken.

#define PGAS_PACKET_BYTES 16
#define PGAS_PACKET_PAYLOAD 8
#define PGAS_WARP_PAYLOAD 256 // bytes of a message that one warp sends and unpacks
#define PGAS_AT_ONCE 4        // packets that a thread reads at once

// Ring of a channel; rings: those of its block.
PGAS_FN char *pgas_ring(pgas_context *c, char *rings, pgas_u32 channel) {
    return rings + ((pgas_u64) (PGAS_PACKET_BYTES * channel) << c->ring_shift);
}

// Rings of a block of the host rank whose segment this is.
PGAS_FN char *pgas_rings(pgas_context *c, char *segment, pgas_u32 block) {
    return pgas_ring(c, segment + c->world->area + c->world->rings_at, block * c->world->rings);
}

PGAS_FN char *pgas_packet(pgas_context *c, const char *ring, pgas_u32 at) {
    return (char *) ring + (at & ((1u << c->ring_shift) - 1)) * PGAS_PACKET_BYTES;
}

PGAS_FN pgas_u32 pgas_lap(pgas_context *c, pgas_u32 at) {
    return at >> c->ring_shift;
}

// Packets of a half.
PGAS_FN pgas_u32 pgas_half(pgas_context *c) {
    return 1u << (c->ring_shift - 1);
}

// Number of the half in which a packet is.
PGAS_FN pgas_u32 pgas_half_of(pgas_context *c, pgas_u32 at) {
    return at >> (c->ring_shift - 1) & 1;
}

// True if one of these packets is the first of its half.
PGAS_FN bool pgas_enters_half(pgas_context *c, pgas_u32 at, pgas_u32 count) {
    return ((at - 1) ^ (at + count - 1)) >> (c->ring_shift - 1) != 0;
}

PGAS_FN pgas_u32 pgas_packets_for(pgas_u32 bytes) {
    return (bytes + PGAS_PACKET_PAYLOAD - 1) / PGAS_PACKET_PAYLOAD;
}

// Longest payload that n threads send as packets, one each; copies are faster where each thread has several.
PGAS_FN pgas_u32 pgas_packet_bytes(pgas_context *c, pgas_u32 n) {
    pgas_u32 most = n * PGAS_PACKET_PAYLOAD < PGAS_WARP_PAYLOAD ? PGAS_WARP_PAYLOAD : n * PGAS_PACKET_PAYLOAD;
    return most < c->packet_bytes ? most : c->packet_bytes;
}

// Packets of a message: number of the first, and the bytes of the payload.
PGAS_FN pgas_u64 pgas_packets_word(pgas_u32 at, pgas_u32 bytes) {
    return (pgas_u64) bytes << 32 | at;
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

// Stores packet k of those that begin at a place.
PGAS_FN void pgas_store_packet(pgas_context *c, char *ring, pgas_u32 at, pgas_u32 k, pgas_u64 payload) {
    pgas_u64 flag = (pgas_u64) pgas_lap(c, at + k) << 32;
    pgas_st2(pgas_packet(c, ring, at + k), flag | (pgas_u32) payload, flag | payload >> 32);
}

// Stores packets first, first + n, ... of a message.
PGAS_FN void pgas_store_packets(pgas_context *c, char *ring, pgas_u32 at, const char *src, pgas_u32 bytes, pgas_u32 first,
                                pgas_u32 n) {
    for (pgas_u32 k = first; k < pgas_packets_for(bytes); k += n) {
        pgas_store_packet(c, ring, at, k, pgas_read_packet(src, bytes, k));
    }
}

// Stores packets first, first + n, ... of a message in their place. They may still be in flight.
PGAS_SLOW void pgas_unpack(pgas_context *c, const char *ring, pgas_u32 at, char *to, pgas_u32 bytes, pgas_u32 first, pgas_u32 n) {
    PGAS_IN_SHARED(c);
    pgas_u32 count = pgas_packets_for(bytes);
    pgas_deadline d = {0, 0};
    for (pgas_u32 k = first; k < count;) {
        pgas_u64 w0[PGAS_AT_ONCE], w1[PGAS_AT_ONCE];
#pragma unroll
        for (pgas_u32 j = 0; j < PGAS_AT_ONCE; j++) {
            pgas_ld2(pgas_packet(c, ring, at + (k + j * n < count ? k + j * n : k)), w0[j], w1[j]);
        }
        bool here = true;
#pragma unroll
        for (pgas_u32 j = 0; j < PGAS_AT_ONCE; j++) {
            here &= pgas_is_complete(w0[j], w1[j], pgas_lap(c, at + (k + j * n < count ? k + j * n : k)));
        }
        if (here) {
#pragma unroll
            for (pgas_u32 j = 0; j < PGAS_AT_ONCE; j++) {
                if (k + j * n < count) {
                    pgas_write_packet(to, bytes, k + j * n, w0[j], w1[j]);
                }
            }
            k += PGAS_AT_ONCE * n;
            continue;
        }
        int late = pgas_late(c, d);
        if (late == 1) {
            pgas_fail(c, PGAS_LATE_PACKETS, -1, pgas_lap(c, at + k), w0[0] >> 32);
        }
        if (late != 0) {
            c->dead = 1;
            return;
        }
    }
}
