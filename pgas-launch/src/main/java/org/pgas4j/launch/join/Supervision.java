package org.pgas4j.launch.join;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.pgas4j.bootstrap.Abort;
import org.pgas4j.bootstrap.ProcessLayout;
import org.pgas4j.bootstrap.Supervisor;

/**
 * Supervision of a job without launcher: process 0 sees the connections of all JVMs and ends the job when one ends
 * before its JVM has left the job. Thread-safe.
 */
final class Supervision extends Supervisor {

    private final Map<Integer, String> places = new ConcurrentHashMap<>();
    private final Set<Integer> connected = new HashSet<>();
    private final Set<Integer> left = ConcurrentHashMap.newKeySet();

    Supervision(ProcessLayout layout) {
        super(layout);
    }

    @Override
    public void joined(int process, String place) {
        places.put(process, place);
        joined(process);
    }

    @Override
    public synchronized void joined(int process) {
        connected.add(process);
    }

    @Override
    public void left(int process) {
        left.add(process);
    }

    @Override
    public void disconnected(int process) {
        synchronized (this) {
            connected.remove(process);
            notifyAll();
        }
        if (!left.contains(process)) {
            lost(process, "the process was lost: its connection ended before it left the job");
            left.add(process); // if the job goes on, then without it
        }
    }

    @Override
    public void broken(int process, String why) {
        lost(process, why);
    }

    @Override
    public void aborted(Abort cause) {
        synchronized (this) {
            notifyAll();
        }
    }

    @Override
    protected String place(int process) {
        return places.getOrDefault(process, "?") + " " + layout().ranksOf(process);
    }

    /**
     * Waits until all JVMs have left the job; after a failure until all have disconnected, or for
     * {@code afterFailureMs}.
     */
    void awaitEnd(long afterFailureMs) {
        long failedNs = 0;
        boolean interrupted = false;
        synchronized (this) {
            while (!connected.isEmpty() || !hasFailed() && left.size() < layout().processes()) {
                if (hasFailed()) {
                    failedNs = failedNs == 0 ? System.nanoTime() : failedNs;
                    if (System.nanoTime() - failedNs > afterFailureMs * 1_000_000) {
                        break;
                    }
                }
                try {
                    wait(100);
                } catch (InterruptedException _) {
                    interrupted = true;
                    break;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
