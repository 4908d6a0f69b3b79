package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.ArrayView;
import org.pgas4j.Backend;
import org.pgas4j.Layout;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.RecordLayout;
import org.pgas4j.Scope;
import org.pgas4j.SharedArray;
import org.pgas4j.SharedBooleans;
import org.pgas4j.SharedBytes;
import org.pgas4j.SharedChars;
import org.pgas4j.SharedDoubles;
import org.pgas4j.SharedFloats;
import org.pgas4j.SharedInts;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedRecords;
import org.pgas4j.SharedShorts;

/** Views of shared arrays for CUDA C++, compiled for this machine, whose memory the host device has: they find what pointers find. */
@Timeout(300)
@SuppressWarnings("restricted")
class ArrayViewTest {

    private static final int RANKS = 3;
    private static final MemoryLayout VIEW = MemoryLayout.structLayout(MemoryLayout.sequenceLayout(8, ValueLayout.JAVA_LONG));
    private static final String PROBE = """
            extern "C" void probe_NAME(NAME view, long long i, long long *out) {
                out[0] = view.owner(i);
                out[1] = view.place(i);
                out[2] = view.reaches(i) ? (long long) view.get(i) : -1;
                out[3] = view.length();
                view.put(i, (NAME::element) (i % 2));
            }
            extern "C" void own_NAME(NAME view, long long k, long long *out) {
                out[0] = view.index(k);
                out[1] = view.local() + k == view.at(out[0]);
                out[2] = view.local_length();
            }
            """;

    @TempDir
    private Path folder;

    private static List<SharedArray> arrays(Rank rank) {
        SharedLongs onHost = rank.allAllocLongs(Layout.blocked(4), 50);
        try (Scope _ = rank.onDevice()) {
            return List.of(rank.allAllocDoubles(Layout.even(), 50), rank.allAllocLongs(Layout.cyclic(), 40),
                    rank.allAllocInts(Layout.blocked(7), 60), rank.allAllocFloats(Layout.onRank(rank.ranks() - 1), 10),
                    rank.allAllocBytes(Layout.replicated(), 10), rank.allAllocShorts(Layout.blocked(3), 70).slice(5, 60),
                    rank.allAllocChars(Layout.cyclic(), 40).slice(4, 30), rank.allAllocBooleans(Layout.even(), 20),
                    rank.allAllocInts(Layout.onRank(0), 20).slice(3, 10), onHost, onHost.slice(9, 22));
        }
    }

    private static void put(SharedArray array, long i, int value) {
        switch (array) {
            case SharedDoubles of -> of.put(i, value);
            case SharedFloats of -> of.put(i, value);
            case SharedLongs of -> of.put(i, value);
            case SharedInts of -> of.put(i, value);
            case SharedShorts of -> of.put(i, (short) value);
            case SharedChars of -> of.put(i, (char) value);
            case SharedBytes of -> of.put(i, (byte) value);
            case SharedBooleans of -> of.put(i, value != 0);
            case SharedRecords _ -> throw new AssertionError();
        }
    }

    private static PgasConfig config(int ranks) {
        return new PgasConfig().ranks(ranks).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(1 << 20);
    }

    private SymbolLookup compile(Arena arena) throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/g++")), "g++ is missing");
        AtomicReference<String> source = new AtomicReference<>("");
        Pgas.run(config(1), rank -> {
            List<SharedArray> arrays = arrays(rank);
            for (int i = 0; i < arrays.size(); i++) {
                String header = ArrayView.header("view_" + i, arrays.get(i)).replace("#pragma once", "#undef PGAS_VIEW_FUNCTION");
                source.set(source.get() + header + PROBE.replace("NAME", "view_" + i));
            }
        });
        Path file = Files.writeString(folder.resolve("views.cpp"), source.get());
        Path library = folder.resolve("views.so");
        Process compiler = new ProcessBuilder("/usr/bin/g++", "-std=c++17", "-O1", "-Wall", "-shared", "-fPIC", "-o",
                library.toString(), file.toString()).inheritIO().start();
        assertEquals(true, compiler.waitFor(250, TimeUnit.SECONDS));
        assertEquals(0, compiler.exitValue());
        return SymbolLookup.libraryLookup(library, arena);
    }

    private static long[] call(SymbolLookup library, String function, ArrayView view, long argument) {
        try (Arena arena = Arena.ofConfined()) {
            assertEquals(VIEW.byteSize(), RecordLayout.struct(view).byteSize());
            MemorySegment struct = arena.allocate(VIEW).copyFrom(RecordLayout.struct(view));
            MemorySegment out = arena.allocate(32, Long.BYTES);
            FunctionDescriptor type = FunctionDescriptor.ofVoid(VIEW, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS);
            Linker.nativeLinker().downcallHandle(library.findOrThrow(function), type).invokeWithArguments(struct, argument, out);
            return out.toArray(ValueLayout.JAVA_LONG);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    private static void compare(Rank rank, SymbolLookup library, SharedArray array, String name) {
        ArrayView view = rank.device().view(array);
        long each = array.elementBytes();
        long origin = array.place().offset();
        for (long i = 0; i < array.length(); i++) {
            if (array.rankOf(i) == rank.rank()) {
                put(array, i, (int) (i % 2));
            }
        }
        rank.barrier();
        for (long i = 0; i < array.length(); i++) {
            long[] seen = call(library, "probe_" + name, view, i);
            assertEquals(array.rankOf(i), seen[0]);
            assertEquals((array.pointer(i).addrField() - origin) / each, seen[1]);
            assertEquals(i % 2, seen[2]);
            assertEquals(array.length(), seen[3]);
        }
        long[] k = {0};
        array.forAllLocal(i -> {
            long[] seen = call(library, "own_" + name, view, k[0]++);
            assertEquals(i, seen[0]);
            assertEquals(1, seen[1]);
            assertEquals(array.lengthOn(rank.rank()), seen[2]);
        });
        rank.barrier();
    }

    @Test
    void shouldFindElementsOfAllLayoutsAndTypes() throws Exception {
        try (Arena arena = Arena.ofShared()) {
            SymbolLookup library = compile(arena);
            Pgas.run(config(RANKS), rank -> {
                List<SharedArray> arrays = arrays(rank);
                for (int i = 0; i < arrays.size(); i++) {
                    compare(rank, library, arrays.get(i), "view_" + i);
                }
            });
        }
    }

    @Test
    void shouldRefuseRecordsAndNames() {
        Pgas.run(config(1), rank -> {
            SharedLongs longs = rank.allAllocLongs(Layout.even(), 4);
            SharedRecords records = rank.allAllocRecords(ValueLayout.JAVA_LONG, Layout.even(), 4);
            assertThrows(IllegalArgumentException.class, () -> ArrayView.header("view", records));
            assertThrows(IllegalArgumentException.class, () -> ArrayView.header("my view", longs));
        });
    }
}
