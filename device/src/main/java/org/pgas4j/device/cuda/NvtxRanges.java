package org.pgas4j.device.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Named ranges of threads for NVIDIA's profilers, by the C functions of NVTX ({@code nvtxRangePushA}, {@code nvtxRangePop};
 * NVIDIA Tools Extension Library). Off until {@link #turnOn}. Thread-safe.
 */
public final class NvtxRanges {

    private static final List<String> LIBRARIES = List.of("libnvtx3interop.so.1", "libnvtx3interop.so", "libnvToolsExt.so.1",
            "libnvToolsExt.so");

    private static NvtxRanges on; // read without order: set before the threads of a run start
    private static boolean tried; // guarded by the class

    private final MethodHandle push;
    private final MethodHandle pop;
    private final Map<String, MemorySegment> names = new ConcurrentHashMap<>();

    @SuppressWarnings("restricted")
    private NvtxRanges(MemorySegment push, MemorySegment pop) {
        Linker linker = Linker.nativeLinker();
        this.push = linker.downcallHandle(push, FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
        this.pop = linker.downcallHandle(pop, FunctionDescriptor.of(ValueLayout.JAVA_INT));
    }

    /** The ranges of a library; empty if it lacks a function. */
    static Optional<NvtxRanges> of(SymbolLookup library) {
        return library.find("nvtxRangePushA").flatMap(push -> library.find("nvtxRangePop").map(pop -> new NvtxRanges(push, pop)));
    }

    /**
     * Turns ranges on for the rest of this JVM, if there is a library; only the first call has an effect.
     *
     * @return why there are none now, at the first call only
     */
    @SuppressWarnings("restricted")
    public static synchronized Optional<String> turnOn() {
        if (tried) {
            return Optional.empty();
        }
        tried = true;
        for (String library : LIBRARIES) {
            try {
                on = of(SymbolLookup.libraryLookup(library, Arena.global())).orElse(null);
            } catch (IllegalArgumentException _) { // no such library
                continue;
            }
            if (on != null) {
                return Optional.empty();
            }
        }
        return Optional.of("no NVTX ranges: none of " + String.join(", ", LIBRARIES) + " can be loaded");
    }

    /** The ranges; null while they are off. */
    static NvtxRanges current() {
        return on;
    }

    /** Begins a range of this thread, inside of those that it has begun. */
    void begin(String name) {
        MemorySegment text = names.get(name);
        if (text == null) {
            text = names.computeIfAbsent(name, Arena.global()::allocateFrom);
        }
        try {
            int _ = (int) push.invokeExact(text);
        } catch (Throwable e) {
            throw new IllegalStateException("nvtxRangePushA", e);
        }
    }

    /** Ends the range that this thread has begun last. */
    void end() {
        try {
            int _ = (int) pop.invokeExact();
        } catch (Throwable e) {
            throw new IllegalStateException("nvtxRangePop", e);
        }
    }
}
