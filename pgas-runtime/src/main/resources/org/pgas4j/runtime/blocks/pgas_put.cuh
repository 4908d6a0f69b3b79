// ---- puts and notifications by groups of i of n threads, of which the first sends

#define PGAS_PUT_ALONE ((int) 0x80000000)  // in place of a tag: a put without a notification

// Makes the endpoint of a block for a group. Some of its threads may have found it already, if another warp made it
// meanwhile: only those of one warp, or all that send by themselves, can come here without the others.
PGAS_SLOW int pgas_group_endpoint(pgas_context *c, pgas_u32 world, pgas_u32 i, pgas_u32 n) {
    PGAS_IN_SHARED(c);
    if (n == 1 || n == 32) {
        return pgas_endpoint(c, world);  // the first of them makes it, the others find it
    }
    int endpoint = pgas_find(c, world);  // the same for all that had not found it before the barrier
    if (endpoint == PGAS_NOT_MADE) {
        __syncthreads();  // all have looked
        if (i == 0) {
            pgas_open(c, world);
        }
        __syncthreads();
        endpoint = pgas_find(c, world);
    }
    return endpoint;
}

// A put of a group to a place in a segment that this device reaches.
struct pgas_group_put {
    int window, target, tag;
    pgas_u32 world;
    pgas_u64 offset, place, bytes;
    const char *src;
    char *segment;
    bool alone;  // the group is the block
};

// Number of a window that is kept with the place of its part at a target.
PGAS_FN int pgas_kept_window(pgas_context *c, int window, pgas_u64 place) {
    return place < c->common_end ? window : window | PGAS_UNCOMMON;
}

// Keeps the place of a put for later ones to the same target; one thread.
PGAS_FN void pgas_keep_place(pgas_context *c, const pgas_group_put &p) {
    c->last_put.target = p.target;
    c->last_put.world = p.world;
    c->last_put.counted = pgas_here(c->partners, pgas_host_of(c, p.world));
    c->last_put.place = p.place - p.offset;
    c->last_put.bytes = pgas_win_bytes(c, p.window, p.target);
    c->last_put.segment = p.segment;
    c->last_put.window = pgas_kept_window(c, p.window, p.place);
}

// Sends the bytes with their notification.
PGAS_FN void pgas_put_inline(pgas_context *c, const pgas_group_put &p, pgas_u32 i) {
    pgas_u32 tag = (pgas_u32) p.tag, bytes = (pgas_u32) p.bytes;
    if (p.alone) {
        if (i == 0) {
            pgas_keep_place(c, p);
        }
        if (i < 32) {
            pgas_u64 payload = pgas_read_payload(p.src, bytes);
            if (!pgas_send_fast(c, pgas_route_to(c, p.world), p.world, tag, bytes, p.place, payload) && i == 0) {
                pgas_send(c, p.world, tag, bytes, p.place, payload, true);
            }
        }
    } else if (i == 0) {
        pgas_send(c, p.world, tag, bytes, p.place, pgas_read_payload(p.src, bytes), false);
    }
}

// Copies the bytes, unless source and target are the same, and then notifies.
PGAS_FN void pgas_put_copy(pgas_context *c, const pgas_group_put &p, int endpoint, pgas_u32 i, pgas_u32 n) {
    if (i == 0) {
        pgas_before_stores(c, endpoint, p.place, p.bytes, p.alone);
    }
    if (p.segment + p.place != p.src) {
        pgas_group_sync(n);
        pgas_copy(p.segment + p.place, p.src, p.bytes, i, n);
    }
    if (p.tag >= 0) {
        pgas_group_sync(n);
        if (i == 0) {
            pgas_send(c, p.world, (pgas_u32) p.tag, 0, 0, 0, p.alone);
        }
    }
}

#define PGAS_PARTS_BYTES 64  // of a put by the host whose bytes travel with commands: a copy by the driver takes longer

