
// ---- index spaces: nested loops, each dimension dealt out in blocks to coordinates of a grid of ranks

// Places from .. to - 1 of one coordinate; place p is in its block p / block. An index is
// ((p / block * ranks + coordinate) * block + p % block) * scale + base; with step > 1 it is skipped unless it is first + n * step.
struct pgas_dimension {
    long long from;
    long long to;
    long long block;
    long long scale;
    long long base;
    long long first;
    long long step;
    int ranks;
    int coordinate;
};

// A block of threads is a tile of 2^tile_x by 2^tile_y by the rest; the grid has grid_x by grid_y by the rest of them.
struct pgas_space {
    pgas_dimension dimensions[3];
    int tile_x;
    int tile_y;
    int grid_x;
    int grid_y;
    int grid_z;
    int tile_z;
};

struct pgas_walk {
    const pgas_dimension *d;
    long long at;
    long long to;
    long long number; // of the block
    long long in;     // place in it
    long long stride; // places to the next one of this thread: numbers blocks and rest places
    long long numbers;
    long long rest;
};

PGAS_FUNCTION pgas_walk pgas_walk_from(const pgas_space *space, int dimension) {
    const int t = pgas_thread_index();
    const int b = (int) pgas_block();
    int thread;
    int tile;
    int block;
    int blocks;
    if (dimension == 2) {
        tile = 1 << space->tile_x;
        thread = t & (tile - 1);
        block = b % space->grid_x;
        blocks = space->grid_x;
    } else if (dimension == 1) {
        tile = 1 << space->tile_y;
        thread = (t >> space->tile_x) & (tile - 1);
        block = b / space->grid_x % space->grid_y;
        blocks = space->grid_y;
    } else {
        tile = 1 << space->tile_z;
        thread = t >> (space->tile_x + space->tile_y);
        block = b / space->grid_x / space->grid_y;
        blocks = space->grid_z;
    }
    const pgas_dimension *d = &space->dimensions[dimension];
    pgas_walk walk;
    walk.d = d;
    walk.at = d->from + (long long) block * tile + thread;
    walk.to = d->to;
    walk.stride = (long long) blocks * tile;
    const bool one = d->block >= d->to;
    walk.number = one ? 0 : walk.at / d->block;
    walk.in = one ? walk.at : walk.at % d->block;
    walk.numbers = one ? 0 : walk.stride / d->block;
    walk.rest = one ? walk.stride : walk.stride % d->block;
    return walk;
}

PGAS_FUNCTION void pgas_walk_next(pgas_walk *walk) {
    walk->at += walk->stride;
    walk->number += walk->numbers;
    walk->in += walk->rest;
    if (walk->in >= walk->d->block) {
        walk->in -= walk->d->block;
        walk->number++;
    }
}

PGAS_FUNCTION long long pgas_walk_index(const pgas_walk *walk) {
    const pgas_dimension *d = walk->d;
    return ((walk->number * d->ranks + d->coordinate) * d->block + walk->in) * d->scale + d->base;
}

PGAS_FUNCTION bool pgas_walk_skips(const pgas_walk *walk, long long index) {
    return walk->d->step != 1 && (index - walk->d->first) % walk->d->step != 0;
}

// ---- arrays of up to three dimensions over a grid of ranks; missing dimensions come first, with length 1

enum { PGAS_DIMENSIONS = 6 }; // a fault: an element by another number of coordinates

struct pgas_grid_axis {
    long long length;
    long long block;
    long long stride;
    int ranks;
    int coordinate; // own; -1 without elements
};

// The last dimension has stride 1.
struct pgas_grid_place {
    pgas_grid_axis axes[3];
    long long offset; // of the first own element in each segment, bytes
    int table;        // first of the segments' bases of this kind of memory
    int first;        // rank that is number 0 of the grid
    int step;         // ranks from one number of the grid to the next
    int dimensions;
    int aligned;      // a bit for each dimension whose blocks are dealt as those of the loop are
    int unused;
};

// Elements near[d] .. near[d] + count[d] - 1 of all dimensions are at own + their places - back, so that they need no division.
template <typename T> struct pgas_grid {
    char *const *bases;
    pgas_grid_place place;
    T *own;
    long long near[3];
    unsigned long long count[3];
    long long back[3];
};

template <int D, typename T> PGAS_FUNCTION void pgas_grid_set_near(pgas_grid<T> *a, long long number) {
    const pgas_grid_axis *axis = &a->place.axes[D];
    const long long low = (number * axis->ranks + axis->coordinate) * axis->block;
    const long long end = low > axis->length - axis->block ? axis->length : low + axis->block;
    a->near[D] = low;
    a->count[D] = axis->coordinate < 0 || end < low ? 0 : (unsigned long long) (end - low);
    a->back[D] = (low - number * axis->block) * axis->stride;
}

// Makes the elements of a block of the loop the near ones.
template <int D, typename T> PGAS_FUNCTION void pgas_grid_near(pgas_grid<T> *a, long long number) {
    if (a->place.aligned >> D & 1) {
        pgas_grid_set_near<D>(a, number);
    }
}

template <typename T> PGAS_FUNCTION void pgas_grid_open(pgas_grid<T> *a, char *const *bases, const pgas_grid_place &place) {
    a->bases = bases + place.table;
    a->place = place;
    pgas_grid_set_near<0>(a, 0);
    pgas_grid_set_near<1>(a, 0);
    pgas_grid_set_near<2>(a, 0);
    const pgas_grid_axis *axes = a->place.axes;
    const bool mine = a->count[0] != 0 && a->count[1] != 0 && a->count[2] != 0;
    const int own = mine ? (axes[0].coordinate * axes[1].ranks + axes[1].coordinate) * axes[2].ranks + axes[2].coordinate : 0;
    char *base = a->bases[place.first + own * place.step];
    a->own = (T *) (base + place.offset);
    if (base == 0) {
        a->count[2] = 0;
    }
}

