package org.pgas4j.device.host;

import org.pgas4j.DeviceException;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.DeviceBackend;

/** Presents the host as one or more devices, which all reach each other. Thread-safe. */
public final class HostBackend implements DeviceBackend {

    /** Name of this backend. */
    public static final String NAME = "host";

    private final HostAccelerator[] devices;

    /**
     * Makes the devices.
     *
     * @param devices number of devices
     * @param threads number of threads that one device's matrix products and kernels may use
     */
    public HostBackend(int devices, int threads) {
        if (devices < 1 || threads < 1) {
            throw new IllegalArgumentException("host devices out of range: devices=" + devices + " threads=" + threads
                    + " (expected: both > 0)");
        }
        this.devices = new HostAccelerator[devices];
        for (int i = 0; i < devices; i++) {
            this.devices[i] = new HostAccelerator(i, threads);
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int count() {
        return devices.length;
    }

    @Override
    public Accelerator open(int ordinal) {
        if (ordinal < 0 || ordinal >= devices.length) {
            throw new DeviceException("no device host:" + ordinal + ": the host shows " + devices.length
                    + " (pgas.host.devices)");
        }
        return devices[ordinal];
    }

    @Override
    public void close() {
        RuntimeException first = null;
        for (HostAccelerator device : devices) {
            try {
                device.close();
            } catch (RuntimeException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
