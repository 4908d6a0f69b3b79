// ---- atomic operations on words of windows

template <typename T> struct pgas_word;

template <> struct pgas_word<int> {
    enum { code = PGAS_ATOMIC_INT };
    PGAS_FN pgas_u64 bits(int v) { return (pgas_u32) v; }
    PGAS_FN int value(pgas_u64 b) { return (int) (pgas_u32) b; }
};

template <> struct pgas_word<long long> {
    enum { code = PGAS_ATOMIC_LONG };
    PGAS_FN pgas_u64 bits(long long v) { return (pgas_u64) v; }
    PGAS_FN long long value(pgas_u64 b) { return (long long) b; }
};

template <> struct pgas_word<float> {
    enum { code = PGAS_ATOMIC_FLOAT };
    PGAS_FN pgas_u64 bits(float v) { return __float_as_uint(v); }
    PGAS_FN float value(pgas_u64 b) { return __uint_as_float((pgas_u32) b); }
};

template <> struct pgas_word<double> {
    enum { code = PGAS_ATOMIC_DOUBLE };
    PGAS_FN pgas_u64 bits(double v) { return (pgas_u64) __double_as_longlong(v); }
    PGAS_FN double value(pgas_u64 b) { return __longlong_as_double((long long) b); }
};

// Fails with the reason why a word has no atomic operations.
PGAS_SLOW void pgas_no_atomics(pgas_context *c, int window, int target, pgas_u64 offset, pgas_u64 bytes, pgas_u64 place) {
    PGAS_IN_SHARED(c);
    if (place == PGAS_NOWHERE) {
        pgas_misplaced(c, window, target, offset, bytes);
        return;
    }
    c->window = window;
    if ((place & (bytes - 1)) != 0) {
        pgas_fail(c, PGAS_ODD_WORD, target, offset, bytes);
    } else {
        pgas_fail(c, PGAS_NO_ATOMICS, target, 0, 0);
    }
}

// Waits for packets on their way to the word, or fails for it. Null, and the launch has failed, if there is none.
PGAS_SLOW char *pgas_atomic_word_otherwise(pgas_context *c, int window, int target, pgas_u64 offset, pgas_u64 bytes) {
    PGAS_IN_SHARED(c);
    pgas_u64 place = pgas_place(c, window, target, offset, bytes);
    if (place != PGAS_NOWHERE && (place & (bytes - 1)) == 0) {
        pgas_u32 world = (pgas_u32) pgas_window_world(c, window, target);
        pgas_u32 host = pgas_host_of(c, world);
        if (PGAS_WITH_PACKETS && c->packed) {
            pgas_await_packets_at(c, world, place, bytes);
        }
        char *segment = pgas_segment(c, host);
        if (segment != 0 && ((host == c->host_rank) | c->atomics)) {
            c->order.x = c->order.y = PGAS_DIRTY | PGAS_ALWAYS;
            return segment + place;
        }
    }
    pgas_no_atomics(c, window, target, offset, bytes, place);
    return (char *) 0;
}

// Address of a word that this device changes by itself; null, and the launch has failed, if there is none. Loads all that it needs
// before it looks at any of it: a load that waits for another's result adds 20 to 40 ns to an operation of 900.
PGAS_FN char *pgas_atomic_word(pgas_context *c, int window, int target, pgas_u64 offset, pgas_u64 bytes) {
    bool known = pgas_is_member(c, window, target);
    const pgas_u64 *entry = pgas_entry(c, known ? window : 0, known ? target : 0);
    pgas_u64 start = pgas_ld_plain(entry), size = pgas_ld_plain(entry + PGAS_ENTRY_SIZE / 8);
    pgas_u32 host = pgas_host_of(c, known ? (pgas_u32) pgas_window_world(c, window, target) : 0);
    pgas_u64 segment = pgas_ld_plain((const pgas_u64 *) (c->area + PGAS_PEERS) + host);
    bool reached = (host == c->host_rank) | c->atomics;
    pgas_u64 place = start + offset;
    if (known & reached & (segment != 0) & (offset <= size) & (bytes <= size - offset) & ((place & (bytes - 1)) == 0)
            & !(PGAS_WITH_PACKETS && c->packed)) {
        c->order.x = c->order.y = PGAS_DIRTY | PGAS_ALWAYS;  // the operation comes before later notifications
        return (char *) segment + place;
    }
    return pgas_atomic_word_otherwise(c, window, target, offset, bytes);
}

PGAS_SLOW void pgas_no_operation(pgas_context *c, int window, int target, int op, int type) {
    PGAS_IN_SHARED(c);
    c->window = window;
    pgas_fail(c, PGAS_NO_OPERATION, target, (pgas_u64) op, (pgas_u64) type);
}

// Whether words of a type, 0 if it is none of the four, have an operation; fails if not.
PGAS_FN bool pgas_has_operation(pgas_context *c, int window, int target, int op, int type) {
    bool has = type != 0 && (type < PGAS_ATOMIC_FLOAT || op < PGAS_ATOMIC_AND);
    if (!has) {
        pgas_no_operation(c, window, target, op, type);
    }
    return has;
}

template <typename T>
PGAS_FN T pgas_atomic(pgas_context *c, int window, int target, pgas_u64 offset, int op, T value, T comparand) {
    if (!pgas_has_operation(c, window, target, op, pgas_word<T>::code)) {
        return T();
    }
    char *word = pgas_atomic_word(c, window, target, offset, sizeof(T));
    if (word == 0) {
        return T();
    }
    return pgas_word<T>::value(pgas_atomic_bits(pgas_global(word), op, pgas_word<T>::code, pgas_word<T>::bits(value),
                                                pgas_word<T>::bits(comparand)));
}

template <typename T> PGAS_FN T pgas_atomic(pgas_context *c, int window, int target, pgas_u64 offset, int op, T value) {
    return pgas_atomic(c, window, target, offset, op, value, T());
}
