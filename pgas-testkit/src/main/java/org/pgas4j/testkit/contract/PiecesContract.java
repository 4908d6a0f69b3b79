package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pieces;
import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;
import org.pgas4j.Strided;
import org.pgas4j.Window;
import org.pgas4j.testkit.program.PatternMemory;
import org.pgas4j.testkit.program.RandomPieces;
import org.pgas4j.testkit.program.Tally;

/**
 * Transfers of random pieces between every pair of kinds, to the next rank and to itself, beside the same on plain arrays, and
 * accumulates.
 */
final class PiecesContract extends Contract {

    private static final int BYTES = 4096;
    private static final int LONG_ROWS_BYTES = 256 << 10;
    private static final int ROUNDS = 8;

    private final Random random;

    PiecesContract(Rank rank, Tally check) {
        super(rank, check);
        this.random = new Random(31 + rank.rank());
    }

    @Override
    void run() {
        for (MemoryKind remote : MemoryKind.values()) {
            for (MemoryKind local : MemoryKind.values()) {
                moves(remote, local, BYTES, 2 * ROUNDS, () -> RandomPieces.next(random, BYTES));
                moves(remote, local, LONG_ROWS_BYTES, 2, () -> Strided.of(8192, new long[] {2, 5}, new long[] {90_000, 10_000},
                        new long[] {120_000, 8192}));
                lists(remote, local);
                notified(remote, local);
            }
        }
        new AccumulateContract(rank, check).run();
    }

    private void moves(MemoryKind remote, MemoryKind local, int bytes, int rounds, Supplier<Pieces> pieces) {
        SharedPointer shared = allocate(remote, bytes);
        SharedPointer other = allocate(local, bytes);
        try (PatternMemory memory = new PatternMemory(rank, local, bytes)) {
            for (int round = 0; round < rounds; round++) {
                move(shared.onRank(target(round % 2)), other.onRank(target(round % 2 + 1)), memory, pieces.get(), bytes);
            }
        }
        rank.allFree(shared);
        rank.allFree(other);
    }

    /** Columns of this rank's matrix go to all ranks in turn, and a few pieces of another shape with them. */
    private void lists(MemoryKind remote, MemoryKind local) {
        int parts = 3 * rank.ranks();
        int columns = 700 * parts;
        Strided each = Strided.rows(Integer.BYTES, 700, Integer.BYTES, (long) parts * Integer.BYTES);
        Strided rest = Strided.rows(Short.BYTES, 5, 2 * Short.BYTES, 3 * Short.BYTES);
        int room = (int) (each.dstExtent() + rest.dstExtent() + 15) / 16 * 16;
        SharedPointer matrix = allocate(local, columns * Integer.BYTES);
        SharedPointer shared = allocate(remote, 3 * room * rank.ranks());
        byte[] mine = bytes(columns * Integer.BYTES);
        rank.memput(matrix.onRank(rank.rank()), MemorySegment.ofArray(mine), mine.length);
        List<SharedPointer> dst = new ArrayList<>();
        List<SharedPointer> src = new ArrayList<>();
        List<Strided> shapes = new ArrayList<>();
        byte[][] expected = new byte[parts][room];
        for (int part = 0; part < parts; part++) {
            int place = part / rank.ranks() * rank.ranks() + rank.rank(); // no two ranks write there
            SharedPointer there = shared.onRank(part % rank.ranks()).cast(0, 1).plus((long) place * room);
            dst.addAll(List.of(there, there.plus(each.dstExtent())));
            src.addAll(List.of(matrix.onRank(rank.rank()).cast(0, 1).plus(part * Integer.BYTES), matrix.onRank(rank.rank())));
            shapes.addAll(List.of(each, rest));
            rank.memput(there, MemorySegment.ofArray(expected[part]), room);
            RandomPieces.move(each, expected[part], 0, mine, part * Integer.BYTES);
            RandomPieces.move(rest, expected[part], (int) each.dstExtent(), mine, 0);
        }
        rank.barrier();
        rank.rma().copyList(dst, src, shapes, Completion.REMOTE);
        for (int part = 0; part < parts; part++) {
            check.that(Arrays.equals(expected[part], read(dst.get(2 * part), room)), "list, part " + part + " of " + parts
                    + " local=" + local + " remote=" + dst.get(2 * part));
        }
        rank.barrier();
        rank.allFree(matrix);
        rank.allFree(shared);
    }

