package org.pgas4j.space.heap;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.pgas4j.Lease;
import org.pgas4j.MemoryKind;

/** The leases one JVM holds, one for each allocation its ranks have pointers to. Thread-safe. */
final class Leases {

    private final Map<Long, Lease> held = new HashMap<>();
    private final Places<Lease> places = new Places<>(Lease::bytes);
    private final Set<Long> endedMeanwhile = new HashSet<>();
    private final Consumer<Lease> ended;
    private int asking;
    private boolean closed;

    /** @param ended is told of each lease that has just ended */
    Leases(Consumer<Lease> ended) {
        this.ended = ended;
    }

    /** The lease of an allocation that another call has just told of. */
    synchronized Lease learn(MemoryKind kind, long generation, int rank, long start, long bytes) {
        return held.computeIfAbsent(generation, _ -> made(kind, generation, rank, start, bytes));
    }

    private Lease made(MemoryKind kind, long generation, int rank, long start, long bytes) {
        Lease lease = new Lease(kind, generation, rank, start, bytes);
        if (closed) {
            end(lease);
        } else {
            places.put(place(lease), lease);
        }
        return lease;
    }

    private static Places.Place place(Lease lease) {
        return new Places.Place(lease.kind(), lease.rank(), lease.start());
    }

    /**
     * The lease of an allocation, asked of its owner if this JVM has none; null if nothing lives with this generation.
     *
     * @param ask start and bytes, or one word
     */
    Lease find(MemoryKind kind, long generation, int rank, Supplier<long[]> ask) {
        synchronized (this) {
            Lease known = held.get(generation);
            if (known != null || closed) {
                return known != null && known.kind() == kind && known.rank() == rank ? known : null;
            }
            asking++;
        }
        return install(kind, generation, rank, answer(ask));
    }

    /**
     * The lease of what lives at an address of {@code rank}, or ends there, asked of its owner if this JVM has none; null if
     * nothing does with that tag of its generation.
     *
     * @param ask start, bytes and generation, or one word
     */
    Lease at(MemoryKind kind, int rank, long address, long tag, Supplier<long[]> ask) {
        synchronized (this) {
            Lease known = at(kind, rank, address, tag);
            if (known == null) {
                known = at(kind, Lease.EVERY_RANK, address, tag);
            }
            if (known != null || closed) {
                return known;
            }
            asking++;
        }
        long[] answer = answer(ask);
        long generation = answer[answer.length - 1];
        return install(kind, generation, Allocations.isGlobal(generation) ? Lease.EVERY_RANK : rank, answer);
    }

    private Lease at(MemoryKind kind, int rank, long address, long tag) {
        return places.at(kind, rank, address, lease -> Allocations.hasTag(lease.generation(), tag));
    }

    private long[] answer(Supplier<long[]> ask) {
        long[] answer = null;
        try {
            answer = ask.get();
            return answer;
        } finally {
            if (answer == null) {
                settle();
            }
        }
    }

    private synchronized Lease install(MemoryKind kind, long generation, int rank, long[] answer) {
        // A free may have overtaken the answer: then there is no lease to make.
        boolean gone = answer.length == 1 || endedMeanwhile.contains(generation);
        settle();
        return gone ? null : learn(kind, generation, rank, answer[0], answer[1]);
    }

    private synchronized void settle() {
        if (--asking == 0) {
            endedMeanwhile.clear();
        }
    }

    /** Ends a lease, if there is one. */
    synchronized void end(long generation) {
        Lease lease = held.remove(generation);
        if (lease != null) {
            places.remove(place(lease), lease);
            end(lease);
        }
        if (asking > 0) {
            endedMeanwhile.add(generation);
        }
    }

    private void end(Lease lease) {
        lease.end();
        ended.accept(lease);
    }

    /** Ends all: the job is over. */
    synchronized void close() {
        closed = true;
        held.values().forEach(this::end);
        held.clear();
        places.clear();
    }
}
