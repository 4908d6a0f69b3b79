// ---- done by the host

PGAS_FN void pgas_notify_host(pgas_context *c, int host_rank, int tag) {
    __syncthreads();
    if (threadIdx.x == 0) {
        if ((pgas_u32) tag >= PGAS_TAGS) {
            pgas_fail(c, PGAS_NO_TAG, tag, PGAS_TAGS, 0);
        } else if (host_rank < 0 || host_rank >= pgas_host_ranks(c)) {
            pgas_fail(c, PGAS_NO_HOST_RANK, host_rank, (pgas_u64) pgas_host_ranks(c), 0);
        } else {
            if (PGAS_WITH_PACKETS && c->packed) {
                pgas_await_endpoints(c, pgas_endpoints_with_packets(c, host_rank));
            }
            pgas_await_fenced(c, PGAS_TARGETS);
            pgas_fence_system();  // the host and its copies see what the block wrote
            pgas_command(c, PGAS_COMMAND_HOST, (pgas_u32) tag, 0, (pgas_u32) host_rank, 0, 0, 0);
        }
    }
    __syncthreads();
    pgas_check(c);
}

PGAS_FN void pgas_trigger(pgas_context *c, int prepared) {
    __syncthreads();
    if (threadIdx.x == 0) {
        pgas_fence_system();
        pgas_command(c, PGAS_COMMAND_TRIGGER, 0, 0, (pgas_u32) prepared, 0, 0, 0);
    }
    __syncthreads();
    pgas_check(c);
}

PGAS_FN void pgas_timer(pgas_context *c, int timer, int start) {
    __syncthreads();
    if (threadIdx.x == 0) {
        if ((pgas_u32) timer >= PGAS_TIMERS) {
            pgas_fail(c, PGAS_NO_TIMER, timer, PGAS_TIMERS, 0);
        } else {
            pgas_command(c, PGAS_COMMAND_TIMER, (pgas_u32) timer, 0, (pgas_u32) start, 0, 0, 0);
        }
    }
    __syncthreads();
    pgas_check(c);
}

PGAS_FN void pgas_timer_start(pgas_context *c, int timer) {
    pgas_timer(c, timer, 1);
}

PGAS_FN void pgas_timer_stop(pgas_context *c, int timer) {
    pgas_timer(c, timer, 0);
}

// ---- shapes

