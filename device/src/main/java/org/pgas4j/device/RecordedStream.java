package org.pgas4j.device;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Records operations, for {@link #playOn}: a graph whose operations the host queues one by one. */
public final class RecordedStream implements AcceleratorStream, AcceleratorGraph {

    private final Accelerator device;
    private final List<StreamOperation> operations = new ArrayList<>();
    private boolean closed;

    /** @param device of all streams that will play it */
    public RecordedStream(Accelerator device) {
        this.device = device;
    }

    /** Queues the recorded operations on a stream of device {@code its}. */
    public void playOn(AcceleratorStream stream, Accelerator its) {
        if (closed) {
            throw new IllegalStateException(this + " is closed");
        }
        if (its != device) {
            throw new IllegalArgumentException(this + " launched on " + its);
        }
        for (int i = 0; i < operations.size(); i++) {
            stream.submit(operations.get(i));
        }
    }

    @Override
    public int operations() {
        return operations.size();
    }

    @Override
    public void submit(StreamOperation operation) {
        switch (operation) {
            case StreamOperation.Product _ -> throw notCaptured("gemm");
            case StreamOperation.LaunchBlocks _ -> throw notCaptured("a launch of blocks");
            case StreamOperation.LaunchGraph _ -> throw notCaptured("a launch of a graph");
            default -> operations.add(operation);
        }
    }

    private IllegalStateException notCaptured(String what) {
        return new IllegalStateException(what + " cannot be captured");
    }

    @Override
    public AcceleratorGraph capture(Consumer<AcceleratorStream> work) {
        throw notCaptured("a capture");
    }

    @Override
    public StreamEvent record() {
        throw notCaptured("an event");
    }

    @Override
    public void await(StreamEvent event) {
        throw notCaptured("a wait for an event");
    }

    @Override
    public boolean isIdle() {
        throw notCaptured("a look whether the stream is idle");
    }

    @Override
    public boolean sync(long deadlineNs) {
        throw notCaptured("a wait for the stream");
    }

    @Override
    public int ahead() {
        return 0;
    }

    @Override
    public void close() {
        closed = true;
    }

    @Override
    public String toString() {
        return "graph of " + operations.size() + " operations of " + device;
    }
}
