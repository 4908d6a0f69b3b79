package org.pgas4j.launch.join;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.pgas4j.BootstrapException;
import org.pgas4j.PgasException;
import org.pgas4j.RefusedException;
import org.pgas4j.bootstrap.JobSecret;
import org.pgas4j.bootstrap.KeepAlive;
import org.pgas4j.bootstrap.MeetingPoint;
import org.pgas4j.bootstrap.NettyBootstrap;
import org.pgas4j.bootstrap.ProcessLayout;

/** Connects a JVM to process 0: tries the known addresses repeatedly until the deadline. */
final class JobMeeting {

    private static final long PAUSE_MS = 50;
    private static final long CHANGE_MS = 2_000;
    /** Longer than process 0 waits for a proof: a JVM that gave up earlier might have been accepted all the same. */
    private static final Duration ATTEMPT = Duration.ofSeconds(30);

    private final String job;
    private final int process;
    private final ProcessLayout layout;
    private final long deadlineNs;
    private final KeepAlive keepAlive;
    private final long startNs = System.nanoTime();

    JobMeeting(String job, int process, ProcessLayout layout, long deadlineNs, KeepAlive keepAlive) {
        this.job = job;
        this.process = process;
        this.layout = layout;
        this.deadlineNs = deadlineNs;
        this.keepAlive = keepAlive;
    }

    /** Process 0, for messages. */
    String host() {
        return layout.describe(0);
    }

    /**
     * Connects by the file that process 0 writes. A file may be of an earlier start: the connection to its address
     * fails then, and another takes its place.
     *
     * @throws RefusedException   if process 0 refuses this JVM
     * @throws BootstrapException if none succeeds in time; names the last failure
     */
    NettyBootstrap byFile(Path directory) {
        return untilDeadline("process 0 has not written " + directory.resolve(job)
                + "; do all nodes see that directory (pgas.join.dir)?", last -> {
            MeetingFile file;
            try {
                file = MeetingFile.read(directory, job);
                if (file == null || file.isAbandoned()) {
                    return null;
                }
            } catch (IOException e) {
                throw new BootstrapException("cannot read " + directory.resolve(job) + ": " + e, e);
            }
            return new Found(file.start(), file.secret(), file.addresses().stream().map(address ->
                    new MeetingPoint(address, file.port(), file.tls(), host())).toList());
        });
    }

    /**
     * At an address that was agreed on before.
     *
     * @throws RefusedException   if process 0 refuses this JVM
     * @throws BootstrapException if there is no answer in time
     */
    NettyBootstrap at(MeetingPoint point, JobSecret secret) {
        return untilDeadline("no answer at " + point, _ -> new Found("", secret, List.of(point)));
    }

    private record Found(String start, JobSecret secret, List<MeetingPoint> points) {
    }

    private NettyBootstrap untilDeadline(String nothing, Function<PgasException, Found> look) {
        PgasException last = null;
        String refusedStart = null;
        long refusedNs = 0;
        while (System.nanoTime() - deadlineNs < 0) {
            Found found = look.apply(last);
            if (found != null && refusedStart != null && found.start.equals(refusedStart)) {
                if (System.nanoTime() - refusedNs > CHANGE_MS * 1_000_000) {
                    throw last; // it is this job's coordinator, which refused
                }
            } else if (found != null) {
                for (MeetingPoint point : found.points) {
                    try {
                        return NettyBootstrap.connect(point, found.secret, job, process, layout, attempt(), keepAlive);
                    } catch (RefusedException e) {
                        last = e;
                        refusedStart = found.start;
                        refusedNs = System.nanoTime();
                    } catch (BootstrapException e) {
                        last = e;
                    }
                }
            }
            pause();
        }
        throw new BootstrapException(layout.describe(process) + " of job " + job + " did not reach " + host() + " within "
                + (System.nanoTime() - startNs) / 1_000_000 + " ms (pgas.join.timeout): "
                + (last == null ? nothing : last.getMessage()), last);
    }

    private Duration attempt() {
        long left = Math.max(1, (deadlineNs - System.nanoTime()) / 1_000_000);
        return Duration.ofMillis(Math.min(left, ATTEMPT.toMillis()));
    }

    private void pause() {
        try {
            Thread.sleep(PAUSE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BootstrapException(layout.describe(process) + " was interrupted on its way to " + host(), e);
        }
    }
}
