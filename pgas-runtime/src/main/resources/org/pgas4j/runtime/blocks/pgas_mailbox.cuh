// ---- mailbox: messages of the host for the blocks of this device. One of the blocks that wait reads it for all: a
// thread that polls host memory does no harm, many do.

// Reports to the host how far messages are delivered, so that it may reuse their slots. The report of the block that
// read before may still be in flight: the greater number holds.
PGAS_SLOW void pgas_mailbox_report(pgas_context *c) {
    if (c->mailbox_wrote) {
        pgas_fence_system();
        c->mailbox_wrote = 0;
    }
    pgas_max((void *) c->world->mailbox_taken, c->mailbox_head);
    c->mailbox_reported = c->mailbox_head;
}

// Leaves the mailbox to other blocks.
PGAS_SLOW void pgas_mailbox_release(pgas_context *c) {
    if (c->mailbox_reported != c->mailbox_head) {
        pgas_mailbox_report(c);
    }
    c->reads_mailbox = 0;
    pgas_st(c->area + PGAS_MAILBOX, c->mailbox_head << PGAS_READER_BITS);
}

// Tries to become the block that reads the mailbox; one thread.
PGAS_SLOW void pgas_mailbox_claim(pgas_context *c) {
    pgas_u64 *word = (pgas_u64 *) (c->area + PGAS_MAILBOX);
    pgas_u64 taken = pgas_ld(word);
    if ((taken & ((1u << PGAS_READER_BITS) - 1)) == 0 && atomicCAS(word, taken, taken | (blockIdx.x + 1)) == taken) {
        pgas_ld_acquire_device(word);  // deliveries of the block that read before
        c->reads_mailbox = 1;
        c->mailbox_wrote = 0;
        c->mailbox_head = c->mailbox_reported = taken >> PGAS_READER_BITS;
    }
}

// Address of the message that is so many after the next.
PGAS_FN const char *pgas_mailbox_slot(pgas_context *c, pgas_u32 after = 0) {
    pgas_u64 slot = (c->mailbox_head + after) & (PGAS_PAGE_MAILBOX_ENTRIES - 1);
    return (const char *) c->mailbox + slot * PGAS_PAGE_COMMAND_BYTES;
}

// The words of a message's first entry that are in use, each with its number; a notification alone has the first two.
struct pgas_mailbox_message {
    pgas_u64 op, block, offset_low, offset_high, value_low, value_high;
};

PGAS_FN pgas_mailbox_message pgas_mailbox_load(pgas_context *c) {
    const char *at = pgas_mailbox_slot(c);
    pgas_mailbox_message m;
    pgas_u64 unused;
    pgas_ld2(at + PGAS_COMMAND_AT_OP, m.op, m.block);
    pgas_ld2(at + PGAS_COMMAND_AT_TARGET, unused, m.offset_low);
    pgas_ld2(at + PGAS_COMMAND_AT_OFFSET_HIGH, m.offset_high, m.value_low);
    pgas_ld2(at + PGAS_COMMAND_AT_VALUE_HIGH, m.value_high, unused);
    return m;
}

PGAS_FN bool pgas_has_bytes(const pgas_mailbox_message &m) {
    return (m.op & (pgas_u32) PGAS_COMMAND_MAX_LENGTH << PGAS_COMMAND_LENGTH_SHIFT) != 0;
}

PGAS_FN pgas_u32 pgas_mailbox_length(const pgas_mailbox_message &m) {
    return (pgas_u32) m.op >> PGAS_COMMAND_LENGTH_SHIFT & PGAS_COMMAND_MAX_LENGTH;
}

PGAS_FN bool pgas_is_staged(const pgas_mailbox_message &m) {
    return ((pgas_u32) m.op & 0xff & ~PGAS_COMMAND_WITH_NOTIFY) == PGAS_COMMAND_PUT_STAGED;
}

// True if the payload is not in the first entry.
PGAS_FN bool pgas_is_long(const pgas_mailbox_message &m) {
    return pgas_mailbox_length(m) > 8;
}

