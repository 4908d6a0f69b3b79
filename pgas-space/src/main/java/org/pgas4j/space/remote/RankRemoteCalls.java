package org.pgas4j.space.remote;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.pgas4j.ElementType;
import org.pgas4j.ExceptionalExit;
import org.pgas4j.Lease;
import org.pgas4j.PgasException;
import org.pgas4j.RemoteCall;
import org.pgas4j.RemoteCalls;
import org.pgas4j.RemoteFunction;
import org.pgas4j.RemoteFunctions;
import org.pgas4j.SharedPointer;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.space.sync.Call;
import org.pgas4j.space.sync.Waiter;

/** Calls between the ranks that have opened them together, as one rank makes and runs them. Used by its thread. */
final class RankRemoteCalls implements RemoteCalls, ProgressEngine.Service {

    private static final int RUNS_OF_A_POLL = 64;
    private static final Call QUIESCE = new Call("quiesce() of remote calls", 0);

    private final RemoteModule module;
    private final Thread owner = Thread.currentThread();
    private final SharedPointer memory;
    private final Lease lease;
    private final long maxBytes;
    private final int capacity;
    private final List<String> names;
    private final List<RemoteFunction> functions;
    private final Map<String, Integer> numbers = new HashMap<>();
    private final RequestRing ring;
    private final PendingSends pending;
    private final Replies replies;
    private final RequestRing.Runner runner = this::run;
    private final Supplier<String> roomReason = this::describeRoom;
    private final Waiter.Outer outer = new Waiter.Outer(); // the wait in which a function runs
    private int waitsFor;
    private long made;
    private long run;
    private boolean closed;

    RankRemoteCalls(RemoteModule module, RemoteFunctions functions, SharedPointer memory, Lease lease, RemoteLayout layout) {
        this.module = module;
        this.memory = memory;
        this.lease = lease;
        this.maxBytes = functions.maxBytes();
        this.capacity = functions.capacity();
        this.names = List.copyOf(functions.functions().keySet());
        this.functions = new ArrayList<>(functions.functions().values());
        for (int i = 0; i < names.size(); i++) {
            numbers.put(names.get(i), i);
        }
        this.ring = new RequestRing(module.rank(), module.peers(), layout);
        this.pending = new PendingSends(ring, capacity);
        this.replies = new Replies(module.rank(), module.peers(), layout);
        ring.clear();
        module.progress().addService(this);
    }

    int rank() {
        return module.rank();
    }

    // ---- calls

    @Override
    public RemoteCall call(int target, String function, MemorySegment arguments) {
        int number = check("call", target, function, arguments);
        refuseInFunctions("call of " + function);
        module.environment().complete();
        int slot = replies.tryTake();
        if (slot < 0) {
            waitsFor = target;
            int[] taken = {-1};
            await(() -> (taken[0] = replies.tryTake()) >= 0, roomReason);
            slot = taken[0];
        }
        OpenCall made = new OpenCall(this, target, function, slot);
        try {
            deliver(target, number, slot, arguments);
        } catch (RuntimeException e) {
            replies.giveBack(slot);
            throw e;
        }
        replies.add(made);
        return made;
    }

    @Override
    public RemoteCall call(int target, String function, long... arguments) {
        return call(target, function, littleEndian(arguments));
    }

    @Override
    public void send(int target, String function, MemorySegment arguments) {
        int number = check("send", target, function, arguments);
        if (module.runs()) {
            module.gives(lease, target, 0);
            if (!pending.trySend(target, number, arguments)) {
                throw new IllegalStateException("send of " + function + " to rank " + target + " in a function of rank " + rank()
                        + ": there is no room, and " + capacity + " calls of functions wait for some; raise the capacity of "
                        + "the remote functions");
            }
            made++;
        } else {
            module.environment().complete();
            deliver(target, number, RemoteLayout.NO_REPLY, arguments);
        }
    }

    @Override
    public void send(int target, String function, long... arguments) {
        send(target, function, littleEndian(arguments));
    }

    private static MemorySegment littleEndian(long[] numbers) {
        MemorySegment bytes = MemorySegment.ofArray(new byte[numbers.length * Long.BYTES]);
        for (int i = 0; i < numbers.length; i++) {
            bytes.set(ElementType.LAYOUT_LONG, (long) i * Long.BYTES, numbers[i]);
        }
        return bytes;
    }

    private int check(String how, int target, String function, MemorySegment arguments) {
        module.environment().requireOwnThread();
        requireOpen(how);
        if (target < 0 || target >= module.ranks()) {
            throw new IndexOutOfBoundsException(how + " of " + function + ": rank out of range: target=" + target + " ranks="
                    + module.ranks());
        }
        Integer number = numbers.get(function);
        if (number == null) {
            throw new IllegalArgumentException(how + " of rank " + rank() + ": no remote function " + function + " (there are: "
                    + names + ")");
        }
        if (arguments.byteSize() > maxBytes) {
            throw new IllegalArgumentException(how + " of " + function + " by rank " + rank() + ": arguments of "
                    + arguments.byteSize() + " bytes (expected: up to " + maxBytes + ", the maxBytes of the remote functions)");
        }
        return number;
    }

