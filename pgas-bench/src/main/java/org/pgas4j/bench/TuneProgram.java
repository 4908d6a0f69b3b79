package org.pgas4j.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.bench.study.TuneStudy;
import org.pgas4j.collective.forms.FormProfile;
import org.pgas4j.collective.forms.FormTable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Ranks of {@link TuneCommand}: rank 0 writes the profile. */
@Command(name = "tune-program", description = "Measures the forms of collective operations on streams and keeps a profile.")
final class TuneProgram implements Runnable {

    @Option(names = "--ranks", required = true, description = "number of ranks")
    private int ranks;

    @Option(names = "--max-bytes", required = true, description = "longest vector of a rank, a power of two")
    private long maxBytes;

    @Option(names = "--profiles", required = true, description = "directory of profiles, or auto")
    private String profiles;

    public static void main(String[] args) {
        Bench.start(new TuneProgram(), args);
    }

    @Override
    public void run() {
        Pgas.run(new PgasConfig().ranks(ranks).deviceHeap(TuneStudy.heapBytes(maxBytes, ranks)), this::measure);
    }

    private void measure(Rank rank) {
        FormTable table = new TuneStudy(rank, maxBytes, System.out::println).run();
        if (rank.rank() == 0) {
            Path file = FormProfile.file(profiles, rank.device().name(), rank.ranks());
            try {
                FormProfile.write(file, table);
            } catch (IOException e) {
                throw new UncheckedIOException("profile " + file + " cannot be written", e);
            }
            System.out.println(table.describe());
            System.out.println("profile " + file);
        }
    }
}
