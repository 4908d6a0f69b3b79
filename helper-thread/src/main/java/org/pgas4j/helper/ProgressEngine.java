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
 * Progress of one rank's port. The rank takes the port for each of its own operations and for each poll while it waits;
 * a helper takes it while the rank is busy. Either continues in order from where the other stopped.
 */
public final class ProgressEngine {

    /** Work beside the port, which the rank does when it polls and a helper in its rounds. */
    @FunctionalInterface
    public interface Service {

        /**
         * Does everything that can be done without waiting. Called by one thread at a time: the rank's, which may own
         * the port, or a helper's, which does not; a service takes the port with {@link ProgressEngine#tryEnter},
         * or asks {@link ProgressEngine#mayEnter}.
         *
         * @return true if anything was done
         */
        boolean poll();

        /** False if no rank or kernel waits for its work now, so that a rank may poll it less often. Any thread. */
        default boolean isUrgent() {
            return true;
        }
    }

    /** Result of a helper's look at a rank. */
    enum Round {
        /** There was nothing to do. */
        IDLE,
        /** A request waits for its threshold, or for the port, which the rank owns. */
        WAITING,
        /** Something was done. */
        SERVED;

        static Round of(boolean any) {
            return any ? SERVED : IDLE;
        }
    }

    private record Guarded(Service service, AtomicBoolean taken) {
    }

    /** Rounds of a helper, of a microsecond each, between two calls of the device's driver while there is nothing to serve. */
    static final int ROUNDS_BETWEEN_CALLS = 128;

    private final int rank;
    private final Port port;
    private final IdleStrategy pause;
    private final Ownership ownership = new Ownership();
    private final ServiceTimes times;
    private final Supplier<String> reason = this::describe;
    private volatile int busy;
    private volatile HelperThreads helpers;
    private volatile Guarded[] services = new Guarded[0];
    private boolean entering; // the rank's

    // The helper's.
    private CopyStreams helperStreams;
    private long firstSeenNs;
    private int idleRounds; // beside a busy rank, since the last call of the driver

    /** @param pause idle strategy of the rank; must not call this engine's port */
    public ProgressEngine(int rank, Port port, IdleStrategy pause) {
        this.rank = rank;
        this.times = new ServiceTimes(rank);
        this.port = port;
        this.pause = pause;
    }

    int rank() {
        return rank;
    }

    /** Sets the helper threads that serve this rank. */
    void helpers(HelperThreads threads) {
        helpers = threads;
    }

    // ---- the rank

    /** Takes the port for the rank; {@link #exit} releases it. */
    public Port enter() {
        if (!ownership.tryTake(Ownership.RANK)) {
            enterSlowPath();
        }
        return port;
    }

    private void enterSlowPath() {
        ownership.wanted(true);
        entering = true;
        try {
            pause.begin();
            while (!ownership.tryTake(Ownership.RANK)) {
                pause.pause(reason);
            }
        } finally {
            entering = false;
            ownership.wanted(false);
        }
    }

    private String describe() {
        return "port of rank " + rank + ", which a helper owns";
    }

    /** Releases the port. */
    public void exit() {
        ownership.release();
    }

    /**
     * True if the rank's thread may {@link #enter}: it is not in the port already, and does not wait for it, with a transfer in its
     * hands whose memory and description another would overwrite. For services on that thread, which are polled during both waits.
     */
    public boolean mayEnter() {
        return !entering && !ownership.isTheRanks();
    }

    /** Takes the port if it is free, else returns null; {@link #exit} releases it. For services, on any thread. */
    public Port tryEnter() {
        return ownership.tryTake(Ownership.RANK) ? port : null;
    }

    // ---- services

    /** Adds a service, which is polled from now on. Any thread. */
    public synchronized void addService(Service service) {
        Guarded[] more = Arrays.copyOf(services, services.length + 1);
        more[services.length] = new Guarded(service, new AtomicBoolean());
        services = more;
        HelperThreads threads = helpers;
        if (threads != null) {
            threads.wake();
        }
    }

