package org.pgas4j.runtime;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.pgas4j.PgasException;
import org.pgas4j.RankCounters;
import org.pgas4j.bootstrap.Bootstrap;
import org.pgas4j.bootstrap.stats.JobStats;
import org.pgas4j.bootstrap.stats.StatsFolder;
import org.pgas4j.bootstrap.stats.StatsReport;

/**
 * Counters of this JVM's ranks in one run, and their way to the summary of the job: into files for a supervisor that reads
 * them, else to process 0 over the control plane, which prints. Thread-safe.
 */
final class RunStats {

    private final int run;
    private final Map<Integer, RankCounts> ranks = new ConcurrentHashMap<>();

    /** @param run number of the run in the job */
    RunStats(int run) {
        this.run = run;
    }

    /** Number of the run in the job, and in this JVM. */
    int run() {
        return run;
    }

    /** Adds a rank that starts. */
    void add(int rank, RankCounts counts) {
        ranks.put(rank, counts);
    }

    private List<RankCounters> look() {
        return ranks.values().stream().map(RankCounts::look).sorted(Comparator.comparingInt(RankCounters::rank)).toList();
    }

    /** Has the counters written to {@code folder} if the job fails: JVMs of a failed job may not come to the end of the run. */
    void writeOnFailure(Path folder, Bootstrap bootstrap) {
        bootstrap.onAbort(_ -> write(folder, bootstrap));
    }

    /**
     * Writes or prints the counters at the end of the run.
     *
     * @param folder     of a supervisor that reads them
     * @param deadlineNs {@link System#nanoTime()} value by which the other JVMs must have come
     */
    void end(Optional<Path> folder, Bootstrap bootstrap, long deadlineNs) {
        if (folder.isPresent()) {
            write(folder.get(), bootstrap);
            return;
        }
        JobStats stats = new JobStats(bootstrap.ranks());
        if (bootstrap.processes() == 1) {
            stats.add(look());
        } else if (bootstrap.aborted() != null || !gather(stats, bootstrap, deadlineNs)) {
            return; // the JVMs of a failed job have no common end
        }
        if (bootstrap.process() == 0) {
            System.err.print(StatsReport.of(stats));
            System.err.flush();
        }
    }

    private void write(Path folder, Bootstrap bootstrap) {
        try {
            StatsFolder.write(folder, run, bootstrap.process(), look());
        } catch (IOException e) {
            System.err.println("pgas4j: the counters of process " + bootstrap.process() + " cannot be written to " + folder
                    + ": " + e);
        }
    }

    /** True if the counters of all JVMs have come. */
    private boolean gather(JobStats stats, Bootstrap bootstrap, long deadlineNs) {
        try {
            for (byte[] each : bootstrap.allGather("stats-" + run, JobStats.encode(look()), deadlineNs)) {
                stats.add(each);
            }
            return true;
        } catch (IOException | PgasException e) {
            System.err.println("pgas4j: no counters of the job's other processes: " + e.getMessage());
            return false;
        }
    }
}
