package org.pgas4j.library;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.pgas4j.Buffer;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.Layout;
import org.pgas4j.Pgas;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedInts;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedPointer;
import org.pgas4j.array.LinkedStack;
import org.pgas4j.array.SharedPointers;
import org.pgas4j.array.Strict;
import org.pgas4j.clock.JobClock;
import org.pgas4j.io.CommonFilePointer;
import org.pgas4j.io.DeviceFiles;
import org.pgas4j.io.Elements;
import org.pgas4j.io.FilePointer;
import org.pgas4j.io.Origin;
import org.pgas4j.io.SharedFile;
import org.pgas4j.io.SharedFileException;
import org.pgas4j.loop.ForAll;
import org.pgas4j.task.StealingLoop;

/** Program of {@link LibraryJobTest}: {@code FILE}, which it makes. */
final class LibraryJob {

    static final List<String> PARTS = List.of("clock", "strict", "loops", "pointers", "files");

    private static final int ROUNDS = 200;

    private final Rank rank;
    private final int me;
    private final int ranks;
    private final int next;

    private LibraryJob(Rank rank) {
        this.rank = rank;
        this.me = rank.rank();
        this.ranks = rank.ranks();
        this.next = (me + 1) % ranks;
    }

    public static void main(String[] args) {
        Pgas.run(args, rank -> {
            LibraryJob job = new LibraryJob(rank);
            for (String part : PARTS) {
                switch (part) {
                    case "clock" -> job.clock();
                    case "strict" -> job.strict();
                    case "loops" -> job.loops();
                    case "pointers" -> job.pointers();
                    case "files" -> job.files(Path.of(rank.args().getFirst()));
                    default -> throw new AssertionError(part);
                }
                rank.barrier();
                if (job.me == 0) {
                    System.out.println(part + " as expected on " + job.ranks + " ranks in " + rank.processes() + " JVMs");
                }
            }
        });
    }

    private SharedLongs zeros(Layout layout, long length) {
        SharedLongs array = rank.allAllocLongs(layout, length);
        array.forAllLocal(i -> array.put(i, 0));
        rank.barrier();
        return array;
    }

    /** JVMs of one kernel read one clock, {@code CLOCK_MONOTONIC}: the true offset is 0. */
    private void clock() {
        JobClock clock = JobClock.synchronize(rank);
        assertTrue(Math.abs(clock.offsetNs()) <= clock.errorNs(), me + ": " + clock);
        assertEquals(me == 0, clock.errorNs() == 0);
        assertEquals(rank.allReduce(clock.errorNs(), ReduceOp.MAX), clock.maxErrorNs());
        SharedLongs times = zeros(Layout.cyclic(), ranks);
        for (int round = 0; round < ROUNDS; round++) {
            times.put(me, clock.ticks());
            rank.barrier();
            long later = clock.ticks();
            for (int other = 0; other < ranks; other++) {
                assertTrue(times.get(other) <= later + 2 * clock.maxErrorNs(), "rank " + other + " before " + me + ": " + clock);
            }
            rank.barrier();
        }
    }

    /**
     * Each rank writes its word and reads the next rank's: one of them reads what was written. Each writes data, then a flag in
     * the memory of a third rank: the next rank, if it has seen the flag, sees the data.
     */
    private void strict() {
        SharedLongs words = zeros(Layout.even(), (long) ranks * ROUNDS);
        SharedLongs data = zeros(Layout.even(), (long) ranks * ROUNDS);
        SharedLongs flags = zeros(Layout.even(), (long) ranks * ROUNDS);
        SharedLongs results = zeros(Layout.even(), (long) ranks * ROUNDS);
        Strict strictWords = Strict.of(rank, words);
        Strict strictFlags = Strict.of(rank, flags);
        int before = (me + ranks - 1) % ranks;
        for (int round = 0; round < ROUNDS; round++) {
            rank.barrier();
            strictWords.putLong((long) me * ROUNDS + round, 1);
            results.put((long) me * ROUNDS + round, strictWords.getLong((long) next * ROUNDS + round));

            data.put((long) me * ROUNDS + round, 7 + round);
            strictFlags.putLong((long) before * ROUNDS + round, 1 + me);
            long seen = strictFlags.getLong((long) (before + ranks - 1) % ranks * ROUNDS + round);
            if (seen != 0) {
                assertEquals(1 + before, seen);
                assertEquals(7 + round, data.get((long) before * ROUNDS + round), "data of rank " + before + " after its flag");
            }
        }
        rank.barrier();
        for (int round = 0; round < ROUNDS; round++) {
            long sum = 0;
            for (int other = 0; other < ranks; other++) {
                sum += results.get((long) other * ROUNDS + round);
                assertEquals(1, strictWords.getLong((long) other * ROUNDS + round));
                assertEquals(1 + (other + 1) % ranks, strictFlags.getLong((long) other * ROUNDS + round));
            }
            assertTrue(sum > 0, "no rank has seen a word of round " + round);
        }
    }

