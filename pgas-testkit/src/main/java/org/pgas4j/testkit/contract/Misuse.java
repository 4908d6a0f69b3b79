package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.StalePointerException;
import org.pgas4j.Window;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.Tally;

/**
 * Wrong uses of pointers, ranges, memory and windows: each must be a typed exception at the caller, and no byte of any rank's
 * segments may change. Rank 0 is the one that errs; the others keep the memory.
 */
public final class Misuse {

    private static final int BYTES = 1000;

    private final Rank rank;
    private final Tally check;
    private final MemorySegment local = Arena.ofAuto().allocate(4096);
    private long cases;

    public Misuse(Rank rank, Tally check) {
        this.rank = rank;
        this.check = check;
    }

    /** Collective, two ranks or more, small heaps; returns the number of cases on this rank. */
    public long run() {
        for (MemoryKind kind : MemoryKind.values()) {
            try (Scope _ = Program.in(rank, kind)) {
                SharedPointer shared = rank.allAlloc(rank.ranks(), BYTES);
                SharedPointer beside = rank.allAlloc(rank.ranks(), BYTES);
                rank.memset(shared.onRank(rank.rank()), 1 + rank.rank(), BYTES);
                rank.memset(beside.onRank(rank.rank()), 101 + rank.rank(), BYTES);
                rank.barrier();
                if (rank.rank() == 0) {
                    ranges(shared.cast(0, 1).onRank(1));
                    pointers(shared.cast(0, 1).onRank(1));
                    freed(kind);
                    words(shared.onRank(1));
                    localMemory(shared.cast(0, 1).onRank(1));
                }
                rank.barrier();
                windows(kind, shared);
                rank.allFree(beside);
                rank.allFree(shared);
                refuses(IllegalArgumentException.class, "nothing is allocated", () -> rank.allFree(shared), "allFree twice");
            }
        }
        return cases;
    }

    private void ranges(SharedPointer there) {
        long most = Long.MAX_VALUE;
        long[][] ranges = {{BYTES, 1}, {BYTES - 7, 8}, {0, BYTES + 1}, {-1, 1}, {-8, 16}, {0, -1}, {BYTES, -8}, {8, most},
            {8, most - 7}, {most - there.addrField(), 1}, {most - there.addrField(), most}, {0, Long.MIN_VALUE},
            {-there.addrField() - 1, 2}};
        for (long[] range : ranges) {
            SharedPointer at = there.plus(range[0]);
            long length = range[1];
            String what = at.kind() + " offset=" + range[0] + " length=" + length;
            operations(at, length, operation -> still(IndexOutOfBoundsException.class, "out of bounds", operation.action,
                    operation.name + " " + what));
        }
        still(ArithmeticException.class, "", () -> there.plus(most).plus(most), "plus 2^63-1");
        still(ArithmeticException.class, "", () -> there.plus(-2).minus(Long.MIN_VALUE), "minus -2^63");
    }

    private record Operation(String name, Runnable action) {
    }

    private void operations(SharedPointer at, long length, Consumer<Operation> each) {
        SharedPointer good = PgasUnsafe.pointer(MemoryKind.HOST, 0, rank.ranks(), 0, 0, 0, 1);
        each.accept(new Operation("memput", () -> rank.memput(at, local, length)));
        each.accept(new Operation("memget", () -> rank.memget(local, at, length)));
        each.accept(new Operation("memset", () -> rank.memset(at, 7, length)));
        each.accept(new Operation("memcpy to", () -> rank.memcpy(at, good, length)));
        each.accept(new Operation("memcpy from", () -> rank.memcpy(good, at, length)));
        each.accept(new Operation("memputNb", () -> rank.rma().put(at, local, length, Completion.HANDLE).sync()));
        each.accept(new Operation("memgetNbi", () -> {
            rank.rma().get(local, at, length, Completion.IMPLICIT);
            rank.rma().syncAll();
        }));
    }

