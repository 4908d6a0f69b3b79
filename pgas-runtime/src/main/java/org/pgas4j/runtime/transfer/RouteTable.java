package org.pgas4j.runtime.transfer;

import java.util.function.Supplier;
import org.pgas4j.DeviceException;
import org.pgas4j.MemoryKind;
import org.pgas4j.fastpath.conduit.RankTable;
import org.pgas4j.runtime.memory.Peer;
import org.pgas4j.runtime.memory.Peers;

/**
 * One rank's routes: a row for each target rank, a column for each pair of own and remote kind. A row is filled when its
 * rank is first reached. Where the table says {@link Route#FASTPATH}, transfers go by messages, and their size decides
 * between the two protocols. Used by the rank's thread.
 */
public final class RouteTable {

    private static final int COLUMNS = 4;

    private final int rank;
    private final Peers peers;
    private final String forced;
    private final boolean forcedMessages;
    private final RankTable<Route[]> rows;
    private final Supplier<Thresholds> thresholds;

    /**
     * @param forced     {@code auto}, {@code direct}, {@code messages}, {@code fastpath} or {@code rendezvous}
     * @param thresholds asked for when something goes by messages for the first time
     */
    public RouteTable(int rank, int ranks, Peers peers, String forced, Supplier<Thresholds> thresholds) {
        this.rank = rank;
        this.peers = peers;
        this.forced = forced;
        this.forcedMessages = forced.equals("messages") || forced.equals("fastpath") || forced.equals("rendezvous");
        this.rows = new RankTable<>(ranks);
        this.thresholds = thresholds;
    }

    /** True if transfers between host memory of different ranks go by messages too. */
    boolean forcesMessages() {
        return forcedMessages;
    }

    /**
     * The route between own memory of kind {@code own} and the segment of kind {@code remote} of rank {@code target};
     * FASTPATH for both message protocols.
     *
     * @throws DeviceException if {@code pgas.route=direct} and there is no such route
     */
    public Route route(int target, MemoryKind own, MemoryKind remote) {
        Route route = row(target)[column(own, remote)];
        if (route == Route.FASTPATH && forced.equals("direct")) {
            throw new DeviceException("no direct route from rank " + rank + " (" + own + ") to rank " + target + " ("
                    + remote + "): its segment cannot be reached; use pgas.route=auto");
        }
        return route;
    }

    /** True if transfers between these go by messages. */
    boolean byMessages(int target, MemoryKind own, MemoryKind remote) {
        return route(target, own, remote) == Route.FASTPATH;
    }

    /** True if nothing between this rank and {@code target} goes by messages. */
    boolean isDirect(int target) {
        for (Route route : row(target)) {
            if (route == Route.FASTPATH) {
                return false;
            }
        }
        return true;
    }

    /** The route of a put of {@code bytes} bytes, the protocol decided. */
    public Route route(int target, MemoryKind own, MemoryKind remote, long bytes) {
        Route route = route(target, own, remote);
        return route == Route.FASTPATH && bytes >= threshold(true, own, remote) ? Route.RENDEZVOUS : route;
    }

    /** From this size on messages go by rendezvous. */
    long threshold(boolean put, MemoryKind own, MemoryKind remote) {
        return switch (forced) {
            case "fastpath" -> Long.MAX_VALUE;
            case "rendezvous" -> 0;
            default -> thresholds.get().of(put, own, remote);
        };
    }

    private Route[] row(int target) {
        Route[] row = rows.get(target);
        if (row == null) {
            row = fill(target);
            rows.put(target, row);
        }
        return row;
    }

    private static int column(MemoryKind own, MemoryKind remote) {
        return own.ordinal() * 2 + remote.ordinal();
    }

    private Route[] fill(int target) {
        Route[] row = new Route[COLUMNS];
        Peer peer = peers.get(target);
        for (MemoryKind own : MemoryKind.values()) {
            for (MemoryKind remote : MemoryKind.values()) {
                row[column(own, remote)] = choose(peer, own, remote);
            }
        }
        return row;
    }

    private Route choose(Peer peer, MemoryKind own, MemoryKind remote) {
        if (peer.rank() == rank) {
            return Route.LOCAL;
        }
        if (forcedMessages) {
            return Route.FASTPATH;
        }
        boolean mapped = peer.endpoint().mapped() != null;
        if (own == MemoryKind.HOST && remote == MemoryKind.HOST) {
            return mapped ? Route.DIRECT_HOST : Route.RDMA;
        }
        boolean reachable = remote == MemoryKind.DEVICE ? peer.device() != null : mapped;
        return reachable ? Route.DIRECT_DEVICE : Route.FASTPATH;
    }

    /** How a transfer of this size is carried, and why. */
    public String explain(int target, MemoryKind own, MemoryKind remote, long bytes) {
        Route route = route(target, own, remote);
        StringBuilder text = new StringBuilder();
        text.append(bytes).append(" bytes between ").append(own).append(" memory of rank ").append(rank).append(" and ")
                .append(remote).append(" segment of rank ").append(target).append(": ");
        if (route != Route.FASTPATH) {
            return text.append(route.label()).append(", ").append(route.how()).append("; pgas.route=").append(forced)
                    .toString();
        }
        String why = forcedMessages ? "pgas.route=" + forced
                : remote == MemoryKind.DEVICE ? "its device segment cannot be reached from here"
                : "its host segment cannot be reached by a device from here";
        for (boolean put : new boolean[] {true, false}) {
            long threshold = threshold(put, own, remote);
            Route chosen = bytes >= threshold ? Route.RENDEZVOUS : Route.FASTPATH;
            text.append(put ? "put by " : "; get by ").append(chosen.label());
            if (!forced.equals("fastpath") && !forced.equals("rendezvous")) {
                text.append(" (").append(bytes).append(bytes >= threshold ? " >= " : " < ").append(threshold).append(", ")
                        .append(thresholds.get().origin()).append(')');
            }
        }
        return text.append("; by messages because ").append(why).toString();
    }

    /** The table as text; rows of ranks that nothing was sent to yet are filled now, 32 at most. */
    public String explain() {
        StringBuilder text = new StringBuilder();
        text.append(String.format("routes of rank %d (pgas.route=%s)%n", rank, forced));
        text.append(String.format("%-8s %-16s %-16s %-16s %-16s%n", "target", "host->host", "host->device",
                "device->host", "device->device"));
        int shown = Math.min(rows.ranks(), 32);
        boolean messages = false;
        for (int target = 0; target < shown; target++) {
            text.append(String.format("%-8d", target));
            Route[] row = fill(target);
            for (Route route : row) {
                messages |= route == Route.FASTPATH;
                text.append(String.format(" %-16s", route == Route.FASTPATH ? "messages" : route.label()));
            }
            text.append(System.lineSeparator());
        }
        if (shown < rows.ranks()) {
            text.append(String.format("... %d more ranks%n", rows.ranks() - shown));
        }
        for (Route route : Route.values()) {
            text.append(String.format("%-14s %s%n", route.label(), route.how()));
        }
        if (messages && !forced.equals("fastpath") && !forced.equals("rendezvous")) {
            Thresholds known = thresholds.get();
            text.append(String.format("messages go by rendezvous from these sizes on, by fastpath below (%s):%n",
                    known.origin()));
            for (int i = 0; i < Thresholds.COUNT; i++) {
                text.append(String.format("  %-18s %d%n", Thresholds.name(i), known.bytes()[i]));
            }
        }
        return text.toString();
    }
}
