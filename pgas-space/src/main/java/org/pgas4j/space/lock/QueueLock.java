package org.pgas4j.space.lock;

import java.util.List;
import java.util.function.Supplier;
import org.pgas4j.Lease;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.Scope;
import org.pgas4j.SharedLock;
import org.pgas4j.SharedPointer;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.os.Failpoint;
import org.pgas4j.space.memory.Peer;

/**
 * A queue lock (Mellor-Crummey and Scott, Algorithms for Scalable Synchronization, ACM TOCS 9(1), 1991). Its memory is one node of
 * each rank:
 *
 * <pre>
 *   0 tail: i64, of the lock's home only | 8 next: i64 | 16 granted: i64
 * </pre>
 *
 * Tail and next are a rank + 1, or 0 for none. Used by the rank's thread.
 */
final class QueueLock implements SharedLock {

    /** Bytes of a node. */
    static final long NODE_BYTES = 64;

    private static final long TAIL = 0;
    private static final long NEXT = 8;
    private static final long GRANTED = 16;

    private final LockModule module;
    private final SharedPointer base;
    private final Lease lease;
    private final Endpoint home;
    private final long tail;
    private final Endpoint own;
    private final long node; // the same offset on all ranks
    private final long self;
    private final Supplier<String> reason = this::describe;
    /** Lock that the rank has taken before this one and still has; while this is held. */
    QueueLock heldBefore;
    private int waitsFor;
    private long times; // that the rank has taken it by this object

    /** @param base the first node, on the lock's home */
    QueueLock(LockModule module, SharedPointer base) {
        this.module = module;
        this.base = base;
        this.lease = PgasUnsafe.lease(base);
        Peer first = module.peers().get(base.rank());
        this.home = first.endpoint();
        this.node = first.heapStart() + base.addrField();
        this.tail = node + TAIL;
        this.own = module.peers().get(module.rank()).endpoint();
        this.self = module.rank() + 1L;
    }

    /** Makes the nodes of all ranks that live empty; before any rank uses the lock. */
    void clear() {
        for (int rank = 0; rank < module.ranks(); rank++) {
            if (!module.peers().isLost(rank)) {
                clear(rank);
            }
        }
    }

    /** Makes the node of a rank empty. */
    void clear(int rank) {
        Endpoint endpoint = module.peers().get(rank).endpoint();
        for (long word = 0; word <= GRANTED; word += Long.BYTES) {
            endpoint.putWordRelease(node + word, 0);
        }
    }

    @Override
    public Scope lock() {
        if (!tryLock()) {
            module.during(Phase.LOCK, this::enqueue);
        }
        Failpoint.hit(Failpoint.LOCK);
        long number = ++times;
        return () -> {
            if (number == times && isHeld()) { // closed twice, or taken again since, it does nothing
                unlock();
            }
        };
    }

    @Override
    public boolean tryLock() {
        prepare();
        if (!home.compareAndSetWord(tail, 0, self)) {
            return false;
        }
        acquired();
        return true;
    }

    private void prepare() {
        module.requireOwnThread();
        requireLive();
        if (isHeld()) {
            throw new IllegalStateException("rank " + module.rank() + " has lock " + base + " already");
        }
        module.entering();
        own.putWordRelease(node + NEXT, 0);
    }

    private void requireLive() {
        module.requireLive("lock", base, lease);
    }

    private void enqueue() {
        own.putWordRelease(node + GRANTED, 0);
        long before = home.getWordAcquire(tail);
        while (!home.compareAndSetWord(tail, before, self)) {
            before = home.getWordAcquire(tail);
        }
        if (before != 0) {
            waitsFor = (int) before - 1;
            module.peers().get(waitsFor).endpoint().putWordRelease(node + NEXT, self);
            module.peers().wake(waitsFor);
            module.waiter().begin();
            // acquire: pairs with the release of the word in unlock
            while (own.getWordAcquire(node + GRANTED) == 0) {
                requireLive();
                module.waiter().pause(reason);
            }
            requireLive();
        }
        acquired();
    }

    private void acquired() {
        module.acquired(this, lease, base);
    }

    /** True if both are the same lock: a rank has an object of its own for each {@link LockModule#lock}. */
    boolean isSameAs(QueueLock other) {
        return node == other.node && home == other.home && base.generation() == other.base.generation();
    }

    @Override
    public void unlock() {
        module.requireOwnThread();
        QueueLock taken = module.held(this);
        if (taken == null) {
            throw new IllegalStateException("rank " + module.rank() + " does not have lock " + base + ", which it unlocks");
        }
        if (!isLive()) {
            module.forget(taken);
            requireLive();
        }
        module.releasing(taken, lease, base);
        long next = own.getWordAcquire(node + NEXT);
        if (next == 0) {
            if (home.compareAndSetWord(tail, self, 0)) {
                return;
            }
            next = awaitNext();
        }
        int heir = (int) next - 1;
        module.peers().get(heir).endpoint().putWordRelease(node + GRANTED, 1);
        module.peers().wake(heir);
    }

    /** False once any rank has freed the lock, which ends what its holder had. */
    boolean isLive() {
        return lease == null || lease.isLive();
    }

    /** Waits until the rank that has entered the queue behind this one has said so. */
    private long awaitNext() {
        waitsFor = -1;
        module.waiter().begin();
        long next;
        while ((next = own.getWordAcquire(node + NEXT)) == 0) {
            requireLive();
            module.waiter().pause(reason);
        }
        return next;
    }

    @Override
    public boolean isHeld() {
        return module.held(this) != null && isLive();
    }

    @Override
    public void free() {
        module.requireOwnThread();
        letGo();
        module.free(base);
    }

    @Override
    public void allFree() {
        module.requireOwnThread();
        letGo();
        module.allFree(base);
    }

    /** The rank has the lock no more, if it had it. */
    private void letGo() {
        QueueLock taken = module.held(this);
        if (taken != null) {
            module.forget(taken);
        }
    }

    @Override
    public long[] words() {
        return base.words();
    }

    private String describe() {
        return waitsFor < 0 ? "unlocking of " + this + " by rank " + module.rank()
                : "lock of " + this + " by rank " + module.rank() + ", which comes after rank " + waitsFor
                + module.waiter().describe(List.of(waitsFor));
    }

    @Override
    public String toString() {
        return base.toString();
    }
}
