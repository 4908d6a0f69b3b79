package org.pgas4j.bootstrap.node;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/** Makes node directories. An optional service: without one, JVMs of a node exchange addresses over the bootstrap only. */
public interface NodeDirectoryProvider {

    /**
     * Starts to open a directory; returns at once.
     *
     * @param file    in an owner-only directory
     * @param creator true in one JVM of the node only: it creates the file, for which the others wait
     * @param ranks   of the job
     */
    NodeDirectory open(Path file, boolean creator, int ranks);

    /**
     * Opens and closes a directory in {@code folder}, so that a JVM which records its classes for an archive has loaded
     * them.
     *
     * @throws IOException if that does not work within a minute
     */
    void rehearse(Path folder) throws IOException;

    /** Options that a JVM needs to use these directories. */
    List<String> jvmFlags();

    /** The first provider of the class path; empty without one. */
    static Optional<NodeDirectoryProvider> find() {
        return ServiceLoader.load(NodeDirectoryProvider.class).findFirst();
    }
}
