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
