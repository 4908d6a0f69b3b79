package org.pgas4j.runtime.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.fastpath.conduit.Conduit;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.conduit.HostSegment;
import org.pgas4j.fastpath.conduit.MappedEndpoint;
import org.pgas4j.fastpath.conduit.SegmentAddress;
import org.pgas4j.fastpath.conduit.loopback.LoopbackConduit;
import org.pgas4j.runtime.PlainRanks;
import org.pgas4j.runtime.memory.ControlArea;

@Timeout(10)
class PeerBarriersTest {

    /** Segments of other ranks are not mapped, and the test completes each get. */
    private static final class SlowConduit implements Conduit {

        private final LoopbackConduit memory = new LoopbackConduit();
        private final Queue<Runnable> gets = new ArrayDeque<>();
        private long started;
        private long completed;

        @Override
        public String name() {
            return "slow";
        }

        @Override
        public HostSegment create(int rank, String purpose, long bytes) {
            return memory.create(rank, purpose, bytes);
        }

        @Override
        public void release(HostSegment segment) {
            memory.release(segment);
        }

        @Override
        public Endpoint connect(int from, int to, SegmentAddress address) throws IOException {
            Endpoint direct = memory.connect(from, to, address);
            return from == to ? direct : new MappedEndpoint(direct.mapped()) {
                @Override
                public long startGet(MemorySegment dst, long dstOffset, long offset, long bytes) {
                    gets.add(() -> get(dst, dstOffset, offset, bytes));
                    return ++started;
                }

                @Override
                public boolean isComplete(long ticket) {
                    return ticket <= completed;
                }

                @Override
                public MemorySegment mapped() {
                    return null;
                }
            };
        }

        void complete() {
            gets.remove().run();
            completed++;
        }

        @Override
        public void disconnect(Endpoint endpoint) {
            // nothing is held
        }

        @Override
        public boolean progress(int rank) {
            return false;
        }

        @Override
        public boolean needsProgress() {
            return true;
        }

        @Override
        public String describe() {
            return "slow";
        }

        @Override
        public void close() {
            memory.close();
        }
    }

    private static void enter(PlainRanks all, int rank, long barrier) {
        all.peers(rank).get(rank).endpoint().putWordRelease(ControlArea.ENTERED, barrier);
    }

    @Test
    void shouldReadMappedMemoryAtOnce() {
        try (PlainRanks all = new PlainRanks(2)) {
            PeerBarriers barriers = new PeerBarriers(0, all.peers(0));
            assertEquals(0, barriers.entered(1));

            enter(all, 1, 5);

            assertEquals(5, barriers.entered(1));
        }
    }

    @Test
    void shouldNotWaitForAnotherNode() {
        SlowConduit conduit = new SlowConduit();
        try (PlainRanks all = new PlainRanks(3, 3, conduit)) {
            PeerBarriers barriers = new PeerBarriers(0, all.peers(0));
            enter(all, 1, 5);
            enter(all, 2, 9);

            assertEquals(0, barriers.entered(1));
            assertEquals(0, barriers.entered(1), "no answer yet");
            assertEquals(1, conduit.started, "one look-up at a time");
            conduit.complete();
            assertEquals(5, barriers.entered(1));
            conduit.complete();
            assertEquals(0, barriers.entered(2), "what is known is another rank's");
            conduit.complete();
            assertEquals(9, barriers.entered(2));
        }
    }
}
