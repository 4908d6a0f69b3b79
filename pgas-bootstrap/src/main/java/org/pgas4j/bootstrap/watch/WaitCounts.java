package org.pgas4j.bootstrap.watch;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.RankCounters;
import org.pgas4j.bootstrap.Phase;

/**
 * Number of one rank's operations of each {@link Phase}, and number and time of its long waits in them. Written by the rank's
 * thread with plain stores; any thread reads.
 */
public final class WaitCounts {

    private static final Phase[] PHASES = Phase.values();
    private static final int DEVICE = PHASES.length;
    private static final int WORDS = 3; // calls, waits, time of each phase
    private static final int PADDING = 16; // the array of another rank's counts may follow: 128 bytes apart
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] words = new long[WORDS * (DEVICE + 1) + PADDING];

    WaitCounts() {
    }

    /** Counts an operation. */
    void call(Phase phase) {
        words[WORDS * phase.ordinal()]++;
    }

    /** Counts a long wait. */
    void wait(Phase phase) {
        words[WORDS * phase.ordinal() + 1]++;
    }

    /** Adds to the time of long waits. */
    void time(Phase phase, long ns) {
        words[WORDS * phase.ordinal() + 2] += ns;
    }

    /** Counts a wait of the rank for its own device. */
    void device(long ns) {
        words[WORDS * DEVICE]++;
        words[WORDS * DEVICE + 1]++;
        words[WORDS * DEVICE + 2] += ns;
    }

    private long word(int index) {
        return (long) WORD.getOpaque(words, index);
    }

    /** The kinds with at least one operation or wait. Any thread. */
    public List<RankCounters.Waits> look() {
        List<RankCounters.Waits> seen = new ArrayList<>();
        for (int kind = 0; kind <= DEVICE; kind++) {
            long calls = word(WORDS * kind);
            long waits = word(WORDS * kind + 1);
            if (calls != 0 || waits != 0) {
                seen.add(new RankCounters.Waits(kind == DEVICE ? "device" : PHASES[kind].text(), calls, waits,
                        word(WORDS * kind + 2)));
            }
        }
        return seen;
    }
}
