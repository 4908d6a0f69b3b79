package org.pgas4j.testkit;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasException;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.StalePointerException;

/**
 * Random pointers (rank, kind, generation, offset) and lengths, about one in a hundred good. Rank 0 makes them and knows from a
 * model of its own which are good; the good ones put and get bytes that are compared, the others must be refused, and the
 * memory of all ranks must be what the model says.
 */
public final class PointerFuzz {

    /** Heap of each kind that the program needs. */
    public static final long HEAP_BYTES = 64 << 10;

    private static final int PIECES = 24;
    private static final int MAX_PIECE = 600;
    private static final long COMPARED_EVERY = 250_000;

    private record Piece(SharedPointer pointer, long[] words, int bytes, boolean everywhere, boolean[] freed) {
    }

    private final Rank rank;
    private final long seed;
    private final SplittableRandom random;
    private final List<Piece> living = new ArrayList<>();
    private final List<Piece> dead = new ArrayList<>();
    private final MemorySegment local = Arena.ofAuto().allocate(MAX_PIECE);
    private final byte[][] model;
    private long operations;
    private long applied;
    private long outOfBounds;
    private long stale;
    private long malformed;

    public PointerFuzz(Rank rank, long seed) {
        this.rank = rank;
        this.seed = seed;
        this.random = new SplittableRandom(seed);
        this.model = new byte[2 * rank.ranks()][];
    }

    /** Collective: rank 0 makes {@code count} pointers; the other ranks return, and serve while they wait for the end. */
    public void run(long count) {
        for (MemoryKind kind : MemoryKind.values()) {
            rank.memset(whole(kind, rank.rank()), 0, rank.memory().stats(kind).capacityBytes());
        }
        rank.barrier();
        if (rank.rank() != 0) {
            return;
        }
        for (MemoryKind kind : MemoryKind.values()) {
            for (int other = 0; other < rank.ranks(); other++) {
                model[index(kind, other)] = new byte[Math.toIntExact(rank.memory().stats(kind).capacityBytes())];
            }
        }
        while (living.size() < PIECES) {
            allocate();
        }
        for (operations = 0; operations < count; operations++) {
            if (random.nextInt(500) == 0) {
                free();
                allocate();
            }
            step();
            if (operations % COMPARED_EVERY == 0) {
                compareAll();
            }
        }
        compareAll();
    }

    private static int index(MemoryKind kind, int owner) {
        return 2 * owner + kind.ordinal();
    }

    private SharedPointer whole(MemoryKind kind, int owner) {
        return PgasUnsafe.pointer(kind, owner, rank.ranks(), 0, 0, 0, 1);
    }

    private void allocate() {
        int bytes = 1 + random.nextInt(MAX_PIECE);
        boolean everywhere = random.nextBoolean();
        try (Scope _ = random.nextBoolean() ? rank.onDevice() : rank.offDevice()) {
            SharedPointer made = (everywhere ? rank.memory().globalAlloc(rank.ranks(), bytes) : rank.alloc(bytes)).cast(0, 1);
            living.add(new Piece(made, made.words(), bytes, everywhere, new boolean[1]));
        }
    }

    private void free() {
        Piece piece = living.remove(random.nextInt(living.size()));
        rank.free(piece.pointer);
        piece.freed[0] = true;
        dead.add(piece);
        if (dead.size() > PIECES) {
            dead.remove(random.nextInt(dead.size()));
        }
    }

    private void step() {
        boolean good = random.nextInt(100) == 0;
        Piece piece = good || dead.isEmpty() || random.nextInt(3) > 0 ? living.get(random.nextInt(living.size()))
                : dead.get(random.nextInt(dead.size()));
        int target = piece.everywhere ? random.nextInt(rank.ranks()) : 0;
        long offset = good ? random.nextInt(piece.bytes) : anything(piece.bytes);
        long length = good ? random.nextInt(piece.bytes - (int) offset + 1) : anything(piece.bytes - Math.min(piece.bytes,
                Math.abs(offset / 2)));
        if (!good && random.nextInt(4) == 0) {
            forge(piece);
            return;
        }
        if (!good && rank.ranks() > 1 && !piece.everywhere && random.nextInt(4) == 0) {
            target = 1 + random.nextInt(rank.ranks() - 1);
        }
        SharedPointer pointer;
        try {
            SharedPointer base = random.nextBoolean() && !piece.freed[0] ? rank.memory().pointer(piece.words) : piece.pointer;
            pointer = base.onRank(target).plus(offset);
        } catch (ArithmeticException _) {
            malformed++;
            return;
        }
        boolean inside = offset >= 0 && length >= 0 && offset <= piece.bytes && length <= piece.bytes - offset
                && (piece.everywhere || target == 0);
        use(piece, pointer, target, length, inside);
    }

