package org.pgas4j.testkit.contract;

import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.testkit.program.PatternMemory;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.Tally;

/** Checks of one part of the API, as one rank takes part in them. */
abstract class Contract {

    final Rank rank;
    final Tally check;

    Contract(Rank rank, Tally check) {
        this.rank = rank;
        this.check = check;
    }

    /** Collective. */
    abstract void run();

    /** The rank that is {@code distance} further. */
    final int target(int distance) {
        return Math.floorMod(rank.rank() + distance, rank.ranks());
    }

    /** Collective: {@code bytes} bytes of each rank. */
    final SharedPointer allocate(MemoryKind kind, long bytes) {
        try (Scope _ = Program.in(rank, kind)) {
            return rank.allAlloc(rank.ranks(), bytes);
        }
    }

    /** This rank's part of a collective allocation. */
    final Buffer mine(SharedPointer shared, long bytes) {
        return rank.memory().local(shared.onRank(rank.rank()).resetPhase(), ElementType.BYTE, bytes);
    }

    /** Waits for the operation by asking alone, which is to make progress for it. */
    final void askFor(Handle handle) {
        until(handle::trySync, () -> "end of " + handle);
    }

    /** Waits for what {@code condition} says and makes progress for others meanwhile; the job ends if it does not come in time. */
    final void await(BooleanSupplier condition, String what) {
        until(() -> {
            rank.progress();
            return condition.getAsBoolean();
        }, () -> what);
    }

    private void until(BooleanSupplier condition, Supplier<String> what) {
        long end = System.nanoTime() + rank.timeout().toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("rank " + rank.rank() + ": no " + what.get() + " after " + rank.timeout());
            }
            Thread.onSpinWait();
        }
    }

    final void writeMine(SharedPointer shared, MemorySegment bytes) {
        PatternMemory.copyBlocks(rank, mine(shared, bytes.byteSize()), Buffer.ofHost(bytes, ElementType.BYTE));
    }

    final void readMine(MemorySegment into, SharedPointer shared) {
        PatternMemory.copyBlocks(rank, Buffer.ofHost(into, ElementType.BYTE), mine(shared, into.byteSize()));
    }
}
