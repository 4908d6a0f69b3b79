package org.pgas4j.runtime;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntConsumer;
import org.pgas4j.BootstrapException;
import org.pgas4j.DeviceException;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.bootstrap.Abort;
import org.pgas4j.bootstrap.Bootstrap;
import org.pgas4j.bootstrap.Failures;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.bootstrap.Place;
import org.pgas4j.bootstrap.node.NodeDirectory;
import org.pgas4j.bootstrap.node.Nodes;
import org.pgas4j.bootstrap.watch.Activity;
import org.pgas4j.bootstrap.watch.StatusBoard;
import org.pgas4j.bootstrap.watch.StatusQuery;
import org.pgas4j.bootstrap.watch.Watchdog;
import org.pgas4j.device.DeviceBackend;
import org.pgas4j.device.cuda.CudaProbe;
import org.pgas4j.device.select.Devices;
import org.pgas4j.fastpath.Conduits;
import org.pgas4j.fastpath.conduit.Conduit;
import org.pgas4j.fastpath.conduit.ConduitOptions;
import org.pgas4j.fastpath.protocol.PortOptions;
import org.pgas4j.fastpath.ring.RingLayout;
import org.pgas4j.helper.HelperOptions;
import org.pgas4j.helper.resident.ResidentOptions;
import org.pgas4j.os.CloseHelper;
import org.pgas4j.os.Failpoint;
import org.pgas4j.os.Libc;
import org.pgas4j.os.SystemMemory;
import org.pgas4j.runtime.blocks.BlockDirectory;
import org.pgas4j.runtime.notify.ShownMemory;
import org.pgas4j.space.check.Checks;
import org.pgas4j.space.heap.SharedHeap;
import org.pgas4j.space.memory.ControlArea;
import org.pgas4j.space.memory.Segments;
import org.pgas4j.space.message.Calibration;
import org.pgas4j.space.message.PairService;
import org.pgas4j.space.message.Ports;
import org.pgas4j.space.sync.Meetings;
import org.pgas4j.space.sync.Waiter;
import org.pgas4j.space.transfer.Thresholds;

/** State that the ranks of one JVM share in one run: devices, segments, heaps, the control plane. Thread-safe once made. */
final class Job implements AutoCloseable {

    private static final long AUTO_HEAP_BYTES = 64L << 20;
    private static final long AUTO_GPU_HEAP_BYTES = 1L << 30;
    private static final long GRANULE = 4096;

    private final PgasConfig config;
    private final List<String> args;
    private final Bootstrap bootstrap;
    private final long timeoutNs;
    private final DeviceBackend backend;
    private final String deviceVerdict;
    private final Segments segments;
    private final Conduit conduit;
    private final PortOptions portOptions;
    private final Ports ports;
    private Thresholds thresholds;
    private final SharedHeap heap;
    private final Checks checks;
    private final Nodes nodes;
    private final StatusBoard board;
    private final StatusQuery statuses;
    private final BlockDirectory blocks = new BlockDirectory();
    private final ShownMemory shownMemory = new ShownMemory();
    private final Meetings meetings;
    private final RunStats stats;

