package org.pgas4j.examples.stencil;

import java.util.List;
import java.util.Locale;
import org.pgas4j.Backend;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.UsageException;
import org.pgas4j.examples.common.Example;
import org.pgas4j.examples.common.JsonLine;
import org.pgas4j.examples.common.OptionCheck;
import org.pgas4j.examples.common.RunOptions;
import org.pgas4j.examples.common.RunSettings;
import org.pgas4j.examples.common.Timing;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the styles on one field and reports the time of a step; all must give the same bits. */
@Command(name = "stencil", header = "Horizontal diffusion of a field, split by rows over devices and blocks.")
public final class Stencil extends Example {

    /** Exchange of halos. */
    public enum StencilStyle {
        /** One kernel for all steps; its blocks exchange halos with their neighbours, a notified message for each level. */
        BLOCKS,
        /** The host: three kernels, a put for each level and neighbour, a barrier in each step. */
        STAGED,
        /** The host: one kernel, a put for each level and neighbour, a barrier in each step. */
        FUSED,
        /** The host: one kernel, halos packed into one put for each neighbour, a barrier in each step. */
        PACKED;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * One measurement, the same on all ranks.
     *
     * @param isize      points in a row
     * @param jsize      rows of each rank
     * @param levels     of the field
     * @param steps      of a run
     * @param checkSteps steps compared with the CPU before the first run, if that is to be verified
     */
    public record StencilCase(StencilStyle style, int isize, int jsize, int levels, int steps, int checkSteps, RunSettings runs) {

        public StencilCase {
            OptionCheck.inRange("--i", isize, 2 * Domain.HALO + 1, 1 << 14);
            OptionCheck.inRange("--j", jsize, 2 * Domain.HALO, 1 << 14);
            OptionCheck.inRange("--levels", levels, 1, 1 << 10);
            OptionCheck.atLeast(1, "--steps", steps);
            OptionCheck.inRange("--blocks", runs.blocks(), 1, jsize / Domain.HALO);
            OptionCheck.inRange("--check-steps", checkSteps, 0, 1000);
            if ((long) isize * (jsize + 2 * Domain.HALO) * levels > 1 << 29) {
                throw new UsageException("--i " + isize + " --j " + jsize + " --levels " + levels
                        + ": too large (expected: at most 2^29 points on a rank)");
            }
        }
    }

    /**
     * Result of a measurement.
     *
     * @param maxError largest difference from the CPU after the checked steps, of all ranks
     * @param checksum of every bit of the field after the last run, of all ranks; does not depend on how it was computed
     */
    public record StencilResult(Timing timing, double maxError, long checksum) {
    }

    @Option(names = "--style", paramLabel = "STYLE", split = ",", defaultValue = "blocks,staged,fused,packed",
            description = "blocks: one kernel whose blocks exchange halos; the others are driven by the host, with a put for each"
                    + " level: staged: three kernels a step; fused: one; packed: one, and one put for all levels"
                    + " (default: ${DEFAULT-VALUE})")
    private List<StencilStyle> styles;

    @Option(names = "--i", paramLabel = "N", defaultValue = "128", description = "points in a row (default: ${DEFAULT-VALUE})")
    private int isize;

    @Option(names = "--j", paramLabel = "N", description = "rows of each rank (default: 320, on the host device 32)")
    private Integer jsize;

    @Option(names = "--levels", paramLabel = "N", defaultValue = "26", description = "levels (default: ${DEFAULT-VALUE})")
    private int levels;

    @Option(names = "--steps", paramLabel = "N", description = "steps of a run (default: 200, on the host device 20)")
    private Integer steps;

    @Option(names = "--check-steps", paramLabel = "N", defaultValue = "3",
            description = "steps compared with the CPU before the first run (default: ${DEFAULT-VALUE})")
    private int checkSteps;

    @Mixin
    private final RunOptions runs = new RunOptions(256, 5, 1);

    Stencil() {
        super(2);
    }

    public static void main(String[] args) {
        new Stencil().start(args);
    }

    @Override
    protected PgasConfig config() {
        stencilCase(styles.getFirst(), "host".equals(device()));
        return onDevice(new PgasConfig().ranks(ranks()));
    }

    private StencilCase stencilCase(StencilStyle style, boolean onHost) {
        int rows = jsize != null ? jsize : onHost ? 32 : 320;
        return new StencilCase(style, isize, rows, levels, steps != null ? steps : onHost ? 20 : 200, checkSteps,
                runs.settings(onHost ? Math.min(2, rows / 2) : Math.max(1, rows / 4)));
    }

    /** Checks a few steps and measures many. Collective. */
    public static StencilResult measure(Rank rank, StencilCase of) {
        DiffusionField field = of.style() == StencilStyle.BLOCKS ? new BlockStencil(rank, of) : new HostStencil(rank, of);
        double maxError = 0;
        if (of.runs().verify() && of.checkSteps() > 0) {
            field.reset();
            field.steps(of.checkSteps());
            maxError = field.maxError(of.checkSteps());
        }
        Timing timing = Timing.of(rank, of.runs(), field);
        long checksum = field.checksum(of.steps());
        field.close();
        return new StencilResult(timing, maxError, checksum);
    }

    @Override
    protected void program(Rank rank) {
        Long first = null;
        for (StencilStyle style : styles) {
            StencilCase of = stencilCase(style, rank.device().backend() == Backend.HOST);
            StencilResult result = measure(rank, of);
            first = first == null ? Long.valueOf(result.checksum()) : first;
            boolean right = result.maxError() == 0 && result.checksum() == first;
            report(rank, of.runs(), new JsonLine().add("style", style).add("i", isize).add("j", of.jsize()).add("levels", levels)
                    .add("steps", of.steps()).add("median_us_per_step", result.timing().medianUs(of.steps()), 3)
                    .add("min_us_per_step", result.timing().minUs(of.steps()), 3)
                    .add("cpu_us_per_step", result.timing().cpuUs(of.steps()), 3).add("max_error", result.maxError())
                    .add("checksum", String.format(Locale.ROOT, "%016x", result.checksum())).add("checked", right), right);
        }
    }
}
