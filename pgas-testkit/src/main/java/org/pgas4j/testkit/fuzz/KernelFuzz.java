package org.pgas4j.testkit.fuzz;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.pgas4j.Layout;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedLongs;
import org.pgas4j.UsageException;
import org.pgas4j.testkit.program.InRange;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.Tally;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Random Java methods on the ranks' devices and in plain Java. The batches are divided among the ranks. Most of the time goes to
 * compilers, of which a process runs the first phase one at a time, so several processes share a GPU well.
 */
@Command(name = "kernel-fuzz", description = {
    "Compares random Java methods, as kernels on the device and in plain Java, bit for bit.",
    "Batches are divided among the ranks. A mismatch is printed with its seed, arguments and source."})
public final class KernelFuzz implements Program {

    private static final int REPORTS = 20; // of progress, in a run

    @InRange(min = 1)
    @Option(names = "--methods", paramLabel = "N", description = "Methods in all; default: ${DEFAULT-VALUE}.")
    private long methods = 1000;

    @InRange(min = 1, max = 2000)
    @Option(names = "--batch", paramLabel = "N", description = "Methods of a kernel; default: ${DEFAULT-VALUE}.")
    private int batch = 50;

    @InRange(min = 0, max = 1_000_000)
    @Option(names = "--limit", paramLabel = "SECONDS",
            description = "Ranks begin no batch that may end later than this; 0 for no limit; default: ${DEFAULT-VALUE}.")
    private long limit;

    @Option(names = "--seed", paramLabel = "S", description = "Of the run; default: ${DEFAULT-VALUE}.")
    private long seed = 18;

    @Option(names = "--only", paramLabel = "B", description = "Runs this batch alone, to repeat what was found.")
    private Long only;

    /** With options of a command line. */
    public KernelFuzz() {
    }

    /** No kernel comes twice, so none is kept on disk. */
    @Override
    public PgasConfig config() {
        return Program.heaps(1 << 20).set(PgasKey.KERNEL_CACHE, "none");
    }

    /** Collective: each rank does its batches, then all learn whether one found a mismatch. */
    @Override
    public void run(Rank rank) {
        long batches = Math.ceilDiv(methods, (long) batch);
        if (only != null && (only < 0 || only >= batches)) {
            throw new UsageException("--only " + only + " (expected: 0.." + (batches - 1) + ")");
        }
        Tally check = new Tally(rank);
        FuzzTotals totals = new FuzzTotals();
        AtomicBoolean isDone = new AtomicBoolean(rank.rank() > 0);
        SharedLongs next = counter(rank);
        LongSupplier numbers = only == null ? () -> rank.atomics().fetchAdd(next.pointer(), 1L)
                : () -> isDone.getAndSet(true) ? batches : only;
        FuzzTurns turns = new FuzzTurns(numbers, batches, SECONDS.toNanos(limit), System::nanoTime);
        for (long number = turns.next(); number >= 0; number = turns.next()) {
            FuzzBatch of = new FuzzBatch(rank, number, seed * 1_000_003 + number, (int) Math.min(batch, methods - number * batch));
            inFolder(folder -> totals.add(of.run(folder, check)));
            report(rank, turns.done(), number, batches);
        }
        rank.allFree(next);
        check.finish("kernel-fuzz", " seed=" + seed + totals.of(rank, only == null ? methods : 0));
    }

    /** Collective: the number of the next batch, in host memory. */
    private static SharedLongs counter(Rank rank) {
        try (Scope _ = rank.offDevice()) {
            SharedLongs next = rank.allAllocLongs(Layout.onRank(0), 1);
            if (rank.rank() == 0) {
                next.put(0, 0);
            }
            rank.barrier();
            return next;
        }
    }

    private static void report(Rank rank, long done, long batch, long batches) {
        if (rank.rank() == 0 && (done == 1 || done % Math.max(1, batches / rank.ranks() / REPORTS) == 0)) {
            System.out.println("kernel-fuzz: rank 0 has done " + done + " batches, the last is " + batch + " of " + batches);
        }
    }

    private static void inFolder(Consumer<Path> work) {
        try {
            Path folder = Files.createTempDirectory("pgas-fuzz");
            try {
                work.accept(folder);
            } finally {
                try (Stream<Path> files = Files.walk(folder)) {
                    for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                        Files.delete(file);
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
