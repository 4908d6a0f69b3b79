package org.pgas4j.array;

import java.util.ArrayList;
import java.util.List;

/**
 * Indices of one dimension that a coordinate of one axis and a coordinate of another axis own both, as pieces with regular steps
 * on both sides. Two block-cyclic axes repeat after the least common multiple of their periods, so that the first period is
 * looked at and the rest is one more level; where that is long, the finer axis repeats within each block of the coarser one. An axis
 * of one coordinate repeats in every period of the other.
 *
 * @param a      place of the first index among those of the coordinate of axis a
 * @param b      the same of axis b
 * @param counts of each level, the outermost first
 * @param aSteps between neighbours of each level, in places of a
 * @param bSteps the same of b
 */
record Overlap(long a, long b, long[] counts, long[] aSteps, long[] bSteps) {

    /** Common periods of more periods of the finer axis are not looked at if there is another way. */
    private static final long MAX_FINE_PERIODS = 1024;

    /** Number of indices. */
    long count() {
        long count = 1;
        for (long level : counts) {
            count *= level;
        }
        return count;
    }

    /** Indices {@code from} to {@code from + count - 1} of a level. */
    Overlap part(int level, long from, long count) {
        long[] parts = counts.clone();
        parts[level] = count;
        return new Overlap(a + from * aSteps[level], b + from * bSteps[level], parts, aSteps, bSteps);
    }

    /** The outermost level of more than one index; the last one if there is none. */
    int outermost() {
        int level = 0;
        while (level < counts.length - 1 && counts[level] == 1) {
            level++;
        }
        return level;
    }

    /** Adds parts of at most {@code width} indices to {@code into}, of about equal size. */
    void cut(long width, List<Overlap> into) {
        int level = outermost();
        long inner = count() / counts[level];
        long chunk = inner > width ? 1 : Math.ceilDiv(counts[level], Math.ceilDiv(counts[level], width / inner));
        for (long from = 0; from < counts[level]; from += chunk) {
            Overlap part = part(level, from, Math.min(chunk, counts[level] - from));
            if (inner > width) {
                part.cut(width, into);
            } else {
                into.add(part);
            }
        }
    }

    /** One side: indices {@code start + n * step} as the coordinate of an axis has them; counted by n. */
    record Side(Axis axis, int coordinate, long start, long step) {

        Side(Axis axis, int coordinate, long start) {
            this(axis, coordinate, start, 1);
        }

        /** First owned index from {@code at} on; {@code end} or more if there is none before. */
        long next(long at, long end) {
            long n = at;
            while (n < end) {
                long index = start + n * step;
                long owned = axis.nextOwned(coordinate, index);
                if (owned == index) {
                    return n;
                }
                n = Math.ceilDiv(owned - start, step);
            }
            return end;
        }

        /** End of the run of owned indices that holds {@code at}. */
        long end(long at) {
            return Math.ceilDiv(axis.blockEnd(start + at * step) - start, step);
        }

        /** True if all indices are owned. */
        boolean isWhole() {
            return axis.ranks() == 1;
        }

        long local(long at) {
            return axis.local(start + at * step);
        }

        /** Number of indices after which the owners repeat. */
        long period() {
            return axis.period() / gcd(axis.period(), step);
        }

        /** Places from one period of so many indices to the next. */
        long places(long period) {
            return period * step / axis.ranks();
        }
    }

    private static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }

    /** Indices that both own. */
    private record Run(long a, long b, long length) {
    }

    /** Pieces of indices 0 to {@code count - 1}, counted from both starts, that both sides own. */
    static List<Overlap> of(Side a, Side b, long count) {
        List<Overlap> all = new ArrayList<>();
        long period = commonPeriod(a.period(), b.period(), count);
        long coarse = Math.max(a.period(), b.period());
        long fine = Math.min(a.period(), b.period());
        if (!a.isWhole() && !b.isWhole() && period / fine > 2 * Math.ceilDiv(count, coarse)) {
            withinBlocks(all, a, b, count);
            if (period / fine > MAX_FINE_PERIODS) {
                return all;
            }
        }
        List<Overlap> repeated = new ArrayList<>();
        long periods = period == 0 ? 0 : count / period;
        if (periods > 0) {
            group(repeated, a, b, runs(a, b, 0, period), periods, a.places(period), b.places(period));
        }
        group(repeated, a, b, runs(a, b, periods * period, count), 1, 0, 0);
        return all.isEmpty() || repeated.size() < all.size() ? repeated : all;
    }

    /** Looks at one period of the finer side in each block of the coarser one, whose places there follow each other. */
    private static void withinBlocks(List<Overlap> all, Side a, Side b, long count) {
        boolean coarseIsA = a.period() > b.period();
        Side coarse = coarseIsA ? a : b;
        Side fine = coarseIsA ? b : a;
        long period = fine.period();
        long inBlock = period * coarse.step();
        for (long at = coarse.next(0, count); at < count; ) {
            long end = Math.min(count, coarse.end(at));
            long periods = (end - at) / period;
            if (periods > 0) {
                group(all, a, b, runs(a, b, at, at + period), periods, coarseIsA ? inBlock : a.places(period),
                        coarseIsA ? b.places(period) : inBlock);
            }
            group(all, a, b, runs(a, b, at + periods * period, end), 1, 0, 0);
            at = coarse.next(end, count);
        }
    }

    /** Least common multiple, or {@code count} if it is larger: then nothing repeats. */
    private static long commonPeriod(long a, long b, long count) {
        long factor = a / gcd(a, b);
        return factor > count / b ? count : factor * b;
    }

    private static List<Run> runs(Side a, Side b, long from, long to) {
        List<Run> runs = new ArrayList<>();
        for (long at = a.next(from, to); at < to; at = a.next(at, to)) {
            long both = b.next(at, to);
            if (both == at) {
                long end = Math.min(to, Math.min(a.end(at), b.end(at)));
                runs.add(new Run(a.local(at), b.local(at), end - at));
                both = end;
            }
            at = both;
        }
        return runs;
    }

    /** Joins neighbours of one length at equal distances, and repeats them. */
    private static void group(List<Overlap> all, Side a, Side b, List<Run> runs, long periods, long aPeriod, long bPeriod) {
        for (int first = 0; first < runs.size(); ) {
            Run run = runs.get(first);
            int end = first + 1;
            long aStep = end < runs.size() ? runs.get(end).a() - run.a() : 0;
            long bStep = end < runs.size() ? runs.get(end).b() - run.b() : 0;
            while (end < runs.size() && runs.get(end).length() == run.length()
                    && runs.get(end).a() - runs.get(end - 1).a() == aStep && runs.get(end).b() - runs.get(end - 1).b() == bStep) {
                end++;
            }
            all.add(new Overlap(run.a(), run.b(), new long[] {periods, end - first, run.length()},
                    new long[] {aPeriod, aStep, a.step()}, new long[] {bPeriod, bStep, b.step()}));
            first = end;
        }
    }
}
