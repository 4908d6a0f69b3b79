package org.pgas4j.testkit;

import java.util.List;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.UsageException;

/** Runs contracts as a program: {@code ContractMain [transfer] [allocation] [collective] [stream] [window]}, all of them by default. */
public final class ContractMain {

    private static final List<String> ALL = List.of("transfer", "allocation", "collective", "stream", "window");
    private static final long OTHER_HEAP_BYTES = 4L << 20;

    private ContractMain() {
    }

    public static void main(String[] args) {
        List<String> wanted = args.length == 0 ? ALL : List.of(args);
        Pgas.run(config(), wanted, ContractMain::run);
    }

    /** Settings under which the contracts fit. */
    public static PgasConfig config() {
        return new PgasConfig().hostHeap(TransferContract.heapBytes() + OTHER_HEAP_BYTES)
                .deviceHeap(TransferContract.heapBytes() + OTHER_HEAP_BYTES);
    }

    /** Collective: runs the contracts named by the rank's arguments; fails on every rank if any check fails. */
    public static void run(Rank rank) {
        for (String name : rank.args()) {
            Check check = new Check(rank);
            switch (name) {
                case "transfer" -> new TransferContract(rank, check).run();
                case "allocation" -> new AllocationContract(rank, check).run();
                case "collective" -> new CollectiveContract(rank, check).run();
                case "stream" -> new StreamContract(rank, check).run();
                case "window" -> new WindowContract(rank, check).run();
                default -> throw new UsageException("unknown contract '" + name + "' (expected: " + ALL + ")");
            }
            long checks = check.finish(name);
            if (rank.rank() == 0) {
                System.out.println("contract " + name + ": " + checks + " checks passed, ranks=" + rank.ranks()
                        + " processes=" + rank.processes() + " device=" + rank.device().backend()
                        + " nodes=" + rank.nodes());
            }
        }
    }
}
