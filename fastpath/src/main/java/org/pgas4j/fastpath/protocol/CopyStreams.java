package org.pgas4j.fastpath.protocol;

import java.util.ArrayList;
import java.util.List;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;

/**
 * The streams on which one thread, the rank's or a helper's, copies for a port. Never those a program computes on. For
 * the port's current owner.
 */
public final class CopyStreams implements AutoCloseable {

    private final Accelerator accelerator;
    private final int lanes;
    private AcceleratorStream stream;
    private AcceleratorStream[] laneStreams;

    /** @param lanes number of streams that share the pieces of a rendezvous */
    public CopyStreams(Accelerator accelerator, int lanes) {
        this.accelerator = accelerator;
        this.lanes = lanes;
    }

    /** Makes the calling thread able to use the device. */
    public void bind() {
        accelerator.bind();
    }

    /** Keeps the device near the calling thread, which expects to copy something soon. */
    public void keepReady() {
        if (stream != null) {
            bind();
            stream.keepReady();
        }
    }

    /** The stream for chunks and atomic operations, whose kernels begin before those that the owner's kernel has waiting. */
    AcceleratorStream stream() {
        if (stream == null) {
            stream = accelerator.newUrgentStream();
        }
        return stream;
    }

    /** The streams for pieces of rendezvous. */
    AcceleratorStream[] lanes() {
        if (laneStreams == null) {
            AcceleratorStream[] made = new AcceleratorStream[lanes];
            for (int i = 0; i < lanes; i++) {
                made[i] = accelerator.newStream();
            }
            laneStreams = made;
        }
        return laneStreams;
    }

    @Override
    public void close() {
        List<AcceleratorStream> all = new ArrayList<>();
        if (stream != null) {
            all.add(stream);
        }
        if (laneStreams != null) {
            all.addAll(List.of(laneStreams));
        }
        stream = null;
        laneStreams = null;
        all.forEach(AcceleratorStream::close);
    }
}
