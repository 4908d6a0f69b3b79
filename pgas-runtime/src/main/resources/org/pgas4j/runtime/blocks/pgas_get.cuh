// ---- gets by groups of i of n threads, and single values

// Reads 16 bytes as they are now: plain loads may find what the first-level cache had before.
PGAS_FN void pgas_copy_vector(char *dst, const char *src) {
    pgas_u64 a, b;
    pgas_ld2(src, a, b);
    ((pgas_u64 *) dst)[0] = a;
    ((pgas_u64 *) dst)[1] = b;
}

// Copies from a segment as thread i of n.
PGAS_FN void pgas_copy_in(char *dst, const char *src, pgas_u64 bytes, pgas_u32 i, pgas_u32 n) {
    pgas_u64 both = (pgas_u64) dst | (pgas_u64) src;
    pgas_u64 done = 0;
    if (((pgas_u64) src & 15) == 0 && ((pgas_u64) dst & 7) == 0) {
        done = bytes & ~15ull;
        for (pgas_u64 at = 16 * (pgas_u64) i; at < done; at += 16 * (pgas_u64) n) {
            pgas_copy_vector(dst + at, src + at);
        }
    } else if ((both & 3) == 0) {
        done = bytes & ~3ull;
        for (pgas_u64 at = 4 * (pgas_u64) i; at < done; at += 4 * (pgas_u64) n) {
            *(pgas_u32 *) (dst + at) = *(const volatile pgas_u32 *) (src + at);
        }
    }
    for (pgas_u64 at = done + i; at < bytes; at += n) {
        dst[at] = *(const volatile char *) (src + at);
    }
}

// Waits until the gets of the block that have been started are done; one thread, or several each for itself.
PGAS_SLOW void pgas_await_gets(pgas_context *c) {
    PGAS_IN_SHARED(c);
    pgas_u64 all = *(volatile pgas_u64 *) &c->gets;
    pgas_deadline d = {0, 0};
    bool waits = true;
    while (waits) {
        pgas_u64 got = pgas_ld_acquire(c->record + PGAS_GOT);
        if ((long long) (got - all) >= 0) {
            waits = false;
        } else {
            pgas_drain_thread(c);
            int late = pgas_late(c, d);
            if (late == 1) {
                pgas_fail(c, PGAS_LATE_GET, -1, all, got);
            }
            if (late != 0) {
                c->dead = 1;
                waits = false;
            }
        }
        waits = pgas_opaque(waits);
    }
}

// Asks the host for a get into the own segment; one thread. Counted first: a wait of another thread then waits for it.
PGAS_FN void pgas_command_get(pgas_context *c, pgas_u32 target, pgas_u64 place, pgas_u64 to, pgas_u64 bytes, int tag) {
    atomicAdd(&c->gets, 1ull);
    pgas_command(c, PGAS_COMMAND_GET | (tag >= 0 ? PGAS_COMMAND_WITH_NOTIFY : 0), tag >= 0 ? (pgas_u32) tag : 0, 0, target,
                 place, to, (pgas_u32) bytes);
}

// Gets up to 8 bytes through the host; one thread, or several each for itself.
PGAS_SLOW pgas_u64 pgas_fetch(pgas_context *c, pgas_u32 target, pgas_u64 place, pgas_u32 bytes) {
    PGAS_IN_SHARED(c);
    char *word = c->record + PGAS_LANDING + threadIdx.x * 8;
    pgas_command_get(c, target, place, (pgas_u64) (word - c->segment), bytes, -1);
    pgas_await_gets(c);
    return pgas_ld(word);
}