// Puts by the host as commands of 8 bytes each, of which the last notifies; threads i of a group of a warp at least.
PGAS_FN void pgas_put_parts(pgas_context *c, const pgas_group_put &p, pgas_u32 i) {
    pgas_u32 bytes = (pgas_u32) p.bytes, last = (bytes - 1) / 8;
    if (i >= 32) {
        return;
    }
    if (i == 0) {
        pgas_await_fenced(c, PGAS_TARGETS);
    }
    __syncwarp();
    if (i < last) {
        pgas_command(c, PGAS_COMMAND_PUT_INLINE, PGAS_PART_TAG, 8, p.world, p.place + 8 * i, pgas_read_payload(p.src + 8 * i, 8), 0);
    }
    __syncwarp();  // the last command gets a later number
    if (i == 0) {
        pgas_put_by_host(c, p.world, p.place + 8 * last, p.src + 8 * last, bytes - 8 * last, p.tag);
    }
}

// Claims a place beside the queue; one thread. Returns its number, or PGAS_NOWHERE if none is free, or too many others claim some.
PGAS_FN pgas_u64 pgas_claim_place(pgas_context *c) {
    pgas_u64 *tail = (pgas_u64 *) (c->area + PGAS_STAGED_TAIL);
    pgas_u64 place = pgas_ld(tail);
    for (int tries = 0; tries < PGAS_PAGE_STAGED_PLACES; tries++) {
        if ((long long) (place - pgas_ld(c->area + PGAS_STAGED_SEEN)) >= PGAS_PAGE_STAGED_PLACES) {
            pgas_u64 freed = pgas_ld((const char *) c->world->queue + PGAS_PAGE_STAGED_FREED - PGAS_PAGE_QUEUE);
            pgas_max(c->area + PGAS_STAGED_SEEN, freed);
            if ((long long) (place - freed) >= PGAS_PAGE_STAGED_PLACES) {
                return PGAS_NOWHERE;
            }
        }
        pgas_u64 was = atomicCAS(tail, place, place + 1);
        if (was == place) {
            return place;
        }
        place = was;
    }
    return PGAS_NOWHERE;
}

// A notified put by the host whose bytes the group leaves beside the queue, which takes no copy by the driver. False, and nothing is
// sent, if no place is free there; the same in all threads.
PGAS_FN bool pgas_put_staged(pgas_context *c, const pgas_group_put &p, pgas_u32 i, pgas_u32 n) {
    pgas_u64 place = 0;
    if (i == 0) {
        pgas_await_fenced(c, PGAS_TARGETS);
        place = pgas_claim_place(c);
    }
    if (n == 32) {
        __syncwarp();
        place = __shfl_sync(0xffffffffu, place, 0);
    } else if (n != 1) {
        if (i == 0) {
            c->found = place;
        }
        __syncthreads();
        place = c->found;
    }
    if (place == PGAS_NOWHERE) {
        return false;
    }
    char *to = (char *) c->world->queue + (PGAS_PAGE_STAGED - PGAS_PAGE_QUEUE)
            + pgas_staged_at((pgas_u32) place) + (p.place & (PGAS_PAGE_STAGED_ALIGNMENT - 1));
    pgas_copy(to, p.src, p.bytes, i, n);
    pgas_group_sync(n);
    if (i == 0) {
        pgas_fence_system();
        pgas_command(c, PGAS_COMMAND_PUT_STAGED | PGAS_COMMAND_WITH_NOTIFY, (pgas_u32) p.tag, 0, p.world, p.place, place,
                     (pgas_u32) p.bytes);
    }
    return true;
}

// Puts to a valid place that this device does not reach.
PGAS_SLOW void pgas_put_unreached(pgas_context *c, const pgas_group_put &p, pgas_u32 i, pgas_u32 n) {
    PGAS_IN_SHARED(c);
    if (p.bytes > 8 && p.bytes <= PGAS_PARTS_BYTES && n >= 32) {
        pgas_put_parts(c, p, i);
        return;
    }
    bool staged = p.tag >= 0 && p.bytes > 8 && p.bytes <= PGAS_PAGE_MAX_STAGED && pgas_put_staged(c, p, i, n);
    if (!staged && i == 0) {
        pgas_put_by_host(c, p.world, p.place, p.src, p.bytes, p.tag);
    }
}

