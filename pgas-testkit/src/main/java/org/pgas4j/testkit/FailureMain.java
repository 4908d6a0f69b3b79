package org.pgas4j.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
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
import java.util.stream.Stream;

/**
 * Runs failure trials many times and prints a line of figures for each kind, and for each sort of a kind:
 * {@code FailureMain [--tier q|n] [--only K1,K2,K3,K4,H3,W,S2] [--at-once N] [--seed N] [--show S]}, the output of those that
 * took longer than {@code --show} seconds, and a last one, K5, of what all of them
 * together left on the machine: files, System V objects, processes. Exits with 1 if a trial was not as it must be or something
 * is left. Tier q is what a push runs; n takes the better part of an hour.
 */
public final class FailureMain {

    private static final List<String> POINTS = List.copyOf(FailureTrials.PHASES.keySet());

    private static final int MAX_RANDOM_MS = 5_000;

    private FailureMain() {
    }

    public static void main(String[] args) throws Exception {
        Map<String, String> options = new LinkedHashMap<>(Map.of("--tier", "q", "--only", "K1,K2,K3,K4,H3,W,S2", "--at-once",
                "2", "--seed", "20261121", "--show", "1000"));
        for (int i = 0; i < args.length; i += 2) {
            if (!options.containsKey(args[i]) || i + 1 == args.length) {
                System.err.println("pgas4j: unexpected '" + args[i] + "' (expected: " + options.keySet() + ", each with a"
                        + " value)");
                System.exit(2);
            }
            options.put(args[i], args[i + 1]);
        }
        Path folder = Files.createTempDirectory("pgas4j-failures-");
        boolean good;
        Set<String> before = Leftovers.now();
        try {
            good = run(new FailureTrials(folder), options.get("--tier").equals("n"),
                    List.of(options.get("--only").split(",")), Integer.parseInt(options.get("--at-once")),
                    Long.parseLong(options.get("--seed")), Double.parseDouble(options.get("--show")));
        } finally {
            delete(folder);
        }
        Set<String> left = Leftovers.since(before);
        System.out.println("| K5 | leftovers | " + left.size() + " | | | |");
        left.forEach(what -> System.err.println("K5 left: " + what));
        System.exit(good && left.isEmpty() ? 0 : 1);
    }

    private static boolean run(FailureTrials trials, boolean nightly, List<String> only, int atOnce, long seed,
                               double show) throws InterruptedException {
        boolean good = true;
        System.out.println("| test | trials | failures | p50 s | p99 s | max s |");
        System.out.println("| --- | --- | --- | --- | --- | --- |");
        for (String kind : only) {
            List<FailureTrials.Outcome> outcomes = run(plan(kind, trials, nightly, seed), atOnce);
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
                        int hit = repeat == 0 || !List.of("barrier", "put", "get").contains(point) ? 1
                                : 1 + random.nextInt(3);
                        int ranks = repeat % 3 == 2 ? 8 : 4;
                        plan.add(() -> trials.kill(point, 2, 2, hit));
                        plan.add(() -> trials.kill(point, 2, ranks, hit));
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
                    plan.add(() -> trials.stopForEver("3s"));
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
                    System.err.print("\r" + outcomes.size() + " of " + plan.size() + (outcomes.size() < plan.size() ? "" : "\r\n"));
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

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
