package org.pgas4j.os;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Places where a test makes a rank fail, by the property {@code pgas4j.failpoints} of its JVM: entries {@code
 * name[@rank][#hit]:action}, separated by commas. With {@code @rank} it is for that rank, or its JVM where there is no
 * rank yet; with {@code #hit} for the hit of that number, from 1, and else for each. A place may have several entries;
 * those of one hit act in their order. Actions: {@code kill}, {@code abort} (SIGABRT), {@code stop} (SIGSTOP), {@code
 * exit=N}, {@code halt=N}, {@code throw}, {@code overflow} of the stack, {@code fill} the heap, {@code hang}, {@code
 * delay=MS}, and {@code collect=MIB}: a collection of the whole heap that finds so many MiB of small live objects. A
 * line on standard error says when. Without the property a place costs nothing: the constant is false.
 */
public final class Failpoint {

    /** The property. */
    public static final String PROPERTY = "pgas4j.failpoints";

    public static final String JVM_START = "jvm-start";
    public static final String BEFORE_CONNECT = "before-connect";
    public static final String HANDSHAKE = "handshake";
    public static final String CONNECTED = "connected";
    public static final String REGISTER = "register";
    public static final String DIRECTORY = "directory";
    public static final String PUT = "put";
    public static final String GET = "get";
    public static final String NOTIFY = "notify";
    public static final String BARRIER = "barrier";
    public static final String COLLECTIVE = "collective";
    /** The rank has just taken a lock, which nobody else gets before it is given back. */
    public static final String LOCK = "lock";
    public static final String ALLOCATION = "allocation";
    public static final String CLOSE = "close";
    public static final String CLOSED = "closed";

    /** All there are, in the order in which a rank comes to them. */
    public static final Set<String> NAMES = java.util.Collections.unmodifiableSet(new java.util.LinkedHashSet<>(
            List.of(JVM_START, BEFORE_CONNECT, HANDSHAKE, CONNECTED, REGISTER, DIRECTORY, ALLOCATION, BARRIER,
                    COLLECTIVE, LOCK, PUT, GET, NOTIFY, CLOSE, CLOSED)));

    /** An array of four references: its header and as many words of four bytes. */
    private static final int LINK_BYTES = 32;

    private static final int SIGABRT = 6;
    private static final int SIGKILL = 9;
    private static final int SIGSTOP = 19;

    private static final Map<String, List<Entries.Point>> POINTS = Entries.parse(System.getProperty(PROPERTY, ""));
    private static final boolean ON = !POINTS.isEmpty();
    private static final ThreadLocal<Integer> RANK = new ThreadLocal<>();

    private static volatile int firstRank;
    private static volatile int endRank;

    private Failpoint() {
    }

    /** @throws IllegalArgumentException if the property is wrong: before any other use, where that can be told */
    public static void check() {
        Entries.parse(System.getProperty(PROPERTY, ""));
    }

    /** The ranks of this JVM: a place without a rank counts for them. */
    public static void ranks(int first, int end) {
        firstRank = first;
        endRank = end;
    }

    /** From here on, this thread is a rank's. */
    public static void rank(int rank) {
        if (ON) {
            RANK.set(rank);
        }
    }

    /** True if the property names any place; callers on hot paths keep it as a constant. */
    public static boolean isOn() {
        return ON;
    }

    /** A place. */
    public static void hit(String name) {
        if (ON) {
            Entries.due(POINTS, name, Failpoint::isFor).forEach(point -> act(name, point));
        }
    }

    private static void act(String name, Entries.Point point) {
        System.err.println("failpoint " + name + ":" + point.action() + " of pid " + ProcessHandle.current().pid() + " at "
                + System.nanoTime());
        switch (point.action()) {
            case "kill" -> signal(SIGKILL);
            case "abort" -> signal(SIGABRT);
            case "exit" -> System.exit(point.number());
            case "halt" -> Runtime.getRuntime().halt(point.number());
            case "stop" -> Libc.signal(ProcessHandle.current().pid(), SIGSTOP);
            case "overflow" -> overflow(0);
            case "fill" -> fill();
            case "throw" -> throw new IllegalStateException("failpoint " + name);
            case "hang" -> hang();
            case "delay" -> pause(point.number() * 1_000_000L);
            case "collect" -> collect(point.number());
            default -> throw new AssertionError(point.action());
        }
    }

    private static boolean isFor(int rank) {
        Integer own = RANK.get();
        return rank < 0 || (own != null ? own == rank : rank >= firstRank && rank < endRank);
    }

    private static void signal(int number) {
        Libc.signal(ProcessHandle.current().pid(), number);
        hang(); // until it arrives
    }

    private static int overflow(int depth) {
        return depth < 0 ? depth : overflow(depth + 1) + 1; // adds: no compiler makes a loop of it
    }

    private static void fill() {
        List<long[]> kept = new ArrayList<>();
        while (kept.size() < Integer.MAX_VALUE) {
            kept.add(new long[1 << 20]);
        }
    }

    private static void collect(int mebibytes) {
        Object[] newest = null;
        for (long bytes = (long) mebibytes << 20; bytes > 0; bytes -= LINK_BYTES) {
            newest = new Object[] {newest, null, null, null};
        }
        long start = System.nanoTime();
        System.gc();
        System.err.println("failpoint collected " + mebibytes + " MiB in " + (System.nanoTime() - start) / 1_000_000 + " ms");
        java.lang.ref.Reference.reachabilityFence(newest);
    }

    private static void hang() {
        while (true) {
            LockSupport.parkNanos(1_000_000_000L);
        }
    }

    private static void pause(long ns) {
        long end = System.nanoTime() + ns;
        for (long left = ns; left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** Parser of the property. A class of its own, so that a mistake in it can be reported before the places are used. */
    static final class Entries {

        private static final Pattern ENTRY = Pattern.compile(
                "([a-z-]+)(?:@(\\d{1,7}))?(?:#(\\d{1,9}))?:(kill|abort|stop|throw|overflow|fill|hang"
                        + "|(?:exit|halt|delay|collect)=\\d{1,6})");

        record Point(int rank, long hit, String action, int number, AtomicLong hits) {
        }

        /** Entries of each place, in their order. */
        static Map<String, List<Point>> parse(String text) {
            Map<String, List<Point>> points = new LinkedHashMap<>();
            for (String entry : text.isBlank() ? new String[0] : text.split(",")) {
                Matcher parts = ENTRY.matcher(entry.strip());
                if (!parts.matches() || !NAMES.contains(parts.group(1))) {
                    throw new IllegalArgumentException("invalid value for " + PROPERTY + ": '" + entry + "' (expected:"
                            + " name[@rank][#hit]:kill|abort|stop|throw|overflow|fill|hang|exit=N|halt=N|delay=MS|collect=MIB"
                            + " with a name of " + NAMES + ")");
                }
                String[] action = parts.group(4).split("=");
                points.computeIfAbsent(parts.group(1), _ -> new ArrayList<>()).add(new Point(
                        parts.group(2) == null ? -1 : Integer.parseInt(parts.group(2)),
                        parts.group(3) == null ? 0 : Long.parseLong(parts.group(3)), action[0],
                        action.length == 1 ? 0 : Integer.parseInt(action[1]), new AtomicLong()));
            }
            return points;
        }

        /**
         * Counts a hit of a place.
         *
         * @param isFor true if entries of a rank, -1 for any, are for the caller
         * @return the entries that act; all have counted the hit before the first one acts, for that may throw
         */
        static List<Point> due(Map<String, List<Point>> points, String name, IntPredicate isFor) {
            return points.getOrDefault(name, List.of()).stream().filter(point -> isFor.test(point.rank())
                    && (point.hit() == 0 || point.hits().incrementAndGet() == point.hit())).toList();
        }
    }
}
