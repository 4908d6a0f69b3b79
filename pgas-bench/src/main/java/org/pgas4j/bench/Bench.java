package org.pgas4j.bench;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.Rank;
import org.pgas4j.UsageException;
import org.pgas4j.bench.result.Environment;
import org.pgas4j.bench.result.Output;
import org.pgas4j.bench.result.Provenance;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.study.AblationStudy;
import org.pgas4j.bench.study.ArraysStudy;
import org.pgas4j.bench.study.AtomicsStudy;
import org.pgas4j.bench.study.BarrierStudy;
import org.pgas4j.bench.study.CollectivesStudy;
import org.pgas4j.bench.study.HaloStudy;
import org.pgas4j.bench.study.HelperStudy;
import org.pgas4j.bench.study.HimenoStudy;
import org.pgas4j.bench.study.KernelsStudy;
import org.pgas4j.bench.study.LocksStudy;
import org.pgas4j.bench.study.MatmulStudy;
import org.pgas4j.bench.study.MatvecStudy;
import org.pgas4j.bench.study.Measuring;
import org.pgas4j.bench.study.NotifyStudy;
import org.pgas4j.bench.study.PairsStudy;
import org.pgas4j.bench.study.ResidentStudy;
import org.pgas4j.bench.study.RmaStudy;
import org.pgas4j.bench.study.StencilStudy;
import org.pgas4j.bench.study.StreamStudy;
import org.pgas4j.bench.study.StudyOptions;
import org.pgas4j.bench.study.TransferStudy;
import org.pgas4j.launch.command.Version;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs a study as one of its ranks; {@link BenchAll} and {@code scripts/bench} start it with the launches a study is made of. */
@Command(name = "bench", mixinStandardHelpOptions = true, versionProvider = Version.class,
        description = "Measures this system beside what it is compared with, in one run.")
public final class Bench implements Runnable {

    /** Names of the studies. */
    static final List<String> STUDIES = List.of("rma", "memput", "memget", "helper", "matmul", "ablation", "notify", "barrier",
            "atomics", "locks", "stream", "collectives", "halo", "matvec", "himeno", "stencil", "arrays", "kernels", "resident");

    /** Studies of any number of ranks from 2 on, {@link #ALONE} from 1 on. */
    static final List<String> OF_MANY = List.of("matmul", "notify", "barrier", "collectives", "halo", "matvec", "himeno",
            "stencil", "arrays");
    private static final String ALONE = "barrier";
    /** Studies of pairs of ranks, all at once. */
    static final List<String> OF_PAIRS = List.of("memput", "memget", "stream");

    private static final List<String> UNBOUND = List.of("matmul", "helper", "notify", "barrier", "stream", "halo", "matvec",
            "himeno", "stencil", "arrays", "kernels", "resident");

    private static final long[] FULL_SIZES = {1, 8, 64, 512, 4096, 8192, 65536, 1 << 20, 16 << 20, 64 << 20};
    private static final long[] QUICK_SIZES = {8, 8192, 1 << 20};
    private static final long LARGEST = 1L << 30;

    @Parameters(index = "0", arity = "0..1", paramLabel = "STUDY", description = "rma: put, get and barrier between two"
            + " ranks; memput, memget: between their devices, against the user-level version; helper: gets from a rank that"
            + " computes; matmul: a product brought together on rank 0; ablation: one part with the settings of this launch;"
            + " notify, barrier: between blocks; stream: notified puts by streams; collectives: reductions and moves of vectors;"
            + " atomics: atomic operations; locks: locks and semaphores;"
            + " halo, matvec, himeno, stencil: examples in each of their styles;"
            + " arrays: strided puts, and matrices between distributions; kernels: written in Java and in CUDA C++;"
            + " resident: small transfers of host code to device memory")
    private String study;

    @Option(names = "--json", description = "one JSON object per line instead of tables")
    private boolean json;

    @Option(names = "--csv", arity = "0..1", fallbackValue = "", paramLabel = "FILE",
            description = "CSV instead of tables, or as well in a file")
    private String csv;

    @Option(names = "--quick", description = "a few sizes, a tenth of the time")
    private boolean quick;

    @Option(names = "--sizes", split = ",", paramLabel = "BYTES",
            description = "bytes per transfer, or orders of matrices, separated by commas")
    private List<Long> sizes;

    @Option(names = "--memory", paramLabel = "KIND", defaultValue = "both",
            description = "of rma and arrays: host, device or both (default)")
    private String memory = "both";

    @Option(names = "--helper", paramLabel = "MODE", description = "how helper threads are set, for the results")
    private String helper;

    @Option(names = "--kernels", split = ",", paramLabel = "MS", description = "of helper: lengths of the kernels")
    private List<Double> kernels;

