package org.pgas4j.bench.lab;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;

/**
 * One point of an experiment: a value for each axis. Its text is {@code axis=value} separated by blanks, in the order of
 * {@link #AXES}, then settings by name; two points with one text are the same.
 */
public final class LabPoint {

    /** Operation of the requester: {@code get}, {@code put}, {@code notify}, {@code atomic}, {@code overlap}. */
    public static final String OPERATION = "operation";
    /** Bytes of an operation. */
    public static final String BYTES = "bytes";
    /** State of the owner: idle, spin, fill, memory, gemm, java, collect. */
    public static final String OWNER = "owner";
    /**
     * Length of the owner's kernels, or of its turns of Java. Of an idle owner: requests of a closed loop come at the moments at
     * which they would come beside such turns.
     */
    public static final String KERNEL_MS = "kernel_ms";
    /** How requests arrive: closed, poisson, fixed. */
    public static final String ARRIVALS = "arrivals";
    /** Rate of arrivals as a share of the highest that a closed loop reaches. */
    public static final String LOAD = "load";
    /** Delay put into a part of each request of the program's own thread: none, or PART:MICROSECONDS. */
    public static final String INJECT = "inject";
    /** Memory of the requesters that an operation reads or fills: device, or host for page-locked memory. */
    public static final String LOCAL = "local";
    /** Server of requests: helper threads off, on or auto; own for a thread of the program; resident for a block of the GPU. */
    public static final String HELPER = "helper";
    /** Forced route. */
    public static final String ROUTE = "route";
    /** JVMs of the ranks: 1, or one for each. */
    public static final String PROCESSES = "processes";
    /** Ranks that request at once from the one owner. */
    public static final String REQUESTERS = "requesters";

    /** Value of {@link #HELPER} for the program's own thread. */
    public static final String OWN = "own";
    /** Value of {@link #HELPER} for the resident block, and of {@link #ROUTE} that comes with it. */
    public static final String RESIDENT = "resident";
    /** Memory of requesters on their device. */
    public static final String DEVICE = "device";
    /** Memory of requesters that the host reads and writes. */
    public static final String HOST = "host";
    /** Axes by name, each with its value where a plan has none. */
    public static final Map<String, String> AXES = axes();
    /** Axes that a launch has one value of; settings ({@code pgas.*}) are others. */
    public static final Set<String> OF_LAUNCH = Set.of(HELPER, ROUTE, PROCESSES, REQUESTERS);

    private static final Map<String, List<String>> ALLOWED = Map.of(OPERATION, List.of("get", "put", "notify", "atomic", "overlap"),
            OWNER, List.of("idle", "spin", "fill", "memory", "gemm", "java", "collect"),
            ARRIVALS, List.of("closed", "poisson", "fixed"), HELPER,
            List.of("off", "on", "auto", OWN, RESIDENT), LOCAL, List.of(DEVICE, HOST),
            ROUTE, List.of("auto", "direct", RESIDENT, "messages", "fastpath", "rendezvous"));
    private static final Set<String> RESIDENT_OPERATIONS = new TreeSet<>(Set.of("get", "put", "atomic"));
    private static final long MAX_BYTES = 64L << 20;
    private static final double MAX_MS = 1_000;
    private static final int MAX_REQUESTERS = 64;
    private static final long MIN_PAUSE_NS = 2_000;

    private final Map<String, String> values;

    private LabPoint(Map<String, String> values) {
        this.values = values;
    }

    private static Map<String, String> axes() {
        Map<String, String> axes = new LinkedHashMap<>();
        axes.put(OPERATION, "get");
        axes.put(BYTES, "8192");
        axes.put(OWNER, "idle");
        axes.put(KERNEL_MS, "0");
        axes.put(ARRIVALS, "closed");
        axes.put(LOAD, "0");
        axes.put(INJECT, "none");
        axes.put(LOCAL, DEVICE);
        axes.put(HELPER, "off");
        axes.put(ROUTE, "fastpath");
        axes.put(PROCESSES, "2");
        axes.put(REQUESTERS, "1");
        return Collections.unmodifiableMap(axes);
    }

