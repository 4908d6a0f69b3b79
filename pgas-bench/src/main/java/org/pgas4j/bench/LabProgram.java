package org.pgas4j.bench;

import java.util.List;
import java.util.function.Consumer;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.UsageException;
import org.pgas4j.bench.lab.LabPoint;
import org.pgas4j.bench.result.Provenance;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.study.LabStudy;
import org.pgas4j.bench.study.Measuring;
import org.pgas4j.bench.study.StudyOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Ranks of one launch of an experiment; {@link LabCommand} starts it. Rank 0 prints a JSON line for each point when it is done. */
@Command(name = "lab-program", description = "Measures points of an experiment that share a launch.")
final class LabProgram implements Runnable {

    @Parameters(arity = "1..*", paramLabel = "POINT", description = "values of axes, axis=value separated by blanks")
    private List<String> points;

    @Option(names = "--seconds", required = true, split = ",", description = "that each point may measure")
    private List<Double> seconds;

    @Option(names = "--samples", required = true, description = "that a point has at most")
    private int samples;

    @Option(names = "--seed", required = true, description = "of arrivals")
    private long seed;

    @Option(names = "--repeat", required = true, description = "number of the repeat, from 0")
    private int repeat;

    @Option(names = "--commit", description = "version of the program")
    private String commit;

    public static void main(String[] args) {
        Bench.start(new LabProgram(), args);
    }

    @Override
    public void run() {
        List<LabPoint> all = points.stream().map(LabPoint::parse).toList();
        long bytes = LabStudy.heapBytes(all);
        Pgas.run(new PgasConfig().ranks(1 + requesters(all)).hostHeap(bytes).deviceHeap(bytes), rank -> measure(rank, all));
    }

    private static int requesters(List<LabPoint> points) {
        return points.getFirst().requesters();
    }

    private void measure(Rank rank, List<LabPoint> all) {
        if (rank.ranks() != 1 + requesters(all)) {
            throw new UsageException("an experiment with " + requesters(all) + " requesters needs one rank more, the job has "
                    + rank.ranks());
        }
        Provenance provenance = Provenance.of(rank, commit);
        long[] wrong = new long[1];
        Consumer<Row> out = row -> {
            wrong[0] += row.wrong();
            System.out.println(provenance.stamp(row.with(Row.REPEAT, repeat)
                    .with(Row.RANKS, rank.ranks() == 2 ? null : rank.ranks())).jsonWithHistogram());
        };
        StudyOptions options = new StudyOptions(true, null, null, null, null, new Measuring(Measuring.DETECTED, 0, seed + repeat));
        new LabStudy(rank, options, samples, out).run(all, seconds);
        long bytes = rank.collectives().broadcast(wrong[0], 0);
        if (bytes > 0) {
            throw new PgasException("experiment: " + bytes + " bytes arrived wrong");
        }
    }
}
