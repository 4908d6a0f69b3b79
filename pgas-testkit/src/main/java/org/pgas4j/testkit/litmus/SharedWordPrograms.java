package org.pgas4j.testkit.litmus;

import static org.pgas4j.testkit.litmus.LitmusPrograms.OUT_AT;
import static org.pgas4j.testkit.litmus.LitmusPrograms.WORDS;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import org.pgas4j.Atomics;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedBytes;
import org.pgas4j.SharedLock;
import org.pgas4j.SharedPointer;
import org.pgas4j.SharedSemaphore;
import org.pgas4j.testkit.program.PatternMemory;
import org.pgas4j.testkit.program.PutForm;

/**
 * The programs of guarantees that hosts have from words of shared memory: those of atomic operations, locks, semaphores and fences.
 * Puts take all forms and go to both kinds of memory by turns. Each program is collective and returns the rounds that this rank
 * found wrong.
 */
final class SharedWordPrograms {

    private static final long BYTES = WORDS * 4L;
    /** Words of 8 bytes, one for each rank. */
    private static final long WORDS_AT = 1024;
    private static final int FORMS = PutForm.values().length;
    private static final int SPINS = 100;

    private final Rank rank;
    private final int rounds;
    private final boolean planted;
    private final SharedBytes[] arrays = new SharedBytes[2];
    private final Buffer out;
    private final MemorySegment values;
    private final MemorySegment seen;
    private final Runnable looked;
    private final int me;
    private final int ranks;
    private final int next;
    private final int previous;

    /**
     * @param planted the order of each program is broken
     * @param host    zeroed, as is {@code device}; each has a part on every rank
     * @param looked  tells the rank before that this one has looked, and waits for the rank after to say so
     */
    SharedWordPrograms(Rank rank, int rounds, boolean planted, SharedBytes host, SharedBytes device, Arena arena, Runnable looked) {
        this.rank = rank;
        this.rounds = rounds;
        this.planted = planted;
        this.arrays[MemoryKind.HOST.ordinal()] = host;
        this.arrays[MemoryKind.DEVICE.ordinal()] = device;
        this.out = device.local().slice(OUT_AT, BYTES);
        this.values = arena.allocate(BYTES, Long.BYTES);
        this.seen = arena.allocate(BYTES, Long.BYTES);
        this.looked = looked;
        this.me = rank.rank();
        this.ranks = rank.ranks();
        this.next = (me + 1) % ranks;
        this.previous = (me + ranks - 1) % ranks;
    }

    // ---- parts of all programs

    private SharedPointer part(int kind, int owner) {
        return arrays[kind].pointer().onRank(owner);
    }

    /** The word of a rank in the part of another, or in its own. */
    private SharedPointer word(int kind, int home, int of) {
        return part(kind, home).plus(WORDS_AT + (long) of * Long.BYTES);
    }

    /** Kind of memory of a round's payload: each sees all forms within as many rounds as there are of both. */
    private static int kindOf(int round) {
        return round / FORMS % 2;
    }

    /** Puts the payload of a round, which is complete at {@code dst} after the rank's next fence. */
    private void put(SharedPointer dst, int round, int source) {
        PutForm form = PutForm.values()[Math.floorMod(round, FORMS)];
        LitmusPrograms.fill(values, round, source, WORDS);
        Buffer host = Buffer.ofHost(values, ElementType.BYTE);
        if (form.isFromDevice()) {
            PatternMemory.copyBlocks(rank, out, host);
        }
        form.start(rank, dst, host, out);
    }

    /** 1 if the payload at {@code src} is not that of the round. */
    private int look(SharedPointer src, int round, int source) {
        rank.memget(seen, src, BYTES);
        return isWrong(round, source);
    }

    private int isWrong(int round, int source) {
        return LitmusPrograms.wrong(seen, round, source, WORDS) == 0 ? 0 : 1;
    }

