package org.pgas4j.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.pgas4j.bench.lab.ExperimentPlan;
import org.pgas4j.bench.lab.Journal;
import org.pgas4j.bench.lab.LabPoint;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.study.LabStudy;

/**
 * Runs the launches of an experiment that are left, one after the other, in random order. A point at which a launch ends, or which is
 * not done in time, is named and left out, and the launch begins again with the points behind it; a launch that twice ends before its
 * first point is done is left out as a whole.
 */
final class LabRun {

    private static final double NS_PER_S = 1e9;
    private static final double LAUNCH_ALLOWANCE_S = 60;
    private static final double TIMES_ESTIMATE = 4;
    private static final int MAX_FRUITLESS = 2;

    /** Starts ranks and waits until they have ended. */
    interface Launcher {

        /**
         * Status of a job.
         *
         * @param rows   gets the rows that it prints
         * @param others gets its other lines
         * @param leftNs time until it is ended
         */
        int run(Launch launch, Consumer<Row> rows, Consumer<String> others, LongSupplier leftNs) throws IOException, InterruptedException;
    }

    /** Points that are measured in one start of the ranks. */
    record Launch(int repeat, List<LabPoint> points) {
    }

    private final ExperimentPlan plan;
    private final Journal journal;
    private final Launcher launcher;
    private final Consumer<Row> out;
    private final double pointAllowanceS;
    private final double limitS;
    private final LongSupplier clock;
    private final List<Launch> launches = new ArrayList<>();
    private final int all;
    private int done;
    private int skipped;
    private double estimatedS; // of what is left
    private long startNs;
    private long pointEndNs;
    private int finishedOfLaunch;
    private int status;

    /**
     * Run of what a journal has not.
     *
     * @param out             gets each row, after the journal
     * @param pointAllowanceS that a point may take beyond {@value #TIMES_ESTIMATE} times its estimate
     * @param limitS          of all of it
     * @param clock           nanoseconds
     */
    LabRun(ExperimentPlan plan, Journal journal, Launcher launcher, Consumer<Row> out, double pointAllowanceS, double limitS,
            LongSupplier clock) {
        this.plan = plan;
        this.journal = journal;
        this.launcher = launcher;
        this.out = out;
        this.pointAllowanceS = pointAllowanceS;
        this.limitS = limitS;
        this.clock = clock;
        for (int repeat = 0; repeat < plan.repeat(); repeat++) {
            addLaunches(repeat);
        }
        all = launches.stream().mapToInt(launch -> launch.points.size()).sum();
        estimatedS = launches.stream().mapToDouble(launch -> plan.launchEstimate(launch.points)).sum()
                + launches.stream().flatMap(launch -> launch.points.stream()).mapToDouble(plan::estimate).sum();
    }

    /**
     * Points that are not finished, those of a launch together, in random order; those that are compared with each other, beside an
     * idle owner and beside others, one after the other: a machine is then most alike for both.
     */
    private void addLaunches(int repeat) {
        SplittableRandom random = new SplittableRandom(plan.seed() + repeat); // Random's of seeds that follow each other begin alike
        List<LabPoint> points = new ArrayList<>(plan.points(repeat));
        Collections.shuffle(points, new Random(random.nextLong()));
        Map<LabPoint, List<LabPoint>> compared = new LinkedHashMap<>();
        points.forEach(point -> compared.computeIfAbsent(point.with(LabPoint.OWNER, "idle"), _ -> new ArrayList<>()).add(point));
        Map<Map<String, String>, List<LabPoint>> byLaunch = new LinkedHashMap<>();
        compared.values().stream().flatMap(List::stream).filter(point -> !journal.has(point, repeat))
                .forEach(point -> byLaunch.computeIfAbsent(point.launch(), _ -> new ArrayList<>()).add(point));
        byLaunch.values().forEach(its -> launches.add(new Launch(repeat, List.copyOf(its))));
    }

    /** Launches that are left. */
    List<Launch> launches() {
        return List.copyOf(launches);
    }

    /** In words, what is left and how long it takes. */
    String estimate() {
        return String.format(Locale.ROOT, "%d points left of %d, in %d launches, about %.0f s", all, plan.measurements(),
                launches.size(), estimatedS);
    }

