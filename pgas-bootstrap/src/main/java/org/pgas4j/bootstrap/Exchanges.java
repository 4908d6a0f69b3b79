package org.pgas4j.bootstrap;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.pgas4j.PeerLostException;
import org.pgas4j.PgasException;
import org.pgas4j.PgasTimeoutException;

/** The exchanges under way, as this JVM sees them. Thread-safe. */
final class Exchanges {

    private final ProcessLayout layout;
    private final Set<Integer> left;
    private final Losses losses;
    private final AbortState aborts;
    private final Map<String, byte[][]> underWay = new HashMap<>();

    Exchanges(ProcessLayout layout, Set<Integer> left, Losses losses, AbortState aborts) {
        this.layout = layout;
        this.left = left;
        this.losses = losses;
        this.aborts = aborts;
    }

    /** Takes the share of a JVM, this one included. */
    synchronized void received(String key, int process, byte[] value) {
        if (process < 0 || process >= layout.processes()) {
            throw new ProtocolException("exchange " + key + " of process " + process);
        }
        values(key)[process] = value;
        notifyAll();
    }

    /** Wakes the waits: something else has changed that they depend on. */
    synchronized void changed() {
        notifyAll();
    }

    /**
     * Waits for the shares of all JVMs.
     *
     * @param living true to go on without those that have ended; else their end is an exception
     */
    synchronized byte[][] await(String key, boolean living, long deadlineNs) {
        long startNs = System.nanoTime();
        byte[][] values = values(key);
        try {
            while (true) {
                int[] missing = IntStream.range(0, values.length).filter(process -> values[process] == null
                        && !(living && hasEnded(process))).toArray();
                if (missing.length == 0) {
                    return values;
                }
                if (aborts.first() != null) {
                    throw aborts.first().exception();
                }
                int[] gone = IntStream.of(missing).filter(process -> !living && hasEnded(process)).toArray();
                if (gone.length > 0) {
                    throw new PeerLostException("allGather " + key + ": " + layout.describe(gone)
                            + " ended without taking part");
                }
                long waitNs = deadlineNs - System.nanoTime();
                if (waitNs <= 0) {
                    throw new PgasTimeoutException("allGather " + key + " timed out after " + millisSince(startNs)
                            + " ms: missing " + layout.describe(missing)
                            + "; pgas.timeout sets the deadline of a wait");
                }
                wait(waitNs / 1_000_000, (int) (waitNs % 1_000_000));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PgasException("allGather " + key + " interrupted", e);
        } finally {
            underWay.remove(key);
        }
    }

    private boolean hasEnded(int process) {
        return left.contains(process) || losses.has(process);
    }

    static long millisSince(long startNs) {
        return (System.nanoTime() - startNs) / 1_000_000;
    }

    private byte[][] values(String key) {
        return underWay.computeIfAbsent(key, _ -> new byte[layout.processes()][]);
    }
}