    private void await(String what, BooleanSupplier done) {
        long start = System.nanoTime();
        for (int spins = 1; !done.getAsBoolean(); spins++) {
            rank.progress();
            if (spins > SPINS) {
                Thread.yield();
                if (System.nanoTime() - start > rank.timeout().toNanos()) {
                    throw new PgasException("litmus: rank " + me + " waited " + rank.timeout() + " for " + what);
                }
            }
        }
    }

    // ---- atomic operations

    /**
     * Puts a payload, fences and changes a word by a fetching operation; the next rank, whose payload it is, reads the word by one
     * and looks. The word is in the memory of every rank by turns. Taking a lock is a fence as well, and stands for one by turns.
     * The twin leaves put and fence until the next rank has looked.
     */
    long atomic() {
        SharedLock own = rank.locks().globalAlloc();
        long wrong = 0;
        long[][] published = new long[2][ranks];
        for (int round = 0; round < rounds; round++) {
            int kind = kindOf(round);
            int wordKind = round / FORMS / 2 % 2;
            SharedPointer theirs = part(kind, next);
            if (!planted) {
                put(theirs, round, me);
                fence(own, round / FORMS);
            }
            int home = (next + round) % ranks;
            long before = published[wordKind][home];
            long after = round + 1;
            if (publish(word(wordKind, home, next), round, before, after) != before) {
                throw new PgasException("litmus: rank " + me + ", which alone changes a word, found another value than " + before);
            }
            published[wordKind][home] = after;
            release(own);
            SharedPointer mine = word(wordKind, (me + round) % ranks, me);
            int turn = round;
            await("the value " + after + " of an atomic operation by rank " + previous, () -> read(mine, turn, after) == after);
            wrong += look(part(kind, me), round, previous);
            looked.run();
            if (planted) {
                put(theirs, round, me);
                rank.fence();
            }
        }
        own.free();
        return wrong;
    }

    /** A fence, or taking a lock of the rank's own, by turns. */
    private void fence(SharedLock own, int turn) {
        switch (turn % 3) {
            case 0 -> rank.fence();
            case 1 -> own.lock();
            default -> {
                if (!own.tryLock()) {
                    throw new PgasException("litmus: rank " + me + " cannot take a lock that no other rank uses");
                }
            }
        }
    }

    private static void release(SharedLock own) {
        if (own.isHeld()) {
            own.unlock();
        }
    }

    /** Changes a word from one value to another by a fetching operation, each by turns; returns what was there. */
    private long publish(SharedPointer word, int round, long before, long after) {
        Atomics atomics = rank.atomics();
        return switch (round % 7) {
            case 0 -> atomics.fetchAdd(word, after - before);
            case 1 -> atomics.swap(word, after);
            case 2 -> atomics.compareSwap(word, before, after);
            default -> atomics.fetchXor(word, before ^ after);
        };
    }

    /** Reads a word by an operation that leaves it as it is. */
    private long read(SharedPointer word, int round, long expected) {
        Atomics atomics = rank.atomics();
        return switch (round % 3) {
            case 0 -> atomics.get(word);
            case 1 -> atomics.fetchAdd(word, 0);
            default -> atomics.compareSwap(word, expected, expected);
        };
    }

    // ---- locks

    /**
     * Each holder of a lock looks at the record that the holder before has put, and puts its own. A number that holders draw after
     * the look says which record it should have been. Two locks by turns, with a record in memory of each kind. The twin takes no
     * lock, and the sections of its ranks overlap: each puts its record only in its next section, after the look and the draw, so
     * no section sees the record before its own.
     */
    long lock() {
        SharedLock[] locks = {rank.locks().allAlloc(), rank.locks().allAlloc()};
        int[] homes = {ranks - 1, 0};
        for (int kind = 0; kind < 2; kind++) {
            if (me == homes[kind] && !planted) {
                put(part(kind, me), -1, 0);
            }
        }
        rank.barrier();
        long wrong = 0;
        int[] held = {-1, -1};
        for (int round = 0; round < rounds; round++) {
            int kind = round % 2;
            SharedPointer record = part(kind, homes[kind]);
            if (!planted && (round % 4 < 2 || !locks[kind].tryLock())) {
                locks[kind].lock();
            }
            rank.memget(seen, record, BYTES);
            int turn = (int) rank.atomics().fetchAdd(word(kind, homes[kind], 0), 1);
            wrong += isWrong(turn - 1, 0);
            if (!planted) {
                put(record, turn, 0);
                locks[kind].unlock();
            } else if (held[kind] >= 0) {
                put(record, held[kind], 0);
                rank.fence();
            }
            held[kind] = turn;
        }
        rank.barrier();
        for (int kind = 0; kind < 2 && !planted; kind++) {
            wrong += look(part(kind, homes[kind]), ranks * ((rounds + 1 - kind) / 2) - 1, 0);
        }
        rank.barrier();
        locks[0].allFree();
        locks[1].allFree();
        return wrong;
    }

