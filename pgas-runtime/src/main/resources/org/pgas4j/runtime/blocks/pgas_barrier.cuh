// ---- barrier: arrivals on the device, then a flag of each device pushed to all; no block reads remote memory

PGAS_FN char *pgas_checked_in(char *area, pgas_u64 host_ranks, pgas_u64 host_rank) {
    return area + PGAS_PEERS + (host_ranks * 8 + PGAS_LINE - 1) / PGAS_LINE * PGAS_LINE + host_rank * PGAS_LINE;
}

#define PGAS_BARRIER_LOOKS 16  // of a barrier before messages that have come are taken, which takes as long as two looks

// To be called after every PGAS_BARRIER_LOOKS looks. first: the first of the host ranks whose barriers the warp reads, one each; -1
// if it waits for blocks of this device.
PGAS_FN bool pgas_barrier_late(pgas_context *c, pgas_deadline &d, pgas_u64 expected, pgas_u64 seen, int first) {
    pgas_drain_warp(c);
    // Seldom: a block that waits for a notification should read the mailbox, as it has it at once.
    if (c->mailbox != 0 && (d.looks & 3) == 3) {
        pgas_mailbox_poll_warp(c);
    }
    // The grace lets a block fail first that waits in vain for a notification and therefore does not come to the
    // barrier.
    int late = __shfl_sync(0xffffffffu, pgas_late(c, d, c->timeout_ns / PGAS_BARRIER_GRACE), 0);
    if (late != 0) {
        pgas_u64 behind = __ballot_sync(0xffffffffu, (long long) (seen - expected) < 0);
        if (threadIdx.x == 0) {
            if (late == 1) {
                pgas_fail(c, PGAS_LATE_BARRIER, -1, expected, seen, c->barrier,
                          first < 0 || first > 63 ? 0 : behind << first);
            }
            c->dead = 1;
        }
    }
    return late != 0;
}

// Waits for the arrivals of all blocks of the device. True if the wait has failed. The upper half of the word counts the blocks that
// had sent payloads: where it has not changed none has to be taken. A carry of the lower half changes it too, which does no harm.
PGAS_FN bool pgas_barrier_arrivals(pgas_context *c, pgas_deadline &d) {
    pgas_u64 all = c->device_epoch * c->per_rank;
    pgas_u32 known = c->payloads;
    for (pgas_u32 looks = 1;; looks++) {
        pgas_u64 word = pgas_ld_acquire_device(c->area + PGAS_ARRIVALS);
        int ahead = (int) ((pgas_u32) word - (pgas_u32) all);
        // All read, so that all acquire; they go on together.
        if (__all_sync(0xffffffffu, ahead >= 0)) {
            c->payloads = __shfl_sync(0xffffffffu, (pgas_u32) (word >> 32), 0);
            c->untaken = c->payloads != known;
            return false;
        }
        if (looks % PGAS_BARRIER_LOOKS == 0 && pgas_barrier_late(c, d, all, all + (pgas_u64) (long long) ahead, -1)) {
            return true;
        }
    }
}

// Flag of a device: how often its blocks had sent payloads, as far as this block knows, and the number of the barrier.
PGAS_FN pgas_u64 pgas_barrier_flag(pgas_context *c, pgas_u32 epoch) {
    return (pgas_u64) c->payloads << 32 | epoch;
}

// Stores the device's flag on all host ranks, for its blocks. segment: that of the rank that the thread begins with.
PGAS_FN void pgas_barrier_push(pgas_context *c, pgas_u32 hosts, pgas_u64 flag, char *segment) {
    for (pgas_u32 r = threadIdx.x; r < hosts; r += 32) {
        segment = r < 32 ? segment : pgas_segment(c, r);
        if (segment != 0) {
            pgas_st_release(segment + c->flag_at, flag);
        } else {
            pgas_fence_system();
            pgas_command(c, PGAS_COMMAND_WORD, 0, 8, r, c->flag_at, flag, 0);
        }
    }
    __syncwarp();
}

PGAS_FN pgas_u32 pgas_sum_of_warp(pgas_u32 value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(0xffffffffu, value);
#else
    for (int lanes = 1; lanes < 32; lanes += lanes) {
        value += __shfl_xor_sync(0xffffffffu, value, lanes);
    }
    return value;
#endif
}

