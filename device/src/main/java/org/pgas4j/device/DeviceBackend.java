package org.pgas4j.device;

/** A family of devices this JVM can use: {@code cuda} or {@code host}. Thread-safe. */
public interface DeviceBackend extends AutoCloseable {

    /** {@code cuda} or {@code host}. */
    String name();

    /** Number of devices. */
    int count();

    /**
     * The device {@code ordinal}; the same object every time.
     *
     * @throws org.pgas4j.DeviceException if it cannot be opened; the message has the driver's call and code
     */
    Accelerator open(int ordinal);

    /** Closes all devices and frees what is left on them. */
    @Override
    void close();
}