    private void pointers(SharedPointer there) {
        MemoryKind kind = there.kind();
        int ranks = rank.ranks();
        still(IndexOutOfBoundsException.class, "rank out of range",
                () -> rank.memput(PgasUnsafe.pointer(kind, ranks, ranks + 1, 0, 0, 0, 1), local, 8), "put to rank " + ranks);
        still(IndexOutOfBoundsException.class, "rank out of range",
                () -> rank.free(PgasUnsafe.pointer(kind, ranks, ranks + 1, 0, 0, 0, 1)), "free on rank " + ranks);
        still(IllegalArgumentException.class, "out of range", () -> there.onRank(ranks), "onRank past the last");
        still(IllegalArgumentException.class, "out of range", () -> there.onRank(-1), "onRank -1");
        still(IllegalArgumentException.class, "out of range", () -> there.cast(-1, 1), "cast to block -1");
        still(IllegalArgumentException.class, "out of range", () -> there.cast(1, 0), "cast to elements of 0 bytes");
        still(IllegalArgumentException.class, "out of range", () -> PgasUnsafe.pointer(kind, 0, ranks, 0, -1, 0, 1),
                "negative address");
        still(IllegalArgumentException.class, "nothing is allocated", () -> rank.free(there.plus(8)), "free inside");
        still(IllegalStateException.class, kind == MemoryKind.HOST ? "affinity to rank 1" : "HOST memory",
                () -> rank.local(there), "local() of another rank");
        still(IllegalStateException.class, "affinity to rank 1", () -> rank.memory().local(there, ElementType.BYTE, 1),
                "localBlock() of another rank");
        still(IndexOutOfBoundsException.class, "out of bounds",
                () -> rank.memory().local(there.onRank(0), ElementType.LONG, BYTES), "localBlock() of too much");
        still(NullPointerException.class, "", () -> rank.memput(null, local, 8), "put to null");
        still(NullPointerException.class, "", () -> rank.memput(there, (MemorySegment) null, 8), "put from null");
    }

    private void freed(MemoryKind kind) {
        SharedPointer pointer = rank.alloc(512);
        long[] words = pointer.words();
        still(IndexOutOfBoundsException.class, "out of bounds", () -> rank.memput(pointer.onRank(1), local, 8),
                "own allocation on another rank");
        rank.free(pointer);
        stale(pointer, kind + " freed");
        still(StalePointerException.class, "nothing lives", () -> rank.memory().pointer(words), "words of what was freed");
        still(IllegalArgumentException.class, "nothing is allocated", () -> rank.free(pointer), "free twice");
        SharedPointer again = rank.alloc(512);
        check.same(pointer.addrField(), again.addrField(), "the memory is given out again");
        check.that(!pointer.equals(again), "another generation is another pointer");
        stale(pointer, kind + " recycled");
        still(IllegalArgumentException.class, "nothing is allocated", () -> rank.free(pointer), "free of a recycled place");
        still(IllegalArgumentException.class, "different arrays", () -> again.minus(pointer), "difference of generations");
        rank.memset(again, 3, 512);
        rank.free(again);
        // A free completes what this rank has in flight there.
        SharedPointer busy = rank.memory().globalAlloc(rank.ranks(), 2048);
        var handle = rank.rma().put(busy.cast(0, 1).onRank(1), local, 2048, Completion.HANDLE);
        rank.free(busy);
        handle.sync();
        stale(busy.cast(0, 1).onRank(1), kind + " freed with a put in flight");
    }

    private void stale(SharedPointer pointer, String what) {
        operations(pointer, 8, operation -> still(StalePointerException.class, "was freed", operation.action,
                operation.name + " " + what));
        still(StalePointerException.class, "was freed", () -> rank.memory().local(pointer.onRank(0), ElementType.BYTE, 1),
                "localBlock " + what);
    }

    private void words(SharedPointer there) {
        long[] good = there.words();
        check.same(there, rank.memory().pointer(good), "good words");
        long ranks = rank.ranks();
        Object[][] forged = {{0, -1L}, {0, 2L}, {0, Long.MAX_VALUE}, {1, ranks << 32 | ranks}, {1, -1L << 32 | ranks},
            {1, ranks + 1}, {1, 0L}, {2, -1L}, {2, (long) BYTES}, {3, -1L}, {3, Long.MIN_VALUE}, {4, -1L}, {5, 0L}, {5, -8L},
            {6, 0L}};
        for (Object[] change : forged) {
            still(IllegalArgumentException.class, "", () -> rank.memory().pointer(with(good, (int) change[0], (long) change[1])),
                    "forged word " + change[0] + "=" + change[1]);
        }
        for (long generation : new long[] {1, -1, Long.MAX_VALUE, Long.MIN_VALUE, good[6] + (1L << 20), good[6] - (1L << 20),
            good[6] ^ 1L << 62, good[6] ^ 1L << 50}) {
            still(StalePointerException.class, "nothing lives", () -> rank.memory().pointer(with(good, 6, generation)),
                    "forged generation " + generation);
        }
        still(StalePointerException.class, "nothing lives", () -> rank.memory().pointer(with(good, 0, 1 - good[0])),
                "other kind");
        still(IllegalArgumentException.class, "no pointer", () -> rank.memory().pointer(1, 2, 3), "three words");
        still(IndexOutOfBoundsException.class, "out of bounds",
                () -> rank.memset(rank.memory().pointer(with(good, 3, good[3] + BYTES)), 0, 1), "forged address");
    }

