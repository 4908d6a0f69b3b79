// ---- waits

// Takes messages until `count` notifications of a tag are there, and consumes them; the first warp. once: looks once.
// Returns 1 if they are there, 0 if not, -1 if the wait has failed. All threads unpack what is pending when it returns.
PGAS_SLOW int pgas_await_any(pgas_context *c, pgas_u32 tag, pgas_u64 count, bool once) {
    pgas_u32 hot = pgas_await_restore(c);
    if (c->dead) {
        return -1;
    }
    pgas_await_state s = pgas_await_begin(c, hot, tag, count, once);
    pgas_deadline d = {0, 0};
    pgas_u32 rounds = 0;
    for (;;) {
        pgas_u64 word = 0;
        bool reads_mailbox = s.watches && c->reads_mailbox;
        if (reads_mailbox && s.lane < PGAS_PAGE_COMMAND_BYTES / 8) {
            // A message at once, which arrives while the warp reads elsewhere.
            word = pgas_ld(pgas_mailbox_slot(c) + s.lane * 8);
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
            s = pgas_await_mailbox(c, s, reads_mailbox, word);
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

// Packet of this lane that the next message of a channel has if it is as long as the one before.
struct pgas_expected {
    const char *at;
    pgas_u32 lap;
    bool any;
    pgas_u64 w0, w1;
};

PGAS_FN pgas_expected pgas_expect(pgas_context *c, pgas_u32 channel) {
    pgas_expected e = {0, 0, PGAS_WITH_PACKETS && c->last_count - 1 < 32 && c->last_channel == channel, 0, 0};
    if (e.any) {
        pgas_u64 at = pgas_fitting(c, c->last_packet, c->last_count);
        e.at = pgas_packet(c, pgas_ring(c, c->rings, channel), at) + threadIdx.x * PGAS_PACKET_BYTES;
        e.lap = pgas_lap(c, at);
    }
    return e;
}

// Unpacks the message that ends a wait, or lets its packets wait for all threads. False if some are in flight.
PGAS_SLOW bool pgas_await_unpack(pgas_context *c, pgas_u32 channel, pgas_slot_words w, pgas_expected e) {
    pgas_u32 lane = threadIdx.x;
    pgas_packets p = pgas_packets_of(c, channel, w);
    if (p.bytes > PGAS_WARP_PAYLOAD) {
        c->arrived[channel] = p;
        c->pending = 1u << channel;
    } else if (e.any && p.from + lane * PGAS_PACKET_BYTES == e.at && p.lap == e.lap) {
        bool mine = lane * PGAS_PACKET_PAYLOAD < p.bytes;
        if (!__all_sync(0xffffffffu, !mine || pgas_is_complete(e.w0, e.w1, e.lap))) {
            return false;
        }
        if (mine) {
            pgas_write_packet(p.to, p.bytes, lane, e.w0, e.w1);
        }
    } else {
        c->arrived[channel] = p;
        __syncwarp();
        pgas_unpack(c, channel, lane, 32);
    }
    __syncwarp();
    if (p.reports && p.bytes <= PGAS_WARP_PAYLOAD && lane == 0) {
        pgas_report(c, channel, p.sequence);
    }
    pgas_u32 count = pgas_packets_for(p.bytes);
    c->last_count = count;
    c->last_packet = pgas_first_packet(w) + count;
    c->last_channel = channel;
    return true;
}

// Stores the payload of the message that ends a wait; rest: of its header without the tag. Returns 1, 0 if words or packets of it
// are in flight, -1 if this is another message.
PGAS_FN int pgas_await_payload(pgas_context *c, const pgas_hot &hot, char *segment, pgas_u32 rest, const pgas_slot_words &w,
                               const pgas_expected &packet) {
    if (((pgas_u32) (w.w1 >> 32) ^ hot.next) | ((pgas_u32) (w.w2 >> 32) ^ hot.next) | ((pgas_u32) (w.w3 >> 32) ^ hot.next)) {
        return (rest & 0xf00) != 0 ? 0 : -1;
    }
    // All threads store the same, which is one store, and need not diverge.
    char *to = segment + ((w.w0 & 0xffff0000u) << 16 | (pgas_u32) w.w3);
    if (rest == 0x400 && ((pgas_u32) w.w3 & 3) == 0) {
        *(pgas_u32 *) to = (pgas_u32) w.w1;
    } else if (rest == 0x800 && ((pgas_u32) w.w3 & 7) == 0) {
        *(pgas_u64 *) to = w.w2 << 32 | (pgas_u32) w.w1;
    } else if (!PGAS_WITH_PACKETS || (rest & ~PGAS_CREDIT) != PGAS_PACKETS) {
        return -1;
    } else {
        return pgas_await_unpack(c, hot.channel, w, packet) ? 1 : 0;
    }
    return 1;
}

// As pgas_await_any, not once, for the usual case that one more message of the last message's channel ends the wait.
PGAS_FN int pgas_await(pgas_context *c, pgas_u32 tag, pgas_u64 count) {
    pgas_hot hot = c->hot;
    if ((hot.next & (PGAS_SLOTS / 2 - 1)) != 0 && c->own[tag] + 1 == (pgas_u32) count && !c->acquiring) {
        pgas_u32 lane = threadIdx.x;
        bool counter = lane >= PGAS_LANE_DIRECT;
        const char *at = c->places[lane] + (counter ? tag * 8 : 0);
        // A message of another channel shows by a number that this word gets, a count or a claim by a value that it
        // loses.
        pgas_u32 open = c->open;
        pgas_u32 known = counter ? c->seen[lane & 1][tag] : lane == PGAS_LANE_CLAIMS ? open
                : c->heads[lane & (PGAS_CHANNELS - 1)] + 1;
        bool watched = counter || lane == PGAS_LANE_CLAIMS && open < PGAS_CHANNELS
                || lane < open && lane != hot.channel;
        pgas_expected packet = pgas_expect(c, hot.channel);
        __syncwarp();  // before the first thread changes any of it
        char *segment = c->segment;
        pgas_u64 other = 0;
        for (int looks = 0; looks < 32; looks++) {
            pgas_u64 w0, w1, w2, w3;
            pgas_ld2(hot.at, w0, w1);
            pgas_ld2(hot.at + PGAS_SLOT_BYTES / 2, w2, w3);
            if (packet.any) {
                pgas_ld2(packet.at, packet.w0, packet.w1);
            }
            if (looks & 1) {
                other = pgas_ld(at);
            }
            if ((pgas_u32) (w0 >> 32) == hot.next) {
                pgas_u32 rest = ((pgas_u32) w0 ^ tag) & 0xffff;
                if (rest != 0) {
                    pgas_slot_words w = {w0, w1, w2, w3};
                    int stored = pgas_await_payload(c, hot, segment, rest, w, packet);
                    if (stored == 0) {
                        continue;
                    }
                    if (stored < 0) {
                        break;
                    }
                }
                pgas_keep(c, hot.channel, pgas_after(hot.at, hot.next), hot.next + 1);
                c->own[tag] = 0;
                return 1;
            }
            if ((looks & 1) == 0) {
                continue;
            }
            pgas_u32 word = lane < PGAS_LANE_CLAIMS ? (pgas_u32) (other >> 32) : (pgas_u32) other;
            if (__any_sync(0xffffffffu, watched && (word == known) == (lane < PGAS_LANE_CLAIMS))) {
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
    if (pgas_is_pending(c)) {
        pgas_unpack_all(c);
    }
    pgas_check(c);
    __syncthreads();
    return result;
}

PGAS_FN void pgas_wait_notifications(pgas_context *c, int tag, pgas_u64 count) {
    pgas_block_sync();
    pgas_check_faults(c);
    int found = 1;
    if (threadIdx.x < 32) {
        if (tag >= 0 && tag < PGAS_TAGS) {
            found = pgas_await(c, (pgas_u32) tag, count);
        } else {
            found = -1;
            if (threadIdx.x == 0) {
                pgas_fail(c, PGAS_NO_TAG, tag, PGAS_TAGS, 0);
            }
        }
    }
    pgas_block_sync();
    if (pgas_is_pending(c)) {
        pgas_unpack_all(c);
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
