// ---- waits

// Fails if there is no such number of notifications: a negative one, most likely; the first warp.
PGAS_FN bool pgas_may_await(pgas_context *c, pgas_u32 tag, pgas_u64 count) {
    if (count > PGAS_MAX_COUNT && threadIdx.x == 0) {
        pgas_fail(c, PGAS_BAD_COUNT, (int) tag, PGAS_MAX_COUNT, count);
    }
    return count <= PGAS_MAX_COUNT;
}

// Takes messages until `count` notifications of a tag are there, and consumes them; the first warp. once: looks once.
// Returns 1 if they are there, 0 if not, -1 if the wait has failed.
PGAS_SLOW int pgas_await_any(pgas_context *c, pgas_u32 tag, pgas_u64 count, bool once) {
    PGAS_IN_SHARED(c);
    pgas_u32 hot = pgas_await_restore(c);
    c->last_bytes = 0;
    if (c->dead || !pgas_may_await(c, tag, count)) {
        return -1;
    }
    pgas_await_state s = pgas_await_begin(c, hot, tag, count, once);
    pgas_deadline d = {0, 0};
    pgas_u32 rounds = 0;
    for (;;) {
        pgas_u64 word = 0;
        bool reads_mailbox = s.watches && c->reads_mailbox;
        if (reads_mailbox) {
            word = pgas_mailbox_word(c);  // arrives while the warp reads elsewhere
        }
        if (s.watches) {
            __syncwarp();  // before the first thread changes any of it
        }
        if (pgas_await_hot(c, s)) {
            return 1;
        }
        pgas_slot_words w = pgas_await_read(s);
        pgas_u64 w0 = w.w0, w1 = w.w1, w2 = w.w2, w3 = w.w3;
        pgas_u32 next = s.next, open = s.open, header = (pgas_u32) w0;
        // A payload is complete when all its words have the number.
        bool hit = s.lane < open && (pgas_u32) (w0 >> 32) == next && (pgas_length(header) == 0
                || (pgas_u32) (w1 >> 32) == next && (pgas_u32) (w2 >> 32) == next && (pgas_u32) (w3 >> 32) == next);
        bool change = s.counter ? (pgas_u32) (s.odd ? w1 : w0) != s.counted
                : s.lane == PGAS_LANE_CLAIMS && header != open && open < PGAS_CHANNELS;
        pgas_u32 hits = __ballot_sync(0xffffffffu, hit);
        pgas_u32 changes = __ballot_sync(0xffffffffu, change);
        if (hits != 0) {
            s = pgas_await_take(c, s, w, hit, hits);
        }
        if (changes != 0) {
            s = pgas_await_count(c, s, w);
        }
        if (s.watches && (int) (s.own - (pgas_u32) count) < 0) {
            s.own += pgas_await_mailbox(c, s.tag, (pgas_u32) s.count - s.own, s.once, reads_mailbox, word);
        }
        if ((int) (s.own - (pgas_u32) count) >= 0) {
            if (s.lane == 0) {
                pgas_await_end(c, s, s.own - (pgas_u32) count);
            }
            return 1;
        }
        if ((hits | changes) != 0 && (++rounds & 63) != 0) {
            continue;  // others may send without end, and not what this waits for
        }
        int late = once ? 3 : __shfl_sync(0xffffffffu, pgas_late(c, d), 0);
        if (late != 0) {
            return pgas_await_give_up(c, s, late);
        }
    }
}

// Sees what was written before a message that has come with PGAS_ACQUIRE.
PGAS_FN void pgas_acquire(const char *slot, pgas_u32 header) {
    if (header & PGAS_FAR) {
        pgas_ld_acquire(slot);
    } else {
        pgas_ld_acquire_device(slot);
    }
}

