package org.pgas4j.bench;

import java.util.List;
import java.util.Locale;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.Rank;
import org.pgas4j.UsageException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs a study as ranks; {@code scripts/bench} starts it with the right number of JVMs. */
@Command(name = "bench", mixinStandardHelpOptions = true, version = "pgas4j 0.1.0",
        description = "Measures this system beside the raw version of the same operation, in one run.")
public final class Bench implements Runnable {

    private static final long[] FULL_SIZES = {1, 8, 64, 512, 4096, 8192, 65536, 1 << 20, 16 << 20, 64 << 20};
    private static final long[] QUICK_SIZES = {8, 8192, 1 << 20};

    @Parameters(index = "0", paramLabel = "STUDY", description = "rma: put, get and barrier between two ranks")
    private String study;

    @Option(names = "--json", description = "one JSON object per line instead of tables")
    private boolean json;

    @Option(names = "--quick", description = "a few sizes, a tenth of the time")
    private boolean quick;

    @Option(names = "--sizes", split = ",", paramLabel = "BYTES", description = "bytes per transfer, separated by commas")
    private List<Long> sizes;

    @Option(names = "--memory", paramLabel = "KIND", defaultValue = "both", description = "host, device or both (default)")
    private String memory;

    @Option(names = "--heading", negatable = true, defaultValue = "true", fallbackValue = "true",
            description = "print the lines that describe machine and run (default: on)")
    private boolean heading;

    public static void main(String[] args) {
        CommandLine command = new CommandLine(new Bench());
        command.setExecutionExceptionHandler((e, _, _) -> {
            throw e;
        });
        int code = command.execute(args);
        if (code != 0) {
            System.exit(code);
        }
    }

    @Override
    public void run() {
        if (!study.equals("rma")) {
            throw new UsageException("unknown study '" + study + "' (expected: rma)");
        }
        if (!List.of("host", "device", "both").contains(memory)) {
            throw new UsageException("--memory " + memory + " (expected: host, device or both)");
        }
        long[] chosen = sizes == null ? quick ? QUICK_SIZES : FULL_SIZES
                : sizes.stream().mapToLong(Long::longValue).toArray();
        for (long size : chosen) {
            if (size <= 0 || size > 1L << 30) {
                throw new UsageException("size " + size + " (expected: 1.." + (1L << 30) + " bytes)");
            }
        }
        PgasConfig config = new PgasConfig().ranks(2).hostHeap(RmaStudy.heapBytes(chosen))
                .deviceHeap(RmaStudy.heapBytes(chosen)).set(PgasKey.BIND, "core");
        Pgas.run(config, rank -> rma(rank, chosen));
    }

    private void rma(Rank rank, long[] chosen) {
        if (rank.ranks() != 2) {
            throw new UsageException("study rma needs 2 ranks, the job has " + rank.ranks());
        }
        if (rank.rank() == 0 && heading && !json) {
            Environment.print(rank);
        }
        String[] table = {""};
        new RmaStudy(rank, quick, chosen, memory, row -> {
            if (json) {
                System.out.println(row.json());
                return;
            }
            String title = String.format(Locale.ROOT, "# pgas4j %s %s, %s to %s, route %s, processes %d", row.study(), row.op(),
                    row.from(), row.to(), row.route(), row.processes());
            if (!title.equals(table[0])) {
                table[0] = title;
                System.out.println(title);
                System.out.println(Row.heading());
            }
            System.out.println(row.table());
        }).run();
    }
}
