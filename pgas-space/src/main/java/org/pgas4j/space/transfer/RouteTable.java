package org.pgas4j.space.transfer;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.pgas4j.DeviceException;
import org.pgas4j.MemoryKind;
import org.pgas4j.RankCounters;
import org.pgas4j.device.Accelerator;
import org.pgas4j.fastpath.conduit.RankTable;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.space.memory.Peer;
import org.pgas4j.space.memory.Peers;
import org.pgas4j.space.memory.Segments;

/**
 * One rank's routes: a row for each peer, filled when it is first reached, with a cell for each pair of own and remote kind. The
 * cell is the object that carries transfers, for host code, streams, windows and services alike. Used by the rank's thread.
 */
public final class RouteTable {

    private static final Set<String> FORCED_MESSAGES = Set.of("messages", "fastpath", "rendezvous");
    private static final int MAX_SHOWN = 32;

    private final int rank;
    private final Peers peers;
    private final String forced;
    private final boolean forcedDirect;
    private final boolean forcedMessages;
    private final boolean observed;
    private final Segments segments;
    private final Accelerator accelerator;
    private final ProgressEngine progress;
    private final Completions completions;
    private final RankTable<Row> rows;
    private final Supplier<Thresholds> thresholds;
    private int lastTarget = Integer.MIN_VALUE;
    private Row last;
    private final Queue<Row> filled = new ConcurrentLinkedQueue<>(); // the rows, for any thread

    /**
     * Routes to one peer.
     *
     * @param cells  by own kind, then remote kind
     * @param direct cell between host memories if calls may start there without being observed; else null
     * @param deviceAtomics route of atomic operations on words of device memory, one place, filled at first use
     */
    private record Row(Peer peer, Route[] cells, HostRoute direct, Route[] deviceAtomics) {
    }

    /**
     * @param forced     {@code auto}, {@code direct}, {@code resident}, {@code messages}, {@code fastpath} or {@code rendezvous}
     * @param observed   every transfer has to pass {@link Transfers}
     * @param thresholds requested when something goes by messages for the first time
     */
    public RouteTable(int rank, int ranks, Peers peers, String forced, boolean observed, Segments segments,
                      Accelerator accelerator, ProgressEngine progress, Completions completions, Supplier<Thresholds> thresholds) {
        this.rank = rank;
        this.peers = peers;
        this.forced = forced;
        this.forcedDirect = forced.equals("direct");
        this.forcedMessages = FORCED_MESSAGES.contains(forced);
        this.observed = observed;
        this.segments = segments;
        this.accelerator = accelerator;
        this.progress = progress;
        this.completions = completions;
        this.rows = new RankTable<>(ranks);
        this.thresholds = switch (forced) {
            case "fastpath" -> () -> Thresholds.same(Long.MAX_VALUE, "pgas.route=fastpath");
            case "rendezvous" -> () -> Thresholds.same(0, "pgas.route=rendezvous");
            default -> thresholds;
        };
    }

    private Row row(int target) {
        if (target != lastTarget) { // a transfer looks more than once, and the next one often goes to the same rank
            last = find(target);
            lastTarget = target;
        }
        return last;
    }

    private Row find(int target) {
        Row row = rows.get(target);
        return row != null ? row : fill(target);
    }

    private Row fill(int target) {
        Peer peer = peers.get(target);
        Route[] cells = new Route[4];
        for (MemoryKind own : MemoryKind.values()) {
            for (MemoryKind remote : MemoryKind.values()) {
                cells[cell(own, remote)] = choose(peer, own, remote);
            }
        }
        Row row = new Row(peer, cells, !observed && cells[0] instanceof HostRoute host ? host : null, new Route[1]);
        rows.put(target, row);
        filled.add(row);
        return row;
    }

    /** A rank is lost: it is reached no more. */
    void lose(int target) {
        rows.remove(target);
        lastTarget = Integer.MIN_VALUE;
        last = null;
    }

