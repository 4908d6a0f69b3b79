package org.pgas4j.helper;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.pgas4j.PgasException;
import org.pgas4j.os.Libc;

/**
 * The helper threads of a JVM: they poll the ports of its ranks in turn and serve those whose rank is busy, or whose
 * requests have waited too long. After the helper thread of the GPU-aware multi-threaded UPC runtime
 * (docs/protocol.md).
 */
public final class HelperThreads implements AutoCloseable {

    private static final long JOIN_MS = 5_000;
    private static final int SPINS = 2_000;
    private static final int YIELDS = 100;
    private static final long SPIN_NS = 1_000_000_000;
    private static final long PARK_NS = 20_000;
    private static final long MAX_PARK_NS = 1_000_000;
    private static final long ASLEEP_NS = 10_000_000;

    /** Receives the failure of a helper that served a rank. */
    @FunctionalInterface
    public interface FailureHandler {
        void failed(int rank, Throwable failure);
    }

    /** A rank to serve, and the device it computes on. */
    public record Served(ProgressEngine engine, int device) {
    }

    private volatile HelperOptions options;
    private final FailureHandler failures;
    private final List<Thread> threads = new ArrayList<>();
    private final List<ProgressEngine> all = new ArrayList<>();
    private final BooleanSupplier running = this::isRunning;
    private volatile boolean closing;
    private volatile boolean parked;

    public HelperThreads(HelperOptions options, FailureHandler failures) {
        this.options = options;
        this.failures = failures;
    }

    /** Starts serving. Once. */
    public void start(List<Served> ranks) {
        Map<Integer, List<ProgressEngine>> groups = new TreeMap<>();
        for (Served served : ranks) {
            int group = options.perDevice() ? served.device() : 0;
            groups.computeIfAbsent(group, _ -> new ArrayList<>()).add(served.engine());
            all.add(served.engine());
            served.engine().helpers(this);
        }
        groups.forEach((group, members) -> {
            // A rank belongs to one helper: two would only compete for its port.
            int count = Math.min(options.threads(), members.size());
            for (int i = 0; i < count; i++) {
                List<ProgressEngine> share = new ArrayList<>();
                for (int k = i; k < members.size(); k += count) {
                    share.add(members.get(k));
                }
                int number = threads.size();
                ProgressEngine[] engines = share.toArray(ProgressEngine[]::new);
                threads.add(Thread.ofPlatform().daemon().name("pgas-helper-" + number).unstarted(() -> run(number, engines)));
            }
        });
        threads.forEach(Thread::start);
    }

    /** Wakes the helpers if any sleeps: a rank has become busy. */
    void wake() {
        if (!parked) {
            return;
        }
        for (int i = 0; i < threads.size(); i++) {
            LockSupport.unpark(threads.get(i));
        }
    }

    /** The settings now. Any thread. */
    public HelperOptions options() {
        return options;
    }

    /** Changes settings that are looked at while helpers run: mode, threshold, waiting. Any thread. */
    public synchronized void change(UnaryOperator<HelperOptions> change) {
        options = change.apply(options);
        for (Thread thread : threads) {
            LockSupport.unpark(thread); // one that sleeps is to wait as it is told now
        }
    }

    /** Number of helper threads. */
    public int count() {
        return threads.size();
    }

    /** Makes no object in a round without requests, in code of the first compiler either: collecting them would stop the ranks too. */
    private void run(int number, ProgressEngine[] share) {
        try {
            int[] place = options.place(number);
            if (place.length > 0) {
                Libc.bindThread(place);
            }
        } catch (RuntimeException failure) { // ends the job: no helper would serve these ranks
            failures.failed(share[0].rank(), failure);
            return;
        }
        int idle = 0;
        long idleSinceNs = 0;
        boolean wasBusy = false;
        while (!closing) {
            HelperOptions now = options;
            boolean busyAtOnce = now.mode().equals("on");
            boolean any = false;
            boolean busy = false;
            boolean work = false;
            boolean pending = false;
            for (ProgressEngine engine : share) {
                busy |= engine.isBusy();
                if (!engine.mayHaveWork()) {
                    continue;
                }
                work = true;
                try {
                    ProgressEngine.Round round = engine.serve(busyAtOnce, now.thresholdNs(), running);
                    any |= round == ProgressEngine.Round.SERVED;
                    pending |= round == ProgressEngine.Round.WAITING;
                } catch (Throwable failure) { // ends the job
                    failures.failed(engine.rank(), failure);
                    return;
                }
            }
            if (any || busy != wasBusy) {
                // A rank that has just left a kernel is likely to enter the next one at once: no sleep yet.
                wasBusy = busy;
                idle = 0;
            } else if (pending) {
                idle = 0;
                pausePending();
            } else {
                if (idle++ == 0) {
                    idleSinceNs = System.nanoTime();
                }
                pause(idle, idleSinceNs, busy, work);
            }
        }
    }

    private boolean isRunning() {
        return !closing;
    }

    /** A request is to be served soon; where it is crowded, the rank that answers it meanwhile may want this processor. */
    private void pausePending() {
        HelperOptions now = options;
        if (now.crowded()) {
            switch (now.waiting()) {
                case "spin" -> Thread.onSpinWait();
                case "yield" -> Thread.yield();
                default -> sleep(PARK_NS);
            }
        }
    }

    /** Spins, yields, then parks; does not park while a rank is busy and there are enough processors. */
    private void pause(int idle, long idleSinceNs, boolean busy, boolean work) {
        if (!work) {
            sleep(ASLEEP_NS);
            return;
        }
        switch (options.waiting()) {
            case "spin" -> spinOrYield(idleSinceNs);
            case "yield" -> Thread.yield();
            case "park" -> park(idle);
            default -> {
                if (options.crowded()) {
                    if (idle < YIELDS) {
                        Thread.yield();
                    } else {
                        park(idle - YIELDS);
                    }
                } else if (busy) {
                    spinOrYield(idleSinceNs);
                } else if (idle < SPINS) {
                    Thread.onSpinWait();
                } else if (idle < SPINS + YIELDS) {
                    Thread.yield();
                } else {
                    park(idle - SPINS - YIELDS);
                }
            }
        }
    }

    private static void spinOrYield(long idleSinceNs) {
        if (System.nanoTime() - idleSinceNs < SPIN_NS) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
        }
    }

    private void park(int times) {
        sleep(Math.min(MAX_PARK_NS, PARK_NS << Math.min(6, times / 64)));
    }

    /** Sleeps. With several helpers the first to wake clears the flag for all; the others' sleep is short. */
    private void sleep(long ns) {
        parked = true;
        LockSupport.parkNanos(this, ns);
        parked = false;
    }

    /** Ends the threads and their streams; the ranks have ended. */
    @Override
    public void close() {
        closing = true;
        threads.forEach(LockSupport::unpark);
        // An interrupted caller closes too: the interrupt is kept for later.
        boolean interrupted = false;
        long endNs = System.nanoTime() + JOIN_MS * 1_000_000;
        for (Thread thread : threads) {
            while (thread.isAlive() && System.nanoTime() - endNs < 0) {
                try {
                    thread.join(JOIN_MS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        for (Thread thread : threads) {
            if (thread.isAlive()) {
                throw new PgasException(thread.getName() + " did not end within " + JOIN_MS + " ms");
            }
        }
        all.forEach(ProgressEngine::closeHelper);
    }
}
