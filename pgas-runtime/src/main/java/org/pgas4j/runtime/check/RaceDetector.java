package org.pgas4j.runtime.check;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.pgas4j.DataRaceException;
import org.pgas4j.Kind;
import org.pgas4j.spi.Lease;

/**
 * Finds uses of the same bytes by two ranks of this JVM, one of them a write, that nothing orders. Every rank has a vector clock
 * (Mattern, Parallel and Distributed Algorithms 1988): what it gives at barriers, collectives and notifications others join when
 * they take it up. A use is in order with an older one if the clock has the older one's time, as in FastTrack (Flanagan and
 * Freund, PLDI 2009), with exact ranges in place of variables. Where it cannot know what orders two uses (other JVMs, streams,
 * kernels) it takes them for ordered. Thread-safe: one lock.
 */
final class RaceDetector {

    private record Meeting(long place, int first, long number) {
    }

    private static final class Gathering {
        private final long[] clock;
        private int left;

        Gathering(int ranks) {
            clock = new long[ranks];
        }
    }

    private record Part(long generation, int rank) {
    }

    /** A word that a rank reads: what it holds is not known before the rank goes on. */
    private record Look(Part part, long from) {
    }

    /** Of one part of an allocation: by rank, reads and writes. */
    private static final class Shadow {
        private final AccessMap[] reads;
        private final AccessMap[] writes;

        Shadow(int ranks) {
            reads = new AccessMap[ranks];
            writes = new AccessMap[ranks];
        }
    }

    private final int first;
    private final int ranks;
    private final boolean alone;
    private final long[][] clocks;
    private final long[] outside;
    private final boolean[] fenced;
    private final boolean[] unseen;
    private final Look[] looks;
    private final Map<Meeting, Gathering> meetings = new HashMap<>();
    private final Map<Long, long[]> notified = new HashMap<>();
    private final Set<Long> notifiedLater = new HashSet<>();
    private final Map<Part, Shadow> shadows = new HashMap<>();
    private boolean kernelsNotify;

    /**
     * @param first of the ranks of this JVM
     * @param end   of the ranks of this JVM
     * @param alone true if the job has no other JVM
     */
    RaceDetector(int first, int end, boolean alone) {
        this.first = first;
        this.ranks = end - first;
        this.alone = alone;
        this.clocks = new long[ranks][ranks];
        this.outside = new long[ranks];
        this.fenced = new boolean[ranks];
        this.unseen = new boolean[ranks];
        this.looks = new Look[ranks];
        for (int i = 0; i < ranks; i++) {
            clocks[i][i] = 1;
        }
    }

    private boolean isHere(int rank) {
        return rank >= first && rank < first + ranks;
    }

    private static void join(long[] into, long[] from) {
        for (int i = 0; i < into.length; i++) {
            into[i] = Math.max(into[i], from[i]);
        }
    }

    /** Orders a rank after everything that was done so far, where nobody knows better. */
    private void takeAll(int index) {
        for (long[] clock : clocks) {
            join(clocks[index], clock);
        }
    }

    private long[] settle(int rank) {
        int index = rank - first;
        if (unseen[index]) {
            takeAll(index);
        }
        Look look = looks[index];
        looks[index] = null;
        if (look != null && shadows.containsKey(look.part)) {
            for (AccessMap writes : shadows.get(look.part).writes) {
                takeFlag(writes, look.from, clocks[index]);
            }
        }
        return clocks[index];
    }

    /** The reader of a flag comes after what was put before the flag's fence. */
    private static void takeFlag(AccessMap writes, long from, long[] mine) {
        if (writes != null) {
            for (AccessMap.Access use : writes.overlapping(from, from + Long.BYTES)) {
                if (use.gives() != null) {
                    join(mine, use.gives());
                }
            }
        }
    }

    // ---- what orders

    synchronized void arrives(int rank, long place, int[] members, long number) {
        long[] mine = settle(rank);
        Meeting meeting = new Meeting(place, members == null ? 0 : members[0], number);
        join(meetings.computeIfAbsent(meeting, _ -> new Gathering(ranks)).clock, mine);
        mine[rank - first]++;
    }

    synchronized void leaves(int rank, long place, int[] members, long number) {
        Meeting meeting = new Meeting(place, members == null ? 0 : members[0], number);
        Gathering gathering = meetings.get(meeting);
        join(clocks[rank - first], gathering.clock);
        if (!alone) {
            join(clocks[rank - first], outside);
        }
        if (++gathering.left == here(members)) {
            meetings.remove(meeting);
        }
    }

    private int here(int[] members) {
        if (members == null) {
            return ranks;
        }
        int here = 0;
        for (int member : members) {
            here += isHere(member) ? 1 : 0;
        }
        return here;
    }

    synchronized void fences(int rank) {
        fenced[rank - first] = true;
    }