    /**
     * The point with these values, and the axes' own where there are none. What has no meaning at a point is taken away: an atomic
     * operation has 8 bytes and no memory of the requester, a closed loop no rate, arrivals at a rate beside an idle owner no
     * kernels, the program's own thread no route but host memory that is shared, gets to a device and one requester, as an operation
     * that begins with a kernel has; the resident block has its route, and carries bytes between a device and the host. Ranks that
     * do not share a JVM have one each.
     *
     * @throws IllegalArgumentException if a name or a value is not known
     */
    public static LabPoint of(Map<String, String> some) {
        Map<String, String> values = new LinkedHashMap<>(AXES);
        some.keySet().stream().filter(AXES::containsKey).forEach(axis -> values.put(axis, some.get(axis)));
        some.keySet().stream().filter(axis -> !AXES.containsKey(axis)).sorted().forEach(axis -> values.put(axis, some.get(axis)));
        values.forEach(LabPoint::check);
        if (values.get(OWNER).equals("idle") && !values.get(ARRIVALS).equals("closed")) {
            values.put(KERNEL_MS, "0");
        }
        if (values.get(OPERATION).equals("atomic")) {
            values.put(BYTES, "8");
        }
        if (values.get(OPERATION).equals("overlap")) {
            values.put(ARRIVALS, "closed");
        }
        if (values.get(ARRIVALS).equals("closed")) {
            values.put(LOAD, "0");
        }
        if (values.get(HELPER).equals(OWN)) {
            values.put(ROUTE, "direct"); // to host memory that both ranks see
        }
        if (values.get(HELPER).equals(RESIDENT)) {
            values.put(ROUTE, RESIDENT);
            values.put(LOCAL, HOST);
        }
        if (values.get(HELPER).equals(OWN) || values.get(OPERATION).equals("atomic")) {
            values.put(LOCAL, DEVICE);
        }
        if (values.get(HELPER).equals(OWN) || values.get(OPERATION).equals("overlap")) {
            values.put(REQUESTERS, "1");
        }
        if (!values.get(PROCESSES).equals("1")) {
            values.put(PROCESSES, Integer.toString(1 + Integer.parseInt(values.get(REQUESTERS))));
        }
        return new LabPoint(values).checked();
    }

    private static void check(String axis, String value) {
        boolean known = axis.startsWith("pgas.") ? value.matches("\\S+") : switch (axis) {
            case BYTES -> value.matches("[0-9]{1,9}") && Long.parseLong(value) >= 1 && Long.parseLong(value) <= MAX_BYTES;
            case KERNEL_MS -> value.matches("[0-9]{1,4}(\\.[0-9]{1,6})?") && Double.parseDouble(value) <= MAX_MS;
            case LOAD -> value.matches("[0-9](\\.[0-9]{1,6})?");
            case PROCESSES -> value.matches("[1-9][0-9]?");
            case REQUESTERS -> value.matches("[1-9][0-9]?") && Integer.parseInt(value) <= MAX_REQUESTERS;
            case INJECT -> value.equals("none") || value.matches("(" + String.join("|", RequestParts.INJECTABLE)
                    + "):[0-9]{1,6}(\\.[0-9]{1,3})?");
            default -> ALLOWED.getOrDefault(axis, List.of()).contains(value);
        };
        if (!known) {
            throw new IllegalArgumentException("axis '" + axis + "' with value '" + value + "' (expected: one of " + AXES.keySet()
                    + " or a setting pgas.*, with " + (ALLOWED.containsKey(axis) ? ALLOWED.get(axis)
                            : "a number in range, for inject none or PART:US with one of " + RequestParts.INJECTABLE) + ")");
        }
    }

