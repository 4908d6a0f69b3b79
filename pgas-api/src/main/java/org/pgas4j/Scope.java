package org.pgas4j;

/** Restores on close what {@link Rank#onDevice()} or {@link Rank#offDevice()} changed; closing twice does nothing. */
public interface Scope extends AutoCloseable {

    @Override
    void close();
}