// Gets by the host. A destination that it cannot reach is filled in pieces of 8 bytes, each thread its own.
PGAS_SLOW void pgas_get_by_host(pgas_context *c, pgas_u32 target, pgas_u64 place, char *dst, pgas_u64 bytes, int tag,
                                bool waits, pgas_u32 i, pgas_u32 n) {
    PGAS_IN_SHARED(c);
    pgas_u64 to = (pgas_u64) (dst - c->segment);
    bool shared = to <= c->world->segment_bytes && bytes <= c->world->segment_bytes - to;
    if (!shared || bytes == 0) {
        for (pgas_u64 at = 8 * (pgas_u64) i; at < bytes; at += 8 * (pgas_u64) n) {
            pgas_u32 part = (pgas_u32) (bytes - at < 8 ? bytes - at : 8);
            pgas_write_payload(dst + at, pgas_fetch(c, target, place + at, part), part);
        }
        pgas_group_sync(n);
        if (i == 0 && tag >= 0) {
            pgas_send_otherwise(c, target, (pgas_u32) tag, 0, 0, 0, false, true);
        }
        return;
    }
    if (i == 0) {
        pgas_fence_system();  // what the block wrote to the destination before
        pgas_u64 done = 0;
        for (; done + PGAS_COMMAND_MAX_PUT_BYTES < bytes; done += PGAS_COMMAND_MAX_PUT_BYTES) {
            pgas_command_get(c, target, place + done, to + done, PGAS_COMMAND_MAX_PUT_BYTES, -1);
        }
        pgas_command_get(c, target, place + done, to + done, bytes - done, tag);
        if (waits) {
            pgas_await_gets(c);
        }
    }
}

// Copies the bytes, unless source and destination are the same, and then notifies.
PGAS_FN void pgas_get_copy(pgas_context *c, pgas_u32 world, const char *src, char *dst, pgas_u64 bytes, int tag, pgas_u32 i,
                           pgas_u32 n) {
    if (src != dst) {
        pgas_copy_in(dst, src, bytes, i, n);
    }
    if (tag >= 0) {
        pgas_group_sync(n);
        if (i == 0) {
            pgas_dirty(c);  // all have read before the target learns of it
            pgas_send(c, world, (pgas_u32) tag, 0, 0, 0, n == pgas_block_threads());
        }
    }
}

PGAS_FN void pgas_get_group(pgas_context *c, int window, int target, pgas_u64 offset, void *dst, pgas_u64 bytes, int tag,
                            bool waits, pgas_u32 i, pgas_u32 n) {
    pgas_u64 place = pgas_place(c, window, target, offset, bytes);
    if (PGAS_WITH_PACKETS && i == 0 && c->packed && place != PGAS_NOWHERE) {
        pgas_await_packets_at(c, (pgas_u32) pgas_window_world(c, window, target), place, bytes);
    }
    pgas_group_sync(n);  // none of its threads still uses the destination
    bool bad_tag = tag != PGAS_PUT_ALONE && (pgas_u32) tag >= PGAS_TAGS;
    if (bad_tag || place == PGAS_NOWHERE) {
        if (i == 0 && bad_tag) {
            pgas_fail(c, PGAS_NO_TAG, tag, PGAS_TAGS, 0);
        } else if (i == 0) {
            pgas_misplaced(c, window, target, offset, bytes);
        }
    } else {
        pgas_u32 world = (pgas_u32) pgas_window_world(c, window, target);
        pgas_u32 host = pgas_host_of(c, world);
        char *segment = pgas_segment(c, host);
        if (segment == 0) {
            pgas_get_by_host(c, world, place, (char *) dst, bytes, tag, waits, i, n);
        } else {
            pgas_get_copy(c, world, segment + place, (char *) dst, bytes, tag, i, n);
        }
        if (i == 0) {
            pgas_count(c, host, PGAS_COUNTED_GETS, bytes);
        }
    }
    pgas_group_sync(n);
    if (n == pgas_block_threads()) {
        pgas_check(c);
    }
}

PGAS_FN void pgas_get(pgas_context *c, int window, int target, pgas_u64 offset, void *dst, pgas_u64 bytes) {
    pgas_get_group(c, window, target, offset, dst, bytes, PGAS_PUT_ALONE, true, PGAS_GROUP_BLOCK);
}

