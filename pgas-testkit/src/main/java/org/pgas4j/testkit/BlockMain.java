package org.pgas4j.testkit;

import java.util.List;
import java.util.Map;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;

/**
 * The contract of blocks as a program: {@code BlockMain [--blocks N] [--threads T] [--proxy] [--messages M] [--kind K]}. With
 * {@code --messages}, order and loss alone: M notified puts of each block to its like on the next rank, with payloads of kind K
 * (0: 4 bytes, 1: 8, 2: 64, 3: all in turn).
 */
public final class BlockMain {

    private static final Map<String, String> OPTIONS = Map.of("blocks", "4", "threads", "64", "proxy", "false", "messages", "0",
            "kind", "3");
    private static final int MAX_RANKS = 64;

    private BlockMain() {
    }

    public static void main(String[] args) {
        LitmusOptions options = new LitmusOptions(List.of(args), OPTIONS);
        Pgas.run(config((int) options.count("blocks", 1)), List.of(args), BlockMain::run);
    }

    /** Settings under which the program fits. */
    public static PgasConfig config(int blocks) {
        return new PgasConfig().deviceHeap(BlockContract.heapBytes(MAX_RANKS, blocks)).hostHeap(1 << 20);
    }

    /** Collective: fails on every rank if any check fails. */
    public static void run(Rank rank) {
        LitmusOptions options = new LitmusOptions(rank.args(), OPTIONS);
        Check check = new Check(rank);
        BlockContract contract = new BlockContract(rank, check, (int) options.count("blocks", 1),
                (int) options.count("threads", 1), options.flag("proxy"));
        long messages = options.count("messages", 0);
        long sent = 0;
        if (messages > 0) {
            sent = contract.order((int) options.count("kind", 0), messages, 0);
        } else {
            contract.run();
        }
        long checks = check.finish("block");
        if (rank.rank() == 0) {
            System.out.println("contract block: " + checks + " checks passed, ranks=" + rank.ranks() + " processes="
                    + rank.processes() + " device=" + rank.device().backend() + (messages > 0 ? ", " + sent
                    + " notified puts, 0 early, 0 lost" : ""));
        }
    }
}
