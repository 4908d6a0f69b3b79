package org.pgas4j.runtime.notify;

import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import org.pgas4j.MemoryKind;
import org.pgas4j.fastpath.conduit.MappedEndpoint;
import org.pgas4j.space.memory.Peer;
import org.pgas4j.space.transfer.HostRoute;

/** A service performs a descriptor as it was submitted, and it is used again when it has been performed. */
public class DescriptorHandover {

    private static final int OLD = 1;
    private static final int NEW = 2;
    /** Before a twin fills a descriptor in: time enough for a service to look. */
    private static final int PAUSES = 16;

    private DescriptorHandover() {
    }

    /** Takes the first and the last of the fields that a put reads. */
    private static final class Target extends MappedEndpoint {

        private int offset;
        private int bytes;

        Target() {
            super(MemorySegment.NULL);
        }

        @Override
        public void put(long toOffset, MemorySegment src, long srcOffset, long length) {
            offset = (int) toOffset;
            bytes = (int) length;
        }
    }

    private static DescriptorRing ring(Target target) {
        DescriptorRing ring =
                new DescriptorRing(1, new DescriptorEngine(null, null, null), () -> Long.MAX_VALUE, () -> { });
        Descriptor first = ring.next();
        first.route = new HostRoute(0, new Peer(1, target, 0, Long.MAX_VALUE, null, 0, 0, true));
        fill(first, OLD);
        return ring;
    }

    private static void fill(Descriptor descriptor, int content) {
        descriptor.rma.remote(1, MemoryKind.HOST, content, null, content).local(MemorySegment.NULL, 0);
    }

    /** As ranks do it. Results: the fields that the service sees, 0 if it performs nothing. */
    @JCStressTest
    @Outcome(id = {"0, 0", "2, 2"}, expect = Expect.ACCEPTABLE, desc = "nothing or the descriptor")
    @Outcome(expect = Expect.FORBIDDEN, desc = "performed before it was filled in")
    @State
    public static class Submit {

        private final Target target = new Target();
        private final DescriptorRing ring = ring(target);

        /** The rank. */
        @Actor
        public void submit() {
            fill(ring.next(), NEW);
            ring.submit();
        }

        /** A service. */
        @Actor
        public void poll(II_Result result) {
            ring.poll();
            result.r1 = target.offset;
            result.r2 = target.bytes;
        }
    }

    /** Submitted first. */
    @JCStressTest
    @Outcome(id = {"0, 0", "2, 2"}, expect = Expect.ACCEPTABLE, desc = "nothing or the descriptor")
    @Outcome(expect = Expect.ACCEPTABLE_INTERESTING, desc = "performed before it was filled in")
    @State
    public static class BrokenSubmit {

        private final Target target = new Target();
        private final DescriptorRing ring = ring(target);

        /** The rank. */
        @Actor
        public void submit() {
            Descriptor next = ring.next();
            ring.submit();
            for (int i = 0; i < PAUSES; i++) {
                Thread.onSpinWait();
            }
            fill(next, NEW);
        }

        /** A service. */
        @Actor
        public void poll(II_Result result) {
            ring.poll();
            result.r1 = target.offset;
            result.r2 = target.bytes;
        }
    }

    /** As ranks do it, with a full ring. Results: the fields that the service sees, whether the rank found room. */
    @JCStressTest
    @Outcome(id = "1, 1, [01]", expect = Expect.ACCEPTABLE, desc = "the descriptor")
    @Outcome(expect = Expect.FORBIDDEN, desc = "filled in again before it was performed")
    @State
    public static class Reuse {

        private final Target target = new Target();
        private final DescriptorRing ring = ring(target);

        /** The ring is full at first. */
        public Reuse() {
            ring.submit();
        }

        /** The rank. */
        @Actor
        public void fillIn(III_Result result) {
            if (!ring.isFull()) {
                fill(ring.next(), NEW);
                result.r3 = 1;
            }
        }

        /** A service. */
        @Actor
        public void poll(III_Result result) {
            ring.poll();
            result.r1 = target.offset;
            result.r2 = target.bytes;
        }
    }

    /** Without a look whether there is room. */
    @JCStressTest
    @Outcome(id = "1, 1, [01]", expect = Expect.ACCEPTABLE, desc = "the descriptor")
    @Outcome(expect = Expect.ACCEPTABLE_INTERESTING, desc = "filled in again before it was performed")
    @State
    public static class BrokenReuse {

        private final Target target = new Target();
        private final DescriptorRing ring = ring(target);

        /** The ring is full at first. */
        public BrokenReuse() {
            ring.submit();
        }

        /** The rank. */
        @Actor
        public void fillIn(III_Result result) {
            fill(ring.next(), NEW);
            result.r3 = 1;
        }

        /** A service. */
        @Actor
        public void poll(III_Result result) {
            ring.poll();
            result.r1 = target.offset;
            result.r2 = target.bytes;
        }
    }
}
