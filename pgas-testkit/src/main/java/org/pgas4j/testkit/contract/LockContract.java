package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedLock;
import org.pgas4j.SharedPointer;
import org.pgas4j.SharedSemaphore;
import org.pgas4j.StalePointerException;
import org.pgas4j.testkit.program.Tally;

/** Locks exclude, are fair and order what their holders write; semaphores count. */
final class LockContract extends Contract {

    private static final int ROUNDS = 100;

    LockContract(Rank rank, Tally check) {
        super(rank, check);
    }

    @Override
    void run() {
        for (MemoryKind kind : MemoryKind.values()) {
            exclusion(rank.locks().allAlloc(), kind);
        }
        attempts();
        passedOn();
        twins();
        semaphores();
        misuse();
    }

    /** Plain reads and writes of two words, kept equal by the holder of the lock. */
    private void exclusion(SharedLock lock, MemoryKind kind) {
        SharedPointer words = allocate(kind, 16);
        SharedPointer pair = words.onRank(rank.ranks() / 2).resetPhase();
        int rounds = kind == MemoryKind.HOST ? ROUNDS : ROUNDS / 10;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment two = arena.allocate(16, 8);
            if (rank.rank() == 0) {
                rank.memput(pair, two, 16);
            }
            rank.barrier();
            for (int i = 0; i < rounds; i++) {
                try (Scope _ = lock.lock()) {
                    rank.memget(two, pair, 16);
                    long first = two.get(ValueLayout.JAVA_LONG, 0);
                    check.same(first, two.get(ValueLayout.JAVA_LONG, 8), "second word under the lock");
                    two.set(ValueLayout.JAVA_LONG, 0, first + 1);
                    rank.memput(pair, two, 8);
                    two.set(ValueLayout.JAVA_LONG, 8, first + 1);
                    rank.memput(pair.plus(8), two.asSlice(8), 8);
                }
            }
            rank.barrier();
            rank.memget(two, pair, 16);
            check.same((long) rounds * rank.ranks(), two.get(ValueLayout.JAVA_LONG, 0), "rounds of all ranks");
        }
        rank.barrier();
        rank.allFree(words);
        lock.allFree();
    }

    private void attempts() {
        SharedLock lock = rank.locks().allAlloc();
        SharedPointer taken = allocate(MemoryKind.HOST, 8);
        rank.atomics().set(taken.onRank(rank.rank()), 0);
        rank.barrier();
        if (lock.tryLock()) {
            check.that(lock.isHeld(), "the lock is held by the rank that got it");
            rank.atomics().fetchAdd(taken, 1);
        }
        rank.barrier();
        check.same(1L, rank.atomics().get(taken), "ranks that got the lock");
        if (lock.isHeld()) {
            lock.unlock();
        }
        rank.barrier();
        Scope stale = lock.lock();
        stale.close();
        stale.close();
        try (Scope _ = lock.lock()) {
            stale.close();
            check.that(lock.isHeld(), "a scope that was closed before does not give the lock back");
        }
        rank.barrier();
        lock.allFree();
        rank.allFree(taken);
    }

    /** A lock that one rank allocates and the others get as words. */
    private void passedOn() {
        long[] words = new long[SharedPointer.WORDS];
        SharedLock mine = rank.rank() == 0 ? rank.locks().globalAlloc() : null;
        for (int i = 0; i < words.length; i++) {
            words[i] = rank.collectives().broadcast(mine == null ? 0 : mine.words()[i], 0);
        }
        SharedLock lock = mine != null ? mine : rank.locks().lock(words);
        SharedPointer counter = allocate(MemoryKind.HOST, 8);
        if (rank.rank() == 0) {
            rank.atomics().set(counter, 0);
        }
        rank.barrier();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment word = arena.allocate(8, 8);
            for (int i = 0; i < ROUNDS; i++) {
                try (Scope _ = lock.lock()) {
                    rank.memget(word, counter, 8);
                    word.set(ValueLayout.JAVA_LONG, 0, word.get(ValueLayout.JAVA_LONG, 0) + 1);
                    rank.memput(counter, word, 8);
                }
            }
        }
        rank.barrier();
        check.same((long) ROUNDS * rank.ranks(), rank.atomics().get(counter), "rounds under a lock that was passed on");
        rank.barrier();
        if (mine != null) {
            mine.free();
        }
        rank.allFree(counter);
    }

    /** Two tokens in one semaphore, and a ring of semaphores in which each rank waits for the one before. */
    private void semaphores() {
        SharedSemaphore tokens = rank.locks().allSemaphore(rank.ranks() - 1, 2);
        SharedPointer inside = allocate(MemoryKind.HOST, 8);
        if (rank.rank() == 0) {
            rank.atomics().set(inside, 0);
        }
        rank.barrier();
        for (int i = 0; i < ROUNDS; i++) {
            tokens.await(1);
            long others = rank.atomics().fetchAdd(inside, 1);
            check.that(others < 2, others + " ranks hold tokens of 2");
            rank.atomics().fetchAdd(inside, -1);
            tokens.post(1);
        }
        rank.barrier();
        if (rank.rank() == 0) {
            check.that(!tokens.tryAwait(3), "there are 3 tokens of 2");
            check.that(tokens.tryAwait(2), "both tokens are back");
        }
        rank.barrier();
        tokens.allFree();
        rank.allFree(inside);
        SharedSemaphore turn = rank.locks().allSemaphore(0, rank.ranks());
        turn.await(1);
        rank.barrier();
        check.that(!turn.tryAwait(1), "all were taken");
        rank.barrier();
        turn.allFree();
        check.refuses(StalePointerException.class, "was freed", () -> turn.post(1), "posting to a semaphore that was freed");
        check.refuses(StalePointerException.class, "was freed", () -> turn.tryAwait(1), "taking from one that was freed");
    }

    /** Two objects of one lock: each knows what was done by the other, and a rank is never twice in the queue. */
    private void twins() {
        SharedLock lock = rank.locks().allAlloc();
        SharedLock twin = rank.locks().lock(lock.words());
        for (int i = 0; i < ROUNDS / 10; i++) {
            lock.lock();
            check.that(twin.isHeld(), "the lock is held, says its twin");
            check.refuses(IllegalStateException.class, "has lock", twin::tryLock, "trying what the rank has by a twin");
            twin.unlock();
            check.that(!lock.isHeld(), "the lock is free, says what took it");
        }
        rank.barrier();
        lock.allFree();
    }

    private void misuse() {
        SharedLock lock = rank.locks().allAlloc();
        check.refuses(IllegalStateException.class, "does not have lock", lock::unlock, "unlocking what is not held");
        if (rank.rank() == 0) {
            lock.lock();
            check.refuses(IllegalStateException.class, "has lock", lock::lock, "locking twice");
            check.refuses(IllegalStateException.class, "which it has", lock::free, "freeing what is held");
            lock.unlock();
        }
        check.refuses(IllegalArgumentException.class, "count of a semaphore: -1", () -> rank.locks().allSemaphore(0, -1),
                "a negative count");
        rank.barrier();
        lock.allFree();
        check.refuses(StalePointerException.class, "was freed", lock::lock, "a lock that was freed");
    }
}
