// ---- places in windows

#define PGAS_WINDOW_BITS (PGAS_DEVICE_WINDOW | (PGAS_WINDOWS - 1))  // of valid numbers

// Entry of a window's table by its number there.
PGAS_FN const pgas_u64 *pgas_numbered_entry(pgas_context *c, int window, pgas_u32 number) {
    int comm = window >> PGAS_DEVICE_WINDOW_BIT & 1;
    pgas_u32 slot = (pgas_u32) (window & (PGAS_DEVICE_WINDOW - 1));
    return c->entries[comm] + PGAS_ENTRY_BYTES / 8 * (slot * (comm ? c->per_rank : c->table_blocks) + number);
}

// Number of a block of all in the tables here; that of a block of no partner is one of this rank's.
PGAS_FN pgas_u32 pgas_entry_number(pgas_context *c, pgas_u32 world) {
    if (c->partners == 0) {
        return world;
    }
    pgas_u32 host = pgas_host_of(c, world), place = pgas_here(c->partners, host);
    return (place == PGAS_NO_PLACE ? 0 : place * c->per_rank) + pgas_local_of(c, world, host);
}

// Entry of a block of the window's communicator.
PGAS_FN const pgas_u64 *pgas_entry(pgas_context *c, int window, int target) {
    pgas_u32 number = (window & PGAS_DEVICE_WINDOW) ? (pgas_u32) target : pgas_entry_number(c, (pgas_u32) target);
    return pgas_numbered_entry(c, window, number);
}

PGAS_FN int pgas_window_world(pgas_context *c, int window, int target) {
    return (window & PGAS_DEVICE_WINDOW) ? (int) c->first_block + target : target;
}

PGAS_FN pgas_u64 pgas_win_bytes(pgas_context *c, int window, int target) {
    bool known = (window & PGAS_DEVICE_WINDOW) != 0 || pgas_is_partner(c, (pgas_u32) target);
    return known ? pgas_entry(c, window, target)[PGAS_ENTRY_SIZE / 8] : 0;
}

// True if a window may have that number, and has that target then, for this block.
PGAS_FN bool pgas_is_member(pgas_context *c, int window, int target) {
    int comm = window >> PGAS_DEVICE_WINDOW_BIT & 1;
    return (pgas_u32) (window & ~PGAS_DEVICE_WINDOW) < c->windows[comm] && (pgas_u32) target < (pgas_u32) pgas_size(c, comm)
            && (comm != 0 || pgas_is_partner(c, (pgas_u32) target));
}

// Place of a put, as offset in the target's segment; PGAS_NOWHERE if it is out of range.
PGAS_FN pgas_u64 pgas_place(pgas_context *c, int window, int target, pgas_u64 offset, pgas_u64 bytes) {
    bool known = pgas_is_member(c, window, target);
    const pgas_u64 *entry = pgas_entry(c, known ? window : 0, known ? target : 0);
    pgas_u64 size = entry[PGAS_ENTRY_SIZE / 8];
    return !known || offset > size || bytes > size - offset ? PGAS_NOWHERE : entry[0] + offset;
}

// Fails for a place out of range; one thread.
PGAS_SLOW void pgas_misplaced(pgas_context *c, int window, int target, pgas_u64 offset, pgas_u64 bytes) {
    PGAS_IN_SHARED(c);
    int comm = window >= 0 && (window & PGAS_DEVICE_WINDOW) ? PGAS_DEVICE : PGAS_WORLD;
    c->window = window;
    if (window < 0 || (window & ~PGAS_WINDOW_BITS) != 0 || !(c->slots[comm] >> (window & (PGAS_WINDOWS - 1)) & 1)) {
        pgas_fail(c, PGAS_NO_WINDOW, -1, 0, 0);
    } else if (target < 0 || target >= pgas_size(c, comm)) {
        pgas_fail(c, PGAS_NO_TARGET, target, (pgas_u64) pgas_size(c, comm), 0, (pgas_u64) comm);
    } else if (comm == PGAS_WORLD && !pgas_is_partner(c, (pgas_u32) target)) {
        pgas_fail(c, PGAS_NO_PARTNER, target, pgas_host_of(c, (pgas_u32) target), 0);
    } else {
        pgas_fail(c, PGAS_BAD_PLACE, target, offset, bytes, pgas_win_bytes(c, window, target));
    }
}