    /**
     * Collective over the JVMs.
     *
     * @param nodes     of the job
     * @param directory of this node, or null
     * @param board     of this JVM's ranks at least: what they do
     * @param run       number of this run in the job, from 1: names its exchanges
     */
    Job(PgasConfig config, List<String> args, Bootstrap bootstrap, Nodes nodes, NodeDirectory directory, StatusBoard board,
        int run) {
        this.config = config;
        this.args = List.copyOf(args);
        this.bootstrap = bootstrap;
        this.nodes = nodes;
        this.board = board;
        this.stats = new RunStats(run);
        this.statuses = new StatusQuery(bootstrap, board);
        this.timeoutNs = config.duration(PgasKey.TIMEOUT).toNanos();
        StringBuilder verdict = new StringBuilder();
        if (config.flag(PgasKey.NVTX)) {
            Devices.showRanges().ifPresent(why -> System.err.println("pgas4j: " + why));
        }
        this.backend = openBackend(verdict);
        this.deviceVerdict = verdict.toString();
        boolean success = false;
        Segments made = null;
        Ports madePorts = null;
        try {
            long[] heapBytes = agreeOnHeaps(run);
            conduit = openConduit();
            made = new Segments(bootstrap, nodes, conduit, backend,
                    directory, new ControlArea(bootstrap.ranks()), heapBytes[0], heapBytes[1], timeoutNs);
            this.segments = made;
            this.checks = config.text(PgasKey.CHECK).equals("full") ? new Checks(bootstrap, timeoutNs) : null;
            this.heap = new SharedHeap(bootstrap, heapBytes[0], heapBytes[1], timeoutNs, checks != null,
                    checks == null ? _ -> { } : checks::ended);
            bootstrap.serve(SharedHeap.SERVICE, heap::answer);
            bootstrap.serve(PairService.SERVICE, request -> ports().service().answer(request));
            Failpoint.hit(Failpoint.REGISTER);
            segments.create("segments-" + run, run, deadline());
            if (directory != null) {
                board.set(made.firstRank(), made.endRank(), Phase.DIRECTORY);
                Failpoint.hit(Failpoint.DIRECTORY);
                segments.publish();
                board.set(made.firstRank(), made.endRank(), Phase.REGISTERING);
            }
            this.portOptions = portOptions();
            this.ports = new Ports(bootstrap, conduit, segments, portOptions, helperOptions(), timeoutNs,
                    rank -> newWaiter(rank, board.activity(rank)), this::helperFailed);
            madePorts = this.ports;
            for (int rank = made.firstRank(); rank < made.endRank(); rank++) {
                int number = rank;
                ports.blockSink(rank, (block, tag, kind, value) -> {
                    blocks.signal(number, block, tag, value);
                    return true;
                }, (team, commands) -> blocks.take(number, team, commands, tag -> ports.notify(number, tag)));
            }
            this.meetings = new Meetings(bootstrap, String.valueOf(run), made.endRank() - made.firstRank());
            bootstrap.allGather("ports-" + run, new byte[0], deadline());
            success = true;
        } finally {
            if (!success) {
                CloseHelper.closeAll(Arrays.asList(madePorts, made, backend));
            }
        }
    }

    private Conduit openConduit() {
        return Conduits.open(config.text(PgasKey.CONDUIT), new ConduitOptions(bootstrap.processes(), bootstrap.ranks(),
                timeoutNs, this::throwIfAborted, config.text(PgasKey.UCX_TLS), config.text(PgasKey.UCX_ERRORS),
                nodes.count(), nodes::isHere));
    }

    private void throwIfAborted() {
        Abort abort = bootstrap.aborted();
        if (abort != null) {
            throw abort.exception();
        }
    }

    private int ranksOfJvm() {
        int process = bootstrap.process();
        return bootstrap.firstRank(process + 1) - bootstrap.firstRank(process);
    }

    private DeviceBackend openBackend(StringBuilder verdict) {
        String wanted = config.text(PgasKey.DEVICE);
        if (!wanted.equals("host")) {
            CudaProbe probe = Devices.probeCuda(config.text(PgasKey.KERNEL_CACHE), ranksOfJvm());
            verdict.append(probe.verdict());
            if (probe.backend().isPresent()) {
                return probe.backend().get();
            }
            if (wanted.equals("cuda") || config.flag(PgasKey.REQUIRE_GPU)) {
                throw new DeviceException("a GPU is required (" + (wanted.equals("cuda") ? "pgas.device=cuda"
                        : "pgas.require.gpu=true") + ") and there is none: " + probe.verdict());
            }
            verdict.append("; computing on the host device");
        } else if (config.flag(PgasKey.REQUIRE_GPU)) {
            throw new DeviceException("pgas.require.gpu=true contradicts pgas.device=host");
        } else {
            verdict.append("host device, as pgas.device says");
        }
        int threads = Math.max(1, Runtime.getRuntime().availableProcessors() / nodes.ranksOnMachine());
        return Devices.host(config.count(PgasKey.HOST_DEVICES), threads);
    }

    /** Host and device heap bytes: what every JVM can give, so that offsets mean the same everywhere. */
    private long[] agreeOnHeaps(int run) {
        byte[] name = (backend.name() + " with pgas.check=" + config.text(PgasKey.CHECK)).getBytes(StandardCharsets.US_ASCII);
        byte[] mine = ByteBuffer.allocate(2 * Long.BYTES + name.length).putLong(hostHeapBytes()).putLong(deviceHeapBytes())
                .put(name).array();
        byte[][] all = bootstrap.allGather("heaps-" + run, mine, deadline());
        long[] least = {Long.MAX_VALUE, Long.MAX_VALUE};
        for (int process = 0; process < all.length; process++) {
            String theirs = new String(all[process], 2 * Long.BYTES, all[process].length - 2 * Long.BYTES,
                    StandardCharsets.US_ASCII);
            if (!Arrays.equals(all[process], 2 * Long.BYTES, all[process].length, name, 0, name.length)) {
                throw new BootstrapException("process " + process + " computes on " + theirs + ", process "
                        + bootstrap.process() + " on " + new String(name, StandardCharsets.US_ASCII)
                        + "; set pgas.device and pgas.check for all");
            }
            ByteBuffer sizes = ByteBuffer.wrap(all[process]);
            least[0] = Math.min(least[0], sizes.getLong());
            least[1] = Math.min(least[1], sizes.getLong());
        }
        return least;
    }

