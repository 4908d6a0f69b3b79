package org.pgas4j.os.trace;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MutableCallSite;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * The timeline of this JVM. While it is off, a place costs the test of {@link #isOn}; while it is on, an event costs a look at
 * the clock for its begin and its end and six stores into the ring of its thread, without allocation or lock. The first event of
 * a thread makes its ring. Times are {@link System#nanoTime()}: all JVMs of one machine have the same clock.
 */
public final class Trace {

    /** Fewest events that a ring may have. */
    public static final int MIN_EVENTS = 64;

    private static final int BLOCKS_SHARE = 16;
    private static final int MAX_NAMES = 1 << 16;
    private static final ThreadLocal<TraceRing> OWN = new ThreadLocal<>();
    private static final Map<String, Integer> NAMES = new ConcurrentHashMap<>();
    private static final AtomicLong LINKS = new AtomicLong();

    private static final MutableCallSite SWITCH = new MutableCallSite(MethodHandles.constant(boolean.class, false));
    private static final MethodHandle ON = SWITCH.dynamicInvoker();

    private static boolean on; // as the switch, guarded by the class
    private static int session; // as on
    private static int users;
    private static int events;
    private static List<TraceRing> rings = List.of(); // guarded by the class

    private Trace() {
    }

    /** True while events are wanted; a constant for the compiler, which a change throws away. */
    public static boolean isOn() {
        try {
            return (boolean) ON.invokeExact();
        } catch (Throwable e) {
            throw new IllegalStateException("the switch of the timeline", e);
        }
    }

    private static void turn(boolean state) {
        on = state;
        SWITCH.setTarget(MethodHandles.constant(boolean.class, state));
        MutableCallSite.syncAll(new MutableCallSite[] {SWITCH});
    }

    /**
     * Turns the timeline on, before the threads start whose events it is to have. Nests: those that overlap share one.
     *
     * @param perThread events that a thread's ring holds, at least {@value #MIN_EVENTS}; rounded up to a power of two
     */
    public static synchronized void start(int perThread) {
        if (perThread < MIN_EVENTS || perThread > 1 << 24) {
            throw new IllegalArgumentException("events of a thread: " + perThread + " (expected: " + MIN_EVENTS + ".." + (1 << 24)
                    + ")");
        }
        if (users++ == 0) {
            events = Integer.highestOneBit(perThread - 1) << 1;
            rings = new ArrayList<>();
            session++;
            turn(true);
        }
    }

    /** Undoes one {@link #start}; the last one drops all events. */
    public static synchronized void stop() {
        if (users > 0 && --users == 0) {
            turn(false);
            rings = List.of();
        }
    }

    /** The threads that have written so far, each to be looked at by itself: their events may be many. Any thread. */
    public static synchronized List<Supplier<TraceTrack>> tracks() {
        return rings.stream().map(ring -> (Supplier<TraceTrack>) ring::look).toList();
    }

    /** All names, each at its number. */
    public static List<String> names() {
        synchronized (NAMES) {
            String[] names = new String[NAMES.size()];
            NAMES.forEach((name, number) -> names[number] = name);
            return Arrays.asList(names);
        }
    }

    private static int name(String text) {
        Integer known = NAMES.get(text);
        return known != null ? known : newName(text);
    }

    private static int newName(String text) {
        synchronized (NAMES) {
            Integer known = NAMES.get(text);
            if (known == null) {
                if (NAMES.size() >= MAX_NAMES) {
                    return NAMES.get("");
                }
                if (NAMES.isEmpty()) {
                    NAMES.put("", 0);
                }
                known = NAMES.size();
                NAMES.put(text, known);
            }
            return known;
        }
    }

    // ---- threads

    /** Makes the ring of this thread, which works for rank {@code rank}; -1 for none or several. Has no effect while off. */
    public static void attach(int rank) {
        attach(rank, events);
    }

    /** As {@link #attach(int)}, a small one: there may be a thousand blocks. */
    public static void attachBlock(int rank) {
        attach(rank, Math.max(MIN_EVENTS, events / BLOCKS_SHARE));
    }

    /** The ring of this thread; null if the timeline is off by now. */
    private static synchronized TraceRing attach(int rank, int capacity) {
        if (!on) {
            return null;
        }
        Thread self = Thread.currentThread();
        TraceRing ring = null;
        for (TraceRing each : rings) {
            if (each.inherit(self.getName(), rank, self)) {
                ring = each;
                break;
            }
        }
        if (ring == null) {
            ring = new TraceRing(session, self.getName(), rank, capacity, self);
            rings.add(ring);
        }
        OWN.set(ring);
        return ring;
    }

    /** Rank of this thread's ring; -1 if there is none. */
    public static int rank() {
        TraceRing ring = OWN.get();
        return ring == null || ring.session() != session ? -1 : ring.rank();
    }

    private static void add(TraceKind kind, String name, int rank, int peer, int tag, long bytes, long link, long beginNs) {
        long endNs = System.nanoTime();
        TraceRing ring = OWN.get();
        if (ring == null || ring.session() != session) {
            ring = attach(-1, events);
            if (ring == null) {
                return;
            }
        }
        ring.add(beginNs, endNs, kind, name(name), rank, peer, tag, bytes, link);
    }

    // ---- events, from beginNs to now

    /** A transfer of rank {@code rank} with memory of {@code peer}: {@code kind} is PUT, GET, SET or ATOMIC. */
    public static void transfer(TraceKind kind, int rank, int peer, long bytes, String route, long beginNs) {
        add(kind, route, rank, peer, 0, bytes, 0, beginNs);
    }

    /** An operation that may wait. */
    public static void operation(int rank, String name, long sequence, long beginNs) {
        add(TraceKind.OPERATION, name, rank, -1, 0, 0, sequence, beginNs);
    }

    /** A notification that has made the counter of {@code tag} of rank {@code target} {@code counter} by adding {@code value}. */
    public static void signal(int rank, int target, int tag, long value, long counter, long beginNs) {
        add(TraceKind.SIGNAL, "", rank, target, tag, value, counter, beginNs);
    }

    /** A notification that has set the value of {@code tag} of rank {@code target}. */
    public static void signalSet(int rank, int target, int tag, long value, long beginNs) {
        add(TraceKind.SIGNAL_SET, "", rank, target, tag, 0, value, beginNs);
    }

    /** Rank {@code rank} has consumed {@code count} notifications, the last of which made the counter {@code counter}. */
    public static void seen(int rank, int tag, long count, long counter) {
        add(TraceKind.SEEN, "", rank, rank, tag, count, counter, System.nanoTime());
    }

    /** As {@link #seen}, by a stream, whose wait has been queued since {@code beginNs}. */
    public static void seenByStream(int rank, int tag, long count, long counter, long beginNs) {
        add(TraceKind.SEEN_BY_STREAM, "", rank, rank, tag, count, counter, beginNs);
    }

    /** Rank {@code rank} has taken a value. */
    public static void seenSet(int rank, int tag, long value) {
        add(TraceKind.SEEN_SET, "", rank, rank, tag, 0, value, System.nanoTime());
    }

    /** Message {@code sequence} of a pair is sent. */
    public static void sent(int rank, int peer, String type, long bytes, long sequence, long beginNs) {
        add(TraceKind.SEND, type, rank, peer, 0, bytes, sequence, beginNs);
    }

    /** Message {@code sequence} that {@code peer} has sent to {@code rank} is served. */
    public static void served(int rank, int peer, String type, long bytes, long sequence, long beginNs) {
        add(TraceKind.SERVE, type, rank, peer, 0, bytes, sequence, beginNs);
    }

    /** A rendezvous that {@code peer} has requested is complete at its owner {@code rank}. */
    public static void moved(int rank, int peer, long bytes, long beginNs) {
        add(TraceKind.MOVE, "", rank, peer, 0, bytes, 0, beginNs);
    }

    /** Number for the next operation of a stream, from 1. */
    public static long nextLink() {
        return LINKS.incrementAndGet();
    }

    /** Work is queued on a stream. */
    public static void submitted(String name, long bytes, long link, long beginNs) {
        add(TraceKind.SUBMIT, name, rank(), -1, 0, bytes, link, beginNs);
    }

    /** Work has run on its stream. */
    public static void ran(String name, long bytes, long link, long beginNs) {
        add(TraceKind.RUN, name, rank(), -1, 0, bytes, link, beginNs);
    }

    /** A block has put to block {@code block} of rank {@code peer}. */
    public static void blockPut(int peer, int block, long bytes, long beginNs) {
        add(TraceKind.BLOCK_PUT, "", rank(), peer, block, bytes, 0, beginNs);
    }

    /** A block has got from block {@code block} of rank {@code peer}, or has started to. */
    public static void blockGet(int peer, int block, long bytes, long beginNs) {
        add(TraceKind.BLOCK_GET, "", rank(), peer, block, bytes, 0, beginNs);
    }

    /** A block has waited. */
    public static void blockWait(String name, long beginNs) {
        add(TraceKind.BLOCK_WAIT, name, rank(), -1, 0, 0, 0, beginNs);
    }

    /** A block of a grid has ended. */
    public static void block(String program, int block, long beginNs) {
        add(TraceKind.BLOCK, program, rank(), -1, block, 0, 0, beginNs);
    }
}