// ---- sending; one thread each

// Orders everything this thread has seen written before its next message. Only a thread that sends alone records that
// this is done: others may write meanwhile.
PGAS_FN void pgas_order(pgas_context *c, bool near, bool alone) {
    uint2 order = c->order;
    if (near) {
        if (order.y != 0) {
            pgas_fence_device();
            if (alone) {
                c->order.y = order.y & PGAS_ALWAYS;
            }
        }
    } else if (order.x != 0) {
        pgas_fence_system();
        if (alone) {
            c->order.x = c->order.y = order.x & PGAS_ALWAYS;
        }
    }
}

PGAS_FN void pgas_dirty(pgas_context *c) {
    c->order.x |= PGAS_DIRTY;
    c->order.y |= PGAS_DIRTY;
}

// Waits until the channel's receiver has taken everything sent before.
PGAS_SLOW void pgas_wait_for_payloads(pgas_context *c, int endpoint) {
    PGAS_IN_SHARED(c);
    pgas_u32 sequence = pgas_message(c, endpoint, PGAS_SILENT | PGAS_CREDIT, 0, 0);
    pgas_u64 start = 0;
    do {
        start = pgas_look_for_credit(c, endpoint, sequence, start);
    } while (start != 0 && !pgas_is_taken(c, endpoint, sequence, 0));
}

// ---- packets in flight

// True if packets to a target may not have been unpacked yet.
PGAS_FN bool pgas_has_packets(pgas_context *c, int endpoint) {
    if (!PGAS_WITH_PACKETS || c->to_rings[endpoint] == 0) {
        return false;
    }
    volatile pgas_u32 *last = c->packs[endpoint].last;
    return !pgas_is_taken(c, endpoint, last[0], 0) || !pgas_is_taken(c, endpoint, last[1], 0);
}

// Waits until the packets to a target have been unpacked; one thread, or several each for itself.
PGAS_FN void pgas_await_packets(pgas_context *c, int endpoint) {
    if (pgas_has_packets(c, endpoint)) {
        pgas_wait_for_payloads(c, endpoint);
    }
}

PGAS_FN void pgas_await_packets_to(pgas_context *c, pgas_u32 target) {
    int endpoint = PGAS_WITH_PACKETS && c->packed ? pgas_find(c, target) : PGAS_NOT_MADE;
    if (endpoint >= 0) {
        pgas_await_packets(c, endpoint);
    }
}

// As before, where a packet in flight may belong to these bytes: before they are read, or changed in another way.
PGAS_SLOW void pgas_await_packets_at(pgas_context *c, pgas_u32 target, pgas_u64 place, pgas_u64 bytes) {
    PGAS_IN_SHARED(c);
    int endpoint = pgas_find(c, target);
    if (endpoint >= 0 && place < ((volatile pgas_u64 *) c->high)[endpoint]
            && ((volatile pgas_u64 *) c->low)[endpoint] < place + bytes) {
        pgas_await_packets(c, endpoint);
    }
}

// Endpoints with packets in flight, a bit each, of those to blocks of a host rank; of all if host_rank is negative.
PGAS_FN pgas_u32 pgas_endpoints_with_packets(pgas_context *c, int host_rank) {
    pgas_u32 found = 0;
    for (pgas_u32 i = 0; i < PGAS_TARGETS; i++) {
        pgas_u32 target = ((volatile pgas_send_state *) c->sends)[i].target;
        if (target != 0 && (host_rank < 0 || pgas_host_of(c, target - 1) == (pgas_u32) host_rank)
                && pgas_has_packets(c, (int) i)) {
            found |= 1u << i;
        }
    }
    return found;
}