// Waits for the flags of all host ranks. True if the wait has failed. Keeps the sum of their counts of payloads.
PGAS_FN bool pgas_barrier_flags(pgas_context *c, pgas_deadline &d, pgas_u32 hosts, pgas_u32 epoch) {
    pgas_u64 known = c->world_payloads;
    pgas_u32 payloads = 0;
    for (pgas_u32 first = 0; first < hosts; first += 32) {
        pgas_u32 r = first + threadIdx.x;
        pgas_u64 seen = epoch;
        for (pgas_u32 looks = 1;; looks++) {
            if (r < hosts) {
                seen = pgas_ld_acquire(pgas_checked_in(c->area, hosts, r));
            }
            int ahead = (int) ((pgas_u32) seen - epoch);
            if (__all_sync(0xffffffffu, ahead >= 0)) {
                break;
            }
            if (looks % PGAS_BARRIER_LOOKS == 0
                    && pgas_barrier_late(c, d, epoch, epoch + (pgas_u64) (long long) ahead, (int) first)) {
                return true;
            }
        }
        payloads += (pgas_u32) (seen >> 32);
    }
    payloads = pgas_sum_of_warp(payloads);
    __syncwarp();  // all know what was known
    // The same by all; what the host carries may come later than it is counted.
    c->untaken = known != payloads || c->through_host;
    c->world_payloads = payloads;
    __syncwarp();
    return false;
}

// Exchanges flags with all host ranks. What the host carries has arrived at all once all have the first of two flags: a
// get of what others put finds it after the second.
PGAS_FN void pgas_barrier_hosts(pgas_context *c, pgas_deadline &d, pgas_u32 hosts, char *segment) {
    pgas_u32 epoch = 2 * (pgas_u32) c->world_epoch;
    bool ended = false;
    if (blockIdx.x == 0) {
        if (c->through_host) {
            pgas_barrier_push(c, hosts, pgas_barrier_flag(c, epoch - 1), segment);
            ended = pgas_barrier_flags(c, d, hosts, epoch - 1);
        }
        if (!ended) {
            pgas_barrier_push(c, hosts, pgas_barrier_flag(c, epoch), segment);
        }
    }
    if (!ended) {
        pgas_barrier_flags(c, d, hosts, epoch);
    }
}

// Arrives at the barrier; one thread. A block that is alone on its device arrives by the flag.
PGAS_FN void pgas_barrier_arrive(pgas_context *c) {
    if (c->per_rank == 1) {
        c->payloads += c->sent;
    } else {
        pgas_red_release_device(c->area + PGAS_ARRIVALS, (pgas_u64) c->sent << 32 | 1);
    }
    c->sent = 0;
}

// Of the blocks of the device.
PGAS_SLOW void pgas_barrier_device(pgas_context *c, int part) {
    PGAS_IN_SHARED(c);
    __syncthreads();
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0) {
            c->barrier = part;
            c->device_epoch++;
            pgas_barrier_arrive(c);
        }
        __syncwarp();
        if (c->per_rank > 1) {
            pgas_deadline d = {0, 0};
            pgas_barrier_arrivals(c, d);
        }
        // Payloads from blocks of other devices are not counted.
        if (c->untaken || c->host_ranks > 1) {
            pgas_drain_warp(c);
        }
    }
    __syncthreads();
    pgas_check(c);
}

// Of the blocks of all devices.
PGAS_SLOW void pgas_barrier_world(pgas_context *c, int part) {
    PGAS_IN_SHARED(c);
    pgas_u32 hosts = c->host_ranks;
    if (hosts == 1) {
        if (threadIdx.x == 0) {
            c->world_epoch++;
        }
        pgas_barrier_device(c, part);
        return;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0) {
            c->barrier = part;
            c->device_epoch++;
            c->world_epoch++;
            pgas_barrier_arrive(c);
        }
        // Before anything that acquires, behind which it would be read from memory while all wait.
        char *segment = blockIdx.x == 0 && threadIdx.x < hosts ? pgas_segment(c, threadIdx.x) : 0;
        __syncwarp();
        pgas_deadline d = {0, 0};
        if (c->per_rank == 1 || blockIdx.x != 0 || !pgas_barrier_arrivals(c, d)) {
            pgas_barrier_hosts(c, d, hosts, segment);
        }
        if (c->untaken) {
            pgas_drain_warp(c);
        }
    }
    __syncthreads();
    pgas_check(c);
}

PGAS_FN void pgas_barrier_of(pgas_context *c, int comm, int part) {
    if (comm == PGAS_WORLD) {
        pgas_barrier_world(c, part);
    } else {
        pgas_barrier_device(c, part);
    }
}

PGAS_FN void pgas_barrier(pgas_context *c, int comm) {
    pgas_barrier_of(c, comm, comm == PGAS_WORLD ? PGAS_BARRIER_WORLD : PGAS_BARRIER_DEVICE);
}

// ---- windows, made and freed

PGAS_FN void pgas_win_free(pgas_context *c, int window) {
    int comm = (window & PGAS_DEVICE_WINDOW) ? PGAS_DEVICE : PGAS_WORLD;
    if (threadIdx.x == 0) {
        c->window = window;
    }
    pgas_barrier_of(c, comm, PGAS_BARRIER_FREE);
    if (threadIdx.x == 0) {
        c->slots[comm] &= ~(1ull << (window & (PGAS_WINDOWS - 1)));
        c->last_put.window = -1;
    }
    __syncthreads();
}

#define PGAS_PLACE_BITS 48  // of a place in a message, with its sign

