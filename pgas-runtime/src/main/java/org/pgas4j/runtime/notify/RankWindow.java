package org.pgas4j.runtime.notify;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.ExceptionalExit;
import org.pgas4j.Lease;
import org.pgas4j.MemoryKind;
import org.pgas4j.OwnThread;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.Pieces;
import org.pgas4j.Prepared;
import org.pgas4j.SharedPointer;
import org.pgas4j.StalePointerException;
import org.pgas4j.Team;
import org.pgas4j.Window;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.conduit.RankTable;
import org.pgas4j.fastpath.protocol.NotificationSink;
import org.pgas4j.space.transfer.Bounds;
import org.pgas4j.space.transfer.HostRoute;
import org.pgas4j.space.transfer.RmaDescriptor;
import org.pgas4j.space.transfer.RouteTable;

/** One rank's view of a window. What another member shows is read from its table at first use. */
class RankWindow implements Window {

    private static final int KIND_BITS = 8;

    private final Teams teams;
    private final RankTeam team;
    private final int slot;
    private final WindowActions actions;
    private final RankTable<Part> parts;
    private final RmaDescriptor rma = new RmaDescriptor();
    private final Thread thread = Thread.currentThread();
    private boolean closed;

    /**
     * Memory of a member.
     *
     * @param base   byte offset in the member's heap
     * @param lease  of its memory; null if the base had none
     * @param counters offset in the member's host segment of what it counts by source, or 0
     * @param direct route of the host's puts and gets if none of them is observed; else null
     */
    private record Part(MemoryKind kind, long base, long size, Lease lease, long counters, HostRoute direct) {
    }

    RankWindow(Teams teams, RankTeam team, int slot, WindowActions actions) {
        this.teams = teams;
        this.team = team;
        this.slot = slot;
        this.actions = actions;
        this.parts = new RankTable<>(team.ranks());
    }

    /**
     * First word of a member's row in the table of windows.
     *
     * @param counters offset in its host heap of what it counts by source; 0 if it counts by tag alone
     */
    static long head(MemoryKind kind, long counters) {
        return counters << KIND_BITS | kind.code() + 1L;
    }

    /** A window of this runtime. */
    static RankWindow of(Window window) {
        if (window instanceof RankWindow own) {
            return own;
        }
        throw new IllegalArgumentException("not a window of this runtime: " + window);
    }

    private Part part(int member) {
        requireOwnThread();
        requireOpen();
        if (member < 0 || member >= team.ranks()) {
            throw new IndexOutOfBoundsException("target out of range: target=" + member + " ranks=" + team.ranks());
        }
        Part part = parts.get(member);
        return part != null ? part : learn(member);
    }

    private Part learn(int member) {
        int world = team.worldRank(member);
        RouteTable routes = actions.transfers().routes();
        Endpoint endpoint = routes.peer(world).endpoint();
        long entry = team.entry(slot);
        long head = endpoint.getWordAcquire(entry);
        MemoryKind kind = MemoryKind.ofCode((head & (1L << KIND_BITS) - 1) - 1);
        long base = endpoint.getWordAcquire(entry + Long.BYTES);
        long size = endpoint.getWordAcquire(entry + 2 * Long.BYTES);
        long generation = endpoint.getWordAcquire(entry + 3 * Long.BYTES);
        Lease lease = generation == 0 ? null : actions.heap().find(kind, world, generation);
        if (generation != 0 && lease == null) {
            throw new StalePointerException(this + " of rank " + actions.rank() + ": the memory that rank " + world
                    + " showed was freed (generation " + generation + ")");
        }
        long counters = head >>> KIND_BITS;
        Part part = new Part(kind, base, size, lease, counters == 0 ? 0 : routes.peer(world).heapStart() + counters,
                kind == MemoryKind.HOST ? routes.direct(world) : null);
        parts.put(member, part);
        return part;
    }

    /** The target's part; throws if the range is not all inside of it. */
    Part check(String operation, int target, long offset, long bytes) {
        Part part = part(target);
        if (part.lease != null && !part.lease.isLive()) {
            throw Bounds.stale(operation, actions.rank(), this + " target " + target, part.lease);
        }
        if (Bounds.outside(offset, bytes, part.size)) {
            throw new IndexOutOfBoundsException(operation + " out of bounds of a window: rank=" + actions.rank() + " target="
                    + target + " offset=" + offset + " length=" + bytes + " windowBytes=" + part.size);
        }
        return part;
    }

    /** Base that a member shows the others. */
    long base(int member) {
        return part(member).base;
    }

    static void checkLocal(String operation, MemorySegment memory, long bytes) {
        if (bytes > memory.byteSize()) {
            throw new IndexOutOfBoundsException(operation + " out of bounds of local memory: length=" + bytes
                    + " memoryBytes=" + memory.byteSize());
        }
    }

    /** Number of the window in its team. */
    int slot() {
        return slot;
    }

    private void requireOwnThread() {
        OwnThread.require(thread, actions.rank(), this, "");
    }

    void requireOpen() {
        if (closed) {
            throw new IllegalStateException(this + " is closed");
        }
    }

    /** Number in the team of a rank of the job. */
    int member(int rank) {
        for (int member = 0; member < team.ranks(); member++) {
            if (team.worldRank(member) == rank) {
                return member;
            }
        }
        throw new IllegalArgumentException("rank " + rank + " is no member of the team of " + this);
    }

    int worldRank(int member) {
        return team.worldRank(member);
    }

    /** Sets a checked range of a member's part as the remote one. */
    RmaDescriptor remote(RmaDescriptor rma, int member, long offset, long bytes) {
        Part part = part(member);
        return rma.remote(team.worldRank(member), part.kind, part.base + offset, part.lease, bytes);
    }

