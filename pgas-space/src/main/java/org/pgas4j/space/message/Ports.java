package org.pgas4j.space.message;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.pgas4j.MemoryKind;
import org.pgas4j.bootstrap.Bootstrap;
import org.pgas4j.device.Accelerator;
import org.pgas4j.fastpath.conduit.Conduit;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.conduit.SegmentAddress;
import org.pgas4j.fastpath.protocol.BlockSink;
import org.pgas4j.fastpath.protocol.IdleStrategy;
import org.pgas4j.fastpath.protocol.LocalMemory;
import org.pgas4j.fastpath.protocol.NotificationSink;
import org.pgas4j.fastpath.protocol.Pair;
import org.pgas4j.fastpath.protocol.Port;
import org.pgas4j.fastpath.protocol.PortOptions;
import org.pgas4j.helper.HelperOptions;
import org.pgas4j.helper.HelperThreads;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.os.CloseHelper;
import org.pgas4j.os.trace.Trace;
import org.pgas4j.space.memory.ControlArea;
import org.pgas4j.space.memory.Segments;
import org.pgas4j.space.sync.Waiter;

/** The ports of this JVM's ranks, with the helpers that serve them. Made after the segments, before the ranks. */
public final class Ports implements AutoCloseable {

    private final Segments segments;
    private final Conduit conduit;
    private final Port[] ports;
    private final ProgressEngine[] engines;
    private final Waiter[] waiters;
    private final AtomicReferenceArray<NotificationSink> blockSinks;
    private final PairService service;
    private final HelperThreads helpers;

