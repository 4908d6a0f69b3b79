// ---- windows that count notifications by their source (SourcesLayout.java). A source sets its own word at the target, by a message
// of the channel like all others, so that the order is that of all others; no target reads another's memory.

struct __align__(8) pgas_source_data {
    int window, words;  // numbers of the window, and of one over this memory
    int comm, tags;
    pgas_u32 all;       // blocks of the communicator
    pgas_u32 turn;      // source at which the next wait for any begins
    pgas_u32 lock;      // of threads that notify without the others
};

static_assert(sizeof(pgas_source_data) <= PGAS_SOURCES_HEADER_BYTES, "the header of a source window is too small");

PGAS_FN pgas_u64 pgas_sources_bytes(pgas_context *c, int comm, int tags) {
    return PGAS_SOURCES_HEADER_BYTES
            + PGAS_SOURCES_KINDS * (pgas_u64) pgas_size(c, comm) * (pgas_u64) tags * PGAS_SOURCES_COUNT_BYTES;
}

PGAS_FN int pgas_sources_window(pgas_source_window w) {
    return w->window;
}

// Offset of a count: of PGAS_SOURCES_ARRIVED from a block, _SENT to it, or _TAKEN.
PGAS_FN pgas_u64 pgas_source_at(pgas_source_window w, int kind, int block, int tag) {
    pgas_u64 index = ((pgas_u64) kind * w->all + (pgas_u64) block) * (pgas_u64) w->tags + (pgas_u64) tag;
    return PGAS_SOURCES_HEADER_BYTES + index * PGAS_SOURCES_COUNT_BYTES;
}

PGAS_FN pgas_u32 *pgas_source_count(pgas_source_window w, int kind, int block, int tag) {
    return (pgas_u32 *) ((char *) w + pgas_source_at(w, kind, block, tag));
}

// ---- made and freed

PGAS_SLOW pgas_source_window pgas_win_create_sources(pgas_context *c, int comm, void *base, pgas_u64 bytes, int tags, void *work,
                                                     pgas_u64 work_bytes) {
    PGAS_IN_SHARED(c);
    bool known = tags > 0 && tags <= PGAS_TAGS;
    pgas_u64 least = known ? pgas_sources_bytes(c, comm, tags) : 0;
    __syncthreads();
    if (!known || work_bytes < least || ((pgas_u64) work & 15) != 0) {
        if (threadIdx.x == 0) {
            if (known) {
                pgas_fail(c, PGAS_SMALL_SOURCES, tags, least, work_bytes, (pgas_u64) pgas_size(c, comm));
            } else {
                pgas_fail(c, PGAS_BAD_TAGS, tags, PGAS_TAGS, 0);
            }
        }
        __syncthreads();
        pgas_exit_thread();
    }
    pgas_source_window w = (pgas_source_window) work;
    int words = pgas_win_create_in(c, comm, work, work_bytes, true);  // fails if the memory is not shared
    for (pgas_u64 i = threadIdx.x; i < least / 4; i += pgas_block_threads()) {
        ((pgas_u32 *) work)[i] = 0;
    }
    int window = pgas_win_create(c, comm, base, bytes);  // a barrier: all have zeros before the first notification
    if (threadIdx.x == 0) {
        w->window = window;
        w->words = words;
        w->comm = comm;
        w->tags = tags;
        w->all = (pgas_u32) pgas_size(c, comm);
    }
    __syncthreads();
    return w;
}

PGAS_FN void pgas_win_free_sources(pgas_context *c, pgas_source_window w) {
    int window = w->window, words = w->words;
    pgas_win_free(c, window);
    pgas_win_free(c, words);
}

// ---- notifications

// Sets a count at a place of a block's segment after everything that this block has sent there; one thread.
PGAS_SLOW void pgas_set_source(pgas_context *c, pgas_u32 world, pgas_u64 place, pgas_u32 count, bool alone) {
    PGAS_IN_SHARED(c);
    int endpoint = pgas_endpoint(c, world);
    if (endpoint >= 0 && (c->sends[endpoint].channel & ~PGAS_NEAR) < PGAS_CHANNELS) {
        // Not noted as a payload in flight: nothing else is put there, and no put shall wait for it. A barrier takes it.
        pgas_send_message(c, endpoint, PGAS_SILENT | PGAS_SOURCES_COUNT_BYTES << 8, place, count, 0, alone);
        c->sent = 1;
        return;
    }
    char *segment = endpoint >= 0 ? c->to_segment[endpoint] : pgas_segment(c, pgas_host_of(c, world));
    if (segment == 0) {
        pgas_put_by_host(c, world, place, (const char *) &count, PGAS_SOURCES_COUNT_BYTES, PGAS_PUT_ALONE);
    } else {
        pgas_await_fenced(c, PGAS_TARGETS);
        pgas_fence_system();
        pgas_st_word(segment + place, count, PGAS_SOURCES_COUNT_BYTES);
    }
}

