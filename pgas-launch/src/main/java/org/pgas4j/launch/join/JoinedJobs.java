package org.pgas4j.launch.join;

import java.util.Optional;
import org.pgas4j.PgasConfig;
import org.pgas4j.bootstrap.job.JobShare;
import org.pgas4j.bootstrap.job.JobSource;

/** Source of jobs whose JVMs mpirun, srun, torchrun, Kubernetes or a script has started. */
public final class JoinedJobs implements JobSource {

    /** For the service loader. */
    public JoinedJobs() {
    }

    @Override
    public Optional<JobShare> join(PgasConfig config) {
        return JoinedJob.of(config).map(job -> job);
    }
}
