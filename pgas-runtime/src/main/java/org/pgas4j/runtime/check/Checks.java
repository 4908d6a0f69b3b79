package org.pgas4j.runtime.check;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.pgas4j.runtime.sync.CallSite;
import org.pgas4j.spi.Lease;

/** What the ranks of one JVM share for {@code pgas.check=full}. Thread-safe. */
public final class Checks {

    private final LocalViews views = new LocalViews();
    private final RaceDetector races;
    private final Map<Long, String> origins = new ConcurrentHashMap<>();

    /**
     * @param first of the ranks of this JVM
     * @param end   of the ranks of this JVM
     * @param alone true if the job has no other JVM
     */
    public Checks(int first, int end, boolean alone) {
        this.races = new RaceDetector(first, end, alone);
    }

    RaceDetector races() {
        return races;
    }

    LocalViews views() {
        return views;
    }

    /** Keeps who allocates this and where; the first of several. */
    void allocated(Lease lease, int rank) {
        origins.putIfAbsent(lease.generation(), here(rank));
    }

    /** Who allocated it and where, if that was a rank of this JVM. */
    String originOf(Lease lease) {
        return origins.getOrDefault(lease.generation(), "a rank of another JVM");
    }

    /** A lease of this JVM has ended. */
    public void ended(Lease lease) {
        origins.remove(lease.generation());
        views.end(lease.generation());
        races.ended(lease);
    }

    static String here(int rank) {
        return "rank " + rank + " at " + CallSite.find();
    }
}
