package org.pgas4j.testkit;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;
import org.pgas4j.Stream;

/**
 * The transfers of random operations that one rank has in flight. Never two on bytes that one of them writes: the earlier
 * one is completed first, and a fence is put between those that go different ways to one memory.
 */
final class RandomFlights {

    private static final int SLOTS = 8;
    private static final int GUARD = 16;
    private static final int SHIFTS = 16;
    private static final byte GUARD_BYTE = (byte) 0xA5;
    private static final int USED_BYTE = 0xEE;

    /** A transfer that was started, and the private memory it uses. */
    final class Flight {
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

        Flight() {
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

    private final Rank rank;
    private final long localBytes;
    private final RandomOpsPlan plan;
    private final RandomRegions regions;
    private final RandomMismatches mismatches;
    private final Stream side;
    private final Arena arena;
    private final MemorySegment scratch;
    private final Flight[] flights = new Flight[SLOTS];
    /** True where own host and device memory reach a rank's segment of a kind on ways that only a fence orders. */
    private final boolean[][] mixed;
    /** A bit for each kind of operation that wrote there since the last fence. */
    private final int[][] unfenced;
    private long gets;

    RandomFlights(Rank rank, long maxBytes, RandomOpsPlan plan, RandomRegions regions, RandomMismatches mismatches,
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
        for (MemoryKind kind : RandomRegions.KINDS) {
            for (int owner = 0; owner < ranks; owner++) {
                SharedPointer there = PgasUnsafe.pointer(kind, owner, ranks, 0, 0, 0, 1);
                mixed[kind.ordinal()][owner] = !channel(rank.diagnostics().route(MemoryKind.HOST, there, 1))
                        .equals(channel(rank.diagnostics().route(MemoryKind.DEVICE, there, 1)));
            }
        }
        for (int i = 0; i < flights.length; i++) {
            flights[i] = new Flight();
        }
    }

    private static String channel(String route) {
        return route.startsWith("direct-") ? "direct"
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
    }

    /**
     * Lets nothing of another kind of operation overtake or be overtaken where only a fence orders them. Nor one copy another: how
     * it goes depends on both its ends.
     */
    private void order(MemoryKind kind, int owner, int group, boolean writes) {
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

    /** What decides how the planned operation is carried: its private end, or what it is. */
    private int group() {
        return switch (plan.action) {
            case COPY -> COPY;
            case SET -> 3;
            default -> plan.local == RandomOpsPlan.Local.DEVICE ? 1 : 0;
        };
    }

    /** Completes what the planned operation must not overtake and takes a flight for it. */
    Flight start(String what, boolean write, long op) {
        conflicts(plan.kind, plan.owner, plan.offset, plan.bytes, write);
        order(plan.kind, plan.owner, group(), write);
        Flight flight = null;
        for (Flight each : flights) {
            if (!each.active) {
                flight = each;
            }
        }
        if (flight == null) {
            flight = flights[(int) Long.remainderUnsigned(plan.noise, flights.length)];
            complete(flight);
        }
        flight.active = true;
        flight.get = false;
        flight.write = write;
        flight.what = what;
        flight.op = op;
        flight.form = plan.form;
        flight.local = plan.local;
        flight.shift = plan.shift;
        flight.handle = null;
        flight.kind = plan.kind;
        flight.owner = plan.owner;
        flight.offset = plan.offset;
        flight.bytes = plan.bytes;
        flight.sourceKind = null;
        return flight;
    }

    void started(Flight flight) {
        if (flight.form == RandomOpsPlan.Form.BLOCKING) {
            landed(flight);
        }
    }

    /** Starts a copy: completes what its source must not overtake either. */
    Flight startCopy(long op) {
        conflicts(plan.sourceKind, plan.sourceOwner, plan.sourceOffset, plan.bytes, false);
        order(plan.sourceKind, plan.sourceOwner, group(), false);
        Flight flight = start("copy", true, op);
        flight.sourceKind = plan.sourceKind;
        flight.sourceOwner = plan.sourceOwner;
        flight.sourceOffset = plan.sourceOffset;
        return flight;
    }

    /** Starts a get into guarded memory. */
    Flight startGet(long op) {
        Flight flight = start("get", false, op);
        flight.get = true;
        flight.fill(flight.shift, plan.bytes + 2 * GUARD, GUARD_BYTE);
        return flight;
    }

    private void conflicts(MemoryKind kind, int owner, long offset, long bytes, boolean writes) {
        for (Flight flight : flights) {
            if (flight.overlaps(kind, owner, offset, bytes, writes)) {
                complete(flight);
            }
        }
    }

    private void complete(Flight flight) {
        boolean poll = (plan.noise >>> 60 & 3) == 0;
        switch (flight.form) {
            case HANDLE -> {
                while (poll && !flight.handle.trySync()) {
                    Thread.onSpinWait();
                }
                flight.handle.sync();
                landed(flight);
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
        for (Flight flight : flights) {
            if (flight.active) {
                complete(flight);
            }
        }
    }

    /** Completes the gets. */
    void completeGets() {
        for (Flight flight : flights) {
            if (flight.active && flight.get) {
                complete(flight);
            }
        }
    }

    /** Frees private memory of the device; none may be in flight. */
    void close() {
        for (Flight flight : flights) {
            if (flight.device != null) {
                flight.device.close();
            }
        }
    }

    void landed(RandomOpsPlan.Form form) {
        for (Flight flight : flights) {
            if (flight.active && flight.form == form) {
                landed(flight);
            }
        }
    }

    private void landed(Flight flight) {
        flight.active = false;
        if (flight.get) {
            gets++;
            compareGet(flight);
        } else if (flight.what.equals("put")) {
            flight.fill(flight.start(), flight.bytes, USED_BYTE);
        }
    }

    private void compareGet(Flight flight) {
        MemorySegment seen = flight.read();
        long expected = regions.inModel(regions.mySlot(), flight.kind, flight.owner) + flight.offset;
        long difference = MemorySegment.mismatch(seen, GUARD, GUARD + flight.bytes, regions.model(), expected,
                expected + flight.bytes);
        if (difference >= 0) {
            mismatches.add(flight.op, flight.describe(), difference,
                    regions.model().get(ValueLayout.JAVA_BYTE, expected + difference),
                    seen.get(ValueLayout.JAVA_BYTE, GUARD + difference));
        }
        for (long i = -GUARD; i < flight.bytes + GUARD; i = i == -1 ? flight.bytes : i + 1) {
            byte guard = seen.get(ValueLayout.JAVA_BYTE, GUARD + i);
            if (guard != GUARD_BYTE) {
                mismatches.add(flight.op, "beside the memory of " + flight.describe(), i, GUARD_BYTE, guard);
                break;
            }
        }
    }
}
