package org.pgas4j.space.remote;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.pgas4j.ElementType;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.space.memory.Peers;

/** Results of calls: those that this rank sends, and those that it waits for. Never waits. Used by the rank's thread. */
final class Replies {

    static final int RETURNED = 0;
    static final int THREW = 1;
    /** And the number of the area that has what was thrown. */
    static final int THREW_AT = 2;

    private final Peers peers;
    private final RemoteLayout layout;
    private final Endpoint own;
    private final MemorySegment message; // of which bytes from STATUS on travel
    private final List<OpenCall> open = new ArrayList<>();
    private final BitSet taken = new BitSet();

    Replies(int rank, Peers peers, RemoteLayout layout) {
        this.peers = peers;
        this.layout = layout;
        this.own = peers.get(rank).endpoint();
        this.message = Arena.ofAuto().allocate(RemoteLayout.RESULT + layout.maxBytes(), Long.BYTES);
        for (int area = 0; area < RemoteLayout.FAILURES; area++) {
            own.putWordRelease(layout.failure(area), 0);
        }
    }

    // ---- sent

    /** Memory for the result of the function that runs. */
    MemorySegment result() {
        return message.asSlice(RemoteLayout.RESULT);
    }

    /** Sends the first {@code bytes} bytes of {@link #result}. */
    void sendResult(int target, int slot, long bytes) {
        send(target, slot, RETURNED, bytes);
    }

    /** Sends what a function has thrown, as far as there is room for it. */
    void sendFailure(int target, int slot, Throwable thrown) {
        Endpoint to = peers.get(target).endpoint();
        for (int area = 0; area < RemoteLayout.FAILURES; area++) {
            if (to.compareAndSetWord(layout.failure(area), 0, 1)) {
                byte[] written = RemoteThrown.write(thrown, RemoteLayout.FAILURE_BYTES - (int) RemoteLayout.FAILURE);
                MemorySegment copy = Arena.ofAuto().allocate(written.length);
                copy.copyFrom(MemorySegment.ofArray(written));
                to.put(layout.failure(area) + RemoteLayout.FAILURE, copy, 0, written.length);
                message.set(ElementType.LAYOUT_INT, RemoteLayout.RESULT_LENGTH, written.length);
                sendMessage(to, target, slot, THREW_AT + area, 0);
                return;
            }
        }
        byte[] written = RemoteThrown.write(thrown, (int) layout.maxBytes());
        MemorySegment.copy(written, 0, result(), ValueLayout.JAVA_BYTE, 0, written.length);
        send(target, slot, THREW, written.length);
    }

    private void send(int target, int slot, int status, long bytes) {
        message.set(ElementType.LAYOUT_INT, RemoteLayout.RESULT_LENGTH, (int) bytes);
        sendMessage(peers.get(target).endpoint(), target, slot, status, bytes);
    }

    private void sendMessage(Endpoint to, int target, int slot, int status, long bytes) {
        message.set(ElementType.LAYOUT_INT, RemoteLayout.STATUS, status);
        long reply = layout.reply(slot);
        to.put(reply + RemoteLayout.STATUS, message, RemoteLayout.STATUS, RemoteLayout.RESULT - RemoteLayout.STATUS + bytes);
        to.putWordRelease(reply, 1); // release: pairs with acquire in poll
        peers.wake(target);
    }

    // ---- waited for

    /** A slot for the result of a call; -1 if all are in use. */
    int tryTake() {
        int slot = taken.nextClearBit(0);
        if (slot >= layout.capacity()) {
            return -1;
        }
        taken.set(slot);
        own.putWordRelease(layout.reply(slot), 0);
        return slot;
    }

    /** The call for whose result a slot was taken has been made. */
    void add(OpenCall call) {
        open.add(call);
    }

    /** A call was not made. */
    void giveBack(int slot) {
        taken.clear(slot);
    }

    boolean isEmpty() {
        return open.isEmpty();
    }

    /** Completes calls whose results have arrived; true if there was one. */
    boolean poll() {
        boolean any = false;
        for (int i = open.size() - 1; i >= 0; i--) {
            OpenCall call = open.get(i);
            long reply = layout.reply(call.slot());
            if (own.getWordAcquire(reply) != 0) {
                open.remove(i);
                complete(call, reply);
                any = true;
            }
        }
        return any;
    }

    private void complete(OpenCall call, long reply) {
        int status = own.mapped().get(ElementType.LAYOUT_INT, reply + RemoteLayout.STATUS);
        if (status >= THREW_AT) {
            long area = layout.failure(status - THREW_AT);
            byte[] written = read(area + RemoteLayout.FAILURE, reply);
            own.putWordRelease(area, 0);
            giveBack(call.slot());
            call.fail(written);
            return;
        }
        byte[] result = read(reply + RemoteLayout.RESULT, reply);
        giveBack(call.slot());
        if (status == THREW) {
            call.fail(result);
        } else {
            call.complete(result);
        }
    }

    /** The bytes at a place, as many as a reply says. */
    private byte[] read(long at, long reply) {
        MemorySegment memory = own.mapped();
        return memory.asSlice(at, memory.get(ElementType.LAYOUT_INT, reply + RemoteLayout.RESULT_LENGTH)).toArray(ValueLayout.JAVA_BYTE);
    }

    @Override
    public String toString() {
        return "open calls " + Arrays.toString(open.toArray());
    }
}
