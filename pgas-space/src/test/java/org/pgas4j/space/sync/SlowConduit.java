package org.pgas4j.space.sync;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Queue;
import org.pgas4j.fastpath.conduit.Conduit;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.conduit.HostSegment;
import org.pgas4j.fastpath.conduit.MappedEndpoint;
import org.pgas4j.fastpath.conduit.SegmentAddress;
import org.pgas4j.fastpath.conduit.loopback.LoopbackConduit;

/** Segments of other ranks are not mapped, and the test completes each get. */
final class SlowConduit implements Conduit {

    private final LoopbackConduit memory = new LoopbackConduit();
    private final Queue<Runnable> gets = new ArrayDeque<>();
    long started;
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

    /** Number of gets that are not complete. */
    int waiting() {
        return gets.size();
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
