package org.pgas4j.runtime.notify;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Comparator;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.pgas4j.Buffer;
import org.pgas4j.Collectives;
import org.pgas4j.DeviceException;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasException;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.SharedPointer;
import org.pgas4j.SourceWindow;
import org.pgas4j.StalePointerException;
import org.pgas4j.Team;
import org.pgas4j.Window;
import org.pgas4j.collective.CollectiveEngine;
import org.pgas4j.collective.Group;
import org.pgas4j.device.Accelerator;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.space.memory.ControlArea;
import org.pgas4j.space.memory.Peer;
import org.pgas4j.space.memory.Peers;
import org.pgas4j.space.sync.Arrivals;
import org.pgas4j.space.sync.Call;
import org.pgas4j.space.sync.ScalarAllReduce;
import org.pgas4j.space.sync.Waiter;
import org.pgas4j.space.transfer.Bounds;
import org.pgas4j.space.transfer.OpenBlocks;

/** Makes one rank's teams and windows. Used by its thread. */
final class Teams {

    private static final Call BARRIER = new Call("barrier() of a team", 0);
    private static final String CREATE = "createWindow(), window %d of the team";
    private static final String CLOSE = "close() of window %d of the team";
    private static final long[] NO_WORDS = {};
    private static final Thread ANY_THREAD = Thread.ofVirtual().unstarted(() -> { });

    private final int rank;
    private final Peers peers;
    private final Waiter waiter;
    private final ControlArea area;
    private final WindowActions actions;
    private final Arrivals arrivals;
    private final CollectiveEngine collectives;
    private final Function<Team, Collectives> forms;
    private final RankTeam world;

    /**
     * @param words   the exchange of all ranks
     * @param barrier of all ranks
     * @param forms   makes the collective operations of a team
     */
    Teams(int rank, int ranks, Peers peers, Waiter waiter, ControlArea area, ScalarAllReduce words, Runnable barrier,
          WindowActions actions, Arrivals arrivals, CollectiveEngine collectives, Function<Team, Collectives> forms) {
        this.arrivals = arrivals;
        this.collectives = collectives;
        this.forms = forms;
        this.rank = rank;
        this.peers = peers;
        this.waiter = waiter;
        this.area = area;
        this.actions = actions;
        this.world = new RankTeam(this, rank, ranks, null, words, collectives.group(rank, ranks, null, words, area.exposed()),
                area.windows(), barrier, forms, null);
    }

    RankTeam world() {
        return world;
    }

    /**
     * Bytes of each rank's host heap that a split takes: colour, key and ranks that have left, words, windows, given memory, slots.
     */
    long splitBytes() {
        return 2 * ControlArea.LINE + area.exchangeBytes() + ControlArea.WINDOW_TABLE_BYTES + area.teamSlotsBytes();
    }

    RankTeam own(Team team) {
        if (!(team instanceof RankTeam own) || own.owner() != this) {
            throw new IllegalArgumentException("not a team of rank " + rank + ": " + team);
        }
        return own;
    }

    /**
     * Collective over a team: the team of its members with the same colour, in the order of their keys.
     *
     * @param memory offset of {@link #splitBytes()} bytes in every member's host heap
     * @param free   frees that memory, by one rank
     */
    RankTeam split(RankTeam of, int color, int key, long memory, Runnable free) {
        long base = show(of, memory, Integer.toUnsignedLong(color) | (long) key << Integer.SIZE);
        long[] shown = new long[of.ranks()];
        Arrays.setAll(shown, member -> peers.get(of.worldRank(member)).endpoint().getWordAcquire(base));
        int[] members = IntStream.range(0, of.ranks()).filter(member -> (int) shown[member] == color).boxed()
                .sorted(Comparator.comparingInt(member -> (int) (shown[member] >> Integer.SIZE))) // stable
                .mapToInt(of::worldRank).toArray();
        return make(members, base, sharing(of, base, free));
    }

