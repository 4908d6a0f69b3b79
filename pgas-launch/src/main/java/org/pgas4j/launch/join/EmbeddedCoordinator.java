package org.pgas4j.launch.join;

import java.io.IOException;
import java.nio.file.Path;
import org.pgas4j.bootstrap.Abort;
import org.pgas4j.bootstrap.Coordinator;
import org.pgas4j.bootstrap.JobSecret;
import org.pgas4j.bootstrap.MeetingPoint;

/** Coordinator in process 0 of a job without launcher and, while JVMs join, the file with its address. */
final class EmbeddedCoordinator {

    private final Coordinator coordinator;
    private final Supervision supervision;
    private final MeetingPoint own;
    private final JobSecret secret;
    private final MeetingFile file;
    private final Path directory;

    /**
     * @param own       address of the coordinator for this JVM itself
     * @param file      written; null if there is none
     * @param directory of the file
     */
    EmbeddedCoordinator(Coordinator coordinator, Supervision supervision, MeetingPoint own, JobSecret secret, MeetingFile file,
            Path directory) {
        this.coordinator = coordinator;
        this.supervision = supervision;
        this.own = own;
        this.secret = secret;
        this.file = file;
        this.directory = directory;
    }

    MeetingPoint own() {
        return own;
    }

    JobSecret secret() {
        return secret;
    }

    Abort aborted() {
        return coordinator.aborted();
    }

    /** Removes the file: all JVMs have joined, or never will. */
    void forgetMeetingFile() {
        if (file != null) {
            try {
                file.remove(directory);
            } catch (IOException e) {
                JoinedJob.debug(file + " remains in " + directory, e); // the next job of this user removes it
            }
        }
    }

    /** Waits until all JVMs have left the job, or after a failure for a while. */
    void awaitOthers(long afterFailureMs) {
        supervision.awaitEnd(afterFailureMs);
    }
}
