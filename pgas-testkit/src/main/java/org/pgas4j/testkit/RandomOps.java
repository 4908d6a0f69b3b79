package org.pgas4j.testkit;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import org.pgas4j.Block;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.Kind;
import org.pgas4j.PgasException;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.Stream;
import org.pgas4j.UsageException;

/**
 * Random operations against a sequential model. Every rank's segment of each kind has one region for each slot; in an
 * epoch a slot belongs to one rank, which alone writes and reads its regions on all ranks. So what is in them follows
 * from that rank's operations in program order, and a get must return it at once. A barrier ends the epoch, the slots
 * move on by one rank, and whole regions are compared, by turns by the rank that owns the memory and by the one that
 * writes next. All ranks keep a model of all regions: they repeat the others' operations from the seed.
 *
 * <p>A rank never has two operations in flight on bytes that one of them writes; it completes the earlier one first, and
 * puts a fence between those that go different ways to one memory.
 */
final class RandomOps {

    private static final int SLOTS_IN_FLIGHT = 8;
    private static final int GUARD = 16;
    private static final int SHIFTS = 16;
    private static final byte GUARD_BYTE = (byte) 0xA5;
    private static final int USED_BYTE = 0xEE;
    private static final int MOVE_EVERY = 16;
    private static final int MISMATCHES_PRINTED = 8;
    private static final int OWN_BLOCKS = 4;
    static final long OWN_BLOCK_BYTES = 4096;
    private static final long OTHER_HEAP_BYTES = 1 << 20;
    private static final long REPORT_NS = 60_000_000_000L;
    private static final Kind[] KINDS = Kind.values();

    /** A transfer that was started, and the private memory it uses. */
    private final class Flight {
        private final MemorySegment host;
        private byte[] array;
        private Block device;
        private boolean active;
        private boolean get;
        private boolean write;
        private long op;
        private String what;
        private RandomOpsPlan.Form form;
        private RandomOpsPlan.Local local;
        private int shift;
        private Handle handle;
        private Kind kind;
        private int owner;
        private long offset;
        private long bytes;
        private Kind sourceKind;
        private int sourceOwner;
        private long sourceOffset;

        Flight() {
            host = arena.allocate(localBytes, 8);
        }

        /** Private memory from its start to {@code size} bytes; not for devices. */
        MemorySegment memory(long start, long size) {
            return (local == RandomOpsPlan.Local.HOST ? host : MemorySegment.ofArray(array())).asSlice(start, size);
        }

        Block block(long start, long size) {
            return local == RandomOpsPlan.Local.DEVICE ? device().slice(start, size)
                    : Block.ofHost(memory(start, size), ElementType.BYTE);
        }

        private byte[] array() {
            if (array == null) {
                array = new byte[(int) localBytes];
            }
            return array;
        }

        private Block device() {
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
                side.copy(block(start(), bytes), Block.ofHost(from, ElementType.BYTE));
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
            side.copy(Block.ofHost(seen, ElementType.BYTE), block(shift, size));
            side.sync();
            return seen;
        }

        String describe() {
            return what + " " + form + " local=" + local + " shift=" + shift + " bytes=" + bytes + " offset=" + offset
                    + " in " + RandomOps.this.describe(kind, owner, slotOf(me));
        }

        boolean overlaps(Kind otherKind, int otherOwner, long otherOffset, long otherBytes, boolean writes) {
            return active && ((write || writes) && kind == otherKind && owner == otherOwner
                    && offset < otherOffset + otherBytes && otherOffset < offset + bytes
                    || writes && sourceKind == otherKind && sourceOwner == otherOwner
                    && sourceOffset < otherOffset + otherBytes && otherOffset < sourceOffset + bytes);
        }
    }

    /** Memory this rank allocated alone: its blocks are dealt to the ranks in turn, nobody else knows them. */
    private record Own(SharedPointer pointer, Kind kind, int blocks, long blockBytes, MemorySegment model,
                       Arena memory) {
    }

