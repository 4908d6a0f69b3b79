package org.pgas4j.testkit;

import java.util.Locale;
import org.pgas4j.Backend;
import org.pgas4j.Layout;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedLongs;

/**
 * Many jobs, one after the other, in one JVM: {@code JobsMain [jobs] [ranks]}. Fails if one computes something wrong, or if
 * this process holds more threads, files or mapped ranges at the end than after half of them.
 */
public final class JobsMain {

    private static final int JOBS = 10_000;
    private static final int RANKS = 4;
    private static final int LOOK_EVERY = 50;
    private static final int HEAP_BYTES = 1 << 16;

    private JobsMain() {
    }

    public static void main(String[] args) {
        int jobs = args.length > 0 ? Integer.parseInt(args[0]) : JOBS;
        int ranks = args.length > 1 ? Integer.parseInt(args[1]) : RANKS;
        Resources half = null;
        int mostMaps = 0; // of the first half: the JVM maps code and heap as it likes, what comes and goes is no growth
        long start = System.nanoTime();
        for (int job = 1; job <= jobs; job++) {
            int number = job;
            Pgas.run(new PgasConfig().ranks(ranks).hostHeap(HEAP_BYTES).deviceHeap(HEAP_BYTES).device(Backend.HOST),
                    rank -> run(rank, number));
            if (job <= jobs / 2 && job % LOOK_EVERY == 0 || job == (jobs + 1) / 2) {
                half = Resources.now();
                mostMaps = Math.max(mostMaps, half.maps());
            }
        }
        Resources end = Resources.now();
        String text = String.format(Locale.ROOT, "jobs: %d of %d ranks in %.1f s; after half: %s, at most %d maps; at the end: %s",
                jobs, ranks, (System.nanoTime() - start) / 1e9, half, mostMaps, end);
        System.out.println(text);
        if (end.threads() > half.threads() || end.files() > half.files() || end.maps() > mostMaps) {
            throw new PgasException("jobs: threads, open files or mapped ranges grow: " + text);
        }
    }

    private static void run(Rank rank, int job) {
        SharedLongs ring = rank.allAllocLongs(Layout.cyclic(), rank.ranks());
        ring.put((rank.rank() + 1) % rank.ranks(), job + rank.rank());
        rank.barrier();
        long sum = rank.allReduce(ring.get(rank.rank()), ReduceOp.SUM);
        long expected = (long) rank.ranks() * job + rank.ranks() * (rank.ranks() - 1L) / 2;
        if (sum != expected) {
            throw new PgasException("jobs: job " + job + " has the sum " + sum + ", not " + expected);
        }
    }
}
