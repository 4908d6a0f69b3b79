package org.pgas4j.bootstrap.watch;

import java.nio.ByteBuffer;

/**
 * What a rank did when somebody looked.
 *
 * @param word       as {@link Activity} has it
 * @param waitedNs   how long it has waited, or -1 if it has not waited long
 * @param deadlineNs of that wait, a {@link System#nanoTime()} value of that machine
 * @param stopped    true if its process is stopped
 */
public record RankStatus(long word, long waitedNs, long deadlineNs, boolean stopped) {

    static final int BYTES = 25;

    /** What it is in, or did last. */
    public Phase phase() {
        return Phase.of((int) word & 0xff);
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
        } else if (phase.compareTo(Phase.PROGRAM) > 0 && phase.compareTo(Phase.CLOSING) < 0) {
            text.append("in the program after ").append(phase.text()).append(number);
        } else {
            text.append(phase == Phase.PROGRAM ? "in the program" : phase.text());
        }
        if (waitedNs >= 0 && isInside()) {
            text.append(" for ").append(waitedNs / 100_000_000 / 10.0).append(" s");
        }
        return text.append(stopped ? ", process stopped" : "").toString();
    }

    /** What an abort names as its phase: {@code barrier}, {@code program}, {@code registering}. */
    public String name() {
        boolean operation = phase().compareTo(Phase.PROGRAM) > 0 && phase().compareTo(Phase.CLOSING) < 0;
        return operation && (word & Activity.INSIDE) == 0 ? Phase.PROGRAM.text() : phase().text();
    }

    void encode(ByteBuffer to) {
        to.putLong(word).putLong(waitedNs).putLong(deadlineNs).put((byte) (stopped ? 1 : 0));
    }

    static RankStatus decode(ByteBuffer from) {
        return new RankStatus(from.getLong(), from.getLong(), from.getLong(), from.get() != 0);
    }
}
