package org.pgas4j.fastpath.protocol;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.HostRegistration;
import org.pgas4j.fastpath.conduit.Conduit;

/**
 * One rank's registered temporaries. One that is given back is kept for the next rendezvous of its size (delayed free),
 * up to a bound; the one unused for longest goes first. Registration costs as much as copying the memory several times,
 * which is why it is worth keeping. For the port's current owner.
 */
final class RegistrationCache implements AutoCloseable {

    private static final long MIN_BYTES = 64 * 1024;

    private final int rank;
    private final Conduit conduit;
    private final Accelerator accelerator;
    private final long limit;
    private final ArrayDeque<Temporary> free = new ArrayDeque<>();
    private final List<Temporary> used = new ArrayList<>();
    private long freeBytes;
    private long made;
    private long hits;

    RegistrationCache(int rank, Conduit conduit, Accelerator accelerator, long limit) {
        this.rank = rank;
        this.conduit = conduit;
        this.accelerator = accelerator;
        this.limit = limit;
    }

    /** Size of the temporary that {@link #acquire} returns. */
    static long size(long bytes) {
        return Math.max(MIN_BYTES, Long.highestOneBit(Math.max(1, bytes - 1)) << 1);
    }

    /** True if a temporary for so many bytes is kept when it is given back. */
    boolean keeps(long bytes) {
        return size(bytes) <= limit;
    }

    /** A temporary of {@code bytes} bytes or more. */
    Temporary acquire(long bytes) {
        long size = size(bytes);
        for (var all = free.descendingIterator(); all.hasNext(); ) {
            Temporary temporary = all.next();
            if (temporary.bytes() == size) {
                all.remove();
                freeBytes -= size;
                hits++;
                used.add(temporary);
                return temporary;
            }
        }
        var segment = conduit.create(rank, "temporary", size);
        Temporary temporary = new Temporary(++made, segment, accelerator.register(segment.memory()));
        used.add(temporary);
        return temporary;
    }

    /** Takes one back. */
    void giveBack(Temporary temporary) {
        used.remove(temporary);
        free.addLast(temporary);
        freeBytes += temporary.bytes();
    }

    /**
     * Removes the one unused for longest if the bound is exceeded, else null. The caller sends FORGET for it, then
     * frees it.
     */
    Temporary evict() {
        if (freeBytes <= limit) {
            return null;
        }
        Temporary oldest = free.pollFirst();
        freeBytes -= oldest.bytes();
        return oldest;
    }

    /** Takes back one that {@link #evict} returned and that cannot be freed yet. */
    void keep(Temporary temporary) {
        free.addFirst(temporary);
        freeBytes += temporary.bytes();
    }

    /** Frees one that {@link #evict} returned. */
    void free(Temporary temporary) {
        temporary.registration().close();
        conduit.release(temporary.segment());
    }

    long acquired() {
        return made + hits;
    }

    long hits() {
        return hits;
    }

    long freeBytes() {
        return freeBytes;
    }

    @Override
    public void close() {
        List<HostRegistration> registrations = new ArrayList<>();
        free.forEach(temporary -> registrations.add(temporary.registration()));
        used.forEach(temporary -> registrations.add(temporary.registration()));
        registrations.forEach(HostRegistration::close);
    }
}
