package org.pgas4j.bootstrap.watch;

import java.nio.ByteBuffer;
import org.pgas4j.bootstrap.Phase;

/**
 * Status of a rank at one moment.
 *
 * @param word       state in the layout of {@link Activity}
 * @param waitedNs   duration of its wait, or -1 if it has not waited long
 * @param deadlineNs of that wait, a {@link System#nanoTime()} value of that machine
 * @param stopped    true if its process is stopped
 */
public record RankStatus(long word, long waitedNs, long deadlineNs, boolean stopped) {

    static final int BYTES = 25;

    /** The operation it is in or did last; {@link Phase#STARTING} if the memory holds none. */
    public Phase phase() {
        return Phase.of((int) word & 0xff).orElse(Phase.STARTING);
    }

    /** Collective operations it has begun. */
    public long sequence() {
        return word >>> Activity.SEQUENCE_SHIFT;
    }

    /** True inside an operation. */
    public boolean isInside() {
        return (word & (Activity.INSIDE | Activity.FAILED)) == Activity.INSIDE;
    }

    /** For example {@code in barrier (collective 42) for 3.2 s} or {@code in the program after barrier (collective 41)}. */
    public String text() {
        StringBuilder text = new StringBuilder();
        Phase phase = phase();
        String number = phase.isCollective() ? " (collective " + sequence() + ")" : "";
        if (isInside() || (word & Activity.INSIDE) != 0) {
            text.append((word & Activity.FAILED) != 0 ? "failed in " : "in ").append(phase.text()).append(number);
        } else if (phase.isOperation()) {
            text.append("in the program after ").append(phase.text()).append(number);
        } else {
            text.append(phase == Phase.PROGRAM ? "in the program" : phase.text());
        }
        if (waitedNs >= 0 && isInside()) {
            text.append(" for ").append(waitedNs / 100_000_000 / 10.0).append(" s");
        }
        return text.append(stopped ? ", process stopped" : "").toString();
    }

    /** The phase that an abort names: after an operation, {@link Phase#PROGRAM} again. */
    public Phase current() {
        return phase().isOperation() && (word & Activity.INSIDE) == 0 ? Phase.PROGRAM : phase();
    }

    void encode(ByteBuffer to) {
        to.putLong(word).putLong(waitedNs).putLong(deadlineNs).put((byte) (stopped ? 1 : 0));
    }

    static RankStatus decode(ByteBuffer from) {
        return new RankStatus(from.getLong(), from.getLong(), from.getLong(), from.get() != 0);
    }
}