    /**
     * Collective over a team: the team of some of its members, null for the others.
     *
     * @param members their numbers in {@code of}, the same on all ranks
     * @param memory  as of {@link #split}
     */
    RankTeam team(RankTeam of, int[] members, long memory, Runnable free) {
        long base = show(of, memory, 0);
        SplitMemory shared = sharing(of, base, free);
        if (Arrays.stream(members).noneMatch(member -> member == of.rank())) {
            shared.leave();
            return null;
        }
        return make(Arrays.stream(members).map(of::worldRank).toArray(), base, shared);
    }

    /** The team of the ranks that live; see {@link NotifyModule#survivors}. */
    RankTeam survivors(int[] members, long memory, Runnable free) {
        Peer self = peers.get(rank);
        long base = self.heapStart() + memory;
        return make(members, base, new SplitMemory(peers.get(members[0]).endpoint(), base + Long.BYTES, members.length, free));
    }

    /** Clears this rank's memory for a team and shows a word in it; returns its offset when all have. */
    private long show(RankTeam of, long memory, long word) {
        long base = clear(memory);
        peers.get(rank).endpoint().putWordRelease(base, word);
        of.barrier();
        return base;
    }

    /** Clears this rank's memory for a team; returns its offset in the segment. */
    long clear(long memory) {
        Peer self = peers.get(rank);
        long base = self.heapStart() + memory;
        self.endpoint().mapped().asSlice(base, splitBytes()).fill((byte) 0);
        return base;
    }

    private SplitMemory sharing(RankTeam of, long base, Runnable free) {
        return new SplitMemory(peers.get(of.worldRank(0)).endpoint(), base + Long.BYTES, of.ranks(), free);
    }

    /** @param members ranks of the job, this one among them */
    private RankTeam make(int[] members, long base, SplitMemory shared) {
        int index = IntStream.range(0, members.length).filter(member -> members[member] == rank).findFirst().orElseThrow();
        long exchange = base + ControlArea.LINE;
        long windows = exchange + area.exchangeBytes();
        long exposed = windows + ControlArea.WINDOW_TABLE_BYTES;
        ScalarAllReduce words = new ScalarAllReduce(index, members, peers, waiter, area, exchange, exposed + ControlArea.LINE,
                arrivals);
        Group group = collectives.group(index, members.length, members, words, exposed);
        return new RankTeam(this, index, members.length, members, words, group, windows,
                () -> words.run(BARRIER, NO_WORDS, (into, from) -> true), forms, () -> {
            collectives.close(group);
            shared.leave();
        });
    }

    // ---- windows

    Window createWindow(Team team, SharedPointer base, long bytes) {
        RankTeam own = own(team);
        return new RankWindow(this, own, announce(own, base, bytes, 0), actions);
    }

    /**
     * As {@link #createWindow}, over memory of the program.
     *
     * @param accelerator of this rank; checks device memory
     */
    Window createWindow(Team team, Buffer memory, ShownMemory shown, Accelerator accelerator) {
        RankTeam own = own(team);
        RuntimeException refused = check(own, memory, accelerator);
        long number = refused == null ? shown.add(memory) : 0;
        boolean made = false;
        try {
            int slot = announce(own, refused,
                    () -> new long[] {RankWindow.head(memory.kind(), 0), number, memory.bytes(), 0});
            made = true;
            return new ProgramWindow(this, own, slot, actions, shown, number);
        } finally {
            if (!made) {
                shown.remove(number);
            }
        }
    }

    /**
     * As {@link #createWindow}, of a window that counts by source.
     *
     * @param memory {@link SourceCounters#bytes} bytes of this rank's host heap
     * @param fence  completes at their targets what this rank has sent
     * @param free   frees the memory
     */
    SourceWindow createSourceWindow(Team team, SharedPointer base, long bytes, SharedPointer memory, Runnable fence,
                                    Runnable free, RankNotifications notifications) {
        RankTeam own = own(team);
        Peer self = peers.get(rank);
        long start = self.heapStart() + memory.addrField();
        self.endpoint().mapped().asSlice(start, SourceCounters.bytes(own.ranks())).fill((byte) 0);
        int slot = announce(own, base, bytes, memory.addrField());
        SourceCounters sourced = new SourceCounters(own.ranks(), self.endpoint(), start);
        return new RankSourceWindow(this, own, slot, actions, sourced, notifications, fence, free);
    }

