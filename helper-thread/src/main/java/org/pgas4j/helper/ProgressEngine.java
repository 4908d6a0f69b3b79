package org.pgas4j.helper;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.pgas4j.HelperStats;
import org.pgas4j.fastpath.protocol.CopyStreams;
import org.pgas4j.fastpath.protocol.IdleStrategy;
import org.pgas4j.fastpath.protocol.Port;

/**
 * One rank's port and who works on it. The rank takes it for each of its own operations and whenever it looks around while it
 * waits; a helper takes it while the rank is busy elsewhere. What one leaves undone the other goes on with, in order.
 */
public final class ProgressEngine {

    /** Work beside the port, which the rank does when it looks around and a helper when it comes by. */
    @FunctionalInterface
    public interface Service {

        /**
         * Does what can be done without waiting. Called by one thread at a time: the rank's, which may own the port, or a
         * helper's, which does not; whoever needs the port asks for it with {@link ProgressEngine#tryEnter}.
         *
         * @return true if anything was done
         */
        boolean poll();

        /** False if nobody waits for what it does now, so that a rank which waits for its device need not look often; any thread. */
        default boolean isUrgent() {
            return true;
        }
    }

    private record Guarded(Service service, AtomicBoolean taken) {
    }

    private final int rank;
    private final Port port;
    private final IdleStrategy pause;
    private final Ownership ownership = new Ownership();
    private final ServiceTimes times = new ServiceTimes();
    private final Supplier<String> reason = this::describe;
    private volatile int busy;
    private volatile HelperThreads helpers;
    private volatile Guarded[] services = new Guarded[0];

    // The helper's.
    private CopyStreams helperAgent;
    private long firstSeenNs;

    /** @param pause how the rank waits; must not come back here */
    public ProgressEngine(int rank, Port port, IdleStrategy pause) {
        this.rank = rank;
        this.port = port;
        this.pause = pause;
    }

    int rank() {
        return rank;
    }

    /** Says which helper threads serve this rank. */
    void helpers(HelperThreads threads) {
        helpers = threads;
    }

    // ---- the rank

    /** Takes the port for the rank; {@link #exit} gives it back. */
    public Port enter() {
        if (!ownership.tryTake(Ownership.RANK)) {
            enterSlowPath();
        }
        return port;
    }

    private void enterSlowPath() {
        ownership.wanted(true);
        try {
            pause.begin();
            while (!ownership.tryTake(Ownership.RANK)) {
                pause.pause(reason);
            }
        } finally {
            ownership.wanted(false);
        }
    }

    private String describe() {
        return "endpoint of rank " + rank + ", which a helper works on";
    }

    /** Gives the port back. */
    public void exit() {
        ownership.release();
    }

    /** Takes the port if nobody has it; {@link #exit} gives it back. Null if somebody has. For services, on any thread. */
    public Port tryEnter() {
        return ownership.tryTake(Ownership.RANK) ? port : null;
    }

    // ---- services

    /** From now on {@code service} is polled; any thread. */
    public synchronized void addService(Service service) {
        Guarded[] more = Arrays.copyOf(services, services.length + 1);
        more[services.length] = new Guarded(service, new AtomicBoolean());
        services = more;
        HelperThreads threads = helpers;
        if (threads != null) {
            threads.wake();
        }
    }

    /** Nobody polls {@code service} once this has returned; not to be called by a service. */
    public void removeService(Service service) {
        Guarded removed = null;
        synchronized (this) {
            for (int i = 0; i < services.length && removed == null; i++) {
                if (services[i].service() == service) {
                    removed = services[i];
                    Guarded[] fewer = Arrays.copyOf(services, services.length - 1);
                    System.arraycopy(services, i + 1, fewer, i, fewer.length - i);
                    services = fewer;
                }
            }
        }
        // A poll that is under way ends by itself: it never waits.
        while (removed != null && !removed.taken().compareAndSet(false, true)) {
            Thread.onSpinWait();
        }
    }

