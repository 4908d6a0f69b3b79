package org.pgas4j.jcstress;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorGraph;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.PinnedMemory;
import org.pgas4j.device.RunAheadStream;
import org.pgas4j.device.StreamOperation;

/**
 * A stream keeps work for which its device has no room: work queued beside a hand-over is not lost and overtakes none.
 */
public class RunAhead {

    /** Operations that fill the device, that are kept, and that are queued: the last two together are due a mark. */
    private static final int ROOM = 256;
    private static final int KEPT = 15;
    private static final int QUEUED = 17;

    private static final Accelerator ACCELERATOR = proxy(Accelerator.class, (method, _) ->
            method.equals("allocatePinned") ? new Word(MemorySegment.ofArray(new long[1])) : null);

    private RunAhead() {
    }

    private record Word(MemorySegment segment) implements PinnedMemory {
        @Override
        public void close() {
            // memory of the JVM
        }
    }

    private record Graph(int operations) implements AcceleratorGraph {
        @Override
        public void close() {
            // nothing
        }
    }

    private interface Handler {
        Object handle(String method, Object[] arguments);
    }

    private static <T> T proxy(Class<T> type, Handler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
                (_, method, arguments) -> handler.handle(method.getName(), arguments)));
    }

    /** Notes what it is given and does none of it. Not thread-safe: the stream in front has to order its callers. */
    private static final class Device {

        private final int[] launched = new int[4];
        private int count;
        private long mark;
        private MemorySegment word;

        Object handle(String method, Object[] arguments) {
            if (method.equals("submit")) {
                launch(((StreamOperation) arguments[0]).operations());
            } else if (method.equals("writeValue")) {
                word = (MemorySegment) arguments[0];
                mark = (long) arguments[2];
            }
            return null;
        }

        void launch(int operations) {
            launched[count++] = operations;
        }

        void report(III_Result result) {
            result.r1 = launched[1];
            result.r2 = launched[2];
            result.r3 = (int) mark;
        }
    }

    /** The stream. Results: the graphs that the device got behind the first, in order, and the last mark. */
    @JCStressTest
    @Outcome(id = "15, 17, 288", expect = Expect.ACCEPTABLE, desc = "in order, all counted")
    @Outcome(expect = Expect.FORBIDDEN, desc = "lost, overtaken or not counted")
    @State
    public static class Kept {

        private final Device device = new Device();
        private final RunAheadStream stream = new RunAheadStream(ACCELERATOR,
                proxy(AcceleratorStream.class, device::handle));

        /** The device is full, one graph is kept, then the device is done with all it had. */
        public Kept() {
            stream.launch(new Graph(ROOM));
            stream.launch(new Graph(KEPT));
            device.word.set(ValueLayout.JAVA_LONG, 0, ROOM);
        }

        /** The thread that queues. */
        @Actor
        public void queue() {
            stream.launch(new Graph(QUEUED));
        }

        /** Another thread. */
        @Actor
        public void handOver() {
            stream.handOver();
        }

        /** Reports what the device has received. */
        @Arbiter
        public void report(III_Result result) {
            stream.handOver();
            device.report(result);
        }
    }

    /** Reports that nothing is kept before it has handed over what was. */
    private static final class BrokenRunAhead {

        private final Device device;
        private volatile int ahead = 1;
        private long queued = ROOM;

        BrokenRunAhead(Device device) {
            this.device = device;
        }

        void launch(int operations) {
            if (ahead == 0 || handOver()) {
                give(operations);
            }
        }

        synchronized boolean handOver() {
            if (ahead != 0) {
                ahead = 0;
                give(KEPT);
            }
            return true;
        }

        private void give(int operations) {
            device.launch(operations);
            queued += operations;
            device.mark = queued;
        }
    }

    /** With the count of kept work too early. */
    @JCStressTest
    @Outcome(id = "15, 17, 288", expect = Expect.ACCEPTABLE, desc = "in order, all counted")
    @Outcome(expect = Expect.ACCEPTABLE_INTERESTING, desc = "lost, overtaken or not counted")
    @State
    public static class BrokenKept {

        private final Device device = new Device();
        private final BrokenRunAhead stream = new BrokenRunAhead(device);

        /** As in {@link Kept}. */
        public BrokenKept() {
            device.launch(ROOM);
        }

        /** The thread that queues. */
        @Actor
        public void queue() {
            stream.launch(QUEUED);
        }

        /** Another thread. */
        @Actor
        public void handOver() {
            stream.handOver();
        }

        /** Reports what the device has received. */
        @Arbiter
        public void report(III_Result result) {
            device.report(result);
        }
    }
}