// Number of entries.
PGAS_FN pgas_u32 pgas_mailbox_entries(const pgas_mailbox_message &m) {
    return pgas_is_long(m) && !pgas_is_staged(m) ? pgas_entries(pgas_mailbox_length(m)) : 1;
}

PGAS_FN char *pgas_mailbox_target(pgas_context *c, const pgas_mailbox_message &m) {
    return c->segment + (m.offset_high << 32 | (pgas_u32) m.offset_low);
}

PGAS_FN pgas_u64 pgas_mailbox_value(const pgas_mailbox_message &m) {
    return m.value_high << 32 | (pgas_u32) m.value_low;
}

PGAS_FN pgas_u32 pgas_mailbox_block(const pgas_mailbox_message &m) {
    return (pgas_u32) m.block & PGAS_COMMAND_MAX_COUNT;
}

// True if all words are those of the message that is so many after the next.
PGAS_FN bool pgas_is_complete(pgas_context *c, const pgas_mailbox_message &m, pgas_u32 after = 0) {
    pgas_u32 flag = (pgas_u32) c->mailbox_head + after + 1;
    pgas_u32 wrong = ((pgas_u32) (m.op >> 32) ^ flag) | ((pgas_u32) (m.block >> 32) ^ flag);
    if (pgas_has_bytes(m)) {
        wrong |= ((pgas_u32) (m.offset_low >> 32) ^ flag) | ((pgas_u32) (m.offset_high >> 32) ^ flag)
                | ((pgas_u32) (m.value_low >> 32) ^ flag) | ((pgas_u32) (m.value_high >> 32) ^ flag);
    }
    return wrong == 0;
}

// True if a message brings a word for which blocks wait: everything before it has to be there first.
PGAS_FN bool pgas_is_awaited_word(const pgas_mailbox_message &m) {
    pgas_u32 bytes = pgas_mailbox_length(m);
    return (m.op & PGAS_COMMAND_WITH_NOTIFY) == 0 && (bytes == 4 || bytes == 8) && ((pgas_u32) m.offset_low & (bytes - 1)) == 0;
}

// A word of the payload behind the first entry of a message: of the one that is so many entries after the next, in host memory or
// read ahead.
PGAS_FN pgas_u64 pgas_mailbox_word(pgas_context *c, pgas_u32 after, pgas_u32 word, bool ahead) {
    pgas_u32 entry = after + 1 + word / (PGAS_PAGE_COMMAND_BYTES / 8), at = word % (PGAS_PAGE_COMMAND_BYTES / 8) * 8;
    return ahead ? ((const volatile pgas_u64 *) c->read_ahead)[(entry * PGAS_PAGE_COMMAND_BYTES + at) / 8]
            : pgas_ld(pgas_mailbox_slot(c, entry) + at);
}

// True if such a word is that of the message.
PGAS_FN bool pgas_is_word(pgas_context *c, pgas_u32 after, pgas_u32 word, pgas_u64 value) {
    return (pgas_u32) (value >> 32) == (pgas_u32) c->mailbox_head + after + 2 + word / (PGAS_PAGE_COMMAND_BYTES / 8);
}

// True if so many words of a message's payload have arrived; one thread.
PGAS_SLOW bool pgas_mailbox_has_words(pgas_context *c, pgas_u32 words, pgas_u32 after, bool ahead) {
    for (pgas_u32 k = 0; k < words; k++) {
        if (!pgas_is_word(c, after, k, pgas_mailbox_word(c, after, k, ahead))) {
            return false;
        }
    }
    return true;
}

PGAS_FN bool pgas_mailbox_has_payload(pgas_context *c, const pgas_mailbox_message &m, pgas_u32 after, bool ahead) {
    return !pgas_is_long(m) || pgas_is_staged(m) || pgas_mailbox_has_words(c, (pgas_mailbox_length(m) + 3) / 4, after, ahead);
}

