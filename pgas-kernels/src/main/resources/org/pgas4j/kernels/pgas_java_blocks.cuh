// The part of C++ that block programs translated from Java stand on, behind the device library and pgas_java.cuh, in a namespace
// of their own: GridRank, GridSplit and GridSourceWindow by the functions of the device library.

// The block as a thread of it sees it.
struct pgas_grid_rank : pgas_thread {
    ::pgas_context *c;
    int left;  // 1: the end of the program waits for no other block
};

struct pgas_grid_split {
    ::pgas_split split;
    ::pgas_context *c;
};

struct pgas_grid_sources {
    ::pgas_source_window window;
    ::pgas_context *c;
};

// ---- begin and end of an operation

[[noreturn]] PGAS_FUNCTION void pgas_end_thread() {
    asm volatile("exit;");
    __builtin_unreachable();
}

PGAS_FUNCTION void pgas_end_if_dead(::pgas_context *c) {
    if (c->dead) {
        pgas_end_thread();
    }
}

// A thread that has had a fault is gone. The others learn of it here, before they come to where they would wait for it.
PGAS_FUNCTION ::pgas_context *pgas_enter(::pgas_context *c, int by = PGAS_CALLERS_BLOCK) {
    if (by == PGAS_CALLERS_BLOCK) {
        ::pgas_block_sync();
    } else if (by == PGAS_CALLERS_WARP) {
        __syncwarp();
    }
    pgas_end_if_dead(c);
    return c;
}

// Before an operation of the library that does so itself if all threads of the block call it.
PGAS_FUNCTION ::pgas_context *pgas_enter_alone(::pgas_context *c, int by) {
    return by == PGAS_CALLERS_BLOCK ? c : pgas_enter(c, by);
}

PGAS_FUNCTION void pgas_sync_block(pgas_grid_rank *self) { pgas_enter(self->c); }

PGAS_FUNCTION void pgas_end_block(pgas_grid_rank *self) {
    ::pgas_context *c = pgas_enter(self->c);
    if (self->left) {
        ::pgas_leave(c);
    } else {
        ::pgas_finish(c);
    }
}

// For this device at once, so that atomic additions come after what the block wrote; for others with the next notification.
PGAS_FUNCTION void pgas_rank_fence(pgas_grid_rank *self) {
    ::pgas_context *c = pgas_enter(self->c);
    if (threadIdx.x == 0) {
        __threadfence();
    }
    ::pgas_fence(c);
}

// Fails if a buffer is shorter than what is to be read from or written to it.
PGAS_FUNCTION void pgas_require_bytes(::pgas_context *c, int kind, int window, int target, pgas_buffer b, long long bytes) {
    if (bytes > b.bytes) {
        c->window = window;
        ::pgas_fail(c, kind, target, (pgas_u64) bytes, (pgas_u64) b.bytes);
        pgas_end_thread();
    }
}

// Fails if an operation does not take a type: 2 types are words, INT and LONG, 4 are elements of a split, FLOAT and DOUBLE too. The
// translator refuses a constant.
PGAS_FUNCTION void pgas_require_type(::pgas_context *c, int type, int types) {
    bool real = type == PGAS_TYPE_FLOAT || type == PGAS_TYPE_DOUBLE;
    if (type != PGAS_TYPE_INT && type != PGAS_TYPE_LONG && !(types == 4 && real)) {
        ::pgas_fail(c, PGAS_BAD_TYPE, type, (pgas_u64) types, 0);
        pgas_end_thread();
    }
}

