package org.pgas4j.fastpath.protocol;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.pgas4j.DeviceMemory;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.host.HostBackend;
import org.pgas4j.device.host.HostDeviceMemory;
import org.pgas4j.fastpath.conduit.Conduit;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.conduit.HostSegment;
import org.pgas4j.fastpath.conduit.SegmentAddress;
import org.pgas4j.fastpath.ring.MessageHeader;
import org.pgas4j.fastpath.ring.RingLayout;
import org.pgas4j.fastpath.ring.RingSlot;

/**
 * Two ranks with a port each, in one thread: while one waits, the other makes progress, unless it is stopped. Each has
 * a heap in host memory, which begins at {@link #HEAP_START} of its segment, and one in device memory.
 */
final class TwoPorts implements AutoCloseable {

    static final int HEAP_BYTES = 1 << 16;
    static final int HEAP_START = 128;
    static final int DEVICE_START = 64;
    static final byte UNTOUCHED = 0x5a;
    static final PortOptions OPTIONS = new PortOptions(new RingLayout(256, 16), 4096, 2, 1 << 20, 0);
    /** Messages that a rank may send before the peer makes progress: chunks less those that are kept from data. */
    static final int FREE = OPTIONS.ring().chunks() - OPTIONS.keptFromData();

    private static final int PAUSES = 10_000;
    private static final int BUSY_PAUSES = 1_000;
    private static final long PARK_NS = 1_000_000;

    /** One rank. */
    final class Side {
        final int rank;
        final HostSegment segment;
        final DeviceMemory memory;
        final LocalMemory local;
        final Port port;
        HostSegment ring;
        boolean stopped;
        private int pauses;

        Side(int rank) {
            this.rank = rank;
            this.segment = conduit.create(rank, "segment", HEAP_START + HEAP_BYTES + 64);
            this.memory = accelerator.allocate(DEVICE_START + HEAP_BYTES + 64, false);
            segment.memory().fill(UNTOUCHED);
            HostDeviceMemory.segmentOf(memory).fill(UNTOUCHED);
            this.local = new LocalMemory(segment.memory(), HEAP_START, HEAP_BYTES, memory, DEVICE_START, HEAP_BYTES,
                    accelerator);
            this.port = new Port(rank, 2, local, conduit, options, new Connector(rank), new Idle(this));
        }

        Side peer() {
            return side(1 - rank);
        }

        /** The whole memory that holds its heap of that kind, with bytes before and after it. */
        MemorySegment memory(MemoryKind kind) {
            return kind == MemoryKind.HOST ? segment.memory() : HostDeviceMemory.segmentOf(memory);
        }

        boolean progress() {
            return port.progress(port.ownStreams(), null, 0);
        }

        /** Writes message {@code sequence} into its ring, as if the peer had sent it. */
        void receive(long sequence, int type, int flags, int length, long offset, long request, long bytes,
                     long extra) {
            long header = options.ring().header(sequence);
            MessageHeader.write(ring.memory(), header, type, flags, length, 0, offset, request, bytes, extra, 0);
            RingSlot.publish(ring.memory(), header + MessageHeader.SEQUENCE, sequence);
        }
    }

    /** Progresses the peer of a waiting rank; the deadline passes if the peer is stopped, or after many pauses. */
    private final class Idle implements IdleStrategy {
        private final Side waiting;

        Idle(Side waiting) {
            this.waiting = waiting;
        }

        @Override
        public void begin() {
            waiting.pauses = 0;
        }

        @Override
        public void pause(Supplier<String> why) {
            if (waiting.peer().stopped || ++waiting.pauses > maxPauses) {
                throw new PgasTimeoutException(why.get());
            }
            if (waiting.pauses > BUSY_PAUSES) {
                LockSupport.parkNanos(PARK_NS); // a kernel of the host device runs on a thread of its own
            }
            waiting.peer().progress();
        }
    }

    private final class Connector implements Port.Connector {
        private final int rank;

        Connector(int rank) {
            this.rank = rank;
        }

        @Override
        public Pair connect(int peer) {
            for (Side side : sides) {
                side.ring = conduit.create(side.rank, "ring", options.ring().bytes());
                side.ring.memory().fill((byte) 0);
            }
            side(peer).port.offer(pair(peer, rank));
            return pair(rank, peer);
        }

        private Pair pair(int from, int to) {
            return new Pair(from, to, options, conduit, accelerator, side(from).ring,
                    TwoPorts.this.connect(from, to, side(to).ring.address()));
        }

        @Override
        public Endpoint segment(int peer) {
            return memory(peer, side(peer).segment.address());
        }

        @Override
        public Endpoint memory(int peer, SegmentAddress address) {
            return TwoPorts.this.connect(rank, peer, address);
        }
    }

    private final HostBackend devices = new HostBackend(1, 1);
    final HeldDevice device = new HeldDevice(devices.open(0));
    private final Accelerator accelerator = device.accelerator();
    private final Conduit conduit;
    private final PortOptions options;
    private final List<Side> sides = new ArrayList<>();
    private int maxPauses = PAUSES;

    TwoPorts(Conduit conduit) {
        this(conduit, OPTIONS);
    }

    TwoPorts(Conduit conduit, PortOptions options) {
        this.conduit = conduit;
        this.options = options;
        sides.add(new Side(0));
        sides.add(new Side(1));
    }

    Side side(int rank) {
        return sides.get(rank);
    }

    /** Lets the deadlines of waits pass sooner while a test knows that nothing can end them. */
    void giveUpSoon(boolean soon) {
        maxPauses = soon ? PAUSES / 100 : PAUSES;
    }

    private Endpoint connect(int from, int to, SegmentAddress address) {
        try {
            return conduit.connect(from, to, address);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Progresses both until neither finds anything to do. */
    void settle() {
        while (side(0).progress() | side(1).progress()) {
            // until both return false
        }
    }

    /** Closes the ports, which undoes all registrations of host memory and ends all streams. */
    void closePorts() {
        sides.forEach(side -> side.port.close());
    }

    @Override
    public void close() {
        device.release();
        closePorts();
        sides.forEach(side -> side.memory.close());
        conduit.close();
        devices.close();
    }
}
