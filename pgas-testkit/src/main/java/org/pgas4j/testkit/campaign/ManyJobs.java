package org.pgas4j.testkit.campaign;

import java.util.Locale;
import java.util.concurrent.Callable;
import org.pgas4j.Backend;
import org.pgas4j.Layout;
import org.pgas4j.Pgas;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedLongs;
import org.pgas4j.testkit.program.InRange;
import org.pgas4j.testkit.program.Program;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Many jobs, one after the other, in one JVM. */
@Command(name = "jobs",
        description = "Runs many jobs, one after the other, in this JVM. Fails if one computes something wrong, or if"
        + " this process holds more threads, files or mapped ranges at the end than after half of them.")
public final class ManyJobs implements Callable<Integer> {

    private static final int LOOK_EVERY = 50;

    @InRange(min = 1)
    @Parameters(index = "0", arity = "0..1", paramLabel = "JOBS", description = "Default: ${DEFAULT-VALUE}.")
    private int jobs = 10_000;

    @InRange(min = 1)
    @Parameters(index = "1", arity = "0..1", paramLabel = "RANKS", description = "Default: ${DEFAULT-VALUE}.")
    private int ranks = 4;

    @Override
    public Integer call() {
        Resources half = null;
        int maxMaps = 0; // of the first half: the JVM maps code and heap as it likes, what comes and goes is no growth
        long start = System.nanoTime();
        for (int job = 1; job <= jobs; job++) {
            int number = job;
            Pgas.run(Program.heaps(1 << 16).ranks(ranks).device(Backend.HOST), rank -> run(rank, number));
            if (job <= jobs / 2 && job % LOOK_EVERY == 0 || job == (jobs + 1) / 2) {
                half = Resources.now();
                maxMaps = Math.max(maxMaps, half.maps());
            }
        }
        Resources end = Resources.now();
        String text =
                String.format(Locale.ROOT, "jobs: %d of %d ranks in %.1f s; after half: %s, at most %d maps; at the end: %s",
                jobs, ranks, (System.nanoTime() - start) / 1e9, half, maxMaps, end);
        System.out.println(text);
        if (end.threads() > half.threads() || end.files() > half.files() || end.maps() > maxMaps) {
            throw new PgasException("jobs: threads, open files or mapped ranges grow: " + text);
        }
        return 0;
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