// The function of the library for the callers.
#define PGAS_BY(by, function, ...) \
    ((by) == PGAS_CALLERS_BLOCK ? ::function(__VA_ARGS__) : (by) == PGAS_CALLERS_WARP ? ::function##_warp(__VA_ARGS__) \
    : ::function##_thread(__VA_ARGS__))

// ---- shapes and memory

// Three numbers, as whatever record has them.
struct pgas_dims {
    uint3 v;
    template <typename T> PGAS_MEMBER operator T() const { return T {(int) v.x, (int) v.y, (int) v.z}; }
};

PGAS_FUNCTION pgas_buffer pgas_shared_buffer(pgas_grid_rank *self) {
    long long bytes = (long long) ::pgas_shared_bytes(self->c) - PGAS_BLOCK_BYTES;
    return pgas_memory((char *) ::pgas_shared(self->c) + PGAS_BLOCK_BYTES, bytes, bytes);
}

PGAS_FUNCTION pgas_buffer pgas_part(pgas_grid_rank *self, int window, int target) {
    char *start = (char *) ::pgas_ptr(self->c, window, target);
    pgas_end_if_dead(self->c);
    long long bytes = start == 0 ? 0 : (long long) ::pgas_win_bytes(self->c, window, target);
    return pgas_memory(start, bytes, bytes);
}

// Memory of the block that the library fills.
PGAS_FUNCTION pgas_u64 *pgas_filled(pgas_local<long long> a, long long length, const pgas_context *cx, int site) {
    if (!__isShared(a.start)) {
        pgas_stop(cx, PGAS_MEMORY, site, 0, 0);
    }
    if (a.length < length) {
        pgas_stop(cx, PGAS_INDEX, site, length - 1, a.length);
    }
    return (pgas_u64 *) a.start;
}

// ---- puts and gets

PGAS_FUNCTION void pgas_rank_put(pgas_grid_rank *self, int by, int window, int target, long long offset, pgas_buffer src,
                                 long long bytes) {
    ::pgas_context *c = pgas_enter(self->c, by);
    pgas_require_bytes(c, PGAS_SHORT_SOURCE, window, target, src, bytes);
    PGAS_BY(by, pgas_put, c, window, target, (pgas_u64) offset, src.start, (pgas_u64) bytes);
    pgas_end_if_dead(c);
}

PGAS_FUNCTION void pgas_rank_put_notify(pgas_grid_rank *self, int by, int window, int target, long long offset, pgas_buffer src,
                                        long long bytes, int tag) {
    ::pgas_context *c = pgas_enter_alone(self->c, by);
    pgas_require_bytes(c, PGAS_SHORT_SOURCE, window, target, src, bytes);
    PGAS_BY(by, pgas_put_notify, c, window, target, (pgas_u64) offset, src.start, (pgas_u64) bytes, tag);
    pgas_end_if_dead(c);
}

PGAS_FUNCTION void pgas_rank_put_set(pgas_grid_rank *self, int by, int window, int target, long long offset, pgas_buffer src,
                                     long long bytes, long long at, int type, long long value) {
    ::pgas_context *c = pgas_enter(self->c, by);
    pgas_require_type(c, type, 2);
    pgas_require_bytes(c, PGAS_SHORT_SOURCE, window, target, src, bytes);
    if (type == PGAS_TYPE_INT) {
        PGAS_BY(by, pgas_put_set, c, window, target, (pgas_u64) offset, src.start, (pgas_u64) bytes, (pgas_u64) at, (int) value);
    } else {
        PGAS_BY(by, pgas_put_set, c, window, target, (pgas_u64) offset, src.start, (pgas_u64) bytes, (pgas_u64) at, value);
    }
    pgas_end_if_dead(c);
}

PGAS_FUNCTION int pgas_rank_put_init(pgas_grid_rank *self, int window, int target, long long offset, pgas_buffer src,
                                     long long bytes) {
    ::pgas_context *c = pgas_enter(self->c);
    pgas_require_bytes(c, PGAS_SHORT_SOURCE, window, target, src, bytes);
    return ::pgas_put_init(c, window, target, (pgas_u64) offset, src.start, (pgas_u64) bytes);
}

PGAS_FUNCTION int pgas_rank_put_notify_init(pgas_grid_rank *self, int window, int target, long long offset, pgas_buffer src,
                                            long long bytes, int tag) {
    ::pgas_context *c = pgas_enter(self->c);
    pgas_require_bytes(c, PGAS_SHORT_SOURCE, window, target, src, bytes);
    return ::pgas_put_notify_init(c, window, target, (pgas_u64) offset, src.start, (pgas_u64) bytes, tag);
}

PGAS_FUNCTION void pgas_rank_get(pgas_grid_rank *self, int by, int window, int target, long long offset, pgas_buffer dst,
                                 long long bytes) {
    ::pgas_context *c = pgas_enter(self->c, by);
    pgas_require_bytes(c, PGAS_SHORT_TARGET, window, target, dst, bytes);
    PGAS_BY(by, pgas_get, c, window, target, (pgas_u64) offset, dst.start, (pgas_u64) bytes);
    pgas_end_if_dead(c);
}

PGAS_FUNCTION void pgas_rank_get_notify(pgas_grid_rank *self, int by, int window, int target, long long offset, pgas_buffer dst,
                                        long long bytes, int tag) {
    ::pgas_context *c = pgas_enter(self->c, by);
    pgas_require_bytes(c, PGAS_SHORT_TARGET, window, target, dst, bytes);
    PGAS_BY(by, pgas_get_notify, c, window, target, (pgas_u64) offset, dst.start, (pgas_u64) bytes, tag);
    pgas_end_if_dead(c);
}

PGAS_FUNCTION void pgas_rank_get_start(pgas_grid_rank *self, int by, int window, int target, long long offset, pgas_buffer dst,
                                       long long bytes) {
    ::pgas_context *c = pgas_enter(self->c, by);
    pgas_require_bytes(c, PGAS_SHORT_TARGET, window, target, dst, bytes);
    PGAS_BY(by, pgas_get_start, c, window, target, (pgas_u64) offset, dst.start, (pgas_u64) bytes);
    pgas_end_if_dead(c);
}

PGAS_FUNCTION void pgas_rank_wait_gets(pgas_grid_rank *self, int by) {
    ::pgas_context *c = pgas_enter(self->c, by);
    PGAS_BY(by, pgas_wait_gets, c);
    pgas_end_if_dead(c);
}

PGAS_FUNCTION void pgas_rank_signal(pgas_grid_rank *self, int by, int comm, int target, int tag) {
    ::pgas_context *c = pgas_enter_alone(self->c, by);
    PGAS_BY(by, pgas_notify, c, comm, target, tag);
    pgas_end_if_dead(c);
}

// ---- single values, each thread that calls

PGAS_FUNCTION void pgas_rank_p(pgas_grid_rank *self, int window, int target, long long offset, int type, long long bits) {
    if (pgas_type_bytes(type) == 8) {
        ::pgas_p(self->c, window, target, (pgas_u64) offset, bits);
    } else if (pgas_type_bytes(type) == 4) {
        ::pgas_p(self->c, window, target, (pgas_u64) offset, (int) bits);
    } else if (pgas_type_bytes(type) == 2) {
        ::pgas_p(self->c, window, target, (pgas_u64) offset, (short) bits);
    } else {
        ::pgas_p(self->c, window, target, (pgas_u64) offset, (signed char) bits);
    }
    pgas_end_if_dead(self->c);
}

PGAS_FUNCTION long long pgas_rank_g(pgas_grid_rank *self, int window, int target, long long offset, int type) {
    long long bits = pgas_type_bytes(type) == 8 ? ::pgas_g<long long>(self->c, window, target, (pgas_u64) offset)
            : pgas_type_bytes(type) == 4 ? (long long) ::pgas_g<int>(self->c, window, target, (pgas_u64) offset)
            : pgas_type_bytes(type) == 2 ? (long long) ::pgas_g<short>(self->c, window, target, (pgas_u64) offset)
            : (long long) ::pgas_g<signed char>(self->c, window, target, (pgas_u64) offset);
    pgas_end_if_dead(self->c);
    return bits;
}

PGAS_FUNCTION long long pgas_rank_atomic(pgas_grid_rank *self, int window, int target, long long offset, int type, int op,
                                         long long operand, long long comparand) {
    ::pgas_context *c = self->c;
    int code = type == PGAS_TYPE_INT ? PGAS_ATOMIC_INT : type == PGAS_TYPE_LONG ? PGAS_ATOMIC_LONG
            : type == PGAS_TYPE_FLOAT ? PGAS_ATOMIC_FLOAT : type == PGAS_TYPE_DOUBLE ? PGAS_ATOMIC_DOUBLE : 0;
    if (!::pgas_has_operation(c, window, target, op, code)) {
        pgas_end_thread();
    }
    char *word = ::pgas_atomic_word(c, window, target, (pgas_u64) offset, (pgas_u64) pgas_type_bytes(type));
    if (word == 0) {
        pgas_end_thread();
    }
    pgas_u64 old = ::pgas_atomic_bits(word, op, code, (pgas_u64) operand, (pgas_u64) comparand);
    return pgas_type_bytes(type) == 4 ? (long long) (int) (pgas_u32) old : (long long) old;
}

// ---- waits

PGAS_FUNCTION ::pgas_found pgas_rank_words(pgas_grid_rank *self, int window, long long offset, long long count, int type,
                                           int comparison, long long value, pgas_u64 enough, bool once, pgas_u64 *indices) {
    ::pgas_context *c = pgas_enter(self->c);
    pgas_require_type(c, type, 2);
    ::pgas_words w = {0, (pgas_u64) count, type == PGAS_TYPE_INT ? 4u : 8u, comparison, value};
    return ::pgas_words_of_block(c, window, (pgas_u64) offset, w, enough, once, indices);
}

// ---- windows that count by source

PGAS_FUNCTION void pgas_sources_put_notify(pgas_grid_sources s, int by, int target, long long offset, pgas_buffer src,
                                           long long bytes, int tag) {
    ::pgas_context *c = pgas_enter(s.c, by);
    pgas_require_bytes(c, PGAS_SHORT_SOURCE, ::pgas_sources_window(s.window), target, src, bytes);
    PGAS_BY(by, pgas_put_notify, c, s.window, target, (pgas_u64) offset, src.start, (pgas_u64) bytes, tag);
    pgas_end_if_dead(c);
}

PGAS_FUNCTION void pgas_sources_signal(pgas_grid_sources s, int by, int target, int tag) {
    ::pgas_context *c = pgas_enter(s.c, by);
    PGAS_BY(by, pgas_notify, c, s.window, target, tag);
    pgas_end_if_dead(c);
}

// Number of sources.
PGAS_FUNCTION long long pgas_sources_count(pgas_grid_sources s) { return (long long) s.window->all; }

// ---- lines

template <typename... A> PGAS_FUNCTION void pgas_rank_printf(pgas_grid_rank *self, int by, const char *format, A... values) {
    ::pgas_context *c = pgas_enter(self->c, by);
    if (by == PGAS_CALLERS_BLOCK) {
        ::pgas_printf(c, format, values...);
    } else if (by == PGAS_CALLERS_THREAD || (threadIdx.x & 31) == 0) {
        ::pgas_printf_thread(c, format, values...);
    }
}

// ---- splits

PGAS_FUNCTION void pgas_split_all_to_all(pgas_grid_split s, pgas_buffer dst, pgas_buffer src, long long bytes) {
    ::pgas_context *c = pgas_enter(s.c);
    long long all = bytes * ::pgas_split_size(s.split);
    pgas_require_bytes(c, PGAS_SHORT_SOURCE, -1, -1, src, all);
    pgas_require_bytes(c, PGAS_SHORT_TARGET, -1, -1, dst, all);
    ::pgas_all_to_all(c, s.split, dst.start, src.start, (pgas_u64) bytes);
}

enum { PGAS_TO_ROOT, PGAS_TO_ALL, PGAS_TO_LATER };

template <typename T> PGAS_FUNCTION void pgas_split_combine(::pgas_context *c, ::pgas_split s, int to, int root, pgas_buffer dst,
                                                            pgas_buffer src, int op) {
    pgas_u64 count = (pgas_u64) src.bytes / sizeof(T);
    if (to == PGAS_TO_ROOT) {
        ::pgas_reduce(c, s, root, (T *) dst.start, (const T *) src.start, count, op);
    } else if (to == PGAS_TO_ALL) {
        ::pgas_all_reduce(c, s, (T *) dst.start, (const T *) src.start, count, op);
    } else {
        ::pgas_scan(c, s, (T *) dst.start, (const T *) src.start, count, op);
    }
}

PGAS_FUNCTION void pgas_split_reduce(pgas_grid_split s, int to, int root, pgas_buffer dst, pgas_buffer src, int type, int op) {
    ::pgas_context *c = pgas_enter(s.c);
    pgas_require_type(c, type, 4);
    if (to != PGAS_TO_ROOT || ::pgas_split_rank(s.split) == root) {
        pgas_require_bytes(c, PGAS_SHORT_TARGET, -1, -1, dst, src.bytes);
    }
    switch (type) {
        case PGAS_TYPE_INT:
            pgas_split_combine<int>(c, s.split, to, root, dst, src, op);
            break;
        case PGAS_TYPE_FLOAT:
            pgas_split_combine<float>(c, s.split, to, root, dst, src, op);
            break;
        case PGAS_TYPE_DOUBLE:
            pgas_split_combine<double>(c, s.split, to, root, dst, src, op);
            break;
        default:
            pgas_split_combine<long long>(c, s.split, to, root, dst, src, op);
    }
}
