package org.pgas4j.space.lock;

import java.util.ArrayList;
import java.util.List;
import org.pgas4j.Lease;
import org.pgas4j.Locks;
import org.pgas4j.SharedLock;
import org.pgas4j.SharedPointer;
import org.pgas4j.SharedSemaphore;
import org.pgas4j.StalePointerException;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.space.memory.Peers;
import org.pgas4j.space.sync.RankEnvironment;
import org.pgas4j.space.sync.Waiter;

/** One rank's locks and semaphores. Used by the rank's thread. */
public final class LockModule implements Locks {

    private final RankEnvironment environment;
    private long allocated; // the same on all ranks: locks are spread over them
    private QueueLock lastHeld; // the others behind it

    public LockModule(RankEnvironment environment) {
        this.environment = environment;
    }

    // ---- for locks

    int rank() {
        return environment.rank();
    }

    int ranks() {
        return environment.ranks();
    }

    Peers peers() {
        return environment.peers();
    }

    Waiter waiter() {
        return environment.waiter();
    }

    void requireOwnThread() {
        environment.requireOwnThread();
    }

    /** Refuses a lock or semaphore whose memory was freed: another allocation may have it by now. */
    void requireLive(String what, SharedPointer at, Lease lease) {
        if (lease != null && !lease.isLive()) {
            throw new StalePointerException(what + " " + at + " was freed, or its job has ended (" + lease + ")");
        }
    }

    void during(Phase phase, Runnable operation) {
        environment.during(phase, operation);
    }

    /** The object by which the rank has taken a lock, which need not be {@code lock}; null if it has not. */
    QueueLock held(QueueLock lock) {
        QueueLock taken = lastHeld;
        while (taken != null && !taken.isSameAs(lock)) {
            taken = taken.heldBefore;
        }
        return taken;
    }

    /** Completes what the rank has started, before it asks for a lock: outside of the section. */
    void entering() {
        environment.complete();
    }

    void acquired(QueueLock lock, Lease lease, SharedPointer at) {
        lock.heldBefore = lastHeld;
        lastHeld = lock;
        taken(lease, at);
    }

    void releasing(QueueLock lock, Lease lease, SharedPointer at) {
        giving(lease, at);
        forget(lock);
    }

    /** Takes a lock from those that the rank has. */
    void forget(QueueLock lock) {
        if (lastHeld == lock) {
            lastHeld = lock.heldBefore;
            return;
        }
        for (QueueLock later = lastHeld; later != null; later = later.heldBefore) {
            if (later.heldBefore == lock) {
                later.heldBefore = lock.heldBefore;
                return;
            }
        }
    }

    /** Another rank's work comes before this one's. */
    void taken(Lease lease, SharedPointer at) {
        if (lease != null) {
            environment.ordering().joins(lease.generation(), at.rank(), at.addrField());
        }
    }

    /** This rank's work comes before that of those who take what is given now. */
    void giving(Lease lease, SharedPointer at) {
        environment.complete();
        if (lease != null) {
            environment.ordering().gives(lease.generation(), at.rank(), at.addrField());
        }
    }

    void free(SharedPointer base) {
        environment.free(base.onRank(0));
    }

    void allFree(SharedPointer base) {
        environment.allFree(base.onRank(0));
    }

    // ---- for programs

    @Override
    public SharedLock allAlloc() {
        SharedPointer base = environment.allAlloc("locks().allAlloc", QueueLock.NODE_BYTES);
        QueueLock lock = new QueueLock(this, base.onRank((int) (allocated++ % ranks())));
        lock.clear(rank());
        environment.barrier();
        return lock;
    }

    @Override
    public SharedLock globalAlloc() {
        QueueLock lock = new QueueLock(this, environment.globalAlloc(QueueLock.NODE_BYTES).onRank(rank()));
        lock.clear();
        environment.complete();
        return lock;
    }

    @Override
    public SharedLock lock(long... words) {
        SharedPointer base = environment.pointer(words);
        if (base.elementBytes() != 1 || base.blockElements() != QueueLock.NODE_BYTES) {
            throw new IllegalArgumentException("not a lock: " + base);
        }
        return new QueueLock(this, base);
    }

    @Override
    public SharedSemaphore allSemaphore(int home, long initial) {
        if (home < 0 || home >= ranks()) {
            throw new IndexOutOfBoundsException("rank out of range: home=" + home + " ranks=" + ranks());
        }
        if (initial < 0) {
            throw new IllegalArgumentException("count of a semaphore: " + initial + " (expected: >= 0)");
        }
        environment.requireSame("locks().allSemaphore", () -> "home " + home + ", initial " + initial, home, initial);
        SharedPointer base = environment.allAlloc("locks().allSemaphore", QueueLock.NODE_BYTES);
        CountingSemaphore semaphore = new CountingSemaphore(this, base.onRank(home));
        if (home == rank()) {
            semaphore.set(initial);
        }
        environment.barrier();
        return semaphore;
    }

    /** @throws IllegalStateException if the rank holds a lock: nobody else would ever get it */
    public void atEnd() {
        List<QueueLock> held = new ArrayList<>();
        for (QueueLock lock = lastHeld; lock != null; lock = lock.heldBefore) {
            if (lock.isLive()) {
                held.add(lock);
            }
        }
        if (!held.isEmpty()) {
            throw new IllegalStateException("rank " + rank() + " ends its program and has " + held.size() + " lock"
                    + (held.size() == 1 ? "" : "s") + ": " + held);
        }
    }
}
