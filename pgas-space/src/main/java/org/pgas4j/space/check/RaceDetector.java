package org.pgas4j.space.check;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.pgas4j.DataRaceException;
import org.pgas4j.PgasException;

/**
 * Finds uses of the same bytes by two ranks of the job, one of them a write, that nothing orders. Every rank has a vector clock
 * (Mattern, Parallel and Distributed Algorithms 1988): what it gives at barriers, collectives and notifications others join when
 * they take it up. A use is in order with an older one if the clock has the older one's time, as in FastTrack (Flanagan and
 * Freund, PLDI 2009), with exact ranges in place of variables. Where it cannot know what orders two uses (streams, kernels) it
 * takes them for ordered. One in a job; thread-safe: one lock.
 */
final class RaceDetector implements Races {

    private static final class Gathering {
        private final long[] clock;
        private int left;

        Gathering(int ranks) {
            clock = new long[ranks];
        }
    }

    private record Part(long generation, int rank) {
    }

    /** A word on which ranks operate atomically. */
    private record Word(Part part, long from) {
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

    private final int ranks;
    private final long[][] clocks;
    private final long[][] readBefore;
    private final boolean[] hasRead;
    private final boolean[] unseen;
    private final Look[] looks;
    private final Map<Meeting, Gathering> meetings = new HashMap<>();
    private final Map<Long, long[]> notified = new HashMap<>();
    private final Set<Long> notifiedLater = new HashSet<>();
    private final Map<Part, Shadow> shadows = new HashMap<>();
    private final Map<Word, long[]> atomics = new HashMap<>();
    private final Set<Part> viewed = new HashSet<>();
    private boolean kernelsNotify;

    /** @param ranks of the job */
    RaceDetector(int ranks) {
        this.ranks = ranks;
        this.clocks = new long[ranks][ranks];
        this.readBefore = new long[ranks][];
        this.hasRead = new boolean[ranks];
        this.unseen = new boolean[ranks];
        this.looks = new Look[ranks];
        for (int i = 0; i < ranks; i++) {
            clocks[i][i] = 1;
        }
    }

    private static void join(long[] into, long[] from) {
        for (int i = 0; i < into.length; i++) {
            into[i] = Math.max(into[i], from[i]);
        }
    }

    /** Orders a rank after everything that was done so far, where nobody knows better. */
    private void takeAll(int rank) {
        for (long[] clock : clocks) {
            join(clocks[rank], clock);
        }
    }

    private long[] settle(int rank) {
        if (unseen[rank]) {
            takeAll(rank);
        }
        Look look = looks[rank];
        looks[rank] = null;
        if (look != null) {
            takeFlags(look.part, look.from, look.from + Long.BYTES, clocks[rank]);
        }
        return clocks[rank];
    }

    /** The reader of flags comes after what was put before the flags' fences. */
    private void takeFlags(Part part, long from, long end, long[] mine) {
        Shadow shadow = shadows.get(part);
        if (shadow == null) {
            return;
        }
        for (AccessMap writes : shadow.writes) {
            if (writes != null) {
                for (AccessMap.Access use : writes.overlapping(from, end)) {
                    if (use.gives() != null) {
                        join(mine, use.gives());
                    }
                }
            }
        }
    }

    // ---- what orders

    @Override
    public synchronized void arrives(int rank, Meeting meeting) {
        long[] mine = settle(rank);
        join(meetings.computeIfAbsent(meeting, _ -> new Gathering(ranks)).clock, mine);
        mine[rank]++;
    }

    @Override
    public synchronized void leaves(int rank, Meeting meeting) {
        Gathering gathering = meetings.get(meeting);
        if (gathering == null) {
            throw new PgasException("rank " + rank + " leaves a meeting that nobody came to: " + meeting);
        }
        join(clocks[rank], gathering.clock);
        if (++gathering.left == meeting.members()) {
            meetings.remove(meeting);
        }
    }

    private static long key(int target, int tag, boolean value) {
        return ((long) target << 16 | tag) << 1 | (value ? 1 : 0);
    }

    @Override
    public synchronized void notifies(int rank, int target, int tag, boolean value) {
        long[] mine = settle(rank);
        join(notified.computeIfAbsent(key(target, tag, value), _ -> new long[ranks]), mine);
        mine[rank]++;
    }

    @Override
    public synchronized void notifiesLater(int rank, int target, int tag, boolean value) {
        notifiedLater.add(key(target, tag, value));
    }

    @Override
    public synchronized void takes(int rank, int tag, boolean value) {
        long key = key(rank, tag, value);
        long[] given = notified.get(key);
        if (given != null) {
            join(clocks[rank], given);
        }
        if (kernelsNotify || notifiedLater.contains(key)) {
            takeAll(rank);
        }
    }

