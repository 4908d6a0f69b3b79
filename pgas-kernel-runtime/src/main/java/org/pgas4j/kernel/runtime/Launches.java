package org.pgas4j.kernel.runtime;

import org.pgas4j.Kernel;
import org.pgas4j.bootstrap.event.KernelEvent;
import org.pgas4j.device.AcceleratorStream;

/** Launches kernels, and records that if a recording wants it. */
public final class Launches {

    private Launches() {
    }

    /** Queues a kernel of rank {@code rank} on a stream. */
    public static void launch(int rank, AcceleratorStream stream, Kernel kernel, Kernel.Shape shape, Object... args) {
        if (KernelEvent.isOn()) {
            KernelEvent event = new KernelEvent();
            event.begin();
            stream.launch(kernel, shape, args);
            event.commit(rank, kernel.name());
        } else {
            stream.launch(kernel, shape, args);
        }
    }
}
