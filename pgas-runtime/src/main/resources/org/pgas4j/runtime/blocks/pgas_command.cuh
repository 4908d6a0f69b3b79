// ---- puts by the host: with more than 8 bytes in the page, where the host reads them, or copied by the device from the source

#define PGAS_PUT_ALONE ((int) 0x80000000)  // in place of a tag: a put without a notification

// True if memory is in this rank's segment, where its host and other devices find it.
PGAS_FN bool pgas_is_shared(pgas_context *c, const char *at, pgas_u64 bytes) {
    pgas_u64 from = (pgas_u64) (at - c->segment);
    return from <= c->world->segment_bytes && bytes <= c->world->segment_bytes - from;
}

PGAS_FN pgas_u32 pgas_tag_of(int tag) {
    return tag >= 0 ? (pgas_u32) tag : 0;
}

// Waits until entries of the queue from one on are free; one thread. Returns the first; PGAS_NOWHERE if the launch has failed.
PGAS_SLOW pgas_u64 pgas_claim_later(pgas_context *c, pgas_u64 index, pgas_u32 entries, pgas_u32 tag) {
    PGAS_IN_SHARED(c);
    pgas_u64 taken = *(volatile pgas_u64 *) &c->queue_taken, start = 0;
    bool waits = true;
    while (waits) {
        waits = (long long) (index + entries - taken) > (long long) c->world->queue_entries;
        if (waits) {
            pgas_drain_thread(c, true);
            taken = *(volatile pgas_u64 *) &c->queue_taken;
            __nanosleep(2000);
            pgas_u64 now = pgas_now();
            start = start == 0 ? now : start;
            if (now - start > c->timeout_ns) {
                pgas_fail(c, PGAS_LATE_QUEUE, (int) tag, index, taken);
            }
            if (c->dead || pgas_aborted(c)) {
                c->dead = 1;
                index = PGAS_NOWHERE;
                waits = false;
            }
        }
        waits = pgas_opaque(waits);
    }
    return index;
}

// Claims entries of the queue for a group and waits until they are free; its first thread. Returns as before, 0 to the others.
PGAS_FN pgas_u64 pgas_claim(pgas_context *c, pgas_u32 entries, pgas_u32 tag, bool first) {
    pgas_u64 taken = 0, index = 0;
    if (first) {
        taken = pgas_ld(c->area + PGAS_QUEUE_SEEN);
        index = pgas_add(c->area + PGAS_QUEUE_TAIL, entries);
    }
    if (first && (long long) (index + entries - taken) > (long long) c->world->queue_entries) {
        index = pgas_claim_later(c, index, entries, tag);
    }
    return index;
}

// op: without tag and length.
PGAS_FN void pgas_store_put(pgas_context *c, pgas_u32 op, pgas_u64 index, pgas_u32 target, pgas_u64 place, pgas_u64 value,
                            pgas_u32 bytes, int tag) {
    op |= bytes << PGAS_COMMAND_LENGTH_SHIFT | pgas_tag_of(tag) << PGAS_COMMAND_TAG_SHIFT
            | (tag >= 0 ? PGAS_COMMAND_WITH_NOTIFY : 0);
    pgas_store_command((char *) c->world->queue, c->world->queue_entries, index, op, target, place, value, 0);
}

// Puts up to PGAS_COMMAND_MAX_WORDS bytes as thread i of n, one or those of a warp: in words that have the number of their
// command, so that no order of the stores matters, and no fence.
PGAS_FN void pgas_put_words(pgas_context *c, pgas_u32 target, pgas_u64 place, const char *src, pgas_u32 bytes, int tag,
                            pgas_u32 i, pgas_u32 n) {
    pgas_u32 count = pgas_packets_for(bytes);
    pgas_u64 payload = i < count ? pgas_read_packet(src, bytes, i) : 0;  // on its way while the first thread claims
    pgas_u64 index = pgas_claim(c, 1, pgas_tag_of(tag), i == 0);
    if (n == 32) {
        __syncwarp();
        index = __shfl_sync(0xffffffffu, index, 0);
    }
    if (index == PGAS_NOWHERE) {
        return;
    }
    char *to = pgas_page(c) + PGAS_PAGE_WORDS + (index & (c->world->queue_entries - 1)) * PGAS_PAGE_WORDS_BYTES;
    pgas_u64 flag = (index + 1) << 32;
    for (pgas_u32 k = i; k < count; k += n) {
        payload = k == i ? payload : pgas_read_packet(src, bytes, k);
        pgas_st2(to + k * PGAS_PACKET_BYTES, flag | (pgas_u32) payload, flag | payload >> 32);
    }
    if (i == 0) {
        pgas_store_put(c, PGAS_COMMAND_PUT_WORDS, index, target, place, 0, bytes, tag);
    }
}