    /** True if there is a service. */
    public boolean hasServices() {
        return services.length > 0;
    }

    /** True if there is a service whose work somebody may wait for. */
    public boolean hasUrgentServices() {
        for (Guarded guarded : services) {
            if (guarded.service().isUrgent()) {
                return true;
            }
        }
        return false;
    }

    /** Polls every service that nobody else polls now; any thread. True if anything was done. */
    public boolean pollServices() {
        boolean any = false;
        for (Guarded guarded : services) {
            if (!guarded.taken().getPlain() && guarded.taken().compareAndSet(false, true)) {
                try {
                    any |= guarded.service().poll();
                } finally {
                    guarded.taken().set(false);
                }
            }
        }
        return any;
    }

    /** Looks around once; never waits, not even for a helper. True if anything was done. */
    public boolean poll() {
        return services.length > 0 ? pollServices() | pollPort() : pollPort();
    }

    private boolean pollPort() {
        if (!port.isActive()) {
            return port.needsProgress() && port.progressConduit();
        }
        if (!ownership.tryTake(Ownership.RANK)) {
            return false;
        }
        try {
            return port.progress(port.ownAgent(), null, 0);
        } finally {
            ownership.release();
        }
    }

    /** Serves until nothing is left that can be done without waiting for another rank. True if anything was done. */
    public boolean serveAll() {
        boolean any = false;
        while (poll() || port.isActive() && port.isFlying()) {
            any = true;
        }
        return any;
    }

    /** True if polling can find anything. */
    public boolean isActive() {
        return port.isActive();
    }

    /** The rank is busy from here on; nests. */
    public void beginBusy() {
        busy = busy + 1; // written by the rank's thread alone
        HelperThreads threads = helpers;
        if (threads != null && isWorthALook()) {
            threads.wake();
        }
    }

    /** Undoes one {@link #beginBusy}. */
    public void endBusy() {
        busy = busy - 1;
    }

    /** What helpers did since the last call. */
    public HelperStats takeStats() {
        return times.take();
    }

    // ---- a helper

    /** True if the rank said it is busy. */
    boolean isBusy() {
        return busy > 0;
    }

    /** True if there can be anything to serve. */
    boolean isWorthALook() {
        return services.length > 0 || port.isActive() || port.needsProgress() && busy > 0;
    }

    /**
     * Serves the rank if it is to be served now.
     *
     * @param busyAtOnce  true to serve a busy rank without waiting for the threshold
     * @param thresholdNs how long a request waits otherwise
     * @param running     false when the helper is to end
     * @return true if anything was done or waits for the threshold
     */
    boolean serve(boolean busyAtOnce, long thresholdNs, BooleanSupplier running) {
        boolean any = services.length > 0 && pollServices();
        boolean free = ownership.isFree();
        any |= free && port.needsProgress() && port.progressConduit();
        // What the last owner left unfinished can be read while nobody owns the port; a stale answer costs one look.
        if (!port.hasMessage() && (!free || port.isIdle())) {
            firstSeenNs = 0;
            return any;
        }
        long nowNs = System.nanoTime();
        if (firstSeenNs == 0) {
            firstSeenNs = nowNs;
        }
        if (!(busyAtOnce && busy > 0) && nowNs - firstSeenNs < thresholdNs || !ownership.tryTake(Ownership.HELPER)) {
            return true;
        }
        try {
            if (helperAgent == null) {
                helperAgent = port.newAgent();
            }
            helperAgent.bind();
            do {
                // The item in hand: copies that are started here end here, before the rank gets its port back.
                any |= port.progress(helperAgent, times, firstSeenNs);
            } while (port.isFlying() && running.getAsBoolean());
            firstSeenNs = 0;
            return any;
        } finally {
            ownership.release();
        }
    }

    /** Ends the helper's streams; nobody serves this rank any more. */
    void closeHelper() {
        if (helperAgent != null) {
            helperAgent.bind();
            helperAgent.close();
            helperAgent = null;
        }
    }
}