// Stores the payload of the message that ends a wait; rest: of its header without the tag. Returns 1, 0 if words of it are in
// flight, -1 if this is another message.
PGAS_FN int pgas_await_payload(const pgas_hot &hot, char *segment, pgas_u32 rest, const pgas_slot_words &w) {
    if (((pgas_u32) (w.w1 >> 32) ^ hot.next) | ((pgas_u32) (w.w2 >> 32) ^ hot.next) | ((pgas_u32) (w.w3 >> 32) ^ hot.next)) {
        return (rest & 0xf00) != 0 ? 0 : -1;
    }
    // All threads store the same, which is one store, and need not diverge.
    char *to = pgas_payload_to(segment, w);
    if (rest == 0x400 && ((pgas_u32) w.w3 & 3) == 0) {
        *(pgas_u32 *) to = (pgas_u32) w.w1;
    } else if (rest == 0x800 && ((pgas_u32) w.w3 & 7) == 0) {
        *(pgas_u64 *) to = w.w2 << 32 | (pgas_u32) w.w1;
    } else {
        return -1;
    }
    return 1;
}

// Words that show, beside the next message of a channel, that a wait may end: one of each lane.
struct pgas_watch {
    const char *at;
    pgas_u32 known;
    bool watched;
};

PGAS_FN pgas_watch pgas_watch_others(pgas_context *c, pgas_u32 tag, pgas_u32 channel) {
    pgas_u32 lane = threadIdx.x, open = c->open;
    bool counter = lane >= PGAS_LANE_DIRECT;
    pgas_watch w;
    w.at = c->places[lane] + (counter ? tag * 8 : 0);
    // A message of another channel shows by a number that this word gets, a count or a claim by a value that it loses.
    w.known = counter ? c->seen[lane & 1][tag] : lane == PGAS_LANE_CLAIMS ? open : c->heads[lane & (PGAS_CHANNELS - 1)] + 1;
    w.watched = counter || lane == PGAS_LANE_CLAIMS && open < PGAS_CHANNELS || lane < open && lane != channel;
    return w;
}

// True if one of the words has changed; other: this lane's.
PGAS_FN bool pgas_has_others(const pgas_watch &w, pgas_u64 other) {
    pgas_u32 word = threadIdx.x < PGAS_LANE_CLAIMS ? (pgas_u32) (other >> 32) : (pgas_u32) other;
    return __any_sync(0xffffffffu, w.watched && (word == w.known) == (threadIdx.x < PGAS_LANE_CLAIMS));
}

#define PGAS_LOOKS 32  // of a wait at a channel before all is looked at

// State behind the message that a wait of the first warp expects, computed while it waits.
PGAS_FN pgas_hot pgas_behind(const pgas_hot &hot) {
    pgas_hot behind = {pgas_after(hot.at, hot.next), hot.next + 1, hot.channel};
    return behind;
}

// Goes on behind that message, of which the sender does not hear yet.
PGAS_FN void pgas_pass_silently(pgas_context *c, pgas_u32 tag, const pgas_hot &behind) {
    c->hot = behind;
    c->own[tag] = 0;
}

// As before, and tells the sender if it wants to hear of it.
PGAS_FN void pgas_pass(pgas_context *c, pgas_u32 tag, const pgas_hot &hot, const pgas_hot &behind, pgas_u32 header) {
    pgas_pass_silently(c, tag, behind);
    if (pgas_reports(hot.next, header) && threadIdx.x == 0) {
        pgas_report(c, hot.channel, hot.next);
    }
}

// The next message of the channel that had the last one, as far as waiting threads know it before it comes: if it is like that one.
struct pgas_expected {
    pgas_hot hot;
    const char *from;      // the thread's packet
    pgas_u32 at, lap, bytes;
    bool mine;             // the thread has one
    bool ends;             // the message ends the wait if it is a notification of the tag
};

PGAS_FN pgas_expected pgas_expect(pgas_context *c, pgas_u32 tag, pgas_u64 count) {
    pgas_expected e;
    e.hot = c->hot;
    e.at = c->last_packet;
    e.bytes = c->last_bytes;
    e.mine = threadIdx.x < pgas_packets_for(e.bytes);
    e.from = pgas_packet(c, pgas_ring(c, c->rings, e.hot.channel), e.at + threadIdx.x);
    e.lap = pgas_lap(c, e.at + threadIdx.x);
    e.ends = (pgas_u64) c->own[tag] + 1 == count && !(c->acquiring & PGAS_WATCH_MAILBOX);
    return e;
}

#define PGAS_SEES_NOTHING 0
#define PGAS_SEES_PACKETS 1
#define PGAS_SEES_OTHER 2

