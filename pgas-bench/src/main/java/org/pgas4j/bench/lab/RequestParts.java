package org.pgas4j.bench.lab;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/**
 * The parts of one request, as times on one clock: sent, seen by who serves it, copy started, copied, answered, and back at the
 * requester. A part is the time between two of them, so that the parts add up to the whole. A delay of known length can be put
 * into a part of one request of four, at random: it must come back in that part and in no other. Requests with and without it
 * take turns, so that both meet the same machine: who has just been delayed serves the next request slower, delayed or not.
 */
public final class RequestParts {

    /** From sending until it is seen. */
    public static final String QUEUE_WAIT = "queue_wait";
    /** Until the copy starts. */
    public static final String WAKE_UP = "wake_up";
    /** Until the bytes are copied. */
    public static final String COPY = "copy";
    /** Until the answer is written. */
    public static final String COMPLETION = "completion";
    /** Until the requester has seen it. */
    public static final String RETURN = "return";

    /** All parts in order. */
    public static final List<String> PARTS = List.of(QUEUE_WAIT, WAKE_UP, COPY, COMPLETION, RETURN);
    /** Parts that who serves may delay. */
    public static final List<String> INJECTABLE = List.of(QUEUE_WAIT, WAKE_UP, COPY, COMPLETION);

    private static final long SEED = 53;
    private static final int ONE_OF = 4; // few, so that most follow one without: else two kinds are as many, and medians lie between

    private final LongSupplier clock;
    private final long lookNs;
    private final long[] stamps = new long[PARTS.size() + 1];
    private final String delayed;
    private final long delayNs;
    private final SplittableRandom random = new SplittableRandom(SEED);
    private boolean delays;
    private long injectedNs;

    /**
     * Parts without or with a delay.
     *
     * @param clock  nanoseconds
     * @param lookNs time that a look at the clock takes
     * @param inject {@code none} or PART:MICROSECONDS
     */
    public RequestParts(LongSupplier clock, double lookNs, String inject) {
        this.clock = clock;
        this.lookNs = Math.round(lookNs);
        int colon = inject.indexOf(':');
        this.delayed = colon < 0 ? "" : inject.substring(0, colon);
        this.delayNs = colon < 0 ? 0 : Math.round(Double.parseDouble(inject.substring(colon + 1)) * 1e3);
    }

    /** Begins a request, which is one of those that are delayed or not. */
    public void begin() {
        injectedNs = 0;
        delays = random.nextInt(ONE_OF) == 0;
    }

    /** Delays a part that is going on, if it is the one to delay and the request one of those. */
    public void delay(String part) {
        if (delays && part.equals(delayed)) {
            injectedNs = spin();
        }
    }

    private long spin() {
        long begin = clock.getAsLong();
        long now = begin;
        while (now - begin < delayNs) {
            now = clock.getAsLong();
        }
        return now - begin + lookNs; // the first look at the clock is part of the delay
    }

    /** Length of the request's delay as the clock saw it; 0: none. */
    public long injectedNs() {
        return injectedNs;
    }

    /** Sets the time of sending. */
    public void sent(long ns) {
        stamps[0] = ns;
    }

    /** Marks the end of a part, now. */
    public long end(String part) {
        return end(part, clock.getAsLong());
    }

    /** Sets the end of a part. */
    public long end(String part, long ns) {
        stamps[PARTS.indexOf(part) + 1] = ns;
        return ns;
    }

    /** Nanoseconds of a part. */
    public long ns(String part) {
        int index = PARTS.indexOf(part);
        return stamps[index + 1] - stamps[index];
    }

    /** Nanoseconds of all parts. */
    public long wholeNs() {
        return stamps[PARTS.size()] - stamps[0];
    }

    /**
     * Name of the part that is longer by a delay than it is without, if the delay comes back in it within 1 % or 50 ns and no other
     * part is longer by as much; empty if not.
     *
     * @param without median of each part without a delay, nanoseconds
     * @param with    median of each with one
     */
    public static String foundIn(Map<String, Double> without, Map<String, Double> with, double delayNs) {
        String found = "";
        for (String part : PARTS) {
            double longer = with.get(part) - without.get(part);
            if (Math.abs(longer - delayNs) <= Math.max(0.01 * delayNs, 50)) {
                found = found.isEmpty() ? part : "several";
            }
        }
        return found.equals("several") ? "" : found;
    }
}
