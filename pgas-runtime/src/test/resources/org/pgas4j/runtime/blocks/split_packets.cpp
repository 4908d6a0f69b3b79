// All-reduces of a split by packets (pgas_split_packets.cuh), compiled for the host: members are groups of threads in one memory, loads
// and stores of packets are atomic words, and threads give way at random. device.h has the text, constants.h what Java gives it.
#include <atomic>
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#define PGAS_FN static inline
#define PGAS_SLOW static
#define PGAS_IN_SHARED(c)
#define __syncthreads() block->arrive_and_wait()

typedef unsigned long long pgas_u64;
typedef unsigned int pgas_u32;

struct uint4 {
    unsigned int x, y, z, w;
};

struct pgas_context {
    int dead;
    pgas_u64 timeout_ns;
};

struct pgas_deadline {
    pgas_u64 start;
    pgas_u32 looks;
};

#include "constants.h"

static thread_local struct {
    unsigned int x;
} threadIdx;
static thread_local unsigned int threads_of_block;
static thread_local std::barrier<> *block;
static std::atomic<long> staged{0};
static pgas_u32 max_looks;

static pgas_u32 pgas_block_threads() {
    return threads_of_block;
}

template <typename T> static T pgas_not_ahead(T word) {
    return word;
}

static void give_way() {
    if (rand() % 4 == 0) {
        std::this_thread::yield();
    }
}

static void pgas_ld2(const void *p, pgas_u64 &a, pgas_u64 &b) {
    a = ((const std::atomic<pgas_u64> *) p)[0].load();
    b = ((const std::atomic<pgas_u64> *) p)[1].load();
}

static void pgas_st2(void *p, pgas_u64 a, pgas_u64 b) {
    give_way();
    ((std::atomic<pgas_u64> *) p)[1].store(b);
    give_way();
    ((std::atomic<pgas_u64> *) p)[0].store(a);
}

static int pgas_late(pgas_context *, pgas_deadline &d, pgas_u64) {
    std::this_thread::yield();
    return ++d.looks > max_looks ? 1 : 0;
}

static void pgas_fail(pgas_context *, int, int member, pgas_u64 expected, pgas_u64 seen) {
    printf("late: member %d, round %llu, seen %llu\n", member, expected, seen);
    fflush(stdout);
    _Exit(3);
}

static void pgas_check(pgas_context *) {}

template <typename T> struct pgas_word {
    static T value(pgas_u64 bits) {
        T t;
        memcpy(&t, &bits, sizeof t);
        return t;
    }
    static pgas_u64 bits(T t) {
        pgas_u64 b = 0;
        memcpy(&b, &t, sizeof t);
        return b;
    }
};

template <typename T> static T pgas_combine_two(int, T a, T b) {
    return a + b;
}

struct pgas_split_data;
typedef pgas_split_data *pgas_split;

static int pgas_split_member(pgas_split, int member) {
    return member;
}

static int pgas_world_rank(pgas_context *, int, int rank) {
    return rank;
}

// Stages are not here: their all-reduces are counted, and leave what was there.
static void pgas_split_begin(pgas_context *, pgas_split, pgas_u64, int) {
    staged += threadIdx.x == 0;
}

template <typename T> static void pgas_reduce_to(pgas_context *, pgas_split, int, int, int, T *, const T *, pgas_u64, int) {}

#include "device.h"

// No elements, a few, any number of one round, a full round, several, and more than several rounds.
static std::vector<size_t> counts_of(size_t room, int turns, unsigned int seed) {
    std::mt19937 random(seed);
    std::vector<size_t> counts;
    for (int t = 0; t < turns; t++) {
        switch (random() % 6) {
            case 0: counts.push_back(0); break;
            case 1: counts.push_back(1 + random() % 3); break;
            case 2: counts.push_back(random() % (room + 1)); break;
            case 3: counts.push_back(room); break;
            case 4: counts.push_back(room + random() % ((PGAS_PACKET_ROUNDS - 1) * room)); break;
            default: counts.push_back(PGAS_PACKET_ROUNDS * room + random() % 2);
        }
    }
    return counts;
}

