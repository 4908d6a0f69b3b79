package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.ToLongFunction;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.Handle;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;
import org.pgas4j.testkit.program.PatternMemory;
import org.pgas4j.testkit.program.Tally;

/**
 * Every transfer, between every pair of kinds, to the next rank and to itself, in every size that has a case of its own
 * somewhere, at two alignments, with guard bytes on both sides. The source is overwritten as soon as the call allows it; the
 * target's owner looks after a barrier: at the range and what is near it, and at all of its memory, in which nothing but the
 * ranges was overwritten since, for the largest size.
 */
final class TransferContract extends Contract {

    /** Bytes. */
    static final long[] SIZES = {0, 1, 7, 8, 9, 4095, 4096, 4097, (1 << 20) + 3};

    private static final long GUARD = 64;
    private static final long NEAR = 4096;
    private static final long MAX = SIZES[SIZES.length - 1] + 2 * GUARD + 8;
    private static final byte GUARD_BYTE = (byte) 0xA5;
    private static final byte SET_BYTE = (byte) 0x3C;

    private enum Form { BLOCKING, HANDLE, IMPLICIT, STREAM }

    private long seed;

    TransferContract(Rank rank, Tally check) {
        super(rank, check);
    }

    /** Bytes of shared heap of each kind this needs. */
    static long heapBytes() {
        return 3 * MAX + (1 << 16);
    }

    @Override
    void run() {
        for (MemoryKind remote : MemoryKind.values()) {
            SharedPointer shared = allocate(remote, MAX);
            for (MemoryKind local : MemoryKind.values()) {
                try (PatternMemory memory = new PatternMemory(rank, local, MAX)) {
                    for (int distance = 1; distance >= 0; distance--) {
                        if (distance == 0 || rank.ranks() > 1) {
                            pair(shared, memory, distance);
                        }
                    }
                }
            }
            rank.allFree(shared);
        }
        copies();
        javaArrays();
        bounds();
    }

    /** Bytes from the start to look at: a range, what is before it, and some of what is behind it. */
    private static long looked(long start, long size) {
        return Math.min(MAX, start + size + NEAR);
    }

    private void pair(SharedPointer shared, PatternMemory memory, int distance) {
        guardMine(shared, 0, MAX);
        memory.set(GUARD_BYTE, 0, MAX);
        rank.barrier();
        for (long size : SIZES) {
            for (long shift = 0; shift <= 3; shift += 3) {
                for (Form form : Form.values()) {
                    put(shared, memory, distance, size, shift, form);
                    get(shared, memory, distance, size, shift, form);
                }
                set(shared, distance, size, shift);
            }
        }
    }

    private String name(String what, SharedPointer shared, Buffer local, int distance, long size, long shift, Form form) {
        return what + " " + form + " local=" + local.kind() + " remote=" + shared.kind() + " distance=" + distance
                + " size=" + size + " shift=" + shift;
    }

    private void guardMine(SharedPointer shared, long from, long size) {
        rank.stream().fill(mine(shared, MAX).slice(from, size), GUARD_BYTE);
        rank.stream().sync();
    }

    private void writeMine(SharedPointer shared, long patternSeed, long from, long size) {
        try (PatternMemory source = new PatternMemory(rank, MemoryKind.HOST, size)) {
            source.fill(patternSeed, 0, size);
            PatternMemory.copyBlocks(rank, mine(shared, MAX).slice(from, size), source.block());
        }
    }

    private SharedPointer at(SharedPointer shared, int target, long offset) {
        return shared.onRank(target).cast(0, 1).plus(offset);
    }

