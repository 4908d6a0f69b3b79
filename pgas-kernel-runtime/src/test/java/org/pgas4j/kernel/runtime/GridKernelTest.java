package org.pgas4j.kernel.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.Serializable;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.GlobalLongs;
import org.pgas4j.GlobalPlace;
import org.pgas4j.GlobalPlace.GridAxis;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.kernel.IndexKernel2;
import org.pgas4j.kernel.IndexKernel3;
import org.pgas4j.kernel.IndexSpace;
import org.pgas4j.kernels.KernelForm;
import org.pgas4j.kernels.KernelTranslator;
import org.pgas4j.kernels.TranslatedKernel;

/** Loops over index spaces and elements of grids in C++, compiled for this machine, against the definition of the distribution. */
@Timeout(300)
@SuppressWarnings("restricted")
class GridKernelTest {

    private static final int RANKS = 6;
    private static final int BLOCKS = 3; // thread blocks of a launch, in turn
    private static final long OFFSET = 64;
    private static final long SEGMENT_BYTES = 1 << 16;
    private static final MemoryLayout SPACE = MemoryLayout.structLayout(MemoryLayout.sequenceLayout(27, ValueLayout.JAVA_LONG));
    private static final MemoryLayout PLACE = MemoryLayout.structLayout(MemoryLayout.sequenceLayout(16, ValueLayout.JAVA_LONG));

    @TempDir
    private Path folder;

    /** An array over segments of all ranks that lie in this process. */
    private record Array(long[] lengths, int[] ranks, long[] blocks, MemorySegment[] segments) {

        GlobalPlace place(int rank) {
            List<GridAxis> axes = new ArrayList<>();
            long stride = 1;
            int rest = rank;
            boolean inside = rank < count(ranks);
            for (int d = lengths.length - 1; d >= 0; d--) {
                axes.addFirst(new GridAxis(lengths[d], ranks[d], blocks[d], stride, inside ? rest % ranks[d] : -1));
                rest /= ranks[d];
                stride *= Math.ceilDiv(Math.ceilDiv(lengths[d], blocks[d]), (long) ranks[d]) * blocks[d];
            }
            return new GlobalPlace(PgasUnsafe.pointer(MemoryKind.DEVICE, 0, RANKS, 0, OFFSET, 0, Long.BYTES), 0, stride, 0, 1, axes);
        }

        IndexSpace space(int rank) {
            return IndexSpace.of(place(rank).axes().stream().map(axis -> axis.coordinate() < 0
                    ? new IndexSpace.Dimension(0, 0, 1, 1, 1, 0)
                    : new IndexSpace.Dimension(0, axis.length(), 1, axis.block(), axis.ranks(), axis.coordinate()))
                    .toArray(IndexSpace.Dimension[]::new));
        }

        /** Rank and place of an element, by definition. */
        long[] find(long... index) {
            List<GridAxis> axes = place(0).axes();
            int rank = 0;
            long at = 0;
            for (int d = 0; d < index.length; d++) {
                long number = index[d] / blocks[d];
                rank = rank * ranks[d] + (int) (number % ranks[d]);
                at += (number / ranks[d] * blocks[d] + index[d] % blocks[d]) * axes.get(d).stride();
            }
            return new long[] {rank, OFFSET + at * Long.BYTES};
        }

        long get(long... index) {
            long[] at = find(index);
            return segments[(int) at[0]].get(ValueLayout.JAVA_LONG, at[1]);
        }

        void put(long value, long... index) {
            long[] at = find(index);
            segments[(int) at[0]].set(ValueLayout.JAVA_LONG, at[1], value);
        }

        static int count(int... ranks) {
            int count = 1;
            for (int each : ranks) {
                count *= each;
            }
            return count;
        }
    }

    private static Array array(Arena arena, Random random, long... lengths) {
        int[] ranks = new int[lengths.length];
        long[] blocks = new long[lengths.length];
        int rest = RANKS;
        for (int d = 0; d < lengths.length; d++) {
            ranks[d] = 1 + random.nextInt(rest);
            rest /= ranks[d];
            blocks[d] = random.nextBoolean() ? Math.ceilDiv(lengths[d], (long) ranks[d]) : 1 + random.nextInt(4);
        }
        MemorySegment[] segments = new MemorySegment[RANKS];
        for (int rank = 0; rank < RANKS; rank++) {
            segments[rank] = arena.allocate(SEGMENT_BYTES, Long.BYTES);
        }
        return new Array(lengths, ranks, blocks, segments);
    }