// Looks at the message, whose number is there, and the thread's packet of it, whose words are p0 and p1; all threads of a warp.
PGAS_FN int pgas_see(const pgas_expected &e, pgas_u32 tag, const pgas_slot_words &w, pgas_u64 p0, pgas_u64 p1) {
    bool header = (((pgas_u32) (w.w1 >> 32) ^ e.hot.next) | ((pgas_u32) (w.w2 >> 32) ^ e.hot.next)
            | ((pgas_u32) (w.w3 >> 32) ^ e.hot.next)) == 0;
    bool here = header && (!e.mine || pgas_is_complete(p0, p1, e.lap));
    pgas_u32 other = ((pgas_u32) w.w0 ^ tag ^ PGAS_PACKETS) & (0xffff & ~PGAS_CREDIT);
    pgas_u32 unlike = header ? ((pgas_u32) w.w1 ^ e.at) | ((pgas_u32) w.w2 ^ e.bytes) : 0;
    if ((other | unlike) != 0) {
        return PGAS_SEES_OTHER;
    }
    return __all_sync(0xffffffffu, here) ? PGAS_SEES_PACKETS : PGAS_SEES_NOTHING;
}

// Stores the packets of the message as one of n threads.
PGAS_FN void pgas_unpack_expected(pgas_context *c, const pgas_expected &e, char *to, pgas_u64 p0, pgas_u64 p1, pgas_u32 n) {
    pgas_u32 i = threadIdx.x;
    if ((((pgas_u32) (pgas_u64) to | e.bytes) & (PGAS_PACKET_PAYLOAD - 1)) == 0) {
        if (e.mine) {
            *(pgas_u64 *) (to + i * PGAS_PACKET_PAYLOAD) = p1 << 32 | (pgas_u32) p0;
        }
    } else if (e.mine) {
        pgas_write_packet(to, e.bytes, i, p0, p1);
    }
    if (n * PGAS_PACKET_PAYLOAD < e.bytes) {
        pgas_unpack(c, pgas_ring(c, c->rings, e.hot.channel), e.at, to, e.bytes, i + n, n);
    }
}

#define PGAS_PACKET_LOOKS 4096  // of a wait for such a message: a thread alone unpacks for longer than many looks

// Waits for the next message, which has packets, most likely: reads one of each thread at once with the message; the first warp, of
// n threads that unpack it. Returns the message's number if it has come and its sender is to hear of it, 0 if it has come alone, -1
// and has taken nothing if another way has to be tried.
PGAS_FN long long pgas_await_next_packets(pgas_context *c, pgas_u32 tag, pgas_u64 count, pgas_u32 n) {
    pgas_expected e = pgas_expect(c, tag, count);
    pgas_watch watch = pgas_watch_others(c, tag, e.hot.channel);
    char *segment = c->segment;
    pgas_u64 other = 0;
    pgas_hot behind = pgas_behind(e.hot);
    pgas_group_sync(n);  // all have read what the first warp changes
    for (int looks = 0; looks < PGAS_PACKET_LOOKS && e.ends; looks++) {
        pgas_slot_words w;
        pgas_u64 p0, p1;
        pgas_ld2(e.hot.at, w.w0, w.w1);
        pgas_ld2(e.hot.at + PGAS_SLOT_BYTES / 2, w.w2, w.w3);
        pgas_ld2(e.from, p0, p1);
        if (looks & 1) {
            other = pgas_ld(watch.at);
        }
        if ((pgas_u32) (w.w0 >> 32) == e.hot.next) {
            int seen = pgas_see(e, tag, w, p0, p1);
            if (seen == PGAS_SEES_PACKETS) {
                pgas_unpack_expected(c, e, pgas_payload_to(segment, w), p0, p1, n);
                c->last_packet = e.at + pgas_packets_for(e.bytes);
                pgas_pass_silently(c, tag, behind);
                return pgas_reports(e.hot.next, (pgas_u32) w.w0) ? (long long) e.hot.next : 0;
            }
            if (seen == PGAS_SEES_OTHER) {
                break;
            }
        } else if ((looks & 1) && pgas_has_others(watch, other)) {
            break;
        }
    }
    return -1;
}

