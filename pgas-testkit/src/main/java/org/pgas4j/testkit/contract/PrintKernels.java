package org.pgas4j.testkit.contract;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.pgas4j.Kernel;
import org.pgas4j.Rank;
import org.pgas4j.testkit.program.Tally;

/** Lines that threads of kernels print, read from standard output by one rank after the other. */
final class PrintKernels extends Contract {

    private static final int BLOCKS = 3;
    private static final int THREADS = 40;
    private static final int ROUNDS = 20;
    private static final String[] REALS = {"0.12 1.250e-01", "1.12 1.125e+00", "2.12 2.125e+00"};

    PrintKernels(Rank rank, Tally check) {
        super(rank, check);
    }

    @Override
    void run() {
        for (int turn = 0; turn < rank.ranks(); turn++) {
            if (turn == rank.rank()) {
                prints();
            }
            rank.barrier();
        }
    }

    /** More lines than are kept at once, in rounds that each end with a sync. */
    private void prints() {
        List<String> expected = new ArrayList<>();
        PrintStream before = System.out;
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
        try {
            for (int round = 0; round < ROUNDS; round++) {
                launch(round);
                for (int i = 0; i < BLOCKS * THREADS; i++) {
                    int block = i / THREADS;
                    expected.add("[rank " + rank.rank() + " block " + block + " thread " + i % THREADS + "] round " + round + " of "
                            + ROUNDS + ": " + REALS[block] + " " + (i % 2 == 0 ? -i : i) + "%");
                }
            }
        } finally {
            System.setOut(before);
        }
        Collections.sort(expected);
        String own = "[rank " + rank.rank() + " block ";
        List<String> found = out.toString(StandardCharsets.UTF_8).lines().filter(line -> line.startsWith(own)).sorted().toList();
        check.same(expected.size(), found.size(), "lines that threads print");
        check.same(expected.getLast(), found.isEmpty() ? "" : found.getLast(), "the last line in the order of the texts");
        check.that(expected.equals(found), "texts of all lines that threads print");
    }

    private void launch(int round) {
        rank.stream().launch(new Kernel.Shape(BLOCKS, THREADS), self -> {
            int i = (int) self.global();
            double real = self.block() + 0.125;
            self.printf("round %d of %lld: %.2f %.3e %d%%", round, (long) ROUNDS, (float) real, real, i % 2 == 0 ? -i : i);
        });
        rank.stream().sync();
    }
}
