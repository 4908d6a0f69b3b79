package org.pgas4j.bench;

import java.util.List;
import java.util.function.Consumer;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.Rank;
import org.pgas4j.UsageException;
import org.pgas4j.bench.result.Environment;
import org.pgas4j.bench.result.Provenance;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.study.PeersStudy;
import org.pgas4j.bench.study.StudyOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Ranks of this project's part of the study of peers; {@link PeersCommand} starts it. Rank 0 prints JSON lines. */
@Command(name = "peers-program", description = "Measures this system as programs of peers measure theirs.")
final class PeersProgram implements Runnable {

    @Option(names = "--sizes", split = ",", description = "bytes of a rank's vectors")
    private List<Long> sizes;

    @Option(names = "--commit", description = "version of the program")
    private String commit;

    public static void main(String[] args) {
        Bench.start(new PeersProgram(), args);
    }

    @Override
    public void run() {
        StudyOptions options = new StudyOptions(false, sizes, null, null, null);
        String device = System.getProperty(PgasKey.DEVICE.property(), "auto");
        boolean gpu = device.equals("cuda") || device.equals("auto") && Environment.hasGpu();
        Pgas.run(new PgasConfig().hostHeap(1 << 20).deviceHeap(PeersStudy.heapBytes(options, gpu)),
                rank -> measure(rank, options));
    }

    private void measure(Rank rank, StudyOptions options) {
        if (rank.ranks() < 2) {
            throw new UsageException("the study of peers needs 2 ranks or more, the job has " + rank.ranks());
        }
        if (rank.rank() == 0) {
            Environment.print(rank, commit);
        }
        Provenance provenance = Provenance.of(rank, commit);
        long[] wrong = new long[1];
        Consumer<Row> out = row -> {
            wrong[0] += row.wrong();
            System.out.println(provenance.stamp(row).json());
        };
        new PeersStudy(rank, options, out).run();
        long all = rank.collectives().broadcast(wrong[0], 0);
        if (all > 0) {
            throw new PgasException("study peers: " + all + " bytes or elements arrived wrong");
        }
    }
}