    private long hostHeapBytes() {
        return config.isAuto(PgasKey.HEAP_HOST) ? shareOfMemory(AUTO_HEAP_BYTES) : rounded(config.bytes(PgasKey.HEAP_HOST));
    }

    private long deviceHeapBytes() {
        if (!config.isAuto(PgasKey.HEAP_DEVICE)) {
            return rounded(config.bytes(PgasKey.HEAP_DEVICE));
        }
        if (backend.name().equals("host")) {
            return shareOfMemory(AUTO_HEAP_BYTES);
        }
        int ranksOnDevice = Math.ceilDiv(nodes.ranksHere(), backend.count());
        return rounded(Math.min(AUTO_GPU_HEAP_BYTES, backend.open(0).freeBytes() / 4 / ranksOnDevice));
    }

    private long shareOfMemory(long most) {
        return rounded(Math.max(GRANULE, Math.min(most, SystemMemory.freeBytes() / 8 / nodes.ranksOnMachine())));
    }

    private static long rounded(long bytes) {
        return Math.ceilDiv(bytes, GRANULE) * GRANULE;
    }

    private long deadline() {
        return System.nanoTime() + timeoutNs;
    }

    private PortOptions portOptions() {
        return new PortOptions(new RingLayout((int) config.bytes(PgasKey.FASTPATH_CHUNK),
                config.count(PgasKey.FASTPATH_CHUNKS)), config.bytes(PgasKey.RENDEZVOUS_CHUNK) / 4096 * 4096,
                config.count(PgasKey.RENDEZVOUS_DEPTH), config.bytes(PgasKey.REGISTRATION_CACHE),
                config.bytes(PgasKey.RENDEZVOUS_BUFFERED));
    }

    private HelperOptions helperOptions() {
        // Each JVM begins where the one before it ended, so that helpers of several do not share processors.
        List<int[]> places = HelperOptions.places(config.text(PgasKey.HELPER_CPUS), Libc.allowedCpus(),
                config.text(PgasKey.BIND).equals("core") ? nodes.ranksOnMachine() : 0,
                nodes.processIndexHere() * config.count(PgasKey.HELPER_THREADS));
        boolean perDevice = config.text(PgasKey.HELPER_PER).equals("device");
        int helpers = config.count(PgasKey.HELPER_THREADS) * (perDevice ? backend.count() : 1) * nodes.processesHere();
        return new HelperOptions(config.text(PgasKey.HELPER), config.count(PgasKey.HELPER_THREADS), perDevice,
                config.duration(PgasKey.HELPER_THRESHOLD).toNanos(), config.text(PgasKey.HELPER_WAIT), places,
                nodes.ranksOnMachine() + helpers > Runtime.getRuntime().availableProcessors());
    }

    /** Settings of the resident block of a rank of this JVM. */
    ResidentOptions residentOptions(int rank) {
        if (!forcedRoute().equals("resident")) {
            return ResidentOptions.OFF;
        }
        int ordinal = segments.ordinalOf(rank);
        if (!backend.name().equals("host") && segments.isDeviceOfOtherProcesses(ordinal)) {
            return ResidentOptions.offBecause("no resident block: other processes compute on " + backend.name() + ":" + ordinal
                    + ", whose time a block that stays would take");
        }
        return ResidentOptions.on((int) config.bytes(PgasKey.RESIDENT_BYTES), config.duration(PgasKey.RESIDENT_IDLE).toNanos());
    }

    private void helperFailed(int rank, Throwable failure) {
        bootstrap.abort(Failures.abort(rank, Place.here("helper of rank " + rank), Phase.SERVING, failure));
    }

