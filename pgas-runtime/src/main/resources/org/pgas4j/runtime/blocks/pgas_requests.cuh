// ---- prepared puts: their places are found once

struct __align__(16) pgas_request {
    pgas_last_put to;
    const char *src;
    pgas_u64 offset, bytes;
    pgas_u64 done;  // puts by the host of which this is the last
    int tag;        // or PGAS_PUT_ALONE
    int started;    // and not waited for
    int by_host;    // its source is in use until the host has carried that put out
};

static_assert(PGAS_REQUESTS == 32, "requests in use are the bits of a word");

// Of the block; only programs that prepare puts have the memory.
PGAS_FN pgas_request *pgas_requests() {
    __shared__ pgas_request requests[PGAS_REQUESTS];
    return requests;
}

// Makes a request for a valid place; one thread.
PGAS_FN void pgas_fill_request(pgas_context *c, pgas_request *r, const pgas_group_put &p) {
    r->to.window = p.window;
    r->to.target = p.target;
    r->to.world = (pgas_u32) pgas_window_world(c, p.window, p.target);
    pgas_u32 host = pgas_host_of(c, r->to.world);
    r->to.counted = pgas_here(c->partners, host);
    r->to.place = p.place - p.offset;
    r->to.bytes = pgas_win_bytes(c, p.window, p.target);
    r->to.segment = pgas_segment(c, host);
    r->src = p.src;
    r->offset = p.offset;
    r->bytes = p.bytes;
    r->tag = p.tag;
    r->started = 0;
}

PGAS_SLOW int pgas_request_init(pgas_context *c, int window, int target, pgas_u64 offset, const void *src, pgas_u64 bytes,
                                int tag) {
    PGAS_IN_SHARED(c);
    pgas_request *requests = pgas_requests();
    __syncthreads();
    int number = __ffs((int) ~c->requests) - 1;
    pgas_u64 place = pgas_place(c, window, target, offset, bytes);
    __syncthreads();
    if (threadIdx.x == 0) {
        if (number < 0) {
            pgas_fail(c, PGAS_MANY_REQUESTS, -1, PGAS_REQUESTS, 0);
        } else if (tag != PGAS_PUT_ALONE && (pgas_u32) tag >= PGAS_TAGS) {
            pgas_fail(c, PGAS_NO_TAG, tag, PGAS_TAGS, 0);
        } else if (place == PGAS_NOWHERE) {
            pgas_misplaced(c, window, target, offset, bytes);
        } else {
            pgas_group_put p = {window, target, tag, 0, offset, place, bytes, (const char *) src, 0, true};
            pgas_fill_request(c, requests + number, p);
            c->requests |= 1u << number;
        }
    }
    __syncthreads();
    pgas_check(c);
    return number;
}

PGAS_FN int pgas_put_init(pgas_context *c, int window, int target, pgas_u64 offset, const void *src, pgas_u64 bytes) {
    return pgas_request_init(c, window, target, offset, src, bytes, PGAS_PUT_ALONE);
}

PGAS_FN int pgas_put_notify_init(pgas_context *c, int window, int target, pgas_u64 offset, const void *src, pgas_u64 bytes,
                                 int tag) {
    return pgas_request_init(c, window, target, offset, src, bytes, tag == PGAS_PUT_ALONE ? -1 : tag);
}

// True if there is a request with this number; else fails. One thread.
PGAS_FN bool pgas_is_request(pgas_context *c, int request) {
    bool known = (pgas_u32) request < PGAS_REQUESTS && (c->requests >> request & 1);
    if (!known) {
        pgas_fail(c, PGAS_NO_REQUEST, request, PGAS_REQUESTS, 0);
    }
    return known;
}

PGAS_FN void pgas_request_free(pgas_context *c, int request) {
    __syncthreads();
    if (threadIdx.x == 0 && pgas_is_request(c, request)) {
        c->requests &= ~(1u << request);
    }
    __syncthreads();
    pgas_check(c);
}

// ---- started

// Makes the place of a request that of the block's last put, which the next one finds at once; one thread.
PGAS_FN void pgas_begin_request(pgas_context *c, int request) {
    if (!pgas_is_request(c, request)) {
        return;
    }
    pgas_request *r = pgas_requests() + request;
    int window = r->to.window, comm = (window & PGAS_DEVICE_WINDOW) ? PGAS_DEVICE : PGAS_WORLD;
    if (r->started) {
        pgas_fail(c, PGAS_STARTED, request, 0, 0);
    } else if (!(c->slots[comm] >> (window & (PGAS_WINDOWS - 1)) & 1)) {
        c->window = window;
        pgas_fail(c, PGAS_NO_WINDOW, -1, 0, 0);
    } else if (r->to.segment != 0) {
        c->last_put = r->to;
        c->last_put.window = pgas_kept_window(c, window, r->to.place);
    }
}

// Puts without a notification to the place of a request.
PGAS_SLOW void pgas_put_request(pgas_context *c, const pgas_request *r) {
    PGAS_IN_SHARED(c);
    pgas_group_put p = {r->to.window, r->to.target, r->tag, 0, r->offset, r->to.place + r->offset, r->bytes, r->src, 0, true};
    pgas_put_to(c, p, pgas_find(c, r->to.world), PGAS_GROUP_BLOCK);
    pgas_block_sync();
    pgas_check(c);
}

