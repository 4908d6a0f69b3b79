package org.pgas4j.testkit.random;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.Stream;
import org.pgas4j.UsageException;
import org.pgas4j.testkit.program.CollectiveForm;
import org.pgas4j.testkit.program.InRange;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.SharedOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Random operations against a sequential model. Every rank's segment of each kind has one region for each slot; in an
 * epoch a slot belongs to one rank, which alone writes and reads its regions on all ranks. So what is in them follows
 * from that rank's operations in program order, and a get must return it at once. A barrier or another collective operation ends
 * the epoch, the slots move on by one rank, and whole regions are compared, by turns by the rank that owns the memory and by the
 * one that writes next. All ranks keep a model of all regions: they repeat the others' operations from the seed.
 */
@Command(name = "random-ops", description = "Random operations against a sequential model.")
public final class RandomOps implements Program {

    private static final int MOVE_EVERY = 16;
    private static final long OTHER_HEAP_BYTES = 1 << 20;
    private static final long REPORT_NS = 60_000_000_000L;

    private static final long HEAP_BYTES = 16L << 20;
    private static final long[] ROUTED_SIZES = {1, 64};

    @InRange(min = 1)
    @Option(names = "--ops", paramLabel = "N", description = "Operations of all ranks; default: ${DEFAULT-VALUE}.")
    private long ops = 1_000_000;

    @InRange(min = RandomOwns.BLOCK_BYTES)
    @Option(names = "--max-bytes", paramLabel = "N", description = "Largest transfer; default: ${DEFAULT-VALUE}.")
    private long maxBytes = 262_144;

    @Option(names = "--edges", split = ",", paramLabel = "N",
            description = "Sizes to try often, with those beside them; default: 4096,16384.")
    private long[] edges = {4096, 16_384};

    @InRange(min = 0)
    @Option(names = "--epoch", paramLabel = "E",
            description = "Ends after that epoch, to look at the first mismatch of a run with the same --seed.")
    private long lastEpoch = Long.MAX_VALUE;

    @Mixin
    private SharedOptions shared;

    private Rank rank;
    private int me;
    private int ranks;
    private long seed;
    private long opsEach;
    private long regionBytes;
    private RandomOpsPlan plan;
    private Stream side;
    private Arena arena;
    private RandomRegions regions;
    private RandomMismatches mismatches;
    private InFlightTransfers transfers;
    private RandomOwns owns;
    private CollectiveForm.Workspace workspace;
    private MemorySegment seenRegion;
    private long epoch;
    private long op;
    private long done;
    private long comparedRegions;

    /** With options of a command line. */
    public RandomOps() {
    }

    /** Of {@code ops} operations of all ranks, of the default sizes up to {@code maxBytes}. */
    public RandomOps(long ops, long maxBytes) {
        this.ops = ops;
        this.maxBytes = maxBytes;
    }

    /** Settings under which the default sizes fit, for up to 32 ranks. */
    @Override
    public PgasConfig config() {
        return Program.heaps(HEAP_BYTES);
    }

    @Override
    public void run(Rank self) {
        shared.checkRoutes(self, ROUTED_SIZES);
        long drawn = shared.seed(self);
        if (self.rank() == 0) {
            System.out.println("random: seed=" + drawn);
        }
        run(self, drawn);
    }

