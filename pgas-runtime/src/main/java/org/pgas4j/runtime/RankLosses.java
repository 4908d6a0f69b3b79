package org.pgas4j.runtime;

import java.util.ArrayList;
import java.util.List;
import org.pgas4j.MemoryKind;
import org.pgas4j.PeerLostException;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.SharedPointer;
import org.pgas4j.Team;
import org.pgas4j.bootstrap.Bootstrap;
import org.pgas4j.bootstrap.Losses.Loss;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.runtime.notify.NotifyModule;
import org.pgas4j.space.memory.Peers;
import org.pgas4j.space.sync.Arrivals;
import org.pgas4j.space.sync.Meetings;
import org.pgas4j.space.sync.Waiter;
import org.pgas4j.space.transfer.Transfers;

/** The ranks that were lost, as one rank knows them, and the team of the others. Used by the rank's thread. */
final class RankLosses {

    private final int rank;
    private final Bootstrap bootstrap;
    private final boolean goesOn;
    private final Meetings meetings;
    private final Peers peers;
    private final Transfers transfers;
    private final Waiter waiter;
    private final Arrivals arrivals;
    private final Allocator allocator;
    private final NotifyModule notify;

    /** @param goesOn true if the job goes on when a rank is lost */
    RankLosses(int rank, Bootstrap bootstrap, boolean goesOn, Meetings meetings, Peers peers, Transfers transfers, Waiter waiter,
               Arrivals arrivals, Allocator allocator, NotifyModule notify) {
        this.rank = rank;
        this.bootstrap = bootstrap;
        this.goesOn = goesOn;
        this.meetings = meetings;
        this.peers = peers;
        this.transfers = transfers;
        this.waiter = waiter;
        this.arrivals = arrivals;
        this.allocator = allocator;
        this.notify = notify;
    }

    /** Ranks that are lost; the rank knows them from now on. */
    List<Integer> lostRanks() {
        learnAll();
        List<Integer> ranks = new ArrayList<>();
        for (Loss loss : waiter.losses().known()) {
            for (int other = bootstrap.firstRank(loss.first()); other < bootstrap.firstRank(loss.end()); other++) {
                if (!ranks.contains(other)) {
                    ranks.add(other);
                }
            }
        }
        ranks.sort(null);
        return List.copyOf(ranks);
    }

    /** From now on this rank knows all losses up to now; true if there is one that it did not know. */
    private boolean learnAll() {
        List<Loss> more = waiter.losses().learnAll();
        more.forEach(loss -> loseProcesses(loss.first(), loss.end()));
        return !more.isEmpty();
    }

    private void loseProcesses(int first, int end) {
        for (int other = bootstrap.firstRank(first); other < bootstrap.firstRank(end); other++) {
            if (!peers.isLost(other)) {
                peers.lose(other);
                transfers.lose(other);
            }
        }
    }

    /** Collective over the ranks that live: their team. */
    Team survivors() {
        if (!goesOn) {
            throw new UnsupportedOperationException("survivors() of rank " + rank + ": this job ends when a rank is lost; set "
                    + "pgas.lost=event for one that goes on");
        }
        waiter.activity().enter(Phase.TEAM);
        try {
            Team team = meetSurvivors();
            waiter.activity().leave();
            return team;
        } catch (RuntimeException e) {
            throw waiter.activity().failed(e);
        }
    }

    private Team meetSurvivors() {
        arrivals.endBarrier();
        SharedPointer memory = rank == 0 ? allocator.allocate(MemoryKind.HOST, notify.splitBytes()) : null;
        long[][] shown = meetings.meet(Meetings.Purpose.SURVIVORS, memory == null ? Meetings.NOTHING : memory.words(), waiter, true);
        for (int process = 0; process < shown.length; process++) {
            if (shown[process] == null) {
                loseProcesses(process, process + 1);
            }
        }
        waiter.losses().learn(bootstrap.losses().all().stream().filter(loss -> allAreNull(shown, loss)).toList());
        if (shown[0].length == 0) {
            throw new SegmentMemoryException("survivors() of rank " + rank + ": no room for " + notify.splitBytes()
                    + " bytes in the host heap of every rank; raise pgas.heap.host");
        }
        SharedPointer part = allocator.pointer(shown[0]);
        notify.clear(part.addrField());
        meetings.meet(Meetings.Purpose.SURVIVORS, Meetings.NOTHING, waiter, true); // nobody uses the team before all have cleared theirs
        return notify.survivors(members(shown), part.addrField(), () -> allocator.free(part));
    }

    private static boolean allAreNull(long[][] shown, Loss loss) {
        for (int process = loss.first(); process < loss.end(); process++) {
            if (shown[process] != null) {
                return false;
            }
        }
        return true;
    }

    private int[] members(long[][] shown) {
        List<Integer> members = new ArrayList<>();
        for (int process = 0; process < shown.length; process++) {
            for (int other = bootstrap.firstRank(process); shown[process] != null && other < bootstrap.firstRank(process + 1);
                    other++) {
                members.add(other);
            }
        }
        return members.stream().mapToInt(Integer::intValue).toArray();
    }

    /** True if the job goes on when a rank is lost. */
    boolean goesOn() {
        return goesOn;
    }

    /** Runs the last steps of the rank's program: no loss ends them. */
    void untilNoLoss(Runnable last) {
        learnAll();
        while (true) {
            try {
                last.run();
                return;
            } catch (PeerLostException e) {
                if (!learnAll()) {
                    throw e; // no new loss: once more would end alike
                }
            }
        }
    }
}
