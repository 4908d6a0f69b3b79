package org.pgas4j.array;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.pgas4j.Device;
import org.pgas4j.Event;
import org.pgas4j.Stream;

/**
 * The streams of a rank's part in a product: one multiplies, the other copies what other ranks have. In a process the driver has
 * one queue for all copies from a device, in order of the calls, where a copy that waits, for memory or for the one before it in
 * its stream, holds up those of other ranks. So the host waits in its place, while the device multiplies. Used by the rank's thread.
 */
final class ProductStreams implements AutoCloseable {

    /** Shorter copies take about as long as a host that waits for them. */
    private static final long LONG_COPY_BYTES = 4L << 20;

    private final Stream compute;
    private final Stream copies;
    private final List<Event> events = new ArrayList<>();
    private Event longCopy; // null if the last copy is none

    ProductStreams(Device device) {
        this.compute = device.newStream();
        this.copies = device.newStream();
    }

    /** The stream that multiplies. */
    Stream compute() {
        return compute;
    }

    /** A point behind all that is multiplied so far. */
    Event mark() {
        return mark(compute);
    }

    private Event mark(Stream stream) {
        Event event = stream.record();
        events.add(event);
        return event;
    }

    /**
     * Queues a copy, for which what is multiplied from now on waits.
     *
     * @param bytes its length
     * @param copy  queues it in a stream
     */
    MatrixBox.Elements copy(long bytes, Function<Stream, MatrixBox.Elements> copy) {
        if (longCopy != null) {
            longCopy.sync();
        }
        MatrixBox.Elements elements = copy.apply(copies);
        Event copied = mark(copies);
        compute.await(copied);
        longCopy = bytes < LONG_COPY_BYTES ? null : copied;
        return elements;
    }

    /** Waits for everything. */
    void finish() {
        compute.sync();
        longCopy = null;
        events.forEach(Event::close);
        events.clear();
    }

    @Override
    public void close() {
        compute.close();
        copies.close();
    }
}
