// ---- endpoints: the sending ends of channels, found by their target in a hash table

// Fills in the fields that follow from an endpoint's target and channel.
PGAS_SLOW void pgas_fill_endpoint(pgas_context *c, int endpoint, pgas_u32 target) {
    PGAS_IN_SHARED(c);
    pgas_u32 host = pgas_host_of(c, target);
    char *segment = pgas_segment(c, host);
    char *record = segment == 0 ? 0 : pgas_record(c, segment, pgas_local_of(c, target, host));
    c->to_segment[endpoint] = segment;
    c->to_record[endpoint] = record;
    c->to_slots[endpoint] = pgas_slot(record, c->sends[endpoint].channel & (PGAS_CHANNELS - 1), 0);
    pgas_u32 channel = c->sends[endpoint].channel & ~PGAS_NEAR;
    c->to_rings[endpoint] = record == 0 || channel >= c->world->rings ? 0
            : pgas_ring(c, pgas_rings(c, segment, pgas_local_of(c, target, host)), channel);
    c->pack_users[endpoint] = 0;
    c->plain[endpoint] = 1;
    c->credits[endpoint] = (pgas_u32) pgas_ld(c->record + PGAS_CREDITS + endpoint * 8);
}

// Makes an endpoint in a free entry, of which there is one; the thread that has the block's lock. Returns its index.
PGAS_SLOW int pgas_make_endpoint(pgas_context *c, pgas_u32 target) {
    PGAS_IN_SHARED(c);
    pgas_u32 i = target % PGAS_TARGETS;
    for (pgas_u32 k = 0; k < PGAS_TARGETS && c->sends[i].target != 0; k++) {
        i = (i + 1) % PGAS_TARGETS;
    }
    pgas_u32 host = pgas_host_of(c, target);
    char *segment = pgas_segment(c, host);
    pgas_u32 number = PGAS_BY_HOST;
    if (segment != 0) {
        char *record = pgas_record(c, segment, pgas_local_of(c, target, host));
        pgas_u64 channel = pgas_add(record + PGAS_CLAIMS, 1);
        if (channel < PGAS_CHANNELS) {
            pgas_st(record + PGAS_SOURCES + channel * 8, (pgas_u64) (c->first_block + blockIdx.x + 1) << 8 | i);
            pgas_fence_system();
        }
        number = channel >= PGAS_CHANNELS ? PGAS_NO_CHANNEL
                : (pgas_u32) channel | (host == c->host_rank ? PGAS_NEAR : 0);
    }
    c->sends[i].channel = number;
    c->sends[i].tail = (pgas_u32) c->first_count;
    c->sends[i].limit = (pgas_u32) c->first_count;
    c->packs[i].next = 1u << c->ring_shift;  // of lap 1: a ring begins with zeros
    c->packs[i].room = 2u << c->ring_shift;
    c->packs[i].last[0] = (pgas_u32) c->first_count;
    c->packs[i].last[1] = (pgas_u32) c->first_count;
    c->low[i] = ~0ull;
    c->high[i] = 0;
    pgas_fill_endpoint(c, (int) i, target);
    __threadfence_block();  // others find it from here on
    ((volatile pgas_send_state *) c->sends)[i].target = target + 1;
    return (int) i;
}

#define PGAS_NOT_MADE -1     // there is no endpoint yet
#define PGAS_NO_ENDPOINT -2  // and no room for one: the block sends to too many

// Index of the endpoint of a block in sends, or one of the two.
PGAS_SLOW int pgas_search(pgas_context *c, pgas_u32 target) {
    PGAS_IN_SHARED(c);
    pgas_u32 i = target % PGAS_TARGETS;
    for (pgas_u32 k = 0; k < PGAS_TARGETS; k++) {
        pgas_u32 there = ((volatile pgas_send_state *) c->sends)[i].target;
        if (there == target + 1) {
            return (int) i;
        }
        if (there == 0) {
            return PGAS_NOT_MADE;
        }
        i = (i + 1) % PGAS_TARGETS;
    }
    return PGAS_NO_ENDPOINT;
}

PGAS_FN int pgas_find(pgas_context *c, pgas_u32 target) {
    pgas_u32 i = target % PGAS_TARGETS;
    return ((volatile pgas_send_state *) c->sends)[i].target == target + 1 ? (int) i : pgas_search(c, target);
}

