package org.pgas4j.testkit.random;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Set;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;
import org.pgas4j.Stream;

/**
 * The transfers of random operations that one rank has in transfer. Never two on bytes that one of them writes: the earlier
 * one is completed first, and a fence is put between those that go different ways to one memory.
 */
final class InFlightTransfers {

    private static final int SLOTS = 8;
    private static final int GUARD = 16;
    private static final int SHIFTS = 16;
    private static final byte GUARD_BYTE = (byte) 0xA5;
    private static final int USED_BYTE = 0xEE;
    /** Transfers from private memory, which is overwritten as soon as they are complete locally. */
    private static final Set<String> SOURCED = Set.of("put", "put of pieces", "accumulate");

    /** A transfer that was started, and the private memory it uses. */
    final class Transfer {
        private final MemorySegment host;
        private byte[] array;
        private Buffer device;
        private boolean active;
        private boolean get;
        private boolean write;
        private long op;
        private String what;
        private RandomOpsPlan.Form form;
        private RandomOpsPlan.Local local;
        private int shift;
        Handle handle;
        private MemoryKind kind;
        private int owner;
        private long offset;
        private long bytes;
        private MemoryKind sourceKind;
        private int sourceOwner;
        private long sourceOffset;

        Transfer() {
            host = arena.allocate(localBytes, 8);
        }

        /** Private memory from its start to {@code size} bytes; not for devices. */
        MemorySegment memory(long start, long size) {
            return (local == RandomOpsPlan.Local.HOST ? host : MemorySegment.ofArray(array())).asSlice(start, size);
        }

        Buffer block(long start, long size) {
            return local == RandomOpsPlan.Local.DEVICE ? device().slice(start, size)
                    : Buffer.ofHost(memory(start, size), ElementType.BYTE);
        }

        private byte[] array() {
            if (array == null) {
                array = new byte[(int) localBytes];
            }
            return array;
        }

        private Buffer device() {
            if (device == null) {
                device = rank.device().alloc(ElementType.BYTE, localBytes);
            }
            return device;
        }

        long start() {
            return GUARD + shift;
        }

        void fill(long start, long size, int value) {
            if (local == RandomOpsPlan.Local.DEVICE) {
                side.fill(block(start, size), value);
                side.sync();
            } else {
                memory(start, size).fill((byte) value);
            }
        }

        void write(MemorySegment from) {
            if (local == RandomOpsPlan.Local.DEVICE) {
                side.copy(block(start(), bytes), Buffer.ofHost(from, ElementType.BYTE));
                side.sync();
            } else {
                MemorySegment.copy(from, 0, memory(start(), bytes), 0, bytes);
            }
        }

        /** The private memory of a get with its guards. */
        MemorySegment read() {
            long size = bytes + 2 * GUARD;
            if (local != RandomOpsPlan.Local.DEVICE) {
                return memory(shift, size);
            }
            MemorySegment seen = scratch.asSlice(0, size);
            side.copy(Buffer.ofHost(seen, ElementType.BYTE), block(shift, size));
            side.sync();
            return seen;
        }

        String describe() {
            return what + " " + form + " local=" + local + " shift=" + shift + " bytes=" + bytes + " offset=" + offset
                    + " in " + regions.describe(kind, owner, regions.mySlot());
        }

        boolean overlaps(MemoryKind otherKind, int otherOwner, long otherOffset, long otherBytes, boolean writes) {
            return active && ((write || writes) && kind == otherKind && owner == otherOwner
                    && offset < otherOffset + otherBytes && otherOffset < offset + bytes
                    || writes && sourceKind == otherKind && sourceOwner == otherOwner
                    && sourceOffset < otherOffset + otherBytes && otherOffset < sourceOffset + bytes);
        }
    }

    /** The group of copies. */
    private static final int COPY = 2;
    private static final int ACCUMULATE = 4;

    private final Rank rank;
    private final long localBytes;
    private final RandomOpsPlan plan;
    private final RandomRegions regions;
    private final RandomMismatches mismatches;
    private final Stream side;
    private final Arena arena;
    private final MemorySegment scratch;
    private final Transfer[] transfers = new Transfer[SLOTS];
    /** True where own host and device memory reach a rank's segment of a kind on ways that only a fence orders. */
    private final boolean[][] mixed;
    /** A bit for each kind of operation that wrote there since the last fence. */
    private final int[][] unfenced;
    /** True where an accumulate may be under way: a fence orders it with all else, but other accumulates need none. */
    private final boolean[][] accumulated;
    private long gets;

