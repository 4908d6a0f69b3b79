// ---- taking messages with packets by a warp

// Unpacks the packets of the messages that lanes have hit.
PGAS_SLOW void pgas_take_payloads(pgas_context *c, pgas_slot_words mine, pgas_u32 hits) {
    PGAS_IN_SHARED(c);
    for (pgas_u32 channel = 0; channel < PGAS_RINGS; channel++) {
        if (hits >> channel & 1) {
            pgas_slot_words w;
            w.w0 = __shfl_sync(0xffffffffu, mine.w0, (int) channel);
            w.w1 = __shfl_sync(0xffffffffu, mine.w1, (int) channel);
            w.w2 = __shfl_sync(0xffffffffu, mine.w2, (int) channel);
            w.w3 = __shfl_sync(0xffffffffu, mine.w3, (int) channel);
            pgas_unpack_warp(c, channel, w);
        }
    }
}

// Takes the next message of a channel, which has packets.
PGAS_SLOW void pgas_take_with_packets(pgas_context *c, pgas_u32 channel) {
    PGAS_IN_SHARED(c);
    pgas_u32 expected = pgas_head(c, channel) + 1;
    char *slot = pgas_slot(c->record, channel, expected);
    pgas_slot_words w;
    pgas_ld2(slot, w.w0, w.w1);
    pgas_ld2(slot + PGAS_SLOT_BYTES / 2, w.w2, w.w3);
    __syncwarp();  // before the first thread changes any of it
    if ((pgas_u32) w.w0 & PGAS_ACQUIRE) {
        pgas_acquire_taken((pgas_u32) w.w0);
    }
    pgas_unpack_warp(c, channel, w);
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(&c->own[w.w0 & 0xff], 1u);
        pgas_advance(c, channel, expected, pgas_reports(expected, (pgas_u32) w.w0));
    }
    __syncwarp();
}

// As pgas_drain_warp, where messages may have packets.
PGAS_SLOW void pgas_drain_packets(pgas_context *c, pgas_u32 open) {
    PGAS_IN_SHARED(c);
    pgas_u32 found = 1;
    for (int k = 0; k < 2 * PGAS_SLOTS && found != 0; k++) {
        bool mine = threadIdx.x < PGAS_CHANNELS && threadIdx.x < open
                && pgas_take_channel(c, threadIdx.x, true) == PGAS_TAKE_PACKETS;
        found = __ballot_sync(0xffffffffu, mine);
        for (pgas_u32 channel = 0; channel < PGAS_RINGS && found != 0; channel++) {
            if (found >> channel & 1) {
                pgas_take_with_packets(c, channel);
            }
        }
    }
}

// True if a channel has a message; the first warp. One look, where the number of channels in use would be another before it: those
// that are not in use have none.
PGAS_FN bool pgas_has_messages(pgas_context *c) {
    pgas_u32 channel = threadIdx.x & (PGAS_CHANNELS - 1), expected = pgas_head(c, channel) + 1;
    return __any_sync(0xffffffffu, (pgas_u32) (pgas_ld(pgas_slot(c->record, channel, expected)) >> 32) == expected);
}

// Takes all messages that have come, but for the mailbox; the first warp.
PGAS_FN void pgas_drain_warp(pgas_context *c) {
    if (!pgas_has_messages(c)) {
        return;
    }
    pgas_u32 open = (pgas_u32) pgas_ld(c->record + PGAS_CLAIMS);
    if (PGAS_WITH_PACKETS) {
        pgas_drain_packets(c, open);
    } else if (threadIdx.x < PGAS_CHANNELS && threadIdx.x < open) {
        pgas_take_channel(c, threadIdx.x, false);
    }
    __syncwarp();
}