PGAS_FN uint3 pgas_uint3(pgas_u32 x, pgas_u32 y, pgas_u32 z) {
    uint3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

PGAS_FN uint3 pgas_grid_shape(pgas_context *c) {
    return pgas_uint3(c->world->grid_x, c->world->grid_y, c->world->grid_z);
}

PGAS_FN uint3 pgas_block_shape(pgas_context *c) {
    return pgas_uint3(c->world->block_x, c->world->block_y, c->world->block_z);
}

PGAS_FN uint3 pgas_index_in(uint3 shape, pgas_u32 number) {
    return pgas_uint3(number % shape.x, number / shape.x % shape.y, number / (shape.x * shape.y));
}

PGAS_FN uint3 pgas_block_index(pgas_context *c) {
    return pgas_index_in(pgas_grid_shape(c), blockIdx.x);
}

PGAS_FN uint3 pgas_thread_index(pgas_context *c) {
    return pgas_index_in(pgas_block_shape(c), threadIdx.x);
}

// ---- dynamic shared memory

PGAS_FN void *pgas_shared(pgas_context *) {
    extern __shared__ __align__(16) unsigned char pgas_dynamic[];
    return pgas_dynamic;
}

PGAS_FN pgas_u32 pgas_shared_bytes(pgas_context *) {
    pgas_u32 bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    return bytes;
}

// ---- log: lines in host memory, which the host formats

struct pgas_log_values {
    pgas_u64 types;  // number, then the type of each (LogFormat.java)
    pgas_u64 bits[PGAS_PAGE_MAX_LOG_VALUES];
};

PGAS_FN void pgas_log_add(pgas_log_values &v, pgas_u64 type, pgas_u64 bits) {
    pgas_u32 count = (pgas_u32) v.types & PGAS_LOG_COUNT_MASK;
    v.bits[count] = bits;
    v.types = (v.types | type << (PGAS_LOG_FIRST_TYPE + PGAS_LOG_TYPE_BITS * count)) + 1;
}

PGAS_FN void pgas_log_value(pgas_log_values &v, int value) {
    pgas_log_add(v, PGAS_LOG_INT, (pgas_u64) (long long) value);
}

PGAS_FN void pgas_log_value(pgas_log_values &v, pgas_u32 value) {
    pgas_log_add(v, PGAS_LOG_LONG, value);
}

PGAS_FN void pgas_log_value(pgas_log_values &v, long long value) {
    pgas_log_add(v, PGAS_LOG_LONG, (pgas_u64) value);
}

PGAS_FN void pgas_log_value(pgas_log_values &v, pgas_u64 value) {
    pgas_log_add(v, PGAS_LOG_LONG, value);
}

PGAS_FN void pgas_log_value(pgas_log_values &v, long value) {
    pgas_log_add(v, PGAS_LOG_LONG, (pgas_u64) value);
}

PGAS_FN void pgas_log_value(pgas_log_values &v, unsigned long value) {
    pgas_log_add(v, PGAS_LOG_LONG, value);
}

PGAS_FN void pgas_log_value(pgas_log_values &v, double value) {
    pgas_log_add(v, PGAS_LOG_DOUBLE, (pgas_u64) __double_as_longlong(value));
}

PGAS_FN void pgas_log_value(pgas_log_values &v, const void *value) {
    pgas_log_add(v, PGAS_LOG_LONG, (pgas_u64) value);
}

// Writes a line that was claimed; its number last.
PGAS_SLOW void pgas_log_write(pgas_context *c, pgas_u64 index, const char *text, const pgas_log_values &v) {
    PGAS_IN_SHARED(c);
    char *slot = (char *) c->world->log + (index % c->world->log_entries) * PGAS_PAGE_LOG_BYTES;
    pgas_u32 length = 0;
    for (; length < PGAS_PAGE_MAX_LOG_TEXT && text[length] != 0; length++) {
        *(volatile char *) (slot + PGAS_PAGE_LOG_TEXT + length) = text[length];
    }
    pgas_st(slot + PGAS_PAGE_LOG_LENGTH_BLOCK, (pgas_u64) length << 32 | blockIdx.x);
    pgas_st(slot + PGAS_PAGE_LOG_TYPES, v.types);
    for (pgas_u32 i = 0; i < ((pgas_u32) v.types & PGAS_LOG_COUNT_MASK); i++) {
        pgas_st(slot + PGAS_PAGE_LOG_VALUES + i * 8, v.bits[i]);
    }
    pgas_fence_system();
    pgas_st(slot, index + 1);
}

// Writes a line if there is room, and counts it as lost if not; one thread, or several each for itself.
PGAS_SLOW void pgas_log_line(pgas_context *c, const char *text, const pgas_log_values &v) {
    PGAS_IN_SHARED(c);
    pgas_u64 *tail = (pgas_u64 *) (c->area + PGAS_LOG_TAIL);
    pgas_u64 index = pgas_ld(tail);
    bool written = false;
    // Another block may take each place first, as often as the log has lines: then there is none left.
    for (pgas_u32 k = 0; !written && k < c->world->log_entries
            && index - pgas_ld((const void *) c->world->log_head) < c->world->log_entries; k++) {
        pgas_u64 now = atomicCAS(tail, index, index + 1);
        written = now == index;
        if (written) {
            pgas_log_write(c, index, text, v);
        }
        index = now;
    }
    if (!written) {
        pgas_add((char *) c->world->log_head + (PGAS_PAGE_LOG_DROPPED - PGAS_PAGE_LOG_HEAD), 1);
    }
}

template <typename... A> PGAS_FN void pgas_printf_thread(pgas_context *c, const char *format, A... values) {
    static_assert(sizeof...(A) <= PGAS_PAGE_MAX_LOG_VALUES, "too many values");
    pgas_log_values v;
    v.types = 0;
    (pgas_log_value(v, values), ...);
    pgas_log_line(c, format, v);
}

PGAS_FN void pgas_log(pgas_context *c, const char *text, double value) {
    __syncthreads();
    if (threadIdx.x == 0) {
        pgas_log_values v;
        v.types = PGAS_LOG_PLAIN;
        pgas_log_value(v, value);
        pgas_log_line(c, text, v);
    }
    __syncthreads();
}

template <typename... A> PGAS_FN void pgas_printf(pgas_context *c, const char *format, A... values) {
    __syncthreads();
    if (threadIdx.x == 0) {
        pgas_printf_thread(c, format, values...);
    }
    __syncthreads();
}

// ---- begin and end

// Loads what does not change in a launch, and the state of the launch before; one thread.
PGAS_FN void pgas_load_state(pgas_context *c, pgas_world world) {
    c->world = world;
    c->area = (char *) world;
    c->record = (char *) world + world->blocks_at + blockIdx.x * world->block_bytes;
    c->segment = (char *) world->segment;
    c->per_rank = world->per_rank;
    c->per_rank_inverse = 1.0f / (float) world->per_rank;
    c->atomics = (pgas_u32) world->atomics;
    c->host_rank = world->host_rank;
    c->host_ranks = world->host_ranks;
    c->first_block = world->host_rank * world->per_rank;
    c->blocks = world->host_ranks * world->per_rank;
    c->table_blocks = (world->partners == 0 ? world->host_ranks : world->partners) * world->per_rank;
    c->counts = (char *) world + world->counts_at
            + (pgas_u64) blockIdx.x * (c->table_blocks / world->per_rank) * PGAS_COUNTS_BYTES;
    c->first_count = world->first_count;
    c->timeout_ns = world->timeout_ns;
    c->entries[PGAS_WORLD] = (const pgas_u64 *) (c->area + world->windows_at);
    c->entries[PGAS_DEVICE] = c->entries[PGAS_WORLD] + PGAS_ENTRY_BYTES / 8 * ((pgas_u64) world->windows * c->table_blocks);
    c->partners = world->partners == 0 ? 0 : (const pgas_u32 *) (pgas_checked_in(c->area, c->host_ranks, c->host_ranks));
    c->windows[PGAS_WORLD] = world->windows;
    c->windows[PGAS_DEVICE] = PGAS_WINDOWS;
    char *record = c->record;
    c->world_epoch = *pgas_state(record, PGAS_WORLD_EPOCH);
    c->device_epoch = *pgas_state(record, PGAS_DEVICE_EPOCH);
    c->bulk = *pgas_state(record, PGAS_BULK);
    c->gets = *pgas_state(record, PGAS_GETS);
    c->slots[PGAS_WORLD] = pgas_state(record, PGAS_OPEN_WINDOWS)[PGAS_WORLD];
    c->slots[PGAS_DEVICE] = pgas_state(record, PGAS_OPEN_WINDOWS)[PGAS_DEVICE];
    c->open = 0;
    c->mailbox = world->mailbox;
    c->queue_taken = 0;
    c->reads_mailbox = 0;
    c->acquiring = world->mailbox != 0 ? PGAS_WATCH_MAILBOX : 0;
    c->hot.channel = 0;
    c->last_put.window = -1;
    c->common_end = world->common_end;
    c->order.x = c->order.y = PGAS_DIRTY;  // stores of earlier launches and copies
    c->rings = (char *) world + world->rings_at
            + ((pgas_u64) blockIdx.x * world->rings * PGAS_PACKET_BYTES << world->ring_shift);
    c->packet_bytes = world->packet_bytes;
    c->ring_shift = world->ring_shift;
    c->last_bytes = 0;
    c->last_channel = 0;
    c->packed = 0;
    c->unpacked = 0;
    c->sent = 1;  // unknown of earlier launches
    c->payloads = (pgas_u32) (pgas_ld(c->area + PGAS_ARRIVALS) >> 32);
    c->world_payloads = ~0ull;  // unknown
    c->flag_at = (pgas_u64) pgas_checked_in((char *) world->area, world->host_ranks, world->host_rank);
    c->through_host = (pgas_u32) world->through_host;
    c->untaken = 1;
    c->lock = 0;
    c->requests = 0;
    c->dead = pgas_aborted(c);
    c->window = -1;
}

// Loads counters, endpoints and channels; all threads.
PGAS_FN void pgas_load_tables(pgas_context *c) {
    for (pgas_u32 i = threadIdx.x; i < PGAS_TAGS; i += pgas_block_threads()) {
        pgas_u64 own = ((const pgas_u64 *) (c->record + PGAS_OWN))[i];
        c->own[i] = (pgas_u32) own + (pgas_u32) c->first_count;
        c->seen[0][i] = (pgas_u32) c->first_count;
        c->seen[1][i] = 0;
    }
    for (pgas_u32 i = threadIdx.x; i < PGAS_TARGETS; i += pgas_block_threads()) {
        c->sends[i] = ((const pgas_send_state *) (c->record + PGAS_SENDS))[i];
        c->low[i] = 0;  // unknown of earlier launches
        c->high[i] = ~0ull;
        c->packs[i] = ((const pgas_pack *) (c->record + PGAS_PACKS))[i];
        if (c->sends[i].target != 0) {
            c->sends[i].limit = c->sends[i].tail;
            pgas_fill_endpoint(c, (int) i, c->sends[i].target - 1);
            if (pgas_has_packets(c, (int) i)) {
                c->packed = 1;
            }
        }
    }
    for (pgas_u32 i = threadIdx.x; i < PGAS_CHANNELS; i += pgas_block_threads()) {
        c->heads[i] = ((const pgas_u32 *) (c->record + PGAS_HEADS))[i];
        c->to_credits[i] = 0;
    }
}

PGAS_FN pgas_context *pgas_init(pgas_world world) {
    __shared__ pgas_context context;
    pgas_context *c = &context;
    if (threadIdx.x == 0) {
        pgas_load_state(c, world);
    }
    __syncthreads();
    pgas_check(c);
    pgas_load_tables(c);
    __syncthreads();
    if (threadIdx.x < 32) {
        c->places[threadIdx.x] = threadIdx.x < PGAS_CHANNELS
                ? pgas_slot(c->record, threadIdx.x, c->heads[threadIdx.x] + 1)
                : c->record + (threadIdx.x == PGAS_LANE_CLAIMS ? PGAS_CLAIMS
                : threadIdx.x == PGAS_LANE_PROXY ? PGAS_PROXY : PGAS_DIRECT);
        if (threadIdx.x == 0) {
            c->hot.at = c->places[0];
            c->hot.next = c->heads[0] + 1;
        }
    }
    __syncthreads();
    // Otherwise each use would compute its address in shared memory again, which takes as long as a load.
    asm volatile("" : "+l"(c));
    __builtin_assume(__isShared(c));
    return c;
}

// Fails if blocks have come to different numbers of barriers: one that skips a barrier lets others through too early,
// in this launch or the next. By the last block of a launch to leave.
PGAS_SLOW void pgas_compare_barriers(pgas_context *c) {
    PGAS_IN_SHARED(c);
    pgas_fence_device();
    for (pgas_u32 i = threadIdx.x; i < c->per_rank; i += pgas_block_threads()) {
        const char *record = c->area + c->world->blocks_at + i * c->world->block_bytes;
        pgas_u64 world = pgas_ld(record + PGAS_WORLD_EPOCH), device = pgas_ld(record + PGAS_DEVICE_EPOCH);
        bool of_device = device != c->device_epoch;
        if (of_device || world != c->world_epoch) {
            pgas_fail(c, PGAS_UNEQUAL_BARRIERS, (int) (2 * i + of_device), of_device ? c->device_epoch : c->world_epoch,
                     of_device ? device : world);
        }
    }
}

PGAS_SLOW void pgas_leave(pgas_context *c) {
    PGAS_IN_SHARED(c);
    __syncthreads();
    if (threadIdx.x < 32) {
        pgas_drain_warp(c);
    }
    __syncthreads();
    for (pgas_u32 i = threadIdx.x; i < PGAS_TAGS; i += pgas_block_threads()) {
        ((pgas_u64 *) (c->record + PGAS_OWN))[i] = c->own[i] - c->seen[0][i] - c->seen[1][i];
    }
    for (pgas_u32 i = threadIdx.x; i < PGAS_TARGETS; i += pgas_block_threads()) {
        ((pgas_send_state *) (c->record + PGAS_SENDS))[i] = c->sends[i];
        ((pgas_pack *) (c->record + PGAS_PACKS))[i] = c->packs[i];
    }
    for (pgas_u32 i = threadIdx.x; i < PGAS_CHANNELS; i += pgas_block_threads()) {
        ((pgas_u32 *) (c->record + PGAS_HEADS))[i] = pgas_head(c, i);
    }
    if (threadIdx.x == 0) {
        char *record = c->record;
        *pgas_state(record, PGAS_WORLD_EPOCH) = c->world_epoch;
        *pgas_state(record, PGAS_DEVICE_EPOCH) = c->device_epoch;
        *pgas_state(record, PGAS_BULK) = c->bulk;
        *pgas_state(record, PGAS_GETS) = c->gets;
        pgas_state(record, PGAS_OPEN_WINDOWS)[PGAS_WORLD] = c->slots[PGAS_WORLD];
        pgas_state(record, PGAS_OPEN_WINDOWS)[PGAS_DEVICE] = c->slots[PGAS_DEVICE];
        pgas_fence_device();
        c->result = (pgas_add(c->area + PGAS_LEFT, 1) + 1) % c->per_rank == 0;
    }
    __syncthreads();
    if (c->result && !c->dead) {
        pgas_compare_barriers(c);
    }
}

PGAS_FN void pgas_finish(pgas_context *c) {
    pgas_barrier_of(c, PGAS_WORLD, PGAS_BARRIER_END);
    pgas_leave(c);
}
