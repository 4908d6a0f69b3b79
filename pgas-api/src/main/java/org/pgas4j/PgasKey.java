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
    HEAP_HOST("pgas.heap.host", Type.SIZE, "auto", 4096, 1L << 50,
            "Shared heap of each rank in host memory; auto is 64m, less where the ranks of a node are many."),
    HEAP_DEVICE("pgas.heap.device", Type.SIZE, "auto", 4096, 1L << 50,
            "Shared heap of each rank in device memory; auto is 64m on the host device, 1g on a GPU, less where ranks are many."),
    CONDUIT("pgas.conduit", Type.CHOICE, "auto", "auto|shm|ucx|loopback",
            "What carries bytes between host segments; auto is shm within a node and UCX between nodes; shm works on one node, "
                    + "loopback inside one JVM only."),
    NODE("pgas.node", Type.TEXT, "auto",
            "Name of the node of a JVM: those of one machine, one PID namespace and one name share memory; auto goes by network "
                    + "namespace and user."),
    NODE_PROCESSES("pgas.node.processes", Type.COUNT, "auto", 1, 1 << 20,
            "For tests on one machine: every run of this many JVMs counts as a node of its own; auto does not divide."),
    ROUTE("pgas.route", Type.CHOICE, "auto", "auto|direct|resident|messages|fastpath|rendezvous",
            "Forces a route for transfers to other ranks: direct alone, or messages, by the protocol their size asks for or by one;"
                    + " resident is auto, with small transfers between host and device memory by a block that stays on the device."),
    RESIDENT_BYTES("pgas.resident.bytes", Type.SIZE, "8k", 8, 1 << 20,
            "Largest transfer that a resident block carries out."),
    RESIDENT_IDLE("pgas.resident.idle", Type.DURATION, "5ms", 1_000, 1_000_000_000,
            "Time without a request after which a resident block ends, until the next one launches it again."),
    FASTPATH_CHUNK("pgas.fastpath.chunk", Type.SIZE, "16k", 256, 1 << 20,
            "Bytes of one fastpath chunk, its 64-byte header included; a power of two."),
    FASTPATH_CHUNKS("pgas.fastpath.chunks", Type.COUNT, "32", 8, 4096,
            "Chunks of each of the two rings of a pair of ranks that talk; a power of two."),
    RENDEZVOUS_THRESHOLD("pgas.rendezvous.threshold", Type.SIZE, "auto", 1, Long.MAX_VALUE,
            "Transfers of this size and more go by rendezvous; auto is what a short calibration or the profile says."),
    RENDEZVOUS_CHUNK("pgas.rendezvous.chunk", Type.SIZE, "4m", 4096, 1 << 30,
            "Bytes that a rendezvous moves at a time at most; the pieces of a smaller one are smaller."),
    RENDEZVOUS_DEPTH("pgas.rendezvous.depth", Type.COUNT, "4", 1, 64,
            "Pieces of a rendezvous that are in flight at once."),
    RENDEZVOUS_BUFFERED("pgas.rendezvous.buffered", Type.SIZE, "64m", 0, Long.MAX_VALUE,
            "Bytes of large puts that a rank copies aside, to return before their owners serve them; above, puts wait."),
    REGISTRATION_CACHE("pgas.registration.cache", Type.SIZE, "256m", 0, Long.MAX_VALUE,
            "Registered temporaries that a rank keeps for later transfers, in bytes; 0 keeps none."),
    PROFILE("pgas.profile", Type.TEXT, "none",
            "File of measured thresholds: read if it exists, else written after the calibration; none measures every time."),
    HELPER("pgas.helper", Type.CHOICE, "auto", "off|on|auto",
            "Helper threads: on serves ranks that are busy at once, auto when a request has waited for pgas.helper.threshold."),
    HELPER_THREADS("pgas.helper.threads", Type.COUNT, "1", 1, 64,
            "Helper threads of a JVM, or of each of its devices with pgas.helper.per=device."),
    HELPER_PER("pgas.helper.per", Type.CHOICE, "jvm", "jvm|device",
            "What pgas.helper.threads counts for."),
    HELPER_THRESHOLD("pgas.helper.threshold", Type.DURATION, "50us", 1, Long.MAX_VALUE,
            "How long a request waits before a helper serves it for a rank that is not marked busy, or for any with auto."),
    HELPER_WAIT("pgas.helper.wait", Type.CHOICE, "auto", "auto|spin|yield|park",
            "How an idle helper waits; auto spins, yields, then parks, and does not spin where threads outnumber processors."),
    HELPER_CPUS("pgas.helper.cpus", Type.TEXT, "none",
            "Processors for helper threads, in turn: numbers with commas; none is all, or with pgas.bind=core those without a rank."),
    UCX_TLS("pgas.ucx.tls", Type.TEXT, "auto",
            "Transports of the ucx conduit: shm, tcp, rc, or a list as in UCX_TLS; auto leaves the choice to UCX."),
    UCX_ERRORS("pgas.ucx.errors", Type.CHOICE, "none", "none|peer",
            "Error handling of ucx endpoints: peer makes UCX report a lost peer and excludes transports that cannot."),
    TIMEOUT("pgas.timeout", Type.DURATION, "30s", 1, Long.MAX_VALUE,
            "Deadline of one wait."),
    LOST("pgas.lost", Type.CHOICE, "end", "end|event",
            "The loss of a rank's process: end ends the job, event is told to the other ranks, which may go on."),
    WATCHDOG("pgas.watchdog", Type.DURATION, "auto", 0, Long.MAX_VALUE,
            "How long a rank may stay in one operation before its job is ended; auto is twice pgas.timeout, 0s is never."),
    JOIN("pgas.join", Type.CHOICE, "auto", "auto|none|pgas|ompi|pmi|slurm|torchrun|kubernetes",
            "Whose variables tell a JVM that pgasrun did not start which part of a job it is; none makes it a job of its own."),
    THREADS("pgas.threads", Type.COUNT, "1", 1, 1 << 16,
            "Ranks of each JVM of a job that mpirun, srun, torchrun or Kubernetes starts."),
    RANK("pgas.rank", Type.COUNT, "auto", 0, 1 << 20,
            "Number of this JVM among those of the job; auto asks the variables of what started it."),
    SIZE("pgas.size", Type.COUNT, "auto", 1, 1 << 20,
            "JVMs of the job; auto asks the variables of what started it."),
    LOCAL_RANK("pgas.local.rank", Type.COUNT, "auto", 0, 1 << 20,
            "Number of this JVM among those of its node."),
    LOCAL_SIZE("pgas.local.size", Type.COUNT, "auto", 1, 1 << 20,
            "JVMs of the job on this node; if it is pgas.size they meet on the loopback interface."),
    JOB_ID("pgas.job.id", Type.TEXT, "auto",
            "Name of the job, the same for all its JVMs and no other's; auto asks the variables of what started it."),
    COORD("pgas.coord", Type.TEXT, "auto",
            "host:port where JVM 0 can be reached by the others; with pgas.secret.file, where there is no common home."),
    SECRET_FILE("pgas.secret.file", Type.TEXT, "none",
            "File with the job's secret, 32 bytes or more, readable by its owner only or on a read-only mount."),
    JOIN_DIR("pgas.join.dir", Type.TEXT, "auto",
            "Directory, common to all nodes, where JVM 0 says how to reach it; auto is .pgas/jobs in the home directory."),
    JOIN_TIMEOUT("pgas.join.timeout", Type.DURATION, "60s", 1, Long.MAX_VALUE,
            "Time for all JVMs of the job to find each other."),
    IFACE("pgas.iface", Type.TEXT, "auto",
            "Interface or address that a coordinator listens on; auto is all, or loopback for a job of one node."),
    TLS("pgas.tls", Type.CHOICE, "auto", "auto|on|off",
            "TLS 1.3 on the control plane; auto is on between hosts and off on the loopback interface."),
    HEARTBEAT("pgas.heartbeat", Type.DURATION, "2s", 1_000_000, Long.MAX_VALUE,
            "Time between two signs of life between the coordinators of nodes."),
    HEARTBEAT_TIMEOUT("pgas.heartbeat.timeout", Type.DURATION, "10s", 1_000_000, Long.MAX_VALUE,
            "Time without a sign of life after which a node is lost."),
    BIND("pgas.bind", Type.CHOICE, "none", "none|core",
            "Binds the rank threads of a node to one core each."),
    BIND_REPORT("pgas.bind.report", Type.FLAG, "false",
            "Each rank says which processors its thread may run on."),
    BLOCKS_PACKETS("pgas.blocks.packets", Type.SIZE, "4k", 0, 4096,
            "Notified puts between blocks on GPUs of up to this size travel as packets with flags inside; larger ones are copied; 0: all."),
    KERNEL_CACHE("pgas.kernel.cache", Type.TEXT, "auto",
            "Directory of compiled kernels; auto is pgas4j/kernels in the user's cache directory, none has none."),
    KERNEL_EXPLAIN("pgas.kernel.explain", Type.TEXT, "none",
            "Rank 0 prints CUDA C++ and first launch of kernels in Java whose name, as Program.main, has this in it; or all."),
    COLLECTIVE_PROFILES("pgas.collective.profiles", Type.TEXT, "auto",
            "Directory of measured sizes at which collective operations on streams change their form, which scripts/bench tune"
                    + " writes; auto is pgas4j/collectives in the user's cache directory, none has none."),
    COLLECTIVE_BLOCKS("pgas.collective.blocks", Type.COUNT, "64", 1, 128,
            "Most thread blocks of a kernel by which the form DIRECT of collective operations on streams reads and writes memory"
                    + " of others; fewer leave more of a GPU to other kernels."),
    CHECK("pgas.check", Type.CHOICE, "on", "on|full",
            "Checks of wrong programs: on is bounds, generations, affinity and collectives; full adds guard words, freed memory and races."),
    EXPLAIN("pgas.explain", Type.FLAG, "false",
            "Rank 0 prints the effective settings and its route table before the program starts."),
    STATS("pgas.stats", Type.FLAG, "false",
            "Each run ends with a summary of the ranks' counters on standard error: transfers, waits, late ranks, advice."),
    TRACE("pgas.trace", Type.TEXT, "none",
            "File for a timeline of each run, which Perfetto opens; without pgasrun one file for each JVM; none is off."),
    TRACE_EVENTS("pgas.trace.events", Type.COUNT, "65536", 64, 1 << 24,
            "Latest events that pgas.trace keeps of each thread, rounded up to a power of two; 48 bytes each."),
    NVTX("pgas.nvtx", Type.FLAG, "false",
            "Ranges around launches for NVIDIA's profilers, by libnvtx3interop or libnvToolsExt.");

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

    /** Effect of the setting, a sentence. */
    public String help() {
        return help;
    }
}