    @Override
    public Team team() {
        return team;
    }

    @Override
    public long bytes(int target) {
        return part(target).size;
    }

    @Override
    public MemoryKind kind(int target) {
        return part(target).kind;
    }

    @Override
    public SharedPointer pointer(int target, long offset) {
        Part part = check("pointer", target, offset, 0);
        return PgasUnsafe.pointer(part.lease, part.kind, team.worldRank(target), actions.ranks(), 0, part.base + offset, 0, 1);
    }

    /** Leaves a transfer to {@link #flush()} and to what notifies behind it. */
    private void start(long token) {
        actions.transfers().completions().drop(token);
    }

    // ---- put

    @Override
    public void put(int target, long offset, MemorySegment src, long bytes) {
        Part part = check("put", target, offset, bytes);
        checkLocal("put", src, bytes);
        if (part.direct != null) {
            part.direct.put(part.base + offset, src, bytes);
        } else {
            start(actions.transfers().put(remote(rma, target, offset, bytes).local(src, 0).sourceKept(), null));
        }
    }

    @Override
    public void put(int target, long offset, Buffer src) {
        check("put", target, offset, src.bytes());
        start(actions.transfers().put(remote(rma, target, offset, src.bytes()).local("put", actions.rank(), src).sourceKept(),
                null));
    }

    @Override
    public void putNotify(int target, long offset, MemorySegment src, long bytes, int tag) {
        Counters.checkTag(tag);
        put(target, offset, src, bytes);
        countAt(target, tag);
    }

    @Override
    public void putNotify(int target, long offset, Buffer src, int tag) {
        Counters.checkTag(tag);
        put(target, offset, src);
        countAt(target, tag);
    }

    @Override
    public void putNotifySet(int target, long offset, Buffer src, int tag, long value) {
        Counters.checkTag(tag);
        RankNotifications.checkValue(tag, value);
        put(target, offset, src);
        actions.notifier().signal(team.worldRank(target), tag, NotificationSink.VALUE, value);
    }

    @Override
    public void put(int target, long offset, Buffer src, Pieces pieces) {
        check("put", target, offset, pieces.dstExtent());
        actions.pieces().put(pointer(target, offset), src, pieces);
    }

    @Override
    public void putNotify(int target, long offset, Buffer src, Pieces pieces, int tag) {
        Counters.checkTag(tag);
        put(target, offset, src, pieces);
        countAt(target, tag);
    }

    // ---- get

    @Override
    public void get(Buffer dst, int target, long offset, Pieces pieces) {
        check("get", target, offset, pieces.srcExtent());
        actions.pieces().get(dst, pointer(target, offset), pieces);
    }

    @Override
    public void get(MemorySegment dst, int target, long offset, long bytes) {
        Part part = check("get", target, offset, bytes);
        checkLocal("get", dst, bytes);
        if (part.direct != null) {
            part.direct.get(dst, part.base + offset, bytes);
        } else {
            start(actions.transfers().get(remote(rma, target, offset, bytes).local(dst, 0), null));
        }
    }

    @Override
    public void get(Buffer dst, int target, long offset) {
        check("get", target, offset, dst.bytes());
        start(actions.transfers().get(remote(rma, target, offset, dst.bytes()).local("get", actions.rank(), dst), null));
    }

    @Override
    public void getNotify(Buffer dst, int target, long offset, int tag) {
        Counters.checkTag(tag);
        get(dst, target, offset);
        countAt(target, tag);
    }

    // ---- notifications and completion

    /** Adds one to what the target counts of a tag, by source or not, after everything started before to it. */
    private void countAt(int target, int tag) {
        long word = counterOf(target, tag);
        if (word == 0) {
            actions.notifier().signal(team.worldRank(target), tag, NotificationSink.COUNTER, 1);
        } else {
            actions.notifier().signal(team.worldRank(target), tag, NotificationSink.WORD, word);
        }
    }

    /** Offset in the target's host segment of its counter for this rank and a tag; 0 if it counts by tag alone. */
    private long counterOf(int target, int tag) {
        long counters = part(target).counters;
        return counters == 0 ? 0 : counters + SourceCounters.offset(team.rank(), tag);
    }

    /** Adds a counted notification of this window to a put. */
    void describeNotification(Descriptor into, int target, int tag) {
        long word = counterOf(target, tag);
        if (word == 0) {
            into.counted(tag);
        } else {
            into.notification(tag, NotificationSink.WORD, word);
        }
    }

    @Override
    public void signal(int target, int tag) {
        Counters.checkTag(tag);
        part(target);
        countAt(target, tag);
    }

    @Override
    public void flush(int target) {
        part(target);
        actions.transfers().completions().completeAll();
    }

    @Override
    public void flush() {
        requireOwnThread();
        actions.transfers().completions().completeAll();
    }

    @Override
    public Prepared preparePutNotify(int target, long offset, Buffer src, int tag) {
        Counters.checkTag(tag);
        check("preparePutNotify", target, offset, src.bytes());
        return actions.prepared().putNotify(this, target, offset, src, tag);
    }

    @Override
    public Prepared prepareSignal(int target, int tag) {
        Counters.checkTag(tag);
        part(target);
        return actions.prepared().signal(this, target, tag);
    }

    /** True if this rank has left an operation of the team before its end. */
    boolean isGivenUp() {
        return team.isGivenUp();
    }

    @Override
    public void close() {
        requireOwnThread();
        if (!closed) {
            closed = true;
            if (ExceptionalExit.isTaken() || isGivenUp()) {
                team.leave(slot);
            } else {
                teams.closeWindow(team, slot);
            }
        }
    }

    @Override
    public String toString() {
        return "Window[" + slot + " of " + team + "]";
    }
}