PGAS_FN void pgas_get_warp(pgas_context *c, int window, int target, pgas_u64 offset, void *dst, pgas_u64 bytes) {
    pgas_get_group(c, window, target, offset, dst, bytes, PGAS_PUT_ALONE, true, PGAS_GROUP_WARP);
}

PGAS_FN void pgas_get_thread(pgas_context *c, int window, int target, pgas_u64 offset, void *dst, pgas_u64 bytes) {
    pgas_get_group(c, window, target, offset, dst, bytes, PGAS_PUT_ALONE, true, PGAS_GROUP_THREAD);
}

PGAS_FN void pgas_get_start(pgas_context *c, int window, int target, pgas_u64 offset, void *dst, pgas_u64 bytes) {
    pgas_get_group(c, window, target, offset, dst, bytes, PGAS_PUT_ALONE, false, PGAS_GROUP_BLOCK);
}

PGAS_FN void pgas_get_start_warp(pgas_context *c, int window, int target, pgas_u64 offset, void *dst, pgas_u64 bytes) {
    pgas_get_group(c, window, target, offset, dst, bytes, PGAS_PUT_ALONE, false, PGAS_GROUP_WARP);
}

PGAS_FN void pgas_get_start_thread(pgas_context *c, int window, int target, pgas_u64 offset, void *dst, pgas_u64 bytes) {
    pgas_get_group(c, window, target, offset, dst, bytes, PGAS_PUT_ALONE, false, PGAS_GROUP_THREAD);
}

PGAS_FN void pgas_get_notify(pgas_context *c, int window, int target, pgas_u64 offset, void *dst, pgas_u64 bytes, int tag) {
    pgas_get_group(c, window, target, offset, dst, bytes, tag, true, PGAS_GROUP_BLOCK);
}

PGAS_FN void pgas_get_notify_warp(pgas_context *c, int window, int target, pgas_u64 offset, void *dst, pgas_u64 bytes,
                                  int tag) {
    pgas_get_group(c, window, target, offset, dst, bytes, tag, true, PGAS_GROUP_WARP);
}

PGAS_FN void pgas_get_notify_thread(pgas_context *c, int window, int target, pgas_u64 offset, void *dst, pgas_u64 bytes,
                                    int tag) {
    pgas_get_group(c, window, target, offset, dst, bytes, tag, true, PGAS_GROUP_THREAD);
}

PGAS_FN void pgas_wait_gets_group(pgas_context *c, pgas_u32 i, pgas_u32 n) {
    pgas_group_sync(n);
    if (i == 0) {
        pgas_await_gets(c);
    }
    pgas_group_sync(n);
    if (n == pgas_block_threads()) {
        pgas_check(c);
    }
}

PGAS_FN void pgas_wait_gets(pgas_context *c) {
    pgas_wait_gets_group(c, PGAS_GROUP_BLOCK);
}

PGAS_FN void pgas_wait_gets_warp(pgas_context *c) {
    pgas_wait_gets_group(c, PGAS_GROUP_WARP);
}

PGAS_FN void pgas_wait_gets_thread(pgas_context *c) {
    pgas_wait_gets_group(c, PGAS_GROUP_THREAD);
}

template <typename T> PGAS_FN void pgas_p(pgas_context *c, int window, int target, pgas_u64 offset, T value) {
    static_assert(sizeof(T) <= 8, "a single value has 8 bytes at most");
    pgas_put_thread(c, window, target, offset, &value, sizeof(T));
}

template <typename T> PGAS_FN T pgas_g(pgas_context *c, int window, int target, pgas_u64 offset) {
    static_assert(sizeof(T) <= 8, "a single value has 8 bytes at most");
    T value = T();
    pgas_get_thread(c, window, target, offset, &value, sizeof(T));
    return value;
}
