package org.pgas4j.examples.npb;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedInts;

/**
 * One rank's part of IS. Keys are counted in buckets; from the counts of all ranks everyone derives which buckets each rank
 * takes, so that all take about as many keys. A rank writes its keys in the order of buckets into its part of a global array, and
 * those who take them read them from there. The rank of a key is the number of smaller ones: those in buckets before this rank's,
 * and those counted here. All methods but the first are collective.
 */
final class KeySort {

    private static final long SEED = 314_159_265;
    private static final int MAX_BUCKETS = 1024;
    private static final int TESTS = 5;

    private final Rank rank;
    private final int n;
    private final int shift;           // the bucket of a key is key >> shift
    private final int buckets;
    private final int maxKey;
    private final boolean spoilt;
    private final int first;           // of this rank's keys among all
    private final int[] keys;
    private final SharedInts byBucket; // of each rank its keys in the order of buckets
    private final SharedInts runs;     // of each rank, where in its part those of each rank begin

    private int[] taken;               // keys of this rank's buckets
    private int lowKey;
    private int[] smaller;             // of lowKey and those above it: number of smaller keys among those taken
    private long before;               // number of keys in lower buckets than this rank's

    static long hostBytes(int n, int ranks) {
        return (long) Integer.BYTES * (Math.ceilDiv(n, ranks) + ranks + 1);
    }

    KeySort(Rank rank, int n, int maxKey, boolean spoilt) {
        int ranks = rank.ranks();
        this.rank = rank;
        this.n = n;
        this.maxKey = maxKey;
        this.buckets = Math.min(MAX_BUCKETS, maxKey);
        this.shift = Integer.numberOfTrailingZeros(maxKey / buckets);
        this.spoilt = spoilt;
        this.first = first(rank.rank());
        this.keys = new int[first(rank.rank() + 1) - first];
        this.byBucket = rank.allAllocInts(Layout.even(), n);
        this.runs = rank.allAllocInts(Layout.even(), (ranks + 1L) * ranks);
        NpbRandom random = new NpbRandom(SEED).skip(4L * first);
        for (int i = 0; i < keys.length; i++) {
            keys[i] = (int) (maxKey / 4 * (random.next() + random.next() + random.next() + random.next()));
        }
    }

    /** Index of a rank's first key. */
    private int first(int of) {
        return (int) Math.min(n, (long) Math.ceilDiv(n, rank.ranks()) * of);
    }

    /** Changes the two keys that the benchmark changes before an iteration. */
    void change(int iteration, int iterations) {
        set(iteration, iteration);
        set(iteration + iterations, maxKey - iteration);
    }

    private void set(int place, int key) {
        if (place >= first && place < first + keys.length) {
            keys[place - first] = key;
        }
    }

    /** Ranks all keys. Of the keys at {@code places}, the ranks of those that this rank takes; -1 of the others. */
    long[] rank(int[] places) {
        long[] all = count(places);
        int[] firstBucket = deal(all);
        take(all, firstBucket);
        long[] ranks = new long[places.length];
        for (int test = 0; test < places.length; test++) {
            long key = all[buckets + test];
            boolean here = key >= lowKey && key < lowKey + smaller.length - 1;
            ranks[test] = here ? before + smaller[(int) key - lowKey] : -1;
        }
        return ranks;
    }

    /** Keys of all ranks in each bucket, and behind them the keys at {@code places}. */
    private long[] count(int[] places) {
        long[] mine = new long[buckets + TESTS];
        for (int key : keys) {
            mine[key >> shift]++;
        }
        for (int test = 0; test < places.length; test++) {
            int place = places[test] - first;
            mine[buckets + test] = place >= 0 && place < keys.length ? keys[place] : 0;   // the sum is the key itself
        }
        long[] all = new long[mine.length];
        rank.collectives().allReduce(Buffer.ofHost(MemorySegment.ofArray(all), ElementType.LONG),
                Buffer.ofHost(MemorySegment.ofArray(mine), ElementType.LONG), ReduceOp.SUM);
        return all;
    }