    /** Each index once, on its rank, and what a loop reads of other ranks. */
    private void loops() {
        int length = 50;
        SharedLongs counts = zeros(Layout.blocked(4), length);
        SharedLongs done = zeros(Layout.blocked(4), length);
        ForAll loop = ForAll.of(rank);
        loop.byElement(counts, i -> {
            assertEquals(me, counts.rankOf(i));
            rank.atomics().fetchAdd(counts.pointer(i), 1);
        });
        loop.byPointer(0, length, 1, counts::pointer, i -> {
            assertEquals(me, counts.rankOf(i));
            rank.atomics().fetchAdd(counts.pointer(i), 10);
        });
        loop.byInteger(0, length, 1, i -> i / 3, i -> {
            assertEquals(me, (int) (i / 3 % ranks));
            rank.atomics().fetchAdd(counts.pointer(i), 100);
        });
        StealingLoop.forAll(rank, 0, length, 2, (from, to) -> {
            for (long i = from; i < to; i++) {
                rank.atomics().fetchAdd(counts.pointer(i), 1000);
            }
        });
        for (long i = 0; i < length; i++) {
            assertEquals(1111, counts.get(i), "index " + i);
        }
        SharedInts elsewhere = rank.allAllocInts(Layout.cyclic(), length);
        elsewhere.forAllLocal(i -> elsewhere.put(i, 5 + (int) i));
        rank.barrier();
        loop.parallel(range -> {
            for (long at = range.from(); at < range.to(); at++) {
                range.setLong(0, at, range.getLong(0, at) + range.index(at) * range.getInt(1, at));
            }
        }, done, elsewhere);
        rank.barrier();
        for (long i = 0; i < length; i++) {
            assertEquals(i * (5 + i), done.get(i), "index " + i);
        }
    }

    /** Pointers to memory that others have allocated, and a stack that all ranks push to. */
    private void pointers() {
        try (SharedPointers pointers = SharedPointers.allocate(rank, Layout.cyclic(), ranks)) {
            SharedPointer own = rank.alloc(16);
            assertNull(pointers.get(me));
            rank.barrier();
            pointers.put(next, own.plus(8)); // in the next rank's memory
            rank.barrier();
            SharedPointer theirs = pointers.get(me);
            assertEquals((me + ranks - 1) % ranks, theirs.rank());
            rank.rma().putLong(theirs, 5 + me);
            rank.barrier();
            assertEquals(5 + next, rank.rma().getLong(own.plus(8)));
            rank.barrier();
            rank.free(own);
        }
        LinkedStack.run(rank, 50);
    }

    private void files(Path path) {
        int length = 3001;
        long[] expected = new long[length];
        for (int i = 0; i < length; i++) {
            expected[i] = 0x9e3779b97f4a7c15L * (i + 1);
        }
        SharedLongs array = rank.allAllocLongs(Layout.cyclic(), length);
        SharedLongs other;
        try (Scope _ = rank.onDevice()) {
            other = rank.allAllocLongs(Layout.blocked(100), length);
        }
        array.forAllLocal(i -> array.put(i, expected[(int) i]));
        rank.barrier();
        long bytes = 8L * length;
        try (SharedFile file = SharedFile.open(rank, path, StandardOpenOption.READ, StandardOpenOption.WRITE,
                StandardOpenOption.CREATE)) {
            file.write(16, array);
            assertEquals(16 + bytes, file.size());
            file.read(16, other);
            assertContents(expected, other);
            assertThrows(CollectiveMismatchException.class, () -> file.write(8L * me, array));

            CommonFilePointer common = file.commonPointer();
            common.seek(Origin.END, 0);
            common.write(other);
            Handle started = common.startWrite(Elements.of(array));
            assertEquals(16 + 3 * bytes, common.position());
            started.sync();
            rank.barrier();
            assertEquals(16 + 3 * bytes, file.size());
            array.forAllLocal(i -> array.put(i, 0));
            common.seek(Origin.START, 16 + bytes);
            common.read(array);
            assertContents(expected, array);
            assertThrows(CollectiveMismatchException.class, () -> common.seek(Origin.START, me));

            FilePointer pointer = file.pointer();
            pointer.seek(Origin.START, 16L * me);
            pointer.write(Buffer.ofHost(MemorySegment.ofArray(new long[] {10 + me, 20 + me}), ElementType.LONG));
            rank.barrier();
            long[] seen = new long[2];
            pointer.seek(Origin.START, 16L * next);
            pointer.read(Buffer.ofHost(MemorySegment.ofArray(seen), ElementType.LONG));
            assertArrayEquals(new long[] {10 + next, 20 + next}, seen);
            pointer.seek(Origin.END, 0);
            assertThrows(SharedFileException.class,
                    () -> pointer.read(Buffer.ofHost(MemorySegment.ofArray(seen), ElementType.LONG)));
            rank.barrier();
        }
        DeviceFiles.run(rank, path);
        SharedFileException missing = assertThrows(SharedFileException.class,
                () -> SharedFile.open(rank, path.resolveSibling("missing")));
        assertTrue(missing.getMessage().contains("missing"), missing::toString);
    }

    private void assertContents(long[] expected, SharedLongs array) {
        long[] seen = new long[expected.length];
        array.get(0, seen);
        assertArrayEquals(expected, seen);
        rank.barrier();
    }
}