    /** Pieces with a notification behind them: the next rank sees all of them when it has it. */
    private void notified(MemoryKind remote, MemoryKind local) {
        int offset = 16;
        int next = (rank.rank() + 1) % rank.ranks();
        int previous = (rank.rank() + rank.ranks() - 1) % rank.ranks();
        SharedPointer shared = allocate(remote, BYTES + offset);
        SharedPointer mine = shared.onRank(rank.rank());
        try (PatternMemory memory = new PatternMemory(rank, local, BYTES);
                Window window = rank.createWindow(rank.world(), mine, BYTES + offset)) {
            for (int round = 0; round < ROUNDS; round++) {
                rank.memput(mine, MemorySegment.ofArray(new byte[BYTES + offset]), BYTES + offset);
                Random own = new Random(1000L * round + rank.rank());
                Pieces pieces = RandomPieces.next(own, BYTES);
                byte[] data = new byte[BYTES];
                own.nextBytes(data);
                write(memory, data);
                rank.barrier();
                window.putNotify(next, offset, memory.block(), pieces, 3);
                rank.notifications().await(3, 1);
                String name = " of round " + round + " local=" + local + " remote=" + remote;
                check.that(Arrays.equals(sent(previous, round, offset), read(mine, BYTES + offset)), "notified pieces" + name);
                byte[] there = sent(rank.rank(), round, offset);
                Pieces back = RandomPieces.next(own, BYTES);
                window.get(memory.block(), next, offset, back);
                window.flush(next);
                RandomPieces.move(back, data, 0, there, offset);
                check.that(Arrays.equals(data, memory.read(0, BYTES).toArray(ValueLayout.JAVA_BYTE)), "get by a window" + name);
                rank.barrier();
            }
            check.refuses(IndexOutOfBoundsException.class, "out of bounds of a window", () -> window.putNotify(next, offset + 1,
                    memory.block(), Strided.contiguous(BYTES), 3), "pieces beyond a window");
        }
        rank.allFree(shared);
    }

    /** Memory of the next rank as a rank has written it in a round. */
    private static byte[] sent(int from, int round, int offset) {
        Random random = new Random(1000L * round + from);
        Pieces pieces = RandomPieces.next(random, BYTES);
        byte[] data = new byte[BYTES];
        random.nextBytes(data);
        byte[] there = new byte[BYTES + offset];
        RandomPieces.move(pieces, there, offset, data, 0);
        return there;
    }

    private byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }

    private void write(PatternMemory memory, byte[] bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
            PatternMemory.copyBlocks(rank, memory.block(), Buffer.ofHost(copy, ElementType.BYTE));
        }
    }

    private byte[] read(SharedPointer there, int count) {
        byte[] bytes = new byte[count];
        rank.memget(MemorySegment.ofArray(bytes), there, count);
        return bytes;
    }

    /** A put, a get and a copy of pieces within {@code bytes} bytes; nobody else uses these places meanwhile. */
    private void move(SharedPointer there, SharedPointer third, PatternMemory memory, Pieces pieces, int bytes) {
        String name = " of " + pieces + " local=" + memory.block().kind() + " remote=" + there;
        byte[] mine = bytes(bytes);
        byte[] theirs = bytes(bytes);
        write(memory, mine);
        rank.memput(there, MemorySegment.ofArray(theirs), bytes);
        rank.rma().put(there, memory.block(), pieces, Completion.REMOTE);
        RandomPieces.move(pieces, theirs, mine);
        check.that(Arrays.equals(theirs, read(there, bytes)), "put" + name);

        Handle handle = rank.rma().get(memory.block(), there, pieces, Completion.HANDLE);
        rank.rma().syncAll(handle);
        RandomPieces.move(pieces, mine, theirs);
        check.that(Arrays.equals(mine, memory.read(0, bytes).toArray(ValueLayout.JAVA_BYTE)), "get" + name);

        rank.barrier();
        rank.memput(third, MemorySegment.ofArray(mine), bytes);
        rank.rma().flush(third.rank());
        rank.rma().copy(third, there, pieces, Completion.REMOTE);
        RandomPieces.move(pieces, mine, theirs);
        check.that(Arrays.equals(mine, read(third, bytes)), "copy" + name + " to=" + third);
        rank.barrier();
    }
}