    private void requireOpen(String what) {
        if (closed) {
            throw new IllegalStateException(what + " of rank " + rank() + ": the remote calls are closed");
        }
    }

    private void refuseInFunctions(String what) {
        if (module.runs()) {
            throw new IllegalStateException(what + " in a remote function of rank " + rank()
                    + ", which must not wait; send() does not");
        }
    }

    /** Sends behind what functions have sent, when there is room. */
    private void deliver(int target, int function, int reply, MemorySegment arguments) {
        module.gives(lease, target, 0);
        if (!pending.isEmpty() || !ring.trySend(target, function, reply, arguments)) {
            waitsFor = target;
            await(() -> pending.isEmpty() && ring.trySend(target, function, reply, arguments), roomReason);
        }
        made++;
    }

    private String describeRoom() {
        int late = pending.isEmpty() ? waitsFor : pending.target();
        return "remote call of rank " + rank() + ", waiting for room on rank " + late + ", which has not run "
                + ring.waiting(late) + " of " + capacity + " calls, " + replies
                + module.waiter().describe(List.of(late));
    }

    // ---- waiting

    void await(BooleanSupplier isOver, Supplier<String> reason) {
        module.environment().requireOwnThread();
        refuseInFunctions("wait for a remote call");
        requireOpen("wait for a remote call");
        module.during(() -> {
            module.waiter().begin();
            while (!isOver.getAsBoolean()) {
                module.waiter().pause(reason);
            }
        });
    }

    void poll(OpenCall call) {
        module.environment().requireOwnThread();
        module.waiter().throwIfAborted();
        if (!module.runs()) {
            module.progress().poll();
        }
    }

    /** The result of a call has come. */
    void returned(int from) {
        module.joins(lease, from, Long.BYTES * 2);
    }

    // ---- service

    @Override
    public boolean poll() {
        // In a transfer, and in its port, the rank uses what a function needs for a transfer of its own.
        if (Thread.currentThread() != owner || module.runs() || !module.progress().mayEnter()
                || module.waiter().activity().isTransferring()) {
            return false;
        }
        boolean any = pending.poll() | replies.poll();
        // A function that sends one call finds room for it.
        for (int i = 0; i < RUNS_OF_A_POLL && pending.hasRoom() && ring.poll(runner); i++) {
            any = true;
        }
        return any;
    }

    @Override
    public boolean isUrgent() {
        return false;
    }

    private void run(int function, int from, int reply, MemorySegment arguments) {
        module.joins(lease, rank(), 0);
        module.runs(true);
        module.waiter().save(outer);
        try {
            long bytes = functions.get(function).run(from, arguments, replies.result());
            if (bytes < 0 || bytes > maxBytes) {
                throw new IllegalStateException("result of " + bytes + " bytes (expected: 0.." + maxBytes
                        + ", the maxBytes of the remote functions)");
            }
            if (reply != RemoteLayout.NO_REPLY) {
                module.gives(lease, rank(), Long.BYTES * 2);
                replies.sendResult(from, reply, bytes);
            }
        } catch (Throwable e) {
            if (reply == RemoteLayout.NO_REPLY) {
                throw new PgasException("remote function " + names.get(function) + " of rank " + rank() + ", sent by rank " + from
                        + ", failed: " + e, e);
            }
            replies.sendFailure(from, reply, e);
        } finally {
            module.waiter().restore(outer);
            module.runs(false);
            run++;
        }
    }

    // ---- quiescence

    /**
     * All ranks add up how many calls they have made and run, again and again, until as many had been run in one exchange as were
     * made in the next: none can have been under way (Mattern, Distributed Computing 2, 1987).
     */
    @Override
    public void quiesce() {
        module.environment().requireOwnThread();
        refuseInFunctions("quiesce()");
        requireOpen("quiesce");
        module.environment().complete();
        module.during(() -> {
            long ranBefore = -1;
            long since = System.nanoTime();
            while (true) {
                long[] all = {made, run};
                module.words().run(QUIESCE, all, (into, from) -> {
                    into[0] += from[0];
                    into[1] += from[1];
                    return true;
                });
                if (all[0] == ranBefore) {
                    return;
                }
                long now = System.nanoTime();
                if (all[1] != ranBefore) {
                    ranBefore = all[1];
                    since = now;
                } else if (now - since > module.waiter().timeoutNs()) {
                    throw module.waiter().timeout("quiesce() of rank " + rank() + ", with " + all[1] + " of " + all[0]
                            + " remote calls run,");
                }
                module.progress().poll();
            }
        });
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        if (ExceptionalExit.isTaken()) {
            end();
            return;
        }
        quiesce();
        await(replies::isEmpty, roomReason);
        closed = true;
        end();
        module.closed(this);
        module.environment().allFree(memory);
    }

    /** Runs nothing from now on. */
    void end() {
        closed = true;
        module.progress().removeService(this);
    }
}