    /** First bucket of each rank, and the end of the last's. */
    private int[] deal(long[] all) {
        int[] firstBucket = new int[rank.ranks() + 1];
        Arrays.fill(firstBucket, buckets);
        long seen = 0;
        for (int bucket = 0, next = 0; bucket < buckets; bucket++) {
            for (; next <= seen * rank.ranks() / n; next++) {
                firstBucket[next] = bucket;
            }
            seen += all[bucket];
        }
        return firstBucket;
    }

    /** Brings the keys of this rank's buckets here and counts them. */
    private void take(long[] all, int[] firstBucket) {
        int me = rank.rank();
        int ranks = rank.ranks();
        offer(firstBucket);
        rank.barrier();
        before = Arrays.stream(all, 0, firstBucket[me]).sum();
        taken = new int[Math.toIntExact(Arrays.stream(all, firstBucket[me], firstBucket[me + 1]).sum())];
        MemorySegment target = MemorySegment.ofArray(taken);
        int[] run = new int[2];
        int count = 0;
        for (int step = 0; step < ranks; step++) {   // each begins with another
            int from = (me + step) % ranks;
            runs.get((ranks + 1L) * from + me, run);
            long bytes = ElementType.INT.bytes(run[1] - run[0]);
            if (bytes > 0) {
                rank.rma().get(target.asSlice(ElementType.INT.bytes(count), bytes), byBucket.pointer(first(from) + run[0]), bytes,
                        Completion.IMPLICIT);
            }
            count += run[1] - run[0];
        }
        rank.rma().syncAll();
        lowKey = firstBucket[me] << shift;
        smaller = new int[(firstBucket[me + 1] << shift) - lowKey + 1];
        for (int i = 0; i < count; i++) {
            smaller[taken[i] - lowKey + 1]++;
        }
        Arrays.parallelPrefix(smaller, Integer::sum);
    }

    /** Writes the keys in the order of buckets, and where the keys for each rank begin. */
    private void offer(int[] firstBucket) {
        int[] starts = new int[buckets + 1];
        for (int key : keys) {
            starts[(key >> shift) + 1]++;
        }
        Arrays.parallelPrefix(starts, Integer::sum);
        int[] firstOf = new int[rank.ranks() + 1];
        for (int to = 0; to < firstOf.length; to++) {
            firstOf[to] = starts[firstBucket[to]];
        }
        firstOf[0] += spoilt ? 1 : 0;   // a key that nobody reads
        int[] ordered = new int[keys.length];
        for (int key : keys) {
            ordered[starts[key >> shift]++] = key;
        }
        byBucket.put(first, ordered);
        runs.put((long) firstOf.length * rank.rank(), firstOf);
    }

    /**
     * Sorts all keys of the last ranking into one global array; number of keys that are behind a larger one, or have got lost.
     */
    long wrong() {
        rank.barrier();   // everyone has read what is to be overwritten
        int[] next = smaller.clone();
        int[] sorted = new int[taken.length];
        for (int key : taken) {
            sorted[next[key - lowKey]++] = key;
        }
        byBucket.put(before, sorted);
        rank.barrier();
        int from = Math.max(0, first - 1);
        int[] mine = new int[first + keys.length - from];
        byBucket.get(from, mine);
        long behind = 0;
        for (int i = 1; i < mine.length; i++) {
            behind += mine[i - 1] > mine[i] ? 1 : 0;
        }
        long missing = Arrays.stream(keys).asLongStream().sum() - Arrays.stream(taken).asLongStream().sum();
        long lost = rank.allReduce(missing, ReduceOp.SUM);
        return rank.allReduce(behind, ReduceOp.SUM) + (lost == 0 ? 0 : 1);
    }

    /** Not after a failure, which ends the job. */
    void free() {
        rank.allFree(runs);
        rank.allFree(byBucket);
    }
}
