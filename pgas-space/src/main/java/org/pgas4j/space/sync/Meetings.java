package org.pgas4j.space.sync;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.bootstrap.Bootstrap;

/**
 * Meetings of the ranks that live, by the control plane. No shared memory is looked at: a lost rank may have left it half written,
 * or one that has ended may have given it back. All make progress until each has come. One per JVM; thread-safe.
 */
public final class Meetings {

    /** Shown by ranks that have nothing to show. */
    public static final long[] NOTHING = {};
    private static final int MIXED = 0; // ranks of one JVM came for different things
    private static final long FOREVER_NS = Long.MAX_VALUE / 2;

    /** Reasons for a meeting. Codes are literal and never reused. */
    public enum Purpose {
        /** For a team of those that live. */
        SURVIVORS(1, "survivors()"),
        /** Their programs have ended. */
        END(2, "the end of its program");

        private final int code;
        private final String text;

        Purpose(int code, String text) {
            this.code = code;
            this.text = text;
        }
    }

    private final Bootstrap bootstrap;
    private final String name;
    private final int ranksHere;
    private int number;
    private Meeting next = new Meeting();

    /** One meeting, as this JVM sees it. */
    private static final class Meeting {

        private final List<Purpose> calls = new ArrayList<>();
        private long[] shown = NOTHING;
        private volatile byte[][] values;
        private volatile RuntimeException failure;
    }

    /**
     * @param name      of the run: names its exchanges
     * @param ranksHere ranks of this JVM
     */
    public Meetings(Bootstrap bootstrap, String name, int ranksHere) {
        this.bootstrap = bootstrap;
        this.name = name;
        this.ranksHere = ranksHere;
    }

    /**
     * Collective over the ranks that live: returns when each has come or is lost, with the words that a rank of each JVM has
     * shown; null for a JVM that is lost. The same on all ranks.
     *
     * @param shown by the JVM's rank that has something to show; none of the others
     * @param limit true to wait no longer than the job's timeout
     */
    public long[][] meet(Purpose call, long[] shown, Waiter waiter, boolean limit) {
        Meeting meeting = come(call, shown, limit ? waiter.deadline() : System.nanoTime() + FOREVER_NS);
        waiter.losses().quietly(() -> {
            if (limit) {
                waiter.begin();
            } else {
                waiter.beginUnlimited();
            }
            while (meeting.values == null && meeting.failure == null) {
                waiter.pause(() -> call.text + ": not all ranks that live have come");
            }
        });
        if (meeting.failure != null) {
            throw meeting.failure;
        }
        return read(call, meeting.values);
    }

    private synchronized Meeting come(Purpose call, long[] shown, long deadlineNs) {
        Meeting meeting = next;
        meeting.calls.add(call);
        if (shown.length > 0) {
            meeting.shown = shown;
        }
        if (meeting.calls.size() == ranksHere) {
            next = new Meeting();
            String key = "living-" + name + "-" + ++number;
            // A thread of its own: all ranks make progress for those that have not come yet.
            Thread.ofPlatform().daemon().name("pgas-meeting").start(() -> exchange(key, meeting, deadlineNs));
        }
        return meeting;
    }

    private void exchange(String key, Meeting meeting, long deadlineNs) {
        boolean same = meeting.calls.stream().distinct().count() == 1;
        ByteBuffer mine = ByteBuffer.allocate(Integer.BYTES + meeting.shown.length * Long.BYTES)
                .putInt(same ? meeting.calls.getFirst().code : MIXED);
        for (long word : meeting.shown) {
            mine.putLong(word);
        }
        try {
            meeting.values = bootstrap.gatherLiving(key, mine.array(), deadlineNs);
        } catch (RuntimeException e) {
            meeting.failure = e;
        }
    }

    private long[][] read(Purpose call, byte[][] values) {
        long[][] shown = new long[values.length][];
        for (int process = 0; process < values.length; process++) {
            if (values[process] != null) {
                ByteBuffer value = ByteBuffer.wrap(values[process]);
                int code = value.getInt();
                if (code != call.code) {
                    throw new CollectiveMismatchException("a rank called " + call.text + " while " + where(process, code));
                }
                shown[process] = new long[value.remaining() / Long.BYTES];
                value.asLongBuffer().get(shown[process]);
            }
        }
        return shown;
    }

    private String where(int process, int code) {
        String ranks = "ranks " + bootstrap.firstRank(process) + ".." + (bootstrap.firstRank(process + 1) - 1);
        for (Purpose call : Purpose.values()) {
            if (call.code == code) {
                return ranks + " came to " + call.text;
            }
        }
        return ranks + " came to different calls";
    }
}
