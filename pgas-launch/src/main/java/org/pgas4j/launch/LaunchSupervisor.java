package org.pgas4j.launch;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.pgas4j.bootstrap.Abort;
import org.pgas4j.bootstrap.Supervisor;

/**
 * Supervisor of the JVMs or agents that this process has started. Events are handled one by one on the thread that runs
 * {@link #watch}; any thread may add them.
 *
 * @param <E> event
 */
abstract class LaunchSupervisor<E> extends Supervisor implements JobRun.Part {

    private static final long POLL_MS = 50;

    protected final JobOptions options;
    protected final Escalation escalation;
    private final BlockingQueue<E> events = new LinkedBlockingQueue<>();

    LaunchSupervisor(JobOptions options) {
        super(options.layout());
        this.options = options;
        this.escalation = new Escalation(options.grace());
    }

    protected final void add(E event) {
        events.add(event);
    }

    protected final boolean hasEvents() {
        return !events.isEmpty();
    }

    /** Handles events until everything has ended, and ends the job if it takes longer than its timeout. */
    protected final void watch() throws InterruptedException {
        Duration timeout = options.timeout();
        long startNs = System.nanoTime();
        while (isRunning()) {
            E event = events.poll(POLL_MS, TimeUnit.MILLISECONDS);
            if (event != null) {
                handle(event);
            }
            long now = System.nanoTime();
            if (timeout != null && now - startNs >= timeout.toNanos()) {
                end(Escalation.timedOut(timeout));
            }
            if (hasFailed()) {
                escalation.failed();
            }
            step(now);
        }
    }

    @Override
    public void lost(Abort cause) {
        System.err.println("pgas4j: " + cause.loss() + "; the job goes on without it (pgas.lost=event)");
    }

    /** True until everything that this process has started has ended. */
    protected abstract boolean isRunning();

    protected abstract void handle(E event);

    /** Performs steps that depend on time; after each event and in between. */
    protected abstract void step(long nowNs);
}
