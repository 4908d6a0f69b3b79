package org.pgas4j.testkit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.pgas4j.DeviceGrid;
import org.pgas4j.PgasKey;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;

/**
 * A litmus program for each guarantee of collectives, and of notifications between hosts, streams and kernels: {@code LitmusMain
 * [--guarantee NAME|all] [--rounds N] [--device host|cuda|auto] [--blocks B] [--threads T] [--proxy] [--planted]}. Fails if a
 * look found what was not there yet. With {@code --planted} the order of each program is broken, and it fails if a round was not
 * found wrong.
 */
public final class LitmusMain {

    private static final String ALL = "all";
    private static final Map<String, String> OPTIONS = Map.of("guarantee", ALL, "rounds", "1000", "device", "", "blocks", "3",
            "threads", "64", "proxy", "false", "planted", "false");
    private static final int MAX_RANKS = 64;
    private static final int MAX_BLOCKS = 64;

    private LitmusMain() {
    }

    public static void main(String[] args) {
        LitmusOptions options = new LitmusOptions(List.of(args), OPTIONS);
        PgasConfig config = config((int) options.count("blocks", 1));
        if (options.isSet("device")) {
            config.set(PgasKey.DEVICE, options.choice("device", "host", "cuda", "auto"));
        }
        Pgas.run(config, List.of(args), LitmusMain::run);
    }

    /** Settings under which the program fits. */
    public static PgasConfig config(int blocks) {
        return new PgasConfig().ranks(2).hostHeap(1 << 20).deviceHeap(Litmus.heapBytes(MAX_RANKS, blocks));
    }

    /** The names of all guarantees. */
    public static List<String> guarantees() {
        return Arrays.stream(Guarantee.values()).map(Guarantee::toString).toList();
    }

    /**
     * Collective: takes the options from the rank's arguments; fails on every rank if a guarantee was broken, or not noticed to
     * be.
     */
    public static void run(Rank rank) {
        LitmusOptions options = new LitmusOptions(rank.args(), OPTIONS);
        List<String> names = new ArrayList<>(guarantees());
        names.add(ALL);
        String asked = options.choice("guarantee", names.toArray(String[]::new));
        int rounds = (int) options.count("rounds", 1, Integer.MAX_VALUE);
        boolean planted = options.flag("planted");
        DeviceGrid.Options blocks = DeviceGrid.Options.of((int) options.count("blocks", 1, MAX_BLOCKS), (int) options.count("threads", 1));
        int failed = 0;
        try (Litmus litmus = new Litmus(rank, options.flag("proxy") ? blocks.proxy() : blocks, rounds, planted)) {
            for (Guarantee guarantee : Guarantee.values()) {
                if (asked.equals(ALL) || asked.equals(guarantee.toString())) {
                    long found = litmus.run(guarantee);
                    long all = rank.allReduce(found, ReduceOp.SUM);
                    // Every round of every rank is broken in a twin, and each is found wrong by a word at least.
                    boolean good = planted ? rank.allReduce(found, ReduceOp.MIN) >= rounds : all == 0;
                    failed += good ? 0 : 1;
                    if (rank.rank() == 0) {
                        System.out.println("litmus " + guarantee + ": rounds=" + rounds + (planted ? " planted, noticed=" : " violations=")
                                + all + " ranks=" + rank.ranks() + " processes=" + rank.processes() + " device="
                                + rank.device().backend() + (good ? "" : planted ? " NOT NOTICED" : " VIOLATED"));
                    }
                }
            }
        }
        if (failed > 0) {
            throw new PgasException("litmus: " + failed + (planted ? " broken programs were not noticed"
                    : " guarantees were violated"));
        }
    }
}
