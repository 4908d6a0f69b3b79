package org.pgas4j.testkit.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.UsageException;
import org.pgas4j.testkit.program.InRange;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.Tally;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Random Java methods on the ranks' devices and in plain Java. The batches are divided among the ranks; most of the time goes to
 * compilers, so several processes share a GPU well.
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
    private int batch = 20;

    @Option(names = "--seed", paramLabel = "S", description = "Of the run; default: ${DEFAULT-VALUE}.")
    private long seed = 18;

    @Option(names = "--only", paramLabel = "B", description = "Runs this batch alone, to repeat what was found.")
    private Long only;

    /** With options of a command line. */
    public KernelFuzz() {
    }

    @Override
    public PgasConfig config() {
        return Program.heaps(1 << 20);
    }

    /** Collective: each rank does its batches, then all learn whether one found a mismatch. */
    @Override
    public void run(Rank rank) {
        long batches = Math.ceilDiv(methods, (long) batch);
        if (only != null && (only < 0 || only >= batches)) {
            throw new UsageException("--only " + only + " (expected: 0.." + (batches - 1) + ")");
        }
        long first = only == null ? rank.rank() : rank.rank() == 0 ? only : batches;
        long step = only == null ? rank.ranks() : batches;
        long own = first < batches ? Math.ceilDiv(batches - first, step) : 0;
        Tally check = new Tally(rank);
        long values = 0;
        long faults = 0;
        long compared = 0;
        for (long done = 0; done < own; done++) {
            long number = first + done * step;
            FuzzBatch of = new FuzzBatch(rank, "Fuzz" + number, seed * 1_000_003 + number,
                    (int) Math.min(batch, methods - number * batch));
            FuzzCalls calls = inFolder(folder -> of.run(folder, check));
            values += calls.values();
            faults += calls.faults();
            compared += Math.min(batch, methods - number * batch);
            report(rank, done + 1, own, number);
        }
        check.finish("kernel-fuzz", " seed=" + seed + " methods=" + rank.allReduce(compared, ReduceOp.SUM) + " values="
                + rank.allReduce(values, ReduceOp.SUM) + " faults=" + rank.allReduce(faults, ReduceOp.SUM));
    }

    private static void report(Rank rank, long done, long all, long batch) {
        if (rank.rank() == 0 && (done * REPORTS / all > (done - 1) * REPORTS / all || done == 1)) {
            System.out.println("kernel-fuzz: rank 0 has done " + done + " of its " + all + " batches, the last is " + batch);
        }
    }

    private interface InFolder {
        FuzzCalls run(Path folder);
    }

    private static FuzzCalls inFolder(InFolder work) {
        try {
            Path folder = Files.createTempDirectory("pgas-fuzz");
            try {
                return work.run(folder);
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
