package org.pgas4j.launch.join;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.pgas4j.bootstrap.Abort;
import org.pgas4j.bootstrap.Coordinator;
import org.pgas4j.bootstrap.ProcessLayout;

/**
 * What a launcher does otherwise: process 0 sees the connections of all JVMs and ends the job when one ends without
 * goodbye. Thread-safe.
 */
final class Supervision implements Coordinator.Listener {

    private final ProcessLayout layout;
    private final Map<Integer, String> places = new ConcurrentHashMap<>();
    private final Set<Integer> connected = new HashSet<>();
    private final Set<Integer> left = ConcurrentHashMap.newKeySet();
    private volatile Coordinator coordinator;

    Supervision(ProcessLayout layout) {
        this.layout = layout;
    }

    /** Before anybody can have joined: nobody else knows the port. */
    void watch(Coordinator started) {
        coordinator = started;
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
            lost(process, "the process was lost: its connection ended without goodbye");
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

    private void lost(int process, String what) {
        if (coordinator.aborted() == null) {
            coordinator.abort(new Abort(layout.firstRank(process), places.getOrDefault(process, "?") + " "
                    + layout.ranksOf(process), "running", what, Abort.PEER_LOST, true));
        }
    }

    /** Waits until all JVMs have said goodbye or the job has failed; after a failure until they are gone, at most a time. */
    void awaitEnd(long afterFailureMs) {
        long failedNs = 0;
        boolean interrupted = false;
        synchronized (this) {
            while (!connected.isEmpty() || coordinator.aborted() == null && left.size() < layout.processes()) {
                if (coordinator.aborted() != null) {
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
