// ---- command queue: requests to the host, each of one entry, and of more with a payload of more than 8 bytes

#define PGAS_QUEUE_INDEX ((1ull << PGAS_PAGE_SLOT_SHIFT) - 1)

// Memory that a thread takes for a command: the number of the first entry, and that of a slot for staged bytes above.
PGAS_FN pgas_u64 pgas_claim(pgas_context *c, pgas_u32 entries, bool staged) {
    return pgas_add(c->area + PGAS_QUEUE_TAIL, entries | (pgas_u64) staged << PGAS_PAGE_SLOT_SHIFT);
}

// True if the host has freed all of a claim. taken: as it reports.
PGAS_FN bool pgas_is_free(pgas_context *c, pgas_u64 claim, pgas_u32 entries, bool staged, pgas_u64 taken) {
    pgas_u64 used = (claim & PGAS_QUEUE_INDEX) + entries - (taken & PGAS_QUEUE_INDEX);
    pgas_u32 slots = (pgas_u32) ((claim >> PGAS_PAGE_SLOT_SHIFT) - (taken >> PGAS_PAGE_SLOT_SHIFT))
            & (pgas_u32) (~0ull >> PGAS_PAGE_SLOT_SHIFT);
    return (long long) used <= (long long) c->queue_entries && (!staged || slots < c->staging_slots);
}

// Waits some time for room in the queue, from `start` on, which is 0 at first. Returns the start; 0 if the launch has failed.
PGAS_SLOW pgas_u64 pgas_await_room(pgas_context *c, pgas_u64 start, pgas_u32 op, pgas_u64 claim, pgas_u64 taken) {
    __nanosleep(2000);
    pgas_u64 now = pgas_now();
    start = start == 0 ? now : start;
    if (now - start > c->timeout_ns) {
        pgas_fail(c, PGAS_LATE_QUEUE, (int) (op >> PGAS_COMMAND_TAG_SHIFT & PGAS_COMMAND_MAX_TAG), claim & PGAS_QUEUE_INDEX,
                  taken & PGAS_QUEUE_INDEX);
    }
    if (c->dead || pgas_aborted(c)) {
        c->dead = 1;
        start = 0;
    }
    return start;
}

PGAS_FN char *pgas_queue_entry(pgas_context *c, pgas_u64 index) {
    return c->queue + ((pgas_u32) index & (c->queue_entries - 1)) * PGAS_PAGE_COMMAND_BYTES;
}

// op: with tag and length. The queue has a power of two of entries.
PGAS_FN void pgas_store_command(pgas_context *c, pgas_u64 index, pgas_u32 op, pgas_u32 target, pgas_u64 offset, pgas_u64 value,
                                pgas_u32 bytes) {
    pgas_u64 flag = (index + 1) << 32;
    char *slot = pgas_queue_entry(c, index);
    pgas_st2(slot + PGAS_COMMAND_AT_OP, flag | op, flag | blockIdx.x);
    pgas_st2(slot + PGAS_COMMAND_AT_TARGET, flag | target, flag | (pgas_u32) offset);
    pgas_st2(slot + PGAS_COMMAND_AT_OFFSET_HIGH, flag | (pgas_u32) (offset >> 32), flag | (pgas_u32) value);
    pgas_st2(slot + PGAS_COMMAND_AT_VALUE_HIGH, flag | (pgas_u32) (value >> 32), flag | bytes);
}

// Stores the entries behind the first of a command.
PGAS_SLOW void pgas_store_payload(pgas_context *c, pgas_u64 index, const char *src, pgas_u32 bytes) {
    for (pgas_u32 done = 0; done < bytes; done += 8) {
        pgas_u64 entry = index + 1 + done / PGAS_COMMAND_ENTRY_PAYLOAD;
        pgas_u64 flag = (entry + 1) << 32;
        pgas_u64 value = pgas_read_payload(src + done, bytes - done < 8 ? bytes - done : 8);
        pgas_st2(pgas_queue_entry(c, entry) + done % PGAS_COMMAND_ENTRY_PAYLOAD * 2, flag | (pgas_u32) value,
                 flag | (pgas_u32) (value >> 32));
    }
}

