package org.pgas4j.testkit.campaign;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.pgas4j.testkit.harness.RememberedClasses;
import org.pgas4j.testkit.program.InRange;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs failure trials many times and prints a line of figures for each kind, and for each sort of a kind. */
@Command(name = "failures",
        description = "Runs failure trials and prints a line of figures for each kind. A last line, K5, is what all"
        + " of them together left on the machine: files, System V objects, processes. Exits with 1 if a trial failed or"
        + " something is left.")
public final class FailureCampaign implements Callable<Integer> {

    private static final List<String> POINTS = List.copyOf(FailureTrials.PHASES.keySet());
    private static final int MAX_RANDOM_MS = 5_000;

    /** Size of a campaign. */
    private enum Tier { Q, N }

    @Option(names = "--tier", paramLabel = "q|n", description = "q (default): what a push runs; n: the better part of an hour.")
    private Tier tier = Tier.Q;

    @Option(names = "--only", split = ",", paramLabel = "KIND", description = "Default: K1,K2,K3,K4,H3,W,S2.")
    private List<String> only = List.of("K1", "K2", "K3", "K4", "H3", "W", "S2");

    @InRange(min = 1)
    @Option(names = "--at-once", paramLabel = "N", description = "Trials at a time; default: ${DEFAULT-VALUE}.")
    private int atOnce = 2;

    @Option(names = "--seed", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.")
    private long seed = 20261121;

    @Option(names = "--show", paramLabel = "S",
            description = "Prints the output of trials that took longer; default: ${DEFAULT-VALUE}.")
    private double show = 1000;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("pgas4j-failures-");
        boolean good;
        Set<String> before = Leftovers.now();
        try {
            good = run(new FailureTrials(folder));
        } finally {
            RememberedClasses.delete(folder);
        }
        Set<String> left = Leftovers.since(before);
        System.out.println("| K5 | leftovers | " + left.size() + " | | | |");
        left.forEach(what -> System.err.println("K5 left: " + what));
        return good && left.isEmpty() ? 0 : 1;
    }

    private boolean run(FailureTrials trials) throws InterruptedException {
        boolean good = true;
        System.out.println("| test | trials | failures | p50 s | p99 s | max s |");
        System.out.println("| --- | --- | --- | --- | --- | --- |");
        for (String kind : only) {
            List<FailureTrials.Outcome> outcomes = run(plan(kind, trials, tier == Tier.N, seed), atOnce);
            outcomes.stream().filter(outcome -> !outcome.isGood()).forEach(outcome -> System.err.println(outcome.name()
                    + ": " + outcome.wrong() + "\n" + outcome.output()));
            outcomes.stream().filter(outcome -> outcome.seconds() > show).forEach(outcome -> System.err.println(outcome.name()
                    + ": " + outcome.seconds() + " s\n" + outcome.output()));
            good &= outcomes.stream().allMatch(FailureTrials.Outcome::isGood);
            System.out.println(line(kind, outcomes));
            Map<String, List<FailureTrials.Outcome>> sorts = outcomes.stream().collect(Collectors.groupingBy(
                    outcome -> outcome.name().split(",")[0], LinkedHashMap::new, Collectors.toList()));
            if (sorts.size() > 1) {
                sorts.forEach((sort, some) -> System.out.println(line(sort, some)));
            }
        }
        return good;
    }

