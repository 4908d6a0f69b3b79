package org.pgas4j.examples.common;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import picocli.CommandLine.Option;

/**
 * An example whose answer is published or follows from a formula. A subclass states the shared memory that it needs and solves
 * its problem; each answer is compared with the known one, and one that is wrong makes the exit code {@link Example#WRONG}.
 */
public abstract class CheckedExample extends Example {

    /** Of a rank's segment, for the runtime and rounding. */
    private static final long ROOM = 16L << 20;
    private static final int LAST = 900;

    @Option(names = {"--class", "-c"}, paramLabel = "CLASS", defaultValue = "S",
            description = "S, W or A: size of the problem (default: S)")
    private ProblemClass problem;

    @Option(names = "--runs", order = LAST, paramLabel = "K", defaultValue = "1",
            description = "runs, all of which are checked; the time is their median (default: ${DEFAULT-VALUE})")
    private int runs;

    @Option(names = "--planted", order = LAST + 1, description = "spoils one value on the last rank: the check must fail")
    private boolean planted;

    protected CheckedExample() {
        super(2);
    }

    /**
     * Solves the problem once. Collective; frees what it allocates.
     *
     * @return the answer on rank 0; others may return anything
     */
    protected abstract Answer solve(Rank rank) throws Exception;

    /** Shared host memory that each of {@code ranks} ranks needs, bytes. */
    protected abstract long hostBytes(int ranks);

    /** Shared device memory that each of {@code ranks} ranks needs, bytes; 0 unless overridden. */
    protected long deviceBytes(int ranks) {
        return 0;
    }

    /** Checks the options of the program; throws {@link org.pgas4j.UsageException}. */
    protected void checkOptions() {
    }

    /** The size given. */
    protected final ProblemClass problem() {
        return problem;
    }

    /** True on the last rank if a fault is planted: it shall spoil one value. */
    protected final boolean spoils(Rank rank) {
        return planted && rank.rank() == rank.ranks() - 1;
    }

    /** A barrier, and the time behind it; {@link #since} ends what is timed. Collective. */
    protected static long start(Rank rank) {
        rank.barrier();
        return System.nanoTime();
    }

    /** A barrier, and nanoseconds from {@code start} to its end. Collective. */
    protected static long since(Rank rank, long start) {
        rank.barrier();
        return System.nanoTime() - start;
    }

    @Override
    protected final PgasConfig config() {
        OptionCheck.atLeast(1, "--runs", runs);
        checkOptions();
        int fewest = ranksGiven() ? ranks() : 1;   // a launcher may give any number
        PgasConfig config = new PgasConfig().ranks(ranks()).hostHeap(hostBytes(fewest) + ROOM).timeout(Duration.ofMinutes(2));
        return onDevice(deviceBytes(fewest) == 0 ? config : config.deviceHeap(deviceBytes(fewest) + ROOM));
    }

    @Override
    protected final void program(Rank rank) throws Exception {
        List<Answer> answers = new ArrayList<>();
        for (int run = 0; run < runs; run++) {
            answers.add(solve(rank));
        }
        boolean right = answers.stream().allMatch(Answer::right);
        answers.sort(Comparator.comparingLong(Answer::ns));
        Answer shown = answers.stream().filter(answer -> !answer.right()).findFirst().orElse(answers.get(runs / 2));
        report(rank, new JsonLine().add("class", problem).add("expected", shown.expected()).add("found", shown.found())
                .add("right", right).add("ms", answers.get(runs / 2).ns() / 1e6, 3).addAll(answers.get(runs / 2).more()), right);
    }
}