// Puts to a valid place. found: by pgas_find.
PGAS_FN void pgas_put_to(pgas_context *c, pgas_group_put &p, int found, pgas_u32 i, pgas_u32 n) {
    p.world = (pgas_u32) pgas_window_world(c, p.window, p.target);
    int endpoint = found == PGAS_NOT_MADE ? pgas_group_endpoint(c, p.world, i, n) : found;
    p.segment = endpoint >= 0 ? c->to_segment[endpoint] : pgas_segment(c, pgas_host_of(c, p.world));
    if (p.segment == 0) {
        pgas_put_unreached(c, p, i, n);
    } else if (p.tag >= 0 && p.bytes <= 8 && p.bytes > 0 && p.segment + p.place != p.src && p.place < c->common_end) {
        pgas_put_inline(c, p, i);
    } else {
        bool packets = PGAS_WITH_PACKETS && p.tag >= 0 && p.bytes - 1 < pgas_packet_bytes(c, n) && endpoint >= 0
                && p.segment + p.place != p.src && p.place < c->common_end;
        pgas_u32 few = n > 32 && packets && p.bytes <= PGAS_WARP_PAYLOAD ? 32 : n;  // threads that send
        bool sent = packets && i < few
                && pgas_put_packets(c, endpoint, p.place, p.src, (pgas_u32) p.bytes, (pgas_u32) p.tag, p.alone, i, few);
        if (!sent && i < few) {
            pgas_put_copy(c, p, endpoint, i, few);
        }
        if (p.tag >= 0 && endpoint >= 0 && p.alone && i == 0) {
            pgas_keep_place(c, p);
        }
    }
    if (i == 0) {
        pgas_count(c, pgas_host_of(c, p.world), PGAS_COUNTED_PUTS, p.bytes);
    }
}

// As pgas_put_notify to the place of the last put, as packets and by stores alone. False, and nothing is sent, if that is not
// possible. Begins with a barrier of the block, and ends with one if it is true.
PGAS_FN bool pgas_put_fast(pgas_context *c, int window, int target, pgas_u64 offset, const char *src, pgas_u32 bytes, int tag) {
    pgas_block_sync();  // the stores of the block to the source are there
    pgas_last_put last = c->last_put;
    pgas_packet_route route = pgas_packet_route_to(c, (pgas_u32) pgas_window_world(c, window, target));
    pgas_u32 i = pgas_not_ahead(threadIdx.x), n = pgas_not_ahead(pgas_block_threads()), count = pgas_packets_for(bytes);
    pgas_u64 payload = i < count ? pgas_read_packet(src, bytes, i) : 0;
    pgas_u64 place = last.place + offset;
    pgas_check_faults(c);
    if (((last.window ^ window) | (last.target ^ target)) != 0 || offset > last.bytes || bytes > last.bytes - offset
            || last.segment + place == src || (pgas_u32) tag >= PGAS_TAGS || !pgas_is_fast(route, last.world, count)) {
        return false;
    }
    pgas_store_fast(route, i, count, payload, place, bytes, (pgas_u32) tag);
    if (n < count) {
        pgas_store_packets(c, route.ring, route.pack.next, src, bytes, i + n, n);
    }
    pgas_block_sync();  // all have read what the first thread changes; the message is on its way meanwhile
    if (i == 0) {
        pgas_pass_packets(c, route, place, bytes);
        pgas_count_at(route.counts, last.counted, PGAS_COUNTED_PUTS, bytes);
    }
    pgas_block_sync();
    return true;
}