// Puts up to as many bytes as are staged, as thread i of n, a warp or the block: they are in the page before the command. There
// they have the place of the source in a vector.
PGAS_FN void pgas_put_staged(pgas_context *c, pgas_u32 target, pgas_u64 place, const char *src, pgas_u32 bytes, int tag,
                             pgas_u32 i, pgas_u32 n) {
    pgas_u32 entries = (bytes + PGAS_PAGE_VECTOR - 1 + PGAS_PAGE_STAGING_BYTES - 1) / PGAS_PAGE_STAGING_BYTES;
    pgas_u64 index = pgas_claim(c, entries, pgas_tag_of(tag), i == 0);
    if (n == 32) {
        index = __shfl_sync(0xffffffffu, index, 0);
    } else {
        if (i == 0) {
            c->claim = index;
        }
        __syncthreads();
        index = c->claim;
    }
    if (index == PGAS_NOWHERE) {
        return;
    }
    pgas_u64 at = PGAS_PAGE_STAGING + (index & (c->world->queue_entries - 1)) * PGAS_PAGE_STAGING_BYTES + ((pgas_u64) src & 15);
    pgas_copy_far<2>(pgas_page(c) + at, src, bytes, i, n);
    pgas_group_sync(n);
    if (i == 0) {
        pgas_fence_system();
        pgas_store_put(c, PGAS_COMMAND_PUT_STAGED, index, target, place, at, bytes, tag);
    }
}

// Puts by a copy of the device from a source that its host finds; one thread.
PGAS_FN void pgas_put_copied(pgas_context *c, pgas_u32 target, pgas_u64 place, const char *src, pgas_u64 bytes, int tag) {
    pgas_u64 from = (pgas_u64) (src - c->segment);
    pgas_fence_system();
    for (; bytes > PGAS_COMMAND_MAX_PUT_BYTES; bytes -= PGAS_COMMAND_MAX_PUT_BYTES) {
        atomicAdd(&c->bulk, 1ull);
        pgas_command(c, PGAS_COMMAND_PUT, 0, 0, target, place, from, PGAS_COMMAND_MAX_PUT_BYTES);
        place += PGAS_COMMAND_MAX_PUT_BYTES;
        from += PGAS_COMMAND_MAX_PUT_BYTES;
    }
    atomicAdd(&c->bulk, 1ull);
    pgas_command(c, PGAS_COMMAND_PUT | (tag >= 0 ? PGAS_COMMAND_WITH_NOTIFY : 0), pgas_tag_of(tag), 0, target, place, from,
                 (pgas_u32) bytes);
}

// Puts up to 8 bytes by the host; one thread.
PGAS_FN void pgas_put_few(pgas_context *c, pgas_u32 target, pgas_u64 place, const char *src, pgas_u32 bytes, int tag) {
    pgas_await_fenced(c, PGAS_TARGETS);
    if (bytes != 0) {
        pgas_command_now(c, PGAS_COMMAND_PUT_INLINE | (tag >= 0 ? PGAS_COMMAND_WITH_NOTIFY : 0), pgas_tag_of(tag), bytes, target,
                         place, pgas_read_payload(src, bytes), 0);
    } else if (tag >= 0) {
        pgas_send_otherwise(c, target, (pgas_u32) tag, 0, 0, 0, false, true);
    }
}

// Puts by the host, as thread i of n. tag: or PGAS_PUT_ALONE. A source that the host cannot reach goes in pieces. One thread
// alone takes longer to stage bytes than the device to copy them.
PGAS_SLOW void pgas_put_by_host(pgas_context *c, pgas_u32 target, pgas_u64 place, const char *src, pgas_u64 bytes, int tag,
                                pgas_u32 i, pgas_u32 n) {
    PGAS_IN_SHARED(c);
    if (bytes <= 8) {
        if (i == 0) {
            pgas_put_few(c, target, place, src, (pgas_u32) bytes, tag);
        }
        return;
    }
    bool many = n >= 32 && c->world->staged_bytes > PGAS_COMMAND_MAX_WORDS;
    pgas_u64 most = many ? c->world->staged_bytes : PGAS_COMMAND_MAX_WORDS;
    if (i == 0) {
        pgas_await_fenced(c, PGAS_TARGETS);
        pgas_order(c, false, n == pgas_block_threads());
    }
    if (bytes > most && pgas_is_shared(c, src, bytes)) {
        if (i == 0) {
            pgas_put_copied(c, target, place, src, bytes, tag);
        }
        return;
    }
    for (pgas_u64 done = 0; done < bytes; done += most) {
        bool last = bytes - done <= most;
        pgas_u32 part = (pgas_u32) (last ? bytes - done : most);
        int with = last ? tag : PGAS_PUT_ALONE;
        if (part > PGAS_COMMAND_MAX_WORDS) {
            pgas_put_staged(c, target, place + done, src + done, part, with, i, n);
        } else if (n < 32 ? i == 0 : i < 32) {
            pgas_put_words(c, target, place + done, src + done, part, with, i, n < 32 ? 1 : 32);
        }
    }
}
