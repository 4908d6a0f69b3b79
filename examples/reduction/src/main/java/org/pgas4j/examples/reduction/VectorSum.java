package org.pgas4j.examples.reduction;

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

/** Runs the styles and reports their times. */
@Command(name = "reduction", header = "Adds up a vector spread over the blocks of all devices.")
public final class VectorSum extends Example {

    /** {@link Summation} stays exact up to this many values of a rank. */
    private static final long MAX_VALUES = 1L << 36;

    /** Blocks with each other, in one kernel; or the host, after a normal kernel. */
    enum ReductionStyle {
        BLOCKS, HOST;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(names = "--style", paramLabel = "STYLE", split = ",", defaultValue = "blocks,host",
            description = "blocks: one kernel whose blocks communicate; host: a kernel, then the host (default: ${DEFAULT-VALUE})")
    private List<ReductionStyle> styles;

    @Option(names = "--values", paramLabel = "N", defaultValue = "1000000",
            description = "values of each rank (default: ${DEFAULT-VALUE})")
    private long values;

    @Mixin
    private final RunOptions runs = new RunOptions(128, 10, 2);

    VectorSum() {
        super(2);
    }

    public static void main(String[] args) {
        new VectorSum().start(args);
    }

    @Override
    protected PgasConfig config() {
        OptionCheck.inRange("--values", values, 1, MAX_VALUES);
        OptionCheck.atLeast(1, "--blocks", runs.settings(1).blocks());
        return onDevice(new PgasConfig().ranks(ranks()));
    }

    @Override
    protected void program(Rank rank) {
        RunSettings settings = runs.settings(rank.device().backend() == Backend.HOST ? 4 : 64);
        for (ReductionStyle style : styles) {
            Summation summation = style == ReductionStyle.BLOCKS ? new BlockReduction(rank, values, settings)
                    : new HostReduction(rank, values, settings);
            Timing timing = Timing.of(rank, settings, summation);
            summation.close();
            report(rank, settings, new JsonLine().add("style", style).add("values", values).add("median_us", timing.medianUs(1), 3)
                    .add("min_us", timing.minUs(1), 3).add("max_us", timing.maxUs(1), 3).add("cpu_us", timing.cpuUs(1), 3)
                    .add("sum", summation.sum()).add("checked", settings.verify() && timing.correct()), timing.correct());
        }
    }
}