PGAS_SLOW void pgas_await_endpoints(pgas_context *c, pgas_u32 endpoints) {
    PGAS_IN_SHARED(c);
    for (pgas_u32 i = 0; i < PGAS_TARGETS; i++) {
        if (endpoints >> i & 1) {
            pgas_await_packets(c, (int) i);
        }
    }
    atomicAnd(&c->unpacked, ~endpoints);
}

// Waits until packets that the last fence found in flight have been unpacked, but for those of one endpoint, whose next
// message comes after them anyway: another target may learn from a notification that they are there.
PGAS_FN void pgas_await_fenced(pgas_context *c, pgas_u32 endpoint) {
    pgas_u32 fenced = *(volatile pgas_u32 *) &c->unpacked;
    pgas_u32 others = endpoint < PGAS_TARGETS ? fenced & ~(1u << endpoint) : fenced;
    if (PGAS_WITH_PACKETS && others != 0) {
        pgas_await_endpoints(c, others);
    }
}

PGAS_FN void pgas_send_otherwise(pgas_context *c, pgas_u32 target, pgas_u32 tag, pgas_u32 length, pgas_u64 place,
                                 pgas_u64 payload, bool alone, bool by_host) {
    pgas_u32 host = pgas_host_of(c, target);
    char *segment = by_host ? 0 : pgas_segment(c, host);
    pgas_await_fenced(c, PGAS_TARGETS);
    if (segment == 0) {
        pgas_order(c, false, alone);
        pgas_command_now(c, length == 0 ? PGAS_COMMAND_NOTIFY : PGAS_COMMAND_PUT_INLINE | PGAS_COMMAND_WITH_NOTIFY, tag,
                         length, target, place, payload, 0);
        return;
    }
    if (length != 0) {
        pgas_write_payload(segment + place, payload, length);
        pgas_dirty(c);
    }
    pgas_order(c, host == c->host_rank, false);
    pgas_red(pgas_record(c, segment, pgas_local_of(c, target, host)) + PGAS_DIRECT + tag * 8, 1);
}

// Notes that inline payloads will be in flight to these bytes of an endpoint's target.
PGAS_FN void pgas_note_payload(pgas_context *c, int endpoint, pgas_u64 from, pgas_u64 to, bool alone) {
    c->sent = 1;
    if (alone) {
        c->low[endpoint] = from < c->low[endpoint] ? from : c->low[endpoint];
        c->high[endpoint] = to > c->high[endpoint] ? to : c->high[endpoint];
    } else {
        atomicMin(&c->low[endpoint], from);
        atomicMax(&c->high[endpoint], to);
    }
}

// Sends a message of a channel after everything this thread has seen written. bytes: of the payload. Returns its number.
PGAS_FN pgas_u32 pgas_send_message(pgas_context *c, int endpoint, pgas_u32 header, pgas_u64 place, pgas_u64 payload,
                                   pgas_u32 bytes, bool alone) {
    pgas_await_fenced(c, (pgas_u32) endpoint);
    bool near = c->sends[endpoint].channel & PGAS_NEAR;
    bool acquire = c->plain[endpoint] || ((near ? c->order.y : c->order.x) & PGAS_ALWAYS);
    if (alone) {
        c->plain[endpoint] = 0;
    }
    pgas_order(c, near, alone);
    if (bytes != 0) {
        pgas_note_payload(c, endpoint, place, place + bytes, alone);
    }
    pgas_u32 flags = !acquire ? 0 : near ? PGAS_ACQUIRE : PGAS_ACQUIRE | PGAS_FAR;
    pgas_u32 sequence = pgas_message(c, endpoint, header | flags, place, payload);
    if (alone) {
        c->sends[endpoint].limit = ((volatile pgas_u32 *) c->credits)[endpoint] + PGAS_SLOTS;
    }
    return sequence;
}

