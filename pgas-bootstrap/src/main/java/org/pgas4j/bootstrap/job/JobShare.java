package org.pgas4j.bootstrap.job;

import java.nio.file.Path;
import java.util.Optional;
import org.pgas4j.bootstrap.Bootstrap;
import org.pgas4j.bootstrap.watch.StatusBoard;

/** One JVM's share of a job of several JVMs. Thread-safe. */
public interface JobShare {

    /** Connected to the job's other JVMs. */
    Bootstrap bootstrap();

    /** Status of this JVM's ranks, readable by the job's supervisor. */
    StatusBoard board();

    /** Owner-only directory in memory that the job's JVMs of this node share; empty if they have none. */
    Optional<Path> directory();

    /**
     * Directory into which the counters of this JVM's ranks go at the end of a run, for the job's supervisor to summarise;
     * empty if the runs of the job print their summaries themselves.
     */
    default Optional<Path> statsFolder() {
        return Optional.empty();
    }

    /** Lowest process number of the job on this node: it creates the files that the JVMs of the node share. */
    int firstProcessOnNode();

    /** True if a rank that fails prints its failure itself, since nothing else of this JVM will. */
    boolean ranksPrintFailures();

    /** Reports that a run failed in this JVM, where nothing else would report it to the job. */
    void runFailed(Throwable failure);

    /** Marks this JVM's ranks as done: until the share is requested again, the JVM may end without being lost. */
    void runEnded();
}