template <typename T> static T element(int member, size_t e, int turn) {
    return (T) ((member + 1) * (T) (e % 1000 + turn) / (T) 3);
}

template <typename T> static T sum(int size, size_t e, int turn) {
    T sum = element<T>(0, e, turn);
    for (int m = 1; m < size; m++) {
        sum += element<T>(m, e, turn);
    }
    return sum;
}

// Number of elements that are not the sum in the order of the members, or behind the last and not what they were.
template <typename T> static long reduce(int size, int threads, pgas_u32 piece, int turns) {
    size_t at = (PGAS_SPLIT_HEADER_BYTES + 16 * size + 15) / 16 * 16, bytes = at + 2 * size * (size_t) piece * 16;
    size_t room = piece * 8 / sizeof(T);
    std::vector<size_t> counts = counts_of(room, turns, 1000 * size + 10 * threads + piece);
    std::vector<char *> memory(size);
    std::vector<std::vector<T>> from(size), to(size);
    std::vector<std::barrier<> *> blocks;
    for (int m = 0; m < size; m++) {
        memory[m] = (char *) aligned_alloc(64, (bytes + 63) / 64 * 64);
        memset(memory[m], 0, bytes);
        from[m].resize(PGAS_PACKET_ROUNDS * room + 2);
        to[m].resize(PGAS_PACKET_ROUNDS * room + 2);
        blocks.push_back(new std::barrier<>(threads));
    }
    for (int m = 0; m < size; m++) {
        pgas_split s = (pgas_split) memory[m];
        s->rank = m;
        s->size = size;
        s->piece = piece;
        s->packets = at;
        for (int k = 0; k < size; k++) {
            ((pgas_u64 *) (memory[m] + PGAS_SPLIT_HEADER_BYTES))[k] = (pgas_u64) memory[k];
        }
    }
    pgas_context c = {};
    std::atomic<long> wrong{0};
    std::vector<std::thread> all;
    for (int thread = 0; thread < size * threads; thread++) {
        all.emplace_back([&, thread] {
            int m = thread / threads;
            threadIdx.x = thread % threads;
            threads_of_block = threads;
            block = blocks[m];
            for (int t = 0; t < turns; t++) {
                size_t count = counts[t];
                T *src = from[m].data(), *dst = t % 2 ? src : to[m].data();
                for (size_t e = threadIdx.x; e <= count; e += threads) {
                    src[e] = element<T>(m, e, t);
                    if (e == count) {
                        dst[e] = -5;
                    }
                }
                pgas_all_reduce<T>(&c, (pgas_split) memory[m], dst, src, count, 0);
                bool large = count > PGAS_PACKET_ROUNDS * room
                        || count > room && size != 2 && piece > (pgas_u32) (PGAS_PACKETS_OF_THREAD * threads);
                for (size_t e = threadIdx.x; e <= count; e += threads) {
                    wrong += large ? 0 : dst[e] != (e == count ? -5 : sum<T>(size, e, t));
                }
                __syncthreads();
            }
        });
    }
    for (std::thread &one : all) {
        one.join();
    }
    for (int m = 0; m < size; m++) {
        free(memory[m]);
        delete blocks[m];
    }
    return wrong;
}

int main(int, char **argv) {
    max_looks = (pgas_u32) atol(argv[1]);
    long wrong = 0;
    for (int size : {1, 2, 3, 5}) {
        for (int threads : {1, 2, 5}) {
            for (pgas_u32 piece : {1u, 3u, 20u}) {
                wrong += reduce<float>(size, threads, piece, 50) + reduce<long long>(size, threads, piece, 50);
            }
        }
    }
    printf("wrong %ld, staged %s\n", wrong, staged != 0 ? "some" : "none");
}