    /** @param waiters makes a rank's waiter */
    public Ports(Bootstrap bootstrap, Conduit conduit, Segments segments, PortOptions options,
                 HelperOptions helperOptions, long timeoutNs, IntFunction<Waiter> waiters,
                 HelperThreads.FailureHandler failures) {
        this.segments = segments;
        this.conduit = conduit;
        int count = segments.endRank() - segments.firstRank();
        this.ports = new Port[count];
        this.engines = new ProgressEngine[count];
        this.waiters = new Waiter[count];
        this.blockSinks = new AtomicReferenceArray<>(count);
        this.service = new PairService(bootstrap, conduit, segments, options, timeoutNs, ports);
        List<HelperThreads.Served> served = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int rank = segments.firstRank() + i;
            Waiter waiter = waiters.apply(rank);
            int index = i;
            IdleStrategy pause = new QuietPause(waiter, () -> engines[index].pollServices());
            Port port = new Port(rank, bootstrap.ranks(), memory(rank), conduit, options, new Neighbours(rank), pause);
            ProgressEngine engine = new ProgressEngine(rank, port, pause);
            waiter.progress(engine::poll);
            port.notifications(sink(i, rank, segments.endpoint(rank, rank)));
            this.waiters[i] = waiter;
            ports[i] = port;
            engines[i] = engine;
            served.add(new HelperThreads.Served(engine, segments.ordinalOf(rank)));
        }
        this.helpers = helperOptions.enabled() ? new HelperThreads(helperOptions, failures) : null;
        if (helpers != null) {
            helpers.start(served);
        }
    }

    private NotificationSink sink(int index, int rank, Endpoint own) {
        ControlArea area = segments.area();
        return (block, tag, kind, value) -> {
            if (block != NotificationSink.RANK) {
                NotificationSink blocks = blockSinks.get(index);
                if (blocks == null) {
                    throw new IllegalStateException("no blocks are made");
                }
                return blocks.signal(block, tag, kind, value);
            }
            switch (kind) {
                case NotificationSink.COUNTER -> count(rank, own, tag, value);
                case NotificationSink.VALUE -> {
                    long beginNs = Trace.isOn() ? System.nanoTime() : 0;
                    own.putWordRelease(area.notificationValue(tag), value);
                    if (beginNs != 0) {
                        Trace.signalSet(rank, rank, tag, value, beginNs);
                    }
                }
                default -> {
                    long end = area.bytes() + segments.heapBytes(MemoryKind.HOST);
                    if (value < area.bytes() || value > end - Long.BYTES || value % Long.BYTES != 0) {
                        throw new IllegalStateException("no word at offset " + value + " (expected: " + area.bytes() + ".."
                                + (end - Long.BYTES) + ", a multiple of " + Long.BYTES + ")");
                    }
                    own.fetchAndAddWord(value, 1);
                }
            }
            return true;
        };
    }

    private void count(int rank, Endpoint own, int tag, long value) {
        long beginNs = Trace.isOn() ? System.nanoTime() : 0;
        long before = own.fetchAndAddWord(segments.area().notification(tag), value);
        if (beginNs != 0) {
            Trace.signal(rank, rank, tag, value, before + value, beginNs);
        }
    }

    /** Notifies the host code of a rank of this JVM, as a message does. */
    public void notify(int rank, int tag) {
        count(rank, segments.endpoint(rank, rank), tag, 1);
    }

    private LocalMemory memory(int rank) {
        var entry = segments.own(rank, MemoryKind.DEVICE);
        return new LocalMemory(segments.endpoint(rank, rank).mapped(), segments.area().bytes(),
                segments.heapBytes(MemoryKind.HOST), segments.ownDeviceMemory(entry.ordinal()), entry.offset(),
                segments.heapBytes(MemoryKind.DEVICE), segments.acceleratorOf(rank));
    }

    private final class Neighbours implements Port.Connector {
        private final int rank;

        Neighbours(int rank) {
            this.rank = rank;
        }

        @Override
        public Pair connect(int peer) {
            return service.connect(rank, peer);
        }

        @Override
        public Endpoint segment(int peer) {
            segments.register(rank, peer, segments.acceleratorOf(rank));
            return segments.endpoint(rank, peer);
        }

        @Override
        public Endpoint memory(int peer, SegmentAddress address) {
            return segments.connect(rank, peer, address);
        }
    }

    /** Says where notifications for the blocks of a rank of this JVM go; null for nowhere. */
    public void blockSink(int rank, NotificationSink blocks, BlockSink commands) {
        blockSinks.set(rank - segments.firstRank(), blocks);
        ports[rank - segments.firstRank()].blocks(commands);
    }

    /** The helper threads; null if there are none. */
    public HelperThreads helpers() {
        return helpers;
    }

    /** Makes the other ends of pairs. */
    public PairService service() {
        return service;
    }

    /** The engine of a rank of this JVM. */
    public ProgressEngine engine(int rank) {
        return engines[rank - segments.firstRank()];
    }

    /** The waiter of a rank of this JVM. */
    public Waiter waiter(int rank) {
        return waiters[rank - segments.firstRank()];
    }

    /** Pairs and registered memory of a rank of this JVM. */
    public String describe(int rank) {
        Port port = ports[rank - segments.firstRank()];
        long asked = port.temporaries();
        return String.format("rank %d: %d pairs, %d bytes of rings; %d temporaries used, %d of them from the registration "
                + "cache, %d bytes kept; %d puts held whole, %d bytes now%n", rank, port.pairCount(), port.ringBytes(), asked,
                port.cacheHits(), port.cacheBytes(), port.bufferedPuts(), port.bufferedBytes());
    }

    /** The conduit between host segments. */
    public Conduit conduit() {
        return conduit;
    }

    /** The ranks have ended. */
    @Override
    public void close() {
        List<AutoCloseable> all = new ArrayList<>();
        if (helpers != null) {
            all.add(helpers);
        }
        for (int i = 0; i < ports.length; i++) {
            Accelerator accelerator = segments.acceleratorOf(segments.firstRank() + i);
            Port port = ports[i];
            all.add(() -> {
                accelerator.bind();
                port.close();
            });
        }
        CloseHelper.closeAll(all);
    }
}
