package org.pgas4j;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Counters of one rank since its program started, or the difference of two such snapshots ({@link #minus}). They are always on
 * and never set back. Counted is what the host of the rank starts, and what its blocks put and get; not counted are atomic
 * operations and collectives of blocks, loads and stores by pointers, and elements that collective operations combine where they lie.
 *
 * @param rank    number of the rank
 * @param timeNs  time that the counters cover, in nanoseconds
 * @param traffic a line for each peer, route, operation and size class with at least one call
 * @param waits   a line for each kind of operation with at least one call or wait
 * @param late    a line for each rank that this one has waited for in barriers because it came last
 */
public record RankCounters(int rank, long timeNs, List<Traffic> traffic, List<Waits> waits, List<Late> late) {

    /**
     * Transfers to and from one peer.
     *
     * @param peer      rank that owns the remote memory
     * @param route     name of the route, as {@link Diagnostics#route} gives it
     * @param operation {@code put}, {@code get}, {@code set} or {@code atomic}; an atomic operation has the bytes of its word
     * @param minBytes  lower end of the size class: the operations had {@code minBytes} to {@code 2 * minBytes - 1} bytes, or 0; those of
     *                  blocks on average
     * @param calls     number of operations
     * @param bytes     sum of their bytes
     * @param reason    reason why the route is by messages; empty for other routes
     */
    public record Traffic(int peer, String route, String operation, long minBytes, long calls, long bytes, String reason) {
    }

    /**
     * Waits in one kind of operation. A wait counts from the moment that it is longer than a few microseconds.
     *
     * @param operation kind of operation: {@code barrier}, {@code transfer}, {@code notification} and so on; {@code device} for
     *                  waits of the rank for its own device
     * @param calls     number of operations; 0 where only waits are counted
     * @param waits     number of long waits
     * @param waitNs    their time in nanoseconds; of each wait the end is known to a millisecond
     */
    public record Waits(String operation, long calls, long waits, long waitNs) {
    }

    /**
     * Long waits in barriers for the rank that came last.
     *
     * @param rank   that came last
     * @param waits  number of barriers
     * @param waitNs time in nanoseconds by which it came later than the waiting rank
     */
    public record Late(int rank, long waits, long waitNs) {
    }

    /** Copies the lists. */
    public RankCounters {
        traffic = List.copyOf(traffic);
        waits = List.copyOf(waits);
        late = List.copyOf(late);
    }

    /** Number of transfers. */
    public long calls() {
        return traffic.stream().mapToLong(Traffic::calls).sum();
    }

    /** Bytes of all transfers. */
    public long bytes() {
        return traffic.stream().mapToLong(Traffic::bytes).sum();
    }

    /** Time of all long waits in nanoseconds. */
    public long waitNs() {
        return waits.stream().mapToLong(Waits::waitNs).sum();
    }

    /**
     * Returns what was counted after an earlier snapshot of the same rank.
     *
     * @throws IllegalArgumentException if {@code earlier} is of another rank
     */
    public RankCounters minus(RankCounters earlier) {
        if (earlier.rank != rank) {
            throw new IllegalArgumentException("counters of rank " + rank + " minus those of rank " + earlier.rank
                    + " (expected: the same rank)");
        }
        return merge(earlier, -1);
    }

    /**
     * Returns the sum of the counters of two runs of the same rank.
     *
     * @throws IllegalArgumentException if {@code other} is of another rank
     */
    public RankCounters plus(RankCounters other) {
        if (other.rank != rank) {
            throw new IllegalArgumentException("counters of rank " + rank + " plus those of rank " + other.rank
                    + " (expected: the same rank)");
        }
        return merge(other, 1);
    }

    private RankCounters merge(RankCounters other, int sign) {
        return new RankCounters(rank, timeNs + sign * other.timeNs, mergeTraffic(other.traffic, sign),
                mergeWaits(other.waits, sign),
                mergeLate(other.late, sign));
    }

    private List<Traffic> mergeTraffic(List<Traffic> others, int sign) {
        Map<List<Object>, Traffic> left = new HashMap<>();
        others.forEach(each -> left.put(key(each), each));
        List<Traffic> merged = new ArrayList<>();
        for (Traffic each : traffic) {
            Traffic other = left.remove(key(each));
            merged.add(other == null ? each : new Traffic(each.peer, each.route, each.operation, each.minBytes,
                    each.calls + sign * other.calls, each.bytes + sign * other.bytes, each.reason));
        }
        merged.addAll(sign > 0 ? left.values() : List.of());
        merged.removeIf(each -> each.calls == 0);
        return merged;
    }

    private static List<Object> key(Traffic line) {
        return List.of(line.peer, line.route, line.operation, line.minBytes, line.reason);
    }

    private List<Waits> mergeWaits(List<Waits> others, int sign) {
        Map<String, Waits> left = new HashMap<>();
        others.forEach(each -> left.put(each.operation, each));
        List<Waits> merged = new ArrayList<>();
        for (Waits each : waits) {
            Waits other = left.remove(each.operation);
            merged.add(other == null ? each : new Waits(each.operation, each.calls + sign * other.calls,
                    each.waits + sign * other.waits, each.waitNs + sign * other.waitNs));
        }
        merged.addAll(sign > 0 ? left.values() : List.of());
        merged.removeIf(each -> each.calls == 0 && each.waits == 0);
        return merged;
    }

    private List<Late> mergeLate(List<Late> others, int sign) {
        Map<Integer, Late> left = new HashMap<>();
        others.forEach(each -> left.put(each.rank, each));
        List<Late> merged = new ArrayList<>();
        for (Late each : late) {
            Late other = left.remove(each.rank);
            merged.add(other == null ? each : new Late(each.rank, each.waits + sign * other.waits,
                    each.waitNs + sign * other.waitNs));
        }
        merged.addAll(sign > 0 ? left.values() : List.of());
        merged.removeIf(each -> each.waits == 0);
        return merged;
    }
}
