package org.pgas4j.fastpath.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.device.host.HostBackend;
import org.pgas4j.fastpath.conduit.HostSegment;
import org.pgas4j.fastpath.conduit.MappedEndpoint;
import org.pgas4j.fastpath.conduit.loopback.LoopbackConduit;
import org.pgas4j.fastpath.ring.MessageHeader;
import org.pgas4j.fastpath.ring.RingLayout;

/** Puts that carry a message to a peer whose memory this JVM cannot address. */
class PairTest {

    private static final PortOptions OPTIONS = new PortOptions(new RingLayout(1024, 16), 1 << 16, 4, 1 << 20, 0);

    /** Writes down what is started. */
    private static final class Recorder extends MappedEndpoint {

        private final List<String> calls = new ArrayList<>();
        private final long orderedBytes;

        Recorder(MemorySegment ring, long orderedBytes) {
            super(ring);
            this.orderedBytes = orderedBytes;
        }

        @Override
        public long startPut(long offset, MemorySegment src, long srcOffset, long bytes) {
            calls.add("put " + bytes);
            return super.startPut(offset, src, srcOffset, bytes);
        }

        @Override
        public void fence() {
            calls.add("fence");
            super.fence();
        }

        @Override
        public long orderedPutBytes() {
            return orderedBytes;
        }

        @Override
        public MemorySegment mapped() {
            return null;
        }
    }

    private static List<String> send(long orderedBytes, int length) {
        try (LoopbackConduit conduit = new LoopbackConduit(); HostBackend devices = new HostBackend(1, 1)) {
            HostSegment in = conduit.create(0, "ring", OPTIONS.ring().bytes());
            HostSegment theirs = conduit.create(1, "ring", OPTIONS.ring().bytes());
            Recorder endpoint = new Recorder(theirs.memory(), orderedBytes);
            try (Pair pair = new Pair(0, 1, OPTIONS, conduit, devices.open(0), in, endpoint)) {
                long sequence = pair.claim(0);
                pair.send(sequence, OPTIONS.ring().header(sequence), length);
            }
            return endpoint.calls;
        }
    }

    @ParameterizedTest
    @CsvSource({"256, 192", "256, 0", "256, 185", "9223372036854775807, 900"})
    void shouldCarryAMessageByOnePutWhereItsBytesAreOrdered(long orderedBytes, int length) {
        assertEquals(List.of("put " + (MessageHeader.BYTES + (length + 7) / 8 * 8)), send(orderedBytes, length));
    }

    @ParameterizedTest
    @CsvSource({"256, 193", "256, 900", "0, 8"})
    void shouldPutTheFlagAloneWhereTheyAreNot(long orderedBytes, int length) {
        assertEquals(List.of("put " + (MessageHeader.BYTES - 8 + (length + 7) / 8 * 8), "fence", "put 8"),
                send(orderedBytes, length));
    }

    @Test
    void shouldOnlyPublishWhereItAddressesTheRing() {
        try (LoopbackConduit conduit = new LoopbackConduit(); HostBackend devices = new HostBackend(1, 1)) {
            HostSegment ring = conduit.create(0, "ring", OPTIONS.ring().bytes());
            List<String> calls = new ArrayList<>();
            MappedEndpoint endpoint = new MappedEndpoint(ring.memory()) {
                @Override
                public long startPut(long offset, MemorySegment src, long srcOffset, long bytes) {
                    calls.add("put " + bytes);
                    return 0;
                }
            };
            try (Pair pair = new Pair(0, 0, OPTIONS, conduit, devices.open(0), ring, endpoint)) {
                pair.send(pair.claim(0), OPTIONS.ring().header(1), 8);
                assertEquals(List.of(), calls);
                assertEquals(true, pair.hasMessage());
            }
        }
    }
}