// Stores a payload that is not in the first entry, and has arrived; one thread. from: where it is staged, or null.
PGAS_SLOW void pgas_mailbox_store_long(pgas_context *c, char *to, const char *from, pgas_u32 bytes, pgas_u32 after, bool ahead) {
    if (from != 0) {
        pgas_copy_alike(to, from, bytes, 0, 1);
        return;
    }
    for (pgas_u32 k = 0; k < bytes; k += 8) {
        pgas_u64 low = pgas_mailbox_word(c, after, k / 4, ahead);
        pgas_u64 high = bytes - k > 4 ? pgas_mailbox_word(c, after, k / 4 + 1, ahead) : 0;
        pgas_write_payload(to + k, high << 32 | (pgas_u32) low, bytes - k < 8 ? bytes - k : 8);
    }
}

// Where the payload of a message is staged; null if it is not.
PGAS_FN const char *pgas_mailbox_staged(pgas_context *c, const pgas_mailbox_message &m) {
    return pgas_is_staged(m) ? pgas_page(c) + pgas_mailbox_value(m) : (const char *) 0;
}

// Stores the payload of a message; one thread.
PGAS_FN void pgas_mailbox_store(pgas_context *c, const pgas_mailbox_message &m, pgas_u32 after, bool ahead) {
    c->mailbox_wrote = 1;
    if (pgas_is_long(m)) {
        pgas_mailbox_store_long(c, pgas_mailbox_target(c, m), pgas_mailbox_staged(c, m), pgas_mailbox_length(m), after, ahead);
    } else if (pgas_is_awaited_word(m)) {
        pgas_fence_device();
        pgas_st_word(pgas_mailbox_target(c, m), pgas_mailbox_value(m), pgas_mailbox_length(m));
    } else {
        pgas_write_payload(pgas_mailbox_target(c, m), pgas_mailbox_value(m), pgas_mailbox_length(m));
    }
}

// Counts the notifications of a message whose bytes are there. Returns the number for this block with the tag `wanted`.
PGAS_FN pgas_u32 pgas_mailbox_count(pgas_context *c, const pgas_mailbox_message &m, pgas_u32 wanted) {
    pgas_u32 tag = (pgas_u32) m.op >> PGAS_COMMAND_TAG_SHIFT & PGAS_COMMAND_MAX_TAG, block = pgas_mailbox_block(m);
    pgas_u32 count = (pgas_u32) m.block >> PGAS_COMMAND_COUNT_SHIFT;
    if (!(m.op & PGAS_COMMAND_WITH_NOTIFY)) {
        return 0;
    }
    if (block != blockIdx.x) {
        pgas_red(pgas_record(c, c->segment, block) + PGAS_DIRECT + tag * 8, count);
        return 0;
    }
    if (tag == wanted) {
        return count;
    }
    atomicAdd(&c->own[tag], count);
    return 0;
}

// Reads messages ahead, many in flight at once and without a register for each. Such loads may see only a part, which
// shows by their numbers.
PGAS_FN void pgas_mailbox_read_ahead(pgas_context *c) {
    pgas_u32 to = (pgas_u32) __cvta_generic_to_shared(c->read_ahead);
#pragma unroll 1
    for (pgas_u32 k = 0; k < PGAS_READ_AHEAD; k++) {
        const char *from = pgas_mailbox_slot(c, k);
#pragma unroll
        for (pgas_u32 j = 0; j < PGAS_PAGE_COMMAND_BYTES; j += 16) {
#if __CUDA_ARCH__ >= 800
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to + k * PGAS_PAGE_COMMAND_BYTES + j),
                         "l"(from + j) : "memory");
#else
            pgas_u64 *word = c->read_ahead + k * (PGAS_PAGE_COMMAND_BYTES / 8) + j / 8;
            pgas_ld2(from + j, word[0], word[1]);
#endif
        }
    }
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