    private MethodHandle compile(TranslatedKernel kernel, Arena arena) throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/g++")), "g++ is missing");
        Path file = Files.writeString(folder.resolve(kernel.name() + ".cpp"), kernel.cuda() + """
                extern "C" void launch(int block, int blocks, pgas_fault *fault, char *const *as, char *const *bs, pgas_space space,
                                       pgas_grid_place a, pgas_grid_place b) {
                    pgas_host_block = block;
                    pgas_host_blocks = blocks;
                    char *bases[2 * 6];
                    for (int i = 0; i < 6; i++) {
                        bases[i] = as[i];
                        bases[6 + i] = bs[i];
                    }
                    KERNEL(fault, bases, space, a, b);
                }
                """.replace("KERNEL", kernel.name()));
        Path library = folder.resolve(kernel.name() + ".so");
        Process compiler = new ProcessBuilder("/usr/bin/g++", "-std=c++17", "-O1", "-fwrapv", "-Wall", "-shared", "-fPIC", "-o",
                library.toString(), file.toString()).inheritIO().start();
        assertEquals(true, compiler.waitFor(250, TimeUnit.SECONDS));
        assertEquals(0, compiler.exitValue());
        return Linker.nativeLinker().downcallHandle(SymbolLookup.libraryLookup(library, arena).findOrThrow("launch"),
                FunctionDescriptor.ofVoid(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS,
                        ValueLayout.ADDRESS, SPACE, PLACE, PLACE));
    }

    private static MemorySegment bases(Arena arena, Array of) {
        MemorySegment bases = arena.allocate(ValueLayout.ADDRESS, RANKS);
        for (int rank = 0; rank < RANKS; rank++) {
            bases.setAtIndex(ValueLayout.ADDRESS, rank, of.segments[rank]);
        }
        return bases;
    }

    private static MemorySegment struct(Arena arena, MemorySegment struct) {
        return arena.allocate(struct.byteSize(), Long.BYTES).copyFrom(struct);
    }

    /** All blocks of all ranks' launches of a kernel of one thread each. */
    private static void launch(MethodHandle kernel, Array a, Array b) throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment fault = arena.allocate(64);
            for (int rank = 0; rank < RANKS; rank++) {
                SpaceRange range = SpaceRange.of(b.space(rank), b.lengths.length);
                SpaceRange.Tiles tiles = range.tiles(BLOCKS, 1);
                MemorySegment space = struct(arena, range.struct(tiles));
                MemorySegment first = struct(arena, KernelArguments.struct(a.place(rank), range.aligned(a.place(rank)), 0));
                MemorySegment second = struct(arena, KernelArguments.struct(b.place(rank), range.aligned(b.place(rank)), RANKS));
                for (int block = 0; block < tiles.blocks(); block++) {
                    kernel.invokeWithArguments(block, tiles.blocks(), fault, bases(arena, a), bases(arena, b), space, first, second);
                    assertEquals(0, fault.get(ValueLayout.JAVA_INT, 0));
                }
            }
        }
    }

    private static TranslatedKernel translated(Serializable kernel, KernelForm form) {
        return KernelTranslator.translate(kernel, form);
    }

    @Test
    void shouldFindElementsOfMatrices() throws Throwable {
        GlobalLongs from = null;
        GlobalLongs to = null;
        IndexKernel2 kernel = (i, j) -> {
            long value = from.get(j, i) * 10 + from.rankOf(j, i) + from.length(1) * 100_000; // captured first
            to.addTo(i, j, value + to.rankOf(i, j) * 100_000L);
        };
        Random random = new Random(1);
        try (Arena arena = Arena.ofConfined()) {
            MethodHandle compiled = compile(translated(kernel, KernelForm.SPACE_2), arena);
            for (int trial = 0; trial < 60; trial++) {
                long rows = 1 + random.nextInt(20);
                long columns = 1 + random.nextInt(20);
                Array a = array(arena, random, columns, rows);
                Array b = array(arena, random, rows, columns);
                fill(a, columns, rows);
                launch(compiled, a, b);
                for (long at = 0; at < rows * columns; at++) {
                    long i = at / columns;
                    long j = at % columns;
                    assertEquals((j * 100 + i) * 10 + a.find(j, i)[0] + (b.find(i, j)[0] + rows) * 100_000, b.get(i, j));
                }
            }
        }
    }

    private static void fill(Array a, long rows, long columns) {
        for (long i = 0; i < rows; i++) {
            for (long j = 0; j < columns; j++) {
                a.put(i * 100 + j, i, j);
            }
        }
    }

    @Test
    void shouldFindElementsOfCubes() throws Throwable {
        GlobalLongs from = null;
        GlobalLongs to = null;
        IndexKernel3 kernel = (i, j, k) -> {
            from.put(k, j, i, from.get(k, j, i) + 5);
            to.put(i, j, k, to.get(i, j, k) + (i * 100 + j) * 100 + k + 1);
        };
        Random random = new Random(2);
        try (Arena arena = Arena.ofConfined()) {
            MethodHandle compiled = compile(translated(kernel, KernelForm.SPACE_3), arena);
            for (int trial = 0; trial < 60; trial++) {
                long[] lengths = {1 + random.nextInt(8), 1 + random.nextInt(8), 1 + random.nextInt(8)};
                Array a = array(arena, random, lengths[2], lengths[1], lengths[0]);
                Array b = array(arena, random, lengths);
                launch(compiled, a, b);
                for (long at = 0; at < lengths[0] * lengths[1] * lengths[2]; at++) {
                    long k = at % lengths[2];
                    long j = at / lengths[2] % lengths[1];
                    long i = at / lengths[2] / lengths[1];
                    assertEquals(5, a.get(k, j, i));
                    assertEquals((i * 100 + j) * 100 + k + 1, b.get(i, j, k));
                }
            }
        }
    }
}
