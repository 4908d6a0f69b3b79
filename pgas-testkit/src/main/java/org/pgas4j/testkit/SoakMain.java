package org.pgas4j.testkit;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedPointer;

/**
 * Random operations against a model, again and again, and what they leave behind: {@code SoakMain [--minutes M] [--rounds N]
 * [--ops N] [--samples N] [--seed S] [--settle SHARE] [--slack MIB] [--leak KIND]}. After each round of {@code --ops}
 * operations and {@code --samples} puts of 8 bytes to the next rank, one rank of each JVM notes what it holds of the machine
 * while the others wait. It lasts longer than {@code --minutes} if so few rounds were done after it settled. Fails if an operation differs from the model, if threads, open files or mapped ranges are more at
 * the end than after the share of the time that it may take to settle, or if private memory has grown from then on by more
 * than {@code --slack}, which is what the JVM compiles late, and 1 MiB an hour ({@link Growth}). {@code --leak} leaves one
 * of {@code memory}, {@code files}, {@code maps} or {@code threads} behind in each round, to see that it is noticed. Prints
 * how memory and latency went.
 */
public final class SoakMain {

    private static final Map<String, String> OPTIONS = Map.of("minutes", "30", "rounds", "4", "ops", "200000", "samples", "20000",
            "seed", "", "settle", "0.34", "slack", "4", "leak", "none");
    private static final long HEAP_BYTES = 16L << 20;
    private static final long BLOCK_BYTES = 65_536;
    private static final long[] EDGES = {4096, 16384};
    private static final double NS_PER_MINUTE = 60e9;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    /** Tells this JVM from others. */
    private static final long JVM = UUID.randomUUID().getMostSignificantBits();

    private record Latency(long timeNs, double p999Us) {
    }

    private final Rank rank;
    private final long seed;
    private final long ops;
    private final long settledNs;
    private final long leastRounds;
    private final SoakLeak leak;
    private final long[] latencies;
    private final List<Latency> rounds = new ArrayList<>();
    private final Growth growth;

    private SoakMain(Rank rank, LitmusOptions options) {
        this.rank = rank;
        this.seed = options.seed(rank);
        this.ops = options.count("ops", 1);
        this.settledNs = (long) (options.number("settle") * options.number("minutes") * NS_PER_MINUTE);
        this.leastRounds = options.count("rounds", Growth.MIN_READINGS);
        this.leak = SoakLeak.of(options);
        this.latencies = new long[(int) options.count("samples", 1, 10_000_000)];
        this.growth = new Growth(settledNs, options.number("slack"));
    }

    public static void main(String[] args) {
        Pgas.run(new PgasConfig().hostHeap(HEAP_BYTES).deviceHeap(HEAP_BYTES), List.of(args), SoakMain::run);
    }

    /** Collective: takes the options from the rank's arguments. */
    public static void run(Rank rank) {
        LitmusOptions options = new LitmusOptions(rank.args(), OPTIONS);
        new SoakMain(rank, options).run(options.number("minutes"));
    }

    private void run(double minutes) {
        List<Integer> here = here();
        boolean reads = here.getFirst() == rank.rank();
        long startNs = System.nanoTime();
        long settled = 0;
        boolean goesOn = true;
        for (long round = 0; goesOn; round++) {
            new RandomOps(rank, ops, RandomOpsPlan.mix(seed + round), BLOCK_BYTES, EDGES, Long.MAX_VALUE).run();
            double p999Us = latency();
            rounds.add(new Latency(System.nanoTime() - startNs, p999Us));
            rank.barrier();
            if (reads) {
                leak.plant();
                growth.add(System.nanoTime() - startNs, Resources.trimmed());
            }
            // The others wait here until all have looked.
            double mostNs = rank.allReduce((double) (System.nanoTime() - startNs), ReduceOp.MAX);
            if (mostNs >= settledNs) {
                settled++;
            }
            // One more than is read: the others' time may be later than that of a reading.
            goesOn = mostNs < minutes * NS_PER_MINUTE || settled <= leastRounds;
        }
        if (reads) {
            judge(here);
        }
        tellLatency();
        rank.barrier();
    }

    /** Collective: the ranks in this JVM. */
    private List<Integer> here() {
        List<Integer> here = new ArrayList<>();
        for (int root = 0; root < rank.ranks(); root++) {
            if (rank.collectives().broadcast(JVM, root) == JVM) {
                here.add(root);
            }
        }
        return here;
    }

    /** Collective: the 99.9th percentile of a put and its fence to the next rank, in microseconds. */
    private double latency() {
        SharedPointer word = rank.allAlloc(rank.ranks(), Long.BYTES);
        SharedPointer there = word.onRank((rank.rank() + 1) % rank.ranks());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocate(LONG);
            for (int i = 0; i < latencies.length; i++) {
                source.set(LONG, 0, i);
                long start = System.nanoTime();
                rank.memput(there, source, Long.BYTES);
                rank.fence();
                latencies[i] = System.nanoTime() - start;
            }
            rank.barrier();
            long last = rank.local(word.onRank(rank.rank())).get(LONG, 0);
            if (last != latencies.length - 1) {
                throw new PgasException("soak: rank " + rank.rank() + " has " + last + " where the last put was "
                        + (latencies.length - 1));
            }
        }
        rank.allFree(word);
        Arrays.sort(latencies);
        return latencies[(int) ((latencies.length - 1) * 0.999)] / 1e3;
    }

    private void judge(List<Integer> here) {
        String text = String.format(Locale.ROOT, "soak: JVM of ranks %s of %d, %d JVMs, %d rounds of %d operations, seed %d; %s",
                here, rank.ranks(), rank.processes(), rounds.size(), ops, seed, growth);
        System.out.println(text);
        List<String> found = growth.found();
        if (!found.isEmpty()) {
            throw new PgasException("soak: " + String.join("; ", found) + "; " + text);
        }
    }

    /** Of the first and the second half after it settled. */
    private void tellLatency() {
        List<Latency> settled = rounds.stream().filter(round -> round.timeNs() >= settledNs).toList();
        int half = settled.size() / 2;
        if (half > 0) {
            double early = median(settled.subList(0, half));
            System.out.printf(Locale.ROOT, "soak: rank %d of %d, p99.9 of a put %.2f us, in the second half %+.1f %%%n",
                    rank.rank(), rank.ranks(), early,
                    100 * (median(settled.subList(settled.size() - half, settled.size())) / early - 1));
        }
    }

    private static double median(List<Latency> rounds) {
        return rounds.stream().mapToDouble(Latency::p999Us).sorted().skip(rounds.size() / 2).findFirst().orElseThrow();
    }
}