    private static long key(int target, int tag, boolean value) {
        return ((long) target << 16 | tag) << 1 | (value ? 1 : 0);
    }

    synchronized void notifies(int rank, int target, int tag, boolean value) {
        long[] mine = settle(rank);
        if (isHere(target)) {
            join(notified.computeIfAbsent(key(target, tag, value), _ -> new long[ranks]), mine);
        } else {
            join(outside, mine);
        }
        mine[rank - first]++;
    }

    synchronized void notifiesLater(int rank, int target, int tag, boolean value) {
        if (isHere(target)) {
            notifiedLater.add(key(target, tag, value));
        } else {
            takeAll(rank - first);
            join(outside, clocks[rank - first]);
        }
    }

    synchronized void takes(int rank, int tag, boolean value) {
        long key = key(rank, tag, value);
        long[] given = notified.get(key);
        if (given != null) {
            join(clocks[rank - first], given);
        }
        if (!alone || kernelsNotify || notifiedLater.contains(key)) {
            takeAll(rank - first);
        }
    }

    synchronized void takesUnseen(int rank) {
        unseen[rank - first] = true;
    }

    synchronized void notifiesUnseen() {
        kernelsNotify = true;
    }

    // ---- uses

    /**
     * A rank uses shared memory.
     *
     * @param lease  of the allocation
     * @param target whose part
     * @param from   byte offset in the target's segment
     * @param what   the operation and its line, as {@code "put at Main.java:12"}
     * @throws DataRaceException if nothing orders it with another rank's use
     */
    synchronized void uses(int rank, Lease lease, int target, long from, long bytes, boolean write, String what) {
        if (bytes <= 0 || !lease.isLive()) {
            return;
        }
        int index = rank - first;
        long[] mine = settle(rank);
        long end = from + bytes;
        boolean words = lease.kind() == Kind.HOST && bytes == Long.BYTES && from % Long.BYTES == 0;
        boolean flag = write && words && fenced[index];
        if (write && !words) {
            fenced[index] = false;
        }
        Part part = new Part(lease.generation(), target);
        Shadow shadow = shadows.computeIfAbsent(part, _ -> new Shadow(ranks));
        boolean written = false;
        for (int other = 0; other < ranks; other++) {
            if (other == index) {
                continue;
            }
            written |= compare(shadow.writes[other], other, index, from, end, words, flag, () -> race(lease, target, rank,
                    from, bytes, write, what));
            if (write) {
                compare(shadow.reads[other], other, index, from, end, words, flag, () -> race(lease, target, rank, from,
                        bytes, true, what));
            }
        }
        if (words && !write) {
            looks[index] = new Look(part, from);
        }
        if (!alone && !write && words && !written) {
            takeAll(index); // a flag that another JVM may have put
        }
        AccessMap[] kept = write ? shadow.writes : shadow.reads;
        if (kept[index] == null) {
            kept[index] = new AccessMap();
        }
        kept[index].add(new AccessMap.Access(from, end, mine[index], words, flag ? mine.clone() : null, what), known(index));
        if (flag) {
            mine[index]++;
        }
    }

    private interface Description {
        String text();
    }

    /** True if the other rank has used any of these bytes. */
    private boolean compare(AccessMap uses, int other, int index, long from, long end, boolean words, boolean flag,
                            Description description) {
        if (uses == null) {
            return false;
        }
        boolean any = false;
        for (AccessMap.Access use : uses.overlapping(from, end)) {
            any = true;
            if (use.epoch() <= clocks[index][other]) {
                continue;
            }
            if (words && use.words() && (flag || use.gives() != null)) {
                continue; // words of 8 bytes are whole: a flag and those who look at it
            }
            throw new DataRaceException(description.text() + "; rank " + (first + other) + " used bytes " + use.from() + ".."
                    + (use.end() - 1) + " by " + use.what() + ", and nothing orders the two: a barrier, a collective or a "
                    + "notification from rank " + (first + other) + " that rank " + (first + index)
                    + " waits for is missing between them (pgas.check=full)");
        }
        return any;
    }

    private static String race(Lease lease, int target, int rank, long from, long bytes, boolean write, String what) {
        return "data race: rank " + rank + (write ? " writes" : " reads") + " bytes " + from + ".." + (from + bytes - 1)
                + " of rank " + target + "'s " + lease.kind() + " segment by " + what + " (allocation of " + lease.bytes()
                + " bytes at " + lease.start() + ")";
    }

    /** The time of a rank that all have taken up. */
    private long known(int index) {
        long least = Long.MAX_VALUE;
        for (long[] clock : clocks) {
            least = Math.min(least, clock[index]);
        }
        return least;
    }

    /** An allocation has ended. */
    synchronized void ended(Lease lease) {
        shadows.keySet().removeIf(part -> part.generation == lease.generation());
    }
}