    /** Runs what is left: 0, or the first status of a launch that failed. Points that this machine cannot run are no failure. */
    int run() throws IOException, InterruptedException {
        startNs = clock.getAsLong();
        for (Launch launch : launches) {
            List<LabPoint> left = new ArrayList<>(launch.points);
            int fruitless = 0;
            while (!left.isEmpty() && leftS() > 0) {
                finishedOfLaunch = 0;
                String reason = start(launch.repeat, left);
                if (left.isEmpty() || leftS() <= 0) {
                    break;
                }
                fruitless = finishedOfLaunch == 0 ? fruitless + 1 : 0;
                skip(launch.repeat, left.getFirst(), left, reason);
                while (fruitless == MAX_FRUITLESS && !left.isEmpty()) {
                    skip(launch.repeat, left.getFirst(), left, "its launch ended twice before a point was done: " + reason);
                }
            }
            estimatedS -= plan.launchEstimate(launch.points);
        }
        if (done + skipped < all) {
            System.err.printf(Locale.ROOT, "bench: lab, %d points left after %.0f s; the same command goes on with them%n",
                    all - done - skipped, passedS());
        }
        return status;
    }

    private double passedS() {
        return (clock.getAsLong() - startNs) / NS_PER_S;
    }

    private double leftS() {
        return limitS - passedS();
    }

    /** Starts a launch with the points that are left, and takes away those that are done: why it ended before the others. */
    private String start(int repeat, List<LabPoint> left) throws IOException, InterruptedException {
        expect(left, LAUNCH_ALLOWANCE_S);
        String[] last = {""};
        int code = launcher.run(new Launch(repeat, List.copyOf(left)), row -> finished(row, left), line -> {
            if (line.startsWith(LabStudy.NOT_HERE)) {
                notHere(repeat, line.substring(LabStudy.NOT_HERE.length()), left);
            } else {
                last[0] = line;
                System.err.println(line);
            }
        }, () -> Math.min(pointEndNs - clock.getAsLong(), Math.round(leftS() * NS_PER_S)));
        boolean late = !left.isEmpty() && pointEndNs - clock.getAsLong() <= 0;
        if (code == 0 || leftS() <= 0 && !late) {
            return "the launch ended without it";
        }
        status = status == 0 ? code : status;
        String reason = late ? "not done in time" : "the launch ended with status " + code + (last[0].isBlank() ? "" : ": " + last[0]);
        System.err.println("bench: lab, " + reason + (left.isEmpty() ? "" : ", at " + left.getFirst()));
        return reason;
    }

    /** Sets the time at which the first of some points must be done. */
    private void expect(List<LabPoint> left, double moreS) {
        double seconds = moreS + pointAllowanceS + (left.isEmpty() ? 0 : TIMES_ESTIMATE * plan.estimate(left.getFirst()));
        pointEndNs = clock.getAsLong() + Math.round(seconds * NS_PER_S);
    }

    private void finished(Row row, List<LabPoint> left) {
        try {
            journal.add(row);
        } catch (IOException e) {
            throw new UncheckedIOException("journal", e);
        }
        out.accept(row);
        done++;
        finishedOfLaunch++;
        remove(LabPoint.parse(row.text(Row.POINT)), left);
        expect(left, 0);
        System.err.printf(Locale.ROOT, "bench: lab, %d of %d points, %.0f s so far, about %.0f s left; p50 %.3f us: %s%n", done, all,
                passedS(), estimatedS, row.times().p50(), row.text(Row.POINT));
    }

    private void remove(LabPoint point, List<LabPoint> left) {
        if (left.remove(point)) {
            estimatedS -= plan.estimate(point);
        }
    }

    private void notHere(int repeat, String line, List<LabPoint> left) {
        int end = line.indexOf(LabStudy.SKIP_REASON);
        try {
            skip(repeat, LabPoint.parse(line.substring(0, end)), left, line.substring(end + LabStudy.SKIP_REASON.length()));
        } catch (IOException e) {
            throw new UncheckedIOException("journal", e);
        }
        finishedOfLaunch++;
        expect(left, 0);
    }

    private void skip(int repeat, LabPoint point, List<LabPoint> left, String reason) throws IOException {
        journal.skip(new Journal.Skip(repeat, point, reason));
        remove(point, left);
        skipped++;
        System.err.println("bench: lab, left out: " + point + ": " + reason);
    }
}