    @Option(names = "--part", paramLabel = "NAME", description = "of ablation: fastpath, pipeline, registration or helper")
    private String part;

    @Option(names = "--setting", paramLabel = "TEXT", description = "what is set for this launch, for the results")
    private String setting;

    @Option(names = "--commit", paramLabel = "ID", description = "version of the program, for the heading")
    private String commit;

    @Option(names = "--heading", negatable = true, defaultValue = "true", fallbackValue = "true",
            description = "print the lines that describe machine and run (default: on)")
    private boolean heading = true;

    @Option(names = "--hdr", hidden = true, description = "JSON with all samples, for the command that keeps them")
    private boolean histograms;

    @Option(names = "--repeat", paramLabel = "I", description = "number of this launch where it is repeated, from 0")
    private Integer repeat;

    @Option(names = "--warmup", paramLabel = "TIME", converter = WarmUpConverter.class,
            description = "before the first sample: a time such as 500ms, or auto")
    private long warmUp = Measuring.OWN;

    @Option(names = "--samples", paramLabel = "N", description = "samples of each line")
    private int samples;

    @Option(names = "--seed", paramLabel = "N", description = "of what is random")
    private long seed = 1;

    @Option(names = "--comments", hidden = true, description = "print them with JSON as well")
    private boolean comments;

    public static void main(String[] args) {
        start(new Bench(), args);
    }

    /** Runs a program of ranks: what it throws is the job's failure, and a mistake in its options ends the JVM. */
    static void start(Runnable program, String... args) {
        CommandLine command = new CommandLine(program);
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
        if (study == null || !STUDIES.contains(study)) {
            throw new UsageException("unknown study '" + study + "' (expected: " + String.join(", ", STUDIES) + ")");
        }
        checkMemory(memory);
        if (study.equals("ablation") && (part == null || !AblationStudy.parts().contains(part))) {
            throw new UsageException("--part " + part + " (expected: one of " + AblationStudy.parts() + ")");
        }
        if (sizes != null) {
            for (long size : sizes) {
                if (size <= 0 || size > LARGEST) {
                    throw new UsageException("size " + size + " (expected: 1.." + LARGEST + " bytes)");
                }
            }
        }
        StudyOptions options = new StudyOptions(quick, sizes, helper, setting, part, new Measuring(warmUp, samples, seed));
        if (!study.equals("kernels")) {
            Pgas.run(config(options), rank -> study(rank, options));
            return;
        }
        try (FreshDirectory cache = FreshDirectory.create("pgas-kernels-")) { // so that it sees kernels compiled
            Pgas.run(config(options).set(PgasKey.KERNEL_CACHE, cache.path().toString()), rank -> study(rank, options));
        }
    }

    /** Refuses a kind of memory that there is not. */
    static void checkMemory(String memory) {
        if (!List.of("host", "device", "both").contains(memory)) {
            throw new UsageException("--memory " + memory + " (expected: host, device or both)");
        }
    }

    private List<MemoryKind> kinds() {
        return Arrays.stream(MemoryKind.values()).filter(kind -> memory.equals("both") || memory.equals(kind.name().toLowerCase(
                Locale.ROOT))).toList();
    }

    /** Refuses a study that does not run with so many ranks. */
    static void checkRanks(String study, int ranks) {
        boolean many = OF_MANY.contains(study);
        boolean pairs = OF_PAIRS.contains(study);
        int least = study.equals(ALONE) ? 1 : 2;
        if (ranks < least || !many && ranks != 2 && (!pairs || ranks % 2 != 0)) {
            throw new UsageException("study " + study + " with " + ranks + " ranks (expected: " + (many ? least + " or more"
                    : pairs ? "an even number" : "2") + ")");
        }
    }

