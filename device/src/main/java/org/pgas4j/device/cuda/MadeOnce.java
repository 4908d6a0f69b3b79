package org.pgas4j.device.cuda;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Values that take long to make, each made once, by the first thread that needs it. Those of different keys are made at the same
 * time. Thread-safe.
 */
final class MadeOnce<K, V> {

    /** Value of a key, null until it is made; guarded by itself. */
    private static final class Place<V> {

        private V value;
    }

    private final Map<K, Place<V>> places = new ConcurrentHashMap<>();

    /** Value of {@code key}, which {@code making} makes if there is none. What it throws is thrown here; the next call makes it again. */
    V get(K key, Supplier<V> making) {
        Place<V> place = places.computeIfAbsent(key, _ -> new Place<>());
        synchronized (place) {
            if (place.value == null) {
                place.value = making.get();
            }
            return place.value;
        }
    }

    /** Forgets all values, after each was given to {@code end}. */
    void clear(Consumer<V> end) {
        for (Place<V> place : places.values()) {
            synchronized (place) {
                if (place.value != null) {
                    end.accept(place.value);
                }
            }
        }
        places.clear();
    }
}
