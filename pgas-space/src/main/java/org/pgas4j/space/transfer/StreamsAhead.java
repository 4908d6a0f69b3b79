package org.pgas4j.space.transfer;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.space.sync.Waiter;

/**
 * How far a rank's streams run ahead of their devices. What a device has no room for is handed over by a service, while the rank
 * waits or by its helper; memory is bounded by {@value #MAX_AHEAD} operations of each stream, behind which the rank waits, with the
 * deadline of any wait. Used by the rank's thread.
 */
public final class StreamsAhead implements ProgressEngine.Service, AutoCloseable {

    private static final int MAX_AHEAD = 1 << 15;

    private final int rank;
    private final Waiter waiter;
    private final ProgressEngine progress;
    private final Supplier<String> reason = this::describe;
    private final Supplier<String> handOver = this::describeHandOver;
    private volatile List<AcceleratorStream> streams = List.of(); // written by the rank's thread
    private boolean closed;

    StreamsAhead(int rank, Waiter waiter, ProgressEngine progress) {
        this.rank = rank;
        this.waiter = waiter;
        this.progress = progress;
    }

    /** Before or after an operation is queued on {@code stream}. */
    public void keepUp(AcceleratorStream stream) {
        if (stream.ahead() > 0) {
            keepUpSlowPath(stream);
        }
    }

    private void keepUpSlowPath(AcceleratorStream stream) {
        if (!closed && !streams.contains(stream) && !stream.handOver()) {
            boolean first = streams.isEmpty();
            List<AcceleratorStream> more = new ArrayList<>(streams);
            more.add(stream);
            streams = List.copyOf(more);
            if (first) {
                progress.addService(this);
            }
        }
        if (stream.ahead() >= MAX_AHEAD) {
            waiter.activity().enter(Phase.TRANSFER);
            waiter.begin();
            while (stream.ahead() >= MAX_AHEAD) {
                waiter.pause(reason);
            }
            waiter.activity().leave();
        }
    }

    /** Waits until the device has everything that was queued on {@code stream}; not until it is done. */
    public void handOverAll(AcceleratorStream stream) {
        if (stream.ahead() == 0 || stream.handOver()) {
            return;
        }
        waiter.activity().enter(Phase.TRANSFER);
        waiter.begin();
        while (!stream.handOver()) {
            waiter.pause(handOver);
        }
        waiter.activity().leave();
    }

    private String describe() {
        return "stream of rank " + rank + ", which holds " + MAX_AHEAD + " operations that its device has not begun: room for one more";
    }

    /** After a wait: streams that have kept up need no service. */
    void settle() {
        if (!streams.isEmpty() && streams.stream().allMatch(stream -> stream.ahead() == 0)) {
            forgetAll();
        }
    }

    private String describeHandOver() {
        return "stream of rank " + rank + ": room in its device for all that was queued";
    }

    private void forgetAll() {
        if (!streams.isEmpty()) {
            progress.removeService(this);
            streams = List.of();
        }
    }

    /** A stream is about to be closed. */
    public void forget(AcceleratorStream stream) {
        if (streams.contains(stream)) {
            progress.removeService(this); // returns when nobody polls
            streams = streams.stream().filter(other -> other != stream).toList();
            if (!streams.isEmpty()) {
                progress.addService(this);
            }
        }
    }

    @Override
    public boolean poll() {
        boolean any = false;
        List<AcceleratorStream> now = streams;
        for (int i = 0; i < now.size(); i++) {
            any |= AcceleratorStream.advance(now.get(i));
        }
        return any;
    }

    /** Reports no urgency: an operation for which a stream has no room has many before it. */
    @Override
    public boolean isUrgent() {
        return false;
    }

    @Override
    public void close() {
        closed = true;
        forgetAll();
    }
}
