package org.pgas4j.testkit.random;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.testkit.program.Mixer;
import org.pgas4j.testkit.program.Program;

/**
 * The regions of random operations and the model of all of them: one for each kind, owner and slot. Knows which rank may
 * write a slot in the current epoch.
 */
final class RandomRegions {

    static final MemoryKind[] KINDS = MemoryKind.values();

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    private final Rank rank;
    private final int me;
    private final int ranks;
    private final long regionBytes;
    private final RandomOpsPlan plan;
    private final MemorySegment pool;
    private final MemorySegment model;
    private final SharedPointer[] regions = new SharedPointer[2];
    private SharedPointer spacer;
    private long epoch;

    RandomRegions(Rank rank, long seed, long regionBytes, RandomOpsPlan plan, Arena arena) {
        this.rank = rank;
        this.me = rank.rank();
        this.ranks = rank.ranks();
        this.regionBytes = regionBytes;
        this.plan = plan;
        this.pool = arena.allocate(2 * regionBytes, 8);
        for (long i = 0; i < pool.byteSize(); i += Long.BYTES) {
            pool.set(ValueLayout.JAVA_LONG, i, Mixer.mix(seed + i));
        }
        this.model = arena.allocate(2L * ranks * ranks * regionBytes, 8);
    }

    void epoch(long next) {
        epoch = next;
    }

    int slotOf(int writer) {
        return (int) Math.floorMod(writer - epoch, (long) ranks);
    }

    int writerOf(int slot) {
        return (int) ((slot + epoch) % ranks);
    }

    SharedPointer at(MemoryKind kind, int owner, int slot, long offset) {
        long address = regions[kind.ordinal()].addrField() + slot * regionBytes + offset;
        return PgasUnsafe.pointer(kind, owner, ranks, 0, address, 0, 1);
    }

    /** The slot this rank writes in this epoch. */
    int mySlot() {
        return slotOf(me);
    }

    MemorySegment model() {
        return model;
    }

    long inModel(int slot, MemoryKind kind, int owner) {
        return ((slot * 2L + kind.ordinal()) * ranks + owner) * regionBytes;
    }

    /** Random bytes. */
    MemorySegment noise(long bits, long bytes) {
        return pool.asSlice(inPool(bits, bytes), bytes);
    }

    private long inPool(long bits, long bytes) {
        return Long.remainderUnsigned(bits, pool.byteSize() - bytes + 1);
    }

    /** Collective: allocates the regions anew, elsewhere, and lets each slot's writer fill them. */
    void move() {
        free(regions[0]);
        free(regions[1]);
        free(spacer);
        long bits = plan.mixed(epoch, -3);
        spacer = rank.allAlloc((bits & 63) + 1, (bits >>> 8 & 2047) + 1);
        for (int i = 0; i < 2; i++) {
            MemoryKind kind = KINDS[(int) (bits >>> 20 & 1) ^ i];
            try (Scope _ = Program.in(rank, kind)) {
                regions[kind.ordinal()] = rank.allAlloc(ranks, ranks * regionBytes);
            }
        }
        for (int slot = 0; slot < ranks; slot++) {
            for (MemoryKind kind : KINDS) {
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

    /** Collective. */
    void free() {
        free(regions[0]);
        free(regions[1]);
        free(spacer);
    }

    private void free(SharedPointer pointer) {
        if (pointer != null) {
            rank.allFree(pointer);
        }
    }

    /** Applies the planned operation to the model of {@code slot}. */
    void apply(int slot) {
        long to = inModel(slot, plan.kind, plan.owner) + plan.offset;
        switch (plan.action) {
            case PUT -> MemorySegment.copy(pool, inPool(plan.noise, plan.bytes), model, to, plan.bytes);
            case SET -> model.asSlice(to, plan.bytes).fill((byte) plan.noise);
            case COPY -> MemorySegment.copy(model, inModel(slot, plan.sourceKind, plan.sourceOwner) + plan.sourceOffset,
                    model, to, plan.bytes);
            case PUT_PIECES -> plan.pieces.forEach((dst, src, bytes) ->
                    MemorySegment.copy(pool, inPool(plan.noise, plan.bytes) + src, model, to + dst, bytes));
            case FETCH_ADD -> add(to, plan.noise);
            case ACCUMULATE -> accumulate(to, inPool(plan.noise, plan.bytes));
            default -> {
                // Leaves the regions as they are.
            }
        }
    }

    /** Word of the model at which the planned operation is. */
    long word(int slot) {
        return model.get(LONG, inModel(slot, plan.kind, plan.owner) + plan.offset);
    }

    private void add(long to, long value) {
        model.set(LONG, to, model.get(LONG, to) + value);
    }

    private void accumulate(long to, long from) {
        for (long at = 0; at < plan.bytes; at += plan.type.bytes()) {
            if (plan.type == ElementType.LONG) {
                add(to + at, plan.factor * pool.get(LONG, from + at));
            } else {
                model.set(INT, to + at, model.get(INT, to + at) + plan.factor * pool.get(INT, from + at));
            }
        }
    }

    String describe(MemoryKind kind, int owner, int slot) {
        return "region kind=" + kind + " owner=" + owner + " slot=" + slot + " writer=" + writerOf(slot);
    }
}