PGAS_FN pgas_mailbox_message pgas_mailbox_load_ahead(pgas_context *c, pgas_u32 k) {
    const volatile pgas_u64 *at = c->read_ahead + k * (PGAS_PAGE_COMMAND_BYTES / 8);
    pgas_mailbox_message m = {at[PGAS_COMMAND_AT_OP / 8], at[PGAS_COMMAND_AT_BLOCK / 8],
        at[PGAS_COMMAND_AT_OFFSET_LOW / 8], at[PGAS_COMMAND_AT_OFFSET_HIGH / 8], at[PGAS_COMMAND_AT_VALUE_LOW / 8],
        at[PGAS_COMMAND_AT_VALUE_HIGH / 8]};
    return m;
}

// Takes several messages at once, as most of the time is that of host memory and of fences. Returns the number of
// notifications for this block with the tag `wanted`, or PGAS_MAILBOX_EMPTY.
#define PGAS_MAILBOX_EMPTY 0xffffffffu

PGAS_SLOW pgas_u32 pgas_mailbox_take_more(pgas_context *c, pgas_u32 wanted) {
    pgas_mailbox_read_ahead(c);
    pgas_u32 end = 0;
    while (end < PGAS_READ_AHEAD) {
        pgas_mailbox_message m = pgas_mailbox_load_ahead(c, end);
        // The first warp takes what is staged, as the first of its messages.
        if (!pgas_is_complete(c, m, end) || end != 0 && pgas_is_awaited_word(m) || pgas_is_staged(m)
                || end + pgas_mailbox_entries(m) > PGAS_READ_AHEAD || !pgas_mailbox_has_payload(c, m, end, true)) {
            break;
        }
        end += pgas_mailbox_entries(m);
    }
    if (end == 0) {
        return PGAS_MAILBOX_EMPTY;
    }
    pgas_fence_system();
#pragma unroll 1
    for (pgas_u32 k = 0, next; k < end; k = next) {
        pgas_mailbox_message m = pgas_mailbox_load_ahead(c, k);
        next = k + pgas_mailbox_entries(m);
        if (pgas_has_bytes(m)) {
            pgas_mailbox_store(c, m, k, true);
        }
    }
    pgas_fence_device();
    pgas_u32 found = 0;
#pragma unroll 1
    for (pgas_u32 k = 0, next; k < end; k = next) {
        pgas_mailbox_message m = pgas_mailbox_load_ahead(c, k);
        next = k + pgas_mailbox_entries(m);
        found += pgas_mailbox_count(c, m, wanted);
    }
    c->mailbox_head += end;
    return found;
}

// Takes the messages that are there, of which `m` is the next; one thread of the block that reads the mailbox. stored: its payload
// has been. Returns the number of notifications for this block with the tag `wanted`, which the caller counts, and takes fewer
// messages once it has `enough`.
PGAS_SLOW pgas_u32 pgas_mailbox_take(pgas_context *c, pgas_u32 wanted, pgas_u32 enough, pgas_mailbox_message m, bool stored) {
    if (!pgas_is_complete(c, m) || !stored && !pgas_mailbox_has_payload(c, m, 0, false)) {
        if (c->mailbox_reported != c->mailbox_head) {
            pgas_mailbox_report(c);
        }
        return 0;
    }
    if (!stored) {
        // Copies of streams are visible behind a message. The fence acquires, as each read would wait for an acquiring
        // load.
        pgas_fence_system();
        if (pgas_has_bytes(m)) {
            pgas_mailbox_store(c, m, 0, false);
        }
    }
    if (pgas_mailbox_block(m) != blockIdx.x) {
        pgas_fence_device();
    }
    pgas_u32 found = pgas_mailbox_count(c, m, wanted);
    c->mailbox_head += pgas_mailbox_entries(m);
    for (int i = 0; i < 16 && found < enough; i++) {  // the host has to learn of the room
        pgas_u32 more = pgas_mailbox_take_more(c, wanted);
        if (more == PGAS_MAILBOX_EMPTY) {
            break;
        }
        found += more;
    }
    return found;
}

// ---- the same by a warp: a payload of many words is stored by all of its threads

