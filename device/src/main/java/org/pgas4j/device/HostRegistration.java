package org.pgas4j.device;

/** Host memory registered with a device; closing undoes it, closing twice does nothing. */
public interface HostRegistration extends AutoCloseable {

    /** True if copies from and to the memory run at full speed and without the host's help. */
    boolean effective();

    @Override
    void close();
}