    InFlightTransfers(Rank rank, long maxBytes, RandomOpsPlan plan, RandomRegions regions, RandomMismatches mismatches,
                  Stream side, Arena arena) {
        this.rank = rank;
        this.localBytes = maxBytes + 2 * GUARD + SHIFTS;
        this.plan = plan;
        this.regions = regions;
        this.mismatches = mismatches;
        this.side = side;
        this.arena = arena;
        this.scratch = arena.allocate(localBytes, 8);
        int ranks = rank.ranks();
        this.mixed = new boolean[2][ranks];
        this.unfenced = new int[2][ranks];
        this.accumulated = new boolean[2][ranks];
        for (MemoryKind kind : RandomRegions.KINDS) {
            for (int owner = 0; owner < ranks; owner++) {
                SharedPointer there = PgasUnsafe.pointer(kind, owner, ranks, 0, 0, 0, 1);
                mixed[kind.ordinal()][owner] = !channel(rank.diagnostics().route(MemoryKind.HOST, there, 1))
                        .equals(channel(rank.diagnostics().route(MemoryKind.DEVICE, there, 1)));
            }
        }
        for (int i = 0; i < transfers.length; i++) {
            transfers[i] = new Transfer();
        }
    }

    private static String channel(String route) {
        return route.startsWith("direct-") || route.equals("resident") || route.equals("local") ? "direct"
                : route.equals("fastpath") || route.equals("rendezvous") ? "messages" : route;
    }

    /** Gets that have been compared. */
    long gets() {
        return gets;
    }

    void fence() {
        rank.fence();
        for (int[] each : unfenced) {
            Arrays.fill(each, 0);
        }
        for (boolean[] each : accumulated) {
            Arrays.fill(each, false);
        }
    }

    /** Completes what the planned atomic operation must not overtake. Itself it is complete when it returns. */
    void beforeAtomic() {
        conflicts(plan.kind, plan.owner, plan.offset, plan.bytes, true);
        fence();
    }

    /**
     * Lets nothing of another kind of operation overtake or be overtaken where only a fence orders them. Nor one copy another:
     * how it goes depends on both its ends.
     */
    private void order(MemoryKind kind, int owner, int group, boolean writes) {
        if (group == ACCUMULATE ? !accumulated[kind.ordinal()][owner] : accumulated[kind.ordinal()][owner]) {
            fence();
        }
        accumulated[kind.ordinal()][owner] = group == ACCUMULATE;
        if (mixed[kind.ordinal()][owner]) {
            int inOrder = group == COPY ? 0 : 1 << group;
            if ((unfenced[kind.ordinal()][owner] & ~inOrder) != 0) {
                fence();
            }
            if (writes) {
                unfenced[kind.ordinal()][owner] |= 1 << group;
            }
        }
    }

    /** Group of the planned operation: operations of a group take the same way. Its private end decides, or its kind. */
    private int group() {
        return switch (plan.action) {
            case COPY -> COPY;
            case SET -> 3;
            case ACCUMULATE -> ACCUMULATE;
            case PUT_PIECES -> plan.local == RandomOpsPlan.Local.DEVICE ? 6 : 5;
            default -> plan.local == RandomOpsPlan.Local.DEVICE ? 1 : 0;
        };
    }

    /** Completes what the planned operation must not overtake and takes a slot for it. */
    Transfer start(String what, boolean write, long op) {
        conflicts(plan.kind, plan.owner, plan.offset, plan.bytes, write);
        order(plan.kind, plan.owner, group(), write);
        Transfer transfer = null;
        for (Transfer each : transfers) {
            if (!each.active) {
                transfer = each;
            }
        }
        if (transfer == null) {
            transfer = transfers[(int) Long.remainderUnsigned(plan.noise, transfers.length)];
            complete(transfer);
        }
        transfer.active = true;
        transfer.get = false;
        transfer.write = write;
        transfer.what = what;
        transfer.op = op;
        transfer.form = plan.form;
        transfer.local = plan.local;
        transfer.shift = plan.shift;
        transfer.handle = null;
        transfer.kind = plan.kind;
        transfer.owner = plan.owner;
        transfer.offset = plan.offset;
        transfer.bytes = plan.bytes;
        transfer.sourceKind = null;
        return transfer;
    }

