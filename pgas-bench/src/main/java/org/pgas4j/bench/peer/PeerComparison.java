package org.pgas4j.bench.peer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.pgas4j.bench.result.Row;

/**
 * This project's best version of one operation beside the best version of each peer.
 *
 * @param place what is compared
 * @param ours  null if this project has not measured it
 * @param peers rows by library, in the order of {@link PeerRows#PEERS}; those that have none are left out
 */
public record PeerComparison(Place place, Row ours, Map<String, Row> peers) {

    /**
     * Things that are alike in rows that can be compared.
     *
     * @param op     operation
     * @param type   of elements; empty if there are none
     * @param bytes  of a rank's longer vector, or of a put
     * @param blocks of all GPUs, of a barrier; else 0
     * @param ranks  number of ranks
     */
    public record Place(String op, String type, long bytes, long blocks, int ranks) {

        private static Place of(Row row) {
            return new Place(row.op(), row.text(PeerRows.TYPE), row.bytes(), whole(row, PeerRows.BLOCKS),
                    (int) whole(row, Row.RANKS));
        }

        private static long whole(Row row, String key) {
            return row.more().containsKey(key) ? (long) row.number(key) : 0;
        }
    }

    private static final List<String> ORDER = Stream.concat(Stream.of(PeerRows.NOTIFY, PeerRows.PUT_NOTIFY, PeerRows.BARRIER),
            PeerRows.COLLECTIVES.stream()).toList();
    private static final long SMALL = 64 << 10;
    private static final double NOTIFY_BAR = 1.15;
    private static final double PUT_BAR = 0.75;
    private static final double BARRIER_BAR = 0.9;
    private static final double SMALL_BAR = 0.7;
    private static final double LARGE_BAR = 1;

    /** Comparisons of all places, those of one number of JVMs of ours together; by operation, type and size. */
    public static List<PeerComparison> of(List<Row> rows) {
        List<Integer> jvms = rows.stream().filter(PeerRows::isOurs).map(Row::processes).distinct().sorted().toList();
        List<PeerComparison> all = new ArrayList<>();
        for (Integer processes : jvms.isEmpty() ? List.of(0) : jvms) {
            all.addAll(places(rows.stream().filter(row -> !PeerRows.isOurs(row) || row.processes() == processes).toList()));
        }
        return all;
    }

    private static List<PeerComparison> places(List<Row> rows) {
        Map<Place, List<Row>> byPlace = new LinkedHashMap<>();
        rows.forEach(row -> byPlace.computeIfAbsent(Place.of(row), _ -> new ArrayList<>()).add(row));
        return byPlace.entrySet().stream().map(entry -> compare(entry.getKey(), entry.getValue()))
                .sorted(Comparator.<PeerComparison>comparingInt(each -> turn(each.place.op)).thenComparing(each -> each.place.op)
                        .thenComparing(each -> each.place.type, Comparator.reverseOrder())
                        .thenComparing(each -> each.place.blocks).thenComparing(each -> each.place.bytes))
                .toList();
    }

    /** Position of an operation among all; those of peers alone are last. */
    private static int turn(String op) {
        int known = ORDER.indexOf(op);
        return known < 0 ? ORDER.size() : known;
    }

    private static PeerComparison compare(Place place, List<Row> rows) {
        Map<String, Row> peers = new LinkedHashMap<>();
        for (String peer : PeerRows.PEERS) {
            Row best = best(rows.stream().filter(row -> row.text(PeerRows.PEER).equals(peer)));
            if (best != null) {
                peers.put(peer, best);
            }
        }
        return new PeerComparison(place, best(rows.stream().filter(PeerRows::isOurs)), peers);
    }

    private static Row best(Stream<Row> rows) {
        return rows.min(Comparator.comparingDouble(row -> row.times().p50())).orElse(null);
    }

    /** The fastest of all peers; null if none has measured it. */
    public Row bestPeer() {
        return best(peers.values().stream().filter(Objects::nonNull));
    }

    /** Time of ours as a multiple of the fastest peer's; NaN if there is none of one of them. */
    public double ratio() {
        Row best = bestPeer();
        return ours == null || best == null ? Double.NaN : ours.times().p50() / best.times().p50();
    }

    /** Highest ratio that this project aims at. */
    public double bar() {
        return switch (place.op) {
            case PeerRows.NOTIFY -> NOTIFY_BAR;
            case PeerRows.PUT_NOTIFY -> PUT_BAR;
            case PeerRows.BARRIER -> BARRIER_BAR;
            default -> PeerRows.COLLECTIVES.contains(place.op) && place.bytes <= SMALL ? SMALL_BAR : LARGE_BAR;
        };
    }

    /** The rows, those of ours with the median of the fastest peer as what they are compared with. */
    public static List<Row> withBaselines(List<Row> rows) {
        Map<Place, Row> best = new LinkedHashMap<>();
        of(rows).forEach(comparison -> {
            if (comparison.bestPeer() != null) {
                best.put(comparison.place, comparison.bestPeer());
            }
        });
        return rows.stream().map(row -> {
            Row peer = PeerRows.isOurs(row) ? best.get(Place.of(row)) : null;
            return peer == null ? row : new Row(row.study(), row.op(), row.from(), row.to(), row.route(), row.processes(),
                    row.bytes(), row.times(), peer.times().p50(), row.wrong(), row.more());
        }).toList();
    }
}