// As pgas_await where the next message has packets, most likely, which the first warp unpacks.
PGAS_FN int pgas_await_packets_of_next(pgas_context *c, pgas_u32 tag, pgas_u64 count) {
    pgas_u32 channel = c->hot.channel;
    long long taken = pgas_await_next_packets(c, tag, count, 32);
    if (taken < 0) {
        return pgas_await_any(c, tag, count, false);
    }
    __syncwarp();  // all have stored their packets
    if (taken > 0 && threadIdx.x == 0) {
        pgas_report(c, channel, (pgas_u32) taken);
    }
    return 1;
}

// The same by the warps behind the first: unpack their packets of the message unless the first warp goes on without them. What they
// have stored then it stores again.
PGAS_SLOW void pgas_await_beside(pgas_context *c, pgas_u32 tag, pgas_u64 count) {
    PGAS_IN_SHARED(c);
    pgas_expected e = pgas_expect(c, tag, count);
    char *segment = c->segment;
    pgas_deadline d = {0, 0};
    __syncthreads();  // all have read what the first warp changes
    for (bool waits = e.ends; waits;) {
        pgas_slot_words w;
        pgas_u64 p0, p1;
        pgas_ld2(e.hot.at, w.w0, w.w1);
        pgas_ld2(e.hot.at + PGAS_SLOT_BYTES / 2, w.w2, w.w3);
        pgas_ld2(e.from, p0, p1);
        int seen = (pgas_u32) (w.w0 >> 32) == e.hot.next ? pgas_see(e, tag, w, p0, p1) : PGAS_SEES_NOTHING;
        if (seen == PGAS_SEES_PACKETS) {
            pgas_unpack_expected(c, e, pgas_payload_to(segment, w), p0, p1, pgas_block_threads());
        }
        // A wait of the first warp ends, or has failed, before the deadline.
        waits = seen == PGAS_SEES_NOTHING && *(volatile pgas_u32 *) &c->stop == 0 && pgas_late(c, d, c->timeout_ns) == 0;
        waits = __all_sync(0xffffffffu, waits);
    }
}

// Takes the message with packets that ends a wait, whose words are there, and expects another like it.
PGAS_SLOW void pgas_await_unpack(pgas_context *c, pgas_u32 tag, pgas_u64 w0, pgas_u64 w1, pgas_u64 w2, pgas_u64 w3) {
    PGAS_IN_SHARED(c);
    pgas_hot hot = c->hot;
    pgas_slot_words w = {w0, w1, w2, w3};
    pgas_unpack_warp(c, hot.channel, w);
    pgas_pass(c, tag, hot, pgas_behind(hot), (pgas_u32) w0);
}

// As pgas_await_any, not once, for the usual case that one more message of the last message's channel ends the wait.
PGAS_FN int pgas_await(pgas_context *c, pgas_u32 tag, pgas_u64 count) {
    pgas_hot hot = c->hot;
    if ((pgas_u64) c->own[tag] + 1 == count && !(c->acquiring & PGAS_WATCH_MAILBOX)) {
        if (PGAS_WITH_PACKETS && c->last_bytes != 0) {
            return pgas_await_packets_of_next(c, tag, count);
        }
        pgas_watch watch = pgas_watch_others(c, tag, hot.channel);
        char *segment = c->segment;
        pgas_u64 other = 0;
        pgas_hot behind = pgas_behind(hot);
        __syncwarp();  // before the first thread changes any of it
        for (int looks = 0; looks < PGAS_LOOKS; looks++) {
            pgas_u64 w0, w1, w2, w3;
            pgas_ld2(hot.at, w0, w1);
            pgas_ld2(hot.at + PGAS_SLOT_BYTES / 2, w2, w3);
            if (looks & 1) {
                other = pgas_ld(watch.at);
            }
            if ((pgas_u32) (w0 >> 32) == hot.next) {
                pgas_u32 rest = ((pgas_u32) w0 ^ tag) & 0xffff;
                if (rest != 0) {
                    pgas_slot_words w = {w0, w1, w2, w3};
                    int stored = pgas_await_payload(hot, segment, rest, w);
                    if (stored == 0) {
                        continue;
                    }
                    if (stored < 0 && PGAS_WITH_PACKETS && (rest & ~PGAS_CREDIT) == PGAS_PACKETS) {
                        pgas_await_unpack(c, tag, w0, w1, w2, w3);
                        return 1;
                    }
                    if (stored < 0) {
                        if ((rest & ~PGAS_FAR) != PGAS_ACQUIRE) {
                            break;
                        }
                        pgas_acquire(hot.at, rest);
                    }
                }
                pgas_pass(c, tag, hot, behind, 0);
                return 1;
            }
            if ((looks & 1) && pgas_has_others(watch, other)) {
                break;
            }
        }
    }
    return pgas_await_any(c, tag, count, false);
}

