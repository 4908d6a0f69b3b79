package org.pgas4j.testkit;

import java.util.List;
import java.util.Map;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.UsageException;

/**
 * A receiver that calls nothing: {@code BackPressureMain [--puts N] [--kind host|device] [--expect timeout|delivery]
 * [--busy] [--spin] [--seconds S] [--seed S] [--expect-route NAME]}. Ends with 0 only if what is expected happened: all
 * puts arrived while rank 1 called nothing, or rank 0 got an exception that names rank 1 and what it had put before
 * arrived later. {@code --busy}: rank 1 says that it is busy; {@code --spin}: it spins instead of sleeping;
 * {@code --seconds}: it calls nothing for so long at most, twice {@code pgas.timeout} and a second if a timeout is
 * expected. Resident memory tells most where the Java heap does not grow: {@code -Xms} as {@code -Xmx} and
 * {@code -XX:+AlwaysPreTouch}.
 */
public final class BackPressureMain {

    private static final Map<String, String> OPTIONS = Map.of("puts", "1000000", "kind", "host", "expect", "delivery",
            "busy", "false", "spin", "false", "seconds", "", "seed", "", "expect-route", "");
    private static final long HEAP_BYTES = 2 << 20;
    private static final double DELIVERY_SECONDS = 250;
    private static final long[] ROUTED_SIZES = {8, 512};

    private BackPressureMain() {
    }

    public static void main(String[] args) {
        Pgas.run(config(), List.of(args), BackPressureMain::run);
    }

    /** Settings under which the program fits. */
    public static PgasConfig config() {
        return new PgasConfig().ranks(2).hostHeap(HEAP_BYTES).deviceHeap(HEAP_BYTES);
    }

    /** Collective: takes the options from the rank's arguments. */
    public static void run(Rank rank) {
        LitmusOptions options = new LitmusOptions(rank.args(), OPTIONS);
        if (rank.ranks() != 2) {
            throw new UsageException("the back-pressure program needs 2 ranks, the job has " + rank.ranks());
        }
        options.checkRoutes(rank, ROUTED_SIZES);
        boolean delivery = options.choice("expect", "timeout", "delivery").equals("delivery");
        double seconds = options.isSet("seconds") ? options.number("seconds")
                : delivery ? DELIVERY_SECONDS : 1.25 * rank.timeout().toNanos() / 1e9 + 1;
        MemoryKind kind = options.choice("kind", "host", "device").equals("host") ? MemoryKind.HOST : MemoryKind.DEVICE;
        new BackPressure(rank, kind, options.seed(rank)).run(options.count("puts", 1), delivery, options.flag("busy"),
                options.flag("spin"), seconds);
    }
}
