package org.pgas4j.fastpath.conduit;

import org.pgas4j.UsageException;
import org.pgas4j.fastpath.conduit.loopback.LoopbackConduit;
import org.pgas4j.fastpath.conduit.shm.ShmConduit;

/** Makes conduits by name. */
public final class Conduits {

    private Conduits() {
    }

    /**
     * A new conduit.
     *
     * @param name      {@code auto}, {@code shm} or {@code loopback}, the values of {@code pgas.conduit}
     * @param processes JVMs of the job
     * @throws UsageException if that conduit cannot serve that many JVMs
     */
    public static Conduit open(String name, int processes) {
        return switch (name) {
            case "auto", "shm" -> new ShmConduit();
            case "loopback" -> {
                if (processes > 1) {
                    throw new UsageException("pgas.conduit=loopback works inside one JVM, the job has " + processes
                            + "; use pgas.conduit=shm or one process");
                }
                yield new LoopbackConduit();
            }
            default -> throw new UsageException("unknown conduit '" + name + "' (expected: auto, shm or loopback)");
        };
    }
}
