package org.pgas4j;

/**
 * Work that was {@linkplain Stream#capture captured} once and is launched as often as wanted, on any stream of the rank that captured
 * it (on CUDA devices a CUDA graph). Used by the rank's thread. Closed by its owner when no launch of it is left undone, or with the
 * rank's device.
 */
public interface StreamGraph extends AutoCloseable {

    /** Operations of the device that a launch stands for. */
    int operations();

    @Override
    void close();
}
