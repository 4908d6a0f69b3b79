package org.pgas4j;

/**
 * A communication described in full ahead of time, to be started by a stream or a kernel without the program's thread
 * (GPUDirect Async's descriptors). Closing it gives its number back; nothing may trigger it afterwards.
 */
public interface Prepared extends AutoCloseable {

    /** Number by which a kernel triggers it. */
    int id();

    @Override
    void close();
}
