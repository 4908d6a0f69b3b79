package org.pgas4j.runtime.notify;

import java.util.List;
import java.util.function.Function;
import org.pgas4j.Buffer;
import org.pgas4j.Collectives;
import org.pgas4j.Notifications;
import org.pgas4j.SharedPointer;
import org.pgas4j.SourceWindow;
import org.pgas4j.Team;
import org.pgas4j.Window;
import org.pgas4j.collective.CollectiveEngine;
import org.pgas4j.collective.Group;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.os.CloseHelper;
import org.pgas4j.space.heap.SharedHeap;
import org.pgas4j.space.memory.Peers;
import org.pgas4j.space.memory.Segments;
import org.pgas4j.space.sync.Arrivals;
import org.pgas4j.space.sync.HappensBefore;
import org.pgas4j.space.sync.ScalarAllReduce;
import org.pgas4j.space.sync.Waiter;
import org.pgas4j.space.transfer.PieceTransfers;
import org.pgas4j.space.transfer.Transfers;

/** One rank's teams, windows, notifications and prepared communications. Used by its thread, except where a part says more. */
public final class NotifyModule implements AutoCloseable {

    private final Counters counters;
    private final QueuedNotifications queued;
    private final Notifier notifier;
    private final RankNotifications notifications;
    private final Puts puts;
    private final PreparedTable prepared;
    private final Teams teams;
    private final ProgressEngine progress;
    private final Waiter waiter;
    private final HappensBefore ordering;

    /**
     * @param words   the exchange of all ranks
     * @param barrier of all ranks
     * @param arrivals of the rank at what ranks do together
     * @param ordering is told of notifications
     * @param collectives of the rank
     * @param forms    makes the collective operations of a team
     * @param blocks   notifies blocks
     */
    public NotifyModule(int rank, int ranks, Peers peers, SharedHeap heap, Transfers transfers, PieceTransfers pieces,
                          ProgressEngine progress, Waiter waiter, Segments segments, Accelerator accelerator, ScalarAllReduce words, Runnable barrier,
                          Arrivals arrivals, HappensBefore ordering, CollectiveEngine collectives,
                          Function<Team, Collectives> forms, BlockNotifier blocks) {
        this.ordering = ordering;
        this.progress = progress;
        this.waiter = waiter;
        this.counters = new Counters(rank, peers.get(rank).endpoint(), segments.area());
        this.puts = new Puts(rank, transfers.routes(), segments, accelerator);
        this.queued = new QueuedNotifications(transfers.completions(), segments.area(), puts,
                () -> of(transfers.completions().stream()));
        this.notifier = new Notifier(rank, peers, transfers.completions(), progress, segments.area(), ordering, queued,
                blocks);
        this.notifications = new RankNotifications(counters, notifier, waiter, progress, ordering);
        this.prepared = new PreparedTable(puts, notifier, progress, waiter);
        this.teams = new Teams(rank, ranks, peers, waiter, segments.area(), words, barrier,
                new WindowActions(rank, ranks, heap, transfers, pieces, notifier, prepared), arrivals, collectives, forms);
    }

    /** Notifications of host code. */
    public Notifications notifications() {
        return notifications;
    }

    /** Prepared communications. */
    public PreparedTable prepared() {
        return prepared;
    }

    /** All ranks. */
    public Team world() {
        return teams.world();
    }

    /** Bytes of each rank's host heap that a split takes. */
    public long splitBytes() {
        return teams.splitBytes();
    }

    /**
     * Collective over a team of this rank.
     *
     * @param memory offset of {@link #splitBytes()} bytes in every member's host heap
     * @param free   frees that memory, by one rank
     */
    public Team split(Team of, int color, int key, long memory, Runnable free) {
        return teams.split(teams.own(of), color, key, memory, free);
    }

    /**
     * Collective over a team of this rank.
     *
     * @param members of it, which get the new team; others get null
     * @param memory  as of {@link #split}
     */
    public Team team(Team of, int[] members, long memory, Runnable free) {
        return teams.team(teams.own(of), members, memory, free);
    }

    /** Clears this rank's memory for a team: {@link #splitBytes()} bytes of its host heap. */
    public void clear(long memory) {
        teams.clear(memory);
    }

    /**
     * The team of the ranks that live.
     *
     * @param members their ranks; all have {@link #clear}ed their memory
     * @param memory  offset of it
     * @param free    frees it, by one of them
     */
    public Team survivors(int[] members, long memory, Runnable free) {
        return teams.survivors(members, memory, free);
    }

    /** A team of this rank as its collective operations see it. */
    public Group group(Team team) {
        return teams.own(team).group();
    }

    /** Collective over the team. */
    public Window createWindow(Team team, SharedPointer base, long bytes) {
        return teams.createWindow(team, base, bytes);
    }

    /** Collective over the team; over memory of the program. */
    public Window createWindow(Team team, Buffer memory, ShownMemory shown, Accelerator accelerator) {
        return teams.createWindow(team, memory, shown, accelerator);
    }

    /** Bytes of each member's host heap that a window which counts by source takes. */
    public long sourceBytes(Team team) {
        return SourceCounters.bytes(teams.own(team).ranks());
    }

    /**
     * Collective over the team.
     *
     * @param memory {@link #sourceBytes} bytes of this rank's host heap
     * @param fence  completes at their targets what this rank has sent
     * @param free   frees the memory
     */
    public SourceWindow createSourceWindow(Team team, SharedPointer base, long bytes, SharedPointer memory, Runnable fence,
                                           Runnable free) {
        return teams.createSourceWindow(team, base, bytes, memory, fence, free, notifications);
    }

    /** The puts and notifications of a stream of this rank. */
    public ProxiedStreamOps of(AcceleratorStream stream) {
        return new ProxiedStreamOps(stream, counters, puts, notifier, progress, waiter, ordering);
    }

    /**
     * Operations that a stream's device does by itself.
     *
     * @param captured the stream writes down what it is told, for a graph
     */
    public DeviceStreamOps byDevice(AcceleratorStream stream, boolean captured) {
        return new DeviceStreamOps(stream, counters, puts, ordering, waiter.timeoutNs(), captured);
    }

    @Override
    public void close() {
        CloseHelper.closeAll(List.of(notifications, prepared, queued));
    }

    /** Frees memory that the rank's own stream wrote to; it is closed. */
    public void free() {
        queued.free();
    }
}
