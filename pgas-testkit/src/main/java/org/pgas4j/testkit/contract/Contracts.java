package org.pgas4j.testkit.contract;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.UsageException;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.Tally;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Contracts of host code. */
@Command(name = "contract", description = "Runs contracts of transfers, pieces, ranges of arrays, allocations, collectives, teams,"
        + " atomic operations, locks, remote calls, streams and windows.")
public final class Contracts implements Program {

    private static final long OTHER_HEAP_BYTES = 4L << 20;

    private static final Map<String, BiFunction<Rank, Tally, Contract>> ALL = new LinkedHashMap<>();

    static {
        ALL.put("transfer", TransferContract::new);
        ALL.put("pieces", PiecesContract::new);
        ALL.put("allocation", AllocationContract::new);
        ALL.put("pointers", PointerContract::new);
        ALL.put("collective", CollectiveContract::new);
        ALL.put("vectors", CollectiveDataContract::new);
        ALL.put("ranges", RangeContract::new);
        ALL.put("arrays", CollectiveArrayContract::new);
        ALL.put("sorts", ComparatorSortContract::new);
        ALL.put("teams", TeamContract::new);
        ALL.put("stream-collectives", StreamCollectiveContract::new);
        ALL.put("atomic", AtomicContract::new);
        ALL.put("lock", LockContract::new);
        ALL.put("remote", RemoteContract::new);
        ALL.put("stream", StreamContract::new);
        ALL.put("gemm", GemmContract::new);
        ALL.put("launch", LaunchContract::new);
        ALL.put("window", WindowContract::new);
        ALL.put("java-kernels", JavaKernelContract::new);
        ALL.put("java-blocks", JavaBlockContract::new);
    }

    @Parameters(arity = "0..*", paramLabel = "NAME",
            description = "Some of transfer, pieces, allocation, pointers, collective, vectors, ranges, arrays, sorts,"
                    + " teams, stream-collectives, atomic, lock, remote, stream, gemm, launch, window, java-kernels,"
                    + " java-blocks; default: all.")
    private List<String> names = List.copyOf(ALL.keySet());

    @Override
    public PgasConfig config() {
        for (String name : names) {
            if (!ALL.containsKey(name)) {
                throw new UsageException("unknown contract '" + name + "' (expected: " + ALL.keySet() + ")");
            }
        }
        return Program.heaps(TransferContract.heapBytes() + OTHER_HEAP_BYTES);
    }

    @Override
    public void run(Rank rank) {
        for (String name : names) {
            Tally check = new Tally(rank);
            ALL.get(name).apply(rank, check).run();
            check.finish("contract " + name);
        }
    }
}