    void started(Transfer transfer) {
        if (transfer.form == RandomOpsPlan.Form.BLOCKING) {
            landed(transfer);
        }
    }

    /** Starts a copy: completes what its source must not overtake either. */
    Transfer startCopy(long op) {
        conflicts(plan.sourceKind, plan.sourceOwner, plan.sourceOffset, plan.bytes, false);
        order(plan.sourceKind, plan.sourceOwner, group(), false);
        Transfer transfer = start("copy", true, op);
        transfer.sourceKind = plan.sourceKind;
        transfer.sourceOwner = plan.sourceOwner;
        transfer.sourceOffset = plan.sourceOffset;
        return transfer;
    }

    /** Starts a get into guarded memory. */
    Transfer startGet(long op) {
        Transfer transfer = start("get", false, op);
        transfer.get = true;
        transfer.fill(transfer.shift, plan.bytes + 2 * GUARD, GUARD_BYTE);
        return transfer;
    }

    private void conflicts(MemoryKind kind, int owner, long offset, long bytes, boolean writes) {
        for (Transfer transfer : transfers) {
            if (transfer.overlaps(kind, owner, offset, bytes, writes)) {
                complete(transfer);
            }
        }
    }

    private void complete(Transfer transfer) {
        boolean poll = (plan.noise >>> 60 & 3) == 0;
        switch (transfer.form) {
            case HANDLE -> {
                while (poll && !transfer.handle.trySync()) {
                    Thread.onSpinWait();
                }
                transfer.handle.sync();
                landed(transfer);
            }
            case IMPLICIT -> {
                while (poll && !rank.rma().trySyncAll()) {
                    Thread.onSpinWait();
                }
                rank.rma().syncAll();
                landed(RandomOpsPlan.Form.IMPLICIT);
            }
            default -> {
                while (poll && !rank.stream().isIdle()) {
                    Thread.onSpinWait();
                }
                rank.stream().sync();
                landed(RandomOpsPlan.Form.STREAM);
            }
        }
    }

    void completeAll() {
        for (Transfer transfer : transfers) {
            if (transfer.active) {
                complete(transfer);
            }
        }
    }

    /** Completes the gets. */
    void completeGets() {
        for (Transfer transfer : transfers) {
            if (transfer.active && transfer.get) {
                complete(transfer);
            }
        }
    }

    /** Frees private memory of the device; none may be in transfer. */
    void close() {
        for (Transfer transfer : transfers) {
            if (transfer.device != null) {
                transfer.device.close();
            }
        }
    }

    void landed(RandomOpsPlan.Form form) {
        for (Transfer transfer : transfers) {
            if (transfer.active && transfer.form == form) {
                landed(transfer);
            }
        }
    }

    private void landed(Transfer transfer) {
        transfer.active = false;
        if (transfer.get) {
            gets++;
            compareGet(transfer);
        } else if (SOURCED.contains(transfer.what)) {
            transfer.fill(transfer.start(), transfer.bytes, USED_BYTE);
        }
    }

    private void compareGet(Transfer transfer) {
        MemorySegment seen = transfer.read();
        long expected = regions.inModel(regions.mySlot(), transfer.kind, transfer.owner) + transfer.offset;
        long difference = MemorySegment.mismatch(seen, GUARD, GUARD + transfer.bytes, regions.model(), expected,
                expected + transfer.bytes);
        if (difference >= 0) {
            mismatches.add(transfer.op, transfer.describe(), difference,
                    regions.model().get(ValueLayout.JAVA_BYTE, expected + difference),
                    seen.get(ValueLayout.JAVA_BYTE, GUARD + difference));
        }
        for (long i = -GUARD; i < transfer.bytes + GUARD; i = i == -1 ? transfer.bytes : i + 1) {
            byte guard = seen.get(ValueLayout.JAVA_BYTE, GUARD + i);
            if (guard != GUARD_BYTE) {
                mismatches.add(transfer.op, "beside the memory of " + transfer.describe(), i, GUARD_BYTE, guard);
                break;
            }
        }
    }
}