// Sends a notification, with a payload if length is not 0, in line. alone: no other thread of the block sends meanwhile.
PGAS_FN void pgas_send_now(pgas_context *c, pgas_u32 target, pgas_u32 tag, pgas_u32 length, pgas_u64 place,
                           pgas_u64 payload, bool alone) {
    int endpoint = pgas_endpoint(c, target);
    if (endpoint < 0 || (c->sends[endpoint].channel & ~PGAS_NEAR) >= PGAS_CHANNELS) {
        pgas_send_otherwise(c, target, tag, length, place, payload, alone,
                            endpoint >= 0 && c->sends[endpoint].channel == PGAS_BY_HOST);
        return;
    }
    pgas_send_message(c, endpoint, tag | length << 8, place, payload, length, alone);
}

// As before, where the time of a call does not matter.
PGAS_SLOW void pgas_send(pgas_context *c, pgas_u32 target, pgas_u32 tag, pgas_u32 length, pgas_u64 place,
                         pgas_u64 payload, bool alone) {
    PGAS_IN_SHARED(c);
    pgas_send_now(c, target, tag, length, place, payload, alone);
}

// State that decides how a message to a block is sent, loaded at once.
struct pgas_route {
    pgas_u32 endpoint, there, channel, tail, limit, far, near;
    char *slots;
};

PGAS_FN pgas_route pgas_route_to(pgas_context *c, pgas_u32 target) {
    pgas_route r;
    r.endpoint = target % PGAS_TARGETS;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(r.there), "=r"(r.channel), "=r"(r.tail),
                 "=r"(r.limit) : "r"((pgas_u32) __cvta_generic_to_shared(&c->sends[r.endpoint])) : "memory");
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(r.far), "=r"(r.near)
                 : "r"((pgas_u32) __cvta_generic_to_shared(&c->order)) : "memory");
    r.slots = pgas_ld_shared(&c->to_slots[r.endpoint]);
    __syncwarp();  // before the first thread changes it
    return r;
}

// As pgas_widen, of a range that has been loaded.
PGAS_FN void pgas_widen_from(pgas_context *c, pgas_u32 endpoint, pgas_u64 low, pgas_u64 high, pgas_u64 from, pgas_u64 to) {
    c->low[endpoint] = from < low ? from : low;
    c->high[endpoint] = to > high ? to : high;
    c->sent = 1;
}

// Notes that inline payloads are in flight to these bytes. Comes after the stores of the message, which shall not wait
// for it.
PGAS_FN void pgas_widen(pgas_context *c, pgas_u32 endpoint, pgas_u64 from, pgas_u64 to) {
    pgas_u64 low = pgas_ld_shared(&c->low[endpoint]), high = pgas_ld_shared(&c->high[endpoint]);
    pgas_widen_from(c, endpoint, low, high, from, to);
}

// As pgas_send of the block's first thread, by its whole first warp, if that needs nothing but a store. False, and
// nothing is sent, if it does.
PGAS_FN bool pgas_send_fast(pgas_context *c, const pgas_route &r, pgas_u32 target, pgas_u32 tag, pgas_u32 length,
                            pgas_u64 place, pgas_u64 payload) {
    pgas_u32 sequence = r.tail + 1;
    char *slot = r.slots + (sequence & (PGAS_SLOTS - 1)) * PGAS_SLOT_BYTES;
    pgas_u32 order = (r.channel & PGAS_NEAR) ? r.near : r.far;
    if ((r.there ^ (target + 1)) | order | (pgas_u32) ((int) (r.limit - sequence) < 0)) {
        return false;
    }
    pgas_u64 flag = (pgas_u64) sequence << 32;
    if (threadIdx.x == 0) {
        if (length == 0) {
            pgas_st(slot, flag | tag);
        } else {
            pgas_st2(slot, flag | (pgas_u32) (tag | length << 8 | (pgas_u32) (place >> 32) << 16),
                     flag | (pgas_u32) payload);
            pgas_st2(slot + PGAS_SLOT_BYTES / 2, flag | (pgas_u32) (payload >> 32), flag | (pgas_u32) place);
            pgas_widen(c, r.endpoint, place, place + length);
        }
        c->sends[r.endpoint].tail = sequence;
    }
    return true;
}