    @Override
    public synchronized void gives(int rank, long generation, int target, long from) {
        long[] mine = settle(rank);
        join(atomics.computeIfAbsent(new Word(new Part(generation, target), from), _ -> new long[ranks]), mine);
        mine[rank]++;
    }

    @Override
    public synchronized void joins(int rank, long generation, int target, long from) {
        long[] given = atomics.get(new Word(new Part(generation, target), from));
        if (given != null) { // else its allocation has ended
            join(clocks[rank], given);
        }
    }

    @Override
    public synchronized void takesUnseen(int rank) {
        unseen[rank] = true;
    }

    @Override
    public synchronized void notifiesUnseen(int rank) {
        kernelsNotify = true;
    }

    @Override
    public synchronized void views(int rank, long generation) {
        Part part = new Part(generation, rank);
        if (viewed.add(part)) {
            takeFlags(part, 0, Long.MAX_VALUE, clocks[rank]);
        }
    }

    // ---- uses

    @Override
    public synchronized void uses(int rank, Use use) {
        long[] mine = settle(rank);
        Part part = new Part(use.generation(), use.target());
        Shadow shadow = shadows.computeIfAbsent(part, _ -> new Shadow(ranks));
        for (int other = 0; other < ranks; other++) {
            if (other == rank) {
                continue;
            }
            compare(shadow.writes[other], other, mine[other], rank, use);
            if (use.write()) {
                long read = readBefore[rank] == null ? 0 : readBefore[rank][other];
                compare(shadow.reads[other], other, Math.max(mine[other], read), rank, use);
            }
        }
        if (use.word() && !use.write()) {
            looks[rank] = new Look(part, use.from());
        }
        hasRead[rank] |= !use.write();
        AccessMap[] kept = use.write() ? shadow.writes : shadow.reads;
        if (kept[rank] == null) {
            kept[rank] = new AccessMap();
        }
        kept[rank].add(new AccessMap.Access(use.from(), use.from() + use.bytes(), mine[rank], use.word(),
                use.flag() ? mine.clone() : null, use.what()), () -> known(rank));
        if (use.flag()) {
            if (viewed.contains(part)) {
                join(clocks[use.target()], mine); // nobody sees when the owner looks at it
            }
            mine[rank]++;
        } else if (use.write() && use.word() && viewed.contains(part)) {
            acknowledges(rank, use.target());
        }
    }

    /** A word without a fence before it may still say what its rank has read, to an owner who looks at it unseen. */
    private void acknowledges(int rank, int owner) {
        if (readBefore[owner] == null) {
            readBefore[owner] = new long[ranks];
        }
        if (hasRead[rank]) {
            hasRead[rank] = false;
            clocks[rank][rank]++; // what it reads from here on is not said
        }
        readBefore[owner][rank] = clocks[rank][rank] - 1;
    }

    /** @param known time of the other rank up to which these uses are in order with the one now */
    private void compare(AccessMap uses, int other, long known, int rank, Use now) {
        if (uses == null) {
            return;
        }
        for (AccessMap.Access use : uses.overlapping(now.from(), now.from() + now.bytes())) {
            if (use.epoch() <= known) {
                continue;
            }
            if (now.word() && use.words() && (now.flag() || use.gives() != null)) {
                continue; // words of 8 bytes are whole: a flag and those who look at it
            }
            throw new DataRaceException(race(rank, now) + "; rank " + other + " used bytes " + use.from() + ".."
                    + (use.end() - 1) + " by " + use.what() + ", and nothing orders the two: a barrier, a collective or a "
                    + "notification from rank " + other + " that rank " + rank + " waits for is missing between them "
                    + "(pgas.check=full)");
        }
    }

    private static String race(int rank, Use use) {
        return "data race: rank " + rank + (use.write() ? " writes" : " reads") + " bytes " + use.from() + ".."
                + (use.from() + use.bytes() - 1) + " of rank " + use.target() + "'s " + use.kind() + " segment by " + use.what()
                + " (allocation of " + use.size() + " bytes at " + use.start() + ")";
    }

    /** The time of a rank that all have taken up. */
    private long known(int rank) {
        long least = Long.MAX_VALUE;
        for (long[] clock : clocks) {
            least = Math.min(least, clock[rank]);
        }
        return least;
    }

    @Override
    public synchronized void ended(long generation) {
        shadows.keySet().removeIf(part -> part.generation == generation);
        viewed.removeIf(part -> part.generation == generation);
        atomics.keySet().removeIf(word -> word.part.generation == generation);
    }
}