PGAS_FN void pgas_start(pgas_context *c, int request) {
    if (threadIdx.x == 0) {
        pgas_begin_request(c, request);
    }
    pgas_block_sync();
    pgas_check(c);
    pgas_request *r = pgas_requests() + request;
    pgas_u64 bulk = c->bulk;
    if (r->tag >= 0) {
        pgas_put_notify(c, r->to.window, r->to.target, r->offset, r->src, r->bytes, r->tag);
    } else {
        pgas_put_request(c, r);
    }
    if (threadIdx.x == 0) {
        r->done = c->bulk;
        r->by_host = r->done != bulk;
        r->started = 1;
    }
}

// ---- waits, by the block's first thread

// Requests that are waited for.
struct pgas_request_list {
    const int *numbers;
    int count;
    bool all;           // until all have ended, in place of one
    bool first;         // ends the first only
    pgas_u64 *indices;  // null, or room for the indices of those ended
};

// State of the requests of a list.
struct pgas_request_counts {
    int started, ended, first;
};

PGAS_FN bool pgas_request_ended(const pgas_request *r, pgas_u64 flushed) {
    return r->started && (!r->by_host || (long long) (flushed - r->done) >= 0);
}

PGAS_SLOW pgas_request_counts pgas_look_at_requests(pgas_context *c, const pgas_request_list &l, pgas_u64 flushed) {
    PGAS_IN_SHARED(c);
    pgas_request_counts f = {0, 0, -1};
    for (int i = 0; i < l.count; i++) {
        if (!pgas_is_request(c, l.numbers[i])) {
            return f;
        }
        const pgas_request *r = pgas_requests() + l.numbers[i];
        bool ended = pgas_request_ended(r, flushed);
        f.first = ended && f.first < 0 ? i : f.first;
        f.ended += ended;
        f.started += r->started;
    }
    return f;
}

// Requests that have ended may be started again. Returns their number.
PGAS_SLOW pgas_u64 pgas_end_requests(const pgas_request_list &l, pgas_u64 flushed) {
    pgas_u64 ended = 0;
    for (int i = 0; i < l.count && !(l.first && ended != 0); i++) {
        pgas_request *r = pgas_requests() + l.numbers[i];
        if (pgas_request_ended(r, flushed)) {
            if (l.indices != 0) {
                l.indices[ended] = (pgas_u64) i;
            }
            ended++;
            r->started = 0;
        }
    }
    return ended;
}

PGAS_SLOW pgas_found pgas_await_requests(pgas_context *c, const pgas_request_list &l, bool once) {
    PGAS_IN_SHARED(c);
    pgas_deadline d = {0, 0};
    for (;;) {
        pgas_u64 flushed = c->bulk == 0 ? 0 : pgas_ld(c->record + PGAS_FLUSHED);
        pgas_request_counts f = pgas_look_at_requests(c, l, flushed);
        if (!c->dead && (l.all ? f.ended == f.started : f.ended != 0 || f.started == 0)) {
            pgas_found found = {pgas_end_requests(l, flushed), (pgas_u64) (long long) (l.all ? 0 : f.first)};
            return found;
        }
        pgas_drain_thread(c);
        int late = once ? 2 * pgas_aborted(c) : pgas_late(c, d);
        if (late == 1) {
            pgas_fail(c, PGAS_LATE_FLUSH, -1, c->bulk, flushed);
        }
        c->dead = c->dead || late != 0;
        if (once || c->dead) {
            pgas_found none = {0, (pgas_u64) -1ll};
            return none;
        }
    }
}

// Waits as all threads of the block. Returns the number of requests that have ended, and the index of the first, or -1 if there is
// none; the index is 0 if all were waited for and have ended.
PGAS_SLOW pgas_found pgas_requests_of_block(pgas_context *c, const pgas_request_list &l, bool once) {
    PGAS_IN_SHARED(c);
    __syncthreads();
    if (threadIdx.x == 0) {
        pgas_found f = pgas_await_requests(c, l, once);
        c->found = f.count;
        c->first_found = f.first;
    }
    __syncthreads();
    pgas_found f = {c->found, c->first_found};
    pgas_check(c);
    __syncthreads();
    return f;
}

PGAS_FN void pgas_wait_request(pgas_context *c, int request) {
    pgas_request_list l = {&request, 1, true, false, 0};
    pgas_requests_of_block(c, l, false);
}

PGAS_FN bool pgas_test_request(pgas_context *c, int request) {
    pgas_request_list l = {&request, 1, true, false, 0};
    return (long long) pgas_requests_of_block(c, l, true).first == 0;
}

PGAS_FN int pgas_wait_any_request(pgas_context *c, const int *requests, int count) {
    pgas_request_list l = {requests, count, false, true, 0};
    return (int) (long long) pgas_requests_of_block(c, l, false).first;
}

PGAS_FN int pgas_test_any_request(pgas_context *c, const int *requests, int count) {
    pgas_request_list l = {requests, count, false, true, 0};
    return (int) (long long) pgas_requests_of_block(c, l, true).first;
}

PGAS_FN int pgas_wait_some_requests(pgas_context *c, const int *requests, int count, pgas_u64 *indices) {
    pgas_request_list l = {requests, count, false, false, indices};
    return (int) pgas_requests_of_block(c, l, false).count;
}

PGAS_FN void pgas_wait_all_requests(pgas_context *c, const int *requests, int count) {
    pgas_request_list l = {requests, count, true, false, 0};
    pgas_requests_of_block(c, l, false);
}
