package org.pgas4j.fastpath.conduit.shm;

import java.lang.foreign.MemorySegment;
import org.pgas4j.fastpath.conduit.MappedEndpoint;

/** A memory file that this JVM has mapped. */
final class ShmEndpoint extends MappedEndpoint {

    private final String path;

    ShmEndpoint(MemorySegment segment, String path) {
        super(segment);
        this.path = path;
    }

    String path() {
        return path;
    }
}