PGAS_FN bool pgas_test_notifications(pgas_context *c, int tag, pgas_u64 count) {
    __syncthreads();
    if (threadIdx.x < 32) {
        bool known = (pgas_u32) tag < PGAS_TAGS;
        int found = known ? pgas_await_any(c, (pgas_u32) tag, count, true) : 0;
        if (threadIdx.x == 0) {
            c->result = found;
            if (!known) {
                pgas_fail(c, PGAS_NO_TAG, tag, PGAS_TAGS, 0);
            }
        }
    }
    __syncthreads();
    bool result = c->result != 0;
    pgas_check(c);
    __syncthreads();
    return result;
}

// True for all threads of a block if the next message has packets for several warps, most likely. Begins the wait: a barrier.
PGAS_FN bool pgas_expects_many(pgas_context *c) {
    if (!PGAS_WITH_PACKETS || pgas_block_threads() == 32) {
        pgas_block_sync();
        return false;
    }
    bool many = threadIdx.x == 0 && c->last_bytes > PGAS_WARP_PAYLOAD;
    if (many) {
        c->stop = 0;
    }
    return __syncthreads_or(many);
}

// Waits for the next message as all warps of a block, which unpack it together. False, and nothing has been taken, if the first warp
// has to try another way. All have stored their packets, or stopped, before it does or the message's sender hears that it is taken.
PGAS_FN bool pgas_await_together(pgas_context *c, pgas_u32 tag, pgas_u64 count) {
    pgas_u32 channel = c->hot.channel;
    long long taken = 0;
    if (threadIdx.x < 32) {
        taken = pgas_await_next_packets(c, tag, count, pgas_block_threads());
        if (taken < 0) {
            *(volatile pgas_u32 *) &c->stop = 1;
        }
    } else {
        pgas_await_beside(c, tag, count);
    }
    if (!__syncthreads_and(taken >= 0)) {
        return false;
    }
    if (taken > 0 && threadIdx.x == 0) {
        pgas_report(c, channel, (pgas_u32) taken);
    }
    return true;
}

PGAS_FN void pgas_wait_notifications(pgas_context *c, int tag, pgas_u64 count) {
    tag = pgas_not_ahead(tag);
    count = pgas_not_ahead(count);
    bool many = pgas_expects_many(c), known = (pgas_u32) tag < PGAS_TAGS;
    pgas_check_faults(c);
    int found = 1;
    if (!known) {
        found = -1;
        if (threadIdx.x == 0) {
            pgas_fail(c, PGAS_NO_TAG, tag, PGAS_TAGS, 0);
        }
    }
    if (!(known && many && pgas_await_together(c, (pgas_u32) tag, count))) {
        if (known && threadIdx.x < 32) {
            found = many ? pgas_await_any(c, (pgas_u32) tag, count, false) : pgas_await(c, (pgas_u32) tag, count);
        }
        pgas_block_sync();
    }
    if (found < 0 || pgas_block_threads() != 32) {
        pgas_check(c);
    }
}

// Waits for puts by the host and for packets; what was copied is there when the put returns.
PGAS_FN void pgas_flush(pgas_context *c) {
    __syncthreads();
    if (threadIdx.x == 0) {
        if (PGAS_WITH_PACKETS && c->packed) {
            pgas_await_endpoints(c, pgas_endpoints_with_packets(c, -1));
        }
        pgas_deadline d = {0, 0};
        while ((long long) (pgas_ld(c->record + PGAS_FLUSHED) - c->bulk) < 0) {
            pgas_drain_thread(c);
            int late = pgas_late(c, d);
            if (late != 0) {
                if (late == 1) {
                    pgas_fail(c, PGAS_LATE_FLUSH, -1, c->bulk, pgas_ld(c->record + PGAS_FLUSHED));
                }
                c->dead = 1;
                break;
            }
        }
    }
    __syncthreads();
    pgas_check(c);
}
