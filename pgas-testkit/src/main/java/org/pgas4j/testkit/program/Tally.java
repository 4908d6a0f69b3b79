package org.pgas4j.testkit.program;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;

/** Counts checks of one rank and keeps the first failures as text. */
public final class Tally {

    private static final int KEPT = 20;

    private final Rank rank;
    private final List<String> failures = new ArrayList<>();
    private long checks;
    private long failed;

    public Tally(Rank rank) {
        this.rank = rank;
    }

    /** Counts a check. */
    public void that(boolean good, String what) {
        checks++;
        if (!good) {
            failed++;
            if (failures.size() < KEPT) {
                failures.add("rank " + rank.rank() + ": " + what);
            }
        }
    }

    /** Counts a check of equality. */
    public void same(Object expected, Object actual, String what) {
        that(Objects.equals(expected, actual), what + ": expected " + expected + ", was " + actual);
    }

    /** Counts a check that {@code action} throws {@code type} with {@code fragment} in its message. */
    public void refuses(Class<? extends Throwable> type, String fragment, Runnable action, String what) {
        try {
            action.run();
            that(false, what + ": nothing was thrown");
        } catch (RuntimeException e) {
            that(type.isInstance(e) && String.valueOf(e.getMessage()).contains(fragment), what + ": threw " + e);
        }
    }

    /** Collective: fails on every rank if any check of any rank failed; otherwise rank 0 prints how many passed. */
    public void finish(String name) {
        finish(name, "");
    }

    /** The same, with {@code more} at the end of what is printed. */
    public void finish(String name, String more) {
        failures.forEach(System.err::println);
        long allFailed = rank.allReduce(failed, ReduceOp.SUM);
        long all = rank.allReduce(checks, ReduceOp.SUM);
        if (allFailed > 0) {
            throw new PgasException(name + ": " + allFailed + " of " + all + " checks failed"
                    + (failures.isEmpty() ? "" : ", first here: " + failures.getFirst()));
        }
        if (rank.rank() == 0) {
            System.out.println(name + ": " + all + " checks passed, ranks=" + rank.ranks() + " processes=" + rank.processes()
                    + " device=" + rank.device().backend() + " nodes=" + rank.nodes() + more);
        }
    }
}
