package org.pgas4j.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

@SuppressWarnings("restricted")
class NvtxRangesTest {

    private static final List<String> CALLS = new ArrayList<>();

    static int push(MemorySegment text) {
        CALLS.add("begin " + text.reinterpret(Long.MAX_VALUE).getString(0));
        return 0;
    }

    static int pop() {
        CALLS.add("end");
        return 0;
    }

    private static MemorySegment function(Arena arena, String name, MethodType type, FunctionDescriptor descriptor)
            throws ReflectiveOperationException {
        return Linker.nativeLinker().upcallStub(MethodHandles.lookup().findStatic(NvtxRangesTest.class, name, type), descriptor,
                arena);
    }

    @Test
    void shouldCallTheLibraryWithTheName() throws ReflectiveOperationException {
        CALLS.clear();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment push = function(arena, "push", MethodType.methodType(int.class, MemorySegment.class),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
            MemorySegment pop = function(arena, "pop", MethodType.methodType(int.class),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT));
            SymbolLookup library = name -> switch (name) {
                case "nvtxRangePushA" -> Optional.of(push);
                case "nvtxRangePop" -> Optional.of(pop);
                default -> Optional.empty();
            };
            NvtxRanges ranges = NvtxRanges.of(library).orElseThrow();

            ranges.begin("saxpy");
            ranges.begin("saxpy");
            ranges.end();
            ranges.end();
        }
        assertEquals(List.of("begin saxpy", "begin saxpy", "end", "end"), CALLS);
    }

    @Test
    void shouldHaveNoneOfALibraryWithoutTheFunctions() {
        assertEquals(Optional.empty(), NvtxRanges.of(_ -> Optional.empty()));
    }

    @Test
    void shouldReportOnceThatThereIsNoLibrary() {
        Optional<String> why = NvtxRanges.turnOn();

        assertEquals(why.isPresent(), NvtxRanges.current() == null);
        why.ifPresent(text -> assertTrue(text.startsWith("no NVTX ranges: none of libnvtx3interop.so.1"), text));
        assertEquals(Optional.empty(), NvtxRanges.turnOn());
        why.ifPresent(_ -> assertNull(NvtxRanges.current()));
    }
}
