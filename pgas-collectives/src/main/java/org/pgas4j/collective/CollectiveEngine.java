package org.pgas4j.collective;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.pgas4j.Handle;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.bootstrap.watch.Activity;
import org.pgas4j.device.Accelerator;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.space.memory.Peers;
import org.pgas4j.space.sync.Arrivals;
import org.pgas4j.space.sync.ScalarAllReduce;
import org.pgas4j.space.sync.Waiter;
import org.pgas4j.space.transfer.Transfers;

/**
 * Runs one rank's collective operations: those of a team one after the other, those of different teams side by side.
 * Operations that were started go on when their handles are used, before the next blocking one of the team, and while the
 * rank waits for anything else. Used by the rank's thread.
 */
public final class CollectiveEngine implements AutoCloseable {

    private final Thread owner = Thread.currentThread();
    private final Peers peers;
    private final Transfers transfers;
    private final ScalarAllReduce words;
    private final Waiter waiter;
    private final Arrivals arrivals;
    private final ProgressEngine progress;
    private final MemberAccess access;
    private final List<Group> active = new ArrayList<>();
    private final ProgressEngine.Service service = new ProgressEngine.Service() {
        @Override
        public boolean poll() {
            // In its port, or in a step of the work, the rank has what another step would need.
            return Thread.currentThread() == owner && progress.mayEnter() && !access.isWorking() && pollAll();
        }

        @Override
        public boolean isUrgent() {
            return false;
        }
    };
    private final StreamSetup setup;
    private boolean isServed;
    private StageMemory stage;

    /** @param words the exchange of all ranks */
    public CollectiveEngine(int rank, Peers peers, Transfers transfers, ScalarAllReduce words, Waiter waiter, Arrivals arrivals,
                            ProgressEngine progress, Accelerator accelerator) {
        this.peers = peers;
        this.transfers = transfers;
        this.words = words;
        this.waiter = waiter;
        this.arrivals = arrivals;
        this.progress = progress;
        this.access = new MemberAccess(rank, peers, transfers, accelerator);
        this.setup = new StreamSetup(accelerator);
    }

    /** Sets what allocates memory through which private memory is copied. */
    public void stage(StageMemory memory) {
        stage = memory;
    }

    /** Sets what makes functions of the program run on devices; without it they run on the host. */
    public void translator(DeviceFunction.Translator functions) {
        access.translator(functions);
    }

    /**
     * Makes a team able to do collective operations.
     *
     * @param members their ranks in the job; null if they are all of them, in their order
     * @param exposed offset of a line of {@link org.pgas4j.space.memory.ControlArea#LINE} bytes in every member's host
     *        segment
     */
    public Group group(int index, int size, int[] members, ScalarAllReduce exchange, long exposed) {
        Group group = new Group(index, size, members, peers, exchange, exposed);
        exchange.completeBefore(() -> complete(group));
        return group;
    }

    /** Gives back a team's memory through which private memory is copied, when no member uses it any more. */
    public void close(Group group) {
        group.takeStages().forEach(memory -> stage.free(memory)); // without stages there may be nothing that frees
    }

    /** Calls of a team. */
    public CollectiveForms forms(Group group) {
        return new CollectiveForms(group, access);
    }

    /** True if the device of this rank reaches the memory of all members by itself. */
    public boolean devicesReach(Group group) {
        return access.devicesReach(group);
    }

    /** Bytes of every member's host heap for {@link #queued}. */
    public long queuedBytes(Group group) {
        return QueuedCollectives.hostBytes(group);
    }

    /** True if another member is a thread of this JVM. */
    public boolean sharesProcess(Group group) {
        for (int i = 1; i < group.size(); i++) {
            if (peers.get(group.world(group.after(i))).sameProcess()) {
                return true;
            }
        }
        return false;
    }

    /** Choice of the forms of operations on streams. */
    public StreamSetup streamSetup() {
        return setup;
    }

    /**
     * Operations of a team on streams.
     *
     * @param words offset of {@link #queuedBytes} bytes in every member's host heap
     * @param setup what the members have agreed on
     */
    public QueuedCollectives queued(Group group, long words, StreamSetup.Agreed setup) {
        DeviceArea area = setup.blocks() == 0 ? null
                : new DeviceArea(access, group, setup.area(), setup.blocks(), setup.pushing());
        // A rank that waits for its stream is late first, which says more.
        long limitNs = 2 * Math.min(waiter.timeoutNs(), Long.MAX_VALUE / 4);
        return new QueuedCollectives(forms(group), group, access, words, setup.forms(), area, setup.directBlocks(), limitNs);
    }

