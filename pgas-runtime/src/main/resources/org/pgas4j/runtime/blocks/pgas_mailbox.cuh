// ---- mailbox: messages of the host for the blocks of this device. One of the blocks that wait reads it for all: a
// thread that polls host memory does no harm, many do.

// Reports to the host how far messages are delivered, so that it may reuse their slots. The report of the block that
// read before may still be in flight: the greater number holds.
PGAS_FN void pgas_mailbox_report(pgas_context *c) {
    if (c->mailbox_wrote) {
        pgas_fence_system();
        c->mailbox_wrote = 0;
    }
    pgas_max((void *) c->world->mailbox_taken, c->mailbox_head);
    c->mailbox_reported = c->mailbox_head;
}

// Leaves the mailbox to other blocks.
PGAS_SLOW void pgas_mailbox_release(pgas_context *c) {
    PGAS_IN_SHARED(c);
    if (c->mailbox_reported != c->mailbox_head) {
        pgas_mailbox_report(c);
    }
    c->reads_mailbox = 0;
    pgas_st(c->area + PGAS_MAILBOX, c->mailbox_head << PGAS_READER_BITS);
}

// Tries to become the block that reads the mailbox; one thread.
PGAS_FN void pgas_mailbox_claim(pgas_context *c) {
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

// The words of a message that are in use, each with its number; a notification alone has the first two.
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

// True if a message brings a word for which blocks wait: everything before it has to be there first. Parts of puts have a tag.
PGAS_FN bool pgas_is_awaited_word(const pgas_mailbox_message &m) {
    pgas_u32 bytes = pgas_mailbox_length(m);
    return (m.op & (PGAS_COMMAND_WITH_NOTIFY | PGAS_COMMAND_MAX_TAG << PGAS_COMMAND_TAG_SHIFT)) == 0
            && (bytes == 4 || bytes == 8) && ((pgas_u32) m.offset_low & (bytes - 1)) == 0;
}

// True if the bytes of a message lie beside the mailbox.
PGAS_FN bool pgas_is_staged(const pgas_mailbox_message &m) {
    return pgas_mailbox_length(m) > 8;
}

PGAS_FN char *pgas_mailbox_to(pgas_context *c, const pgas_mailbox_message &m) {
    return c->segment + (m.offset_high << 32 | (pgas_u32) m.offset_low);
}

// Offset of a place from the first of those beside the queue, or beside the mailbox.
PGAS_FN pgas_u32 pgas_staged_at(pgas_u32 place) {
    return (place & (PGAS_PAGE_STAGED_PLACES - 1)) * PGAS_PAGE_STAGED_STRIDE;
}

// Stores the bytes of a message that lie beside the mailbox, as thread i of n.
PGAS_FN void pgas_mailbox_unstage(pgas_context *c, const pgas_mailbox_message &m, pgas_u32 i, pgas_u32 n) {
    const char *from = (const char *) c->mailbox + (PGAS_PAGE_MAILBOX_STAGED - PGAS_PAGE_MAILBOX) + pgas_staged_at((pgas_u32) m.value_low);
    char *to = pgas_mailbox_to(c, m);
    pgas_u32 shift = (pgas_u32) (pgas_u64) to & (PGAS_PAGE_STAGED_ALIGNMENT - 1);
    pgas_copy_from_host(to - shift, from, shift, shift + pgas_mailbox_length(m), i, n);
}

PGAS_FN void pgas_mailbox_store(pgas_context *c, const pgas_mailbox_message &m) {
    if (pgas_is_staged(m)) {
        c->mailbox_wrote = 1;
        pgas_mailbox_unstage(c, m, 0, 1);
        return;
    }
    char *to = pgas_mailbox_to(c, m);
    pgas_u64 value = m.value_high << 32 | (pgas_u32) m.value_low;
    c->mailbox_wrote = 1;
    if (pgas_is_awaited_word(m)) {
        pgas_fence_device();
        pgas_st_word(to, value, pgas_mailbox_length(m));
    } else {
        pgas_write_payload(to, value, pgas_mailbox_length(m));
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

// As before, of a message that no fence has followed yet, and goes on behind it.
PGAS_FN pgas_u32 pgas_mailbox_pass(pgas_context *c, const pgas_mailbox_message &m, pgas_u32 wanted) {
    if (pgas_mailbox_block(m) != blockIdx.x) {
        pgas_fence_device();
    }
    pgas_u32 found = pgas_mailbox_count(c, m, wanted);
    c->mailbox_head++;
    return found;
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
    PGAS_IN_SHARED(c);
    pgas_mailbox_read_ahead(c);
    pgas_u32 count = 0;
    for (; count < PGAS_READ_AHEAD; count++) {
        pgas_mailbox_message m = pgas_mailbox_load_ahead(c, count);
        if (!pgas_is_complete(c, m, count) || count != 0 && pgas_is_awaited_word(m) || pgas_is_staged(m)) {
            break;
        }
    }
    if (count == 0) {
        return PGAS_MAILBOX_EMPTY;
    }
    pgas_fence_system();
#pragma unroll 1
    for (pgas_u32 k = 0; k < count; k++) {
        pgas_mailbox_message m = pgas_mailbox_load_ahead(c, k);
        if (pgas_has_bytes(m)) {
            pgas_mailbox_store(c, m);
        }
    }
    pgas_fence_device();
    pgas_u32 found = 0;
#pragma unroll 1
    for (pgas_u32 k = 0; k < count; k++) {
        found += pgas_mailbox_count(c, pgas_mailbox_load_ahead(c, k), wanted);
    }
    c->mailbox_head += count;
    return found;
}

// As pgas_mailbox_take, where all words of `m` are there.
PGAS_SLOW pgas_u32 pgas_mailbox_take_complete(pgas_context *c, pgas_u32 wanted, pgas_u32 enough, pgas_mailbox_message m) {
    PGAS_IN_SHARED(c);
    // Copies of streams are visible behind a message. The fence acquires, as each read would wait for an acquiring
    // load.
    pgas_fence_system();
    if (pgas_has_bytes(m)) {
        pgas_mailbox_store(c, m);
    }
    pgas_u32 found = pgas_mailbox_pass(c, m, wanted);
    for (int i = 0; i < 16 && found < enough; i++) {  // the host has to learn of the room
        pgas_u32 more = pgas_mailbox_take_more(c, wanted);
        if (more == PGAS_MAILBOX_EMPTY) {
            break;
        }
        found += more;
    }
    return found;
}

// Takes the messages that are there, of which `m` is the next; one thread of the block that reads the mailbox. Returns
// the number of notifications for this block with the tag `wanted`, which the caller counts, and takes fewer messages
// once it has `enough`.
PGAS_FN pgas_u32 pgas_mailbox_take(pgas_context *c, pgas_u32 wanted, pgas_u32 enough, const pgas_mailbox_message &m) {
    if (pgas_is_complete(c, m)) {
        return pgas_mailbox_take_complete(c, wanted, enough, m);
    }
    if (c->mailbox_reported != c->mailbox_head) {
        pgas_mailbox_report(c);
    }
    return 0;
}

// Word of the next message, one of each of the first threads.
PGAS_FN pgas_u64 pgas_mailbox_word(pgas_context *c) {
    return threadIdx.x < PGAS_PAGE_COMMAND_BYTES / 8 ? pgas_ld(pgas_mailbox_slot(c) + threadIdx.x * 8) : 0;
}

// The message of which the threads of a warp have these words.
PGAS_FN pgas_mailbox_message pgas_mailbox_gather(pgas_u64 word) {
    pgas_mailbox_message m;
    m.op = __shfl_sync(0xffffffffu, word, PGAS_COMMAND_AT_OP / 8);
    m.block = __shfl_sync(0xffffffffu, word, PGAS_COMMAND_AT_BLOCK / 8);
    m.offset_low = __shfl_sync(0xffffffffu, word, PGAS_COMMAND_AT_OFFSET_LOW / 8);
    m.offset_high = __shfl_sync(0xffffffffu, word, PGAS_COMMAND_AT_OFFSET_HIGH / 8);
    m.value_low = __shfl_sync(0xffffffffu, word, PGAS_COMMAND_AT_VALUE_LOW / 8);
    m.value_high = __shfl_sync(0xffffffffu, word, PGAS_COMMAND_AT_VALUE_HIGH / 8);
    return m;
}

// Takes a message whose bytes lie beside the mailbox, and no other; the first warp. word: of the message, one of each thread. Returns
// to the first thread as pgas_mailbox_take.
PGAS_SLOW pgas_u32 pgas_mailbox_take_staged(pgas_context *c, pgas_u32 wanted, pgas_u64 word) {
    PGAS_IN_SHARED(c);
    if (threadIdx.x == 0) {
        pgas_fence_system();  // the bytes are there, as the message is
    }
    __syncwarp();
    pgas_mailbox_unstage(c, pgas_mailbox_gather(word), threadIdx.x, 32);
    pgas_mailbox_message m = pgas_mailbox_gather(word);  // again: the copy has the registers
    if (threadIdx.x != 0) {
        return 0;
    }
    c->mailbox_wrote = 1;
    return pgas_mailbox_pass(c, m, wanted);
}

// As pgas_mailbox_take by the first warp, whose threads have each a word of the next message. Returns to the first thread.
PGAS_FN pgas_u32 pgas_mailbox_take_warp(pgas_context *c, pgas_u32 wanted, pgas_u32 enough, pgas_u64 word) {
    pgas_mailbox_message m = pgas_mailbox_gather(word);
    // The vote comes before the first thread changes what all have read.
    if (__any_sync(0xffffffffu, pgas_is_staged(m) && pgas_is_complete(c, m))) {
        return pgas_mailbox_take_staged(c, wanted, word);
    }
    return threadIdx.x == 0 ? pgas_mailbox_take(c, wanted, enough, m) : 0;
}

// Takes messages unless another block reads the mailbox, and leaves it to others; the first warp.
PGAS_SLOW void pgas_mailbox_poll_warp(pgas_context *c) {
    PGAS_IN_SHARED(c);
    if (threadIdx.x == 0) {
        pgas_mailbox_claim(c);
    }
    __syncwarp();
    if (c->reads_mailbox) {
        pgas_mailbox_take_warp(c, PGAS_TAGS, 1, pgas_mailbox_word(c));
        __syncwarp();
        if (threadIdx.x == 0) {
            pgas_mailbox_release(c);
        }
        __syncwarp();
    }
}

// The same by one thread alone.
PGAS_SLOW void pgas_mailbox_poll(pgas_context *c) {
    PGAS_IN_SHARED(c);
    pgas_mailbox_claim(c);
    if (c->reads_mailbox) {
        pgas_mailbox_take(c, PGAS_TAGS, 1, pgas_mailbox_load(c));
        pgas_mailbox_release(c);
    }
}

// ---- taking all that has come

// Returns the number of commands that the host has taken. One thread of the device at a time reads host memory, for
// all: many would slow everything else.
PGAS_SLOW pgas_u64 pgas_queue_taken(pgas_context *c) {
    PGAS_IN_SHARED(c);
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

// Takes all messages that have come; one thread. at_queue: and reads how far the host is.
PGAS_SLOW void pgas_drain_thread(pgas_context *c, bool at_queue = false) {
    PGAS_IN_SHARED(c);
    if (atomicCAS(&c->lock, 0u, 1u) != 0u) {
        return;  // another thread of the block takes them
    }
    __threadfence_block();
    if (at_queue) {
        *(volatile pgas_u64 *) &c->queue_taken = pgas_queue_taken(c);
    }
    if (c->mailbox != 0) {
        pgas_mailbox_poll(c);
    }
    pgas_u32 open = (pgas_u32) pgas_ld(c->record + PGAS_CLAIMS);
    for (pgas_u32 channel = 0; channel < open && channel < PGAS_CHANNELS; channel++) {
        pgas_take_channel(c, channel, false);
    }
    __threadfence_block();
    atomicExch(&c->lock, 0u);
}
