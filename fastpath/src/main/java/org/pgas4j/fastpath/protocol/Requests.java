package org.pgas4j.fastpath.protocol;

import java.lang.foreign.MemorySegment;
import org.pgas4j.DeviceMemory;
import org.pgas4j.PgasException;

/** The fastpath gets of a rank that are in progress. For the port's current owner. */
final class Requests {

    private static final int SLOTS = 256;
    static final String ALL_TAKEN = SLOTS + " gets are in progress and none is answered";

    private final int rank;
    private final Request[] requests = new Request[SLOTS];
    private final int[] free = new int[SLOTS];
    private int freeCount = SLOTS;

    Requests(int rank) {
        this.rank = rank;
        for (int i = 0; i < SLOTS; i++) {
            free[i] = i;
        }
    }

    /** True if no further get may begin until one completes. */
    boolean isFull() {
        return freeCount == 0;
    }

    int underWay() {
        return SLOTS - freeCount;
    }

    /**
     * Begins a get; not to be called when {@link #isFull}. Its destination is host memory, or device memory if that is
     * given.
     */
    Request begin(int target, MemorySegment host, DeviceMemory device, long offset, long bytes) {
        int slot = free[--freeCount];
        if (requests[slot] == null) {
            requests[slot] = new Request(slot);
        }
        requests[slot].begin(target, host, device, offset, bytes, SLOTS);
        return requests[slot];
    }

    /** The get in progress that has this number, or null. */
    Request find(long id) {
        Request request = requests[(int) Math.floorMod(id, (long) SLOTS)];
        return request != null && request.id() == id ? request : null;
    }

    /** Gives up the gets from a rank that is lost. */
    void lose(int peer) {
        for (Request request : requests) {
            if (request != null && request.remaining() > 0 && request.target() == peer) {
                request.lose();
                free[freeCount++] = request.slot();
            }
        }
    }

    /** Notes that {@code bytes} bytes of get {@code id} are at their destination. */
    void arrived(Request request, long id, int bytes) {
        if (request.id() != id || bytes > request.remaining()) {
            throw new PgasException("rank " + rank + " got " + bytes + " bytes for request " + id + ", of which "
                    + request.remaining() + " are missing");
        }
        request.arrived(bytes);
        if (request.remaining() == 0) {
            free[freeCount++] = request.slot();
        }
    }
}
