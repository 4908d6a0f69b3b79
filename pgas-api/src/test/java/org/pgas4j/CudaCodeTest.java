package org.pgas4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class CudaCodeTest {

    private static final CudaCode CODE = CudaCode.source("source");

    @Test
    void shouldBeEqualWithEqualPartsOnly() {
        assertEquals(CODE, CudaCode.source("source"));
        assertEquals(CODE.hashCode(), CudaCode.source("source").hashCode());
        assertEquals(CODE.withOptions("-DA", "-DB"), CODE.withOptions("-DA").withOptions("-DB"));
        assertNotEquals(CODE, CudaCode.source("another"));
        assertNotEquals(CODE, CODE.withOptions("--fmad=false"));
        assertNotEquals(CODE.withOptions("-DA", "-DB"), CODE.withOptions("-DB", "-DA"));
    }

    @Test
    void shouldRefuseOptionsOfTheRuntime() {
        for (String option : List.of("", " ", "--gpu-architecture=sm_80", "-arch=sm_90")) {
            IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> CODE.withOptions(option));
            assertTrue(e.getMessage().contains("'" + option + "'"), e.getMessage());
        }
    }

    @Test
    void shouldHaveHeadersInTheOrderOfTheirNames() {
        CudaCode code = CODE.withHeader("b.h", "B").withHeader("a.h", "A");

        assertEquals("{a.h=A, b.h=B}", code.headers().toString());
        assertEquals(code, CODE.withHeader("a.h", "A").withHeader("b.h", "B").withHeader("b.h", "B"));
        assertNotEquals(code, CODE.withHeader("a.h", "A"));
        assertThrows(IllegalArgumentException.class, () -> code.withHeader("a.h", "another"));
        assertThrows(IllegalArgumentException.class, () -> code.withHeader(" ", "A"));
        assertEquals("another", code.withSource("another").text());
        assertEquals(code.headers(), code.withSource("another").headers());
    }

    @Test
    void shouldReadResources() {
        String name = "CudaCodeTest.class"; // a file that is surely there
        assertTrue(CudaCode.resource(CudaCodeTest.class, name).text().contains("shouldReadResources"));
        assertTrue(CODE.withHeader(CudaCodeTest.class, name).headers().containsKey(name));
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class,
                () -> CudaCode.resource(CudaCodeTest.class, "missing.cu"));
        assertTrue(e.getMessage().contains("missing.cu") && e.getMessage().contains("CudaCodeTest"), e.getMessage());
    }

    @Test
    void shouldTakeNoOptionsForCompiledCode() {
        byte[] image = {1, 2, 3};
        CudaCode cubin = CudaCode.cubin(image);
        image[0] = 9;

        assertEquals(CudaCode.cubin(new byte[] {1, 2, 3}), cubin);
        assertNotEquals(CudaCode.cubin(new byte[] {1, 2, 4}), cubin);
        assertNotEquals(CudaCode.ptx("source"), CODE);
        assertThrows(IllegalStateException.class, () -> cubin.withOptions("--fmad=false"));
        assertThrows(IllegalStateException.class, () -> CudaCode.ptx("ptx").withHeader("a.h", ""));
        assertThrows(IllegalArgumentException.class, () -> CudaCode.cubin(new byte[0]));
        assertNull(new Kernel("k", null, cubin).cuda());
    }

    @Test
    void shouldLeaveTheKernelItCameFromAsItWas() {
        Kernel plain = new Kernel("k", "source", null);
        Kernel strict = plain.withOptions("--fmad=false");
        Kernel java = new Kernel("k", null, (_, _) -> { });

        assertEquals(List.of(), plain.code().options());
        assertEquals(List.of("--fmad=false"), strict.code().options());
        assertEquals("source", strict.cuda());
        assertSame(java, java.withOptions("--fmad=false"));
        assertNull(java.cuda());
    }
}
