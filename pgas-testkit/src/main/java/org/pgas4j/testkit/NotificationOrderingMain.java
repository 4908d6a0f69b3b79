package org.pgas4j.testkit;

import java.util.List;
import java.util.Map;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.UsageException;

/**
 * Puts and notifications: {@code NotificationOrderingMain [--pairs N] [--kind host|device|both] [--bidirectional] [--seed S]
 * [--expect-route NAME]}. Even ranks send to the next, with {@code --bidirectional} both to each other. Fails if a notification
 * was seen before what it follows.
 */
public final class NotificationOrderingMain {

    private static final Map<String, String> OPTIONS = Map.of("pairs", "10000000", "kind", "both", "bidirectional",
            "false", "seed", "", "expect-route", "");
    private static final long HEAP_BYTES = 1 << 20;
    private static final long[] ROUTED_SIZES = {8, 64};

    private NotificationOrderingMain() {
    }

    public static void main(String[] args) {
        Pgas.run(config(), List.of(args), NotificationOrderingMain::run);
    }

    /** Settings under which the program fits. */
    public static PgasConfig config() {
        return new PgasConfig().ranks(2).hostHeap(HEAP_BYTES).deviceHeap(HEAP_BYTES);
    }

    /** Collective: takes the options from the rank's arguments; fails on every rank if any saw a violation. */
    public static void run(Rank rank) {
        LitmusOptions options = new LitmusOptions(rank.args(), OPTIONS);
        if (rank.ranks() % 2 != 0) {
            throw new UsageException("the notification program needs an even number of ranks, the job has " + rank.ranks());
        }
        options.checkRoutes(rank, ROUTED_SIZES);
        boolean both = options.flag("bidirectional");
        boolean even = rank.rank() % 2 == 0;
        long violations = new NotificationOrdering(rank, options.choice("kind", "host", "device", "both"), options.seed(rank),
                options.count("pairs", 1), both || even, both || !even).run();
        long all = rank.allReduce(violations, ReduceOp.SUM);
        if (all > 0) {
            throw new PgasException("notifications: " + all + " were seen before what they follow");
        }
    }
}