    private static int cell(MemoryKind own, MemoryKind remote) {
        return (own == MemoryKind.DEVICE ? 2 : 0) + (remote == MemoryKind.DEVICE ? 1 : 0);
    }

    private Route choose(Peer peer, MemoryKind own, MemoryKind remote) {
        boolean self = peer.rank() == rank;
        boolean hosts = own == MemoryKind.HOST && remote == MemoryKind.HOST;
        boolean reachable = hosts || (remote == MemoryKind.DEVICE ? peer.device() != null : peer.endpoint().mapped() != null);
        if (!self && (forcedMessages || !reachable)) {
            return new MessageRoute(rank, peer.rank(), own, remote, progress, accelerator, completions, thresholds,
                    forcedMessages ? "pgas.route=" + forced : remote == MemoryKind.DEVICE
                            ? "its device segment cannot be reached from here"
                            : "its host segment cannot be reached by a device from here");
        }
        if (hosts) {
            return new HostRoute(rank, peer, self || completions == null ? null : completions.held());
        }
        boolean resident = own == MemoryKind.HOST && completions != null && completions.residentOptions().enabled();
        return resident ? new ResidentRoute(rank, peer, segments, accelerator, completions)
                : new DeviceRoute(rank, peer, remote, segments, accelerator, completions);
    }

    /** A device that copies from and to a peer's memory may still not have atomic operations there: then the owner's has. */
    private Route deviceAtomics(Peer peer, Route copies) {
        return copies.isByMessages() || peer.rank() == rank || segments.hasAtomics(peer.rank(), accelerator) ? copies
                : new MessageRoute(rank, peer.rank(), MemoryKind.HOST, MemoryKind.DEVICE, progress, accelerator, completions,
                        thresholds, "this rank's device has no atomic operations in its memory");
    }

    // ---- which route

    /** Place where {@link #atomics} are carried out, for people. */
    public String atomicsBy(int target, MemoryKind kind) {
        return atomics(target, kind).atomicsBy();
    }

    /** The route of atomic operations on words of a kind of memory of rank {@code target}. */
    public Route atomics(int target, MemoryKind kind) {
        Row row = row(target);
        if (kind == MemoryKind.HOST) {
            return row.cells[0];
        }
        if (row.deviceAtomics[0] == null) {
            row.deviceAtomics[0] = deviceAtomics(row.peer, row.cells[cell(MemoryKind.HOST, MemoryKind.DEVICE)]);
        }
        return row.deviceAtomics[0];
    }

    /** The peer {@code target}. */
    public Peer peer(int target) {
        return row(target).peer;
    }

    /** The route between host memories of this rank and {@code target}, if calls may use it without {@link Transfers}; else null. */
    public HostRoute direct(int target) {
        return row(target).direct;
    }

    /**
     * The route between own memory of kind {@code own} and the segment of kind {@code remote} of rank {@code target}.
     *
     * @throws DeviceException if {@code pgas.route=direct} and there is no such route
     */
    public Route route(int target, MemoryKind own, MemoryKind remote) {
        Route route = row(target).cells[cell(own, remote)];
        if (forcedDirect && route.isByMessages()) {
            throw new DeviceException("no direct route from rank " + rank + " (" + own + ") to rank " + target + " ("
                    + remote + "): its segment cannot be reached; use pgas.route=auto");
        }
        return route;
    }

    Route route(RmaDescriptor what) {
        return route(what.target, what.localKind(), what.kind);
    }

    /** As {@link #route}, ready for {@link Route#tryPut} by a service. */
    public Route connected(RmaDescriptor what) {
        Route route = route(what);
        switch (route) {
            case MessageRoute messages -> messages.connect();
            case DeviceRoute device -> device.register();
            case HostRoute _ -> {
            }
        }
        return route;
    }

    /** True if nothing between this rank and {@code target} goes by messages, and its host memory is mapped here. */
    public boolean isDirect(int target) {
        for (Route route : row(target).cells) {
            if (route.isByMessages()) {
                return false;
            }
        }
        return row(target).peer.endpoint().mapped() != null;
    }

