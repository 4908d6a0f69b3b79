package org.pgas4j.examples.prk;

import org.pgas4j.examples.common.CheckedExample;
import org.pgas4j.examples.common.OptionCheck;
import picocli.CommandLine.Option;

/**
 * A kernel of some order, repeated: by the kernels' rules once more than the iterations given, the first of which is for warming
 * up.
 */
abstract class PrkExample extends CheckedExample {

    @Option(names = "--order", paramLabel = "N", description = "size of the problem (default: that of the class)")
    private Integer order;

    @Option(names = "--iterations", paramLabel = "K", defaultValue = "10",
            description = "after the first (default: ${DEFAULT-VALUE})")
    private int iterations;

    private final int maxOrder;
    private final int[] orders;

    /** {@code orders} of the classes S, W and A. */
    PrkExample(int maxOrder, int... orders) {
        this.maxOrder = maxOrder;
        this.orders = orders;
    }

    final int order() {
        return order == null ? orders[problem().ordinal()] : order;
    }

    final int iterations() {
        return iterations;
    }

    @Override
    protected void checkOptions() {
        OptionCheck.inRange("--order", order(), 1, maxOrder);
        OptionCheck.inRange("--iterations", iterations, 0, 1_000_000);
    }

    /**
     * First of {@code count} things of the {@code rank}-th of {@code ranks} ranks; of rank {@code ranks} the number of things.
     */
    static int first(int count, int rank, int ranks) {
        return (int) ((long) count * rank / ranks);
    }
}