// True if memory is in the rank's shared segment.
PGAS_FN bool pgas_is_shared(pgas_context *c, const void *base, pgas_u64 bytes) {
    pgas_u64 offset = (pgas_u64) base - c->world->segment;
    return offset <= c->world->segment_bytes && bytes <= c->world->segment_bytes - offset;
}

// True if a window may lie in private memory of the device because all blocks of the communicator find it at the same address. No
// offset may have the end 0.
PGAS_FN bool pgas_is_same_for_all(pgas_context *c, int comm, const void *base, pgas_u64 bytes) {
    pgas_u64 offset = (pgas_u64) base - c->world->segment;
    long long place = (long long) (offset << (64 - PGAS_PLACE_BITS)) >> (64 - PGAS_PLACE_BITS);
    return base != 0 && __isGlobal(base) && (comm == PGAS_DEVICE || c->world->private_windows)
            && (pgas_u64) place == offset && offset + bytes >= offset && offset + bytes != 0;
}

// Shifts of registered memory, for each host rank to add to an offset; null if no range that this rank has registered has all of it.
PGAS_FN const pgas_u64 *pgas_shifts(pgas_context *c, const void *base, pgas_u64 bytes) {
    for (pgas_u64 i = 0; i < c->world->region_count; i++) {
        const char *region = (const char *) c->world->regions + i * (PGAS_REGION_SHIFTS + 8 * c->host_ranks);
        pgas_u64 offset = (pgas_u64) base - *(const pgas_u64 *) (region + PGAS_REGION_BASE);
        pgas_u64 size = *(const pgas_u64 *) (region + PGAS_REGION_BYTES);
        if (offset <= size && bytes <= size - offset) {
            return (const pgas_u64 *) (region + PGAS_REGION_SHIFTS);
        }
    }
    return 0;
}

// Entry of this block in a window's table on a host rank, as offset from its segment; 0 if that is no partner.
PGAS_FN pgas_u64 pgas_own_entry(pgas_context *c, int window, pgas_u32 host) {
    pgas_u32 there = c->partners == 0 ? c->host_rank : c->partners[host] >> PGAS_THERE_BITS;
    pgas_u32 number = ((window & PGAS_DEVICE_WINDOW) ? 0 : there * c->per_rank) + blockIdx.x;
    return c->partners != 0 && there == PGAS_NO_PLACE ? 0 : (pgas_u64) pgas_numbered_entry(c, window, number) - c->world->segment;
}

// shared: refuses private memory.
PGAS_FN int pgas_win_create_in(pgas_context *c, int comm, void *base, pgas_u64 bytes, bool shared) {
    __syncthreads();
    pgas_u64 free = ~c->slots[comm] & ~0ull >> (PGAS_WINDOWS - c->windows[comm]);
    pgas_u64 offset = (pgas_u64) base - c->world->segment;
    bool same = pgas_is_shared(c, base, bytes) || !shared && pgas_is_same_for_all(c, comm, base, bytes);
    const pgas_u64 *shifts = same || shared || comm == PGAS_DEVICE ? 0 : pgas_shifts(c, base, bytes);
    if (free == 0 || !same && shifts == 0) {
        if (threadIdx.x == 0) {
            if (free == 0) {
                pgas_fail(c, PGAS_MANY_WINDOWS, -1, c->windows[comm], 0, (pgas_u64) comm);
            } else {
                pgas_fail(c, PGAS_NOT_SHARED, -1, bytes, 0);
            }
        }
        __syncthreads();
        pgas_exit_thread();
    }
    int window = (__ffsll((long long) free) - 1) | (comm == PGAS_DEVICE ? PGAS_DEVICE_WINDOW : 0);
    __syncthreads();
    if (threadIdx.x == 0) {
        c->slots[comm] |= free & (0ull - free);
        c->window = window;
    }
    if (threadIdx.x < 32) {
        pgas_u32 first = comm == PGAS_DEVICE ? c->host_rank : 0;
        pgas_u32 end = comm == PGAS_DEVICE ? first + 1 : c->host_ranks;
        for (pgas_u32 r = first + threadIdx.x; r < end; r += 32) {
            char *segment = r == c->host_rank ? (char *) c->world->segment : pgas_segment(c, r);
            pgas_u64 entry = pgas_own_entry(c, window, r);
            if (entry == 0) {  // no partner
            } else if (segment != 0) {
                pgas_st2(segment + entry, shifts == 0 ? offset : offset + shifts[r], bytes);
            } else {
                pgas_command(c, PGAS_COMMAND_WORD, 0, 8, r, entry, offset, 0);
                pgas_command(c, PGAS_COMMAND_WORD, 0, 8, r, entry + PGAS_ENTRY_SIZE, bytes, 0);
            }
        }
    }
    pgas_barrier_of(c, comm, PGAS_BARRIER_CREATE);
    return window;
}

PGAS_FN int pgas_win_create(pgas_context *c, int comm, void *base, pgas_u64 bytes) {
    return pgas_win_create_in(c, comm, base, bytes, false);
}
