// ---- waiting for values of words in the block's own part of a window. By the first warp, each lane its words; messages
// and the host bring some of them, so it takes what comes.

PGAS_FN pgas_u32 pgas_ld_acquire32(const void *p) {
    pgas_u32 v;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

// Words that are waited for.
struct pgas_words {
    const char *at;
    pgas_u64 count;
    pgas_u32 bytes;  // of each: 4 or 8
    int comparison;
    long long value;
};

// Number of words, or tags, for which a condition holds, and the lowest of them.
struct pgas_found {
    pgas_u64 count, first;
};

PGAS_FN bool pgas_holds(int comparison, long long seen, long long value) {
    switch (comparison) {
        case PGAS_EQUAL:
            return seen == value;
        case PGAS_NOT_EQUAL:
            return seen != value;
        case PGAS_GREATER:
            return seen > value;
        case PGAS_GREATER_EQUAL:
            return seen >= value;
        case PGAS_LESS:
            return seen < value;
        default:
            return seen <= value;
    }
}

PGAS_FN long long pgas_read_word(const pgas_words &w, pgas_u64 i) {
    return w.bytes == 4 ? (long long) (int) pgas_ld_acquire32(w.at + i * 4) : (long long) pgas_ld_acquire(w.at + i * 8);
}

// Looks at all words; the first warp. Writes their indices where there is a place for them.
PGAS_SLOW pgas_found pgas_scan_words(const pgas_words &w, pgas_u64 *indices) {
    pgas_found f = {0, w.count};
    for (pgas_u64 first = 0; first < w.count; first += 32) {
        pgas_u64 i = first + threadIdx.x;
        bool holds = i < w.count && pgas_holds(w.comparison, pgas_read_word(w, i), w.value);
        pgas_u32 hits = __ballot_sync(0xffffffffu, holds);
        if (hits != 0 && f.count == 0) {
            f.first = first + (pgas_u64) (__ffs((int) hits) - 1);
        }
        if (holds && indices != 0) {
            indices[f.count + (pgas_u64) __popc(hits & ((1u << threadIdx.x) - 1))] = i;
        }
        f.count += (pgas_u64) __popc(hits);
    }
    __syncwarp();
    return f;
}

// Takes what has come, by messages and by the host, and then returns as pgas_late; the first warp.
PGAS_SLOW int pgas_late_warp(pgas_context *c, pgas_deadline &d, pgas_u64 more = 0) {
    PGAS_IN_SHARED(c);
    pgas_drain_warp(c);
    // At the first look, as it may be the only one; then seldom, as other blocks look, too.
    if (c->mailbox != 0 && (d.looks & 3) == 0) {
        pgas_mailbox_poll_warp(c);
    }
    __syncwarp();
    return __shfl_sync(0xffffffffu, pgas_late(c, d, more), 0);
}

// Ends a look that has not found enough. True if the wait goes on.
PGAS_FN bool pgas_goes_on(pgas_context *c, bool once, int late) {
    if (threadIdx.x == 0 && (late == 2 || once && pgas_aborted(c))) {
        c->dead = 1;
    }
    return !once && late == 0;
}

// Waits until the comparison holds for `enough` words; the first warp. once: looks once, after what has come.
PGAS_SLOW pgas_found pgas_await_words(pgas_context *c, const pgas_words &w, pgas_u64 enough, bool once, pgas_u64 *indices) {
    PGAS_IN_SHARED(c);
    pgas_deadline d = {0, 0};
    for (;;) {
        int late = pgas_late_warp(c, d);
        pgas_found f = pgas_scan_words(w, indices);
        if (f.count < enough && !once && late == 1 && threadIdx.x == 0) {
            pgas_fail(c, PGAS_LATE_VALUE, w.comparison, enough, f.count);
        }
        if (f.count >= enough || !pgas_goes_on(c, once, late)) {
            return f;
        }
    }
}

// Address of words of the own part of a window; null, and the launch has failed, if there are none.
PGAS_FN const char *pgas_own_words(pgas_context *c, int window, pgas_u64 offset, pgas_u64 count, pgas_u32 bytes) {
    int self = pgas_rank(c, window >= 0 && (window & PGAS_DEVICE_WINDOW) ? PGAS_DEVICE : PGAS_WORLD);
    pgas_u64 all = count > ~0ull / 8 ? ~0ull : count * bytes;
    pgas_u64 place = pgas_place(c, window, self, offset, all);
    if (place != PGAS_NOWHERE && (place & (bytes - 1)) == 0) {
        return c->segment + place;
    }
    if (threadIdx.x == 0) {
        if (place == PGAS_NOWHERE) {
            pgas_misplaced(c, window, self, offset, all);
        } else {
            c->window = window;
            pgas_fail(c, PGAS_ODD_WORD, self, offset, bytes);
        }
    }
    return (const char *) 0;
}

// Waits as all threads of the block. Returns what the first warp has found, for all of them.
PGAS_SLOW pgas_found pgas_words_of_block(pgas_context *c, int window, pgas_u64 offset, pgas_words w, pgas_u64 enough, bool once,
                                         pgas_u64 *indices) {
    PGAS_IN_SHARED(c);
    __syncthreads();
    if (threadIdx.x < 32) {
        w.at = pgas_own_words(c, window, offset, w.count, w.bytes);
        if (threadIdx.x == 0) {
            c->window = window;
        }
        pgas_found f = {0, 0};
        if (w.at != 0) {
            f = pgas_await_words(c, w, enough < w.count ? enough : w.count, once, indices);
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

template <typename T> PGAS_FN pgas_words pgas_words_like(pgas_u64 count, int comparison, T value) {
    static_assert(pgas_word<T>::code == PGAS_ATOMIC_INT || pgas_word<T>::code == PGAS_ATOMIC_LONG, "words are int or long long");
    pgas_words w = {0, count, sizeof(T), comparison, (long long) value};
    return w;
}

// ---- puts with a value

// Sets a word after everything that this thread has seen written; one thread.
PGAS_SLOW void pgas_set_word(pgas_context *c, int window, int target, pgas_u64 at, pgas_u64 value, pgas_u32 bytes) {
    PGAS_IN_SHARED(c);
    pgas_u64 place = pgas_place(c, window, target, at, bytes);
    if (place == PGAS_NOWHERE) {
        pgas_misplaced(c, window, target, at, bytes);
        return;
    }
    if ((place & (bytes - 1)) != 0) {
        c->window = window;
        pgas_fail(c, PGAS_ODD_WORD, target, at, bytes);
        return;
    }
    pgas_u32 world = (pgas_u32) pgas_window_world(c, window, target);
    char *segment = pgas_segment(c, pgas_host_of(c, world));
    if (segment == 0) {
        pgas_put_by_host(c, world, place, (const char *) &value, bytes, PGAS_PUT_ALONE);
    } else {
        pgas_await_packets_to(c, world);
        pgas_fence_system();
        pgas_st_word(segment + place, value, bytes);
    }
}

template <typename T>
PGAS_FN void pgas_put_set_group(pgas_context *c, int window, int target, pgas_u64 offset, const void *src, pgas_u64 bytes,
                                pgas_u64 at, T value, pgas_u32 i, pgas_u32 n) {
    pgas_put_group(c, window, target, offset, src, bytes, PGAS_PUT_ALONE, i, n);
    if (i == 0) {
        pgas_set_word(c, window, target, at, pgas_word<T>::bits(value), sizeof(T));
    }
    pgas_group_sync(n);
    if (n == pgas_block_threads()) {
        pgas_check(c);
    }
}

template <typename T>
PGAS_FN void pgas_put_set(pgas_context *c, int window, int target, pgas_u64 offset, const void *src, pgas_u64 bytes, pgas_u64 at,
                          T value) {
    pgas_put_set_group(c, window, target, offset, src, bytes, at, value, PGAS_GROUP_BLOCK);
}

template <typename T>
PGAS_FN void pgas_put_set_warp(pgas_context *c, int window, int target, pgas_u64 offset, const void *src, pgas_u64 bytes,
                               pgas_u64 at, T value) {
    pgas_put_set_group(c, window, target, offset, src, bytes, at, value, PGAS_GROUP_WARP);
}

template <typename T>
PGAS_FN void pgas_put_set_thread(pgas_context *c, int window, int target, pgas_u64 offset, const void *src, pgas_u64 bytes,
                                 pgas_u64 at, T value) {
    pgas_put_set_group(c, window, target, offset, src, bytes, at, value, PGAS_GROUP_THREAD);
}

// ---- waits

template <typename T> PGAS_FN void pgas_wait_value(pgas_context *c, int window, pgas_u64 offset, int comparison, T value) {
    pgas_words_of_block(c, window, offset, pgas_words_like(1, comparison, value), 1, false, 0);
}

template <typename T> PGAS_FN bool pgas_test_value(pgas_context *c, int window, pgas_u64 offset, int comparison, T value) {
    return pgas_words_of_block(c, window, offset, pgas_words_like(1, comparison, value), 1, true, 0).count != 0;
}

template <typename T>
PGAS_FN pgas_u64 pgas_wait_any_value(pgas_context *c, int window, pgas_u64 offset, pgas_u64 count, int comparison, T value) {
    return pgas_words_of_block(c, window, offset, pgas_words_like(count, comparison, value), 1, false, 0).first;
}

template <typename T>
PGAS_FN pgas_u64 pgas_wait_some_values(pgas_context *c, int window, pgas_u64 offset, pgas_u64 count, int comparison, T value,
                                       pgas_u64 *indices) {
    return pgas_words_of_block(c, window, offset, pgas_words_like(count, comparison, value), 1, false, indices).count;
}

template <typename T>
PGAS_FN void pgas_wait_all_values(pgas_context *c, int window, pgas_u64 offset, pgas_u64 count, int comparison, T value) {
    pgas_words_of_block(c, window, offset, pgas_words_like(count, comparison, value), count, false, 0);
}

template <typename T>
PGAS_FN pgas_u64 pgas_test_values(pgas_context *c, int window, pgas_u64 offset, pgas_u64 count, int comparison, T value) {
    return pgas_words_of_block(c, window, offset, pgas_words_like(count, comparison, value), 1, true, 0).count;
}
