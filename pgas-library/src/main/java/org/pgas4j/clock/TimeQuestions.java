package org.pgas4j.clock;

import java.util.function.LongSupplier;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;

/**
 * Questions of all ranks for the time of rank 0. Rank r writes the number of its question to word r of rank 0, which answers with
 * its time in word 0 of rank r. Rank 0 answers whoever asks, until all have had enough answers.
 */
final class TimeQuestions {

    private static final int QUESTIONS = 64;
    private static final int SPINS = 1000;
    private static final long NO_ANSWER = Long.MIN_VALUE;

    /**
     * A measured offset.
     *
     * @param ns      time of rank 0 minus time of this rank
     * @param errorNs bound of its error
     */
    record Offset(long ns, long errorNs) {
    }

    private final Rank rank;
    private final LongSupplier clock;
    private final SharedPointer words;
    private int idle;
    private long idleSinceNs;

    private TimeQuestions(Rank rank, LongSupplier clock, SharedPointer words) {
        this.rank = rank;
        this.clock = clock;
        this.words = words;
    }

    /** Collective. */
    static Offset measure(Rank rank, LongSupplier clock) {
        SharedPointer memory;
        try (Scope _ = rank.offDevice()) {
            memory = rank.allAlloc(rank.ranks(), (long) Long.BYTES * rank.ranks());
        }
        TimeQuestions questions = new TimeQuestions(rank, clock, memory.cast(0, Long.BYTES));
        questions.clear();
        Offset offset = questions.exchange();
        rank.allFree(memory);
        return offset;
    }

    private void clear() {
        for (int word = 0; word < rank.ranks(); word++) {
            rank.atomics().set(word(rank.rank(), word), 0);
        }
        rank.barrier();
    }

    private Offset exchange() {
        if (rank.rank() != 0) {
            return ask();
        }
        answerAll();
        return new Offset(0, 0);
    }

    private SharedPointer word(int owner, int number) {
        return words.onRank(owner).plus(number);
    }

    private void set(SharedPointer word, long value) {
        rank.atomics().set(word, value);
        rank.fence();
    }

    private Offset ask() {
        SharedPointer answer = word(rank.rank(), 0);
        SharedPointer question = word(0, rank.rank());
        Offset best = null;
        for (int number = 1; number <= QUESTIONS; number++) {
            set(answer, NO_ANSWER);
            long sent = clock.getAsLong();
            set(question, number);
            long theirs = awaitAnswer(answer);
            long received = clock.getAsLong();
            long error = (received - sent + 1) / 2;
            if (best == null || error < best.errorNs()) {
                best = new Offset(theirs - (sent + (received - sent) / 2), error);
            }
        }
        return best;
    }

    private long awaitAnswer(SharedPointer answer) {
        beginWait();
        long time = rank.atomics().get(answer);
        while (time == NO_ANSWER) {
            pause("the time of rank 0");
            time = rank.atomics().get(answer);
        }
        return time;
    }

    private void answerAll() {
        long[] answered = new long[rank.ranks()];
        int left = rank.ranks() - 1;
        beginWait();
        while (left > 0) {
            boolean any = false;
            for (int asker = 1; asker < rank.ranks(); asker++) {
                if (answered[asker] < QUESTIONS && rank.atomics().get(word(0, asker)) != answered[asker]) {
                    set(word(asker, 0), clock.getAsLong());
                    any = true;
                    left -= ++answered[asker] == QUESTIONS ? 1 : 0;
                }
            }
            if (any) {
                beginWait();
            } else {
                pause("questions of " + left + " ranks for the time");
            }
        }
    }

    private void beginWait() {
        idle = 0;
    }

    private void pause(String reason) {
        rank.progress();
        if (idle++ == 0) {
            idleSinceNs = System.nanoTime();
        }
        if (idle < SPINS) {
            Thread.onSpinWait();
            return;
        }
        Thread.yield();
        if (System.nanoTime() - idleSinceNs > rank.timeout().toNanos()) {
            throw new PgasTimeoutException("wait of rank " + rank.rank() + " for " + reason + ": nothing within " + rank.timeout()
                    + " (pgas.timeout)");
        }
    }
}