// Prepares plain stores to a block: inline payloads in flight to the same bytes must have arrived. alone: no other
// thread of the block sends meanwhile.
PGAS_FN void pgas_before_stores(pgas_context *c, int endpoint, pgas_u64 place, pgas_u64 bytes, bool alone) {
    pgas_dirty(c);
    if (endpoint < 0) {
        return;
    }
    c->plain[endpoint] = 1;
    if ((c->sends[endpoint].channel & ~PGAS_NEAR) >= PGAS_CHANNELS) {
        return;
    }
    c->sends[endpoint].limit = ((volatile pgas_send_state *) c->sends)[endpoint].tail;
    if (place >= ((volatile pgas_u64 *) c->high)[endpoint]
            || ((volatile pgas_u64 *) c->low)[endpoint] >= place + bytes) {
        return;
    }
    pgas_wait_for_payloads(c, endpoint);
    if (alone) {
        c->low[endpoint] = ~0ull;
        c->high[endpoint] = 0;
    }
}

#define PGAS_PART_TAG 1  // of a command that puts a part of more, for which nobody waits

// Puts by the host. tag: or PGAS_PUT_ALONE. A source that the host cannot reach goes in pieces of 8 bytes, with the
// commands.
PGAS_SLOW void pgas_put_by_host(pgas_context *c, pgas_u32 target, pgas_u64 place, const char *src, pgas_u64 bytes,
                                int tag) {
    PGAS_IN_SHARED(c);
    pgas_u32 with = tag >= 0 ? PGAS_COMMAND_WITH_NOTIFY : 0;
    pgas_u32 low = tag >= 0 ? (pgas_u32) tag : 0;
    pgas_await_fenced(c, PGAS_TARGETS);
    if (bytes == 0) {
        if (tag >= 0) {
            pgas_send_otherwise(c, target, low, 0, 0, 0, false, true);
        }
        return;
    }
    if (bytes > 8) {
        pgas_fence_system();
    }
    pgas_u64 from = (pgas_u64) (src - c->segment);
    pgas_u64 done = 0;
    if (bytes <= 8) {
        pgas_command_now(c, PGAS_COMMAND_PUT_INLINE | with, low, (pgas_u32) bytes, target, place,
                         pgas_read_payload(src, (pgas_u32) bytes), 0);
        return;
    }
    if (from > c->world->segment_bytes || bytes > c->world->segment_bytes - from) {
        for (; done + 8 < bytes; done += 8) {
            pgas_command(c, PGAS_COMMAND_PUT_INLINE, PGAS_PART_TAG, 8, target, place + done, pgas_read_payload(src + done, 8), 0);
        }
        pgas_u32 rest = (pgas_u32) (bytes - done);
        pgas_command(c, PGAS_COMMAND_PUT_INLINE | with, low, rest, target, place + done,
                     pgas_read_payload(src + done, rest), 0);
        return;
    }
    for (; done + PGAS_COMMAND_MAX_PUT_BYTES < bytes; done += PGAS_COMMAND_MAX_PUT_BYTES) {
        atomicAdd(&c->bulk, 1ull);
        pgas_command(c, PGAS_COMMAND_PUT, 0, 0, target, place + done, from + done, PGAS_COMMAND_MAX_PUT_BYTES);
    }
    atomicAdd(&c->bulk, 1ull);
    pgas_command(c, PGAS_COMMAND_PUT | with, low, 0, target, place + done, from + done, (pgas_u32) (bytes - done));
}
