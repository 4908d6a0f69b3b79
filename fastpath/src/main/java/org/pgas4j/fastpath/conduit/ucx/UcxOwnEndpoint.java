package org.pgas4j.fastpath.conduit.ucx;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.pgas4j.fastpath.conduit.MappedEndpoint;

/**
 * A rank's own segment: plain memory. Atomics go through UCX nevertheless, because those of a network card and those of
 * a processor are not atomic to one another.
 */
final class UcxOwnEndpoint extends MappedEndpoint {

    private final UcxEndpoint atomics;

    UcxOwnEndpoint(MemorySegment segment, UcxEndpoint atomics) {
        super(segment);
        this.atomics = atomics;
    }

    void close() {
        atomics.close();
    }

    @Override
    public boolean compareAndSetWord(long offset, long expected, long value) {
        VarHandle.fullFence();
        return atomics.compareAndSetWord(offset, expected, value);
    }

    @Override
    public long fetchAndAddWord(long offset, long value) {
        VarHandle.fullFence();
        return atomics.fetchAndAddWord(offset, value);
    }
}
