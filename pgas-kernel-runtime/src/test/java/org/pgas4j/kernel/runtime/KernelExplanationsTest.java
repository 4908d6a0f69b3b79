package org.pgas4j.kernel.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.pgas4j.Kernel;
import org.pgas4j.kernel.FastMath;
import org.pgas4j.kernel.IndexKernel;
import org.pgas4j.kernels.KernelForm;
import org.pgas4j.kernels.KernelTranslator;
import org.pgas4j.kernels.TranslatedKernel;

/** The text about a kernel's first launch. */
class KernelExplanationsTest {

    private static String explained(String wanted) {
        double factor = 0.5;
        IndexKernel body = (IndexKernel & FastMath) i -> Math.sqrt(i * factor);
        TranslatedKernel kernel = KernelTranslator.translate(body, KernelForm.LOOP);
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        KernelExplanations explanations = new KernelExplanations(wanted, new PrintStream(text, true, StandardCharsets.UTF_8));
        for (int i = 0; i < 2; i++) {
            explanations.launched(kernel, "cuda:0", kernel.captured(body), new LoopRange(0, 1000, 1000, 0, 1, 0, 0, 1),
                    new Kernel.Shape(4, 256));
            if (explanations.isUntimed(kernel)) {
                explanations.timed(kernel, 5_100_000, 84_300_000);
            }
        }
        return text.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldPrintAWantedKernelOnce() {
        String text = explained("Test.explained");
        assertTrue(text.startsWith("kernel KernelExplanationsTest.explained on cuda:0"), text);
        assertTrue(text.contains("loop over 1000 elements of this rank, from index 0 in steps of 1"), text);
        assertTrue(text.contains("4 x 256 threads"), text);
        assertTrue(text.contains("options   --use_fast_math"), text);
        assertTrue(text.contains(" --generate-line-info\n"), text);
        assertTrue(text.contains("captured  0.5"), text);
        assertEquals(2, text.split("kernel KernelExplanationsTest.explained: translated in 5.1 ms, then compiled or read from disk, loaded "
                + "and queued in 84.3 ms", -1).length, text);
        assertEquals(2, text.split("PGAS_KERNEL pgas_KernelExplanationsTest_explained", -1).length, text);
    }

    @Test
    void shouldPrintAllOrNone() {
        assertTrue(explained("all").contains("source    of "));
        assertEquals("", explained("none"));
        assertEquals("", explained("Other"));
    }
}