    /** Refuses combinations that have no meaning. */
    private LabPoint checked() {
        boolean own = text(HELPER).equals(OWN);
        if (own && !text(OPERATION).equals("get") || !own && !text(INJECT).equals("none")) {
            throw new IllegalArgumentException(this + ": the program's own thread serves gets alone, and delays are put into its"
                    + " requests alone");
        }
        if (text(HELPER).equals(RESIDENT)) {
            checkResident();
        } else if (text(ROUTE).equals(RESIDENT)) {
            throw new IllegalArgumentException(this + ": route resident comes with helper resident");
        }
        if (!text(ARRIVALS).equals("closed") && !(number(LOAD) > 0 && number(LOAD) < 1)) {
            throw new IllegalArgumentException(this + ": arrivals need a load above 0 and below 1");
        }
        if (!text(OWNER).equals("idle") && !(number(KERNEL_MS) > 0)) {
            throw new IllegalArgumentException(this + ": owner " + text(OWNER) + " needs kernel_ms above 0");
        }
        if (number(BYTES) * number(REQUESTERS) > MAX_BYTES) {
            throw new IllegalArgumentException(this + ": bytes of all requesters " + (long) (number(BYTES) * number(REQUESTERS))
                    + " (expected: up to " + MAX_BYTES + ")");
        }
        return this;
    }

    private void checkResident() {
        if (!RESIDENT_OPERATIONS.contains(text(OPERATION))) {
            throw new IllegalArgumentException(this + ": a resident block serves " + RESIDENT_OPERATIONS + " (operation: "
                    + text(OPERATION) + ")");
        }
        long maxBytes = setting(PgasKey.RESIDENT_BYTES).bytes(PgasKey.RESIDENT_BYTES);
        if (number(BYTES) > maxBytes) {
            throw new IllegalArgumentException(this + ": a resident block serves up to " + maxBytes + " bytes; raise "
                    + PgasKey.RESIDENT_BYTES.property() + " to " + text(BYTES));
        }
    }

    /** Configuration with the point's value of a setting, or its default. */
    PgasConfig setting(PgasKey key) {
        String value = text(key.property());
        return value.isEmpty() ? new PgasConfig() : new PgasConfig().set(key, value);
    }

    /** Reads what {@link #toString} wrote. */
    public static LabPoint parse(String text) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String word : text.split(" ")) {
            int equals = word.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException("'" + word + "' in point '" + text + "' (expected: axis=value)");
            }
            values.put(word.substring(0, equals), word.substring(equals + 1));
        }
        return of(values);
    }

    /** A value; empty if the point has none. */
    public String text(String axis) {
        return values.getOrDefault(axis, "");
    }

    /** A value as a number. */
    public double number(String axis) {
        return Double.parseDouble(values.get(axis));
    }

    /** Number of ranks that request. */
    public int requesters() {
        return (int) number(REQUESTERS);
    }

    /** True if a request does not wait for the owner's turn to end: a helper serves it while the owner computes, or a resident block. */
    boolean isServedAtOnce() {
        return text(HELPER).equals("on") || text(HELPER).equals(RESIDENT);
    }

    /** Length of the owner's kernels or turns, nanoseconds; 0 if it is idle. */
    public long kernelNs() {
        return text(OWNER).equals("idle") ? 0 : turnNs();
    }

    private long turnNs() {
        return Math.round(number(KERNEL_MS) * 1e6);
    }

    /**
     * Longest pause of a requester of a closed loop, nanoseconds: it pauses for any time up to it, so that requests come at random
     * moments of the owner's turns.
     */
    public long maxPauseNs() {
        return Math.max(MIN_PAUSE_NS, turnNs());
    }

    /** Point with another value of one axis. */
    public LabPoint with(String axis, String value) {
        Map<String, String> other = new LinkedHashMap<>(values);
        other.put(axis, value);
        return of(other);
    }

    /** Values that a launch of the ranks has, by axis; points with the same share a launch. */
    public Map<String, String> launch() {
        Map<String, String> launch = new LinkedHashMap<>(values);
        launch.keySet().removeIf(axis -> !OF_LAUNCH.contains(axis) && !axis.startsWith("pgas."));
        return launch;
    }

    /** Settings of the launch, KEY=VALUE without {@code pgas.}, as rows have them. */
    public String settings() {
        List<String> settings = new ArrayList<>();
        launch().forEach((axis, value) -> {
            if (axis.startsWith("pgas.") || axis.equals(ROUTE)) {
                settings.add(axis.replaceFirst("^pgas\\.", "") + "=" + value);
            }
        });
        return String.join(" ", settings);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LabPoint point && point.values.equals(values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        List<String> words = new ArrayList<>();
        values.forEach((axis, value) -> words.add(axis + "=" + value));
        return String.join(" ", words);
    }
}
