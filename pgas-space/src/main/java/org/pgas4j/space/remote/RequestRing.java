package org.pgas4j.space.remote;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pgas4j.ElementType;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.space.memory.Peer;
import org.pgas4j.space.memory.Peers;

/** Requests of one rank to others, and those of others to it. Never waits. Used by the rank's thread. */
final class RequestRing {

    private final int rank;
    private final Peers peers;
    private final RemoteLayout layout;
    private final Endpoint own;
    private final MemorySegment message; // of which bytes from FUNCTION on travel
    private long head;

    RequestRing(int rank, Peers peers, RemoteLayout layout) {
        this.rank = rank;
        this.peers = peers;
        this.layout = layout;
        this.own = peers.get(rank).endpoint();
        this.message = Arena.ofAuto().allocate(RemoteLayout.ARGUMENTS + layout.maxBytes(), Long.BYTES);
    }

    /** Makes the rank's own ring empty; before any rank uses it. */
    void clear() {
        own.putWordRelease(layout.tail(), 0);
        for (long number = 0; number < layout.capacity(); number++) {
            own.putWordRelease(layout.request(number), RemoteLayout.free(number));
        }
    }

    /** Sends a request; false if the target has no room. */
    boolean trySend(int target, int function, int reply, MemorySegment arguments) {
        Peer peer = peers.get(target);
        Endpoint to = peer.endpoint();
        long number = tryTake(to);
        if (number < 0) {
            return false;
        }
        long bytes = arguments.byteSize();
        message.set(ElementType.LAYOUT_INT, RemoteLayout.FUNCTION, function);
        message.set(ElementType.LAYOUT_INT, RemoteLayout.FROM, rank);
        message.set(ElementType.LAYOUT_INT, RemoteLayout.REPLY, reply);
        message.set(ElementType.LAYOUT_INT, RemoteLayout.LENGTH, (int) bytes);
        MemorySegment.copy(arguments, 0, message, RemoteLayout.ARGUMENTS, bytes);
        long slot = layout.request(number);
        to.put(slot + RemoteLayout.FUNCTION, message, RemoteLayout.FUNCTION,
                RemoteLayout.ARGUMENTS - RemoteLayout.FUNCTION + bytes);
        to.putWordRelease(slot, RemoteLayout.taken(number)); // release: pairs with acquire in poll
        peers.wake(target);
        return true;
    }

    /** Takes the next slot of a ring; -1 if it has none that is free. */
    private long tryTake(Endpoint to) {
        while (true) {
            long number = to.getWordAcquire(layout.tail());
            long turn = to.getWordAcquire(layout.request(number));
            if (turn == RemoteLayout.free(number) && to.compareAndSetWord(layout.tail(), number, number + 1)) {
                return number;
            }
            if (turn < RemoteLayout.free(number)) {
                return -1; // it has the request of one round before
            }
        }
    }

    /** Runs one request. */
    interface Runner {
        void run(int function, int from, int reply, MemorySegment arguments);
    }

    /** Runs the oldest request to this rank; false if there is none. */
    boolean poll(Runner runner) {
        long number = head;
        long slot = layout.request(number);
        if (own.getWordAcquire(slot) != RemoteLayout.taken(number)) {
            return false;
        }
        head = number + 1;
        MemorySegment memory = own.mapped();
        try {
            runner.run(memory.get(ElementType.LAYOUT_INT, slot + RemoteLayout.FUNCTION),
                    memory.get(ElementType.LAYOUT_INT, slot + RemoteLayout.FROM),
                    memory.get(ElementType.LAYOUT_INT, slot + RemoteLayout.REPLY),
                    memory.asSlice(slot + RemoteLayout.ARGUMENTS, memory.get(ElementType.LAYOUT_INT, slot + RemoteLayout.LENGTH))
                            .asReadOnly());
        } finally {
            own.putWordRelease(slot, RemoteLayout.free(number + layout.capacity())); // release: the arguments have been read
        }
        return true;
    }

    /** Number of requests to a rank that it has not run. */
    long waiting(int target) {
        Endpoint at = peers.get(target).endpoint();
        long tail = at.getWordAcquire(layout.tail());
        long waiting = 0;
        for (long number = Math.max(0, tail - layout.capacity()); number < tail; number++) {
            waiting += at.getWordAcquire(layout.request(number)) == RemoteLayout.taken(number) ? 1 : 0;
        }
        return waiting;
    }
}