// Stores the message of bytes that all threads of the block have copied, after them; the block's first thread.
PGAS_FN void pgas_release_message(pgas_context *c, const pgas_route &r, pgas_u32 tag) {
    pgas_u32 sequence = r.tail + 1;
    pgas_u64 flag = (pgas_u64) sequence << 32;
    char *slot = r.slots + (sequence & (PGAS_SLOTS - 1)) * PGAS_SLOT_BYTES;
    // release: pairs with the acquire of the wait, which PGAS_ACQUIRE asks for
    if (r.channel & PGAS_NEAR) {
        pgas_st_release_device(slot, flag | tag | PGAS_ACQUIRE);
        c->order.x = r.far | PGAS_DIRTY;
        c->order.y = r.near & PGAS_ALWAYS;
    } else {
        pgas_st_release(slot, flag | tag | PGAS_ACQUIRE | PGAS_FAR);
        c->order.x = c->order.y = r.far & PGAS_ALWAYS;
    }
    c->sends[r.endpoint].tail = sequence;
}

#define PGAS_READ_AHEAD_OF_PUT 2  // words of 16 bytes that a thread reads of the source while the first warp decides

// As pgas_put_notify to the place of the last put, by a copy and one release. False, and nothing is sent, if that is not possible.
// Begins with a barrier of the block, and ends with one. The first warp looks at the state alone: that takes hundreds of
// instructions, which the other warps would run at its expense.
PGAS_SLOW bool pgas_put_released(pgas_context *c, int window, int target, pgas_u64 offset, const char *src, pgas_u64 bytes,
                                 int tag) {
    PGAS_IN_SHARED(c);
    pgas_block_sync();  // the stores of the block to the source are there
    pgas_u32 i = threadIdx.x, n = pgas_block_threads();
    bool ahead = (((pgas_u64) src | bytes) & 15) == 0 && bytes <= PGAS_READ_AHEAD_OF_PUT * 16 * n;
    uint4 word[PGAS_READ_AHEAD_OF_PUT];
#pragma unroll
    for (pgas_u32 k = 0; k < PGAS_READ_AHEAD_OF_PUT; k++) {
        word[k] = ahead && (k * n + i) * 16 < bytes ? ((const uint4 *) src)[k * n + i] : make_uint4(0, 0, 0, 0);
    }
    pgas_route r;
    if (i < 32) {
        pgas_last_put last = c->last_put;
        r = pgas_route_to(c, (pgas_u32) pgas_window_world(c, window, target));
        pgas_u64 low = c->low[r.endpoint], high = c->high[r.endpoint], place = last.place + offset;
        bool can = (((last.window & ~PGAS_UNCOMMON) ^ window) | (last.target ^ target)) == 0 && offset <= last.bytes
                && bytes <= last.bytes - offset && (pgas_u32) tag < PGAS_TAGS && r.there == last.world + 1
                && (r.channel & ~PGAS_NEAR) < PGAS_CHANNELS && (int) (r.limit - r.tail - 1) >= 0
                && (place >= high || low >= place + bytes);
        if (i == 0) {
            c->found = can ? (pgas_u64) (last.segment + place) : 0;
        }
    }
    pgas_block_sync();
    pgas_check_faults(c);
    char *to = (char *) c->found;
    if (to == 0) {
        return false;
    }
    if (to != src && ahead && ((pgas_u64) to & 15) == 0) {
#pragma unroll
        for (pgas_u32 k = 0; k < PGAS_READ_AHEAD_OF_PUT; k++) {
            if ((k * n + i) * 16 < bytes) {
                ((uint4 *) to)[k * n + i] = word[k];
            }
        }
    } else if (to != src) {
        pgas_copy(to, src, bytes, i, n);
    }
    pgas_block_sync();  // all have copied
    if (i == 0) {
        pgas_release_message(c, r, (pgas_u32) tag);
        pgas_count_at(c->counts, c->last_put.counted, PGAS_COUNTED_PUTS, bytes);
    }
    pgas_block_sync();
    return true;
}

