package org.pgas4j.testkit.litmus;

import java.util.Locale;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.UsageException;
import org.pgas4j.testkit.program.InRange;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.SharedOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Payloads and what follows them, a flag or a notification, between pairs of ranks. */
@Command(name = "ordering", description = "Fails if a flag or a notification was seen before the payload that it follows."
        + " Even ranks send to the next.")
public final class Ordering implements Program {

    /** Kinds of memory that payloads go to. */
    enum Target {
        HOST,
        DEVICE,
        BOTH;

        boolean includes(MemoryKind kind) {
            return this == BOTH || name().equals(kind.name());
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final long[] ROUTED_SIZES = {8, 64};

    @Option(names = "--notifications", description = "Notifications follow payloads instead of flags.")
    private boolean notifications;

    @InRange(min = 1)
    @Option(names = "--pairs", paramLabel = "N", description = "Payloads to send; default: ${DEFAULT-VALUE}.")
    long pairs = 10_000_000;

    @Option(names = "--kind", paramLabel = "KIND",
            description = "Memory that payloads go to: ${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}.")
    Target kind = Target.BOTH;

    @Option(names = "--bidirectional", description = "Odd ranks send as well.")
    private boolean bidirectional;

    @Mixin
    private SharedOptions shared;

    @Override
    public PgasConfig config() {
        return Program.heaps(1 << 20).ranks(2);
    }

    @Override
    public void run(Rank rank) {
        if (rank.ranks() % 2 != 0) {
            throw new UsageException("ordering needs an even number of ranks, the job has " + rank.ranks());
        }
        shared.checkRoutes(rank, ROUTED_SIZES);
        boolean even = rank.rank() % 2 == 0;
        long seed = shared.seed(rank);
        PairExchange exchange = notifications ? new NotifiedPairs(rank, this, seed, bidirectional || even, bidirectional || !even)
                : new FlaggedPairs(rank, this, seed, bidirectional || even, bidirectional || !even);
        long all = rank.allReduce(exchange.run(), ReduceOp.SUM);
        if (all > 0) {
            throw new PgasException("ordering: " + all + (notifications ? " notifications were seen before what they follow"
                    : " flags were seen before their payload"));
        }
    }
}
