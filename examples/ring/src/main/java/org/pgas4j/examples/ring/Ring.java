package org.pgas4j.examples.ring;

import java.util.List;
import java.util.Locale;
import org.pgas4j.Backend;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.examples.common.Example;
import org.pgas4j.examples.common.JsonLine;
import org.pgas4j.examples.common.OptionCheck;
import org.pgas4j.examples.common.RunOptions;
import org.pgas4j.examples.common.RunSettings;
import org.pgas4j.examples.common.Timing;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the styles with tokens of each size and reports the time of a hop. */
@Command(name = "ring", header = "Sends a token round all blocks of all devices, or all ranks; each adds one.")
public final class Ring extends Example {

    /** One kernel's blocks; each rank's stream; each rank's host between two kernels; the same in host memory, no device. */
    enum RingStyle {
        BLOCKS, STREAM, HOST, CPU;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(names = "--style", paramLabel = "STYLE", split = ",", defaultValue = "blocks,stream,host,cpu",
            description = "blocks: all blocks, in one kernel; stream: the ranks' streams; host: the ranks' hosts between kernels;"
                    + " cpu: the ranks' hosts, token in host memory (default: ${DEFAULT-VALUE})")
    private List<RingStyle> styles;

    @Option(names = "--bytes", paramLabel = "N", split = ",", defaultValue = "4,1024,65536",
            description = "size of the token; several are run one after the other (default: ${DEFAULT-VALUE})")
    private List<Integer> bytes;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "100",
            description = "rounds of the token in a run (default: ${DEFAULT-VALUE})")
    private int rounds;

    @Mixin
    private final RunOptions runs = new RunOptions(128, 5, 1);

    Ring() {
        super(2);
    }

    public static void main(String[] args) {
        new Ring().start(args);
    }

    @Override
    protected PgasConfig config() {
        bytes.forEach(size -> OptionCheck.inRange("--bytes", size, Token.MIN_BYTES, 1 << 30));
        OptionCheck.inRange("--rounds", rounds, 1, 1 << 20);
        OptionCheck.atLeast(1, "--blocks", runs.settings(1).blocks());
        return onDevice(new PgasConfig().ranks(ranks()));
    }

    @Override
    protected void program(Rank rank) {
        RunSettings settings = runs.settings(rank.device().backend() == Backend.HOST ? 2 : 64);
        for (int size : bytes) {
            for (RingStyle style : styles) {
                Token token = style == RingStyle.BLOCKS ? new BlockRing(rank, size, rounds, settings)
                        : new HostRing(rank, size, rounds, style);
                Timing timing = Timing.of(rank, settings, token);
                long hops = token.hops();
                token.close();
                report(rank, settings, new JsonLine().add("style", style).add("bytes", size).add("rounds", rounds).add("hops", hops)
                        .add("median_us_per_hop", timing.medianUs(hops), 4).add("min_us_per_hop", timing.minUs(hops), 4)
                        .add("cpu_us_per_hop", timing.cpuUs(hops), 4).add("checked", settings.verify() && timing.correct()),
                        timing.correct());
            }
        }
    }
}
