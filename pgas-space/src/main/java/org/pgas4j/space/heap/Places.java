package org.pgas4j.space.heap;

import java.util.Comparator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.pgas4j.MemoryKind;

/** Allocations by where they begin, and which of them an address is in. Used under its owner's lock. */
final class Places<T> {

    /** @param rank or {@link org.pgas4j.Lease#EVERY_RANK} */
    record Place(MemoryKind kind, int rank, long start) {
    }

    private static final Comparator<Place> ORDER =
            Comparator.comparing(Place::kind).thenComparingInt(Place::rank).thenComparingLong(Place::start);

    private final NavigableMap<Place, T> all = new TreeMap<>(ORDER);
    private final ToLongFunction<T> bytes;

    /** @param bytes of an allocation */
    Places(ToLongFunction<T> bytes) {
        this.bytes = bytes;
    }

    void put(Place place, T allocation) {
        all.put(place, allocation);
    }

    T get(Place place) {
        return all.get(place);
    }

    /** Removes what begins there, if it is this allocation. */
    void remove(Place place, T allocation) {
        all.remove(place, allocation);
    }

    void clear() {
        all.clear();
    }

    /** The allocation which {@code address} is in or the end of, if it fits; of two that do, the one that begins there. */
    T at(MemoryKind kind, int rank, long address, Predicate<T> fits) {
        Place place = new Place(kind, rank, address);
        T found = inside(all.floorEntry(place), place, fits);
        return found != null ? found : inside(all.lowerEntry(place), place, fits);
    }

    private T inside(Map.Entry<Place, T> entry, Place place, Predicate<T> fits) {
        if (entry == null || entry.getKey().kind != place.kind || entry.getKey().rank != place.rank
                || place.start - entry.getKey().start > bytes.applyAsLong(entry.getValue()) || !fits.test(entry.getValue())) {
            return null;
        }
        return entry.getValue();
    }
}