    private final Rank rank;
    private final int me;
    private final int ranks;
    private final long seed;
    private final long opsEach;
    private final long lastEpoch;
    private final long regionBytes;
    private final long localBytes;
    private final RandomOpsPlan plan;
    private final Stream side;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment pool;
    private final MemorySegment model;
    private final MemorySegment scratch;
    private final MemorySegment seenRegion;
    private final Flight[] flights = new Flight[SLOTS_IN_FLIGHT];
    private final SharedPointer[] regions = new SharedPointer[2];
    private final List<Own> owns = new ArrayList<>();
    private SharedPointer spacer;
    /** True where own host and device memory reach a rank's segment of a kind on ways that only a fence orders. */
    private final boolean[][] mixed;
    /** A bit for each kind of operation that wrote there since the last fence. */
    private final int[][] unfenced;
    private long epoch;
    private long op;
    private long done;
    private long gets;
    private long comparedRegions;
    private long mismatches;

    /**
     * @param ops       operations of all ranks
     * @param lastEpoch ends after this epoch at the latest
     */
    RandomOps(Rank rank, long ops, long seed, long maxBytes, long[] edges, long lastEpoch) {
        this.rank = rank;
        this.me = rank.rank();
        this.ranks = rank.ranks();
        this.seed = seed;
        this.opsEach = Math.ceilDiv(ops, (long) ranks);
        this.lastEpoch = lastEpoch;
        this.regionBytes = Math.max(1 << 16, (maxBytes + 8191) / 4096 * 4096);
        this.localBytes = maxBytes + 2 * GUARD + SHIFTS;
        for (Kind kind : KINDS) {
            long needed = ranks * regionBytes + OTHER_HEAP_BYTES;
            if (rank.heap(kind).capacityBytes() < needed) {
                throw new UsageException("random operations of up to " + maxBytes + " bytes on " + ranks
                        + " ranks need " + needed + " bytes of " + kind + " heap, there are "
                        + rank.heap(kind).capacityBytes()
                        + "; use smaller --max-bytes or larger pgas.heap.host and pgas.heap.device");
            }
        }
        this.mixed = new boolean[2][ranks];
        this.unfenced = new int[2][ranks];
        for (Kind kind : KINDS) {
            for (int owner = 0; owner < ranks; owner++) {
                SharedPointer there = PgasUnsafe.pointer(kind, owner, ranks, 0, 0, 0, 1);
                mixed[kind.ordinal()][owner] = !channel(rank.route(Kind.HOST, there, 1))
                        .equals(channel(rank.route(Kind.DEVICE, there, 1)));
            }
        }
        this.plan = new RandomOpsPlan(seed, ranks, regionBytes, maxBytes, edges);
        this.side = rank.device().newStream();
        this.pool = arena.allocate(2 * regionBytes, 8);
        for (long i = 0; i < pool.byteSize(); i += Long.BYTES) {
            pool.set(ValueLayout.JAVA_LONG, i, RandomOpsPlan.mix(seed + i));
        }
        this.model = arena.allocate(2L * ranks * ranks * regionBytes, 8);
        this.scratch = arena.allocate(localBytes, 8);
        this.seenRegion = arena.allocate(regionBytes, 8);
        for (int i = 0; i < flights.length; i++) {
            flights[i] = new Flight();
        }
    }

    private static String channel(String route) {
        return route.startsWith("direct-") ? "direct"
                : route.equals("fastpath") || route.equals("rendezvous") ? "messages" : route;
    }

    /** Collective: runs everything and fails at the end of the first epoch with a mismatch. */
    void run() {
        long[] used = {rank.heap(Kind.HOST).usedBytes(), rank.heap(Kind.DEVICE).usedBytes()};
        rank.barrier();
        long start = System.nanoTime();
        long report = start + REPORT_NS;
        for (epoch = 0; done < opsEach && epoch <= lastEpoch; epoch++) {
            if (epoch == 0 || Long.remainderUnsigned(plan.mixed(epoch, -2), MOVE_EVERY) == 0) {
                move();
            }
            int length = length();
            plan.begin(epoch, me);
            for (op = 0; op < length; op++) {
                plan.next();
                perform();
            }
            endEpoch(length);
            done += length;
            if (me == 0 && System.nanoTime() - report > 0) {
                report += REPORT_NS;
                report("so far", start);
            }
        }
        completeAll();
        owns.forEach(this::free);
        free(regions[0]);
        free(regions[1]);
        free(spacer);
        rank.barrier();
        for (Kind kind : KINDS) {
            long now = rank.heap(kind).usedBytes();
            if (now != used[kind.ordinal()]) {
                throw new PgasException("random: rank " + me + " has " + now + " bytes of " + kind
                        + " heap in use at the end, " + used[kind.ordinal()] + " at the start");
            }
        }
        side.close();
        arena.close();
        if (me == 0) {
            report("0 mismatches", start);
        }
    }