    /** Removes a service; no thread polls it once this has returned. Not for services. */
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
        // A poll in progress ends by itself: it never waits.
        while (removed != null && !removed.taken().compareAndSet(false, true)) {
            Thread.onSpinWait();
        }
    }

    /** True if there is a service. */
    public boolean hasServices() {
        return services.length > 0;
    }

    /** True if there is an urgent service. */
    public boolean hasUrgentServices() {
        for (Guarded guarded : services) {
            if (guarded.service().isUrgent()) {
                return true;
            }
        }
        return false;
    }

    /** Polls every service that no other thread polls now; true if anything was done. Any thread. */
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

    /** Polls the services and the port once; never waits, not even for a helper. True if anything was done. */
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
            return port.progress(port.ownStreams(), null, 0);
        } finally {
            ownership.release();
        }
    }

    /** Polls until nothing is left that can be done without waiting for a peer. True if anything was done. */
    public boolean serveAll() {
        boolean any = false;
        while (poll() || port.isActive() && port.isCopying()) {
            any = true;
        }
        return any;
    }

    /** True if polling can find anything. */
    public boolean isActive() {
        return port.isActive();
    }

    /** Marks the rank busy; nests. */
    public void beginBusy() {
        busy = busy + 1; // written by the rank's thread alone
        HelperThreads threads = helpers;
        if (threads != null && mayHaveWork()) {
            threads.wake();
        }
    }

    /** Undoes one {@link #beginBusy}. */
    public void endBusy() {
        busy = busy - 1;
    }

    /** Statistics of the helpers' work since the last call. */
    public HelperStats takeStats() {
        return times.take();
    }

    // ---- a helper

    /** True if the rank is marked busy. */
    boolean isBusy() {
        return busy > 0;
    }

    /** True if there can be anything to serve. */
    boolean mayHaveWork() {
        return services.length > 0 || port.isActive() || port.needsProgress() && busy > 0;
    }

    /**
     * Serves the rank if it is busy or a request has waited too long.
     *
     * @param busyAtOnce  true to serve a busy rank without waiting for the threshold
     * @param thresholdNs time that a request waits otherwise
     * @param running     false once the helper has to end
     * @return what came of it
     */
    Round serve(boolean busyAtOnce, long thresholdNs, BooleanSupplier running) {
        boolean any = services.length > 0 && pollServices();
        boolean free = ownership.isFree();
        any |= free && port.needsProgress() && port.progressConduit();
        // Work that the last owner left unfinished can be read while the port is free; a stale answer costs one round.
        if (!port.hasMessage() && (!free || port.isIdle())) {
            firstSeenNs = 0;
            keepReady();
            return Round.of(any);
        }
        long nowNs = System.nanoTime();
        if (firstSeenNs == 0) {
            firstSeenNs = nowNs;
        }
        if (!(busyAtOnce && busy > 0) && nowNs - firstSeenNs < thresholdNs || !ownership.tryTake(Ownership.HELPER)) {
            return any ? Round.SERVED : Round.WAITING;
        }
        try {
            if (helperStreams == null) {
                helperStreams = port.newCopyStreams();
            }
            helperStreams.bind();
            any |= port.progress(helperStreams, times, firstSeenNs);
            // Copies started here end here. Meanwhile more messages are taken, but not while the rank waits for its port.
            while (port.hasInFlight() && running.getAsBoolean()) {
                any |= ownership.isWanted() ? port.completeCopies(times) : port.progress(helperStreams, times, firstSeenNs);
            }
            firstSeenNs = 0;
            return Round.of(any);
        } finally {
            ownership.release();
        }
    }

    /** Keeps the driver's code and data in this processor's caches beside a busy rank, whose next request is then served sooner. */
    private void keepReady() {
        if (helperStreams != null && busy > 0 && ++idleRounds >= ROUNDS_BETWEEN_CALLS) {
            idleRounds = 0;
            helperStreams.keepReady();
        }
    }

    /** Ends the helper's streams; the helper has ended. */
    void closeHelper() {
        if (helperStreams != null) {
            helperStreams.bind();
            helperStreams.close();
            helperStreams = null;
        }
    }
}
