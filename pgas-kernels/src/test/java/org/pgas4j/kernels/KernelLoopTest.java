package org.pgas4j.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.SharedDoubles;
import org.pgas4j.kernel.IndexKernel;

/** Loops over shared arrays: the C++ that a rank's device runs, on segments that the test lays out as ranks have them. */
class KernelLoopTest {

    private static final int RANKS = 2;
    private static final int LENGTH = 16;
    private static final int BYTES = 8 * LENGTH / RANKS; // of an array on a rank
    private static final int FAULT_BYTES = 48;

    @TempDir
    private Path folder;

    private final SharedDoubles none = null; // a translation needs the types alone

    private IndexKernel shifted(SharedDoubles a, SharedDoubles b, SharedDoubles c) {
        return i -> c.put(i, a.get(i) + 2 * b.get(i + 1));
    }

    private static double a(long i) {
        return i * 0.5;
    }

    private static double b(long i) {
        return 100 - i * i;
    }

    /** Segments with arrays a, b and c, one behind the other. */
    private static MemorySegment[] segments(Arena arena, int block) {
        MemorySegment[] segments = new MemorySegment[RANKS];
        for (int rank = 0; rank < RANKS; rank++) {
            segments[rank] = arena.allocate(3 * BYTES, Long.BYTES);
            for (int place = 0; place < LENGTH / RANKS; place++) {
                long i = index(rank, place, block);
                segments[rank].set(ValueLayout.JAVA_DOUBLE, 8L * place, a(i));
                segments[rank].set(ValueLayout.JAVA_DOUBLE, BYTES + 8L * place, b(i));
            }
        }
        return segments;
    }

    private static long index(int rank, int place, int block) {
        return (long) (place / block * RANKS + rank) * block + place % block;
    }

    /** Runs a rank's part of the loop up to place {@code to}; returns the fault's record. */
    private MemorySegment run(SymbolLookup library, Arena arena, MemorySegment[] segments, int rank, int block, long to)
            throws Throwable {
        MemorySegment bases = arena.allocate(8L * RANKS, 8);
        for (int i = 0; i < RANKS; i++) {
            bases.setAtIndex(ValueLayout.JAVA_LONG, i, segments[i].address());
        }
        MemorySegment fault = arena.allocate(FAULT_BYTES, 8);
        List<Object> values = new ArrayList<>(List.of(fault, bases, 0L, to, (long) block, 0L, RANKS, rank, 0L, 1L, 7L));
        for (int array : new int[] {2, 0, 1}) { // in the order in which the lambda expression names them
            values.addAll(List.of(0, (long) array * BYTES, (long) LENGTH, 0L, (long) block, RANKS, rank,
                    segments[rank].asSlice((long) array * BYTES)));
        }
        HostCompiler.function(library, KernelTranslator.translate(shifted(none, none, none), KernelForm.LOOP).name(),
                FunctionDescriptor.ofVoid(values.stream().map(KernelLoopTest::layout).toArray(MemoryLayout[]::new)))
                .invokeWithArguments(values);
        return fault;
    }

    private static MemoryLayout layout(Object value) {
        return value instanceof Integer ? ValueLayout.JAVA_INT : value instanceof Long ? ValueLayout.JAVA_LONG : ValueLayout.ADDRESS;
    }

    @Test
    void shouldReadOverTheBordersOfRanksAndBlocks() throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            TranslatedKernel kernel = KernelTranslator.translate(shifted(none, none, none), KernelForm.LOOP);
            assertTrue(kernel.cuda().contains("first_index >="), "the loop without checks is there");
            SymbolLookup library = HostCompiler.compile(kernel.cuda(), folder, arena);
            for (int block : new int[] {LENGTH / RANKS, 2, 1}) {
                MemorySegment[] segments = segments(arena, block);
                for (int rank = 0; rank < RANKS; rank++) {
                    long to = LENGTH / RANKS - rank; // without the last element
                    assertEquals(0, run(library, arena, segments, rank, block, to).get(ValueLayout.JAVA_INT, 0));
                    for (int place = 0; place < to; place++) {
                        long i = index(rank, place, block);
                        assertEquals(a(i) + 2 * b(i + 1), segments[rank].get(ValueLayout.JAVA_DOUBLE, 2 * BYTES + 8L * place));
                    }
                }
            }
        }
    }

    @Test
    void shouldStopAtTheLastElement() throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            TranslatedKernel kernel = KernelTranslator.translate(shifted(none, none, none), KernelForm.LOOP);
            SymbolLookup library = HostCompiler.compile(kernel.cuda(), folder, arena);
            MemorySegment[] segments = segments(arena, LENGTH / RANKS);
            MemorySegment fault = run(library, arena, segments, 1, LENGTH / RANKS, LENGTH / RANKS);
            assertEquals(LENGTH, fault.get(ValueLayout.JAVA_LONG, 16));
            assertEquals(a(14) + 2 * b(15), segments[1].get(ValueLayout.JAVA_DOUBLE, 2 * BYTES + 8L * 6));
            assertEquals(0.0, segments[1].get(ValueLayout.JAVA_DOUBLE, 2 * BYTES + 8L * 7));
        }
    }
}