// Loads the next entries, a word of each of PGAS_MAILBOX_LANES threads: the first of the next message, and some of its payload.
PGAS_FN pgas_u64 pgas_mailbox_load_warp(pgas_context *c) {
    pgas_u32 words = PGAS_PAGE_COMMAND_BYTES / 8, lane = threadIdx.x & 31;
    return lane < PGAS_MAILBOX_LANES ? pgas_ld(pgas_mailbox_slot(c, lane / words) + lane % words * 8) : 0;
}

// Stores 4 bytes of a payload from `at` on, or 8 for two threads, so that words of 8 bytes are whole.
PGAS_FN void pgas_store_part(char *to, pgas_u32 at, pgas_u32 bytes, pgas_u64 word) {
    pgas_u64 next = __shfl_down_sync(0xffffffffu, word, 1);
    bool pair = ((pgas_u64) to & 7) == 0 && (at & ~7u) + 8 <= bytes;
    if (at >= bytes || pair && (at & 4) != 0) {
        return;
    }
    pgas_u32 rest = bytes - at;
    pgas_write_payload(to + at, pair ? next << 32 | (pgas_u32) word : (pgas_u32) word, pair ? 8 : rest < 4 ? rest : 4);
}

// Stores the payload of the next message, which is long. word: of pgas_mailbox_load_warp. False if not all of it is there.
PGAS_SLOW bool pgas_mailbox_store_warp(pgas_context *c, char *to, const char *staged, pgas_u32 bytes, pgas_u64 word) {
    const pgas_u32 first = PGAS_PAGE_COMMAND_BYTES / 8, loads = (PGAS_COMMAND_MAX_INLINE / 4 + first + 31) / 32;
    pgas_u32 lane = threadIdx.x & 31;
    if (staged != 0) {
        pgas_fence_system();  // as of pgas_mailbox_take
        pgas_copy_alike(to, staged, bytes, lane, 32);
    } else {
        pgas_u64 words[loads];
        bool there = true;
#pragma unroll
        for (pgas_u32 j = 0; j < loads; j++) {
            pgas_u32 k = lane + 32 * j - first;
            bool used = (j != 0 || lane >= first) && 4 * k < bytes;
            words[j] = used && (j != 0 || lane >= PGAS_MAILBOX_LANES) ? pgas_mailbox_word(c, 0, k, false) : word;
            there = there && (!used || pgas_is_word(c, 0, k, words[j]));
        }
        if (!__all_sync(0xffffffffu, there)) {
            return false;
        }
        pgas_fence_system();
#pragma unroll
        for (pgas_u32 j = 0; j < loads; j++) {
            pgas_store_part(to, j == 0 && lane < first ? bytes : 4 * (lane + 32 * j - first), bytes, words[j]);
        }
    }
    if (lane == 0) {
        c->mailbox_wrote = 1;
    }
    __syncwarp();
    return true;
}

// As pgas_mailbox_take, by a warp of the block that reads the mailbox. word: of pgas_mailbox_load_warp. The first lane has the
// number found.
PGAS_FN pgas_u32 pgas_mailbox_take_warp(pgas_context *c, pgas_u32 wanted, pgas_u32 enough, pgas_u64 word) {
    pgas_mailbox_message m;
    m.op = __shfl_sync(0xffffffffu, word, PGAS_COMMAND_AT_OP / 8);
    m.block = __shfl_sync(0xffffffffu, word, PGAS_COMMAND_AT_BLOCK / 8);
    m.offset_low = __shfl_sync(0xffffffffu, word, PGAS_COMMAND_AT_OFFSET_LOW / 8);
    m.offset_high = __shfl_sync(0xffffffffu, word, PGAS_COMMAND_AT_OFFSET_HIGH / 8);
    m.value_low = __shfl_sync(0xffffffffu, word, PGAS_COMMAND_AT_VALUE_LOW / 8);
    m.value_high = __shfl_sync(0xffffffffu, word, PGAS_COMMAND_AT_VALUE_HIGH / 8);
    bool is_long = pgas_is_complete(c, m) && pgas_is_long(m);
    bool stored = is_long
            && pgas_mailbox_store_warp(c, pgas_mailbox_target(c, m), pgas_mailbox_staged(c, m), pgas_mailbox_length(m), word);
    pgas_u32 found = 0;
    __syncwarp();  // all have read what the first thread changes
    if ((threadIdx.x & 31) == 0 && stored == is_long) {
        found = pgas_mailbox_take(c, wanted, enough, m, stored);
    }
    __syncwarp();
    return found;
}

