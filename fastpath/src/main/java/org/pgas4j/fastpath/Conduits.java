package org.pgas4j.fastpath;

import org.pgas4j.UsageException;
import org.pgas4j.fastpath.conduit.Conduit;
import org.pgas4j.fastpath.conduit.ConduitOptions;
import org.pgas4j.fastpath.conduit.loopback.LoopbackConduit;
import org.pgas4j.fastpath.conduit.node.NodeConduit;
import org.pgas4j.fastpath.conduit.shm.ShmConduit;
import org.pgas4j.fastpath.conduit.ucx.UcxConduit;

/** Opens conduits by name. */
public final class Conduits {

    private Conduits() {
    }

    /**
     * Opens a conduit.
     *
     * @param name {@code auto}, {@code shm}, {@code ucx} or {@code loopback}, the values of {@code pgas.conduit}
     * @throws UsageException if that conduit cannot serve that many JVMs, or is missing
     */
    public static Conduit open(String name, ConduitOptions options) {
        return switch (name) {
            case "auto" -> options.nodes() == 1 ? new ShmConduit() : new NodeConduit(options);
            case "shm" -> {
                if (options.nodes() > 1) {
                    throw new UsageException("pgas.conduit=shm works on one node, the job has " + options.nodes()
                            + "; use pgas.conduit=auto");
                }
                yield new ShmConduit();
            }
            case "ucx" -> new UcxConduit(options);
            case "loopback" -> {
                if (options.processes() > 1) {
                    throw new UsageException("pgas.conduit=loopback works inside one JVM, the job has " + options.processes()
                            + "; use pgas.conduit=shm or one process");
                }
                yield new LoopbackConduit();
            }
            default -> throw new UsageException("unknown conduit '" + name + "' (expected: auto, shm, ucx or loopback)");
        };
    }
}