    // ---- semaphores

    /**
     * Puts a payload and posts; the next rank, whose payload it is, waits and looks. The count is by turns in the memory of the
     * rank that waits and in that of the rank after. The twin puts when the next rank has looked.
     */
    long semaphore() {
        SharedSemaphore[][] posted = new SharedSemaphore[2][ranks];
        for (int distance = 0; distance < 2; distance++) {
            for (int waiting = 0; waiting < ranks; waiting++) {
                posted[distance][waiting] = rank.locks().allSemaphore((waiting + distance) % ranks, 0);
            }
        }
        long wrong = 0;
        for (int round = 0; round < rounds; round++) {
            SharedPointer theirs = part(kindOf(round), next);
            SharedSemaphore[] semaphores = posted[round % 2];
            int count = 1 + round % 3;
            if (!planted) {
                put(theirs, round, me);
            }
            semaphores[next].post(count);
            if (round / 2 % 2 == 0) {
                semaphores[me].await(count);
            } else {
                await("a post of rank " + previous, () -> semaphores[me].tryAwait(count));
            }
            wrong += look(part(kindOf(round), me), round, previous);
            looked.run();
            if (planted) {
                put(theirs, round, me);
                rank.fence();
            }
        }
        rank.barrier();
        for (SharedSemaphore[] each : posted) {
            for (SharedSemaphore semaphore : each) {
                semaphore.allFree();
            }
        }
        return wrong;
    }

    // ---- fences

    /**
     * Each rank writes its word, fences, or takes a lock of its own, and reads that of the next rank. Some write is the last of
     * all, and the rank that made it reads what was written before: not all ranks may read an old value. In the twin no rank writes
     * before all have read.
     */
    long storeBuffering() {
        SharedLock own = rank.locks().globalAlloc();
        long wrong = 0;
        for (int round = 0; round < rounds; round++) {
            long value = round + 1;
            if (!planted) {
                writeFenced(own, round, value);
            }
            boolean anyIsNew = rank.allReduce(read(round, next) == value ? 1L : 0L, ReduceOp.MAX) == 1;
            wrong += anyIsNew ? 0 : 1;
            release(own);
            if (planted) {
                writeFenced(own, round, value);
                release(own);
            }
        }
        own.free();
        return wrong;
    }

    /** A flag in host memory, an atomic operation on device memory: all else that is not ordered is a race for the detector. */
    private void writeFenced(SharedLock own, int round, long value) {
        SharedPointer word = bufferedWord(round, me);
        rank.fence();
        if (word.kind() == MemoryKind.HOST) {
            rank.rma().putLong(word, value);
        } else {
            rank.atomics().set(word, value);
        }
        fence(own, round / (2 * ranks));
    }

    private long read(int round, int of) {
        SharedPointer word = bufferedWord(round, of);
        return word.kind() == MemoryKind.HOST ? rank.rma().getLong(word) : rank.atomics().get(word);
    }

    /** The word that a rank writes in a round: in the memory of each rank and of each kind by turns. */
    private SharedPointer bufferedWord(int round, int of) {
        return word((round / ranks + of) % 2, (of + round) % ranks, of);
    }
}
