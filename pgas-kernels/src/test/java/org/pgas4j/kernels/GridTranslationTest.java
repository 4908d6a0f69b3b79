package org.pgas4j.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgas4j.GlobalLongs;
import org.pgas4j.GridKernel;
import org.pgas4j.KernelRefusedException;
import org.pgas4j.SharedLongs;
import org.pgas4j.kernel.IndexKernel;
import org.pgas4j.kernel.LongKernel;

/** C++ of kernels with global arrays, and of scans, does not take memory to be apart. */
class GridTranslationTest {

    private static final String APART = "const char *PGAS_APART a";

    /** Elements of a global array may be in any other memory. */
    @Test
    void shouldExpectNoMemoryApartFromAGlobalArray() {
        SharedLongs from = null;
        SharedLongs to = null;
        GlobalLongs all = null;
        IndexKernel shared = i -> to.put(i, from.get(i));
        IndexKernel global = i -> to.put(i, from.get(i) + all.get(i));

        assertTrue(KernelTranslator.translate(shared, KernelForm.LOOP).cuda().contains(APART));
        TranslatedKernel kernel = KernelTranslator.translate(global, KernelForm.LOOP);
        assertTrue(!kernel.cuda().contains(APART), kernel::cuda);
        assertEquals(List.of(), kernel.apart());
    }

    /** A scan writes an array that its body may have captured, too. */
    @Test
    void shouldExpectNoMemoryApartFromThatOfAScan() {
        SharedLongs from = null;
        LongKernel values = i -> from.get(i) * 2;

        assertTrue(KernelTranslator.translate(values, KernelForm.REDUCE_LONGS).cuda().contains(APART));
        assertTrue(!KernelTranslator.translate(values, KernelForm.SCAN_LONGS).cuda().contains(APART));
    }

    @Test
    void shouldRefuseGlobalArraysInBlockPrograms() {
        GlobalLongs all = null;
        GridKernel program = self -> all.put(self.thread(), 1);

        String message = assertThrows(KernelRefusedException.class,
                () -> KernelTranslator.translate(program, KernelForm.BLOCKS)).getMessage();
        assertTrue(message.contains("uses a global array in a block program; use a shared array, or a kernel of a stream"), message);
    }
}