// As one of several threads that may do so at once: the counts have to come in their order.
PGAS_SLOW void pgas_set_source_by_lock(pgas_context *c, pgas_source_window w, pgas_u32 world, pgas_u64 place, pgas_u32 *sent) {
    PGAS_IN_SHARED(c);
    pgas_u64 start = 0;
    bool waits = true;
    while (waits) {
        if (atomicCAS(&w->lock, 0u, 1u) == 0u) {
            __threadfence_block();
            pgas_u32 count = *(volatile pgas_u32 *) sent + 1;
            *(volatile pgas_u32 *) sent = count;
            pgas_set_source(c, world, place, count, false);
            __threadfence_block();
            atomicExch(&w->lock, 0u);
            waits = false;
        } else {
            pgas_u64 now = pgas_now();
            start = start == 0 ? now : start;
            if (now - start > c->timeout_ns) {
                pgas_fail(c, PGAS_LATE_LOCK, (int) world, 0, 0);
            }
            if (c->dead || pgas_aborted(c)) {
                c->dead = 1;
                waits = false;
            }
        }
        waits = pgas_opaque(waits);
    }
}

// Counts a notification at its target; one thread. alone: no other thread of the block sends meanwhile.
PGAS_SLOW void pgas_notify_source(pgas_context *c, pgas_source_window w, int target, int tag, bool alone) {
    PGAS_IN_SHARED(c);
    if ((pgas_u32) tag >= (pgas_u32) w->tags) {
        pgas_fail(c, PGAS_NO_TAG, tag, (pgas_u64) w->tags, 0);
        return;
    }
    if (!pgas_is_member(c, w->window, target)) {
        pgas_misplaced(c, w->window, target, 0, 0);
        return;
    }
    pgas_u32 *sent = pgas_source_count(w, PGAS_SOURCES_SENT, target, tag);
    pgas_u32 world = (pgas_u32) pgas_world_rank(c, w->comm, target);
    pgas_u64 place = pgas_entry(c, w->words, target)[0]
            + pgas_source_at(w, PGAS_SOURCES_ARRIVED, pgas_rank(c, w->comm), tag);
    if (alone) {
        pgas_u32 count = *sent + 1;
        *sent = count;
        pgas_set_source(c, world, place, count, true);
    } else {
        pgas_set_source_by_lock(c, w, world, place, sent);
    }
}

// As thread i of n, after what a put of these threads has stored: src is null, and nothing is put, for a notification alone.
PGAS_FN void pgas_notify_source_group(pgas_context *c, pgas_source_window w, int target, pgas_u64 offset, const void *src,
                                      pgas_u64 bytes, int tag, pgas_u32 i, pgas_u32 n) {
    bool alone = n == pgas_block_threads();
    if (src != 0) {
        pgas_put_group(c, w->window, target, offset, src, bytes, PGAS_PUT_ALONE, i, n);
    } else {
        pgas_group_sync(n);
        if (alone) {
            pgas_check_faults(c);
        }
    }
    if (i == 0 && !c->dead) {
        pgas_notify_source(c, w, target, tag, alone);
    }
    pgas_group_sync(n);
    if (alone) {
        pgas_check(c);
    }
}

PGAS_FN void pgas_put_notify(pgas_context *c, pgas_source_window w, int target, pgas_u64 offset, const void *src, pgas_u64 bytes,
                             int tag) {
    pgas_notify_source_group(c, w, target, offset, src, bytes, tag, PGAS_GROUP_BLOCK);
}

PGAS_FN void pgas_put_notify_warp(pgas_context *c, pgas_source_window w, int target, pgas_u64 offset, const void *src,
                                  pgas_u64 bytes, int tag) {
    pgas_notify_source_group(c, w, target, offset, src, bytes, tag, PGAS_GROUP_WARP);
}

PGAS_FN void pgas_put_notify_thread(pgas_context *c, pgas_source_window w, int target, pgas_u64 offset, const void *src,
                                    pgas_u64 bytes, int tag) {
    pgas_notify_source_group(c, w, target, offset, src, bytes, tag, PGAS_GROUP_THREAD);
}

