package org.pgas4j.space.lock;

import java.util.List;
import java.util.function.Supplier;
import org.pgas4j.Lease;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.SharedPointer;
import org.pgas4j.SharedSemaphore;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.space.memory.Peer;

/** A counting semaphore: one word in the memory of its home, changed by additions and compare-and-swap. Used by the rank's thread. */
final class CountingSemaphore implements SharedSemaphore {

    private final LockModule module;
    private final SharedPointer word;
    private final Lease lease;
    private final Endpoint home;
    private final long place;
    private final Supplier<String> reason = this::describe;
    private long wanted;

    CountingSemaphore(LockModule module, SharedPointer word) {
        this.module = module;
        this.word = word;
        this.lease = PgasUnsafe.lease(word);
        Peer peer = module.peers().get(word.rank());
        this.home = peer.endpoint();
        this.place = peer.heapStart() + word.addrField();
    }

    /** Sets the count; before any rank uses the semaphore. */
    void set(long count) {
        home.putWordRelease(place, count);
    }

    private void check(long count) {
        if (count <= 0) {
            throw new IllegalArgumentException("count of a semaphore: " + count + " (expected: > 0)");
        }
        module.requireOwnThread();
        module.requireLive("semaphore", word, lease);
    }

    @Override
    public void post(long count) {
        check(count);
        module.giving(lease, word);
        home.fetchAndAddWord(place, count);
        module.peers().wake(word.rank());
    }

    @Override
    public void await(long count) {
        if (!tryAwait(count)) {
            module.during(Phase.LOCK, () -> {
                wanted = count;
                module.waiter().begin();
                while (!take(count)) {
                    module.waiter().pause(reason);
                }
            });
        }
    }

    @Override
    public boolean tryAwait(long count) {
        check(count);
        return take(count);
    }

    private boolean take(long count) {
        long now = home.getWordAcquire(place);
        while (now >= count) {
            if (home.compareAndSetWord(place, now, now - count)) {
                module.taken(lease, word);
                return true;
            }
            now = home.getWordAcquire(place);
        }
        return false;
    }

    @Override
    public void allFree() {
        module.allFree(word);
    }

    private String describe() {
        return "wait of rank " + module.rank() + " for " + wanted + " of semaphore " + word + ", which has "
                + home.getWordAcquire(place) + module.waiter().describe(List.of(word.rank()));
    }
}
