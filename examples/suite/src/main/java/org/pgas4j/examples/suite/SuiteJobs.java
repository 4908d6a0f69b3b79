package org.pgas4j.examples.suite;

import java.io.IOException;
import java.util.List;

/** Runs jobs. */
interface SuiteJobs {

    /**
     * End of a job.
     *
     * @param code   exit code of the launcher
     * @param result last line of JSON that the job has written; empty if there is none
     */
    record Ended(int code, String result) {
    }

    /** Runs a job to its end; {@code words} are the launcher's arguments. */
    Ended run(List<String> words) throws IOException, InterruptedException;
}
