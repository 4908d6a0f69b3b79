package org.pgas4j.jcstress;

import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.pgas4j.space.sync.Parker;

/** A rank looks once more before it parks: it sees what was written, or the writer sees that it parks. */
public class Wake {

    private static final int LINE = 8;
    private static final int PAYLOAD = 8 * LINE;

    private Wake() {
    }

    /** Writes a word of each line, as what comes before a flag does: the flag is then on its way for longer. */
    private static void put(long[] payload) {
        for (int i = 0; i < PAYLOAD; i += LINE) {
            payload[i] = 1;
        }
    }

    /** As ranks do it. Results: the word that the rank sees before it parks, whether the writer wakes it. */
    @JCStressTest
    @Outcome(id = {"1, 0", "0, 1", "1, 1"}, expect = Expect.ACCEPTABLE, desc = "seen or woken")
    @Outcome(expect = Expect.FORBIDDEN, desc = "parks, and nothing wakes it")
    @State
    public static class Fenced {

        private final Parker parker = new Parker();
        private final long[] payload = new long[PAYLOAD];
        private int word;

        /** The rank that waits. */
        @Actor
        public void park(II_Result result) {
            parker.showOrPark(0);
            result.r1 = word;
        }

        /** Another rank of the JVM. */
        @Actor
        public void write(II_Result result) {
            put(payload);
            word = 1;
            VarHandle.fullFence();
            result.r2 = parker.wake() ? 1 : 0;
        }
    }

    /** Without the writer's fence. */
    @JCStressTest
    @Outcome(id = {"1, 0", "0, 1", "1, 1"}, expect = Expect.ACCEPTABLE, desc = "seen or woken")
    @Outcome(expect = Expect.ACCEPTABLE_INTERESTING, desc = "parks, and nothing wakes it")
    @State
    public static class BrokenFenced {

        private final Parker parker = new Parker();
        private final long[] payload = new long[PAYLOAD];
        private int word;

        /** The rank that waits. */
        @Actor
        public void park(II_Result result) {
            parker.showOrPark(0);
            result.r1 = word;
        }

        /** Another rank of the JVM. */
        @Actor
        public void write(II_Result result) {
            put(payload);
            word = 1;
            result.r2 = parker.wake() ? 1 : 0;
        }
    }
}
