package org.pgas4j.space.check;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.pgas4j.Lease;
import org.pgas4j.MemoryKind;
import org.pgas4j.OverwrittenMemoryException;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.SharedPointer;
import org.pgas4j.space.heap.SharedHeap;
import org.pgas4j.space.memory.Peers;
import org.pgas4j.space.memory.Segments;
import org.pgas4j.space.transfer.Transfers;

/**
 * Guard words and freed memory of one rank. Every rank guards its part of what all ranks allocate together; what one rank
 * allocates alone, it guards on all ranks it is on. Memory that was freed is filled and kept for a while: what was freed
 * together by each rank in the same order, so that all agree on what is given out again next.
 */
public final class FullHeapChecks extends HeapChecks {

    /** Part of a heap that freed memory is kept in. */
    private static final int KEPT_SHARE = 16;
    /** Guards of device memory are copied to the host: not at every barrier. */
    private static final int DEVICE_EVERY = 16;

    private record Guarded(Lease lease, boolean everyPart) {
    }

    /** @param freed null if another rank gives it out again */
    private record Kept(Lease lease, String origin, String end, SharedHeap.Freed freed) {
    }

    private static final class Quarantine {
        private final Deque<Kept> kept = new ArrayDeque<>();
        private long bytes;
    }

    private final int rank;
    private final int ranks;
    private final Checks checks;
    private final SharedAccess memory;
    private final Map<MemoryKind, Long> keptBytes = new EnumMap<>(MemoryKind.class);
    private final Map<MemoryKind, Quarantine> alone = new EnumMap<>(MemoryKind.class);
    private final Map<MemoryKind, Quarantine> together = new EnumMap<>(MemoryKind.class);
    private final List<Guarded> guarded = new ArrayList<>();
    private final List<Kept> due = new ArrayList<>();
    private Kept freeing;
    private boolean keeps;
    private long barriers;

    public FullHeapChecks(int rank, int ranks, SharedHeap heap, Checks checks, Peers peers, Transfers transfers,
                          Segments segments) {
        super(heap);
        this.rank = rank;
        this.ranks = ranks;
        this.checks = checks;
        this.memory = new SharedAccess(rank, ranks, peers, transfers);
        for (MemoryKind kind : MemoryKind.values()) {
            keptBytes.put(kind, segments.heapBytes(kind) / KEPT_SHARE);
            alone.put(kind, new Quarantine());
            together.put(kind, new Quarantine());
        }
    }

    // ---- allocation

    @Override
    public void allocated(Lease lease, boolean collective) {
        checks.allocated(lease, rank);
        long end = lease.start() + lease.bytes();
        int after = (int) SharedHeap.guardAfter(lease.bytes());
        eachPart(lease, !collective, part -> {
            long before = lease.start() - SharedHeap.GUARD_BEFORE;
            memory.write(lease.kind(), part, before, GuardBytes.expected(lease, part, before, (int) SharedHeap.GUARD_BEFORE));
            memory.write(lease.kind(), part, end, GuardBytes.expected(lease, part, end, after));
        });
        memory.complete();
        guarded.add(new Guarded(lease, !collective));
    }

    private interface Part {
        void on(int rank);
    }

    /** The ranks an allocation has bytes on: all of them, or this rank if it has. */
    private void eachPart(Lease lease, boolean every, Part body) {
        if (lease.rank() != Lease.EVERY_RANK) {
            if (every || lease.rank() == rank) {
                body.on(lease.rank());
            }
        } else if (every) {
            for (int part = 0; part < ranks; part++) {
                body.on(part);
            }
        } else {
            body.on(rank);
        }
    }

    @Override
    public boolean makeRoom(MemoryKind kind, long bytes, Runnable meet) {
        if (bytes > heap().stats(kind, rank).capacityBytes()) {
            return false;
        }
        boolean any = giveOut(alone.get(kind), 0);
        if (meet != null) {
            any = true; // what is kept together is the same on all ranks, what each keeps alone is not
            look(together.get(kind), 0);
            meet.run();
            release();
        }
        return any;
    }

    // ---- free

    @Override
    public void freeing(SharedPointer pointer) {
        prepare(pointer);
        if (freeing != null) {
            checkGuards(freeing.lease, true, "free", false);
        }
    }

    @Override
    public void freeingTogether(SharedPointer pointer) {
        prepare(pointer);
        if (freeing != null) {
            checkGuards(freeing.lease, false, "allFree", false);
            MemoryKind kind = pointer.kind();
            look(together.get(kind), Math.max(0, keptBytes.get(kind) - size(freeing.lease)));
        }
    }

    private void prepare(SharedPointer pointer) {
        Lease lease = PgasUnsafe.lease(pointer);
        boolean good = lease != null && lease.isLive() && lease.start() == pointer.addrField();
        freeing = good ? new Kept(lease, checks.originOf(lease), Checks.here(rank), null) : null;
        keeps = good && size(lease) <= keptBytes.get(lease.kind());
    }

    /** Bytes of one rank's segment. */
    private static long size(Lease lease) {
        return SharedHeap.GUARD_BEFORE + lease.bytes() + SharedHeap.guardAfter(lease.bytes());
    }

    @Override
    public void ended(SharedHeap.Freed freed, boolean collective) {
        if (!keeps) {
            heap().release(freed);
            return;
        }
        heap().retire(freed);
        Kept kept = new Kept(freeing.lease, freeing.origin, freeing.end, freed);
        if (collective) {
            freeing = kept;
            return;
        }
        fill(kept.lease, true);
        Quarantine all = alone.get(freed.kind());
        keep(all, kept);
        giveOut(all, keptBytes.get(freed.kind()));
    }