PGAS_FN void pgas_put_group(pgas_context *c, int window, int target, pgas_u64 offset, const void *source,
                            pgas_u64 bytes, int tag, pgas_u32 i, pgas_u32 n) {
    pgas_u64 place = pgas_place(c, window, target, offset, bytes);
    int found = pgas_find(c, (pgas_u32) pgas_window_world(c, window, target));
    // The group's stores to the source are there, and none of its threads still sends by itself.
    pgas_group_sync(n);
    if (n == pgas_block_threads()) {
        pgas_check_faults(c);
    }
    bool bad_tag = tag != PGAS_PUT_ALONE && (pgas_u32) tag >= PGAS_TAGS;
    if (bad_tag || place == PGAS_NOWHERE) {
        if (i == 0 && bad_tag) {
            pgas_fail(c, PGAS_NO_TAG, tag, PGAS_TAGS, 0);
        } else if (i == 0) {
            pgas_misplaced(c, window, target, offset, bytes);
        }
    } else {
        pgas_group_put p;
        p.window = window;
        p.target = target;
        p.tag = tag;
        p.offset = offset;
        p.place = place;
        p.bytes = bytes;
        p.src = (const char *) source;
        p.alone = n == pgas_block_threads();
        pgas_put_to(c, p, found, i, n);
    }
    pgas_group_sync(n);
    if (n == pgas_block_threads()) {
        pgas_check(c);
    }
}

PGAS_FN void pgas_put(pgas_context *c, int window, int target, pgas_u64 offset, const void *src, pgas_u64 bytes) {
    pgas_put_group(c, window, target, offset, src, bytes, PGAS_PUT_ALONE, PGAS_GROUP_BLOCK);
}

PGAS_FN void pgas_put_warp(pgas_context *c, int window, int target, pgas_u64 offset, const void *src, pgas_u64 bytes) {
    pgas_put_group(c, window, target, offset, src, bytes, PGAS_PUT_ALONE, PGAS_GROUP_WARP);
}

PGAS_FN void pgas_put_thread(pgas_context *c, int window, int target, pgas_u64 offset, const void *src,
                             pgas_u64 bytes) {
    pgas_put_group(c, window, target, offset, src, bytes, PGAS_PUT_ALONE, PGAS_GROUP_THREAD);
}

// As pgas_put_notify, the first to a place or where a put needs more than stores.
PGAS_SLOW void pgas_put_notify_otherwise(pgas_context *c, int window, int target, pgas_u64 offset, const void *src, pgas_u64 bytes,
                                         int tag) {
    PGAS_IN_SHARED(c);
    pgas_put_group(c, window, target, offset, src, bytes, tag, PGAS_GROUP_BLOCK);
}

PGAS_FN void pgas_put_notify(pgas_context *c, int window, int target, pgas_u64 offset, const void *src, pgas_u64 bytes,
                             int tag) {
    window = pgas_not_ahead(window);
    target = pgas_not_ahead(target);
    offset = pgas_not_ahead(offset);
    src = pgas_not_ahead(src);
    bytes = pgas_not_ahead(bytes);
    tag = pgas_not_ahead(tag);
    if (bytes - 1 < 8) {
        pgas_block_sync();  // the stores of the block to the source are there
        pgas_last_put last = c->last_put;
        pgas_u64 payload = pgas_read_payload((const char *) src, (pgas_u32) bytes);
        pgas_route route;
        if (threadIdx.x < 32) {
            route = pgas_route_to(c, (pgas_u32) pgas_window_world(c, window, target));
        }
        pgas_u64 place = last.place + offset;
        pgas_check_faults(c);
        if (((last.window ^ window) | (last.target ^ target)) == 0 && offset <= last.bytes
                && bytes <= last.bytes - offset && last.segment + place != (const char *) src
                && (pgas_u32) tag < PGAS_TAGS) {
            if (threadIdx.x < 32
                    && !pgas_send_fast(c, route, last.world, (pgas_u32) tag, (pgas_u32) bytes, place, payload)
                    && threadIdx.x == 0) {
                pgas_send(c, last.world, (pgas_u32) tag, (pgas_u32) bytes, place, payload, true);
            }
            if (threadIdx.x == 0) {
                pgas_count_at(c->counts, last.counted, PGAS_COUNTED_PUTS, bytes);
            }
            pgas_block_sync();
            return;
        }
    } else if (PGAS_WITH_PACKETS && bytes - 1 < pgas_packet_bytes(c, pgas_block_threads())
            ? pgas_put_fast(c, window, target, offset, (const char *) src, (pgas_u32) bytes, tag)
            : pgas_put_released(c, window, target, offset, (const char *) src, bytes, tag)) {
        return;
    }
    pgas_put_notify_otherwise(c, window, target, offset, src, bytes, tag);
}

