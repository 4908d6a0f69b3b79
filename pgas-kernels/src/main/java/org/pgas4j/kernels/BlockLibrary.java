package org.pgas4j.kernels;

import java.util.Optional;
import java.util.ServiceLoader;

/** The device library of blocks, a service of the runtime, for commands that compile block programs and launch nothing. Thread-safe. */
public interface BlockLibrary {

    /**
     * Source of a block program with the library in place of its include.
     *
     * @param name of the function that would be launched
     */
    String expand(String name, String source);

    /** The library of the runtime that is there; empty if there is none. */
    static Optional<BlockLibrary> find() {
        return ServiceLoader.load(BlockLibrary.class, BlockLibrary.class.getClassLoader()).findFirst();
    }
}
