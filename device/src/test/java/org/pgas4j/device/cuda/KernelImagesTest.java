package org.pgas4j.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.CudaCode;
import org.pgas4j.DeviceException;
import org.pgas4j.Kernel;

@Timeout(30)
class KernelImagesTest {

    /** Writes a number to a word. */
    static final String STORE = """
            .version 8.0
            .target sm_75
            .address_size 64
            .visible .entry store(.param .u64 word, .param .u32 number)
            {
                .reg .b32 %r1;
                .reg .b64 %rd1, %rd2;
                ld.param.u64 %rd1, [word];
                ld.param.u32 %r1, [number];
                cvta.to.global.u64 %rd2, %rd1;
                st.global.u32 [%rd2], %r1;
                ret;
            }
            """;

    @Test
    void shouldEndPtxWithZero() {
        byte[] bytes = KernelImages.ptx(new Kernel("store", null, CudaCode.ptx(STORE)));

        assertEquals(STORE.length() + 1, bytes.length);
        assertEquals(0, bytes[STORE.length()]);
    }

    @Test
    void shouldNameTheEntriesThatThereAre() {
        DeviceException e = assertThrows(DeviceException.class,
                () -> KernelImages.ptx(new Kernel("stored", null, CudaCode.ptx(STORE))));

        assertTrue(e.getMessage().contains("[store]") && e.getMessage().contains(".entry stored("), e.getMessage());
        e = assertThrows(DeviceException.class, () -> KernelImages.ptx(new Kernel("k", null, CudaCode.ptx(""))));
        assertTrue(e.getMessage().contains("none at all"), e.getMessage());
    }
}
