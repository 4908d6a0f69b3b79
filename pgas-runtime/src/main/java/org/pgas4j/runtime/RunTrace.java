package org.pgas4j.runtime;

import java.nio.file.Path;
import java.util.Optional;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.bootstrap.Bootstrap;
import org.pgas4j.bootstrap.node.Nodes;
import org.pgas4j.bootstrap.trace.JvmTrace;

/** The timeline of a run, if {@code pgas.trace} asks for one. Used by the thread that runs the ranks. */
final class RunTrace implements AutoCloseable {

    private final Bootstrap bootstrap;
    private final String key;
    private final Path file;
    private final long timeoutNs;
    private final JvmTrace trace; // null if there is none
    private boolean sameMachine;

    /**
     * Turns the timeline on.
     *
     * @param run number of the run in the job
     */
    RunTrace(PgasConfig config, Bootstrap bootstrap, int run) {
        this.bootstrap = bootstrap;
        this.key = "trace-" + run;
        this.file = Path.of(config.text(PgasKey.TRACE));
        this.timeoutNs = config.duration(PgasKey.TIMEOUT).toNanos();
        this.trace = config.text(PgasKey.TRACE).equals("none") ? null
                : new JvmTrace(run, bootstrap, config.count(PgasKey.TRACE_EVENTS));
    }

    private long deadline() {
        return System.nanoTime() + timeoutNs;
    }

    /** Compares clocks; the JVMs of the job have met since this was made. */
    void begin(Nodes nodes, Optional<Path> folder) {
        if (trace != null) {
            sameMachine = nodes.isHere(0);
            trace.measure(sameMachine, deadline());
            folder.ifPresent(trace::writeOnFailure);
        }
    }

    /** Compares clocks again unless the job has failed, and writes; the ranks have ended, or will not. */
    void end(Optional<Path> folder) {
        if (trace == null) {
            return;
        }
        if (bootstrap.aborted() == null) {
            try {
                trace.measure(sameMachine, deadline());
                bootstrap.allGather(key, new byte[0], deadline()); // process 0 answers until all have measured
            } catch (PgasException e) {
                System.err.println("pgas4j: clocks were not compared again at the end of the run: " + e.getMessage());
            }
        }
        trace.write(folder, file);
    }

    /** Turns the timeline off. */
    @Override
    public void close() {
        if (trace != null) {
            trace.close();
        }
    }
}
