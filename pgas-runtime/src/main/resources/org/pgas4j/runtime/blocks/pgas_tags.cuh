// ---- waiting for notifications of several tags, by the first warp, each lane its tags

// Handling of the notifications that a wait has found.
#define PGAS_TAKE_NONE 0
#define PGAS_TAKE_FIRST 1  // one of the lowest tag
#define PGAS_TAKE_EACH 2   // as many of each tag as were waited for
#define PGAS_TAKE_ALL 3

// Tags that are waited for.
struct pgas_tags {
    int first, count;
    pgas_u64 each;  // notifications of a tag
};

// Adds the changes of a tag's counters to what is available; one lane.
PGAS_FN pgas_u32 pgas_collect(pgas_context *c, pgas_u32 tag) {
    pgas_u32 direct = (pgas_u32) pgas_ld_acquire(c->record + PGAS_DIRECT + tag * 8);
    pgas_u32 proxy = (pgas_u32) pgas_ld_acquire(c->record + PGAS_PROXY + tag * 8);
    pgas_u32 delta = direct - c->seen[0][tag] + proxy - c->seen[1][tag];
    c->seen[0][tag] = direct;
    c->seen[1][tag] = proxy;
    return atomicAdd(&c->own[tag], delta) + delta;
}

// Looks at all tags; the first warp.
PGAS_SLOW pgas_found pgas_scan_tags(pgas_context *c, const pgas_tags &t) {
    PGAS_IN_SHARED(c);
    pgas_found f = {0, (pgas_u64) t.count};
    for (int first = 0; first < t.count; first += 32) {
        int i = first + (int) threadIdx.x;
        bool holds = i < t.count && (int) (pgas_collect(c, (pgas_u32) (t.first + i)) - (pgas_u32) t.each) >= 0;
        pgas_u32 hits = __ballot_sync(0xffffffffu, holds);
        if (hits != 0 && f.count == 0) {
            f.first = (pgas_u64) (first + __ffs((int) hits) - 1);
        }
        f.count += (pgas_u64) __popc(hits);
    }
    __syncwarp();
    return f;
}

PGAS_SLOW pgas_found pgas_await_tags(pgas_context *c, const pgas_tags &t, pgas_u64 enough, bool once) {
    PGAS_IN_SHARED(c);
    pgas_deadline d = {0, 0};
    for (;;) {
        int late = pgas_late_warp(c, d);
        pgas_found f = pgas_scan_tags(c, t);
        if (f.count < enough && !once && late == 1 && threadIdx.x == 0) {
            pgas_fail(c, PGAS_LATE_TAGS, t.first, enough, f.count);
        }
        if (f.count >= enough || !pgas_goes_on(c, once, late)) {
            return f;
        }
    }
}

// Consumes what a wait has found; the first warp.
PGAS_FN void pgas_take_tags(pgas_context *c, const pgas_tags &t, const pgas_found &f, int take, pgas_u64 *counts) {
    for (int i = (int) threadIdx.x; i < t.count; i += 32) {
        pgas_u32 there = c->own[t.first + i];
        pgas_u32 taken = take == PGAS_TAKE_ALL ? there : take == PGAS_TAKE_EACH ? (pgas_u32) t.each
                : take == PGAS_TAKE_FIRST && (pgas_u64) i == f.first ? 1 : 0;
        c->own[t.first + i] = there - taken;
        if (counts != 0) {
            counts[i] = taken;
        }
    }
    __syncwarp();
}

// Waits as all threads of the block, until `enough` of the tags have their notifications.
PGAS_SLOW pgas_found pgas_tags_of_block(pgas_context *c, pgas_tags t, pgas_u64 enough, bool once, int take, pgas_u64 *counts) {
    PGAS_IN_SHARED(c);
    __syncthreads();
    if (threadIdx.x < 32) {
        pgas_found f = {0, 0};
        if (t.count < 1) {
            if (threadIdx.x == 0) {
                pgas_fail(c, PGAS_NO_TAGS, t.first, 1, (pgas_u64) (long long) t.count);
            }
        } else if (t.first < 0 || t.first > PGAS_TAGS - t.count) {
            if (threadIdx.x == 0) {
                pgas_fail(c, PGAS_NO_TAG, t.first < 0 ? t.first : t.first + t.count - 1, PGAS_TAGS, 0);
            }
        } else if (t.each > PGAS_MAX_COUNT) {
            if (threadIdx.x == 0) {
                pgas_fail(c, PGAS_BAD_COUNT, t.first, PGAS_MAX_COUNT, t.each);
            }
        } else {
            f = pgas_await_tags(c, t, enough < (pgas_u64) t.count ? enough : (pgas_u64) t.count, once);
            if (f.count >= enough) {
                pgas_take_tags(c, t, f, take, counts);
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

PGAS_FN pgas_u64 pgas_available_notifications(pgas_context *c, int tag) {
    pgas_tags t = {tag, 1, 1};
    return pgas_tags_of_block(c, t, 1, true, PGAS_TAKE_NONE, 0).count != 0 ? c->own[tag] : 0;
}

PGAS_FN pgas_u64 pgas_take_notifications(pgas_context *c, int tag) {
    pgas_u64 available = pgas_available_notifications(c, tag);
    __syncthreads();
    if (threadIdx.x == 0) {
        c->own[tag] -= (pgas_u32) available;
    }
    __syncthreads();
    return available;
}

PGAS_FN int pgas_wait_any_tag(pgas_context *c, int first, int tags) {
    pgas_tags t = {first, tags, 1};
    return first + (int) pgas_tags_of_block(c, t, 1, false, PGAS_TAKE_FIRST, 0).first;
}

PGAS_FN int pgas_test_any_tag(pgas_context *c, int first, int tags) {
    pgas_tags t = {first, tags, 1};
    pgas_found f = pgas_tags_of_block(c, t, 1, true, PGAS_TAKE_FIRST, 0);
    return f.count != 0 ? first + (int) f.first : -1;
}

PGAS_FN int pgas_wait_some_tags(pgas_context *c, int first, int tags, pgas_u64 *counts) {
    pgas_tags t = {first, tags, 1};
    return (int) pgas_tags_of_block(c, t, 1, false, PGAS_TAKE_ALL, counts).count;
}

PGAS_FN void pgas_wait_all_tags(pgas_context *c, int first, int tags, pgas_u64 count) {
    pgas_tags t = {first, tags, count};
    pgas_tags_of_block(c, t, (pgas_u64) tags, false, PGAS_TAKE_EACH, 0);
}