// Makes the endpoint of a block unless another thread did: its index, or PGAS_NO_ENDPOINT.
PGAS_SLOW int pgas_open(pgas_context *c, pgas_u32 target) {
    PGAS_IN_SHARED(c);
    pgas_u64 start = 0;
    int endpoint = PGAS_NOT_MADE;
    bool waits = true;
    while (waits) {
        if (atomicCAS(&c->lock, 0u, 1u) == 0u) {
            __threadfence_block();
            endpoint = pgas_search(c, target);
            if (endpoint == PGAS_NOT_MADE) {
                endpoint = pgas_make_endpoint(c, target);
            }
            __threadfence_block();
            atomicExch(&c->lock, 0u);
            waits = false;
        } else {
            pgas_u64 now = pgas_now();
            start = start == 0 ? now : start;
            if (now - start > c->timeout_ns) {
                pgas_fail(c, PGAS_LATE_LOCK, (int) target, 0, 0);
            }
            if (c->dead || pgas_aborted(c)) {
                c->dead = 1;
                endpoint = PGAS_NO_ENDPOINT;
                waits = false;
            }
        }
        waits = pgas_opaque(waits);
    }
    return endpoint;
}

// As pgas_find, made if need be; one thread, or several each for itself.
PGAS_FN int pgas_endpoint(pgas_context *c, pgas_u32 target) {
    int endpoint = pgas_find(c, target);
    return endpoint == PGAS_NOT_MADE ? pgas_open(c, target) : endpoint;
}

// ---- sending by channels

// Reads how far a channel's receiver is.
PGAS_FN void pgas_read_credit(pgas_context *c, int endpoint) {
    pgas_u32 credit = (pgas_u32) pgas_ld(c->record + PGAS_CREDITS + endpoint * 8);
    if ((int) (credit - ((volatile pgas_u32 *) c->credits)[endpoint]) > 0) {
        ((volatile pgas_u32 *) c->credits)[endpoint] = credit;
    }
}

// Reads how far a channel's receiver is, and takes messages that have come meanwhile. Returns the time at which the
// wait began, 0 if it has failed; `start` is 0 at first.
PGAS_SLOW pgas_u64 pgas_look_for_credit(pgas_context *c, int endpoint, pgas_u32 sequence, pgas_u64 start) {
    PGAS_IN_SHARED(c);
    pgas_u32 credit = (pgas_u32) pgas_ld(c->record + PGAS_CREDITS + endpoint * 8);
    pgas_u64 now = pgas_now();
    if (start == 0) {
        start = now;
    }
    if ((int) (credit - ((volatile pgas_u32 *) c->credits)[endpoint]) > 0) {
        ((volatile pgas_u32 *) c->credits)[endpoint] = credit;
        return start;
    }
    pgas_drain_thread(c);
    if (now - start > c->timeout_ns) {
        pgas_fail(c, PGAS_LATE_CREDIT, (int) c->sends[endpoint].target - 1, sequence, credit);
    }
    // The failure of others is read in a part of the rounds: it takes as long as the rest.
    if ((now >> 12 & 15) == 0 && pgas_aborted(c)) {
        c->dead = 1;
    }
    return c->dead ? 0 : start;
}

// True if the channel's receiver is known to have taken all but `most` of the messages up to `sequence`.
PGAS_FN bool pgas_is_taken(pgas_context *c, int endpoint, pgas_u32 sequence, pgas_u32 most) {
    return (int) (sequence - ((volatile pgas_u32 *) c->credits)[endpoint]) <= (int) most;
}

PGAS_FN void pgas_store_message(pgas_context *c, int endpoint, pgas_u32 sequence, pgas_u32 header, pgas_u64 place,
                                pgas_u64 payload) {
    pgas_u64 flag = (pgas_u64) sequence << 32;
    char *slot = c->to_slots[endpoint] + (sequence & (PGAS_SLOTS - 1)) * PGAS_SLOT_BYTES;
    if (header & 0xf00) {
        pgas_st2(slot, flag | header | (pgas_u32) (place >> 32) << 16, flag | (pgas_u32) payload);
        pgas_st2(slot + PGAS_SLOT_BYTES / 2, flag | (pgas_u32) (payload >> 32), flag | (pgas_u32) place);
    } else {
        pgas_st(slot, flag | header);
    }
}

// Stores a message as soon as its slot is free. Several threads may have taken numbers and wait here; each stores
// inside the loop, for the receiver takes messages in their order.
PGAS_SLOW void pgas_store_later(pgas_context *c, int endpoint, pgas_u32 sequence, pgas_u32 header, pgas_u64 place,
                                pgas_u64 payload) {
    PGAS_IN_SHARED(c);
    pgas_u64 start = 0;
    bool waits = true;
    while (waits) {
        if (pgas_is_taken(c, endpoint, sequence, PGAS_SLOTS)) {
            pgas_store_message(c, endpoint, sequence, header, place, payload);
            waits = false;
        } else {
            start = pgas_look_for_credit(c, endpoint, sequence, start);
            waits = start != 0;
        }
        waits = pgas_opaque(waits);
    }
}

