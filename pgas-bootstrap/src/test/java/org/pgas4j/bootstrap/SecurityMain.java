package org.pgas4j.bootstrap;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The long runs of the bootstrap's security tests, with their figures: a table, and one line of JSON for each figure with
 * {@code --json}. Ends with 1 if a figure misses its bar.
 */
@Command(name = "scripts/reliability security", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Port scans, refused handshakes, impossible lengths and damaged frames against the bootstrap.")
public final class SecurityMain implements Callable<Integer> {

    private static final int PROCESSES = 4;
    private static final long MIB = 1 << 20;
    private static final ExecutorService THREADS = Executors.newVirtualThreadPerTaskExecutor();

    @Option(names = "--jobs", defaultValue = "100", description = "Jobs that start in a port scan; default 100.")
    private int jobs;

    @Option(names = "--scans", defaultValue = "10000",
            description = "Connections of scanners to all jobs together; default 10000.")
    private int scans;

    @Option(names = "--replays", defaultValue = "1000", description = "Replayed handshakes; default 1000.")
    private int replays;

    @Option(names = "--frames", defaultValue = "100000000", description = "Damaged frames; default 100000000.")
    private long frames;

    @Option(names = "--seed", defaultValue = "4711", description = "What is random is the same for the same seed.")
    private long seed;

    @Option(names = "--commit", defaultValue = "", description = "Goes into the JSON.")
    private String commit;

    @Option(names = "--json", description = "File the results are appended to.")
    private Path json;

    private boolean missed;

    /** Ends the JVM: 0 if all figures meet their bars, 1 if not, 2 for a wrong option. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new SecurityMain()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        System.out.printf("%-4s %-44s %14s %-8s %s%n", "test", "what", "figure", "unit", "bar");
        scan();
        refuse();
        announce();
        damage();
        return missed ? 1 : 0;
    }

    /** Times of jobs alone and in a scan, in turns, so that other load on the machine is in both. */
    private void scan() throws Exception {
        for (int i = 0; i < 5; i++) {
            wireUp();
        }
        double[] alone = new double[jobs];
        double[] scanned = new double[jobs];
        AtomicLong connections = new AtomicLong();
        long rss = residentBytes();
        int lost = 0;
        for (int i = 0; i < jobs; i++) {
            alone[i] = wireUp();
            try {
                scanned[i] = wireUpInAScan(seed + i, connections);
            } catch (RuntimeException e) {
                lost++;
                scanned[i] = Double.NaN;
                System.out.println("B1   job " + i + " was lost: " + e);
            }
        }
        double quiet = quantile(alone, 0.5);
        double busy = quantile(scanned, 0.5);
        figure("B1", "jobs lost in a port scan, of " + jobs, lost, "jobs", 0);
        figure("B1", "connections of scanners", connections.get(), "", Double.NaN);
        figure("B1", "wire-up of " + PROCESSES + " processes alone, median", quiet, "ms", Double.NaN);
        figure("B1", "wire-up in the scan, median", busy, "ms", Double.NaN);
        figure("B1", "wire-up in the scan, p95", quantile(scanned, 0.95), "ms", Double.NaN);
        figure("B1", "ratio of medians", busy / quiet, "", 2);
        figure("B1", "growth of this JVM's resident memory", (residentBytes() - rss) / (double) MIB, "MiB", 16);
    }

    private static double wireUp() {
        try (TestJob job = new TestJob(PROCESSES, PROCESSES)) {
            return wireUp(job);
        }
    }

    private double wireUpInAScan(long ofSeed, AtomicLong connections) {
        try (TestJob job = new TestJob(PROCESSES, PROCESSES)) {
            AtomicBoolean begun = new AtomicBoolean();
            int before = Math.max(1, scans / jobs / 10);
            CompletableFuture<Void> scanner = CompletableFuture.runAsync(() -> {
                try (Storm storm = new Storm(job.coordinator.port(), ofSeed)) {
                    storm.scan(before);
                    begun.set(true);
                    storm.scan(Math.max(0, scans / jobs - before));
                    connections.addAndGet(storm.connections());
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                } finally {
                    begun.set(true);
                }
            }, THREADS);
            while (!begun.get()) {
                Thread.yield();
            }
            double ms = wireUp(job);
            scanner.join(); // the rest comes when the job runs
            return ms;
        }
    }

    private static double wireUp(TestJob job) {
        long start = System.nanoTime();
        NettyBootstrap[] jvms = job.connectAll();
        List<CompletableFuture<byte[][]>> gathers = new ArrayList<>();
        for (NettyBootstrap jvm : jvms) {
            gathers.add(CompletableFuture.supplyAsync(() -> jvm.allGather("addresses", new byte[256],
                    TestJob.deadline(30_000)), THREADS));
        }
        gathers.forEach(CompletableFuture::join);
        return (System.nanoTime() - start) / 1e6;
    }

    private void refuse() throws IOException {
        List<Double> times = new ArrayList<>();
        int wrong = 0;
        try (TestJob job = new TestJob(2, 4)) {
            int port = job.coordinator.port();
            byte[] recorded;
            try (RawClient good = new RawClient(port)) {
                recorded = RawClient.proofFrame(job.secret, good.greet(), job.identity(0));
                good.send(recorded);
                wrong += good.readFrame()[0] == Identity.ACCEPTED ? 0 : 1;
            }
            for (int i = 0; i < replays; i++) {
                long start = System.nanoTime();
                try (RawClient replay = new RawClient(port)) {
                    replay.greet();
                    replay.send(recorded);
                    wrong += replay.readRefusal() == Refusal.SECRET ? 0 : 1;
                }
                times.add((System.nanoTime() - start) / 1e6);
            }
            Map<Identity, Refusal> impostors = Hostile.impostors(job);
            impostors.put(job.identity(0), Refusal.DUPLICATE);
            for (int round = 0; round < 20; round++) {
                for (Map.Entry<Identity, Refusal> impostor : impostors.entrySet()) {
                    long start = System.nanoTime();
                    wrong += Hostile.handshake(port, job.secret, impostor.getKey()) == impostor.getValue() ? 0 : 1;
                    times.add((System.nanoTime() - start) / 1e6);
                }
            }
        }
        double[] all = times.stream().mapToDouble(Double::doubleValue).toArray();
        figure("B2", "refusals with another reason than due, of " + all.length, wrong, "", 0);
        figure("B2", "time of a refusal with its connection, median", quantile(all, 0.5), "ms", Double.NaN);
        figure("B2", "the same, p99", quantile(all, 0.99), "ms", 100);
        figure("B2", "the same, slowest", quantile(all, 1), "ms", Double.NaN);
    }

    private void announce() throws IOException {
        double most = 0;
        try (TestJob job = new TestJob(1, 1)) {
            for (int round = 0; round < 2; round++) { // the first warms up
                for (long length : Hostile.LENGTHS) {
                    long before = Hostile.allocatedByCoordinator();
                    for (int i = 0; i < 100; i++) {
                        try (RawClient client = new RawClient(job.coordinator.port())) {
                            client.send(Hostile.length(length));
                            if (!client.isClosedByPeer()) {
                                throw new IllegalStateException("length " + length + " was not refused");
                            }
                        }
                    }
                    double each = (Hostile.allocatedByCoordinator() - before) / 100.0 / 1024;
                    most = round == 0 ? 0 : Math.max(most, each);
                }
            }
        }
        figure("B3", "most allocated for a connection", most, "KiB", 64);
    }

    private void damage() {
        long start = System.nanoTime();
        MessageFuzz.Result result = new MessageFuzz(seed).run(frames); // an AssertionError if one does harm
        double seconds = (System.nanoTime() - start) / 1e9;
        figure("B4", "damaged frames, seed " + seed, result.frames(), "", Double.NaN);
        figure("B4", "of these answered with ProtocolException", result.refused(), "", Double.NaN);
        figure("B4", "of these understood and done", result.taken(), "", Double.NaN);
        figure("B4", "other exceptions", 0, "", 0);
        figure("B4", "rate", result.frames() / seconds / 1e6, "M/s", Double.NaN);
        figure("B4", "slowest 1,000 frames", result.slowestNs() / 1e6, "ms", 1_000);
    }

    /** @param atMost NaN if there is no bar */
    private void figure(String test, String what, double value, String unit, double atMost) {
        boolean bad = value > atMost || Double.isNaN(value);
        missed |= bad;
        String number = value == Math.rint(value) ? String.format(Locale.ROOT, "%.0f", value)
                : String.format(Locale.ROOT, "%.3f", value);
        System.out.printf("%-4s %-44s %14s %-8s %s%n", test, what, number, unit,
                Double.isNaN(atMost) ? "" : String.format(Locale.ROOT, "<= %.0f%s", atMost, bad ? "  MISSED" : ""));
        if (json != null) {
            Map<String, String> fields = new LinkedHashMap<>();
            fields.put("test", '"' + test + '"');
            fields.put("what", '"' + what + '"');
            fields.put("value", Double.isNaN(value) ? "null" : number);
            fields.put("unit", '"' + unit + '"');
            fields.put("atMost", Double.isNaN(atMost) ? "null" : Double.toString(atMost));
            fields.put("commit", '"' + commit + '"');
            append("{" + String.join(",", fields.entrySet().stream().map(field -> '"' + field.getKey() + "\":"
                    + field.getValue()).toList()) + "}\n");
        }
    }

    private void append(String line) {
        try {
            Files.writeString(json, line, java.nio.file.StandardOpenOption.CREATE,
                    java.nio.file.StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + json, e);
        }
    }

    private static double quantile(double[] values, double at) {
        double[] sorted = Arrays.stream(values).filter(value -> !Double.isNaN(value)).sorted().toArray();
        return sorted.length == 0 ? Double.NaN : sorted[(int) Math.ceil(at * sorted.length) - 1];
    }

    private static long residentBytes() throws IOException {
        System.gc();
        String line = Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(text -> text.startsWith("VmRSS:")).findFirst().orElseThrow();
        return Long.parseLong(line.replaceAll("\\D", "")) << 10;
    }
}
