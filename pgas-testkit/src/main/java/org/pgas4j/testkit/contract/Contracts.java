package org.pgas4j.testkit.contract;

import java.util.List;
import java.util.function.BiFunction;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.Tally;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Contracts of host code. */
@Command(name = "contract", description = "Runs contracts of transfers, allocations, collectives, streams and windows.")
public final class Contracts implements Program {

    private static final long OTHER_HEAP_BYTES = 4L << 20;

    private enum Name {

        TRANSFER(TransferContract::new),
        ALLOCATION(AllocationContract::new),
        COLLECTIVE(CollectiveContract::new),
        STREAM(StreamContract::new),
        WINDOW(WindowContract::new);

        private final BiFunction<Rank, Tally, Contract> make;

        Name(BiFunction<Rank, Tally, Contract> make) {
            this.make = make;
        }

        @Override
        public String toString() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    @Parameters(arity = "0..*", paramLabel = "NAME", description = "Some of ${COMPLETION-CANDIDATES}; default: all.")
    private List<Name> names = List.of(Name.values());

    @Override
    public PgasConfig config() {
        return Program.heaps(TransferContract.heapBytes() + OTHER_HEAP_BYTES);
    }

    @Override
    public void run(Rank rank) {
        for (Name name : names) {
            Tally check = new Tally(rank);
            name.make.apply(rank, check).run();
            check.finish("contract " + name);
        }
    }
}
