package org.pgas4j.runtime.remote;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
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

    /** Sends what a function has thrown, as far as there is room for the text. */
    void sendFailure(int target, int slot, String thrown) {
        byte[] text = thrown.getBytes(StandardCharsets.UTF_8);
        int bytes = (int) Math.min(text.length, layout.maxBytes());
        MemorySegment.copy(text, 0, result(), ValueLayout.JAVA_BYTE, 0, bytes);
        send(target, slot, THREW, bytes);
    }

    private void send(int target, int slot, int status, long bytes) {
        message.set(ElementType.LAYOUT_INT, RemoteLayout.STATUS, status);
        message.set(ElementType.LAYOUT_INT, RemoteLayout.RESULT_LENGTH, (int) bytes);
        Endpoint to = peers.get(target).endpoint();
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
                MemorySegment memory = own.mapped();
                int bytes = memory.get(ElementType.LAYOUT_INT, reply + RemoteLayout.RESULT_LENGTH);
                byte[] result = memory.asSlice(reply + RemoteLayout.RESULT, bytes).toArray(ValueLayout.JAVA_BYTE);
                giveBack(call.slot());
                call.complete(memory.get(ElementType.LAYOUT_INT, reply + RemoteLayout.STATUS) == THREW, result);
                any = true;
            }
        }
        return any;
    }

    @Override
    public String toString() {
        return "open calls " + Arrays.toString(open.toArray());
    }
}
