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
    /** Byte of a rank's part of a lock at which the word begins that tells who comes next. */
    private static final long NEXT = 8;

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
        freedWhileHeld();
        freedWhileWaitedFor();
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
        SharedLock lock = ofRankZero();
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
        if (rank.rank() == 0) {
            lock.free();
        }
        rank.allFree(counter);
    }

    private SharedLock ofRankZero() {
        long[] words = new long[SharedPointer.WORDS];
        SharedLock mine = rank.rank() == 0 ? rank.locks().globalAlloc() : null;
        for (int i = 0; i < words.length; i++) {
            words[i] = rank.collectives().broadcast(mine == null ? 0 : mine.words()[i], 0);
        }
        return mine != null ? mine : rank.locks().lock(words);
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

    /** Locks that their holder frees, that all free while one holds it, and that another rank frees: nobody has them any more. */
    private void freedWhileHeld() {
        SharedLock own = rank.locks().globalAlloc();
        Scope scope = own.lock();
        own.free();
        check.that(!own.isHeld(), "a lock that its holder has freed is not held");
        scope.close();
        check.refuses(IllegalStateException.class, "does not have lock", own::unlock, "unlocking what this rank has freed");
        check.refuses(StalePointerException.class, "was freed", own::tryLock, "taking what this rank has freed");

        SharedLock together = rank.locks().allAlloc();
        if (rank.rank() == 0) {
            together.lock();
        }
        together.allFree();
        check.that(!together.isHeld(), "a lock that all ranks have freed is not held");

        SharedLock given = ofRankZero();
        if (rank.rank() == 0) {
            given.lock();
        }
        rank.barrier();
        if (rank.rank() == rank.ranks() - 1) {
            given.free();
        }
        rank.barrier();
        check.that(!given.isHeld(), "a lock that any rank has freed is not held");
        if (rank.rank() == 0 && rank.ranks() > 1) {
            check.refuses(StalePointerException.class, "was freed", given::unlock, "unlocking what another rank has freed");
            check.refuses(IllegalStateException.class, "does not have lock", given::unlock, "unlocking it once more");
        }
        check.refuses(StalePointerException.class, "was freed", given::lock, "locking what another rank has freed");
        rank.barrier();
    }

    /** Rank 0 frees a lock that it has, when its own part of the lock says that rank 1 has come behind it. */
    private void freedWhileWaitedFor() {
        SharedLock lock = ofRankZero();
        if (rank.rank() == 0) {
            lock.lock();
        }
        rank.barrier();
        if (rank.rank() == 0 && rank.ranks() > 1) {
            SharedPointer next = rank.memory().pointer(lock.words()).cast(0, 1).plus(NEXT);
            await(() -> rank.atomics().get(next) != 0, "rank 1 behind rank 0 in the queue of a lock");
            lock.free();
        } else if (rank.rank() == 1) {
            check.refuses(StalePointerException.class, "was freed", lock::lock, "waiting for what is freed");
            check.that(!lock.isHeld(), "a lock that was freed is not held by the rank that waited");
        } else if (rank.rank() == 0) {
            lock.free();
        }
        rank.barrier();
    }

    private void misuse() {
        SharedLock lock = rank.locks().allAlloc();
        check.refuses(IllegalStateException.class, "does not have lock", lock::unlock, "unlocking what is not held");
        if (rank.rank() == 0) {
            lock.lock();
            check.refuses(IllegalStateException.class, "has lock", lock::lock, "locking twice");
            lock.unlock();
        }
        check.refuses(IllegalArgumentException.class, "count of a semaphore: -1", () -> rank.locks().allSemaphore(0, -1),
                "a negative count");
        rank.barrier();
        lock.allFree();
        check.refuses(StalePointerException.class, "was freed", lock::lock, "a lock that was freed");
    }
}
