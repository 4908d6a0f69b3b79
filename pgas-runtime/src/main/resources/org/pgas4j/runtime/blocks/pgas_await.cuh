// ---- waiting for notifications by the first warp: its lanes 0 to 15 each read the next slot of a channel,
// PGAS_LANE_... the rest

// Slot of the message after one.
PGAS_FN const char *pgas_after(const char *at, pgas_u32 sequence) {
    return (sequence & (PGAS_SLOTS - 1)) == PGAS_SLOTS - 1 ? at - (PGAS_SLOTS - 1) * PGAS_SLOT_BYTES
            : at + PGAS_SLOT_BYTES;
}

PGAS_FN void pgas_keep(pgas_context *c, pgas_u32 channel, const char *at, pgas_u32 next) {
    c->hot.at = at;
    c->hot.next = next;
    c->hot.channel = channel;
}

// State of a wait, of each lane.
struct pgas_await_state {
    pgas_u32 tag;
    pgas_u64 count;
    bool once;
    pgas_u32 lane;
    pgas_u32 hot;         // channel of the last message
    const char *hot_at;   // its next slot
    pgas_u32 hot_next;
    const char *at;       // next slot of the lane's channel, or its counter
    const char *aligned;  // of the pair of words that holds it
    pgas_u32 next;
    pgas_u32 open;        // channels in use
    pgas_u32 own;         // available notifications of the tag
    pgas_u32 counted;     // of them by the lane's counter
    bool counter, odd;    // the lane has a counter; it is the second word of its pair
    bool acquiring, watches;
};

PGAS_FN pgas_u32 pgas_length(pgas_u32 header) {
    return header >> 8 & 15;
}

// Writes the state of the last message's channel where those of the others are. Returns its number.
PGAS_FN pgas_u32 pgas_await_restore(pgas_context *c) {
    pgas_u32 lane = threadIdx.x;
    pgas_u32 hot = c->hot.channel;
    if (lane == hot) {
        c->heads[hot] = c->hot.next - 1;
        c->places[hot] = c->hot.at;
    }
    __syncwarp();
    return hot;
}

PGAS_FN pgas_await_state pgas_await_begin(pgas_context *c, pgas_u32 hot, pgas_u32 tag, pgas_u64 count, bool once) {
    pgas_await_state s;
    s.tag = tag;
    s.count = count;
    s.once = once;
    s.lane = threadIdx.x;
    s.hot = hot;
    s.at = c->places[s.lane];
    s.next = c->heads[s.lane & (PGAS_CHANNELS - 1)] + 1;
    s.open = c->open;
    s.own = c->own[tag];
    s.counted = c->seen[s.lane & 1][tag];
    s.acquiring = c->acquiring & 1;
    s.watches = c->acquiring & PGAS_WATCH_MAILBOX;
    s.counter = s.lane >= PGAS_LANE_DIRECT;
    if (s.counter) {
        s.at += s.tag * 8;
    }
    // The mask keeps pairs of words aligned; of a counter's pair the odd word is the second.
    s.aligned = s.counter ? (const char *) ((pgas_u64) s.at & ~15ull) : s.at;
    s.odd = s.counter && (s.tag & 1);
    s.hot_at = c->places[hot];
    s.hot_next = c->heads[hot] + 1;
    __syncwarp();  // before the first thread changes any of it
    return s;
}

