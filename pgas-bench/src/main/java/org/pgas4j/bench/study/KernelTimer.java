package org.pgas4j.bench.study;

import org.pgas4j.Backend;
import org.pgas4j.Event;
import org.pgas4j.Rank;

/** Times kernels of a rank: on a GPU between events of its stream, on the host device by the host's clock. */
final class KernelTimer {

    private static final double NS_PER_US = 1e3;
    private static final double US_PER_MS = 1e3;

    private final Rank rank;
    private final boolean gpu;

    KernelTimer(Rank rank) {
        this.rank = rank;
        this.gpu = rank.device().backend() == Backend.CUDA;
    }

    /** Microseconds of the device for each of {@code count} launches; waits for them. */
    double us(Runnable launch, int count) {
        if (!gpu) {
            return plainUs(() -> {
                launch.run();
                rank.stream().sync();
            }, count);
        }
        try (Event start = rank.stream().record()) {
            repeat(launch, count);
            try (Event end = rank.stream().record()) {
                rank.stream().sync();
                return end.millisSince(start) * US_PER_MS / count;
            }
        }
    }

    /** Microseconds of the calling thread for each of {@code count} calls. */
    double plainUs(Runnable action, int count) {
        long begin = System.nanoTime();
        repeat(action, count);
        return (System.nanoTime() - begin) / NS_PER_US / count;
    }

    /** Microseconds of the calling thread for each of {@code count} launches, which are waited for afterwards. */
    double callsUs(Runnable launch, int count) {
        double us = plainUs(launch, count);
        rank.stream().sync();
        return us;
    }

    private static void repeat(Runnable action, int count) {
        for (int i = 0; i < count; i++) {
            action.run();
        }
    }
}