PGAS_FN void pgas_notify(pgas_context *c, pgas_source_window w, int target, int tag) {
    pgas_notify_source_group(c, w, target, 0, (const void *) 0, 0, tag, PGAS_GROUP_BLOCK);
}

PGAS_FN void pgas_notify_warp(pgas_context *c, pgas_source_window w, int target, int tag) {
    pgas_notify_source_group(c, w, target, 0, (const void *) 0, 0, tag, PGAS_GROUP_WARP);
}

PGAS_FN void pgas_notify_thread(pgas_context *c, pgas_source_window w, int target, int tag) {
    pgas_notify_source_group(c, w, target, 0, (const void *) 0, 0, tag, PGAS_GROUP_THREAD);
}

// ---- waits, by the first warp, each lane its sources

// Sources that are waited for: `count` from `first` on.
struct pgas_sources {
    pgas_source_window w;
    int first, count, tag;
    bool any;
};

PGAS_FN pgas_u32 pgas_from_source(const pgas_sources &q, int source) {
    return pgas_ld_acquire32(pgas_source_count(q.w, PGAS_SOURCES_ARRIVED, source, q.tag))
            - *pgas_source_count(q.w, PGAS_SOURCES_TAKEN, source, q.tag);
}

// Notifications of all sources that are there.
PGAS_SLOW pgas_u64 pgas_from_sources(const pgas_sources &q) {
    pgas_u64 sum = 0;
    for (int i = (int) threadIdx.x; i < q.count; i += 32) {
        sum += pgas_from_source(q, q.first + i);
    }
    for (int k = 0; k < 5; k++) {
        sum += __shfl_xor_sync(0xffffffffu, sum, 1 << k);
    }
    return sum;
}

// Consumes notifications, of one source after the other from the one whose turn it is, and returns the first that had some.
PGAS_SLOW pgas_u64 pgas_take_in_turn(const pgas_sources &q, pgas_u64 count) {
    int lane = (int) threadIdx.x, turn = q.any ? (int) q.w->turn : 0, first = -1, last = -1;
    __syncwarp();  // before the first lane changes it
    for (int done = 0; done < q.count && count != 0; done += 32) {
        int i = done + lane, source = q.first + (turn + i) % q.count;
        pgas_u64 there = i < q.count ? pgas_from_source(q, source) : 0, until = there;
        for (int k = 0; k < 5; k++) {
            pgas_u64 before = __shfl_up_sync(0xffffffffu, until, 1u << k);
            until += lane >= 1 << k ? before : 0;
        }
        pgas_u64 rest = until - there < count ? count - (until - there) : 0, taken = there < rest ? there : rest;
        if (taken != 0) {
            *pgas_source_count(q.w, PGAS_SOURCES_TAKEN, source, q.tag) += (pgas_u32) taken;
        }
        pgas_u32 gave = __ballot_sync(0xffffffffu, taken != 0);
        int from = __shfl_sync(0xffffffffu, source, gave == 0 ? 0 : __ffs((int) gave) - 1);
        int to = __shfl_sync(0xffffffffu, source, gave == 0 ? 0 : 31 - __clz((int) gave));
        first = gave != 0 && first < 0 ? from : first;
        last = gave != 0 ? to : last;
        pgas_u64 all = __shfl_sync(0xffffffffu, until, 31);
        count -= all < count ? all : count;
    }
    if (lane == 0 && q.any && last >= 0) {
        q.w->turn = (pgas_u32) (last + 1 < q.count ? last + 1 : 0);
    }
    __syncwarp();
    return (pgas_u64) (long long) first;
}

// Consumes all notifications that are there: counts[i] of source i. Returns the number of sources that had some.
PGAS_SLOW pgas_u64 pgas_take_of_each(const pgas_sources &q, pgas_u64 *counts) {
    pgas_u64 found = 0;
    for (int done = 0; done < q.count; done += 32) {
        int i = done + (int) threadIdx.x;
        pgas_u32 there = i < q.count ? pgas_from_source(q, q.first + i) : 0;
        if (i < q.count) {
            *pgas_source_count(q.w, PGAS_SOURCES_TAKEN, q.first + i, q.tag) += there;
            counts[i] = there;
        }
        found += (pgas_u64) __popc(__ballot_sync(0xffffffffu, there != 0));
    }
    __syncwarp();
    return found;
}

