package org.pgas4j;

import java.util.List;

/** A runtime, found with {@link java.util.ServiceLoader}. */
public interface PgasProvider {

    /**
     * Runs {@code program} on all ranks of this JVM and returns when they are done.
     *
     * @param config settings made so far; the provider concludes them
     * @param args   the program's arguments
     */
    void run(PgasConfig config, List<String> args, RankProgram program);
}
