// Members of a team run the same random operations on each other's memory, each as fast as it can, and check the results.

#include <random>

static const int BLOCKS = MEMBERS, THREADS = 32, MOST = 40000, OPERATIONS = 60;

static void fail(const char *what, int member, int at, int found, int expected) {
    fprintf(stderr, "%s: member %d element %d is %d, not %d\n", what, member, at, found, expected);
    _exit(1);
}

int main(int, char **words) {
    std::mt19937 random(atoi(words[1]));
    std::vector<int> kinds, roots, counts, sleepers, shifts, chunks;
    for (int i = 0; i < OPERATIONS; i++) {
        kinds.push_back(random() % 4);
        sleepers.push_back(random() % (4 * MEMBERS));
        roots.push_back(random() % MEMBERS);
        counts.push_back(random() % 2 == 0 ? 1 + random() % MOST : 1 + random() % 50);
        // elements by which memory is not aligned; members push to aligned memory only
        shifts.push_back(random() % 2 == 0 ? 0 : kinds.back() < 3 ? random() % 8 : 8);
        chunks.push_back(1 + random() % THREADS);  // words, a thread for each
    }
    char *areas[MEMBERS];
    std::vector<short> sources[MEMBERS], results[MEMBERS];
    for (int m = 0; m < MEMBERS; m++) {
        areas[m] = (char *) calloc(1, AREA_BYTES);
        sources[m].resize(MOST + 16);
        results[m].resize(MOST * MEMBERS + 16);
    }
    std::barrier<> filled(MEMBERS);
    std::vector<std::thread> members;
    for (int me = 0; me < MEMBERS; me++) {
        members.emplace_back([&, me] {
            for (int i = 0; i < OPERATIONS; i++) {
                int kind = kinds[i], root = roots[i], count = counts[i], shift = shifts[i];
                for (int e = 0; e < count; e++) {
                    sources[me][shift + e] = (short) (me * 1000 + i * 100 + e);
                }
                std::fill(results[me].begin(), results[me].end(), (short) -1);
                filled.arrive_and_wait();  // nobody writes to results that are still filled: they are no part of the operation
                void *from[MEMBERS], *to[MEMBERS];
                int sleeper = sleepers[i] == me ? 0 : -1;
                int each = (count + MEMBERS - 1) / MEMBERS, begin = min(me * each, count), mine = min(each, count - begin);
                int part = (me - root - 1 + MEMBERS) % MEMBERS;
                if (kind == 0) {  // own part of the sum of all, at all
                    for (int m = 0; m < MEMBERS; m++) {
                        from[m] = sources[m].data() + shift + begin;
                        to[m] = results[(me + 1 + m) % MEMBERS].data() + shift + begin;
                    }
                    launch(BLOCKS, THREADS, sleeper, 0, [&] { combine(areas[me], areas, from, to, mine, me); });
                } else if (kind == 1) {
                    for (int m = 0; m < MEMBERS; m++) {
                        from[m] = sources[m].data() + shift;
                    }
                    to[0] = results[me].data() + shift;
                    launch(BLOCKS, THREADS, sleeper, 0, [&] { move(areas[me], areas, from, to, count, me); });
                } else if (kind == 3) {  // the sum of all by parts, at all
                    for (int m = 0; m < MEMBERS; m++) {
                        from[m] = sources[m].data() + shift;
                        to[m] = results[(me + 1 + m) % MEMBERS].data() + shift;
                    }
                    each = (each + 7) / 8 * 8;
                    launch(BLOCKS, THREADS, sleeper, 0,
                            [&] { push(areas[me], areas, from, to, each, count, chunks[i], PUSHED, me); });
                } else {  // own part of the root's, at all others
                    each = (count + MEMBERS - 2) / (MEMBERS - 1);
                    begin = me == root ? 0 : min(part * each, count);
                    mine = me == root ? 0 : min(each, count - begin);
                    from[0] = sources[root].data() + shift + begin;
                    for (int m = 0, d = 0; m < MEMBERS; m++) {
                        if ((me + 1 + m) % MEMBERS != root) {
                            to[d++] = results[(me + 1 + m) % MEMBERS].data() + shift + begin;
                        }
                    }
                    launch(BLOCKS, THREADS, sleeper, 0, [&] { pass_on(areas[me], areas, from, to, mine, me); });
                }
                int length = kind == 1 ? count * MEMBERS : count;
                for (int e = 0; e < length; e++) {
                    short of = (short) (i * 100 + e);
                    short expected = kind == 0 || kind == 3 ? (short) (MEMBERS * of + 1000 * MEMBERS * (MEMBERS - 1) / 2)
                            : kind == 1 ? (short) (e / count * 1000 + i * 100 + e % count)
                            : me == root ? (short) -1 : (short) (root * 1000 + of);
                    if (results[me][shift + e] != expected) {
                        fail(kind == 0 ? "sum" : kind == 1 ? "move" : kind == 2 ? "broadcast" : "pushed sum", me, e, results[me][shift + e], expected);
                    }
                }
                int end = shift + length;
                if (results[me][end] != -1 || shift > 0 && results[me][shift - 1] != -1) {
                    fail("beside the result", me, end, results[me][end], -1);
                }
            }
        });
    }
    for (std::thread &each : members) {
        each.join();
    }
    puts("right");
}