// Takes the messages that are there unless another block reads the mailbox, and leaves it to others; a warp.
PGAS_SLOW void pgas_mailbox_poll_warp(pgas_context *c) {
    if ((threadIdx.x & 31) == 0) {
        pgas_mailbox_claim(c);
    }
    __syncwarp();
    bool reads = c->reads_mailbox;
    for (int i = 0; i < 16 && reads; i++) {
        pgas_u64 head = c->mailbox_head;
        pgas_mailbox_take_warp(c, PGAS_TAGS, 1, pgas_mailbox_load_warp(c));
        reads = c->mailbox_head != head;
        __syncwarp();
    }
    if ((threadIdx.x & 31) == 0 && c->reads_mailbox) {
        pgas_mailbox_release(c);
    }
    __syncwarp();
}

// The same by one thread.
PGAS_SLOW void pgas_mailbox_poll(pgas_context *c) {
    pgas_mailbox_claim(c);
    if (c->reads_mailbox) {
        pgas_mailbox_take(c, PGAS_TAGS, 1, pgas_mailbox_load(c), false);
        pgas_mailbox_release(c);
    }
}

// ---- taking all that has come

// Returns what the host has taken of the queue. One thread of the device at a time reads host memory, for
// all: many would slow everything else.
PGAS_SLOW pgas_u64 pgas_queue_taken(pgas_context *c) {
    pgas_u64 *watch = (pgas_u64 *) (c->area + PGAS_QUEUE_WATCH);
    if (atomicCAS(watch, 0ull, 1ull) != 0) {
        return pgas_ld(c->area + PGAS_QUEUE_SEEN);
    }
    pgas_u64 taken = pgas_ld((const void *) c->world->queue_head);
    pgas_st(c->area + PGAS_QUEUE_SEEN, taken);
    pgas_fence_device();
    pgas_st(watch, 0);
    return taken;
}

// Takes the messages of all channels and reads how far the host is, at the queue; one thread with the block's lock, which it gives
// back.
PGAS_FN void pgas_drain_channels(pgas_context *c, bool at_queue) {
    if (at_queue) {
        *(volatile pgas_u64 *) &c->queue_taken = pgas_queue_taken(c);
    }
    pgas_u32 open = (pgas_u32) pgas_ld(c->record + PGAS_CLAIMS);
    for (pgas_u32 channel = 0; channel < open && channel < PGAS_CHANNELS; channel++) {
        pgas_take_channel(c, channel, false);
    }
    __threadfence_block();
    atomicExch(&c->lock, 0u);
}

// Takes all messages that have come; one thread. at_queue: and reads how far the host is.
PGAS_SLOW void pgas_drain_thread(pgas_context *c, bool at_queue = false) {
    if (atomicCAS(&c->lock, 0u, 1u) != 0u) {
        return;  // another thread of the block takes them
    }
    __threadfence_block();
    if (c->mailbox != 0) {
        pgas_mailbox_poll(c);
    }
    pgas_drain_channels(c, at_queue);
}

// The same at the queue, by a warp that waits for room there.
PGAS_SLOW void pgas_drain_queue_warp(pgas_context *c) {
    bool first = (threadIdx.x & 31) == 0;
    int mine = first && atomicCAS(&c->lock, 0u, 1u) == 0u;
    if (__shfl_sync(0xffffffffu, mine, 0)) {
        __threadfence_block();
        if (c->mailbox != 0) {
            pgas_mailbox_poll_warp(c);
        }
        if (first) {
            pgas_drain_channels(c, true);
        }
    }
    __syncwarp();
}
