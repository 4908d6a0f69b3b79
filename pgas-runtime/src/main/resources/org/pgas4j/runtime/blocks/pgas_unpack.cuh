// ---- taking messages with packets. Those of more than a warp reads at once wait, as pending, for all threads of the block.

#define PGAS_WARP_PAYLOAD (32 * PGAS_PACKET_PAYLOAD)

// Unpacks what is pending of a channel; a warp.
PGAS_SLOW void pgas_unpack_pending(pgas_context *c, pgas_u32 channel) {
    pgas_packets p = c->arrived[channel];
    pgas_unpack(c, channel, threadIdx.x & 31, 32);
    __syncwarp();
    if ((threadIdx.x & 31) == 0) {
        if (p.reports) {
            pgas_report(c, channel, p.sequence);
        }
        c->pending &= ~(1u << channel);
    }
    __syncwarp();
}

// Unpacks the packets of a message, or lets them wait; a warp. True if they wait, and the report with them.
PGAS_FN bool pgas_unpack_message(pgas_context *c, pgas_u32 channel, const pgas_packets &p, bool defers) {
    bool waits = defers && p.bytes > PGAS_WARP_PAYLOAD;
    if ((threadIdx.x & 31) == 0) {
        c->arrived[channel] = p;
        c->pending |= waits << channel;
    }
    __syncwarp();
    if (!waits) {
        pgas_unpack(c, channel, threadIdx.x & 31, 32);
    }
    __syncwarp();
    return waits;
}

// Prepares taking the messages that lanes have hit: unpacks what is pending of a channel before what comes behind it, and
// the packets of messages.
PGAS_SLOW void pgas_take_payloads(pgas_context *c, pgas_slot_words mine, pgas_u32 hits) {
    for (pgas_u32 channel = 0; channel < PGAS_CHANNELS; channel++) {
        if (!(hits >> channel & 1)) {
            continue;
        }
        if (c->pending >> channel & 1) {
            pgas_unpack_pending(c, channel);
        }
        pgas_slot_words w;
        w.w0 = __shfl_sync(0xffffffffu, mine.w0, (int) channel);
        w.w1 = __shfl_sync(0xffffffffu, mine.w1, (int) channel);
        w.w2 = __shfl_sync(0xffffffffu, mine.w2, (int) channel);
        w.w3 = __shfl_sync(0xffffffffu, mine.w3, (int) channel);
        if (((pgas_u32) w.w0 & PGAS_PACKETS) == PGAS_PACKETS) {
            pgas_unpack_message(c, channel, pgas_packets_of(c, channel, w), true);
        }
    }
}

// Takes the next message of a channel as a warp if it has packets, after what is pending of the channel.
PGAS_SLOW void pgas_take_heavy(pgas_context *c, pgas_u32 channel, bool defers) {
    if (c->pending >> channel & 1) {
        pgas_unpack_pending(c, channel);
    }
    pgas_u32 expected = pgas_head(c, channel) + 1;
    char *slot = pgas_slot(c->record, channel, expected);
    pgas_slot_words w;
    pgas_ld2(slot, w.w0, w.w1);
    pgas_ld2(slot + PGAS_SLOT_BYTES / 2, w.w2, w.w3);
    __syncwarp();  // before the first thread changes any of it
    if (((pgas_u32) w.w0 & PGAS_PACKETS) != PGAS_PACKETS) {
        return;
    }
    if ((pgas_u32) w.w0 & PGAS_ACQUIRE) {
        pgas_ld_acquire(slot);
    }
    pgas_packets p = pgas_packets_of(c, channel, w);
    bool waits = pgas_unpack_message(c, channel, p, defers);
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(&c->own[w.w0 & 0xff], 1u);
        pgas_advance(c, channel, expected, p.reports && !waits);
    }
    __syncwarp();
}

// Unpacks what is pending; all threads of the block, behind a barrier, and with one at the end if something was.
PGAS_SLOW void pgas_unpack_all(pgas_context *c) {
    pgas_u32 pending = c->pending;
    for (pgas_u32 channel = 0; channel < PGAS_RINGS; channel++) {
        if (pending >> channel & 1) {
            pgas_unpack(c, channel, threadIdx.x, pgas_block_threads());
        }
    }
    pgas_block_sync();
    if (threadIdx.x == 0) {
        for (pgas_u32 channel = 0; channel < PGAS_RINGS; channel++) {
            if ((pending >> channel & 1) && c->arrived[channel].reports) {
                pgas_report(c, channel, c->arrived[channel].sequence);
            }
        }
        c->pending = 0;
    }
}

// As pgas_drain_warp, where messages may have packets.
PGAS_SLOW void pgas_drain_packets(pgas_context *c, pgas_u32 open, bool defers) {
    pgas_u32 heavy = 1;
    for (int k = 0; k < 2 * PGAS_SLOTS && heavy != 0; k++) {
        bool mine = threadIdx.x < PGAS_CHANNELS && threadIdx.x < open
                && pgas_take_channel(c, threadIdx.x, true) == PGAS_TAKE_HEAVY;
        heavy = __ballot_sync(0xffffffffu, mine);
        for (pgas_u32 channel = 0; channel < PGAS_RINGS && heavy != 0; channel++) {
            if (heavy >> channel & 1) {
                pgas_take_heavy(c, channel, defers);
            }
        }
    }
}

// Takes all messages that have come, but for the mailbox; the first warp. defers: all threads unpack what is pending when it
// returns.
PGAS_FN void pgas_drain_warp(pgas_context *c, bool defers) {
    pgas_u32 open = (pgas_u32) pgas_ld(c->record + PGAS_CLAIMS);
    if (PGAS_WITH_PACKETS) {
        pgas_drain_packets(c, open, defers);
    } else if (threadIdx.x < PGAS_CHANNELS && threadIdx.x < open) {
        pgas_take_channel(c, threadIdx.x, false);
    }
    __syncwarp();
}

// True if messages that were taken are still to be unpacked, by all threads.
PGAS_FN bool pgas_is_pending(pgas_context *c) {
    return PGAS_WITH_PACKETS && *(volatile pgas_u32 *) &c->pending != 0;
}