    private void open(Rank self, long withSeed) {
        rank = self;
        me = rank.rank();
        ranks = rank.ranks();
        seed = withSeed;
        opsEach = Math.ceilDiv(ops, (long) ranks);
        regionBytes = Math.max(1 << 16, (maxBytes + 8191) / 4096 * 4096);
        for (MemoryKind kind : RandomRegions.KINDS) {
            long needed = ranks * regionBytes + OTHER_HEAP_BYTES;
            if (rank.memory().stats(kind).capacityBytes() < needed) {
                throw new UsageException("random operations of up to " + maxBytes + " bytes on " + ranks
                        + " ranks need " + needed + " bytes of " + kind + " heap, there are "
                        + rank.memory().stats(kind).capacityBytes()
                        + "; use smaller --max-bytes or larger pgas.heap.host and pgas.heap.device");
            }
        }
        arena = Arena.ofConfined();
        plan = new RandomOpsPlan(seed, ranks, regionBytes, maxBytes, edges);
        side = rank.device().newStream();
        regions = new RandomRegions(rank, seed, regionBytes, plan, arena);
        mismatches = new RandomMismatches(me, seed);
        transfers = new InFlightTransfers(rank, maxBytes, plan, regions, mismatches, side, arena);
        owns = new RandomOwns(rank, plan, regions, mismatches, arena);
        workspace = new CollectiveForm.Workspace(rank);
        seenRegion = arena.allocate(regionBytes, 8);
        done = 0;
        comparedRegions = 0;
    }

