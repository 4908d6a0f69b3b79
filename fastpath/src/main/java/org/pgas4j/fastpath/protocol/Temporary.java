package org.pgas4j.fastpath.protocol;

import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import org.pgas4j.device.HostRegistration;
import org.pgas4j.fastpath.conduit.HostSegment;

/** Registered host memory for the pieces of one rendezvous at a time. For the port's current owner. */
public final class Temporary {

    private final long id;
    private final HostSegment segment;
    private final HostRegistration registration;
    private final BitSet knownTo = new BitSet();

    Temporary(long id, HostSegment segment, HostRegistration registration) {
        this.id = id;
        this.segment = segment;
        this.registration = registration;
    }

    long id() {
        return id;
    }

    /** The memory; each thread may use it. */
    public MemorySegment memory() {
        return segment.memory();
    }

    HostSegment segment() {
        return segment;
    }

    long bytes() {
        return segment.memory().byteSize();
    }

    HostRegistration registration() {
        return registration;
    }

    /** Ranks that have received its address, and must receive FORGET before it is freed. */
    BitSet knownTo() {
        return knownTo;
    }
}
