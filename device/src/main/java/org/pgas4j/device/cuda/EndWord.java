package org.pgas4j.device.cuda;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The end of a stream's work, as a word that the stream writes behind it shows. A stream that failed never writes it, so every so
 * often the driver has to be asked; not at each look, as a query holds a lock of the driver that the calls of a helper thread want
 * too, and not seldom, as those calls are slow where the driver has not been used for a millisecond. One thread at a time.
 */
final class EndWord {

    /** Looks at the word, of some nanoseconds each, from one query of the driver to the next, of half a microsecond. */
    static final int LOOKS = 32;

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    /** Result of a look; unknown: the driver has to be asked. */
    enum State { ENDED, RUNNING, UNKNOWN }

    private final MemorySegment word;
    private long last;      // value of the word behind everything queued before the last mark
    private boolean marked; // nothing was queued since
    private int looks;      // left until the next query

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
        looks = LOOKS;
        return ++last;
    }

    /** Leaves the next look to the driver. */
    void askNext() {
        looks = 1;
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
        looks = LOOKS;
        return State.UNKNOWN;
    }
}
