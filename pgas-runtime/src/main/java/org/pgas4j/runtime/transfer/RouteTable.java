package org.pgas4j.runtime.transfer;

import org.pgas4j.DeviceException;
import org.pgas4j.Kind;
import org.pgas4j.runtime.memory.Peer;
import org.pgas4j.runtime.memory.Peers;

/**
 * One rank's routes: a row for each target rank, a column for each pair of own and remote kind. A row is filled when its
 * rank is first reached. Used by the rank's thread.
 */
public final class RouteTable {

    private static final int COLUMNS = 4;

    private final int rank;
    private final Peers peers;
    private final String forced;
    private final Route[][] rows;

    /**
     * @param forced {@code auto}, {@code direct} or {@code staged}
     */
    public RouteTable(int rank, int ranks, Peers peers, String forced) {
        this.rank = rank;
        this.peers = peers;
        this.forced = forced;
        this.rows = new Route[ranks][];
    }

    /**
     * The route between own memory of kind {@code own} and the segment of kind {@code remote} of rank {@code target}.
     *
     * @throws DeviceException if {@code pgas.route=direct} and there is no such route
     */
    public Route route(int target, Kind own, Kind remote) {
        Route[] row = rows[target];
        if (row == null) {
            row = fill(target);
            rows[target] = row;
        }
        Route route = row[column(own, remote)];
        if (route == Route.STAGED && forced.equals("direct")) {
            throw new DeviceException("no direct route from rank " + rank + " (" + own + ") to rank " + target + " ("
                    + remote + "): its device segment cannot be reached; use pgas.route=auto");
        }
        return route;
    }

    private static int column(Kind own, Kind remote) {
        return own.ordinal() * 2 + remote.ordinal();
    }

    private Route[] fill(int target) {
        Route[] row = new Route[COLUMNS];
        Peer peer = peers.get(target);
        for (Kind own : Kind.values()) {
            for (Kind remote : Kind.values()) {
                row[column(own, remote)] = choose(peer, own, remote);
            }
        }
        return row;
    }

    private Route choose(Peer peer, Kind own, Kind remote) {
        if (peer.rank() == rank) {
            return Route.LOCAL;
        }
        if (own == Kind.HOST && remote == Kind.HOST) {
            return Route.DIRECT_HOST;
        }
        boolean reachable = remote == Kind.DEVICE ? peer.device() != null : peer.endpoint().mapped() != null;
        return reachable && !forced.equals("staged") ? Route.DIRECT_DEVICE : Route.STAGED;
    }

    /** The table as text; rows of ranks that nothing was sent to yet are filled now, 32 at most. */
    public String explain() {
        StringBuilder text = new StringBuilder();
        text.append(String.format("routes of rank %d (pgas.route=%s)%n", rank, forced));
        text.append(String.format("%-8s %-16s %-16s %-16s %-16s%n", "target", "host->host", "host->device",
                "device->host", "device->device"));
        int shown = Math.min(rows.length, 32);
        for (int target = 0; target < shown; target++) {
            text.append(String.format("%-8d", target));
            Route[] row = fill(target);
            for (Route route : row) {
                text.append(String.format(" %-16s", route.label()));
            }
            text.append(System.lineSeparator());
        }
        if (shown < rows.length) {
            text.append(String.format("... %d more ranks%n", rows.length - shown));
        }
        for (Route route : Route.values()) {
            text.append(String.format("%-14s %s%n", route.label(), route.how()));
        }
        return text.toString();
    }
}
