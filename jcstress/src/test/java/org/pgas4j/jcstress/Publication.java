package org.pgas4j.jcstress;

import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;
import org.pgas4j.fastpath.ring.RingSlot;

/** A message is published after its payload and header: who sees its flag sees them. */
public class Publication {

    private Publication() {
    }

    /** As the ring does it. Results: flag, first and last word of the payload, header; 1 is new. */
    @JCStressTest
    @Outcome(id = "1, 1, 1, 1", expect = Expect.ACCEPTABLE, desc = "flag and message")
    @Outcome(id = "0, [01], [01], [01]", expect = Expect.ACCEPTABLE, desc = "no flag yet")
    @Outcome(expect = Expect.FORBIDDEN, desc = "flag before the message")
    @State
    public static class Ring {

        private final MemorySegment ring = Chunks.next();

        /** The sender. */
        @Actor
        public void send() {
            Chunks.writePayload(ring);
            Chunks.writeHeader(ring, Chunks.NEW);
            RingSlot.publish(ring, Chunks.FLAG, Chunks.NEW);
        }

        /** The receiver. */
        @Actor
        public void receive(IIII_Result result) {
            result.r1 = RingSlot.sequence(ring, Chunks.FLAG) == Chunks.NEW ? 1 : 0;
            result.r2 = Chunks.isNew(ring, 0);
            result.r3 = Chunks.isNew(ring, Chunks.PAYLOAD_BYTES - Long.BYTES);
            result.r4 = Chunks.isNewHeader(ring);
        }
    }

    /** With the flag first. */
    @JCStressTest
    @Outcome(id = "1, 1, 1, 1", expect = Expect.ACCEPTABLE, desc = "flag and message")
    @Outcome(id = "0, [01], [01], [01]", expect = Expect.ACCEPTABLE, desc = "no flag yet")
    @Outcome(expect = Expect.ACCEPTABLE_INTERESTING, desc = "flag before the message")
    @State
    public static class BrokenRing {

        private final MemorySegment ring = Chunks.next();

        /** The sender. */
        @Actor
        public void send() {
            RingSlot.publish(ring, Chunks.FLAG, Chunks.NEW);
            Chunks.writePayload(ring);
            Chunks.writeHeader(ring, Chunks.NEW);
        }

        /** The receiver. */
        @Actor
        public void receive(IIII_Result result) {
            result.r1 = RingSlot.sequence(ring, Chunks.FLAG) == Chunks.NEW ? 1 : 0;
            result.r2 = Chunks.isNew(ring, 0);
            result.r3 = Chunks.isNew(ring, Chunks.PAYLOAD_BYTES - Long.BYTES);
            result.r4 = Chunks.isNewHeader(ring);
        }
    }
}
