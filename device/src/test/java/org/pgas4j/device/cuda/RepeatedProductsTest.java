package org.pgas4j.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import jcuda.driver.CUgraphExec;
import org.junit.jupiter.api.Test;
import org.pgas4j.ElementType;
import org.pgas4j.Gemm;
import org.pgas4j.Gemm.Precision;

class RepeatedProductsTest {

    private static final Gemm SMALL = Gemm.of(Precision.FLOAT, 50, 50, 50);

    private final List<CUgraphExec> captured = new ArrayList<>();
    private final List<CUgraphExec> destroyed = new ArrayList<>();
    private final RepeatedProducts products = new RepeatedProducts(destroyed::add);

    private CUgraphExec use(Gemm gemm, long c) {
        return products.graph(gemm, 1, 2, c, ElementType.FLOAT, () -> {
            captured.add(new CUgraphExec());
            return captured.getLast();
        });
    }

    @Test
    void shouldCaptureAProductTheSecondTime() {
        assertNull(use(SMALL, 3));
        CUgraphExec graph = use(SMALL, 3);
        assertNotNull(graph);
        assertSame(graph, use(Gemm.of(Precision.FLOAT, 50, 50, 50), 3), "an equal product");
        assertEquals(1, captured.size());
    }

    @Test
    void shouldTellProductsApartByMemoryTypeAndFactors() {
        use(SMALL, 3);
        assertNull(use(SMALL, 4));
        assertNull(use(Gemm.of(Precision.TF32, 50, 50, 50), 3));
        assertNull(use(Gemm.of(Precision.FLOAT, 50, 50, 51), 3));
        assertNull(products.graph(SMALL, 1, 5, 3, ElementType.FLOAT, () -> fail("captured")));
        assertNull(products.graph(SMALL, 1, 2, 3, ElementType.DOUBLE, () -> fail("captured")));
        assertEquals(0, captured.size());
    }

    @Test
    void shouldGoOnWithoutAGraphWhereThereIsNoRoomForOne() {
        use(SMALL, 3);
        assertNull(products.graph(SMALL, 1, 2, 3, ElementType.FLOAT, () -> null));
        assertNotNull(use(SMALL, 3), "captured once there is room");
        products.close();
        assertEquals(captured, destroyed);
    }

    @Test
    void shouldLeaveLargeProductsAlone() {
        for (Gemm large : List.of(Gemm.of(Precision.FLOAT, 1024, 1024, 1024), Gemm.of(Precision.FLOAT, 1L << 40, 1, 1),
                Gemm.of(Precision.FLOAT, 1L << 28, 1L << 28, 1L << 28))) {
            assertNull(use(large, 3));
            assertNull(use(large, 3));
        }
    }

    @Test
    void shouldKeepWhatIsInUseAndForgetTheOldestOfTheRest() {
        for (int turn = 0; turn < 2; turn++) {
            for (int c = 0; c < RepeatedProducts.MAX_KEPT; c++) {
                use(SMALL, c);
            }
        }
        assertNull(use(SMALL, 99));
        assertNull(use(SMALL, 99), "no room yet");
        for (int i = 0; i < RepeatedProducts.UNUSED_FOR; i++) {
            use(SMALL, 1 + i % (RepeatedProducts.MAX_KEPT - 1));
        }
        assertNull(use(SMALL, 99));
        assertEquals(List.of(captured.getFirst()), destroyed, "the only one not used meanwhile");
        assertNotNull(use(SMALL, 99));
        assertNull(use(SMALL, 0));
        products.close();
        assertEquals(captured.size(), destroyed.size());
    }
}