    private long anything(long near) {
        return switch (random.nextInt(6)) {
            case 0 -> random.nextLong();
            case 1 -> Long.MAX_VALUE - random.nextInt(1000);
            case 2 -> Long.MIN_VALUE + random.nextInt(1000);
            case 3 -> -1 - random.nextInt(1000);
            case 4 -> near + 1 + random.nextInt(1000);
            default -> random.nextLong(HEAP_BYTES);
        };
    }

    private void use(Piece piece, SharedPointer pointer, int target, long length, boolean inside) {
        int how = random.nextInt(3);
        byte value = (byte) random.nextInt();
        boolean taken = false;
        try {
            switch (how) {
                case 0 -> {
                    if (length >= 0 && length <= MAX_PIECE) {
                        local.asSlice(0, length).fill(value);
                    }
                    rank.memput(pointer, local, length);
                }
                case 1 -> rank.memset(pointer, value, length);
                default -> rank.memget(local, pointer, length);
            }
            taken = true;
        } catch (StalePointerException e) {
            expect(piece.freed[0], pointer, length, e);
            stale++;
        } catch (IndexOutOfBoundsException e) {
            expect(!inside, pointer, length, e);
            outOfBounds++;
        }
        if (!taken) {
            return;
        }
        expect(inside && !piece.freed[0], pointer, length, null);
        applied++;
        byte[] memory = model[index(pointer.kind(), target)];
        int from = (int) pointer.addrField();
        int to = from + (int) length;
        if (how == 2) {
            for (int i = from; i < to; i++) {
                if (memory[i] != local.get(ValueLayout.JAVA_BYTE, i - from)) {
                    throw wrong("a get brought other bytes", pointer, length, null);
                }
            }
        } else {
            java.util.Arrays.fill(memory, from, to, value);
        }
    }

    /** Words with one of them changed: none of these may give a pointer, except to another place of the same allocation. */
    private void forge(Piece piece) {
        long[] words = piece.words.clone();
        int which = random.nextInt(4);
        switch (which) {
            case 0 -> words[0] = random.nextBoolean() ? 1 - words[0] : random.nextLong();
            case 1 -> words[1] = random.nextLong();
            case 2 -> words[SharedPointer.WORDS - 1] += 1 + random.nextInt(1 << 30);
            default -> words[SharedPointer.WORDS - 1] = random.nextLong();
        }
        try {
            SharedPointer made = rank.memory().pointer(words);
            throw wrong("forged words were taken", made, which, null);
        } catch (StalePointerException _) {
            stale++;
        } catch (IllegalArgumentException _) {
            malformed++;
        }
    }

    private void expect(boolean right, SharedPointer pointer, long length, RuntimeException refusal) {
        if (!right) {
            throw wrong(refusal == null ? "a bad pointer was taken" : "refused for a wrong reason", pointer, length, refusal);
        }
    }

    private PgasException wrong(String what, SharedPointer pointer, long length, RuntimeException refusal) {
        return new PgasException("pointer fuzz: " + what + ": " + pointer + " length=" + length + " seed=" + seed + " operation="
                + operations, refusal);
    }

    private void compareAll() {
        for (MemoryKind kind : MemoryKind.values()) {
            for (int other = 0; other < rank.ranks(); other++) {
                byte[] expected = model[index(kind, other)];
                byte[] seen = new byte[expected.length];
                rank.memget(MemorySegment.ofArray(seen), whole(kind, other), seen.length);
                int at = java.util.Arrays.mismatch(expected, seen);
                if (at >= 0) {
                    throw wrong("byte " + at + " is " + seen[at] + ", expected " + expected[at], whole(kind, other), seen.length,
                            null);
                }
            }
        }
    }

    /** One line: what was tried. */
    public String report() {
        return "pointer fuzz: " + operations + " pointers, " + applied + " good and applied, " + outOfBounds + " out of bounds, "
                + stale + " stale, " + malformed + " malformed; 0 wrong; ranks=" + rank.ranks() + " processes="
                + rank.processes() + " seed=" + seed;
    }

    /** Good pointers that were applied. */
    public long applied() {
        return applied;
    }

    /** All pointers that were refused. */
    public long refused() {
        return outOfBounds + stale + malformed;
    }
}