    private void put(SharedPointer shared, PatternMemory memory, int distance, long size, long shift, Form form) {
        String name = name("put", shared, memory.block(), distance, size, shift, form);
        long start = GUARD + shift;
        seed++;
        memory.fill(seed * 31 + rank.rank(), 0, size);

        SharedPointer dst = at(shared, target(distance), start);
        Buffer src = memory.block().slice(0, size);
        switch (form) {
            case BLOCKING -> rank.memput(dst, src);
            case HANDLE -> {
                Handle handle = rank.rma().put(dst, src, Completion.HANDLE);
                askFor(handle);
                handle.sync();
            }
            case IMPLICIT -> {
                rank.rma().put(dst, src, Completion.IMPLICIT);
                rank.rma().syncAll();
                check.that(rank.rma().trySyncAll(), name + ": trySyncAll after syncAll");
            }
            case STREAM -> {
                rank.stream().memput(dst, src);
                rank.stream().sync();
            }
        }
        memory.set((byte) 0xEE, 0, size);
        rank.barrier();

        verify(shared, start, size, seed * 31 + target(-distance), name);
        memory.set(GUARD_BYTE, 0, size);
        rank.barrier();
    }

    /** Looks at this rank's memory and restores it. */
    private void verify(SharedPointer shared, long start, long size, String name, ToLongFunction<MemorySegment> mismatch) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment seen = arena.allocate(looked(start, size));
            readMine(seen, shared);
            check.same(-1L, mismatch.applyAsLong(seen), name + ": payload");
            verifyGuards(seen, start, size, name);
        }
        guardMine(shared, start, size);
    }

    private void verify(SharedPointer shared, long start, long size, long expectedSeed, String name) {
        verify(shared, start, size, name, seen -> PatternMemory.mismatch(seen, expectedSeed, start, size));
    }

    private void verifyGuards(MemorySegment seen, long start, long size, String name) {
        check.same(-1L, PatternMemory.mismatch(seen, GUARD_BYTE, 0, start), name + ": guard before");
        check.same(-1L, PatternMemory.mismatch(seen, GUARD_BYTE, start + size, looked(start, size) - start - size),
                name + ": guard after");
    }

    private void get(SharedPointer shared, PatternMemory memory, int distance, long size, long shift, Form form) {
        String name = name("get", shared, memory.block(), distance, size, shift, form);
        long start = GUARD + shift;
        seed++;
        writeMine(shared, seed * 31 + rank.rank(), start, size);
        rank.barrier();

        SharedPointer src = at(shared, target(distance), start);
        Buffer dst = memory.block().slice(start, size);
        switch (form) {
            case BLOCKING -> rank.memget(dst, src);
            case HANDLE -> rank.rma().get(dst, src, Completion.HANDLE).sync();
            case IMPLICIT -> {
                rank.rma().get(dst, src, Completion.IMPLICIT);
                rank.rma().syncAll();
            }
            case STREAM -> {
                rank.stream().memget(dst, src);
                rank.stream().sync();
            }
        }
        MemorySegment seen = memory.read(0, looked(start, size));
        check.same(-1L, PatternMemory.mismatch(seen, seed * 31 + target(distance), start, size), name + ": payload");
        verifyGuards(seen, start, size, name);
        memory.set(GUARD_BYTE, start, size);
        rank.barrier();
        guardMine(shared, start, size);
        rank.barrier();
    }

    private void set(SharedPointer shared, int distance, long size, long shift) {
        String name = "set remote=" + shared.kind() + " distance=" + distance + " size=" + size + " shift=" + shift;
        long start = GUARD + shift;
        rank.memset(at(shared, target(distance), start), SET_BYTE, size);
        rank.barrier();
        verify(shared, start, size, name, seen -> PatternMemory.mismatch(seen, SET_BYTE, start, size));
        rank.barrier();
    }

    /** memcpy between two ranks of which the caller may be neither. */
    private void copies() {
        for (MemoryKind from : MemoryKind.values()) {
            SharedPointer source = allocate(from, MAX);
            for (MemoryKind to : MemoryKind.values()) {
                SharedPointer target = allocate(to, MAX);
                guardMine(target, 0, MAX);
                rank.barrier();
                for (long size : SIZES) {
                    for (boolean blocking : new boolean[] {true, false}) {
                        copy(source, target, size, blocking);
                    }
                }
                rank.allFree(target);
            }
            rank.allFree(source);
        }
    }

    private void copy(SharedPointer source, SharedPointer target, long size, boolean blocking) {
        String name = "copy from=" + source.kind() + " to=" + target.kind() + " size=" + size + " blocking=" + blocking;
        seed++;
        writeMine(source, seed * 31 + rank.rank(), GUARD, size);
        rank.barrier();
        // Rank r copies from r+1 to r+2: with three ranks or more it owns neither end.
        SharedPointer dst = at(target, target(2), GUARD + 3);
        SharedPointer src = at(source, target(1), GUARD);
        if (blocking) {
            rank.memcpy(dst, src, size);
        } else {
            rank.rma().copy(dst, src, size, Completion.HANDLE).sync();
        }
        rank.barrier();
        verify(target, GUARD + 3, size, seed * 31 + target(-1), name);
        rank.barrier();
    }

    /** Java arrays as source and destination: no device can address them. */
    private void javaArrays() {
        for (MemoryKind kind : MemoryKind.values()) {
            SharedPointer shared = allocate(kind, MAX);
            for (long size : SIZES) {
                byte[] source = new byte[(int) size];
                for (int i = 0; i < size; i++) {
                    source[i] = PatternMemory.pattern(rank.rank() + size, i);
                }
                rank.memput(at(shared, target(1), GUARD), MemorySegment.ofArray(source), size);
                rank.barrier();
                byte[] seen = new byte[(int) size];
                rank.memget(MemorySegment.ofArray(seen), at(shared, rank.rank(), GUARD), size);
                check.same(-1L, PatternMemory.mismatch(MemorySegment.ofArray(seen), target(-1) + size, 0, size),
                        "Java array, kind=" + kind + " size=" + size);
                rank.barrier();
            }
            rank.allFree(shared);
        }
    }

    /** Ranges that leave a segment, and what must not move because of them. */
    private void bounds() {
        for (MemoryKind kind : MemoryKind.values()) {
            long capacity = rank.memory().stats(kind).capacityBytes();
            MemorySegment local = Arena.ofAuto().allocate(64);
            long[][] ranges = {{capacity, 1}, {capacity - 7, 8}, {0, capacity + 1}, {8, Long.MAX_VALUE},
                {Long.MAX_VALUE, 1}, {Long.MAX_VALUE - 3, 8}, {0, -1}, {capacity, -8}};
            for (long[] range : ranges) {
                SharedPointer pointer = PgasUnsafe.pointer(kind, target(1), rank.ranks(), 0, range[0], 0, 1);
                String what = kind + " offset=" + range[0] + " length=" + range[1];
                check.refuses(IndexOutOfBoundsException.class, "out of bounds", () -> rank.memput(pointer, local, range[1]),
                        "memput " + what);
                check.refuses(IndexOutOfBoundsException.class, "out of bounds", () -> rank.memget(local, pointer, range[1]),
                        "memget " + what);
                check.refuses(IndexOutOfBoundsException.class, "out of bounds", () -> rank.memset(pointer, 0, range[1]),
                        "memset " + what);
                check.refuses(IndexOutOfBoundsException.class, "out of bounds",
                        () -> rank.memcpy(pointer, PgasUnsafe.pointer(kind, rank.rank(), rank.ranks(), 0, 0, 0, 1), range[1]),
                        "memcpy " + what);
            }
            SharedPointer start = PgasUnsafe.pointer(kind, target(1), rank.ranks(), 0, 0, 0, 1);
            check.refuses(IndexOutOfBoundsException.class, "local memory", () -> rank.memput(start, local, 65),
                    "memput of more than the local memory has");
            check.refuses(IndexOutOfBoundsException.class, "local memory", () -> rank.memget(local, start, 65),
                    "memget of more than the local memory has");
            SharedPointer absent = PgasUnsafe.pointer(kind, rank.ranks(), rank.ranks() + 1, 0, 0, 0, 1);
            check.refuses(IndexOutOfBoundsException.class, "rank out of range", () -> rank.memput(absent, local, 8),
                    "memput to a rank that does not exist");
        }
        rank.barrier();
    }
}