// Waits until `each` notifications are there. Returns how many there are.
PGAS_SLOW pgas_u64 pgas_await_sources(pgas_context *c, const pgas_sources &q, pgas_u64 each, bool once) {
    PGAS_IN_SHARED(c);
    pgas_deadline d = {0, 0};
    for (;;) {
        int late = pgas_late_warp(c, d);
        pgas_u64 there = pgas_from_sources(q);
        if (there >= each || !pgas_goes_on(c, once, late)) {
            if (there >= each && each != 0) {
                pgas_fence_system();  // for the threads that have not looked: counts that came by no message come after bytes
            } else if (late == 1 && !once && threadIdx.x == 0) {
                long long source = q.any ? PGAS_ANY_SOURCE : q.first;
                pgas_fail(c, PGAS_LATE_SOURCE, q.tag, each, there, (pgas_u64) source);
            }
            return there;
        }
    }
}

// Fails if a wait is for what the window does not have; the first warp.
PGAS_FN bool pgas_has_source(pgas_context *c, pgas_source_window w, int source, int tag, pgas_u64 each) {
    bool source_known = source == PGAS_ANY_SOURCE || (pgas_u32) source < w->all;
    bool tag_known = (pgas_u32) tag < (pgas_u32) w->tags;
    if (threadIdx.x == 0) {
        c->window = w->window;
        if (!source_known) {
            pgas_fail(c, PGAS_NO_SOURCE, source, w->all, 0);
        } else if (!tag_known) {
            pgas_fail(c, PGAS_NO_TAG, tag, (pgas_u64) w->tags, 0);
        } else if (each > PGAS_MAX_COUNT) {
            pgas_fail(c, PGAS_BAD_COUNT, tag, PGAS_MAX_COUNT, each);
        }
    }
    return source_known && tag_known && each <= PGAS_MAX_COUNT;
}

// Waits as all threads of the block. Returns the number of notifications, or with PGAS_TAKE_ALL of sources, and the first source.
PGAS_SLOW pgas_found pgas_sources_of_block(pgas_context *c, pgas_source_window w, int source, int tag, pgas_u64 each, bool once,
                                           int take, pgas_u64 *counts) {
    PGAS_IN_SHARED(c);
    __syncthreads();
    if (threadIdx.x < 32) {
        pgas_found f = {0, 0};
        if (pgas_has_source(c, w, source, tag, each)) {
            bool any = source == PGAS_ANY_SOURCE;
            pgas_sources q = {w, any ? 0 : source, any ? (int) w->all : 1, tag, any};
            f.count = pgas_await_sources(c, q, each, once);
            if (f.count >= each && take == PGAS_TAKE_EACH) {
                f.first = pgas_take_in_turn(q, each);
            } else if (f.count >= each && take == PGAS_TAKE_ALL) {
                f.count = pgas_take_of_each(q, counts);
            }
        }
        if (threadIdx.x == 0) {
            c->found = f.count;
            c->first_found = f.first;
        }
    }
    __syncthreads();
    pgas_found f = {c->found, c->first_found};
    pgas_check(c);
    __syncthreads();
    return f;
}

PGAS_FN pgas_u64 pgas_available_source(pgas_context *c, pgas_source_window w, int source, int tag) {
    return pgas_sources_of_block(c, w, source, tag, 1, true, PGAS_TAKE_NONE, 0).count;
}

PGAS_FN bool pgas_test_source(pgas_context *c, pgas_source_window w, int source, int tag, pgas_u64 count) {
    return pgas_sources_of_block(c, w, source, tag, count, true, PGAS_TAKE_EACH, 0).count >= count;
}

PGAS_FN void pgas_wait_source(pgas_context *c, pgas_source_window w, int source, int tag, pgas_u64 count) {
    pgas_sources_of_block(c, w, source, tag, count, false, PGAS_TAKE_EACH, 0);
}

PGAS_FN int pgas_wait_any_source(pgas_context *c, pgas_source_window w, int tag) {
    return (int) (long long) pgas_sources_of_block(c, w, PGAS_ANY_SOURCE, tag, 1, false, PGAS_TAKE_EACH, 0).first;
}

PGAS_FN int pgas_test_any_source(pgas_context *c, pgas_source_window w, int tag) {
    pgas_found f = pgas_sources_of_block(c, w, PGAS_ANY_SOURCE, tag, 1, true, PGAS_TAKE_EACH, 0);
    return f.count != 0 ? (int) (long long) f.first : -1;
}

PGAS_FN int pgas_wait_some_sources(pgas_context *c, pgas_source_window w, int tag, pgas_u64 *counts) {
    return (int) pgas_sources_of_block(c, w, PGAS_ANY_SOURCE, tag, 1, false, PGAS_TAKE_ALL, counts).count;
}