// Stores a numbered command as soon as there is room. As with messages each thread stores inside the loop: the host
// takes commands in the order of their numbers.
PGAS_SLOW void pgas_command_later(pgas_context *c, pgas_u64 index, pgas_u32 op, pgas_u32 target, pgas_u64 offset,
                                  pgas_u64 value, pgas_u32 bytes, const char *src) {
    pgas_u32 entries = src == 0 ? 1 : pgas_entries(op >> PGAS_COMMAND_LENGTH_SHIFT);
    pgas_u64 start = 0;
    bool waits = true;
    while (waits) {
        pgas_drain_thread(c, true);
        pgas_u64 taken = *(volatile pgas_u64 *) &c->queue_taken;
        if (pgas_is_free(c, index, entries, false, taken)) {
            if (src != 0) {
                pgas_store_payload(c, index, src, op >> PGAS_COMMAND_LENGTH_SHIFT);
            }
            pgas_store_command(c, index, op, target, offset, value, bytes);
            waits = false;
        } else {
            start = pgas_await_room(c, start, op, index, taken);
            waits = start != 0;
        }
        waits = pgas_opaque(waits);
    }
}

// src: the payload, if it is longer than 8 bytes.
PGAS_SLOW void pgas_command(pgas_context *c, pgas_u32 op, pgas_u32 tag, pgas_u32 length, pgas_u32 target,
                            pgas_u64 offset, pgas_u64 value, pgas_u32 bytes, const char *src = 0) {
    pgas_u64 taken = pgas_ld(c->area + PGAS_QUEUE_SEEN);
    pgas_u32 entries = src == 0 ? 1 : pgas_entries(length);
    pgas_u64 index = pgas_claim(c, entries, false);
    op |= tag << PGAS_COMMAND_TAG_SHIFT | length << PGAS_COMMAND_LENGTH_SHIFT;
    if (pgas_is_free(c, index, entries, false, taken)) {
        if (src != 0) {
            pgas_store_payload(c, index & PGAS_QUEUE_INDEX, src, length);
        }
        pgas_store_command(c, index & PGAS_QUEUE_INDEX, op, target, offset, value, bytes);
    } else {
        pgas_command_later(c, index & PGAS_QUEUE_INDEX, op, target, offset, value, bytes, src);
    }
}

// A put of up to PGAS_COMMAND_MAX_INLINE bytes, with a notification unless tag is negative; one thread.
PGAS_FN void pgas_command_bytes(pgas_context *c, pgas_u32 target, pgas_u64 place, const char *src, pgas_u32 bytes, int tag) {
    pgas_u32 op = tag >= 0 ? PGAS_COMMAND_PUT_INLINE | PGAS_COMMAND_WITH_NOTIFY : PGAS_COMMAND_PUT_INLINE;
    bool few = bytes <= 8;
    pgas_command(c, op, tag >= 0 ? (pgas_u32) tag : 0, bytes, target, place, few ? pgas_read_payload(src, bytes) : 0, 0,
                 few ? (const char *) 0 : src);
}

// ---- the same by groups of threads: a warp claims for all

// Claims and waits for room; a warp. PGAS_NOWHERE if the launch has failed.
PGAS_SLOW pgas_u64 pgas_claim_free(pgas_context *c, pgas_u32 entries, bool staged, pgas_u32 op) {
    bool first = (threadIdx.x & 31) == 0;
    pgas_u64 taken = 0, claim = 0, start = 0;
    if (first) {
        taken = pgas_ld(c->area + PGAS_QUEUE_SEEN);
        claim = pgas_claim(c, entries, staged);
    }
    claim = __shfl_sync(0xffffffffu, claim, 0);
    while (!__shfl_sync(0xffffffffu, (int) pgas_is_free(c, claim, entries, staged, taken), 0)) {
        pgas_drain_queue_warp(c);
        taken = *(volatile pgas_u64 *) &c->queue_taken;
        bool ended = false;
        if (first && !pgas_is_free(c, claim, entries, staged, taken)) {
            start = pgas_await_room(c, start, op, claim, taken);
            ended = start == 0;
        }
        if (__shfl_sync(0xffffffffu, (int) ended, 0)) {
            return PGAS_NOWHERE;
        }
    }
    return claim;
}