// Divides by the block and by the ranks; in 32 bits if they suffice, which is several times as fast.
PGAS_FUNCTION long long pgas_grid_find(const pgas_grid_axis *axis, long long i, int *coordinate) {
    if (axis->ranks == 1) {
        *coordinate = 0;
        return i;
    }
    unsigned long long number;
    if (((i | axis->block) >> 32) == 0) {
        number = (unsigned) i / (unsigned) axis->block;
    } else {
        number = (unsigned long long) i / (unsigned long long) axis->block;
    }
    const unsigned long long round = number >> 32 == 0 ? (unsigned) number / (unsigned) axis->ranks
            : number / (unsigned) axis->ranks;
    *coordinate = (int) (number - round * (unsigned) axis->ranks);
    return i - (long long) (number - round) * axis->block;
}

PGAS_FUNCTION void pgas_grid_check(const pgas_grid_axis *axis, long long i, const pgas_context *cx, int site) {
    if ((unsigned long long) i >= (unsigned long long) axis->length) {
        pgas_stop(cx, PGAS_INDEX, site, i, axis->length);
    }
}

template <typename T> PGAS_FUNCTION int pgas_grid_owner(const pgas_grid<T> *a, int given, long long i, long long j, long long k,
                                                        long long *at, const pgas_context *cx, int site) {
    const pgas_grid_axis *axes = a->place.axes;
    if (given != a->place.dimensions) {
        pgas_stop(cx, PGAS_DIMENSIONS, site, given, a->place.dimensions);
    }
    pgas_grid_check(&axes[0], i, cx, site);
    pgas_grid_check(&axes[1], j, cx, site);
    pgas_grid_check(&axes[2], k, cx, site);
    int x;
    int y;
    int z;
    *at = pgas_grid_find(&axes[0], i, &z) * axes[0].stride;
    *at += pgas_grid_find(&axes[1], j, &y) * axes[1].stride;
    *at += pgas_grid_find(&axes[2], k, &x);
    return a->place.first + ((z * axes[1].ranks + y) * axes[2].ranks + x) * a->place.step;
}

template <typename T> PGAS_FUNCTION T *pgas_grid_far(const pgas_grid<T> *a, int given, long long i, long long j, long long k,
                                                     const pgas_context *cx, int site) {
    long long at;
    const int rank = pgas_grid_owner(a, given, i, j, k, &at, cx, site);
    char *base = a->bases[rank];
    if (base == 0) {
        pgas_stop(cx, PGAS_UNREACHABLE, site, (i * a->place.axes[1].length + j) * a->place.axes[2].length + k, rank);
    }
    return (T *) (base + a->place.offset) + at;
}

template <int D, typename T> PGAS_FUNCTION bool pgas_grid_is_near(const pgas_grid<T> *a, long long i) {
    return (unsigned long long) i - (unsigned long long) a->near[D] < a->count[D];
}

template <typename T> PGAS_FUNCTION T *pgas_grid_at(const pgas_grid<T> *a, long long k, const pgas_context *cx, int site) {
    return a->place.dimensions == 1 && pgas_grid_is_near<2>(a, k) ? a->own + (k - a->back[2])
            : pgas_grid_far(a, 1, 0, 0, k, cx, site);
}

template <typename T> PGAS_FUNCTION T *pgas_grid_at(const pgas_grid<T> *a, long long j, long long k, const pgas_context *cx,
                                                    int site) {
    return a->place.dimensions == 2 && pgas_grid_is_near<1>(a, j) && pgas_grid_is_near<2>(a, k)
            ? a->own + (j * a->place.axes[1].stride - a->back[1] + k - a->back[2]) : pgas_grid_far(a, 2, 0, j, k, cx, site);
}

template <typename T> PGAS_FUNCTION T *pgas_grid_at(const pgas_grid<T> *a, long long i, long long j, long long k,
                                                    const pgas_context *cx, int site) {
    return a->place.dimensions == 3 && pgas_grid_is_near<0>(a, i) && pgas_grid_is_near<1>(a, j) && pgas_grid_is_near<2>(a, k)
            ? a->own + (i * a->place.axes[0].stride - a->back[0] + j * a->place.axes[1].stride - a->back[1] + k - a->back[2])
            : pgas_grid_far(a, 3, i, j, k, cx, site);
}

template <typename T> PGAS_FUNCTION int pgas_grid_rank_of(const pgas_grid<T> *a, long long k, const pgas_context *cx, int site) {
    long long at;
    return pgas_grid_owner(a, 1, 0, 0, k, &at, cx, site);
}

template <typename T> PGAS_FUNCTION int pgas_grid_rank_of(const pgas_grid<T> *a, long long j, long long k, const pgas_context *cx,
                                                          int site) {
    long long at;
    return pgas_grid_owner(a, 2, 0, j, k, &at, cx, site);
}

template <typename T> PGAS_FUNCTION int pgas_grid_rank_of(const pgas_grid<T> *a, long long i, long long j, long long k,
                                                          const pgas_context *cx, int site) {
    long long at;
    return pgas_grid_owner(a, 3, i, j, k, &at, cx, site);
}

template <typename T> PGAS_FUNCTION long long pgas_grid_length(const pgas_grid<T> *a, int dimension, const pgas_context *cx,
                                                               int site) {
    const int dimensions = a->place.dimensions;
    pgas_check_index(dimension, dimensions, cx, site);
    const int missing = 3 - dimensions;
    return dimension + missing == 0 ? a->place.axes[0].length : dimension + missing == 1 ? a->place.axes[1].length
            : a->place.axes[2].length;
}
