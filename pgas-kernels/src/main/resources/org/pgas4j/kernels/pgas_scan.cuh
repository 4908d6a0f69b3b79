
// ---- scans: a launch that leaves the combination of each block's values, then one that writes all prefixes

struct pgas_scan_array {
    long long offset;
    long long length;
    long long start;
    long long block;
    int ranks;
    int rank;
    int table;
    int unused;
};

// Thread block b has the indices from + b * each on, `each` of them or up to `to`; none is empty.
struct pgas_scan {
    pgas_scan_array into;
    pgas_scan_array of;
    long long from;
    long long to;
    long long each;
    int op;
    int exclusive;
    int writes;  // 0: the first launch
    int started; // whether there are values before `from`
};

template <typename T> PGAS_FUNCTION void pgas_scan_open(pgas_array<T> *a, char *const *bases, const pgas_scan_array &place) {
    char *own = bases[place.table + place.rank];
    pgas_open(a, bases + place.table, place.offset, place.length, place.start, place.block, place.ranks, place.rank,
              own == 0 ? 0 : own + place.offset);
}

// Combines the values of the first n threads of the block up to and with each thread; `before` is that of the thread before, from
// thread 1 on, `total` that of thread n - 1. By warps, then over the warps before.
template <typename T, typename C> PGAS_FUNCTION T pgas_scan_tile(T value, int n, T *before, T *total, C combine) {
#ifdef __CUDACC__
    __shared__ T totals[32];
    const int t = pgas_thread_index();
    const int lane = t & 31;
    const int warp = t >> 5;
    for (int by = 1; by < 32; by *= 2) {
        const T other = __shfl_up_sync(0xffffffffu, value, by);
        if (lane >= by && t < n) {
            value = combine(other, value);
        }
    }
    if (t < n && (lane == 31 || t == n - 1)) {
        totals[warp] = value;
    }
    __syncthreads();
    const int last = (n - 1) >> 5;
    T sum = totals[0];
    T prefix = sum;
    for (int w = 1; w <= last; w++) {
        if (w == warp) {
            prefix = sum;
        }
        sum = combine(sum, totals[w]);
    }
    *total = sum;
    if (warp > 0 && t < n) {
        value = combine(prefix, value);
    }
    *before = __shfl_up_sync(0xffffffffu, value, 1);
    if (lane == 0) {
        *before = prefix;
    }
    __syncthreads();
#else
    (void) n;
    (void) combine;
    *before = value;
    *total = value;
#endif
    return value;
}

template <typename T, typename V, typename C>
PGAS_FUNCTION void pgas_scan_range(const pgas_context *cx, int site, const pgas_scan &scan, const pgas_array<T> *into, T *parts,
                                   T first, V value, C combine) {
    const long long low = scan.from + pgas_block() * scan.each;
    const long long high = low + scan.each < scan.to ? low + scan.each : scan.to;
    const int t = pgas_thread_index();
    bool any = scan.writes && (pgas_block() > 0 || scan.started);
    T carry = any ? parts[pgas_block()] : first;
    for (long long base = low; base < high; base += pgas_threads()) {
        const int n = high - base < pgas_threads() ? (int) (high - base) : pgas_threads();
        T before;
        T total;
        const T own = pgas_scan_tile(t < n ? value(base + t) : first, n, &before, &total, combine);
        if (scan.writes && t < n) {
            T result;
            if (scan.exclusive) {
                result = t == 0 ? carry : any ? combine(carry, before) : before;
            } else {
                result = any ? combine(carry, own) : own;
            }
            *pgas_at(into, base + t, cx, site) = result;
        }
        carry = any ? combine(carry, total) : total;
        any = true;
    }
    if (!scan.writes && t == 0) {
        parts[pgas_block()] = carry;
    }
}
