package org.pgas4j.device;

/**
 * Work captured from a stream, to be launched as often as wanted on any stream of the device (CUDA: a graph). Memory it names must be
 * open and registered while it runs; whoever launches sees to that. Closed by its owner, with no launch of it left undone.
 */
public interface AcceleratorGraph extends AutoCloseable {

    /** Operations it stands for. */
    int operations();

    @Override
    void close();
}