    private static long[] with(long[] words, int index, long value) {
        long[] copy = words.clone();
        copy[index] = value;
        return copy;
    }

    private void localMemory(SharedPointer there) {
        Arena arena = Arena.ofShared();
        MemorySegment closed = arena.allocate(64);
        arena.close();
        still(IllegalStateException.class, "closed", () -> rank.memput(there, closed, 8), "put from a closed arena");
        still(IllegalStateException.class, "closed", () -> rank.memget(closed, there, 8), "get into a closed arena");
        still(IllegalArgumentException.class, "read-only", () -> rank.memget(local.asReadOnly(), there, 8),
                "get into read-only memory");
        still(IndexOutOfBoundsException.class, "local memory", () -> rank.memput(there, local.asSlice(0, 8), 9),
                "put of more than there is");
        still(IndexOutOfBoundsException.class, "local memory", () -> rank.memget(local.asSlice(0, 8), there, 9),
                "get of more than fits");
    }

    /** Collective. */
    private void windows(MemoryKind kind, SharedPointer shared) {
        SharedPointer mine = rank.allAlloc(rank.ranks(), 512);
        int other = (rank.rank() + 1) % rank.ranks();
        SharedPointer own = mine.cast(0, 1).onRank(rank.rank());
        refuses(IllegalArgumentException.class, "affinity", () -> rank.createWindow(rank.world(),
                shared.onRank(other), 8), "window of another's memory");
        refuses(IndexOutOfBoundsException.class, "out of bounds", () -> rank.createWindow(rank.world(), own, 513),
                "window larger than its allocation");
        refuses(IndexOutOfBoundsException.class, "out of bounds", () -> rank.createWindow(rank.world(), own, -1),
                "window of -1 bytes");
        Window window = rank.createWindow(rank.world(), own, 512);
        rank.barrier();
        if (rank.rank() == 0) {
            for (long[] range : new long[][] {{512, 1}, {505, 8}, {-1, 1}, {0, -1}, {8, Long.MAX_VALUE},
                {Long.MAX_VALUE, 1}}) {
                still(IndexOutOfBoundsException.class, "out of bounds", () -> window.put(other, range[0], local, range[1]),
                        "window put " + range[0] + "+" + range[1]);
                still(IndexOutOfBoundsException.class, "out of bounds", () -> window.get(local, other, range[0], range[1]),
                        "window get " + range[0] + "+" + range[1]);
            }
            still(IndexOutOfBoundsException.class, "target", () -> window.put(-1, 0, local, 8), "target -1");
            still(IndexOutOfBoundsException.class, "target", () -> window.put(rank.ranks(), 0, local, 8), "target past the last");
            still(IllegalArgumentException.class, "tag", () -> window.putNotify(other, 0, local, 8, 256), "tag 256");
            still(IllegalArgumentException.class, "tag", () -> window.signal(other, -1), "tag -1");
        }
        rank.allFree(mine);
        if (rank.rank() == 0) {
            still(StalePointerException.class, "was freed", () -> window.put(other, 0, local, 8), "put to a freed window");
            still(StalePointerException.class, "was freed", () -> window.get(local, other, 0, 8), "get from a freed window");
        }
        rank.barrier();
        window.close();
        rank.barrier();
    }

    private void refuses(Class<? extends Throwable> type, String fragment, Runnable action, String what) {
        cases++;
        check.refuses(type, fragment, action, what);
    }

    /** As {@link Tally#refuses}; all segments of all ranks must hold the same bytes before and after. */
    private void still(Class<? extends Throwable> type, String fragment, Runnable action, String what) {
        MemorySegment before = everything();
        refuses(type, fragment, action, what);
        check.same(-1L, before.mismatch(everything()), what + ": first byte that changed");
    }

    private MemorySegment everything() {
        long bytes = 0;
        for (MemoryKind kind : MemoryKind.values()) {
            bytes += rank.memory().stats(kind).capacityBytes();
        }
        byte[] all = new byte[Math.toIntExact(bytes * rank.ranks())];
        MemorySegment copy = MemorySegment.ofArray(all);
        long at = 0;
        for (int other = 0; other < rank.ranks(); other++) {
            for (MemoryKind kind : MemoryKind.values()) {
                long part = rank.memory().stats(kind).capacityBytes();
                rank.memget(Buffer.ofHost(copy.asSlice(at, part), ElementType.BYTE),
                        PgasUnsafe.pointer(kind, other, rank.ranks(), 0, 0, 0, 1));
                at += part;
            }
        }
        return copy;
    }
}