    private int announce(RankTeam own, SharedPointer base, long bytes, long counters) {
        return announce(own, check(base, bytes), () ->
                new long[] {RankWindow.head(base.kind(), counters), base.addrField(), bytes, base.generation()});
    }

    /**
     * Shows this rank's part to the others; the window's number.
     *
     * @param refused why this rank shows none, or null
     * @param row     of the table of windows
     */
    private int announce(RankTeam own, RuntimeException refused, Supplier<long[]> row) {
        own.words().requireOpen("createWindow");
        int slot = own.freeSlot();
        if (refused == null) {
            Endpoint mine = peers.get(rank).endpoint();
            long entry = own.entry(slot);
            long[] words = row.get();
            for (int word = words.length - 1; word >= 0; word--) { // the head last
                mine.putWordRelease(entry + (long) word * Long.BYTES, words[word]);
            }
        }
        long who = meet(own, CREATE, slot, refused != null);
        if (who >= 0) {
            throw refused != null ? refused : new PgasException("createWindow of rank " + rank + ": rank " + who
                    + " gave a part that is not its own or does not fit");
        }
        own.take(slot);
        return slot;
    }

    private RuntimeException check(SharedPointer base, long bytes) {
        if (base == null) {
            return new NullPointerException("createWindow of rank " + rank + ": base is null");
        }
        if (base.rank() != rank) {
            return new IllegalArgumentException("createWindow of rank " + rank + ": " + base + " has affinity to rank "
                    + base.rank());
        }
        Peer self = peers.get(rank);
        long size = base.kind() == MemoryKind.HOST ? self.hostBytes() : self.deviceBytes();
        return Bounds.refuses(base, bytes, size) ? Bounds.shared("createWindow", rank, base, bytes, size) : null;
    }

    private RuntimeException check(RankTeam team, Buffer memory, Accelerator accelerator) {
        String what = "createWindow of rank " + rank + " over memory of the program: ";
        if (memory == null) {
            return new NullPointerException(what + "it is null");
        }
        boolean onDevice = memory.kind() == MemoryKind.DEVICE;
        RuntimeException refused = onDevice ? checkDevice(what, memory, accelerator) : checkHost(what, memory.segment());
        for (int member = 0; member < team.ranks() && refused == null; member++) {
            int other = team.worldRank(member);
            if (other != rank && !peers.get(other).sameProcess()) {
                refused = new UnsupportedOperationException(what + "rank " + other + " is of another process, which cannot reach"
                        + " it; show memory of rank.alloc, or start the ranks in one JVM (pgasrun without --processes)");
            } else if (onDevice && peers.get(other).device() == null) {
                refused = new UnsupportedOperationException(what + "the devices of this rank and of rank " + other
                        + " do not reach each other's memory; show memory of rank.alloc");
            }
        }
        return refused;
    }

    private static RuntimeException checkHost(String what, MemorySegment memory) {
        if (!memory.isReadOnly() && memory.isAccessibleBy(ANY_THREAD)) {
            return null;
        }
        return new IllegalArgumentException(what + memory + (memory.isReadOnly() ? " is read-only"
                : " belongs to one thread") + " (expected: a Java array, or memory of a shared, automatic or global arena)");
    }

    private RuntimeException checkDevice(String what, Buffer memory, Accelerator accelerator) {
        try {
            OpenBlocks.require("createWindow", rank, memory);
            accelerator.requireOwn(PgasUnsafe.address(memory), memory.bytes());
            return null;
        } catch (IllegalArgumentException e) {
            return new IllegalArgumentException(what + e.getMessage(), e);
        } catch (DeviceException | StalePointerException e) {
            return e;
        }
    }

    /** The members come together; the lowest rank that refuses, or -1. */
    private long meet(RankTeam team, String what, int slot, boolean refuses) {
        long[] words = {refuses ? rank : -1};
        team.words().run(new Call(what, slot), words, (into, from) -> {
            if (from[0] >= 0 && (into[0] < 0 || from[0] < into[0])) {
                into[0] = from[0];
            }
            return true;
        });
        team.met();
        return words[0];
    }

    void closeWindow(RankTeam team, int slot) {
        meet(team, CLOSE, slot, false);
        team.giveBack(slot);
    }
}
