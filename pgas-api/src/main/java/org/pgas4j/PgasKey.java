package org.pgas4j;

import java.util.Locale;

/**
 * Every setting there is: property, kind of value, default, range and a sentence. The environment variable of a
 * setting is its property in capitals with underscores. docs/configuration.md is generated from this table.
 */
public enum PgasKey {
    RANKS("pgas.ranks", Type.COUNT, "auto", 1, 1 << 20,
            "Ranks of a job started from a plain main; auto is the number of processors. Under a launcher, the launcher's."),
    DEVICE("pgas.device", Type.CHOICE, "auto", "auto|host|cuda",
            "The device ranks compute on; auto is cuda where a GPU is found and host elsewhere."),
    REQUIRE_GPU("pgas.require.gpu", Type.FLAG, "false",
            "Fail where device=auto finds no GPU."),
    HOST_DEVICES("pgas.host.devices", Type.COUNT, "1", 1, 64,
            "Number of devices the host device backend shows."),
    HEAP_HOST("pgas.heap.host", Type.SIZE, "auto", 4096, Long.MAX_VALUE,
            "Shared heap of each rank in host memory; auto is 64m, less where the ranks of a node are many."),
    HEAP_DEVICE("pgas.heap.device", Type.SIZE, "auto", 4096, Long.MAX_VALUE,
            "Shared heap of each rank in device memory; auto is 64m on the host device, 1g on a GPU, less where ranks are many."),
    CONDUIT("pgas.conduit", Type.CHOICE, "auto", "auto|shm|loopback",
            "What carries bytes between host segments; loopback works inside one JVM only."),
    ROUTE("pgas.route", Type.CHOICE, "auto", "auto|direct|staged",
            "Forces a route for transfers to other ranks: direct, or staged through host memory where a device is involved."),
    TIMEOUT("pgas.timeout", Type.DURATION, "30s", 1, Long.MAX_VALUE,
            "Deadline of one wait."),
    BIND("pgas.bind", Type.CHOICE, "none", "none|core",
            "Binds the rank threads of a node to one core each."),
    KERNEL_CACHE("pgas.kernel.cache", Type.TEXT, "auto",
            "Directory of compiled kernels; auto is pgas4j/kernels in the user's cache directory."),
    EXPLAIN("pgas.explain", Type.FLAG, "false",
            "Rank 0 prints the effective settings and its route table before the program starts.");

    /** Kinds of value. */
    public enum Type {
        /** Decimal number. */
        COUNT,
        /** Bytes: a number with an optional unit k, m, g, t (powers of 1024; kb, KiB and so on as well). */
        SIZE,
        /** Time: a number with a unit ns, us, ms, s, m or h. */
        DURATION,
        /** true or false. */
        FLAG,
        /** One of a list. */
        CHOICE,
        /** Anything. */
        TEXT
    }

    private final String property;
    private final Type type;
    private final String defaultText;
    private final long min;
    private final long max;
    private final String choices;
    private final String help;

    PgasKey(String property, Type type, String defaultText, String help) {
        this(property, type, defaultText, 0, Long.MAX_VALUE, null, help);
    }

    PgasKey(String property, Type type, String defaultText, String choices, String help) {
        this(property, type, defaultText, 0, Long.MAX_VALUE, choices, help);
    }

    PgasKey(String property, Type type, String defaultText, long min, long max, String help) {
        this(property, type, defaultText, min, max, null, help);
    }

    PgasKey(String property, Type type, String defaultText, long min, long max, String choices, String help) {
        this.property = property;
        this.type = type;
        this.defaultText = defaultText;
        this.min = min;
        this.max = max;
        this.choices = choices;
        this.help = help;
    }

    /** System property, for example {@code pgas.heap.host}. */
    public String property() {
        return property;
    }

    /** Environment variable, for example {@code PGAS_HEAP_HOST}. */
    public String environment() {
        return property.toUpperCase(Locale.ROOT).replace('.', '_');
    }

    /** Kind of value. */
    public Type type() {
        return type;
    }

    /** Default as text; {@code auto} is decided when the job starts. */
    public String defaultText() {
        return defaultText;
    }

    /** Least value of a number. */
    public long min() {
        return min;
    }

    /** Greatest value of a number. */
    public long max() {
        return max;
    }

    /** The choices, separated by bars; null if any text is good. */
    public String choices() {
        return choices;
    }

    /** What the setting does. */
    public String help() {
        return help;
    }
}