    /** Collective: runs everything and fails at the end of the first epoch with a mismatch. */
    public void run(Rank self, long withSeed) {
        self.barrier();
        long[] used = {self.memory().stats(MemoryKind.HOST).usedBytes(), self.memory().stats(MemoryKind.DEVICE).usedBytes()};
        self.barrier();
        open(self, withSeed);
        long start = System.nanoTime();
        long report = start + REPORT_NS;
        for (epoch = 0; done < opsEach && epoch <= lastEpoch; epoch++) {
            regions.epoch(epoch);
            mismatches.epoch(epoch);
            if (epoch == 0 || Long.remainderUnsigned(plan.mixed(epoch, -2), MOVE_EVERY) == 0) {
                regions.move();
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
        transfers.completeAll();
        owns.free();
        regions.free();
        workspace.close();
        transfers.close();
        rank.barrier();
        for (MemoryKind kind : RandomRegions.KINDS) {
            long now = rank.memory().stats(kind).usedBytes();
            if (now != used[kind.ordinal()]) {
                throw new PgasException("random: rank " + me + " has " + now + " bytes of " + kind
                        + " heap in use at the end, " + used[kind.ordinal()] + " at the start");
            }
        }
        rank.barrier();
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
                epoch, transfers.gets(), comparedRegions, seed, ranks, rank.processes(), rank.device().backend());
    }

    private int length() {
        return (int) Math.min(opsEach - done, plan.length(epoch));
    }

    // ---- the operations

    private void perform() {
        switch (plan.action) {
            case PUT -> put();
            case PUT_PIECES -> putPieces();
            case GET -> get();
            case COPY -> copy();
            case SET -> set();
            case FETCH_ADD -> fetchAdd();
            case ACCUMULATE -> accumulate();
            case SYNC -> sync();
            case FENCE -> transfers.fence();
            case PROGRESS -> rank.progress();
            case BUSY -> busy();
            case OWN -> owns.perform(op);
        }
    }

    private void put() {
        InFlightTransfers.Transfer transfer = transfers.start("put", true, op);
        transfer.write(regions.noise(plan.noise, plan.bytes));
        regions.apply(regions.mySlot());
        SharedPointer dst = regions.at(plan.kind, plan.owner, regions.mySlot(), plan.offset);
        if (plan.block || plan.local == RandomOpsPlan.Local.DEVICE || plan.form == RandomOpsPlan.Form.STREAM) {
            Buffer src = transfer.block(transfer.start(), plan.bytes);
            switch (plan.form) {
                case BLOCKING -> rank.memput(dst, src);
                case HANDLE -> transfer.handle = rank.rma().put(dst, src, Completion.HANDLE);
                case IMPLICIT -> rank.rma().put(dst, src, Completion.IMPLICIT);
                case STREAM -> rank.stream().memput(dst, src);
            }
        } else {
            MemorySegment src = transfer.memory(transfer.start(), plan.bytes + 1);
            switch (plan.form) {
                case BLOCKING -> rank.memput(dst, src, plan.bytes);
                case HANDLE -> transfer.handle = rank.rma().put(dst, src, plan.bytes, Completion.HANDLE);
                default -> rank.rma().put(dst, src, plan.bytes, Completion.IMPLICIT);
            }
        }
        transfers.started(transfer);
    }

    private void get() {
        InFlightTransfers.Transfer transfer = transfers.startGet(op);
        SharedPointer src = regions.at(plan.kind, plan.owner, regions.mySlot(), plan.offset);
        if (plan.block || plan.local == RandomOpsPlan.Local.DEVICE || plan.form == RandomOpsPlan.Form.STREAM) {
            Buffer dst = transfer.block(transfer.start(), plan.bytes);
            switch (plan.form) {
                case BLOCKING -> rank.memget(dst, src);
                case HANDLE -> transfer.handle = rank.rma().get(dst, src, Completion.HANDLE);
                case IMPLICIT -> rank.rma().get(dst, src, Completion.IMPLICIT);
                case STREAM -> rank.stream().memget(dst, src);
            }
        } else {
            MemorySegment dst = transfer.memory(transfer.start(), plan.bytes + 1);
            switch (plan.form) {
                case BLOCKING -> rank.memget(dst, src, plan.bytes);
                case HANDLE -> transfer.handle = rank.rma().get(dst, src, plan.bytes, Completion.HANDLE);
                default -> rank.rma().get(dst, src, plan.bytes, Completion.IMPLICIT);
            }
        }
        transfers.started(transfer);
    }

    private void copy() {
        InFlightTransfers.Transfer transfer = transfers.startCopy(op);
        regions.apply(regions.mySlot());
        SharedPointer dst = regions.at(plan.kind, plan.owner, regions.mySlot(), plan.offset);
        SharedPointer src = regions.at(plan.sourceKind, plan.sourceOwner, regions.mySlot(), plan.sourceOffset);
        switch (plan.form) {
            case HANDLE -> transfer.handle = rank.rma().copy(dst, src, plan.bytes, Completion.HANDLE);
            case IMPLICIT -> rank.rma().copy(dst, src, plan.bytes, Completion.IMPLICIT);
            default -> rank.memcpy(dst, src, plan.bytes);
        }
        transfers.started(transfer);
    }

    private void set() {
        InFlightTransfers.Transfer transfer = transfers.start("set", true, op);
        regions.apply(regions.mySlot());
        SharedPointer dst = regions.at(plan.kind, plan.owner, regions.mySlot(), plan.offset);
        int value = (int) plan.noise;
        switch (plan.form) {
            case HANDLE -> transfer.handle = rank.rma().set(dst, value, plan.bytes, Completion.HANDLE);
            case IMPLICIT -> rank.rma().set(dst, value, plan.bytes, Completion.IMPLICIT);
            default -> rank.memset(dst, value, plan.bytes);
        }
        transfers.started(transfer);
    }

    private void putPieces() {
        InFlightTransfers.Transfer transfer = transfers.start("put of pieces", true, op);
        transfer.write(regions.noise(plan.noise, plan.bytes));
        regions.apply(regions.mySlot());
        transfer.handle = rank.rma().put(regions.at(plan.kind, plan.owner, regions.mySlot(), plan.offset),
                transfer.block(transfer.start(), plan.bytes), plan.pieces, completion());
        transfers.started(transfer);
    }

    private void accumulate() {
        InFlightTransfers.Transfer transfer = transfers.start("accumulate", true, op);
        transfer.write(regions.noise(plan.noise, plan.bytes));
        regions.apply(regions.mySlot());
        transfer.handle = rank.rma().accumulate(regions.at(plan.kind, plan.owner, regions.mySlot(), plan.offset),
                transfer.block(transfer.start(), plan.bytes).as(plan.type), plan.factor, completion());
        transfers.started(transfer);
    }

    private Completion completion() {
        return switch (plan.form) {
            case HANDLE -> Completion.HANDLE;
            case IMPLICIT -> Completion.IMPLICIT;
            default -> Completion.LOCAL;
        };
    }

    private void fetchAdd() {
        transfers.beforeAtomic();
        long expected = regions.word(regions.mySlot());
        regions.apply(regions.mySlot());
        long was = rank.atomics().fetchAdd(regions.at(plan.kind, plan.owner, regions.mySlot(), plan.offset), plan.noise);
        if (was != expected) {
            int bit = Long.numberOfTrailingZeros(was ^ expected) / Byte.SIZE * Byte.SIZE;
            mismatches.add(op, "result of fetch-add at offset " + plan.offset + " in "
                    + regions.describe(plan.kind, plan.owner, regions.mySlot()), bit / Byte.SIZE, (byte) (expected >>> bit),
                    (byte) (was >>> bit));
        }
    }

    private void sync() {
        switch ((int) (plan.noise & 3)) {
            case 0 -> transfers.completeAll();
            case 1 -> {
                rank.rma().syncAll();
                transfers.landed(RandomOpsPlan.Form.IMPLICIT);
            }
            case 2 -> {
                if (rank.rma().trySyncAll()) {
                    transfers.landed(RandomOpsPlan.Form.IMPLICIT);
                }
            }
            default -> {
                rank.stream().sync();
                transfers.landed(RandomOpsPlan.Form.STREAM);
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

    // ---- end of an epoch

    /** Collective: a barrier or a collective operation, the others' operations into the model, comparison of whole regions. */
    private void endEpoch(int length) {
        // Puts may be in flight over the barrier, which must bring them to their targets all the same. A get must not:
        // its bytes are another rank's to write afterwards.
        transfers.completeGets();
        long bits = plan.mixed(epoch, -4);
        CollectiveForm collective = CollectiveForm.values()[(int) ((bits >>> 8) % CollectiveForm.values().length)];
        Runnable undo = collective.run(workspace, bits >>> 8);
        transfers.completeAll();
        for (int other = 0; other < ranks; other++) {
            if (other != me) {
                plan.begin(epoch, other);
                for (int i = 0; i < length; i++) {
                    plan.next();
                    regions.apply(regions.slotOf(other));
                }
            }
        }
        if ((bits >>> 4 & 1) == 0) {
            for (int slot = 0; slot < ranks; slot++) {
                for (MemoryKind kind : RandomRegions.KINDS) {
                    compareOwn(kind, slot);
                }
            }
            rank.barrier();
        } else {
            int slot = regions.slotOf((me + ranks - 1) % ranks);
            for (int i = 0; i < ranks; i++) {
                for (MemoryKind kind : RandomRegions.KINDS) {
                    rank.memget(seenRegion, regions.at(kind, (me + i) % ranks, slot, 0), regionBytes);
                    compare("get by the next writer", seenRegion, kind, (me + i) % ranks, slot);
                }
            }
        }
        undo.run();
        if (mismatches.count() > 0) {
            throw new PgasException("random: " + mismatches.count() + " mismatches on rank " + me + " by the end of epoch "
                    + epoch + ", seed " + seed);
        }
    }

    /** A region in this rank's own memory. */
    private void compareOwn(MemoryKind kind, int slot) {
        SharedPointer mine = regions.at(kind, me, slot, 0);
        if (kind == MemoryKind.HOST) {
            compare("local memory", rank.local(mine), kind, me, slot);
        } else {
            side.copy(Buffer.ofHost(seenRegion, ElementType.BYTE), rank.memory().local(mine, ElementType.BYTE, regionBytes));
            side.sync();
            compare("local memory", seenRegion, kind, me, slot);
        }
    }

    private void compare(String how, MemorySegment seen, MemoryKind kind, int owner, int slot) {
        comparedRegions++;
        long expected = regions.inModel(slot, kind, owner);
        long difference = MemorySegment.mismatch(seen, 0, regionBytes, regions.model(), expected, expected + regionBytes);
        if (difference >= 0) {
            mismatches.add(op, how + " after the meeting, " + regions.describe(kind, owner, slot), difference,
                    regions.model().get(ValueLayout.JAVA_BYTE, expected + difference),
                    seen.get(ValueLayout.JAVA_BYTE, difference));
        }
    }
}