PGAS_FN pgas_u32 pgas_put_op(pgas_u32 op, pgas_u32 bytes, int tag) {
    return op | bytes << PGAS_COMMAND_LENGTH_SHIFT
            | (tag >= 0 ? PGAS_COMMAND_WITH_NOTIFY | (pgas_u32) tag << PGAS_COMMAND_TAG_SHIFT : 0);
}

// As pgas_command_bytes, of more than 8, by a warp: each thread stores words of the entries. The source is read before the claim,
// which takes as long.
PGAS_SLOW void pgas_command_bytes_warp(pgas_context *c, pgas_u32 target, pgas_u64 place, const char *src, pgas_u32 bytes, int tag) {
    const pgas_u32 first = PGAS_PAGE_COMMAND_BYTES / 8;
    pgas_u32 lane = threadIdx.x & 31, words = first + (bytes + 3) / 4;
    pgas_u32 op = pgas_put_op(PGAS_COMMAND_PUT_INLINE, bytes, tag);
    pgas_u32 values[(PGAS_COMMAND_MAX_INLINE / 4 + first + 31) / 32];
#pragma unroll
    for (pgas_u32 j = 0; j < sizeof(values) / 4; j++) {
        pgas_u32 word = lane + 32 * j, at = 4 * (word - first);
        values[j] = word < first || word >= words ? 0
                : (pgas_u32) pgas_read_payload(src + at, bytes - at < 4 ? bytes - at : 4);
    }
    if (lane < first) {
        values[0] = lane == PGAS_COMMAND_AT_OP / 8 ? op : lane == PGAS_COMMAND_AT_BLOCK / 8 ? blockIdx.x
                : lane == PGAS_COMMAND_AT_TARGET / 8 ? target : lane == PGAS_COMMAND_AT_OFFSET_LOW / 8 ? (pgas_u32) place
                : lane == PGAS_COMMAND_AT_OFFSET_HIGH / 8 ? (pgas_u32) (place >> 32) : 0;
    }
    pgas_u64 claim = pgas_claim_free(c, pgas_entries(bytes), false, op);
    if (claim == PGAS_NOWHERE) {
        return;
    }
#pragma unroll
    for (pgas_u32 j = 0; j < sizeof(values) / 4; j++) {
        pgas_u32 word = lane + 32 * j;
        pgas_u64 entry = (claim & PGAS_QUEUE_INDEX) + word / first;
        if (word < words) {
            pgas_st(pgas_queue_entry(c, entry) + word % first * 8, (entry + 1) << 32 | values[j]);
        }
    }
}

// Puts bytes by way of the page, as thread i of n, a warp or the block. There they have the alignment of the source, so that the
// copy is one of vectors.
PGAS_SLOW void pgas_command_staged(pgas_context *c, pgas_u32 target, pgas_u64 place, const char *src, pgas_u32 bytes, int tag,
                                   pgas_u32 i, pgas_u32 n) {
    pgas_u32 op = pgas_put_op(PGAS_COMMAND_PUT_STAGED, bytes, tag);
    pgas_u64 claim = i < 32 ? pgas_claim_free(c, 1, true, op) : 0;
    if (n != 32) {
        if (i == 0) {
            c->claim = claim;
        }
        __syncthreads();
        claim = c->claim;
    }
    if (claim == PGAS_NOWHERE) {
        return;
    }
    pgas_u32 slots = c->staging_slots;
    pgas_u32 slot = (pgas_u32) (claim >> PGAS_PAGE_SLOT_SHIFT) & (slots - 1);
    pgas_u64 at = PGAS_PAGE_STAGING + slot * (PGAS_PAGE_STAGING_BYTES / slots) + ((pgas_u64) src & 15);
    pgas_copy_alike(pgas_page(c) + at, src, bytes, i, n);
    pgas_group_sync(n);
    if (i == 0) {
        pgas_fence_system();
        pgas_store_command(c, claim & PGAS_QUEUE_INDEX, op, target, place, at, 0);
    }
}
