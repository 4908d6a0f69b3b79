package org.pgas4j.testkit.campaign;

import java.util.List;
import java.util.concurrent.Callable;
import org.pgas4j.Pgas;
import org.pgas4j.PgasException;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.testkit.program.InRange;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Segments larger than the device: every rank must receive an exception, and nothing may stay allocated. */
@Command(name = "full-device",
        description = "Starts jobs with segments larger than the GPU's free memory, in this JVM. Fails if one"
        + " begins, or if device memory is lost.")
public final class FullDevice implements Callable<Integer> {

    private static final long SLACK_BYTES = 2 << 20;
    private static final long HEAP_BYTES = 16 << 20;

    @InRange(min = 1)
    @Option(names = "--rounds", paramLabel = "N", description = "Jobs to start; default: ${DEFAULT-VALUE}.")
    private int rounds = 50;

    private static long freeBytes() {
        long[] free = new long[1];
        Pgas.run(DeviceFaults.config(HEAP_BYTES).ranks(1), List.of(), rank -> free[0] = rank.device().freeBytes());
        return free[0];
    }

    @Override
    public Integer call() {
        long before = freeBytes();
        long tooMuch = before / 10 * 11;
        for (int round = 0; round < rounds; round++) {
            try {
                Pgas.run(DeviceFaults.config(tooMuch).ranks(2), List.of(), _ -> {
                    throw new IllegalStateException("a job with segments of " + tooMuch + " bytes has begun");
                });
                throw new PgasException("nothing was thrown in round " + round);
            } catch (SegmentMemoryException e) {
                if (round == 0) {
                    System.out.println("refused: " + e.getMessage());
                }
            }
        }
        long after = freeBytes();
        System.out.println("fault memory: rounds=" + rounds + " requested=" + tooMuch + " free before=" + before + " after="
                + after);
        if (Math.abs(after - before) > SLACK_BYTES) {
            throw new PgasException("device memory was lost: " + (before - after) + " bytes after " + rounds + " rounds");
        }
        return 0;
    }
}