PGAS_FN void pgas_put_notify_warp(pgas_context *c, int window, int target, pgas_u64 offset, const void *src,
                                  pgas_u64 bytes, int tag) {
    pgas_put_group(c, window, target, offset, src, bytes, tag, PGAS_GROUP_WARP);
}

PGAS_FN void pgas_put_notify_thread(pgas_context *c, int window, int target, pgas_u64 offset, const void *src,
                                    pgas_u64 bytes, int tag) {
    pgas_put_group(c, window, target, offset, src, bytes, tag, PGAS_GROUP_THREAD);
}

PGAS_SLOW void pgas_notify_group(pgas_context *c, int comm, int target, int tag, bool alone) {
    PGAS_IN_SHARED(c);
    pgas_u32 world = (pgas_u32) pgas_world_rank(c, comm, target);
    if ((pgas_u32) tag >= PGAS_TAGS) {
        pgas_fail(c, PGAS_NO_TAG, tag, PGAS_TAGS, 0);
        return;
    }
    if (c->sends[world % PGAS_TARGETS].target != world + 1 && (target < 0 || target >= pgas_size(c, comm))) {
        c->window = -1;
        pgas_fail(c, PGAS_NO_TARGET, target, (pgas_u64) pgas_size(c, comm), 0, (pgas_u64) comm);
        return;
    }
    pgas_send_now(c, world, (pgas_u32) tag, 0, 0, 0, alone);
}

PGAS_FN void pgas_notify_thread(pgas_context *c, int comm, int target, int tag) {
    pgas_notify_group(c, comm, target, tag, false);
}

PGAS_FN void pgas_notify(pgas_context *c, int comm, int target, int tag) {
    pgas_u32 world = (pgas_u32) pgas_world_rank(c, comm, target);
    pgas_block_sync();
    pgas_check_faults(c);
    if (threadIdx.x < 32) {
        bool sent = (pgas_u32) tag < PGAS_TAGS
                && pgas_send_fast(c, pgas_route_to(c, world), world, (pgas_u32) tag, 0, 0, 0);
        if (!sent && threadIdx.x == 0) {
            pgas_notify_group(c, comm, target, tag, true);
        }
    }
    pgas_block_sync();
}

PGAS_FN void pgas_notify_warp(pgas_context *c, int comm, int target, int tag) {
    __syncwarp();
    if ((threadIdx.x & 31) == 0) {
        pgas_notify_group(c, comm, target, tag, false);
    }
    __syncwarp();
}

PGAS_FN void pgas_fence(pgas_context *c) {
    __syncthreads();
    if (threadIdx.x == 0) {
        pgas_dirty(c);
        if (PGAS_WITH_PACKETS && c->packed) {
            c->unpacked |= pgas_endpoints_with_packets(c, -1);
        }
        for (int i = 0; i < PGAS_TARGETS; i++) {
            c->plain[i] = 1;
            c->sends[i].limit = c->sends[i].tail;
        }
    }
    __syncthreads();
}

PGAS_FN void *pgas_ptr(pgas_context *c, int window, int target) {
    pgas_u64 place = pgas_place(c, window, target, 0, 0);
    if (place == PGAS_NOWHERE) {
        pgas_misplaced(c, window, target, 0, 0);
        return (void *) 0;
    }
    pgas_u32 world = (pgas_u32) pgas_window_world(c, window, target);
    char *segment = pgas_segment(c, pgas_host_of(c, world));
    if (PGAS_WITH_PACKETS && c->packed) {
        pgas_await_packets_at(c, world, place, pgas_win_bytes(c, window, target));
    }
    c->order.x = c->order.y = PGAS_DIRTY | PGAS_ALWAYS;  // stores through the pointer come before later notifications
    return segment == 0 ? (void *) 0 : (void *) (segment + place);
}
