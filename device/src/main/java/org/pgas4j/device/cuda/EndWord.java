package org.pgas4j.device.cuda;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The end of a stream's work, as a word that the stream writes behind it shows. A stream that failed never writes it, so every so
 * often the driver has to be asked: less often the longer the wait is, as each query holds a lock of the driver that the calls of a
 * helper thread want too. One thread at a time.
 */
final class EndWord {

    /** Looks at the word, of some nanoseconds each, before the first query of the driver, of half a microsecond; then twice as many. */
    static final int FIRST_LOOKS = 32;
    /** Looks between two queries at most: 20 us where a wait spins, 30 ms where it sleeps in between. */
    static final int MAX_LOOKS = 256;

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    /** Result of a look; unknown: the driver has to be asked. */
    enum State { ENDED, RUNNING, UNKNOWN }

    private final MemorySegment word;
    private long last;      // value of the word behind everything queued before the last mark
    private boolean marked; // nothing was queued since
    private int looks;      // left until the next query
    private int interval;   // looks from one query to the next

    /** @param word of 8 bytes, which nobody writes but the stream */
    EndWord(MemorySegment word) {
        this.word = word;
        last = word.get(ValueLayout.JAVA_LONG, 0);
    }

    /** The word, for another stream once this one has ended. */
    MemorySegment word() {
        return word;
    }

    /** Notes that work is queued. */
    void queued() {
        marked = false;
    }

    /** True if nothing is queued behind the last mark. */
    boolean isMarked() {
        return marked;
    }

    /** Notes that the stream will write the word behind everything queued so far; returns the value to be written. */
    long mark() {
        marked = true;
        interval = FIRST_LOOKS;
        looks = interval;
        return ++last;
    }

    State look() {
        if (!marked) {
            return State.UNKNOWN;
        }
        // acquire: pairs with the device's write, behind a fence of the system's scope
        if ((long) WORD.getAcquire(word, 0L) == last) {
            return State.ENDED;
        }
        if (--looks > 0) {
            return State.RUNNING;
        }
        interval = Math.min(2 * interval, MAX_LOOKS);
        looks = interval;
        return State.UNKNOWN;
    }
}
