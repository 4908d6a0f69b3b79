// ---- channels: rings of slots with one sender and one receiver each. Messages are taken in order, with payloads of up
// to 8 bytes.

PGAS_FN char *pgas_slot(char *record, pgas_u32 channel, pgas_u32 sequence) {
    pgas_u32 slot = channel * PGAS_SLOTS + (sequence & (PGAS_SLOTS - 1));
    return record + PGAS_CHANNEL_SLOTS + (pgas_u64) slot * PGAS_SLOT_BYTES;
}

PGAS_FN void pgas_write_payload(char *at, pgas_u64 value, pgas_u32 bytes) {
    pgas_u64 address = (pgas_u64) at;
    if (bytes == 8 && (address & 7) == 0) {
        *(pgas_u64 *) at = value;
    } else if (bytes == 4 && (address & 3) == 0) {
        *(pgas_u32 *) at = (pgas_u32) value;
    } else {
        for (pgas_u32 i = 0; i < bytes; i++) {
            at[i] = (char) (value >> (8 * i));
        }
    }
}

PGAS_SLOW pgas_u64 pgas_read_bytes(const char *at, pgas_u32 bytes) {
    pgas_u64 value = 0;
    for (pgas_u32 i = 0; i < bytes; i++) {
        value |= (pgas_u64) (unsigned char) at[i] << (8 * i);
    }
    return value;
}

PGAS_FN pgas_u64 pgas_read_payload(const char *at, pgas_u32 bytes) {
    if (bytes == 4 && ((pgas_u64) at & 3) == 0) {
        return *(const pgas_u32 *) at;
    }
    if (bytes == 8 && ((pgas_u64) at & 7) == 0) {
        return *(const pgas_u64 *) at;
    }
    return pgas_read_bytes(at, bytes);
}

// Reports to a sender how far its channel has been taken.
PGAS_SLOW void pgas_report(pgas_context *c, pgas_u32 channel, pgas_u32 sequence) {
    pgas_u64 source = pgas_ld(c->record + PGAS_SOURCES + channel * 8);
    pgas_u32 block = (pgas_u32) (source >> 8) - 1;
    pgas_u32 host = pgas_host_of(c, block);
    char *record = pgas_record(c, pgas_segment(c, host), pgas_local_of(c, block, host));
    pgas_st(record + PGAS_CREDITS + (source & 0xff) * 8, sequence);
}

// Stores the payload of a message, if it has one; the words are those of its slot.
PGAS_SLOW void pgas_apply(pgas_context *c, pgas_u64 w0, pgas_u64 w1, pgas_u64 w2, pgas_u64 w3) {
    pgas_u32 header = (pgas_u32) w0;
    pgas_u32 bytes = header >> 8 & 15;
    if (bytes != 0) {
        pgas_u64 offset = (pgas_u64) (header >> 16) << 32 | (pgas_u32) w3;
        pgas_write_payload(c->segment + offset, (pgas_u64) (pgas_u32) w2 << 32 | (pgas_u32) w1, bytes);
    }
}

// Number of the last message taken. Threads of the warp take messages of different channels: none reads what another
// writes.
PGAS_FN pgas_u32 pgas_head(pgas_context *c, pgas_u32 channel) {
    volatile pgas_hot *hot = &c->hot;
    return channel == hot->channel ? hot->next - 1 : c->heads[channel];
}

// Goes on behind a message that has been taken.
PGAS_FN void pgas_advance(pgas_context *c, pgas_u32 channel, pgas_u32 sequence, pgas_u32 header) {
    char *at = pgas_slot(c->record, channel, sequence + 1);
    if (channel == ((volatile pgas_hot *) &c->hot)->channel) {
        c->hot.at = at;
        c->hot.next = sequence + 1;
    } else {
        c->heads[channel] = sequence;
        c->places[channel] = at;
    }
    if ((header & PGAS_CREDIT) || (sequence & (PGAS_SLOTS / 2 - 1)) == 0) {
        pgas_report(c, channel, sequence);
    }
}

// Takes one message of a channel if it is there.
PGAS_SLOW bool pgas_take(pgas_context *c, pgas_u32 channel) {
    pgas_u32 expected = pgas_head(c, channel) + 1;
    char *slot = pgas_slot(c->record, channel, expected);
    pgas_u64 w0, w1, w2, w3;
    pgas_ld2(slot, w0, w1);
    pgas_ld2(slot + PGAS_SLOT_BYTES / 2, w2, w3);
    pgas_u32 header = (pgas_u32) w0;
    if ((pgas_u32) (w0 >> 32) != expected || (header >> 8 & 15) != 0 && ((pgas_u32) (w1 >> 32) != expected
            || (pgas_u32) (w2 >> 32) != expected || (pgas_u32) (w3 >> 32) != expected)) {
        return false;
    }
    if (header & PGAS_ACQUIRE) {
        pgas_ld_acquire(slot);
    }
    pgas_apply(c, w0, w1, w2, w3);
    if (!(header & PGAS_SILENT)) {
        atomicAdd(&c->own[header & 0xff], 1u);
    }
    pgas_advance(c, channel, expected, header);
    return true;
}

// Takes the messages that fit a channel and no more: a sender may be faster than this.
PGAS_FN void pgas_take_channel(pgas_context *c, pgas_u32 channel) {
    for (int k = 0; k < PGAS_SLOTS && pgas_take(c, channel); k++) {
    }
}