// Ends the wait if the next message of the last message's channel does: all threads read the same words and need no
// vote.
PGAS_FN bool pgas_await_hot(pgas_context *c, pgas_await_state s) {
    for (int k = 0; k < (s.once ? 1 : 2); k++) {
        pgas_u64 w0, w1, w2, w3;
        pgas_ld2(s.hot_at, w0, w1);
        pgas_ld2(s.hot_at + PGAS_SLOT_BYTES / 2, w2, w3);
        if ((pgas_u32) (w0 >> 32) == s.hot_next && (s.hot_next & (PGAS_SLOTS / 2 - 1)) != 0
                && (int) (s.own + 1 - (pgas_u32) s.count) >= 0
                && ((pgas_u32) w0 & (PGAS_SILENT | PGAS_CREDIT | 0xff)) == s.tag) {
            pgas_u32 bytes = pgas_length((pgas_u32) w0);
            if (bytes != 0 && (bytes != 4 && bytes != 8 || ((pgas_u32) w3 & (bytes - 1)) != 0
                    || (pgas_u32) (w1 >> 32) != s.hot_next || (pgas_u32) (w2 >> 32) != s.hot_next
                    || (pgas_u32) (w3 >> 32) != s.hot_next)) {
                break;
            }
            if ((pgas_u32) w0 & PGAS_ACQUIRE) {
                pgas_ld_acquire(s.hot_at);
            }
            if (s.lane == 0) {
                char *to = c->segment + pgas_payload_place(w0, w3);
                if (bytes == 4) {
                    *(pgas_u32 *) to = (pgas_u32) w1;
                } else if (bytes == 8) {
                    *(pgas_u64 *) to = w2 << 32 | (pgas_u32) w1;
                }
                pgas_keep(c, s.hot, pgas_after(s.hot_at, s.hot_next), s.hot_next + 1);
                c->own[s.tag] = s.own + 1 - (pgas_u32) s.count;
                if (c->reads_mailbox) {
                    pgas_mailbox_release(c);
                }
            }
            return true;
        }
    }
    return false;
}

PGAS_FN pgas_slot_words pgas_await_read(pgas_await_state s) {
    pgas_u64 w0, w1, w2 = 0, w3 = 0;
    if (s.acquiring) {
        // The next message comes after plain stores, most likely: the read itself acquires.
        w0 = pgas_ld_acquire(s.at);
        w1 = w0;
        if (s.lane < s.open && (pgas_u32) (w0 >> 32) == s.next && pgas_length((pgas_u32) w0) != 0) {
            pgas_ld2(s.at, w0, w1);
            pgas_ld2(s.at + PGAS_SLOT_BYTES / 2, w2, w3);
        }
    } else {
        pgas_ld2(s.aligned, w0, w1);
        pgas_ld2(s.aligned + PGAS_SLOT_BYTES / 2, w2, w3);
    }
    pgas_slot_words w = {w0, w1, w2, w3};
    return w;
}

// Takes the messages that lanes have hit.
PGAS_FN pgas_await_state pgas_await_take(pgas_context *c, pgas_await_state s, pgas_slot_words w, bool hit,
                                         pgas_u32 hits) {
    pgas_u32 header = (pgas_u32) w.w0;
    s.hot = __ffs((int) hits) - 1;
    bool wanted = hit && (header & (PGAS_SILENT | 0xff)) == s.tag;
    bool acquire = hit && (header & PGAS_ACQUIRE);
    bool simple = !hit || wanted && !(header & PGAS_CREDIT) && (s.next & (PGAS_SLOTS / 2 - 1)) != 0
            && (pgas_length(header) == 0 || pgas_length(header) == 4 && ((pgas_u32) w.w3 & 3) == 0);
    s.own += __popc(__ballot_sync(0xffffffffu, wanted));
    pgas_u32 acquires = __ballot_sync(0xffffffffu, acquire);
    if (acquires != 0 && !s.acquiring) {
        pgas_ld_acquire(s.at);
    }
    s.acquiring = acquires != 0;
    pgas_u32 packets = !PGAS_WITH_PACKETS ? 0 : __ballot_sync(0xffffffffu, hit && pgas_length(header) == PGAS_PACKETS >> 8);
    if (packets != 0) {
        pgas_take_payloads(c, w, packets);
    }
    if (__all_sync(0xffffffffu, simple)) {
        if (hit && pgas_length(header) != 0) {
            *(pgas_u32 *) (c->segment + pgas_payload_place(header, w.w3)) = (pgas_u32) w.w1;
        }
    } else if (hit) {
        if (!PGAS_WITH_PACKETS || pgas_length(header) != PGAS_PACKETS >> 8) {
            pgas_apply(c, s.lane, w.w0, w.w1, w.w2, w.w3);
        }
        if (!wanted && !(header & PGAS_SILENT)) {
            atomicAdd(&c->own[header & 0xff], 1u);
        }
        if (pgas_reports(s.next, header)) {
            pgas_report(c, s.lane, s.next);
        }
    }
    if (hit) {
        s.at = pgas_after(s.at, s.next);
        s.aligned = s.at;
        c->heads[s.lane] = s.next;
        c->places[s.lane] = s.at;
        s.next++;
    }
    s.hot_at = (const char *) __shfl_sync(0xffffffffu, (pgas_u64) s.at, (int) s.hot);
    s.hot_next = __shfl_sync(0xffffffffu, s.next, (int) s.hot);
    return s;
}

