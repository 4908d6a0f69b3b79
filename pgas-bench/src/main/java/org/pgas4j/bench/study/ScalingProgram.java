package org.pgas4j.bench.study;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedPointer;
import org.pgas4j.bench.result.Provenance;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;

/**
 * The program of the scaling study, for any number of ranks: times of wire-up, barrier, broadcast, allreduce and a ring of
 * puts, and memory of the JVMs. {@code ScalingProgram [rounds]}; rank 0 prints a JSON line for each.
 */
public final class ScalingProgram {

    public static final String WIRE_UP = "wire-up";
    public static final String BARRIER = "barrier";
    public static final String BROADCAST = "broadcast";
    public static final String ALLREDUCE = "allreduce";
    public static final String RING = "ring";
    public static final String MEMORY = "memory";
    /** Bytes that one broadcast moves to each rank. */
    public static final int BYTES = 1024;

    /** Until compiled, a collective of few ranks takes many times as long as after. */
    private static final long WARM_UP_NS = 2_000_000_000L;
    /** Time for one collective of which more rounds than asked for fit in. */
    private static final long ROUNDS_NS = 1_000_000_000L;
    private static final int MAX_ROUNDS = 10_000;
    private static final int MIN_WARM_UP = 2;
    private static final Pattern STATUS = Pattern.compile("(RssAnon|RssShmem|Threads):\\s+([0-9]+)");
    private static final Pattern RINGS = Pattern.compile("([0-9]+) pairs, ([0-9]+) bytes of rings");
    private static final AtomicBoolean COUNTED = new AtomicBoolean();

    private static long startNs;

    private final Rank rank;
    private final int rounds;
    private String route;
    private Provenance provenance;

    private ScalingProgram(Rank rank, int rounds) {
        this.rank = rank;
        this.rounds = rounds;
    }

    public static void main(String[] args) {
        int rounds = args.length == 0 ? 20 : Integer.parseInt(args[0]);
        startNs = System.nanoTime();
        Pgas.run(new PgasConfig().hostHeap(1 << 14).deviceHeap(1 << 12), rank -> new ScalingProgram(rank, rounds).run());
    }

    private void run() {
        rank.barrier();
        long wired = System.nanoTime() - startNs;
        SharedPointer from = rank.allAlloc(rank.ranks(), BYTES);
        SharedPointer to = rank.allAlloc(rank.ranks(), BYTES);
        route = rank.diagnostics().route(MemoryKind.HOST, from.onRank(rank.ranks() - 1), BYTES);
        if (rank.rank() == 0) {
            Histogram once = SampleTimes.histogram();
            SampleTimes.record(once, wired);
            print(row(WIRE_UP, 0, once));
        }
        time(BARRIER, 0, rank::barrier);
        long sum = rank.ranks() * (rank.ranks() - 1L) / 2;
        time(ALLREDUCE, Long.BYTES, () -> check(rank.allReduce((long) rank.rank(), ReduceOp.SUM), sum));
        time(BROADCAST, BYTES, () -> rank.collectives().broadcast(to, from.onRank(rank.ranks() / 3), BYTES));
        SharedLongs ring = rank.allAllocLongs(Layout.cyclic(), rank.ranks());
        int left = Math.floorMod(rank.rank() - 1, rank.ranks());
        time(RING, Long.BYTES, () -> {
            ring.put((rank.rank() + 1L) % rank.ranks(), rank.rank());
            rank.barrier();
            check(ring.get(rank.rank()), left);
            rank.barrier();
        });
        memory();
    }

    private static void check(long seen, long expected) {
        if (seen != expected) {
            throw new PgasException("scaling: got " + seen + ", expected " + expected);
        }
    }

    /** The longest time of any rank would be another collective: rank 0's is taken, which all are in step with. */
    private void time(String op, long bytes, Runnable operation) {
        Histogram times = SampleTimes.histogram();
        long count = roundsAfterWarmUp(operation);
        for (long round = 0; round < count; round++) {
            long start = System.nanoTime();
            operation.run();
            SampleTimes.record(times, System.nanoTime() - start);
        }
        if (rank.rank() == 0) {
            print(row(op, bytes, times));
        }
    }

    /**
     * Runs it in groups, each twice as long as the one before, until rank 0 has seen enough; its time then gives
     * how many rounds are measured. All ranks agree by what rank 0 gives to a sum.
     */
    private long roundsAfterWarmUp(Runnable operation) {
        long begin = System.nanoTime();
        for (long group = MIN_WARM_UP; ; group *= 2) {
            long start = System.nanoTime();
            for (long round = 0; round < group; round++) {
                operation.run();
            }
            long now = System.nanoTime();
            long fit = now - begin < WARM_UP_NS ? 0 : Math.clamp(ROUNDS_NS * group / Math.max(1, now - start), rounds,
                    Math.max(rounds, MAX_ROUNDS));
            long agreed = rank.allReduce(rank.rank() == 0 ? fit : 0, ReduceOp.SUM);
            if (agreed > 0) {
                return agreed;
            }
        }
    }

    private Row row(String op, long bytes, Histogram times) {
        return new Row(Row.SCALING, op, "host", "host", route, rank.processes(), bytes, times, 1, null, 0)
                .with(Row.N, rank.ranks());
    }

    private void print(Row row) {
        if (provenance == null) {
            provenance = Provenance.of(rank, null);
        }
        System.out.println(provenance.stamp(row).json());
    }

    /** All JVMs together; the first rank that comes here counts its JVM. */
    private void memory() {
        rank.barrier();
        long[] kib = new long[4];
        if (COUNTED.compareAndSet(false, true)) {
            System.gc();
            kib[0] = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 10;
            status(kib);
        }
        long[] sums = new long[kib.length];
        for (int i = 0; i < kib.length; i++) {
            sums[i] = rank.allReduce(kib[i], ReduceOp.SUM);
        }
        if (rank.rank() == 0) {
            Histogram none = SampleTimes.histogram();
            none.recordValue(1);
            Matcher rings = RINGS.matcher(rank.diagnostics().explain());
            boolean known = rings.find();
            print(row(MEMORY, 0, none).with("heap_kib", sums[0]).with("anonymous_kib", sums[1]).with("shared_kib", sums[2])
                    .with("threads", sums[3])
                    .with("pairs_of_rank_0", known ? Long.valueOf(rings.group(1)) : null)
                    .with("ring_bytes_of_rank_0", known ? Long.valueOf(rings.group(2)) : null));
        }
    }

    private static void status(long[] kib) {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                Matcher field = STATUS.matcher(line);
                if (field.find()) {
                    kib[field.group(1).equals("RssAnon") ? 1 : field.group(1).equals("RssShmem") ? 2 : 3]
                            = Long.parseLong(field.group(2));
                }
            }
        } catch (IOException e) {
            throw new PgasException("cannot read /proc/self/status", e);
        }
    }
}
