// Members of a team run the same random operations, each as fast as it can, and compare what they have in the end.

#include <random>

static const int BLOCKS = 2, THREADS = 32, MOST = 8000, ROUND = 1024, OPERATIONS = 100;

static void fail(const char *what, int member, int at, long long found, long long expected) {
    fprintf(stderr, "%s: member %d element %d is %lld, not %lld\n", what, member, at, found, expected);
    _exit(1);
}

int main(int, char **words) {
    std::mt19937 random(atoi(words[1]));
    std::vector<int> kinds, roots, counts, sleepers, naps;
    for (int i = 0; i < OPERATIONS; i++) {
        kinds.push_back(random() % 3 == 0 ? 0 : random() % 5);
        sleepers.push_back(random() % (2 * MEMBERS));
        naps.push_back(random() % 3 == 0 ? 0 : random() % 2 == 0 ? THREADS * (1 + random() % 100) + 5 : random() % 4096);
        roots.push_back(random() % 3 == 0 ? random() % MEMBERS : 0);
        // Some end with a round of a few packets, of which most threads have none.
        counts.push_back(random() % 3 == 0 ? BLOCKS * ROUND + 1 + random() % 8
                : random() % 4 == 0 ? 1 + random() % MOST : 1 + random() % 5);
    }
    char *areas[MEMBERS];
    for (char *&area : areas) {
        area = (char *) calloc(1, AREA_BYTES);
    }
    std::vector<std::thread> members;
    for (int me = 0; me < MEMBERS; me++) {
        members.emplace_back([&, me] {
            std::vector<long long> own(MOST), all(MOST * MEMBERS);
            for (int i = 0; i < OPERATIONS; i++) {
                int kind = kinds[i], root = roots[i], count = counts[i];
                for (int e = 0; e < count; e++) {
                    own[e] = me * 1000000 + i * 10000 + e;
                }
                launch(BLOCKS, THREADS, sleepers[i] == me ? naps[i] % THREADS : -1, naps[i] / THREADS, [&] {
                    if (kind == 0) {
                        broadcast(own.data(), own.data(), areas[me], areas, count, 0, me, root);
                    } else if (kind == 3) {
                        broadcast_parts(own.data(), own.data(), areas[me], areas, count, 0, me, root);
                    } else if (kind == 4) {
                        combine_parts(own.data(), own.data(), areas[me], areas, count, 0, me, 0);
                    } else if (kind == 1) {
                        combine(own.data(), own.data(), areas[me], areas, count, 0, me, 0);
                    } else {
                        move(all.data(), own.data(), areas[me], areas, count, 0, me, 0);
                    }
                });
                for (int e = 0; e < count; e++) {
                    long long of = i * 10000 + e;
                    long long sum = of * MEMBERS + 1000000ll * MEMBERS * (MEMBERS - 1) / 2;
                    bool roots_own = kind == 0 || kind == 3;
                    if (kind != 2 && own[e] != (roots_own ? root * 1000000 + of : sum)) {
                        fail(roots_own ? "broadcast" : "sum", me, e, own[e], roots_own ? root * 1000000 + of : sum);
                    }
                    for (int m = 0; kind == 2 && m < MEMBERS; m++) {
                        if (all[m * count + e] != m * 1000000 + of) {
                            fail("exchange", me, m * count + e, all[m * count + e], m * 1000000 + of);
                        }
                    }
                }
            }
        });
    }
    for (std::thread &each : members) {
        each.join();
    }
    puts("right");
}
