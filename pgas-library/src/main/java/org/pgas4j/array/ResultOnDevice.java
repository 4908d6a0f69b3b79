package org.pgas4j.array;

import org.pgas4j.Buffer;
import org.pgas4j.MemoryKind;
import org.pgas4j.Stream;

/** A rank's part of a product on its device: itself, or a copy where it is in host memory. Used by the rank's thread. */
final class ResultOnDevice implements AutoCloseable {

    private final GlobalArray c;
    private final Buffer copy; // null if c is in device memory, or not computed here

    /** @param computed whether this rank computes its part */
    ResultOnDevice(GlobalArray c, boolean computed) {
        this.c = c;
        this.copy = !computed || c.kind() == MemoryKind.DEVICE ? null : c.owner().device().alloc(c.type(), c.localCount());
    }

    /** Memory of the part with its ghost cells, and what it held unless {@code beta} is 0, behind what is queued on a stream. */
    Buffer begin(Stream stream, double beta) {
        Buffer local = c.local().buffer();
        if (copy == null) {
            return local;
        }
        if (beta != 0 || c.local().count() < c.localCount()) {
            stream.copy(copy, local); // with ghost cells, which are copied back as they are
        }
        return copy;
    }

    /** Queues the way back. */
    void end(Stream stream) {
        if (copy != null) {
            stream.copy(c.local().buffer(), copy);
        }
    }

    @Override
    public void close() {
        if (copy != null) {
            copy.close();
        }
    }
}
