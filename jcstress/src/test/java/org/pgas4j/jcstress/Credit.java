package org.pgas4j.jcstress;

import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.pgas4j.fastpath.ring.RingLayout;
import org.pgas4j.fastpath.ring.RingSlot;

/** A chunk is given back after it has been read: who sees the credit does not overwrite what is still to be read. */
public class Credit {

    private Credit() {
    }

    /** As the ring does it. Results: whether the sender had credit and used the chunk again, what the receiver read. */
    @JCStressTest
    @Outcome(id = "[01], 0", expect = Expect.ACCEPTABLE, desc = "the old message")
    @Outcome(expect = Expect.FORBIDDEN, desc = "overwritten before it was read")
    @State
    public static class Ring {

        private final MemorySegment ring = Chunks.next();

        /** The sender. */
        @Actor
        public void send(II_Result result) {
            if (RingSlot.sequence(ring, RingLayout.CREDIT) == Chunks.OLD) {
                result.r1 = 1;
                Chunks.writePayload(ring);
            }
        }

        /** The receiver. */
        @Actor
        public void receive(II_Result result) {
            result.r2 = Chunks.isNew(ring, 0) | Chunks.isNew(ring, Chunks.PAYLOAD_BYTES - Long.BYTES);
            RingSlot.publish(ring, RingLayout.CREDIT, Chunks.OLD);
        }
    }

    /** With the credit first. */
    @JCStressTest
    @Outcome(id = "[01], 0", expect = Expect.ACCEPTABLE, desc = "the old message")
    @Outcome(expect = Expect.ACCEPTABLE_INTERESTING, desc = "overwritten before it was read")
    @State
    public static class BrokenRing {

        private final MemorySegment ring = Chunks.next();

        /** The sender. */
        @Actor
        public void send(II_Result result) {
            if (RingSlot.sequence(ring, RingLayout.CREDIT) == Chunks.OLD) {
                result.r1 = 1;
                Chunks.writePayload(ring);
            }
        }

        /** The receiver. */
        @Actor
        public void receive(II_Result result) {
            RingSlot.publish(ring, RingLayout.CREDIT, Chunks.OLD);
            result.r2 = Chunks.isNew(ring, 0) | Chunks.isNew(ring, Chunks.PAYLOAD_BYTES - Long.BYTES);
        }
    }
}