    /** True if this rank may copy from the host memory of {@code target} as from its own. */
    public boolean addressesHost(int target) {
        return peer(target).endpoint().mapped() != null && (target == rank || !forcedMessages);
    }

    /** Makes the host memory of {@code target} usable by this rank's device, if that copies it to memory of kind {@code remote}. */
    void registerHost(int target, MemoryKind remote) {
        if (remote == MemoryKind.DEVICE) {
            segments.register(rank, target, accelerator);
        }
    }

    /** Operations and bytes of each route. Any thread. */
    public List<RankCounters.Traffic> traffic() {
        List<RankCounters.Traffic> seen = new ArrayList<>();
        for (Row row : filled) {
            for (Route route : row.cells) {
                route.look(row.peer.rank(), seen);
            }
            if (row.deviceAtomics[0] != null && row.deviceAtomics[0] != row.cells[cell(MemoryKind.HOST, MemoryKind.DEVICE)]) {
                row.deviceAtomics[0].look(row.peer.rank(), seen);
            }
        }
        return seen;
    }

    // ---- for people

    /** Name of the route of a put of {@code bytes} bytes. */
    public String label(int target, MemoryKind own, MemoryKind remote, long bytes) {
        return route(target, own, remote).label(bytes);
    }

    /** The route of a transfer of this size, and the reason for it. */
    public String explain(int target, MemoryKind own, MemoryKind remote, long bytes) {
        Route route = route(target, own, remote);
        String text = bytes + " bytes between " + own + " memory of rank " + rank + " and " + remote + " segment of rank " + target
                + ": ";
        return text + (route instanceof MessageRoute messages ? messages.explain(bytes, isForcedProtocol())
                : route.label(bytes) + ", " + route.how(bytes) + "; pgas.route=" + forced + residentReason());
    }

    private String residentReason() {
        String reason = completions == null ? "" : completions.residentOptions().reason();
        return reason.isEmpty() ? "" : "; " + reason;
    }

    private boolean isForcedProtocol() {
        return forced.equals("fastpath") || forced.equals("rendezvous");
    }

    /** The table as text; rows of ranks that were not reached yet are filled now, {@value #MAX_SHOWN} at most. */
    public String explain() {
        StringBuilder text = new StringBuilder();
        text.append(String.format("routes of rank %d (pgas.route=%s)%n", rank, forced));
        text.append(String.format("%-8s %-16s %-16s %-16s %-16s%n", "target", "host->host", "host->device",
                "device->host", "device->device"));
        int shown = Math.min(rows.ranks(), MAX_SHOWN);
        boolean messages = false;
        for (int target = 0; target < shown; target++) {
            text.append(String.format("%-8d", target));
            for (Route route : row(target).cells) {
                messages |= route.isByMessages();
                text.append(String.format(" %-16s", route.isByMessages() ? "messages" : route.label(0)));
            }
            text.append(System.lineSeparator());
        }
        if (shown < rows.ranks()) {
            text.append(String.format("... %d more ranks%n", rows.ranks() - shown));
        }
        text.append(LEGEND);
        if (messages && !isForcedProtocol()) {
            Thresholds known = thresholds.get();
            text.append(String.format("messages go by rendezvous from these sizes on, by fastpath below (%s):%n",
                    known.origin()));
            for (int i = 0; i < Thresholds.COUNT; i++) {
                text.append(String.format("  %-18s %d%n", Thresholds.name(i), known.bytes()[i]));
            }
        }
        return text.toString();
    }

    private static final String LEGEND = """
            local          copy inside the rank's memory
            direct-host    copy into the mapped segment
            direct-device  copy by the rank's device, straight between the ends
            resident       by a block that stays on the rank's device; large ones, and all until it runs, as direct-device
            rdma           put and get of the conduit between registered segments
            fastpath       through the pair's chunk rings; the owner, or a helper for it, does its half
            rendezvous     in pieces through registered memory, both copies at once; the owner or a helper moves them
            """;
}