    MemberAccess access() {
        return access;
    }

    /** Runs {@code operation} under {@code phase} on the status board. */
    public void during(Phase phase, Runnable operation) {
        if (phase.isCollective()) {
            arrivals.requireOwnThread(phase.text());
        }
        Activity activity = waiter.activity();
        activity.enter(phase);
        try {
            operation.run();
        } catch (RuntimeException e) {
            throw activity.failed(e);
        }
        activity.leave();
    }

    /** Does an operation of a team, after those that were started before. */
    public void run(Group group, Phase phase, Supplier<CollectiveOperation> operation) {
        during(group.isPart() ? Phase.TEAM : phase, () -> transfers.unobserved(() -> {
            arrivals.requireCollective(phase.text());
            group.words().requireOpen(phase.text());
            CollectiveOperation made = operation.get();
            complete(group);
            group.tryAdvance();
            try {
                made.advance(true, stage);
            } finally {
                group.endAdvance();
            }
        }));
    }

    // ---- operations that are not waited for

    /** Starts an operation of a team behind those that were started before. */
    public Handle start(Group group, Phase phase, Supplier<CollectiveOperation> operation) {
        CollectiveOperation[] made = new CollectiveOperation[1];
        during(group.isPart() ? Phase.TEAM : phase, () -> {
            arrivals.requireCollective(phase.text());
            group.words().requireOpen(phase.text());
            made[0] = operation.get();
            made[0].started();
            if (!isServed) {
                isServed = true;
                progress.addService(service);
            }
            if (group.pending().isEmpty()) {
                active.add(group);
            }
            group.pending().add(made[0]);
            poll(group);
        });
        return handle(group, made[0]);
    }

    private Handle handle(Group group, CollectiveOperation operation) {
        return new Handle() {
            @Override
            public void sync() {
                arrivals.requireOwnThread("a collective operation");
                if (!operation.isDone()) {
                    during(Phase.TEAM, () -> completeUntil(group, operation));
                }
                rethrow();
            }

            @Override
            public boolean trySync() {
                arrivals.requireOwnThread("a collective operation");
                if (!operation.isDone()) {
                    waiter.throwIfAborted();
                    progress.poll();
                    poll(group);
                }
                rethrow();
                return operation.isDone();
            }

            private void rethrow() {
                if (operation.failure() != null) {
                    throw operation.failure();
                }
            }
        };
    }

    private boolean pollAll() {
        boolean any = false;
        for (int i = active.size() - 1; i >= 0; i--) {
            any |= poll(active.get(i));
        }
        return any;
    }

    /** Goes on with a team's operations as far as possible without waiting; true if one was completed. */
    private boolean poll(Group group) {
        return advance(group, false, null);
    }

    private void complete(Group group) {
        if (!group.pending().isEmpty()) {
            completeUntil(group, null);
        }
    }

    /** @param last the operation that is wanted; null for all */
    private void completeUntil(Group group, CollectiveOperation last) {
        advance(group, true, last);
    }

    private boolean advance(Group group, boolean wait, CollectiveOperation last) {
        if (group.pending().isEmpty() || !group.tryAdvance()) {
            return false;
        }
        boolean[] any = new boolean[1];
        try {
            transfers.unobserved(() -> any[0] = advanceAll(group, wait, last));
        } finally {
            group.endAdvance();
        }
        if (group.pending().isEmpty()) {
            active.remove(group);
        }
        return any[0];
    }

    private boolean advanceAll(Group group, boolean wait, CollectiveOperation last) {
        boolean any = false;
        while (!group.pending().isEmpty() && (last == null || !last.isDone())) {
            CollectiveOperation operation = group.pending().peek();
            try {
                if (!operation.advance(wait, stage)) {
                    return any;
                }
                group.pending().remove();
                any = true;
            } catch (RuntimeException e) {
                // The members have no common order any more: nothing that follows can be done.
                group.pending().forEach(each -> each.fail(e));
                group.pending().clear();
                return true;
            }
        }
        return any;
    }

    // ---- words

    /** See {@link ScalarAllReduce#requireSame}. */
    public void requireSame(String call, Supplier<String> details, long... values) {
        words.requireSame(call, details, values);
    }

    /** The words of one rank, on all. */
    public void broadcastWords(int root, long[] values) {
        words.broadcast(root, values);
    }

    @Override
    public void close() {
        if (isServed) {
            progress.removeService(service);
        }
        access.close();
    }
}