    private PgasConfig config(StudyOptions options) {
        PgasConfig config = new PgasConfig().ranks(2);
        // Products, kernels of the host device and helpers use other threads than the ranks', which would inherit it.
        if (!UNBOUND.contains(study) && !AblationStudy.HELPER.equals(part) && Runtime.getRuntime().availableProcessors() >= 2) {
            config.set(PgasKey.BIND, "core");
        }
        return switch (study) {
            case "rma" -> config.hostHeap(RmaStudy.heapBytes(rmaSizes())).deviceHeap(RmaStudy.heapBytes(rmaSizes()));
            case "memput", "memget" -> config.hostHeap(TransferStudy.heapBytes(options))
                    .deviceHeap(TransferStudy.heapBytes(options));
            case "matmul" -> {
                long bytes = MatmulStudy.heapBytes(orders(options));
                yield config.hostHeap(bytes).deviceHeap(bytes);
            }
            case "notify" -> config.deviceHeap(NotifyStudy.heapBytes(isGpu())).hostHeap(1 << 20);
            case "barrier" -> config.deviceHeap(BarrierStudy.heapBytes()).hostHeap(1 << 20);
            case "stream" -> config.deviceHeap(StreamStudy.heapBytes(options));
            case "collectives" -> config.hostHeap(CollectivesStudy.heapBytes(options))
                    .deviceHeap(CollectivesStudy.heapBytes(options));
            case "halo" -> config.deviceHeap(HaloStudy.heapBytes(options));
            case "matvec" -> config.deviceHeap(MatvecStudy.heapBytes(options, isGpu()));
            case "himeno" -> config.deviceHeap(HimenoStudy.heapBytes(options, isGpu(), 2));
            case "atomics" -> config.deviceHeap(isGpu() ? (1L << 29) + (64 << 20) : 8 << 20).hostHeap(1 << 20);
            case "locks" -> config.deviceHeap(1 << 20).hostHeap(1 << 20);
            case "stencil" -> config.deviceHeap(StencilStudy.heapBytes(options, isGpu()));
            case "arrays" -> {
                long bytes = ArraysStudy.heapBytes(options);
                yield config.hostHeap(memory.equals("device") ? 1 << 20 : bytes)
                        .deviceHeap(memory.equals("host") ? 1 << 20 : bytes);
            }
            case "kernels" -> config.deviceHeap(KernelsStudy.heapBytes(isGpu(), options));
            case "resident" -> config.hostHeap(ResidentStudy.heapBytes()).deviceHeap(ResidentStudy.heapBytes());
            case "helper" -> config.hostHeap(HelperStudy.heapBytes()).deviceHeap(HelperStudy.heapBytes());
            default -> config.hostHeap(AblationStudy.heapBytes(options)).deviceHeap(AblationStudy.heapBytes(options));
        };
    }

    private long[] rmaSizes() {
        return sizes == null ? quick ? QUICK_SIZES : FULL_SIZES : sizes.stream().mapToLong(Long::longValue).toArray();
    }

    private static boolean isGpu() {
        String device = System.getProperty(PgasKey.DEVICE.property(), "auto");
        return device.equals("cuda") || device.equals("auto") && Environment.hasGpu();
    }

    private int[] orders(StudyOptions options) {
        return MatmulStudy.orders(options, isGpu());
    }

    private void study(Rank rank, StudyOptions options) {
        checkRanks(study, rank.ranks());
        if (rank.rank() == 0 && heading && (comments || !json && (csv == null || !csv.isEmpty()))) {
            Environment.print(rank, commit);
        }
        Output.Format format = json ? Output.Format.JSON : "".equals(csv) ? Output.Format.CSV : Output.Format.TABLE;
        Output output = new Output(format, !study.equals("rma"), csv == null || csv.isEmpty() ? null : Path.of(csv),
                System.out, histograms);
        Provenance provenance = Provenance.of(rank, commit);
        Consumer<Row> out = row -> output.add(provenance.stamp(row.with(Row.REPEAT, repeat)
                .with(Row.RANKS, rank.ranks() == 2 ? null : rank.ranks())));
        switch (study) {
            case "rma" -> new RmaStudy(rank, options, rmaSizes(), memory, row -> out.accept(row.with(Row.SETTING, setting))).run();
            case "memput", "memget" -> new TransferStudy(rank, study.equals("memput"), options, out).run();
            case "helper" -> new HelperStudy(rank, options, out).run(kernels == null ? HelperStudy.KERNELS_MS
                    : kernels.stream().mapToDouble(Double::doubleValue).toArray());
            case "notify" -> {
                new NotifyStudy(rank, options, out).run();
                new PairsStudy(rank, options, out).run();
            }
            case "barrier" -> new BarrierStudy(rank, options, out).run();
            case "stream" -> new StreamStudy(rank, options, out).run();
            case "collectives" -> new CollectivesStudy(rank, options, out).run();
            case "halo" -> new HaloStudy(rank, options, out).run();
            case "matvec" -> new MatvecStudy(rank, options, out).run();
            case "himeno" -> new HimenoStudy(rank, options, out).run();
            case "atomics" -> new AtomicsStudy(rank, options, out).run();
            case "locks" -> new LocksStudy(rank, options, out).run();
            case "stencil" -> new StencilStudy(rank, options, out).run();
            case "arrays" -> new ArraysStudy(rank, options, kinds(), out).run();
            case "resident" -> new ResidentStudy(rank, options, out).run();
            case "kernels" -> new KernelsStudy(rank, options, out).run();
            case "matmul" -> new MatmulStudy(rank, options, out).run(orders(options));
            default -> new AblationStudy(rank, options, out).run();
        }
        if (rank.rank() == 0) {
            output.finish();
        }
        long wrong = rank.collectives().broadcast(output.wrong(), 0);
        if (wrong > 0) {
            throw new PgasException("study " + study + ": " + wrong + " bytes or elements arrived wrong");
        }
    }
}
