package org.pgas4j.helper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.pgas4j.DeviceMemory;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.host.HostBackend;
import org.pgas4j.device.host.HostDeviceMemory;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.conduit.HostSegment;
import org.pgas4j.fastpath.conduit.SegmentAddress;
import org.pgas4j.fastpath.conduit.loopback.LoopbackConduit;
import org.pgas4j.fastpath.protocol.IdleStrategy;
import org.pgas4j.fastpath.protocol.LocalMemory;
import org.pgas4j.fastpath.protocol.Pair;
import org.pgas4j.fastpath.protocol.Port;
import org.pgas4j.fastpath.protocol.PortOptions;
import org.pgas4j.fastpath.ring.MessageHeader;
import org.pgas4j.fastpath.ring.RingLayout;
import org.pgas4j.fastpath.ring.RingSlot;

/**
 * A rank with a pair to itself, whose ring the test fills as another rank would; the values of its messages go to words
 * of its heaps. Copies of its device report nothing complete while the device is held.
 */
final class PortToSelf implements AutoCloseable {

    private static final PortOptions OPTIONS = new PortOptions(new RingLayout(256, 16), 4096, 2, 1 << 20, 0);
    private static final int HEAP_BYTES = 1024;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private final HostBackend devices = new HostBackend(1, 1);
    private final LoopbackConduit conduit = new LoopbackConduit();
    private final HostSegment segment = conduit.create(0, "segment", HEAP_BYTES);
    private final HostSegment ring = conduit.create(0, "ring", OPTIONS.ring().bytes());
    private final DeviceMemory memory = devices.open(0).allocate(HEAP_BYTES, false);
    private final AtomicLong looks = new AtomicLong();
    final AtomicLong keptReady = new AtomicLong();
    private volatile boolean held;
    private volatile long heldUntilLook;
    private volatile Consumer<String> pause = why -> Thread.onSpinWait();
    private long sent;
    final Port port;
    final ProgressEngine engine;

    PortToSelf() {
        Accelerator accelerator = proxy(Accelerator.class, (method, arguments) -> method.getName().equals("newUrgentStream")
                ? held(devices.open(0).newUrgentStream()) : call(method, devices.open(0), arguments));
        ring.memory().fill((byte) 0);
        segment.memory().fill((byte) 0);
        HostDeviceMemory.segmentOf(memory).fill((byte) 0);
        IdleStrategy idle = new IdleStrategy() {
            @Override
            public void begin() {
                // a pause has no state
            }

            @Override
            public void pause(Supplier<String> why) {
                pause.accept(why.get());
            }
        };
        Endpoint endpoint = connect(ring.address());
        LocalMemory local = new LocalMemory(segment.memory(), 0, HEAP_BYTES, memory, 0, HEAP_BYTES, accelerator);
        port = new Port(0, 1, local, conduit, OPTIONS, new Port.Connector() {
            @Override
            public Pair connect(int peer) {
                return new Pair(0, 0, OPTIONS, conduit, accelerator, ring, endpoint);
            }

            @Override
            public Endpoint segment(int peer) {
                return PortToSelf.this.connect(segment.address());
            }

            @Override
            public Endpoint memory(int peer, SegmentAddress address) {
                return PortToSelf.this.connect(address);
            }
        }, idle);
        engine = new ProgressEngine(0, port, idle);
    }

    /** Makes the pair, without which there is nothing to serve. */
    PortToSelf connected() {
        port.connect(0);
        return this;
    }

    private Endpoint connect(SegmentAddress address) {
        try {
            return conduit.connect(0, 0, address);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sets the action of a waiting rank; it receives the description of the wait. */
    void pause(Consumer<String> action) {
        pause = action;
    }

    /** Sends a value to word {@code index} of the heap in host or device memory. */
    void send(boolean toDevice, int index, long value) {
        long header = OPTIONS.ring().header(++sent);
        ring.memory().set(LONG, RingLayout.payload(header, Long.BYTES), value);
        MessageHeader.write(ring.memory(), header, MessageHeader.PUT, toDevice ? MessageHeader.DEVICE : 0, Long.BYTES,
                0, (long) index * Long.BYTES, 0, 0, 0, System.nanoTime());
        RingSlot.publish(ring.memory(), header + MessageHeader.SEQUENCE, sent);
    }

    long word(boolean ofDevice, int index) {
        MemorySegment heap = ofDevice ? HostDeviceMemory.segmentOf(memory) : segment.memory();
        return (long) LONG.varHandle().getAcquire(heap, (long) index * Long.BYTES);
    }

    void awaitWord(int index, long value) {
        while (word(false, index) != value) {
            Thread.onSpinWait();
        }
    }

    void hold() {
        held = true;
    }

    void release() {
        held = false;
    }

    /** Holds the device until the owner of the port has looked {@code count} times more whether its copies are complete. */
    void holdForLooks(int count) {
        heldUntilLook = looks.get() + count;
    }

    /** Waits until the owner of the port has looked {@code count} times more whether its copies are complete. */
    void awaitLooks(int count) {
        for (long end = looks.get() + count; looks.get() < end; ) {
            Thread.onSpinWait();
        }
    }

    private AcceleratorStream held(AcceleratorStream stream) {
        return proxy(AcceleratorStream.class, (method, arguments) -> {
            if (method.getName().equals("keepReady")) {
                keptReady.incrementAndGet();
            }
            if (method.getName().equals("isIdle")) {
                return looks.getAndIncrement() >= heldUntilLook && !held && stream.isIdle();
            }
            return call(method, stream, arguments);
        });
    }

    private interface Handler {
        Object handle(Method method, Object[] arguments) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, Handler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
                (_, method, arguments) -> handler.handle(method, arguments)));
    }

    private static Object call(Method method, Object target, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @Override
    public void close() {
        engine.closeHelper();
        port.close();
        memory.close();
        conduit.close();
        devices.close();
    }
}