// Adds the changes of counters and goes on with the channels in use.
PGAS_FN pgas_await_state pgas_await_count(pgas_context *c, pgas_await_state s, pgas_slot_words w) {
    pgas_u32 counted = (pgas_u32) (s.odd ? w.w1 : w.w0);
    pgas_u32 delta = s.counter ? counted - s.counted : 0;
    s.own += __shfl_sync(0xffffffffu, delta, PGAS_LANE_DIRECT) + __shfl_sync(0xffffffffu, delta, PGAS_LANE_PROXY);
    if (s.counter && delta != 0) {
        pgas_ld_acquire(s.at);  // counts of others and of the host come after their bytes
        s.counted = counted;
        c->seen[s.lane & 1][s.tag] = counted;
    }
    pgas_u32 claims = __shfl_sync(0xffffffffu, (pgas_u32) w.w0, PGAS_LANE_CLAIMS);
    s.open = claims < PGAS_CHANNELS ? claims : PGAS_CHANNELS;
    if (s.lane == PGAS_LANE_CLAIMS) {
        c->open = s.open;
    }
    __syncwarp();
    return s;
}

// Reads the mailbox unless another block does; the first warp. enough, once: notifications of the tag that end the wait, and whether it
// looks once. reads, word: whether this block reads the mailbox already, and then a word of its next message, one of each lane.
// Returns the notifications of the tag that it has found. Not in line: of the wait's own state it needs little.
PGAS_SLOW pgas_u32 pgas_await_mailbox(pgas_context *c, pgas_u32 tag, pgas_u32 enough, bool once, bool reads, pgas_u64 word) {
    PGAS_IN_SHARED(c);
    if (!reads) {
        if (threadIdx.x == 0) {
            pgas_mailbox_claim(c);
        }
        __syncwarp();
        if (!once || !c->reads_mailbox) {
            return 0;
        }
        word = pgas_mailbox_word(c);
    }
    pgas_u32 found = pgas_mailbox_take_warp(c, tag, enough, word);
    return __shfl_sync(0xffffffffu, found, 0);
}

// Keeps the state for the next wait; the first lane.
PGAS_FN void pgas_await_end(pgas_context *c, pgas_await_state s, pgas_u32 left) {
    pgas_keep(c, s.hot, s.hot_at, s.hot_next);
    if (PGAS_WITH_PACKETS && c->last_channel != s.hot) {
        c->last_bytes = 0;
    }
    c->own[s.tag] = left;
    c->acquiring = s.acquiring | s.watches * PGAS_WATCH_MAILBOX;
    if (c->reads_mailbox) {
        pgas_mailbox_release(c);
    }
}

// Ends a wait that has not found its notifications. late: as of pgas_late, or 3 if it was to look once.
PGAS_FN int pgas_await_give_up(pgas_context *c, pgas_await_state s, int late) {
    if (s.lane == 0) {
        pgas_await_end(c, s, s.own);
        if (late == 1) {
            pgas_fail(c, PGAS_LATE_NOTIFICATION, (int) s.tag, s.count, (pgas_u64) (long long) (int) s.own);
        }
        if (late != 3 || pgas_aborted(c)) {
            c->dead = 1;
        }
    }
    return s.once ? 0 : -1;
}
