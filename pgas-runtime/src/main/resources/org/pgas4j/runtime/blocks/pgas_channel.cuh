// ---- channels: rings of slots with one sender and one receiver each. Messages are taken in order, with payloads of up
// to 8 bytes.

PGAS_FN char *pgas_slot(char *record, pgas_u32 channel, pgas_u32 sequence) {
    pgas_u32 slot = channel * PGAS_SLOTS + (sequence & (PGAS_SLOTS - 1));
    return record + PGAS_CHANNEL_SLOTS + (pgas_u64) slot * PGAS_SLOT_BYTES;
}

// Reports to a sender how far its channel has been taken.
PGAS_SLOW void pgas_report(pgas_context *c, pgas_u32 channel, pgas_u32 sequence) {
    PGAS_IN_SHARED(c);
    char *to = ((char *volatile *) c->to_credits)[channel];
    if (to == 0) {
        pgas_u64 source = pgas_ld(c->record + PGAS_SOURCES + channel * 8);
        pgas_u32 block = (pgas_u32) (source >> 8) - 1;
        pgas_u32 host = pgas_host_of(c, block);
        char *record = pgas_record(c, pgas_segment(c, host), pgas_local_of(c, block, host));
        to = record + PGAS_CREDITS + (source & 0xff) * 8;
        c->to_credits[channel] = to;
    }
    pgas_st(to, sequence);
}

// True if the sender is to hear that a message has been taken.
PGAS_FN bool pgas_reports(pgas_u32 sequence, pgas_u32 header) {
    return (header & PGAS_CREDIT) || (sequence & (PGAS_SLOTS / 2 - 1)) == 0;
}

// Words of a slot.
struct pgas_slot_words {
    pgas_u64 w0, w1, w2, w3;
};

// Place of a payload by the first and the last word of its message: 48 bits with a sign, as private memory may lie before the
// segment.
PGAS_FN pgas_u64 pgas_payload_place(pgas_u64 w0, pgas_u64 w3) {
    return (pgas_u64) (long long) ((int) (pgas_u32) w0 >> 16) << 32 | (pgas_u32) w3;
}

PGAS_FN char *pgas_payload_to(char *segment, const pgas_slot_words &w) {
    return segment + pgas_payload_place(w.w0, w.w3);
}

// Stores the packets of a message of a channel as thread i of n.
PGAS_FN void pgas_unpack_message(pgas_context *c, pgas_u32 channel, const pgas_slot_words &w, pgas_u32 i, pgas_u32 n) {
    pgas_unpack(c, pgas_ring(c, c->rings, channel), (pgas_u32) w.w1, pgas_payload_to(c->segment, w), (pgas_u32) w.w2, i, n);
}

// As before as a warp, which notes where the packets of the channel's next message come.
PGAS_FN void pgas_unpack_warp(pgas_context *c, pgas_u32 channel, const pgas_slot_words &w) {
    pgas_unpack_message(c, channel, w, threadIdx.x & 31, 32);
    c->last_bytes = (pgas_u32) w.w2;
    c->last_packet = (pgas_u32) w.w1 + pgas_packets_for((pgas_u32) w.w2);
    c->last_channel = channel;
    __syncwarp();
}

// Stores the payload of a message, if it has one; the words are those of its slot.
PGAS_SLOW void pgas_apply(pgas_context *c, pgas_u32 channel, pgas_u64 w0, pgas_u64 w1, pgas_u64 w2, pgas_u64 w3) {
    PGAS_IN_SHARED(c);
    pgas_u32 header = (pgas_u32) w0;
    pgas_u32 bytes = header >> 8 & 15;
    pgas_slot_words w = {w0, w1, w2, w3};
    if (PGAS_WITH_PACKETS && (header & PGAS_PACKETS) == PGAS_PACKETS) {
        pgas_unpack_message(c, channel, w, 0, 1);
    } else if (bytes != 0) {
        pgas_write_payload(pgas_payload_to(c->segment, w), (pgas_u64) (pgas_u32) w2 << 32 | (pgas_u32) w1, bytes);
    }
}

// Number of the last message taken. Threads of the warp take messages of different channels: none reads what another
// writes.
PGAS_FN pgas_u32 pgas_head(pgas_context *c, pgas_u32 channel) {
    volatile pgas_hot *hot = &c->hot;
    return channel == hot->channel ? hot->next - 1 : c->heads[channel];
}

// Goes on behind a message that has been taken.
PGAS_FN void pgas_advance(pgas_context *c, pgas_u32 channel, pgas_u32 sequence, bool reports) {
    char *at = pgas_slot(c->record, channel, sequence + 1);
    if (channel == ((volatile pgas_hot *) &c->hot)->channel) {
        c->hot.at = at;
        c->hot.next = sequence + 1;
    } else {
        c->heads[channel] = sequence;
        c->places[channel] = at;
    }
    if (reports) {
        pgas_report(c, channel, sequence);
    }
}

// Sees what was written before a message that has come with PGAS_ACQUIRE, for all threads of the block. A fence and no load that
// acquires: behind such a load alone, other threads were seen to read what the first-level cache had before.
PGAS_FN void pgas_acquire_taken(pgas_u32 header) {
    if (header & PGAS_FAR) {
        pgas_fence_system();
    } else {
        pgas_fence_device();
    }
}

#define PGAS_TAKE_EMPTY 0  // there is no message
#define PGAS_TAKE_DONE 1
#define PGAS_TAKE_PACKETS 2  // there is one with packets, which the whole warp is to unpack

// Takes one message of a channel if it is there; light: unless it has packets.
PGAS_SLOW int pgas_take(pgas_context *c, pgas_u32 channel, bool light) {
    PGAS_IN_SHARED(c);
    pgas_u32 expected = pgas_head(c, channel) + 1;
    char *slot = pgas_slot(c->record, channel, expected);
    pgas_u64 w0, w1, w2, w3;
    pgas_ld2(slot, w0, w1);
    pgas_ld2(slot + PGAS_SLOT_BYTES / 2, w2, w3);
    pgas_u32 header = (pgas_u32) w0;
    if ((pgas_u32) (w0 >> 32) != expected || (header >> 8 & 15) != 0 && ((pgas_u32) (w1 >> 32) != expected
            || (pgas_u32) (w2 >> 32) != expected || (pgas_u32) (w3 >> 32) != expected)) {
        return PGAS_TAKE_EMPTY;
    }
    bool reports = pgas_reports(expected, header);
    if (PGAS_WITH_PACKETS && light && (header & PGAS_PACKETS) == PGAS_PACKETS) {
        return PGAS_TAKE_PACKETS;
    }
    if (header & PGAS_ACQUIRE) {
        pgas_acquire_taken(header);
    }
    pgas_apply(c, channel, w0, w1, w2, w3);
    if (!(header & PGAS_SILENT)) {
        atomicAdd(&c->own[header & 0xff], 1u);
    }
    pgas_advance(c, channel, expected, reports);
    return PGAS_TAKE_DONE;
}

// Takes the messages that fit a channel and no more: a sender may be faster than this. Returns as the last pgas_take.
PGAS_FN int pgas_take_channel(pgas_context *c, pgas_u32 channel, bool light) {
    int taken = PGAS_TAKE_DONE;
    for (int k = 0; k < PGAS_SLOTS && taken == PGAS_TAKE_DONE; k++) {
        taken = pgas_take(c, channel, light);
    }
    return taken;
}
