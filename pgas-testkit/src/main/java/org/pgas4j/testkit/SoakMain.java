package org.pgas4j.testkit;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedPointer;

/**
 * Random operations against a model, again and again, and what they leave behind: {@code SoakMain [--minutes M]
 * [--ops N] [--samples N] [--seed S] [--settle SHARE]}. After each round of {@code --ops} operations and {@code --samples}
 * puts of 8 bytes to the next rank, each JVM notes what it holds of the machine. Fails if an operation differs from the
 * model, or if threads, open files or mapped ranges are more at the end than after the share of the time that it may take
 * to settle. How memory and latency went is printed.
 */
public final class SoakMain {

    private static final Map<String, String> OPTIONS = Map.of("minutes", "30", "ops", "200000", "samples", "20000", "seed",
            "", "settle", "0.34");
    private static final long HEAP_BYTES = 16L << 20;
    private static final long BLOCK_BYTES = 65_536;
    private static final long[] EDGES = {4096, 16384};
    private static final double NS_PER_MINUTE = 60e9;
    private static final double NS_PER_HOUR = 3600e9;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private record Round(long timeNs, Resources resources, double p999Us) {
    }

    private final Rank rank;
    private final long seed;
    private final long ops;
    private final long[] latencies;
    private final List<Round> rounds = new ArrayList<>();

    private SoakMain(Rank rank, long seed, long ops, int samples) {
        this.rank = rank;
        this.seed = seed;
        this.ops = ops;
        this.latencies = new long[samples];
    }

    public static void main(String[] args) {
        Pgas.run(new PgasConfig().hostHeap(HEAP_BYTES).deviceHeap(HEAP_BYTES), List.of(args), SoakMain::run);
    }

    /** Collective: takes the options from the rank's arguments. */
    public static void run(Rank rank) {
        LitmusOptions options = new LitmusOptions(rank.args(), OPTIONS);
        new SoakMain(rank, options.seed(rank), options.count("ops", 1), (int) options.count("samples", 1, 10_000_000))
                .run(options.number("minutes"), options.number("settle"));
    }

    private void run(double minutes, double settle) {
        long startNs = System.nanoTime();
        boolean goesOn = true;
        for (long round = 0; goesOn; round++) {
            new RandomOps(rank, ops, RandomOpsPlan.mix(seed + round), BLOCK_BYTES, EDGES, Long.MAX_VALUE).run();
            double p999Us = latency();
            rounds.add(new Round(System.nanoTime() - startNs, Resources.now(), p999Us));
            double mostNs = rank.allReduce((double) (System.nanoTime() - startNs), ReduceOp.MAX);
            goesOn = mostNs < minutes * NS_PER_MINUTE;
        }
        judge((long) (settle * minutes * NS_PER_MINUTE));
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

    private void judge(long settledNs) {
        Round last = rounds.getLast();
        List<Round> settled = rounds.stream().filter(round -> round.timeNs() >= settledNs).toList();
        if (settled.size() < 4) {
            throw new PgasException("soak: " + settled.size() + " rounds after it settled, of " + rounds.size()
                    + "; at least 4 are needed, give it more --minutes or fewer --ops");
        }
        Resources first = settled.getFirst().resources();
        List<Round> early = settled.subList(0, settled.size() / 2);
        List<Round> late = settled.subList(settled.size() - settled.size() / 2, settled.size());
        String text = String.format(Locale.ROOT, "soak: rank %d of %d in %d JVMs, %d rounds of %d operations in %.1f min, "
                        + "settled after %.1f: %s; at the end: %s; resident %+.2f MiB/h; p99.9 of a put %.2f us, in the second half"
                        + " %+.1f %%, seed %d", rank.rank(), rank.ranks(), rank.processes(), rounds.size(), ops,
                last.timeNs() / NS_PER_MINUTE, settled.getFirst().timeNs() / NS_PER_MINUTE, first, last.resources(),
                slope(settled), median(early), 100 * (median(late) / median(early) - 1), seed);
        System.out.println(text);
        Resources end = last.resources();
        // The JVM maps code and heap as it likes: what comes and goes between rounds is no growth.
        int mostMaps = early.stream().mapToInt(round -> round.resources().maps()).max().orElseThrow();
        if (end.threads() > first.threads() || end.files() > first.files() || end.maps() > mostMaps) {
            throw new PgasException("soak: threads, open files or mapped ranges grow: " + text);
        }
        rank.barrier();
    }

    /** Of a line through resident memory over time, in MiB an hour. */
    private static double slope(List<Round> rounds) {
        double meanTime = rounds.stream().mapToLong(Round::timeNs).average().orElseThrow();
        double meanBytes = rounds.stream().mapToLong(round -> round.resources().residentBytes()).average().orElseThrow();
        double shared = 0;
        double spread = 0;
        for (Round round : rounds) {
            shared += (round.timeNs() - meanTime) * (round.resources().residentBytes() - meanBytes);
            spread += (round.timeNs() - meanTime) * (round.timeNs() - meanTime);
        }
        return shared / spread * NS_PER_HOUR / (1 << 20);
    }

    private static double median(List<Round> rounds) {
        return rounds.stream().mapToDouble(Round::p999Us).sorted().skip(rounds.size() / 2).findFirst().orElseThrow();
    }
}
