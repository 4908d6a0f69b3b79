package org.pgas4j.testkit;

import java.util.List;
import java.util.Map;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;

/**
 * Random operations against a sequential model: {@code RandomOpsMain [--ops N] [--seed S] [--max-bytes N]
 * [--edges N,...] [--epoch E] [--expect-route NAME]}. {@code --ops} counts all ranks; {@code --edges} are sizes to try
 * often, with those beside them; {@code --epoch} ends after that epoch, to look at the first mismatch of a run with that
 * seed.
 */
public final class RandomOpsMain {

    private static final Map<String, String> OPTIONS = Map.of("ops", "1000000", "seed", "", "max-bytes", "262144",
            "edges", "4096,16384", "epoch", Long.toString(Long.MAX_VALUE), "expect-route", "");
    private static final long HEAP_BYTES = 16L << 20;
    private static final long[] ROUTED_SIZES = {1, 64};

    private RandomOpsMain() {
    }

    public static void main(String[] args) {
        Pgas.run(config(), List.of(args), RandomOpsMain::run);
    }

    /** Settings under which the default sizes fit, for up to 32 ranks. */
    public static PgasConfig config() {
        return new PgasConfig().hostHeap(HEAP_BYTES).deviceHeap(HEAP_BYTES);
    }

    /** Collective: takes the options from the rank's arguments; fails if anything differs from the model. */
    public static void run(Rank rank) {
        LitmusOptions options = new LitmusOptions(rank.args(), OPTIONS);
        options.checkRoutes(rank, ROUTED_SIZES);
        long seed = options.seed(rank);
        if (rank.rank() == 0) {
            System.out.println("random: seed=" + seed);
        }
        new RandomOps(rank, options.count("ops", 1), seed, options.count("max-bytes", RandomOwns.BLOCK_BYTES),
                options.counts("edges"), options.count("epoch", 0)).run();
    }
}