    /** The trials of a kind. */
    public static List<Callable<FailureTrials.Outcome>> plan(String kind, FailureTrials trials, boolean nightly,
                                                             long seed) {
        List<Callable<FailureTrials.Outcome>> plan = new ArrayList<>();
        switch (kind) {
            case "K1" -> {
                Random random = new Random(seed);
                for (int repeat = 0; repeat < (nightly ? 12 : 1); repeat++) {
                    for (String point : POINTS) {
                        // a wait for a notification that has come is no wait: a second one may not come
                        int hit = repeat == 0 || !List.of("barrier", "lock", "put", "get").contains(point) ? 1
                                : 1 + random.nextInt(3);
                        int ranks = repeat % 3 == 2 ? 8 : 4;
                        boolean even = plan.size() % 2 == 0;
                        if (nightly || even) {
                            plan.add(() -> trials.kill(point, 2, 2, hit));
                        }
                        if (nightly || !even) {
                            plan.add(() -> trials.kill(point, 2, ranks, hit));
                        }
                    }
                }
            }
            case "K2" -> {
                Random random = new Random(seed);
                for (int i = 0; i < (nightly ? 300 : 2); i++) {
                    int processes = i % 3 == 2 ? 4 : 2;
                    Duration after = Duration.ofMillis(random.nextInt(MAX_RANDOM_MS));
                    int choice = random.nextInt();
                    plan.add(() -> trials.killAfter(processes, 4, after, choice));
                }
            }
            case "K3" -> {
                for (int i = 0; i < (nightly ? 100 : 2); i++) {
                    int processes = i % 2 == 0 ? 2 : 4;
                    plan.add(() -> trials.killLauncher(processes));
                }
                for (int i = 0; i < (nightly ? 50 : 1); i++) {
                    plan.add(() -> trials.killAgent(false));
                    plan.add(() -> trials.killAgent(true));
                }
            }
            case "K4" -> {
                for (int i = 0; i < (nightly ? 20 : 1); i++) {
                    ends(plan, trials);
                }
            }
            case "H3" -> {
                for (int i = 0; i < (nightly ? 50 : 1); i++) {
                    plan.add(() -> trials.stopFor(Duration.ofSeconds(3)));
                    plan.add(() -> trials.stopForEver("15s"));
                    if (nightly) {
                        plan.add(() -> trials.stopFor(Duration.ofSeconds(8)));
                        plan.add(() -> trials.collect(4096));
                    }
                }
            }
            case "S2" -> {
                for (int i = 0; i < (nightly ? 500 : 2); i++) {
                    plan.add(() -> trials.start(4));
                }
            }
            case "W" -> {
                for (int i = 0; i < (nightly ? 20 : 1); i++) {
                    plan.add(() -> trials.hang("3s"));
                }
            }
            default -> throw new IllegalArgumentException("no test " + kind + " (expected: K1, K2, K3, K4, H3, W, S2)");
        }
        return plan;
    }

    private static void ends(List<Callable<FailureTrials.Outcome>> plan, FailureTrials trials) {
        for (boolean launcher : new boolean[] {true, false}) {
            plan.add(() -> trials.signal("TERM", 143, launcher));
            plan.add(() -> trials.signal("INT", 130, launcher));
            plan.add(() -> trials.signal("HUP", 129, launcher));
        }
        plan.add(() -> trials.ends("exit=0", 12, "System.exit(0)"));
        plan.add(() -> trials.ends("halt=7", 7, "with status 7"));
        plan.add(() -> trials.ends("throw", 1, "failpoint collective"));
        plan.add(() -> trials.ends("overflow", 1, "StackOverflowError"));
        plan.add(() -> trials.ends("fill", 3, "heap is out of memory"));
        plan.add(() -> trials.ends("abort", 134, "signal 6 (SIGABRT)"));
    }

    /** Runs trials, some at once. */
    public static List<FailureTrials.Outcome> run(List<Callable<FailureTrials.Outcome>> plan, int atOnce)
            throws InterruptedException {
        List<FailureTrials.Outcome> outcomes = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(atOnce)) {
            List<Future<FailureTrials.Outcome>> running = plan.stream().map(threads::submit).toList();
            for (Future<FailureTrials.Outcome> outcome : running) {
                outcomes.add(get(outcome));
                if (System.console() != null && System.console().isTerminal()) {
                    System.err.print("\r" + outcomes.size() + " of " + plan.size()
                            + (outcomes.size() < plan.size() ? "" : "\r\n"));
                }
            }
        }
        return outcomes;
    }

    private static FailureTrials.Outcome get(Future<FailureTrials.Outcome> outcome) throws InterruptedException {
        try {
            return outcome.get();
        } catch (ExecutionException e) {
            return new FailureTrials.Outcome("trial", List.of(e.getCause().toString()), -1,
                    Arrays.toString(e.getCause().getStackTrace()));
        }
    }

    private static String line(String kind, List<FailureTrials.Outcome> outcomes) {
        double[] times = outcomes.stream().mapToDouble(FailureTrials.Outcome::seconds).filter(seconds -> seconds >= 0)
                .sorted().toArray();
        long failures = outcomes.stream().filter(outcome -> !outcome.isGood()).count();
        return String.format(Locale.ROOT, "| %s | %d | %d | %.2f | %.2f | %.2f |", kind, outcomes.size(), failures,
                at(times, 0.5), at(times, 0.99), at(times, 1));
    }

    private static double at(double[] sorted, double share) {
        return sorted.length == 0 ? Double.NaN : sorted[(int) Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
    }
}
