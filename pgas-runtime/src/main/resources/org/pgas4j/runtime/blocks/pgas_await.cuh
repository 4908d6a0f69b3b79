// ---- waiting for notifications by the first warp: its lanes 0 to 15 each read the next slot of a channel, PGAS_LANE_... the rest

// Slot of the message after one.
PGAS_FN const char *pgas_after(const char *at, pgas_u32 sequence) {
    return (sequence & (PGAS_SLOTS - 1)) == PGAS_SLOTS - 1 ? at - (PGAS_SLOTS - 1) * PGAS_SLOT_BYTES : at + PGAS_SLOT_BYTES;
}

PGAS_FN void pgas_keep(pgas_context *c, pgas_u32 channel, const char *at, pgas_u32 next) {
    c->hot.at = at;
    c->hot.next = next;
    c->hot.channel = channel;
}

// Takes messages until `count` notifications of a tag are there, and consumes them; the first warp. once: looks once.
// Returns 1 if they are there, 0 if not, -1 if the wait has failed.
PGAS_SLOW int pgas_await_any(pgas_context *c, pgas_u32 tag, pgas_u64 count, bool once) {
    pgas_u32 lane = threadIdx.x;
    pgas_u32 hot = c->hot.channel;
    if (lane == hot) {
        c->heads[hot] = c->hot.next - 1;
        c->places[hot] = c->hot.at;
    }
    __syncwarp();
    if (c->dead) {
        return -1;
    }
    const char *at = c->places[lane];
    pgas_u32 next = c->heads[lane & (PGAS_CHANNELS - 1)] + 1;
    pgas_u32 open = c->open;
    pgas_u32 own = c->own[tag];
    pgas_u32 counted_before = c->seen[lane & 1][tag];
    bool acquiring = c->acquiring & 1;
    bool watches = c->acquiring & PGAS_WATCH_MAILBOX;
    bool counter = lane >= PGAS_LANE_DIRECT;
    if (counter) {
        at += tag * 8;
    }
    // The mask keeps pairs of words aligned; of a counter's pair the odd word is the second.
    const char *aligned = counter ? (const char *) ((pgas_u64) at & ~15ull) : at;
    bool odd = counter && (tag & 1);
    pgas_deadline d = {0, 0};
    pgas_u32 rounds = 0;
    const char *hot_at = c->places[hot];
    pgas_u32 hot_next = c->heads[hot] + 1;
    __syncwarp();  // before the first thread changes any of it
    for (;;) {
        pgas_u64 word = 0;
        bool reads_mailbox = watches && c->reads_mailbox;
        if (reads_mailbox && lane < PGAS_PAGE_COMMAND_BYTES / 8) {
            word = pgas_ld(pgas_mailbox_slot(c) + lane * 8);  // a message at once, which arrives while the warp reads elsewhere
        }
        if (watches) {
            __syncwarp();  // before the first thread changes any of it
        }
        // First the channel of the last message: all threads read the same words and need no vote.
        for (int k = 0; k < (once ? 1 : 2); k++) {
            pgas_u64 w0, w1, w2, w3;
            pgas_ld2(hot_at, w0, w1);
            pgas_ld2(hot_at + PGAS_SLOT_BYTES / 2, w2, w3);
            if ((pgas_u32) (w0 >> 32) == hot_next && (hot_next & (PGAS_SLOTS / 2 - 1)) != 0
                    && (int) (own + 1 - (pgas_u32) count) >= 0 && ((pgas_u32) w0 & (PGAS_SILENT | PGAS_CREDIT | 0xff)) == tag) {
                pgas_u32 bytes = (pgas_u32) w0 >> 8 & 15;
                if (bytes != 0 && (bytes != 4 && bytes != 8 || ((pgas_u32) w3 & (bytes - 1)) != 0
                        || (pgas_u32) (w1 >> 32) != hot_next || (pgas_u32) (w2 >> 32) != hot_next
                        || (pgas_u32) (w3 >> 32) != hot_next)) {
                    break;
                }
                if ((pgas_u32) w0 & PGAS_ACQUIRE) {
                    pgas_ld_acquire(hot_at);
                }
                if (lane == 0) {
                    char *to = c->segment + ((w0 & 0xffff0000u) << 16 | (pgas_u32) w3);
                    if (bytes == 4) {
                        *(pgas_u32 *) to = (pgas_u32) w1;
                    } else if (bytes == 8) {
                        *(pgas_u64 *) to = w2 << 32 | (pgas_u32) w1;
                    }
                    pgas_keep(c, hot, pgas_after(hot_at, hot_next), hot_next + 1);
                    c->own[tag] = own + 1 - (pgas_u32) count;
                    if (c->reads_mailbox) {
                        pgas_mailbox_release(c);
                    }
                }
                return 1;
            }
        }
        pgas_u64 w0, w1, w2 = 0, w3 = 0;
        if (acquiring) {
            // The next message comes after plain stores, most likely: the read itself acquires.
            w0 = pgas_ld_acquire(at);
            w1 = w0;
            if (lane < open && (pgas_u32) (w0 >> 32) == next && ((pgas_u32) w0 >> 8 & 15) != 0) {
                pgas_ld2(at, w0, w1);
                pgas_ld2(at + PGAS_SLOT_BYTES / 2, w2, w3);
            }
        } else {
            pgas_ld2(aligned, w0, w1);
            pgas_ld2(aligned + PGAS_SLOT_BYTES / 2, w2, w3);
        }
        pgas_u32 header = (pgas_u32) w0;
        // A payload is complete when all its words have the number.
        bool hit = lane < open && (pgas_u32) (w0 >> 32) == next && ((header >> 8 & 15) == 0
                || (pgas_u32) (w1 >> 32) == next && (pgas_u32) (w2 >> 32) == next && (pgas_u32) (w3 >> 32) == next);
        bool change = counter ? (pgas_u32) (odd ? w1 : w0) != counted_before : lane == PGAS_LANE_CLAIMS && header != open && open < PGAS_CHANNELS;
        pgas_u32 hits = __ballot_sync(0xffffffffu, hit);
        pgas_u32 changes = __ballot_sync(0xffffffffu, change);
        if (hits != 0) {
            hot = __ffs((int) hits) - 1;
            bool wanted = hit && (header & (PGAS_SILENT | 0xff)) == tag;
            bool acquire = hit && (header & PGAS_ACQUIRE);
            bool simple = !hit || wanted && !(header & PGAS_CREDIT) && (next & (PGAS_SLOTS / 2 - 1)) != 0
                    && ((header >> 8 & 15) == 0 || (header >> 8 & 15) == 4 && ((pgas_u32) w3 & 3) == 0);
            own += __popc(__ballot_sync(0xffffffffu, wanted));
            pgas_u32 acquires = __ballot_sync(0xffffffffu, acquire);
            if (acquires != 0 && !acquiring) {
                pgas_ld_acquire(at);
            }
            acquiring = acquires != 0;
            if (__all_sync(0xffffffffu, simple)) {
                if (hit && (header >> 8 & 15) != 0) {
                    *(pgas_u32 *) (c->segment + ((pgas_u64) (header >> 16) << 32 | (pgas_u32) w3)) = (pgas_u32) w1;
                }
            } else if (hit) {
                pgas_apply(c, w0, w1, w2, w3);
                if (!wanted && !(header & PGAS_SILENT)) {
                    atomicAdd(&c->own[header & 0xff], 1u);
                }
                if ((header & PGAS_CREDIT) || (next & (PGAS_SLOTS / 2 - 1)) == 0) {
                    pgas_report(c, lane, next);
                }
            }
            if (hit) {
                at = pgas_after(at, next);
                aligned = at;
                c->heads[lane] = next;
                c->places[lane] = at;
                next++;
            }
            hot_at = (const char *) __shfl_sync(0xffffffffu, (pgas_u64) at, (int) hot);
            hot_next = __shfl_sync(0xffffffffu, next, (int) hot);
        }
        if (changes != 0) {
            pgas_u32 counted = (pgas_u32) (odd ? w1 : w0);
            pgas_u32 delta = counter ? counted - counted_before : 0;
            own += __shfl_sync(0xffffffffu, delta, PGAS_LANE_DIRECT) + __shfl_sync(0xffffffffu, delta, PGAS_LANE_PROXY);
            if (counter && delta != 0) {
                pgas_ld_acquire(at);  // counts of others and of the host come after their bytes
                counted_before = counted;
                c->seen[lane & 1][tag] = counted;
            }
            pgas_u32 claims = __shfl_sync(0xffffffffu, header, PGAS_LANE_CLAIMS);
            open = claims < PGAS_CHANNELS ? claims : PGAS_CHANNELS;
            if (lane == PGAS_LANE_CLAIMS) {
                c->open = open;
            }
            __syncwarp();
        }
        if (watches && (int) (own - (pgas_u32) count) < 0) {
            pgas_u32 found = 0;
            if (reads_mailbox) {
                pgas_mailbox_message m;
                m.op = word;
                m.block = __shfl_sync(0xffffffffu, word, PGAS_COMMAND_AT_BLOCK / 8);
                m.offset_low = __shfl_sync(0xffffffffu, word, PGAS_COMMAND_AT_OFFSET_LOW / 8);
                m.offset_high = __shfl_sync(0xffffffffu, word, PGAS_COMMAND_AT_OFFSET_HIGH / 8);
                m.value_low = __shfl_sync(0xffffffffu, word, PGAS_COMMAND_AT_VALUE_LOW / 8);
                m.value_high = __shfl_sync(0xffffffffu, word, PGAS_COMMAND_AT_VALUE_HIGH / 8);
                if (lane == 0) {
                    found = pgas_mailbox_take(c, tag, (pgas_u32) count - own, m);
                }
            } else if (lane == 0) {
                pgas_mailbox_claim(c);
                if (once && c->reads_mailbox) {
                    found = pgas_mailbox_take(c, tag, (pgas_u32) count - own, pgas_mailbox_load(c));
                }
            }
            __syncwarp();
            own += __shfl_sync(0xffffffffu, found, 0);
        }
        if ((int) (own - (pgas_u32) count) >= 0) {
            if (lane == 0) {
                pgas_keep(c, hot, hot_at, hot_next);
                c->own[tag] = own - (pgas_u32) count;
                c->acquiring = acquiring | watches * PGAS_WATCH_MAILBOX;
                if (c->reads_mailbox) {
                    pgas_mailbox_release(c);
                }
            }
            return 1;
        }
        if ((hits | changes) != 0 && (++rounds & 63) != 0) {
            continue;  // others may send without end, and not what this waits for
        }
        int late = once ? 3 : __shfl_sync(0xffffffffu, pgas_late(c, d), 0);
        if (late != 0) {
            if (lane == 0) {
                pgas_keep(c, hot, hot_at, hot_next);
                c->own[tag] = own;
                c->acquiring = acquiring | watches * PGAS_WATCH_MAILBOX;
                if (c->reads_mailbox) {
                    pgas_mailbox_release(c);
                }
                if (late == 1) {
                    pgas_fail(c, PGAS_LATE_NOTIFICATION, (int) tag, count, (pgas_u64) (long long) (int) own);
                }
                if (late != 3 || pgas_aborted(c)) {
                    c->dead = 1;
                }
            }
            return once ? 0 : -1;
        }
    }
}
