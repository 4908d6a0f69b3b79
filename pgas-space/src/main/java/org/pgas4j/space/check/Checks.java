package org.pgas4j.space.check;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.pgas4j.Lease;
import org.pgas4j.bootstrap.Bootstrap;
import org.pgas4j.space.sync.CallSite;

/**
 * State that the ranks of one JVM share for {@code pgas.check=full}. The job's races are looked for by process {@value #HOME},
 * whom the others tell. Thread-safe.
 */
public final class Checks {

    /** The process that looks for races. */
    static final int HOME = 0;

    private final LocalViews views = new LocalViews();
    private final Races races;
    private final int ranks;
    private final boolean[] fenced;
    private final Map<Long, String> origins = new ConcurrentHashMap<>();

    /** @param timeoutNs of a call to another JVM */
    public Checks(Bootstrap bootstrap, long timeoutNs) {
        this.ranks = bootstrap.ranks();
        this.fenced = new boolean[ranks];
        if (bootstrap.process() == HOME) {
            RaceDetector detector = new RaceDetector(ranks);
            bootstrap.serve(ReportedRaces.SERVICE, request -> ReportedRaces.answer(request, ranks, detector));
            this.races = detector;
        } else {
            this.races = new ReportedRaces(bootstrap, timeoutNs);
        }
    }

    int ranks() {
        return ranks;
    }

    Races races() {
        return races;
    }

    LocalViews views() {
        return views;
    }

    /** The rank has completed all it has put: the next word it puts may be a flag. The rank's thread. */
    void fences(int rank) {
        fenced[rank] = true;
    }

    /**
     * The rank uses shared memory, by its thread.
     *
     * @param target whose part
     * @param from   byte offset in the target's segment
     * @param what   the operation and its line
     * @throws org.pgas4j.DataRaceException as {@link Races#uses}
     */
    void uses(int rank, Lease lease, int target, long from, long bytes, boolean write, String what) {
        if (bytes <= 0 || !lease.isLive()) {
            return;
        }
        boolean word = Races.Use.isWord(lease.kind(), from, bytes);
        boolean flag = write && word && fenced[rank];
        if (write && !word) {
            fenced[rank] = false;
        }
        races.uses(rank, Races.Use.of(lease, target, from, bytes, write, flag, what));
    }

    /** A rank's own memory, from a place in an allocation to its end, as its program gets it. */
    MemorySegment view(Lease lease, int rank, MemorySegment memory) {
        races.views(rank, lease.generation());
        return views.of(lease, rank, memory);
    }

    /** Keeps who allocates this and where; the first of several. */
    void allocated(Lease lease, int rank) {
        origins.putIfAbsent(lease.generation(), here(rank));
    }

    /** Rank and line that allocated it, if that was a rank of this JVM. */
    String originOf(Lease lease) {
        return origins.getOrDefault(lease.generation(), "a rank of another JVM");
    }

    /** A lease of this JVM has ended. */
    public void ended(Lease lease) {
        origins.remove(lease.generation());
        views.end(lease.generation());
        races.ended(lease.generation());
    }

    static String here(int rank) {
        return "rank " + rank + " at " + CallSite.find();
    }
}