// Takes the next number of a channel and stores a message there, at once or later. Returns the number.
PGAS_FN pgas_u32 pgas_message(pgas_context *c, int endpoint, pgas_u32 header, pgas_u64 place, pgas_u64 payload) {
    pgas_u32 sequence = atomicAdd(&c->sends[endpoint].tail, 1u) + 1;
    if (pgas_is_taken(c, endpoint, sequence, PGAS_SLOTS)) {
        pgas_store_message(c, endpoint, sequence, header, place, payload);
    } else {
        pgas_store_later(c, endpoint, sequence, header, place, payload);
    }
    return sequence;
}

// ---- command queue: requests to the host

// op: with tag and length. The queue has a power of two of entries.
PGAS_FN void pgas_store_command(char *queue, pgas_u32 entries, pgas_u64 index, pgas_u32 op, pgas_u32 target,
                                pgas_u64 offset, pgas_u64 value, pgas_u32 bytes) {
    pgas_u64 flag = (index + 1) << 32;
    char *slot = queue + ((pgas_u32) index & (entries - 1)) * PGAS_PAGE_COMMAND_BYTES;
    pgas_st2(slot + PGAS_COMMAND_AT_OP, flag | op, flag | blockIdx.x);
    pgas_st2(slot + PGAS_COMMAND_AT_TARGET, flag | target, flag | (pgas_u32) offset);
    pgas_st2(slot + PGAS_COMMAND_AT_OFFSET_HIGH, flag | (pgas_u32) (offset >> 32), flag | (pgas_u32) value);
    pgas_st2(slot + PGAS_COMMAND_AT_VALUE_HIGH, flag | (pgas_u32) (value >> 32), flag | bytes);
}

// Stores a numbered command as soon as there is room. As with messages each thread stores inside the loop: the host
// takes commands in the order of their numbers.
PGAS_SLOW void pgas_command_later(pgas_context *c, pgas_u64 index, pgas_u32 op, pgas_u32 target, pgas_u64 offset,
                                  pgas_u64 value, pgas_u32 bytes) {
    PGAS_IN_SHARED(c);
    pgas_u64 start = 0;
    bool waits = true;
    while (waits) {
        pgas_drain_thread(c, true);
        pgas_u64 taken = *(volatile pgas_u64 *) &c->queue_taken;
        if ((long long) (index - taken) < (long long) c->world->queue_entries) {
            pgas_store_command((char *) c->world->queue, c->world->queue_entries, index, op, target, offset, value,
                               bytes);
            waits = false;
        } else {
            __nanosleep(2000);
            pgas_u64 now = pgas_now();
            start = start == 0 ? now : start;
            if (now - start > c->timeout_ns) {
                pgas_fail(c, PGAS_LATE_QUEUE, (int) (op >> PGAS_COMMAND_TAG_SHIFT & PGAS_COMMAND_MAX_TAG), index,
                          taken);
            }
            if (c->dead || pgas_aborted(c)) {
                c->dead = 1;
                waits = false;
            }
        }
        waits = pgas_opaque(waits);
    }
}

// Queues a command, in line: a call takes a third of a microsecond.
PGAS_FN void pgas_command_now(pgas_context *c, pgas_u32 op, pgas_u32 tag, pgas_u32 length, pgas_u32 target,
                              pgas_u64 offset, pgas_u64 value, pgas_u32 bytes) {
    pgas_u64 taken = pgas_ld(c->area + PGAS_QUEUE_SEEN);
    char *queue = (char *) c->world->queue;
    pgas_u32 entries = c->world->queue_entries;
    pgas_u64 index = pgas_add(c->area + PGAS_QUEUE_TAIL, 1);
    op |= tag << PGAS_COMMAND_TAG_SHIFT | length << PGAS_COMMAND_LENGTH_SHIFT;
    if ((long long) (index - taken) < (long long) entries) {
        pgas_store_command(queue, entries, index, op, target, offset, value, bytes);
    } else {
        pgas_command_later(c, index, op, target, offset, value, bytes);
    }
}

// As before, where the time of a call does not matter.
PGAS_SLOW void pgas_command(pgas_context *c, pgas_u32 op, pgas_u32 tag, pgas_u32 length, pgas_u32 target,
                            pgas_u64 offset, pgas_u64 value, pgas_u32 bytes) {
    PGAS_IN_SHARED(c);
    pgas_command_now(c, op, tag, length, target, offset, value, bytes);
}