    private void report(String how, long start) {
        double seconds = (System.nanoTime() - start) / 1e9;
        System.out.printf(Locale.ROOT, "random: %d ops %s, %.0f ops/s, %.1f s, epochs=%d rank 0: gets=%d regions=%d, "
                        + "seed=%d ranks=%d processes=%d device=%s%n", done * ranks, how, done * ranks / seconds, seconds,
                epoch, gets, comparedRegions, seed, ranks, rank.processes(), rank.device().backend());
    }

    private int length() {
        return (int) Math.min(opsEach - done, plan.length(epoch));
    }

    // ---- regions

    private int slotOf(int writer) {
        return (int) Math.floorMod(writer - epoch, (long) ranks);
    }

    private int writerOf(int slot) {
        return (int) ((slot + epoch) % ranks);
    }

    private SharedPointer at(Kind kind, int owner, int slot, long offset) {
        long address = regions[kind.ordinal()].addrField() + slot * regionBytes + offset;
        return PgasUnsafe.pointer(kind, owner, ranks, 0, address, 0, 1);
    }

    private long inModel(int slot, Kind kind, int owner) {
        return ((slot * 2L + kind.ordinal()) * ranks + owner) * regionBytes;
    }

    /** Collective: allocates the regions anew, elsewhere, and lets each slot's writer fill them. */
    private void move() {
        free(regions[0]);
        free(regions[1]);
        free(spacer);
        long bits = plan.mixed(epoch, -3);
        spacer = rank.allAlloc((bits & 63) + 1, (bits >>> 8 & 2047) + 1);
        for (int i = 0; i < 2; i++) {
            Kind kind = KINDS[(int) (bits >>> 20 & 1) ^ i];
            try (Scope _ = kind == Kind.DEVICE ? rank.onDevice() : rank.offDevice()) {
                regions[kind.ordinal()] = rank.allAlloc(ranks, ranks * regionBytes);
            }
        }
        for (int slot = 0; slot < ranks; slot++) {
            for (Kind kind : KINDS) {
                for (int owner = 0; owner < ranks; owner++) {
                    long from = inPool(plan.mixed(epoch, 1000 + inModel(slot, kind, owner)), regionBytes);
                    MemorySegment.copy(pool, from, model, inModel(slot, kind, owner), regionBytes);
                    if (writerOf(slot) == me) {
                        rank.memput(at(kind, owner, slot, 0), pool.asSlice(from), regionBytes);
                    }
                }
            }
        }
    }

    private void free(SharedPointer pointer) {
        if (pointer != null) {
            rank.allFree(pointer);
        }
    }

    private long inPool(long bits, long bytes) {
        return Long.remainderUnsigned(bits, pool.byteSize() - bytes + 1);
    }

    /** What the planned operation does to the model of {@code slot}. */
    private void model(int slot) {
        long to = inModel(slot, plan.kind, plan.owner) + plan.offset;
        switch (plan.action) {
            case PUT -> MemorySegment.copy(pool, inPool(plan.noise, plan.bytes), model, to, plan.bytes);
            case SET -> model.asSlice(to, plan.bytes).fill((byte) plan.noise);
            case COPY -> MemorySegment.copy(model, inModel(slot, plan.sourceKind, plan.sourceOwner) + plan.sourceOffset,
                    model, to, plan.bytes);
            default -> {
                // Leaves the regions as they are.
            }
        }
    }

    // ---- the operations

    private void perform() {
        switch (plan.action) {
            case PUT -> put();
            case GET -> get();
            case COPY -> copy();
            case SET -> set();
            case SYNC -> sync();
            case FENCE -> fence();
            case PROGRESS -> rank.progress();
            case BUSY -> busy();
            case OWN -> own();
        }
    }

    private void fence() {
        rank.fence();
        for (int[] each : unfenced) {
            Arrays.fill(each, 0);
        }
    }

