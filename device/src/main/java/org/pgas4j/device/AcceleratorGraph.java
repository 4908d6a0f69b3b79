package org.pgas4j.device;

/**
 * Work captured from a stream, which can be launched any number of times on any stream of the device (CUDA: a graph).
 * The caller keeps the memory it names open and registered while it runs. Closed by its owner, with no launch of it
 * left undone.
 */
public interface AcceleratorGraph extends AutoCloseable {

    /** Number of operations in it. */
    int operations();

    @Override
    void close();
}
