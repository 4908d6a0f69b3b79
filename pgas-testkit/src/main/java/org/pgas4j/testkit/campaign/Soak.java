package org.pgas4j.testkit.campaign;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedPointer;
import org.pgas4j.testkit.program.InRange;
import org.pgas4j.testkit.program.Mixer;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.SharedOptions;
import org.pgas4j.testkit.random.RandomOps;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Random operations against a model, again and again, and what they leave behind. After each round one rank of each JVM takes a
 * reading of what it holds of the machine while the others wait. Fails if an operation differs from the model, or if readings
 * grow ({@link Growth}).
 */
@Command(name = "soak",
        description = "Repeats random operations and reports how memory and latency develop. Fails if an operation"
        + " differs from the model or if threads, open files, mapped ranges or private memory grow.")
public final class Soak implements Program {

    private static final long HEAP_BYTES = 16L << 20;
    private static final long BLOCK_BYTES = 65_536;
    private static final double NS_PER_MINUTE = 60e9;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    /** Tells this JVM from others. */
    private static final long JVM = UUID.randomUUID().getMostSignificantBits();

    private record Latency(long timeNs, double p999Us) {
    }

    @Option(names = "--minutes", paramLabel = "M", description = "Default: ${DEFAULT-VALUE}; longer if too few rounds fit.")
    private double minutes = 30;

    @InRange(min = Growth.MIN_READINGS)
    @Option(names = "--rounds", paramLabel = "N", description = "Rounds after it settled, at least; default: ${DEFAULT-VALUE}.")
    private long minRounds = Growth.MIN_READINGS;

    @InRange(min = 1)
    @Option(names = "--ops", paramLabel = "N", description = "Operations of a round; default: ${DEFAULT-VALUE}.")
    private long ops = 200_000;

    @InRange(min = 1, max = 10_000_000)
    @Option(names = "--samples", paramLabel = "N", description = "Timed puts of 8 bytes of a round; default: ${DEFAULT-VALUE}.")
    private int samples = 20_000;

    @Option(names = "--settle", paramLabel = "SHARE", description = "Share of the time to settle; default: ${DEFAULT-VALUE}.")
    private double settle = 0.34;

    @Option(names = "--slack", paramLabel = "MIB",
            description = "Growth of private memory that passes, beside 1 MiB an hour, for what"
            + " the JVM compiles late; default: ${DEFAULT-VALUE}.")
    private double slack = 4;

    @Option(names = "--leak", paramLabel = "KIND", description = "Leaves something behind in each round, which must be noticed:"
            + " none (default), memory, files, maps or threads.")
    private SoakLeak leak = SoakLeak.NONE;

    @Mixin
    private SharedOptions shared;

    private final List<Latency> rounds = new ArrayList<>();
    private Rank rank;
    private long seed;
    private long settledNs;
    private long[] latencies;
    private Growth growth;

    @Override
    public PgasConfig config() {
        return Program.heaps(HEAP_BYTES);
    }

    @Override
    public void run(Rank self) {
        rank = self;
        shared.checkRoutes(rank, Long.BYTES);
        seed = shared.seed(rank);
        settledNs = (long) (settle * minutes * NS_PER_MINUTE);
        latencies = new long[samples];
        growth = new Growth(settledNs, slack);
        List<Integer> here = here();
        boolean reads = here.getFirst() == rank.rank();
        long startNs = System.nanoTime();
        long settled = 0;
        boolean goesOn = true;
        for (long round = 0; goesOn; round++) {
            new RandomOps(ops, BLOCK_BYTES).run(rank, Mixer.mix(seed + round));
            double p999Us = latency();
            rounds.add(new Latency(System.nanoTime() - startNs, p999Us));
            rank.barrier();
            if (reads) {
                leak.plant();
                growth.add(System.nanoTime() - startNs, Resources.trimmed());
            }
            // The others wait here until all have taken their readings.
            double maxNs = rank.allReduce((double) (System.nanoTime() - startNs), ReduceOp.MAX);
            if (maxNs >= settledNs) {
                settled++;
            }
            // One more than is read: the others' time may be later than that of a reading.
            goesOn = maxNs < minutes * NS_PER_MINUTE || settled <= minRounds;
        }
        if (reads) {
            judge(here);
        }
        reportLatency();
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
    private void reportLatency() {
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