    /** From which sizes on messages go by rendezvous; measured, read or given when first asked for. */
    synchronized Thresholds thresholds() {
        if (thresholds == null) {
            thresholds = !config.isAuto(PgasKey.RENDEZVOUS_THRESHOLD)
                    ? Thresholds.same(config.bytes(PgasKey.RENDEZVOUS_THRESHOLD), PgasKey.RENDEZVOUS_THRESHOLD.property())
                    : Calibration.thresholds(config.text(PgasKey.PROFILE), backend, conduit, portOptions,
                            segments.firstRank(), segments.ordinalOf(segments.firstRank()),
                            newWaiter(segments.firstRank(), Activity.unseen()));
        }
        return thresholds;
    }

    /** The blocks of this JVM's ranks. */
    BlockDirectory blocks() {
        return blocks;
    }

    /** Counters of this JVM's ranks. */
    RunStats stats() {
        return stats;
    }

    Ports ports() {
        return ports;
    }

    /** Cost and memory of the message protocols, for {@code --explain}. */
    String explainMessages(int rank) {
        RingLayout ring = portOptions.ring();
        return String.format("conduit: %s%nmessages: %d chunks of %d bytes each way, %d bytes of host memory for each end of a "
                + "pair that talks; rendezvous pieces of %d bytes, %d in flight; helper %s%n%s", conduit.describe(),
                ring.chunks(), ring.chunkBytes(), ring.bytes(), portOptions.pieceBytes(), portOptions.depth(),
                config.text(PgasKey.HELPER), ports.describe(rank));
    }

    /** Ends the park of a rank of this JVM; null where ranks are few enough to look for themselves. */
    IntConsumer waker() {
        return Waiter.isPacked(nodes.ranksOnMachine(), Runtime.getRuntime().availableProcessors())
                ? rank -> ports.waiter(rank).wake() : null;
    }

    private Waiter newWaiter(int rank, Activity activity) {
        return new Waiter(bootstrap, timeoutNs, nodes.ranksOnMachine(),
                Runtime.getRuntime().availableProcessors(), rank == segments.firstRank(), activity, statuses);
    }


    /** Watches this JVM's ranks until it is closed; null if the settings say that nobody does. */
    Watchdog watch() {
        long limitNs = config.isAuto(PgasKey.WATCHDOG) ? Math.multiplyExact(2, Math.min(timeoutNs, Long.MAX_VALUE / 4))
                : config.duration(PgasKey.WATCHDOG).toNanos();
        return limitNs == 0 ? null : new Watchdog(bootstrap, board, limitNs, rank -> "conduit: " + conduit.describe()
                + System.lineSeparator() + ports.describe(rank));
    }

    /** Status of this JVM's ranks. */
    StatusBoard board() {
        return board;
    }

    PgasConfig config() {
        return config;
    }

    List<String> args() {
        return args;
    }

    Bootstrap bootstrap() {
        return bootstrap;
    }

    Nodes nodes() {
        return nodes;
    }

    /** Meetings of the ranks that live. */
    Meetings meetings() {
        return meetings;
    }

    /** True if the job goes on when a rank is lost. */
    boolean goesOn() {
        return config.text(PgasKey.LOST).equals("event");
    }

    /**
     * True if the run ends by a meeting: where lost ranks may be missing at the last barrier, or where transfers need the progress of
     * their target. That barrier is left rank by rank: a rank that has left it may hold the word that others still read, and its JVM
     * closes its connections.
     */
    boolean endsByMeeting() {
        return goesOn() || conduit.needsProgress();
    }

    DeviceBackend backend() {
        return backend;
    }

    /** One line: which devices were found, or why none. */
    String deviceVerdict() {
        return deviceVerdict;
    }

    Segments segments() {
        return segments;
    }

    SharedHeap heap() {
        return heap;
    }

    /** Memory of the program in windows of ranks of this JVM. */
    ShownMemory shownMemory() {
        return shownMemory;
    }

    /** State of {@code pgas.check=full}; null without. */
    Checks checks() {
        return checks;
    }

    String forcedRoute() {
        return config.text(PgasKey.ROUTE);
    }

    Duration timeout() {
        return Duration.ofNanos(timeoutNs);
    }

    /** Settings and devices as text, for {@code pgas.explain}. */
    String describe() {
        return config.describe() + "devices: " + deviceVerdict + System.lineSeparator() + "ranks " + bootstrap.ranks()
                + ", processes " + bootstrap.processes() + ", nodes " + nodes.count() + ", backend " + backend.name() + ", heap "
                + segments.heapBytes(MemoryKind.HOST) + " host and " + segments.heapBytes(MemoryKind.DEVICE)
                + " device bytes per rank" + System.lineSeparator();
    }

    @Override
    public void close() {
        heap.close();
        CloseHelper.closeAll(List.of(ports, segments, backend));
    }
}
