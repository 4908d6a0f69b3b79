package org.pgas4j.launch;

import java.util.Optional;
import org.pgas4j.PgasConfig;
import org.pgas4j.bootstrap.job.JobShare;
import org.pgas4j.bootstrap.job.JobSource;

/** Source of jobs whose JVMs pgasrun has started. */
public final class LaunchedJobs implements JobSource {

    /** For the service loader. */
    public LaunchedJobs() {
    }

    @Override
    public Optional<JobShare> join(PgasConfig config) {
        return LaunchedJob.current().map(job -> job);
    }
}
