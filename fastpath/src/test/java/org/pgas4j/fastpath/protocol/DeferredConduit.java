package org.pgas4j.fastpath.protocol;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import org.pgas4j.fastpath.conduit.Conduit;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.conduit.HostSegment;
import org.pgas4j.fastpath.conduit.MappedEndpoint;
import org.pgas4j.fastpath.conduit.SegmentAddress;
import org.pgas4j.fastpath.conduit.loopback.LoopbackConduit;

/** Conduit that maps nothing and does the operations of a rank in order when the rank progresses, as over a network. */
final class DeferredConduit implements Conduit {

    private final Conduit memory = new LoopbackConduit();
    private final Map<Integer, Started> ranks = new HashMap<>();

    /** Operations of one rank. */
    private static final class Started {

        private final Queue<Runnable> queue = new ArrayDeque<>();
        private long count;

        long add(Runnable operation) {
            queue.add(operation);
            return ++count;
        }

        boolean isDone(long ticket) {
            return ticket <= count - queue.size();
        }

        boolean finish() {
            boolean any = !queue.isEmpty();
            while (!queue.isEmpty()) {
                queue.remove().run();
            }
            return any;
        }
    }

    private static final class DeferredEndpoint extends MappedEndpoint {

        private final Started started;

        DeferredEndpoint(MemorySegment memory, Started started) {
            super(memory);
            this.started = started;
        }

        @Override
        public long startPut(long offset, MemorySegment src, long srcOffset, long bytes) {
            return started.add(() -> put(offset, src, srcOffset, bytes));
        }

        @Override
        public long startGet(MemorySegment dst, long dstOffset, long offset, long bytes) {
            return started.add(() -> get(dst, dstOffset, offset, bytes));
        }

        @Override
        public boolean isComplete(long ticket) {
            return started.isDone(ticket);
        }

        @Override
        public void putWordRelease(long offset, long value) {
            started.finish();
            super.putWordRelease(offset, value);
        }

        @Override
        public MemorySegment mapped() {
            return null;
        }
    }

    @Override
    public String name() {
        return "deferred";
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
        return new DeferredEndpoint(memory.connect(from, to, address).mapped(),
                ranks.computeIfAbsent(from, _ -> new Started()));
    }

    @Override
    public void disconnect(Endpoint endpoint) {
        // an endpoint holds nothing
    }

    @Override
    public boolean progress(int rank) {
        Started started = ranks.get(rank);
        return started != null && started.finish();
    }

    @Override
    public boolean needsProgress() {
        return true;
    }

    @Override
    public String describe() {
        return "deferred";
    }

    @Override
    public void close() {
        memory.close();
    }
}
