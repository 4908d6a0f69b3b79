package org.pgas4j.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lines of kernels beside those of C's own printf. */
class LineFormatTest {

    private static final int MAX_TEXT = 1000;
    private static final String SOURCE = """
            #include <stdio.h>
            extern "C" int real(char *out, const char *format, double value) { return snprintf(out, 1000, format, value); }
            extern "C" int integer(char *out, const char *format, long long value) { return snprintf(out, 1000, format, value); }
            """;

    @TempDir
    private Path folder;

    private static String text(MethodHandle printf, Arena arena, String format, Object value) throws Throwable {
        MemorySegment out = arena.allocate(MAX_TEXT);
        printf.invoke(out, arena.allocateFrom(format), value);
        return out.getString(0);
    }

    private static MethodHandle function(SymbolLookup library, String name, ValueLayout type) {
        return HostCompiler.function(library, name,
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS, type));
    }

    @Test
    void shouldWriteRealsAsC() throws Throwable {
        Random random = new Random(7);
        double[] values = DoubleStream.concat(DoubleStream.of(0, -0.0, 1, 0.5, 1.5, 2.5, 0.125, 0.375, 1.005, -0.04, 9.9999999, 99.95,
                1e22, 1e300, 5e-324, Double.MAX_VALUE, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY),
                DoubleStream.generate(() -> Double.longBitsToDouble(random.nextLong() & 0xbfffffffffffffffL)).limit(200)).toArray();
        try (Arena arena = Arena.ofConfined()) {
            MethodHandle real = function(HostCompiler.compile(SOURCE, folder, arena), "real", ValueLayout.JAVA_DOUBLE);
            for (String format : List.of("%f", "%.0f", "%.1f", "%.2f", "%12.3f|", "%-12.1f|", "%+010.2f", "%e", "%.0e",
                    "%.3e", "%14.2E", "%+.1e")) {
                for (double value : values) {
                    assertEquals(text(real, arena, format, value), LineFormat.format(format, value), () -> format + " of " + value);
                }
            }
        }
    }

    @Test
    void shouldWriteIntegersAsC() throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            MethodHandle integer = function(HostCompiler.compile(SOURCE, folder, arena), "integer", ValueLayout.JAVA_LONG);
            for (String format : List.of("%lld", "%lli", "%llu", "%llx", "%llX", "%llo", "%8lld|", "%-8lld|", "%08lld", "%+lld", "%-+8lld|")) {
                for (long value : new long[] {0, 7, -7, 255, 123_456_789_012L, Long.MIN_VALUE, Long.MAX_VALUE}) {
                    assertEquals(text(integer, arena, format, value), LineFormat.format(format, value), () -> format + " of " + value);
                }
            }
        }
    }

    @Test
    void shouldTakeNumbersAlone() {
        assertEquals(List.of(1, 2, 3L, 0.5), List.of(LineFormat.number((byte) 1), LineFormat.number((short) 2), LineFormat.number(3L),
                LineFormat.number(0.5f)));
        assertThrows(IllegalArgumentException.class, () -> LineFormat.number("text"));
        assertThrows(IllegalArgumentException.class, () -> LineFormat.number(null));
    }
}
