package org.pgas4j.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.pgas4j.helper.Ownership;

/** An endpoint has one owner: what rank and helper do to it in turns is never lost. */
public class Endpoint {

    private Endpoint() {
    }

    /** As the helper module does it. Results: whether the rank had it, whether the helper had it, what both counted. */
    @JCStressTest
    @Outcome(id = "1, 1, 2", expect = Expect.ACCEPTABLE, desc = "one after the other")
    @Outcome(id = {"1, 0, 1", "0, 1, 1"}, expect = Expect.ACCEPTABLE, desc = "one alone")
    @Outcome(expect = Expect.FORBIDDEN, desc = "work of one owner lost")
    @State
    public static class Owned {

        private final Ownership ownership = new Ownership();
        private int count;

        /** The rank tries once. */
        @Actor
        public void rank(III_Result result) {
            if (ownership.tryTake(Ownership.RANK)) {
                count++;
                ownership.release();
                result.r1 = 1;
            }
        }

        /** A helper tries once. */
        @Actor
        public void helper(III_Result result) {
            if (ownership.tryTake(Ownership.HELPER)) {
                count++;
                ownership.release();
                result.r2 = 1;
            }
        }

        /** Reports the count. */
        @Arbiter
        public void count(III_Result result) {
            result.r3 = count;
        }
    }

    /** Both wait until they have it. */
    @JCStressTest
    @Outcome(id = "1, 1, 2", expect = Expect.ACCEPTABLE, desc = "one after the other")
    @Outcome(expect = Expect.FORBIDDEN, desc = "work of one owner lost")
    @State
    public static class Waited {

        private final Ownership ownership = new Ownership();
        private int count;

        /** The rank. */
        @Actor
        public void rank(III_Result result) {
            while (!ownership.tryTake(Ownership.RANK)) {
                Thread.onSpinWait();
            }
            count++;
            ownership.release();
            result.r1 = 1;
        }

        /** A helper. */
        @Actor
        public void helper(III_Result result) {
            while (!ownership.tryTake(Ownership.HELPER)) {
                Thread.onSpinWait();
            }
            count++;
            ownership.release();
            result.r2 = 1;
        }

        /** Reports the count. */
        @Arbiter
        public void count(III_Result result) {
            result.r3 = count;
        }
    }

    /** Looks whether the endpoint is free, then takes it. */
    private static final class BrokenOwnership {

        private volatile int word;

        boolean tryTake(int owner) {
            if (word != 0) {
                return false;
            }
            word = owner;
            return true;
        }

        void release() {
            word = 0;
        }
    }

    /** Without compare-and-set. */
    @JCStressTest
    @Outcome(id = "1, 1, 2", expect = Expect.ACCEPTABLE, desc = "one after the other")
    @Outcome(id = {"1, 0, 1", "0, 1, 1"}, expect = Expect.ACCEPTABLE, desc = "one alone")
    @Outcome(expect = Expect.ACCEPTABLE_INTERESTING, desc = "work of one owner lost")
    @State
    public static class BrokenOwned {

        private final BrokenOwnership ownership = new BrokenOwnership();
        private int count;

        /** The rank tries once. */
        @Actor
        public void rank(III_Result result) {
            if (ownership.tryTake(Ownership.RANK)) {
                count++;
                ownership.release();
                result.r1 = 1;
            }
        }

        /** A helper tries once. */
        @Actor
        public void helper(III_Result result) {
            if (ownership.tryTake(Ownership.HELPER)) {
                count++;
                ownership.release();
                result.r2 = 1;
            }
        }

        /** Reports the count. */
        @Arbiter
        public void count(III_Result result) {
            result.r3 = count;
        }
    }
}