    /** Lets nothing of another kind of operation overtake or be overtaken where only a fence orders them. */
    private void order(Kind kind, int owner, int group, boolean writes) {
        if (mixed[kind.ordinal()][owner]) {
            if ((unfenced[kind.ordinal()][owner] & ~(1 << group)) != 0) {
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
            case COPY -> 2;
            case SET -> 3;
            default -> plan.local == RandomOpsPlan.Local.DEVICE ? 1 : 0;
        };
    }

    private void put() {
        Flight flight = start("put", true);
        MemorySegment from = pool.asSlice(inPool(plan.noise, plan.bytes), plan.bytes);
        flight.write(from);
        model(slotOf(me));
        SharedPointer dst = at(plan.kind, plan.owner, slotOf(me), plan.offset);
        if (plan.block || plan.local == RandomOpsPlan.Local.DEVICE || plan.form == RandomOpsPlan.Form.STREAM) {
            Block src = flight.block(flight.start(), plan.bytes);
            switch (plan.form) {
                case BLOCKING -> rank.memput(dst, src);
                case HANDLE -> flight.handle = rank.memputNb(dst, src);
                case IMPLICIT -> rank.memputNbi(dst, src);
                case STREAM -> rank.stream().memput(dst, src);
            }
        } else {
            MemorySegment src = flight.memory(flight.start(), plan.bytes + 1);
            switch (plan.form) {
                case BLOCKING -> rank.memput(dst, src, plan.bytes);
                case HANDLE -> flight.handle = rank.memputNb(dst, src, plan.bytes);
                default -> rank.memputNbi(dst, src, plan.bytes);
            }
        }
        started(flight);
    }

    private void get() {
        Flight flight = start("get", false);
        flight.get = true;
        flight.fill(flight.shift, plan.bytes + 2 * GUARD, GUARD_BYTE);
        SharedPointer src = at(plan.kind, plan.owner, slotOf(me), plan.offset);
        if (plan.block || plan.local == RandomOpsPlan.Local.DEVICE || plan.form == RandomOpsPlan.Form.STREAM) {
            Block dst = flight.block(flight.start(), plan.bytes);
            switch (plan.form) {
                case BLOCKING -> rank.memget(dst, src);
                case HANDLE -> flight.handle = rank.memgetNb(dst, src);
                case IMPLICIT -> rank.memgetNbi(dst, src);
                case STREAM -> rank.stream().memget(dst, src);
            }
        } else {
            MemorySegment dst = flight.memory(flight.start(), plan.bytes + GUARD);
            switch (plan.form) {
                case BLOCKING -> rank.memget(dst, src, plan.bytes);
                case HANDLE -> flight.handle = rank.memgetNb(dst, src, plan.bytes);
                default -> rank.memgetNbi(dst, src, plan.bytes);
            }
        }
        started(flight);
    }

    private void copy() {
        conflicts(plan.sourceKind, plan.sourceOwner, plan.sourceOffset, plan.bytes, false);
        order(plan.sourceKind, plan.sourceOwner, group(), false);
        Flight flight = start("copy", true);
        flight.sourceKind = plan.sourceKind;
        flight.sourceOwner = plan.sourceOwner;
        flight.sourceOffset = plan.sourceOffset;
        model(slotOf(me));
        SharedPointer dst = at(plan.kind, plan.owner, slotOf(me), plan.offset);
        SharedPointer src = at(plan.sourceKind, plan.sourceOwner, slotOf(me), plan.sourceOffset);
        switch (plan.form) {
            case HANDLE -> flight.handle = rank.memcpyNb(dst, src, plan.bytes);
            case IMPLICIT -> rank.memcpyNbi(dst, src, plan.bytes);
            default -> rank.memcpy(dst, src, plan.bytes);
        }
        started(flight);
    }

    private void set() {
        Flight flight = start("set", true);
        model(slotOf(me));
        SharedPointer dst = at(plan.kind, plan.owner, slotOf(me), plan.offset);
        int value = (int) plan.noise;
        switch (plan.form) {
            case HANDLE -> flight.handle = rank.memsetNb(dst, value, plan.bytes);
            case IMPLICIT -> rank.memsetNbi(dst, value, plan.bytes);
            default -> rank.memset(dst, value, plan.bytes);
        }
        started(flight);
    }

    private void sync() {
        switch ((int) (plan.noise & 3)) {
            case 0 -> completeAll();
            case 1 -> {
                rank.syncAll();
                landed(RandomOpsPlan.Form.IMPLICIT);
            }
            case 2 -> {
                if (rank.trySyncAll()) {
                    landed(RandomOpsPlan.Form.IMPLICIT);
                }
            }
            default -> {
                rank.stream().sync();
                landed(RandomOpsPlan.Form.STREAM);
            }
        }
    }

    private void busy() {
        try (Scope _ = rank.busy()) {
            if ((plan.noise & 31) == 0) {
                LockSupport.parkNanos(200_000);
            } else {
                long end = System.nanoTime() + (plan.noise >>> 8 & 16383);
                while (System.nanoTime() - end < 0) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    // ---- transfers in flight

    /** Completes what the planned operation must not overtake and takes a flight for it. */
    private Flight start(String what, boolean write) {
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

    private void started(Flight flight) {
        if (flight.form == RandomOpsPlan.Form.BLOCKING) {
            landed(flight);
        }
    }

    private void conflicts(Kind kind, int owner, long offset, long bytes, boolean writes) {
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
                while (poll && !rank.trySyncAll()) {
                    Thread.onSpinWait();
                }
                rank.syncAll();
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

    private void completeAll() {
        for (Flight flight : flights) {
            if (flight.active) {
                complete(flight);
            }
        }
    }

    private void landed(RandomOpsPlan.Form form) {
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
        long expected = inModel(slotOf(me), flight.kind, flight.owner) + flight.offset;
        long difference = MemorySegment.mismatch(seen, GUARD, GUARD + flight.bytes, model, expected,
                expected + flight.bytes);
        if (difference >= 0) {
            mismatch(flight.op, flight.describe(), difference, model.get(ValueLayout.JAVA_BYTE, expected + difference),
                    seen.get(ValueLayout.JAVA_BYTE, GUARD + difference));
        }
        for (long i = -GUARD; i < flight.bytes + GUARD; i = i == -1 ? flight.bytes : i + 1) {
            byte guard = seen.get(ValueLayout.JAVA_BYTE, GUARD + i);
            if (guard != GUARD_BYTE) {
                mismatch(flight.op, "beside the memory of " + flight.describe(), i, GUARD_BYTE, guard);
                break;
            }
        }
    }

    private String describe(Kind kind, int owner, int slot) {
        return "region kind=" + kind + " owner=" + owner + " slot=" + slot + " writer=" + writerOf(slot);
    }

    private void mismatch(long opIndex, String where, long offset, byte expected, byte actual) {
        if (mismatches++ < MISMATCHES_PRINTED) {
            System.out.printf(Locale.ROOT, "random: MISMATCH seed=%d epoch=%d rank=%d op=%d %s, first at %d: "
                    + "expected 0x%02x, was 0x%02x%n", seed, epoch, me, opIndex, where, offset, expected & 0xFF,
                    actual & 0xFF);
        }
    }

    // ---- end of an epoch

    /** Collective: barrier, the others' operations into the model, comparison of whole regions. */
    private void endEpoch(int length) {
        // Puts may be in flight over the barrier, which must bring them to their targets all the same. A get must not:
        // its bytes are another rank's to write afterwards.
        for (Flight flight : flights) {
            if (flight.active && flight.get) {
                complete(flight);
            }
        }
        long bits = plan.mixed(epoch, -4);
        switch ((int) (bits & 3)) {
            case 0, 1 -> rank.barrier();
            case 2 -> rank.barrier((int) (bits >>> 8));
            default -> {
                rank.notifyBarrier();
                rank.progress();
                rank.waitBarrier();
            }
        }
        completeAll();
        for (int other = 0; other < ranks; other++) {
            if (other != me) {
                plan.begin(epoch, other);
                for (int i = 0; i < length; i++) {
                    plan.next();
                    model(slotOf(other));
                }
            }
        }
        if ((bits >>> 4 & 1) == 0) {
            for (int slot = 0; slot < ranks; slot++) {
                for (Kind kind : KINDS) {
                    compareOwn(kind, slot);
                }
            }
            rank.barrier();
        } else {
            int slot = slotOf((me + ranks - 1) % ranks);
            for (int i = 0; i < ranks; i++) {
                for (Kind kind : KINDS) {
                    rank.memget(seenRegion, at(kind, (me + i) % ranks, slot, 0), regionBytes);
                    compare("get by the next writer", seenRegion, kind, (me + i) % ranks, slot);
                }
            }
        }
        if (mismatches > 0) {
            throw new PgasException("random: " + mismatches + " mismatches on rank " + me + " by the end of epoch "
                    + epoch + ", seed " + seed);
        }
    }

    /** A region in this rank's own memory. */
    private void compareOwn(Kind kind, int slot) {
        SharedPointer mine = at(kind, me, slot, 0);
        if (kind == Kind.HOST) {
            compare("local memory", rank.local(mine), kind, me, slot);
        } else {
            side.copy(Block.ofHost(seenRegion, ElementType.BYTE), rank.localBlock(mine, ElementType.BYTE, regionBytes));
            side.sync();
            compare("local memory", seenRegion, kind, me, slot);
        }
    }

    private void compare(String how, MemorySegment seen, Kind kind, int owner, int slot) {
        comparedRegions++;
        long expected = inModel(slot, kind, owner);
        long difference = MemorySegment.mismatch(seen, 0, regionBytes, model, expected, expected + regionBytes);
        if (difference >= 0) {
            mismatch(op, how + " after the barrier, " + describe(kind, owner, slot), difference,
                    model.get(ValueLayout.JAVA_BYTE, expected + difference),
                    seen.get(ValueLayout.JAVA_BYTE, difference));
        }
    }

    // ---- memory allocated by one rank

    private void own() {
        long bits = plan.noise;
        int index = (int) (bits & 3);
        if (index >= owns.size() && owns.size() < OWN_BLOCKS) {
            owns.add(allocate(bits >>> 2));
            return;
        }
        Own own = owns.get(index % owns.size());
        boolean last = (bits >>> 2 & 3) == 0;
        if (last) {
            compare(own, 0, own.blocks);
        }
        int block = (int) ((bits >>> 4 & 0xFFFF) % own.blocks);
        long offset = (bits >>> 20 & 0xFFFF) % own.blockBytes;
        long bytes = (bits >>> 36 & 0xFFFF) % (own.blockBytes - offset + 1);
        long from = inPool(bits, bytes);
        rank.memput(own.pointer.plus(block * own.blockBytes + offset), pool.asSlice(from), bytes);
        if (last) {
            // The put may be under way: it must not arrive in what others allocate there from now on.
            owns.remove(own);
            free(own);
            return;
        }
        MemorySegment.copy(pool, from, own.model, block * own.blockBytes + offset, bytes);
        compare(own, block, block + 1);
    }

    private Own allocate(long bits) {
        Kind kind = KINDS[(int) (bits & 1)];
        int blocks = (bits >>> 1 & 3) == 0 ? 1 : 1 + (int) ((bits >>> 3 & 0xFF) % (2L * ranks));
        long blockBytes = 1 + (bits >>> 11 & 0xFFFF) % OWN_BLOCK_BYTES;
        Arena memory = Arena.ofConfined();
        MemorySegment content = memory.allocate(blocks * blockBytes);
        try (Scope _ = kind == Kind.DEVICE ? rank.onDevice() : rank.offDevice()) {
            SharedPointer pointer = (bits >>> 1 & 3) == 0 ? rank.alloc(blockBytes)
                    : rank.globalAlloc(blocks, blockBytes);
            Own own = new Own(pointer, kind, blocks, blockBytes, content, memory);
            for (int block = 0; block < blocks; block++) {
                long from = inPool(bits + block, blockBytes);
                rank.memput(pointer.plus(block * blockBytes), pool.asSlice(from), blockBytes);
                MemorySegment.copy(pool, from, content, block * blockBytes, blockBytes);
            }
            return own;
        }
    }

    private void compare(Own own, int fromBlock, int toBlock) {
        for (int block = fromBlock; block < toBlock; block++) {
            SharedPointer src = own.pointer.plus(block * own.blockBytes);
            MemorySegment seen = scratch.asSlice(0, own.blockBytes);
            rank.memget(seen, src, own.blockBytes);
            long expected = block * own.blockBytes;
            long difference = MemorySegment.mismatch(seen, 0, own.blockBytes, own.model, expected,
                    expected + own.blockBytes);
            if (difference >= 0) {
                mismatch(op, "own allocation, block " + block + " of " + own.blocks + " at " + src, difference,
                        own.model.get(ValueLayout.JAVA_BYTE, expected + difference),
                        seen.get(ValueLayout.JAVA_BYTE, difference));
            }
        }
    }

    private void free(Own own) {
        rank.free(own.pointer);
        own.memory.close();
    }
}
