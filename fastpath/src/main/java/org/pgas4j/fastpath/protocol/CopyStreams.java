package org.pgas4j.fastpath.protocol;

import java.util.ArrayList;
import java.util.List;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;

/**
 * The streams on which one thread copies for a port: the rank's own or a helper's. Never those a program computes on.
 * Used by the port's owner of the moment.
 */
public final class CopyStreams implements AutoCloseable {

    private final Accelerator accelerator;
    private final int lanes;
    private AcceleratorStream stream;
    private AcceleratorStream[] laneStreams;

    /** @param lanes streams that share the pieces of a rendezvous */
    public CopyStreams(Accelerator accelerator, int lanes) {
        this.accelerator = accelerator;
        this.lanes = lanes;
    }

    /** Lets the calling thread use the device. */
    public void bind() {
        accelerator.bind();
    }

    /** The stream of chunks. */
    AcceleratorStream stream() {
        if (stream == null) {
            stream = accelerator.newStream();
        }
        return stream;
    }

    /** The streams of pieces. */
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
