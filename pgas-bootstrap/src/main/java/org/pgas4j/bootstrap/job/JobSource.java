package org.pgas4j.bootstrap.job;

import java.util.Optional;
import java.util.ServiceLoader;
import org.pgas4j.PgasConfig;

/** Finds the job that this JVM was started for. Implementations are services and thread-safe. */
public interface JobSource {

    /**
     * Returns this JVM's share of its job, connected to the other JVMs; empty if this source knows of none. The share counts as
     * in use until {@link JobShare#runEnded()}.
     *
     * @param config concluded
     * @throws org.pgas4j.UsageException     if variables or settings contradict each other
     * @throws org.pgas4j.BootstrapException if the JVMs of the job do not find each other in time
     * @throws org.pgas4j.RefusedException   if the job's coordinator refuses this JVM
     */
    Optional<JobShare> join(PgasConfig config);

    /** The share of the first source that has one; sources are services of the class path, in its order. */
    static Optional<JobShare> find(PgasConfig config) {
        for (JobSource source : ServiceLoader.load(JobSource.class)) {
            Optional<JobShare> share = source.join(config);
            if (share.isPresent()) {
                return share;
            }
        }
        return Optional.empty();
    }
}