    @Override
    public void freedTogether() {
        release();
        if (keeps) {
            fill(freeing.lease, false);
            keep(together.get(freeing.lease.kind()), freeing);
        }
    }

    private void fill(Lease lease, boolean every) {
        eachPart(lease, every, part -> memory.fill(lease.kind(), part, lease.start(), lease.bytes(), GuardBytes.freed(lease)));
        memory.complete();
    }

    private static void keep(Quarantine all, Kept kept) {
        all.kept.add(kept);
        all.bytes += size(kept.lease);
    }

    /** Looks at what is kept alone and gives it out again, the oldest first, until {@code limit} bytes remain. */
    private boolean giveOut(Quarantine all, long limit) {
        boolean any = false;
        while (all.bytes > limit) {
            Kept oldest = next(all);
            checkFreed(oldest, true);
            heap().release(oldest.freed);
            any = true;
        }
        return any;
    }

    /** Looks at this rank's part of what is kept together, which is due to be given out when all have looked. */
    private void look(Quarantine all, long limit) {
        while (all.bytes > limit) {
            Kept oldest = next(all);
            checkFreed(oldest, false);
            due.add(oldest);
        }
    }

    private static Kept next(Quarantine all) {
        Kept oldest = all.kept.remove();
        all.bytes -= size(oldest.lease);
        return oldest;
    }

    private void release() {
        for (Kept kept : due) {
            if (kept.freed != null) {
                heap().release(kept.freed);
            }
        }
        due.clear();
    }

    // ---- looking

    /** Before this rank arrives at a barrier. */
    void atBarrier() {
        boolean device = barriers++ % DEVICE_EVERY == 0;
        guarded.removeIf(entry -> !entry.lease.isLive());
        for (Guarded entry : guarded) {
            if (device || entry.lease.kind() == MemoryKind.HOST) {
                checkGuards(entry.lease, entry.everyPart, "a barrier", true);
            }
        }
    }

    @Override
    public void atEnd() {
        barriers = 0;
        atBarrier();
        for (MemoryKind kind : MemoryKind.values()) {
            alone.get(kind).kept.forEach(kept -> checkFreed(kept, true));
            together.get(kind).kept.forEach(kept -> checkFreed(kept, false));
        }
    }

    /** @param mayEnd another rank may free it meanwhile: then there is nothing wrong with its guards */
    private void checkGuards(Lease lease, boolean every, String when, boolean mayEnd) {
        long before = lease.start() - SharedHeap.GUARD_BEFORE;
        long end = lease.start() + lease.bytes();
        eachPart(lease, every, part -> {
            String wrong = differs(lease, part, before, (int) SharedHeap.GUARD_BEFORE);
            if (wrong == null) {
                wrong = differs(lease, part, end, (int) SharedHeap.guardAfter(lease.bytes()));
            }
            if (wrong != null) {
                String origin = checks.originOf(lease);
                VarHandle.fullFence(); // the bytes were read before the look at the lease, which ends before they change hands
                if (!mayEnd || lease.isLive()) {
                    throw overwritten(lease, part, wrong, origin, "", when);
                }
            }
        });
    }

    private String differs(Lease lease, int part, long from, int bytes) {
        MemorySegment seen = memory.read(lease.kind(), part, from, bytes);
        MemorySegment expected = MemorySegment.ofArray(GuardBytes.expected(lease, part, from, bytes));
        long at = expected.mismatch(seen);
        if (at < 0) {
            return null;
        }
        long end = lease.start() + lease.bytes();
        String place = from < lease.start() ? "before its start, byte -" + (lease.start() - from - at)
                : "behind its end, byte " + (from + at - lease.start()) + " of " + (end - lease.start());
        return "guard words " + place + ", were overwritten: seen " + GuardBytes.show(seen, at, bytes) + ", expected "
                + GuardBytes.show(expected, at, bytes);
    }

    private void checkFreed(Kept kept, boolean every) {
        Lease lease = kept.lease;
        String end = ", freed by " + kept.end;
        eachPart(lease, every, part -> {
            long at = memory.mismatch(lease.kind(), part, lease.start(), lease.bytes(), GuardBytes.freed(lease));
            if (at >= 0) {
                long left = Math.min(16, lease.start() + lease.bytes() - at);
                throw overwritten(lease, part, "freed memory was written to, byte " + (at - lease.start()) + ": seen "
                        + GuardBytes.show(memory.read(lease.kind(), part, at, left), 0, left), kept.origin, end,
                        "the end of its quarantine");
            }
            String wrong = differs(lease, part, lease.start() - SharedHeap.GUARD_BEFORE, (int) SharedHeap.GUARD_BEFORE);
            if (wrong == null) {
                wrong = differs(lease, part, lease.start() + lease.bytes(), (int) SharedHeap.guardAfter(lease.bytes()));
            }
            if (wrong != null) {
                throw overwritten(lease, part, wrong, kept.origin, end, "the end of its quarantine");
            }
        });
    }

    private OverwrittenMemoryException overwritten(Lease lease, int part, String what, String origin, String end, String when) {
        return new OverwrittenMemoryException(what + "; allocation of " + lease.bytes() + " bytes, kind=" + lease.kind()
                + " rank=" + part + " offset=" + lease.start() + ", allocated by " + origin + end + "; found by "
                + Checks.here(rank) + ", at " + when + " (pgas.check=full)");
    }

    @Override
    public MemorySegment view(Lease lease, MemorySegment memory) {
        return lease == null ? memory : checks.view(lease, rank, memory);
    }
}
